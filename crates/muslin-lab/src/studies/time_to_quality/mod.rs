//! What a frame of good cloth costs: the cheapest setting of each solver for a given stretch and motion.

mod pages;

use crate::quality::{Bound, FRAMES, Found, Outcome, Search, Trial, ladder, solvers};
use crate::report::Report;
use crate::study::Context;
use muslin::math::Real;
use muslin::threads;
use std::time::Duration;

/// The cheapest setting of a solver for a bound, and its times.
pub struct Entry {
    /// The setting and what came of it, or the nearest.
    pub found: Found,
    /// On one thread and on two [ms a frame]; none if no setting has the quality.
    pub milliseconds: Option<[Real; 2]>,
}

/// Everything about one solver on one trial.
pub struct Part {
    /// Which solver.
    pub solver: &'static str,
    /// For each of [`Bound::ALL`]; none if it was not tried.
    pub entries: Vec<Option<Entry>>,
    /// Every setting tried.
    pub tried: Vec<(String, Outcome)>,
}

/// Every solver on one trial.
pub struct Chapter {
    /// Its name.
    pub trial: String,
    /// Number of particles.
    pub particles: usize,
    /// One a solver.
    pub parts: Vec<Part>,
}

/// A trial, and how long a run on it may take.
type Plan = (fn() -> anyhow::Result<Trial>, Duration);

fn plans(quick: bool) -> Vec<Plan> {
    let seconds = Duration::from_secs;
    if quick {
        return vec![
            (|| Ok(Trial::hang(12)), seconds(1)),
            (|| Trial::scene("sphere-drape"), seconds(1)),
            (|| Ok(Trial::irregular(10)), seconds(1)),
        ];
    }
    vec![
        (|| Ok(Trial::hang(50)), seconds(6)),
        (|| Ok(Trial::hang(100)), seconds(12)),
        (|| Ok(Trial::hang(200)), seconds(20)),
        (|| Trial::scene("sphere-drape"), seconds(6)),
        (|| Ok(Trial::irregular(50)), seconds(6)),
    ]
}

/// Runs the study.
pub fn run(context: &Context) -> anyhow::Result<Report> {
    let (plans, solvers) = (plans(context.quick), solvers());
    // A quick look is at the authored cloth only: stretch of 2 %, alone and with motion within 4 %.
    let wanted =
        Bound::ALL.map(|bound| !context.quick || (bound.stiffness() == 1.0 && bound.motion != Some(0.01)));
    context.expect((plans.len() * (1 + solvers.len())) as u64);
    let mut chapters = Vec::new();
    for (trial, patience) in plans {
        let trial = trial()?;
        trial.reference();
        context.advance(1);
        let mut parts = Vec::new();
        for &solver in &solvers {
            parts.push(threads::with_count(1, || part(&trial, solver, &wanted, patience)));
            context.advance(1);
        }
        chapters.push(Chapter { trial: trial.name.clone(), particles: trial.model.len(), parts });
    }
    Ok(pages::report(&chapters))
}

fn part(trial: &Trial, solver: &'static str, wanted: &[bool], patience: Duration) -> Part {
    let mut search = Search::new(trial, patience);
    let mut entries: Vec<Option<Entry>> = Vec::new();
    for (bound, &wanted) in Bound::ALL.iter().zip(wanted) {
        let ladder = if wanted { ladder(solver, trial, bound) } else { Vec::new() };
        let entry = search.cheapest(ladder, bound).map(|found| {
            let milliseconds = found.meets.then(|| {
                let known = entries.iter().flatten().find(|e| e.found.setting.label == found.setting.label);
                known.and_then(|entry| entry.milliseconds).unwrap_or_else(|| times(trial, &found))
            });
            Entry { found, milliseconds }
        });
        entries.push(entry);
    }
    Part { solver, entries, tried: search.tried().to_vec() }
}

/// Times a setting on one thread and on two, in turn, so that what else the machine does hits both alike.
fn times(trial: &Trial, found: &Found) -> [Real; 2] {
    let again =
        |threads| threads::with_count(threads, || trial.time((found.setting.start)(trial).as_mut(), FRAMES));
    let (mut one, mut two) = (found.outcome.clone(), again(2));
    // Short runs are the noisiest, and cheap to repeat.
    let repeats = if one.milliseconds() < 8.0 { 2 } else { 0 };
    for _ in 0..repeats {
        one.keep_lesser_times(&again(1));
        two.keep_lesser_times(&again(2));
    }
    [one.milliseconds(), two.milliseconds()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn implicit_euler_hangs_a_small_sheet_well() {
        let trial = Trial::hang(10);
        let part = part(&trial, "implicit-euler", &[true; 5], Duration::MAX);
        let qualities = part.entries.iter().zip(&Bound::ALL);
        for (entry, bound) in qualities.take(4) {
            let entry = entry.as_ref().expect("a ladder");
            assert!(entry.found.meets, "{bound}: {:?}", entry.found.outcome);
            assert!(entry.milliseconds.unwrap().iter().all(|ms| *ms > 0.0));
        }
        assert!(part.tried.len() >= 3);
    }
}
