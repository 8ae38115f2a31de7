//! Finding the cheapest setting that has a quality.

use super::{Bound, Outcome, Run, Trial};
use muslin::math::Real;
use std::time::Duration;

/// Puts the cloth of a trial into an engine, at its start.
pub type Start = Box<dyn Fn(&Trial) -> Box<dyn Run> + Send + Sync>;

/// One way to run an engine.
pub struct Setting {
    /// Its numbers, in words. Settings of one ladder with the same label are the same.
    pub label: String,
    /// How a run with them begins.
    pub start: Start,
}

/// The cheapest setting found for a bound, or the nearest to it.
pub struct Found {
    /// The setting.
    pub setting: Setting,
    /// What came of it.
    pub outcome: Outcome,
    /// Whether it meets the bound; if not, no setting tried came nearer.
    pub meets: bool,
}

/// The runs of one engine on one trial, none of which is done twice.
pub struct Search<'a> {
    trial: &'a Trial,
    patience: Duration,
    tried: Vec<(String, Outcome)>,
}

impl<'a> Search<'a> {
    /// Nothing tried so far. Runs of more than `patience` are given up.
    pub fn new(trial: &'a Trial, patience: Duration) -> Self {
        Self { trial, patience, tried: Vec::new() }
    }

    /// Tries the settings, the cheapest of which stands first, until one meets the bound or one is too slow: those behind it
    /// would be slower still. None if there is nothing to try. What one bound gave up is not tried again for another, so that of
    /// bounds with the same stiffness the weaker one stands first.
    pub fn cheapest(&mut self, ladder: Vec<Setting>, bound: &Bound) -> Option<Found> {
        let mut nearest: Option<Found> = None;
        for setting in ladder {
            let outcome = self.outcome(&setting, bound);
            let found = Found { setting, meets: outcome.meets(bound), outcome };
            if found.meets {
                return Some(found);
            }
            let too_slow = found.outcome.is_too_slow();
            let is_nearer = |best: &Found| excess(&found.outcome, bound) < excess(&best.outcome, bound);
            if nearest.as_ref().is_none_or(is_nearer) {
                nearest = Some(found);
            }
            if too_slow {
                break;
            }
        }
        nearest
    }

    /// Every setting tried and what came of it, in this order.
    pub fn tried(&self) -> &[(String, Outcome)] {
        &self.tried
    }

    fn outcome(&mut self, setting: &Setting, bound: &Bound) -> Outcome {
        if let Some((_, outcome)) = self.tried.iter().find(|(label, _)| *label == setting.label) {
            return outcome.clone();
        }
        let outcome = self.trial.judge((setting.start)(self.trial).as_mut(), bound, self.patience);
        self.tried.push((setting.label.clone(), outcome.clone()));
        outcome
    }
}

/// By what factor the worse quality misses its bound; infinite for runs that did not get to the end.
fn excess(outcome: &Outcome, bound: &Bound) -> Real {
    let over = |value: Option<Real>, most: Real| value.map_or(Real::INFINITY, |value| value / most);
    let stretch = over(outcome.stretch, bound.stretch);
    bound.motion.map_or(stretch, |most| stretch.max(over(outcome.motion, most)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use muslin::math::Vec3;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A sheet that hangs still, stretched by a factor.
    struct Stretched(Vec<Vec3>);

    impl Run for Stretched {
        fn advance(&mut self) -> Result<(), String> {
            Ok(())
        }

        fn read_positions(&self, positions: &mut Vec<Vec3>) {
            positions.clone_from(&self.0);
        }
    }

    #[test]
    fn the_first_that_meets_is_taken_and_nothing_runs_twice() {
        let trial = Trial::hang(4);
        let runs = Arc::new(AtomicU32::new(0));
        let ladder = || {
            let setting = |stretch: Real| {
                let runs = Arc::clone(&runs);
                let start = move |trial: &Trial| {
                    runs.fetch_add(1, Ordering::Relaxed);
                    let positions = trial.state.positions.iter().map(|x| *x * (1.0 + stretch)).collect();
                    Box::new(Stretched(positions)) as Box<dyn Run>
                };
                Setting { label: stretch.to_string(), start: Box::new(start) }
            };
            [0.2, 0.05, 0.015, 0.001].map(setting).into_iter().collect::<Vec<_>>()
        };
        let mut search = Search::new(&trial, Duration::MAX);
        let stretch = |stretch| Bound { stretch, motion: None };
        let ten = search.cheapest(ladder(), &stretch(0.1)).unwrap();
        assert_eq!((ten.setting.label.as_str(), ten.meets), ("0.05", true));
        assert_eq!(search.cheapest(ladder(), &stretch(0.02)).unwrap().setting.label, "0.015");
        assert_eq!((runs.load(Ordering::Relaxed), search.tried().len()), (3, 3));
        // Out of reach of all: the nearest, which says so.
        let missed = search.cheapest(ladder(), &stretch(0.0001)).unwrap();
        assert_eq!((missed.setting.label.as_str(), missed.meets), ("0.001", false));
        assert!(search.cheapest(Vec::new(), &stretch(0.1)).is_none());
    }
}
