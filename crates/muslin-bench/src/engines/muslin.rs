//! This library, by the ladders of the study `time-to-quality`.

use crate::Engine;
use muslin_lab::quality::{self, Bound, Setting, Trial};

/// One of muslin's solvers.
pub struct Muslin {
    solver: &'static str,
}

impl Muslin {
    /// Every solver that has a ladder.
    pub fn all() -> impl Iterator<Item = Self> {
        quality::solvers().into_iter().map(|solver| Self { solver })
    }
}

impl Engine for Muslin {
    fn name(&self) -> String {
        format!("muslin, {}", self.solver)
    }

    fn settings(&self, trial: &Trial, bound: &Bound) -> Vec<Setting> {
        quality::ladder(self.solver, trial, bound)
    }
}
