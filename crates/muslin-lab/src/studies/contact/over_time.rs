//! A sheet folds up: intersections over time with contact of surfaces and without, and the motion that the guarantee costs.

use super::trial::{Method, Trial, scene};
use crate::report::{Axis, Block, Cell, Column, Figure, Section, Series, Style, Table};
use crate::study::Context;
use muslin::math::Real;

/// The scene `folded-drop` under one law of contact.
pub struct Fold {
    law: &'static str,
    solver: &'static str,
    trial: Trial,
}

/// How many runs there are.
pub const COUNT: usize = 4;

/// Contact of surfaces by two solvers, then the controls: surfaces without contact of the cloth with itself, and particles only.
pub fn folds(context: &Context) -> anyhow::Result<[Fold; COUNT]> {
    let [cells, allowance] = if context.quick { ["[11, 22]", "2"] } else { ["[35, 70]", "25"] };
    let allowance: Real = allowance.parse()?;
    let fold = |law: &'static str, key: &'static str, value: &str, method: &Method| {
        let changes = [("sheet.0.resolution.cells", cells.to_owned()), (key, value.to_owned())];
        let trial = Trial::of(scene("folded-drop", &changes)?, method, 1.5, allowance);
        context.advance(1);
        anyhow::Ok(Fold { law, solver: method.config.name(), trial })
    };
    let own = "contact.surface.self_contact";
    let particles = "{ projection = { restitution = 0.0, friction = 0.3 } }";
    Ok([
        fold("surfaces", own, "true", &Method::xpbd())?,
        fold("surfaces", own, "true", &Method::pncg())?,
        fold("solids only", own, "false", &Method::xpbd())?,
        fold("particles", "contact", particles, &Method::xpbd())?,
    ])
}

pub fn section(folds: &[Fold]) -> Section {
    Section {
        title: "Over time".to_owned(),
        blocks: vec![
            Block::Text(text(folds)),
            Block::Figure(pairs(folds)),
            Block::Figure(motion_lost(folds)),
            Block::Table(table(folds)),
        ],
    }
}

impl Fold {
    fn name(&self) -> String {
        format!("{}, {}", self.law, self.solver)
    }

    /// Whether the guarantee is asked for.
    fn is_guarded(&self) -> bool {
        self.law == "surfaces"
    }

    fn most_pairs(&self) -> Real {
        self.trial.most(|frame| frame.pairs as Real)
    }
}

fn text(folds: &[Fold]) -> String {
    let most = |guarded: bool| {
        folds.iter().filter(|fold| fold.is_guarded() == guarded).map(Fold::most_pairs).fold(0.0, Real::max)
    };
    let first = folds
        .iter()
        .filter(|fold| !fold.is_guarded())
        .filter_map(|fold| fold.trial.frames.iter().find(|frame| frame.pairs > 0))
        .map(|frame| frame.time)
        .fold(Real::INFINITY, Real::min);
    let since = if first.is_finite() { format!(", the first at {first:.2} s") } else { String::new() };
    let lost = folds.iter().map(|fold| fold.trial.last().motion_lost).fold(0.0, Real::max);
    format!(
        "The scene `folded-drop`. Without contact of the cloth with itself up to {:.0} pairs of triangles pass through each other in a frame{since}; with it, {}. For \
         that the guarantee cuts off {:.2} % of all ways at the most.",
        most(false),
        if most(true) == 0.0 {
            "none ever does".to_owned()
        } else {
            format!("**up to {:.0} do**", most(true))
        },
        100.0 * lost
    )
}

fn pairs(folds: &[Fold]) -> Figure {
    let series = folds.iter().filter(|fold| fold.solver == "xpbd").enumerate();
    Figure {
        name: "pairs".to_owned(),
        caption: "Pairs of triangles that intersect, frame by frame, by exact predicates.".to_owned(),
        x: Axis::linear("time").unit("s"),
        y: Axis::linear("intersecting pairs"),
        series: series
            .map(|(color, fold)| Series {
                name: fold.law.to_owned(),
                points: fold.trial.over_time(|frame| frame.pairs as Real),
                emphasis: fold.is_guarded(),
                color: Some(color),
                ..Series::default()
            })
            .collect(),
        guides: Vec::new(),
    }
}

fn motion_lost(folds: &[Fold]) -> Figure {
    Figure {
        name: "motion-lost".to_owned(),
        caption: "Part of all ways so far that the guarantee cut off.".to_owned(),
        x: Axis::linear("time").unit("s"),
        y: Axis::linear("motion lost").unit("%"),
        series: folds
            .iter()
            .filter(|fold| fold.is_guarded())
            .map(|fold| Series {
                name: fold.solver.to_owned(),
                points: fold.trial.over_time(|frame| 100.0 * frame.motion_lost),
                style: Style::Line,
                ..Series::default()
            })
            .collect(),
        guides: Vec::new(),
    }
}

fn table(folds: &[Fold]) -> Table {
    let row = |fold: &Fold| {
        let faulty = Cell::count(fold.trial.frames.iter().filter(|frame| frame.pairs > 0).count());
        vec![
            Cell::text(fold.name()),
            fold.trial.judged(),
            if !fold.is_guarded() {
                faulty
            } else if fold.most_pairs() == 0.0 {
                faulty.good()
            } else {
                faulty.bad()
            },
            Cell::count(fold.most_pairs() as usize),
            Cell::number(100.0 * fold.trial.last().motion_lost).digits(2),
        ]
    };
    Table {
        name: "over-time".to_owned(),
        caption: "What touches in `folded-drop`: frames with intersections, most pairs of triangles in a frame, and the part of all ways that the guarantee cut off.".to_owned(),
        columns: vec![
            Column::plain("contact"),
            Column::measured("frames"),
            Column::measured("faulty"),
            Column::measured("most pairs"),
            Column::measured("lost").unit("%"),
        ],
        rows: folds.iter().map(row).collect(),
    }
}
