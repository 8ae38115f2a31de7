//! The report.

use super::{Chapter, Part};
use crate::quality::Bound;
use crate::report::{
    Axis, Block, Cell, Claim, Column, Figure, Guide, Manifest, Report, Section, Series, Style, Table, Verdict,
};
use muslin::math::Real;
use std::fmt::Write as _;

/// Explicit solvers, which take the step that stability allows.
const EXPLICIT: [&str; 3] = ["symplectic-euler", "velocity-verlet", "rk4"];
/// The bounds that the claims and the lead speak of: stretch of 2 % alone, and with motion within 4 %.
const STRETCH: usize = 1;
const MOTION: usize = 3;

/// Puts everything together.
pub fn report(chapters: &[Chapter]) -> Report {
    let mut sections = vec![claims(chapters)];
    sections.extend(chapters.iter().map(section));
    Report {
        title: "Time to quality".to_owned(),
        lead: lead(chapters),
        sections,
        manifest: Manifest {
            settings: serde_json::json!({
                "frame_s": crate::quality::FRAME,
                "frames": crate::quality::FRAMES,
                "stretch": "largest structural stretch at the ends of the frames of the last second",
                "motion": "RMS distance over the first second to steps of 1/960 s, by side",
            }),
            ..Manifest::default()
        },
        ..Report::default()
    }
}

/// The least time on one thread for a bound among some solvers [ms], and whose.
fn fastest(chapter: &Chapter, bound: usize, of: impl Fn(&str) -> bool) -> Option<(Real, &Part)> {
    let parts = chapter.parts.iter().filter(|part| of(part.solver));
    let timed = parts.filter_map(|part| Some((part.entries[bound].as_ref()?.milliseconds?[0], part)));
    timed.min_by(|a, b| a.0.total_cmp(&b.0))
}

fn lead(chapters: &[Chapter]) -> String {
    let mut text = "Every solver simulates 3 s in frames of 1/60 s, with cheap settings first and dearer ones until one has the quality: no structural edge beyond a bound in the last \
                    second, and, for two of the bounds, a motion near that of a converged run with steps of 1/960 s. "
        .to_owned();
    for chapter in chapters {
        let sentence = match fastest(chapter, MOTION, |_| true) {
            Some((ms, part)) => {
                let real_time = if ms <= 1e3 / 60.0 { "faster" } else { "slower" };
                format!(
                    "On `{}` {} has {} at the least cost, {ms:.3} ms a frame on one thread: {real_time} than real time. ",
                    chapter.trial,
                    part.solver,
                    Bound::ALL[MOTION],
                )
            }
            None => format!("On `{}` no setting tried has {}. ", chapter.trial, Bound::ALL[MOTION]),
        };
        text.push_str(&sentence);
    }
    text.trim_end().to_owned()
}

fn claims(chapters: &[Chapter]) -> Section {
    let implicit = |solver: &str| !EXPLICIT.contains(&solver);
    let explicit = |solver: &str| EXPLICIT.contains(&solver);
    let large_steps = duel(
        Claim::new(
            "Cloth that hardly stretches is cheaper with an implicit method and large steps than with an explicit one and small ones.",
            "[Baraff & Witkin 1998, §1]",
        ),
        chapters,
        STRETCH,
        ("implicit", &implicit),
        ("explicit", &explicit),
    );
    let second_order = duel(
        Claim::new(
            "The second-order backward formula moves cloth more truly than implicit Euler at about the same cost.",
            "[Choi & Ko 2002, §4]",
        ),
        chapters,
        MOTION + 1,
        ("bdf2", &|solver| solver == "bdf2"),
        ("implicit-euler", &|solver| solver == "implicit-euler"),
    );
    Section {
        title: "Beside what others say".to_owned(),
        blocks: [large_steps, second_order].map(Block::Verdict).to_vec(),
    }
}

/// Some solvers and what they are called.
type Side<'a> = (&'a str, &'a dyn Fn(&str) -> bool);

/// The fastest of two groups for a bound on every trial, beside a claim about garments that are not run here.
fn duel(claim: Claim, chapters: &[Chapter], bound: usize, ours: Side, theirs: Side) -> Verdict {
    let mut found =
        format!("The scenes of the source were not run. On the cloths here, for {}:", Bound::ALL[bound]);
    for chapter in chapters {
        let words = |(name, of): Side| {
            fastest(chapter, bound, of)
                .map_or(format!("{name} does not get there"), |(ms, _)| format!("{name} {ms:.3} ms"))
        };
        let _ = write!(found, " `{}`: {}, {};", chapter.trial, words(ours), words(theirs));
    }
    claim.not_tested(found.trim_end_matches(';').to_owned() + ".")
}

fn section(chapter: &Chapter) -> Section {
    let name = |kind: &str| format!("{}-{kind}", chapter.trial);
    let figure =
        |kind: &str, label: &str, bounds: &[Real], of: fn(&crate::quality::Outcome) -> Option<Real>| Figure {
            name: name(kind),
            caption: format!("Time of a frame over {label}, for every setting tried of `{}`.", chapter.trial),
            x: Axis::log(label).unit("%"),
            y: Axis::log("time of a frame").unit("ms"),
            series: chapter.parts.iter().map(|part| series(part, of)).collect(),
            guides: bounds
                .iter()
                .map(|at| Guide::Vertical { at: 100.0 * at, label: format!("{} %", 100.0 * at) })
                .collect(),
        };
    let tables = (0..Bound::ALL.len()).map(|bound| cheapest(chapter, bound));
    let mut blocks: Vec<Block> = tables.filter(|table| !table.rows.is_empty()).map(Block::Table).collect();
    blocks.push(Block::Figure(figure("stretch", "stretch", &[0.1, 0.02], |outcome| outcome.stretch)));
    blocks.push(Block::Figure(figure("motion", "motion", &[0.04, 0.01], |outcome| outcome.motion)));
    blocks.push(Block::Table(tried(chapter, name("tried"))));
    Section { title: format!("{}: {} particles", chapter.trial, chapter.particles), blocks }
}

fn series(part: &Part, of: fn(&crate::quality::Outcome) -> Option<Real>) -> Series {
    let point = |outcome: &crate::quality::Outcome| Some([100.0 * of(outcome)?, outcome.milliseconds()]);
    let ended = part.tried.iter().filter(|(_, outcome)| outcome.failure.is_none());
    Series {
        name: part.solver.to_owned(),
        points: ended.filter_map(|(_, outcome)| point(outcome)).collect(),
        style: Style::Points,
        ..Series::default()
    }
}

/// One row a solver.
fn cheapest(chapter: &Chapter, bound: usize) -> Table {
    let best = fastest(chapter, bound, |_| true).map(|(ms, _)| ms);
    let row = |part: &Part| {
        let entry = part.entries[bound].as_ref()?;
        let outcome = &entry.found.outcome;
        let [one, two] = entry.milliseconds.map_or([None, None], |ms| ms.map(Some));
        let time = |ms: Option<Real>| ms.map_or_else(Cell::missing, |ms| Cell::number(ms).digits(3));
        let missed = outcome.failure.clone().unwrap_or_else(|| "not reached".to_owned());
        Some(vec![
            Cell::text(part.solver),
            if best.is_some() && one == best { time(one).good() } else { time(one) },
            time(two),
            percent(outcome.stretch),
            percent(outcome.motion),
            if entry.found.meets { Cell::text("yes") } else { Cell::text(missed).bad() },
            Cell::text(entry.found.setting.label.clone()),
        ])
    };
    let quality = &Bound::ALL[bound];
    let words = quality.to_string().replace(" %", "").replace(", ", "-").replace(' ', "-").replace('.', "_");
    Table {
        name: format!("{}-{words}", chapter.trial),
        caption: format!(
            "The cheapest setting of each solver for {quality}, or the nearest if none has it; k × factor: how much stiffer than authored the cloth was made."
        ),
        columns: vec![
            Column::plain("solver"),
            Column::measured("1 thread").unit("ms a frame"),
            Column::measured("2 threads").unit("ms a frame"),
            Column::measured("stretch").unit("%"),
            Column::measured("motion").unit("%"),
            Column::plain("reached"),
            Column::plain("setting"),
        ],
        rows: chapter.parts.iter().filter_map(row).collect(),
    }
}

fn tried(chapter: &Chapter, name: String) -> Table {
    let runs = chapter.parts.iter().flat_map(|part| part.tried.iter().map(move |run| (part.solver, run)));
    let row = |(solver, (label, outcome)): (&str, &(String, crate::quality::Outcome))| {
        vec![
            Cell::text(solver),
            Cell::text(label.clone()),
            Cell::number(outcome.milliseconds()).digits(3),
            percent(outcome.stretch),
            percent(outcome.motion),
            Cell::text(outcome.failure.clone().unwrap_or_default()),
        ]
    };
    Table {
        name,
        caption: "Every run, timed once, on one thread.".to_owned(),
        columns: vec![
            Column::plain("solver"),
            Column::plain("setting"),
            Column::measured("time").unit("ms a frame"),
            Column::measured("stretch").unit("%"),
            Column::measured("motion").unit("%"),
            Column::plain("ended early"),
        ],
        rows: runs.map(row).collect(),
    }
}

fn percent(part: Option<Real>) -> Cell {
    part.map_or_else(Cell::missing, |part| Cell::number(100.0 * part).digits(3))
}
