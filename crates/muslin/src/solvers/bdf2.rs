//! The second-order backward differentiation formula [Curtiss & Hirschfelder 1952; Choi & Ko 2002 for cloth].
//!
//! Equations in [`backward_difference`](crate::parts::backward_difference). Second order, stable at any step, damps less
//! than implicit Euler, which makes its first step.

use crate::math::Real;
use crate::model::Model;
use crate::parts::backward_difference::{BackwardDifference, Scheme};
use crate::parts::implicit::{Stage, StageSettings, StageSolver};
use crate::parts::linear::LinearConfig;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of BDF2.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Bdf2Config {
    /// Newton iterations at the most.
    pub newton_iterations: u32,
    /// Largest change of a velocity at which the iteration ends [m/s].
    pub newton_tolerance: Real,
    /// The linear solver.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub linear: LinearConfig,
}

impl Default for Bdf2Config {
    fn default() -> Self {
        Self { newton_iterations: 5, newton_tolerance: 1e-6, linear: LinearConfig::default() }
    }
}

impl Bdf2Config {
    /// The solver with these settings.
    pub fn build(self) -> Bdf2 {
        let settings = StageSettings {
            newton_iterations: self.newton_iterations,
            newton_tolerance: self.newton_tolerance,
            linear: self.linear,
            as_printed: false,
        };
        Bdf2 { settings, stage: StageSolver::default(), pasts: BackwardDifference::default() }
    }
}

/// The second-order backward differentiation formula.
#[derive(Clone, Debug)]
pub struct Bdf2 {
    settings: StageSettings,
    stage: StageSolver,
    pasts: BackwardDifference,
}

impl Solver for Bdf2 {
    fn prepare(&mut self, model: &Model) {
        self.stage.prepare(model, &self.settings);
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        self.pasts.begin(Scheme::Bdf2, model, state, dt);
        let BackwardDifference { base_x, base_v, gamma, .. } = &self.pasts;
        let stage = Stage { base_x, base_v, gamma: *gamma, time: state.time + dt };
        let report = self.stage.solve(model, state, &stage, &self.settings);
        BackwardDifference::finish(Scheme::Bdf2, state, &mut self.stage.x, &mut self.stage.v);
        report
    }
}
