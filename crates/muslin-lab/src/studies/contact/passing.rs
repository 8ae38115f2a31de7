//! Nothing passes through anything: scenes times solvers, every frame judged.

use super::SOURCE;
use super::starts::{Case, cases};
use super::trial::{End, Method, Trial};
use crate::report::{Block, Cell, Claim, Column, Outcome, Section, SetUp, Table, Verdict};
use crate::study::Context;
use muslin::math::Real;

/// A case run by a solver.
pub struct Run {
    case: String,
    particles: usize,
    solver: &'static str,
    trial: Trial,
}

/// How many runs there are.
pub fn count(quick: bool) -> anyhow::Result<usize> {
    Ok(cases(quick)?.len() * Method::all().len())
}

/// Runs every case by every solver.
pub fn runs(context: &Context) -> anyhow::Result<Vec<Run>> {
    // Work that a run may take [s].
    let allowance = if context.quick { 3.0 } else { 25.0 };
    let mut runs = Vec::new();
    for case in cases(context.quick)? {
        for method in Method::all() {
            runs.push(Run::of(&case, &method, allowance));
            context.advance(1);
        }
    }
    Ok(runs)
}

impl Run {
    fn of(case: &Case, method: &Method, allowance: Real) -> Self {
        Self {
            case: case.name.clone(),
            particles: case.start.0.len(),
            solver: method.config.name(),
            trial: Trial::of(case.start.clone(), method, case.seconds, allowance),
        }
    }
}

/// Frames judged and frames with faults, of all runs.
pub fn totals(runs: &[Run]) -> [usize; 2] {
    [runs.iter().map(|run| run.trial.frames.len()).sum(), runs.iter().map(|run| run.trial.faulty()).sum()]
}

pub fn section(runs: &[Run]) -> Section {
    Section {
        title: "Nothing passes through anything".to_owned(),
        blocks: vec![Block::Verdict(verdict(runs)), Block::Text(settings(runs)), Block::Table(table(runs))],
    }
}

/// What the book says of these runs. That it holds whatever the scene no number of runs can show.
fn verdict(runs: &[Run]) -> Verdict {
    let [frames, faulty] = totals(runs);
    let bad: Vec<String> = runs
        .iter()
        .filter(|run| run.trial.faulty() > 0)
        .map(|run| format!("{} by {} ({})", run.case, run.solver, run.trial.faulty()))
        .collect();
    let finding = if faulty == 0 {
        format!(
            "{frames} frames of {} runs were judged by exact predicates: **none has an intersection**.",
            runs.len()
        )
    } else {
        format!("**{faulty} of {frames} frames have intersections**: {}.", bad.join(", "))
    };
    let whole = runs.iter().filter(|run| run.trial.end == End::Whole).count();
    Claim::new("A start free of intersections stays free of them, in every run of this study.", SOURCE)
        // A run that was cut can overturn it, but does not show it.
        .under(SetUp::default().stated(
            "whole runs",
            runs.len(),
            if faulty == 0 { whole } else { runs.len() },
        ))
        .judged(if faulty == 0 { Outcome::Holds } else { Outcome::Overturned }, finding)
}

/// What the runs were, and which of them are not whole.
fn settings(runs: &[Run]) -> String {
    let methods: Vec<String> = Method::all()
        .iter()
        .map(|method| format!("`{}` {}", method.config.name(), method.settings))
        .collect();
    let list = |end: End| {
        let names = runs.iter().filter(|run| run.trial.end == end);
        names.map(|run| format!("{} by {}", run.case, run.solver)).collect::<Vec<_>>().join(", ")
    };
    let (cut, diverged) = (list(End::Cut), list(End::Diverged));
    let all = |names: &str, words: &str| {
        if names.is_empty() { format!("No run was {words}.") } else { format!("**Runs {words}**: {names}.") }
    };
    let calm = runs.iter().filter(|run| run.trial.last().motion_lost < 1e-3).count();
    format!(
        "Steps: {}. {calm} of {} runs lost less than 0.1 % of their motion to the guarantee. {} {}",
        methods.join("; "),
        runs.len(),
        all(&cut, "cut for want of time"),
        all(&diverged, "lost by divergence")
    )
}

fn table(runs: &[Run]) -> Table {
    let least = runs.iter().map(|run| run.particles).min().unwrap_or(0);
    let most = runs.iter().map(|run| run.particles).max().unwrap_or(0);
    Table {
        name: "passing".to_owned(),
        caption: format!(
            "Scenes of {least} to {most} particles times solvers, on one thread; built-in scenes shortened to the moments that matter. A frame of 1/60 s is faulty if a \
             pair of triangles intersects, by exact predicates, or a particle is more than 1e-9 m inside a solid that stands still. Lost: part of all ways that the \
             guarantee cut off. Lag: how far a solid falls behind its script at the most. Stretch: the largest of any thread in any frame."
        ),
        columns: vec![
            Column::plain("scene"),
            Column::plain("solver"),
            Column::measured("frames"),
            Column::measured("faulty"),
            Column::measured("lost").unit("%"),
            Column::measured("lag").unit("ms"),
            Column::measured("stretch").unit("%"),
            Column::measured("a frame").unit("ms"),
        ],
        rows: runs.iter().map(row).collect(),
    }
}

fn row(run: &Run) -> Vec<Cell> {
    let trial = &run.trial;
    let faulty = Cell::count(trial.faulty());
    vec![
        Cell::text(run.case.clone()),
        Cell::text(run.solver),
        trial.judged(),
        if trial.faulty() == 0 { faulty.good() } else { faulty.bad() },
        Cell::number(100.0 * trial.last().motion_lost).digits(2),
        Cell::number(1e3 * trial.most(|frame| frame.lag)).digits(2),
        Cell::number(100.0 * trial.most(|frame| frame.stretch)).digits(2),
        Cell::number(1e3 * trial.mean_wall()).digits(3),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies::contact::trial::Frame;

    fn run(pairs: usize) -> Run {
        let frames = vec![Frame::default(), Frame { pairs, ..Frame::default() }];
        let trial = Trial { frames, seconds: 1.0, end: End::Whole, state: muslin::state::State::default() };
        Run { case: "fold".to_owned(), particles: 4, solver: "xpbd", trial }
    }

    /// Every case at a small size, by every solver, to its end.
    #[test]
    fn nothing_passes_through_anything_at_a_small_size() {
        for case in cases(true).unwrap() {
            for method in Method::all() {
                let run = Run::of(&case, &method, Real::INFINITY);
                assert_eq!(run.trial.end, End::Whole, "{} by {}", run.case, run.solver);
                assert_eq!(run.trial.faulty(), 0, "{} by {}", run.case, run.solver);
            }
        }
    }

    #[test]
    fn one_intersection_overturns_the_guarantee() {
        assert_eq!(verdict(&[run(0), run(0)]).outcome(), Some(Outcome::Holds));
        let mut cut = run(0);
        cut.trial.end = End::Cut;
        assert_eq!(verdict(&[run(0), cut]).outcome(), None);
        let verdict = verdict(&[run(0), run(3)]);
        assert_eq!(verdict.outcome(), Some(Outcome::Overturned));
        assert!(
            verdict.finding().contains("1 of 4 frames") && verdict.finding().contains("fold by xpbd"),
            "{}",
            verdict.finding()
        );
    }
}
