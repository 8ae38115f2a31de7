//! A report with one of everything, made of invented numbers.
//!
//! `cargo run -p muslin-lab --example report [FOLDER]` writes it to `out/report-sample`.

use std::io::Cursor;
use std::path::PathBuf;

use muslin_lab::report::{
    Axis, Block, Cell, Claim, Column, Figure, Guide, Machine, Manifest, Outcome, Picture, Report, Section,
    Series, SetUp, Style, Table,
};
use muslin_lab::statistics::log_log_slope;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("out/report-sample"), PathBuf::from);
    for file in sample().write(&folder)? {
        println!("{}", file.display());
    }
    Ok(())
}

#[test]
fn the_sample_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let files = sample().write(&folder.path().join("sample")).unwrap();
    assert_eq!(files.len(), 12);
    let page = std::fs::read_to_string(&files[0]).unwrap();
    assert!(page.contains("Figure\u{a0}4.") && page.contains("Table\u{a0}2.") && !page.contains("no data"));
}

fn sample() -> Report {
    Report {
        study: "sample".into(),
        title: "Does a smaller time step make stiffer cloth?".into(),
        lead:
            "Sample data: every number on this page is invented. Published work says that the stiffness of \
               position-based cloth depends on the time step, and that compliance cures it. The first \
               holds; the second only with *three times* the iterations its authors name."
                .into(),
        sections: vec![stretch_section(), convergence_section(), run_section()],
        manifest: Manifest {
            seed: Some(42),
            settings: serde_json::json!({
                "sheet": { "cells": [64, 64], "fabric": "cotton" },
                "steps": [0.02, 0.01, 0.005],
                "reference": "implicit Euler, 0.1 ms",
            }),
            machine: Machine::detect(),
            started: "2026-01-05 14:02 UTC".into(),
            wall_seconds: 754.3,
            ..Manifest::default()
        },
    }
}

fn stretch_section() -> Section {
    let verdict = Claim::new(
        "The apparent stiffness of position-based cloth grows as the time step shrinks.",
        "[Sample 2007, §3]",
    )
    .under(SetUp::default().stated("sheet", "64 × 64", "64 × 64").assumed("fabric", "cotton"))
    .judged(
        Outcome::Holds,
        "From 20 ms to 5 ms the largest stretch falls from 11.3 % to 3.4 % with the same `stiffness = 0.9`.",
    );
    let table = Table {
        name: "stretch".into(),
        caption: "Largest stretch of a hanging sheet after two seconds. A **–** was not published.".into(),
        columns: vec![
            Column::plain("method"),
            Column::plain("particles"),
            Column::plain("time step").unit("ms"),
            Column::published("stretch").unit("%"),
            Column::measured("stretch").unit("%"),
            Column::measured("residual").unit("N"),
        ],
        rows: [
            ("pbd", 20.0, Some(11.0), Cell::number(11.32).good(), 3.1e-2),
            ("pbd", 10.0, Some(6.2), Cell::number(6.171).good(), 1.7e-2),
            ("pbd", 5.0, None, Cell::number(3.402), 8.8e-3),
            ("xpbd", 20.0, Some(4.1), Cell::number(6.94).bad(), 4.2e-5),
            ("xpbd", 10.0, Some(4.1), Cell::number(4.38), 9.1e-6),
            ("xpbd", 5.0, Some(4.1), Cell::number(4.127).good(), 2.23e-7),
            ("projective", 20.0, None, Cell::number(f64::INFINITY).bad(), f64::NAN),
        ]
        .map(|(method, step, published, measured, residual)| {
            let published = Cell::from(published).digits(2);
            let [step, residual] = [step, residual].map(|value| Cell::number(value).digits(2));
            vec![method.into(), 16_641.into(), step, published, measured.digits(3), residual]
        })
        .into(),
    };
    Section {
        title: "Stretch depends on the step".into(),
        blocks: vec![
            Block::Text(
                "A sheet of cotton hangs from two corners for two seconds. Its edges stretch under their own \
                 weight; how far depends on the *material*, and should not depend on the *solver*. The \
                 sample numbers below show what a study's table looks like: published columns are tinted warm, \
                 measured ones cool, and a tick or a cross marks what agrees."
                    .into(),
            ),
            Block::Verdict(verdict),
            Block::Table(table),
            Block::Figure(stretch_over_time()),
        ],
    }
}

fn stretch_over_time() -> Figure {
    let swing = |level: f64, decay: f64, frequency: f64| {
        let point = move |i: u32| {
            let t = f64::from(i) * 1e-4;
            [t, level * (1.0 - (-decay * t).exp() * (frequency * t).cos())]
        };
        (0..20_000).map(point).collect::<Vec<[f64; 2]>>()
    };
    let mut diverging = swing(5.1, 1.1, 11.0);
    diverging.truncate(9_000);
    for point in &mut diverging[4_000..4_600] {
        point[1] = f64::NAN;
    }
    Figure {
        name: "stretch-over-time".into(),
        caption: "The sheet swings into rest. The run of `projective` has a gap where its state was not finite, and \
                  ends early. Sample data."
            .into(),
        x: Axis::linear("time").unit("s"),
        y: Axis::linear("largest stretch").unit("%"),
        series: vec![
            Series { name: "xpbd, 5 ms".into(), points: swing(4.1, 2.2, 14.0), emphasis: true, ..Series::default() },
            Series { name: "pbd, 5 ms".into(), points: swing(3.4, 3.0, 15.0), ..Series::default() },
            Series { name: "pbd, 10 ms".into(), points: swing(6.2, 2.6, 12.0), ..Series::default() },
            Series { name: "projective".into(), points: diverging, ..Series::default() },
        ],
        guides: vec![Guide::Horizontal { at: 4.1, label: "published".into() }],
    }
}

fn convergence_section() -> Section {
    let steps = [2e-2, 1e-2, 5e-3, 2.5e-3, 1.25e-3, 6.25e-4];
    let errors = |scale: f64, order: f64, wobble: f64| {
        let error = move |(i, h): (usize, f64)| {
            [h, scale * h.powf(order) * (1.0 + wobble * if i % 2 == 0 { 1.0 } else { -1.0 })]
        };
        steps.into_iter().enumerate().map(error).collect::<Vec<[f64; 2]>>()
    };
    let data = [
        ("explicit Euler", errors(0.8, 1.0, 0.05), Some(1.0)),
        ("RK4", errors(900.0, 3.9, 0.1), Some(4.0)),
        ("implicit Euler", errors(2.1, 1.02, 0.02), Some(1.0)),
        ("xpbd", errors(0.5, 0.7, 0.08), None),
    ];
    let series = data.iter().map(|(name, points, _)| Series {
        name: (*name).into(),
        points: points.clone(),
        style: Style::LinePoints,
        emphasis: *name == "xpbd",
        ..Series::default()
    });
    let mut series: Vec<Series> = series.collect();
    let published = vec![[2e-2, 2e-2], [6.25e-4, 4.5e-4]];
    series.push(Series {
        name: "xpbd, published".into(),
        points: published,
        style: Style::Dashed,
        color: Some(3),
        ..Series::default()
    });
    let figure = Figure {
        name: "convergence".into(),
        caption: "Error at two seconds against the reference, over the time step. Sample data.".into(),
        x: Axis::log("time step").unit("s"),
        y: Axis::log("error").unit("m"),
        series,
        guides: vec![
            Guide::Slope { from: [1.5e-3, 2e-5], to: 4e-3, slope: 1.0, label: "order 1".into() },
            Guide::Slope { from: [2.6e-3, 5e-9], to: 5.6e-3, slope: 4.0, label: "order 4".into() },
        ],
    };
    let rows = data.iter().map(|(name, points, order)| {
        vec![(*name).into(), Cell::from(*order).digits(2), Cell::from(log_log_slope(points)).digits(3)]
    });
    let table = Table {
        name: "orders".into(),
        caption: "Order of convergence: slope of the lines above.".into(),
        columns: vec![Column::plain("method"), Column::published("order"), Column::measured("order")],
        rows: rows.collect(),
    };
    let verdict = Claim::new(
        "`xpbd` converges with order 1.",
        "[Sample 2016, fig. 7]",
    )
    .under(SetUp::default().stated("sheet", "64 × 64", "64 × 64").assumed("fabric", "cotton"))
    .judged(
        Outcome::Overturned,
        "The measured order is 0.72, because ten iterations leave a residual that does **not** shrink with \
                  the step.",
    );
    Section {
        title: "Order of convergence".into(),
        blocks: vec![Block::Verdict(verdict), Block::Figure(figure), Block::Table(table)],
    }
}

fn run_section() -> Section {
    let mut seed = 42_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / f64::from(1_u32 << 31)
    };
    let cloud: Vec<[f64; 2]> =
        (0..3000).map(|_| (random(), random())).map(|(a, b)| [a * 40.0, 2e-5 * (a + 0.3 * b)]).collect();
    let figure = Figure {
        name: "cost".into(),
        caption: "Time a step takes over the number of contacts in it. Sample data.".into(),
        x: Axis::linear("contacts, thousands"),
        y: Axis::linear("time a step").unit("s"),
        series: vec![
            Series {
                name: "one step of the sample run each".into(),
                points: cloud,
                style: Style::Points,
                ..Series::default()
            },
            Series {
                name: "cost as published, scaled to this machine".into(),
                points: vec![[0.0, 3e-6], [40.0, 2.1e-5]],
                style: Style::Dashed,
                ..Series::default()
            },
        ],
        guides: vec![Guide::Vertical { at: 32.0, label: "out of cache".into() }],
    };
    let verdict = Claim::new("Compliance makes stretch independent of the time step.", "[Sample 2016, §4]")
        .under(SetUp::default().stated("sheet", "64 × 64", "64 × 64").assumed("fabric", "cotton"))
        .judged(Outcome::Partly, "From 30 iterations on; with the published 10 it varies by 41 %.");
    let picture = Picture {
        name: "sheet".into(),
        caption: "The sheet at rest, in false colours of stretch. Sample picture.".into(),
        png: gradient(640, 240),
    };
    Section {
        title: "What the cure costs".into(),
        blocks: vec![Block::Verdict(verdict), Block::Figure(figure), Block::Picture(picture)],
    }
}

/// A png file of a colour gradient.
fn gradient(width: u32, height: u32) -> Vec<u8> {
    let pixel = |x: u32, y: u32| image::Rgb([(255 * x / width) as u8, 140, (255 * y / height) as u8]);
    let mut png = Cursor::new(Vec::new());
    let written = image::RgbImage::from_fn(width, height, pixel).write_to(&mut png, image::ImageFormat::Png);
    assert!(written.is_ok(), "memory takes every write");
    png.into_inner()
}
