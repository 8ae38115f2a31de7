//! Implicit Euler [Baraff & Witkin 1998]; (4.21)–(4.36) of Carvalho 2012.
//!
//! ```text
//! x⁺ = x + h v⁺
//! M (v⁺ − v) = h f(t + h, x⁺, v⁺)
//! ```
//!
//! First order; |R(iωh)| = 1/√(1 + (ωh)²): stable at any step, and damping the more the larger it is, if the equations are
//! really solved. One Newton iteration is the method of Baraff and Witkin; with `linear_solver = "jacobi"` and one sweep it
//! is Kang's and Cho's, with "sor" Zhou's. `as_printed` reads the published sweeps (4.31), (4.32) literally.

use crate::math::Real;
use crate::model::Model;
use crate::parts::implicit::{Stage, StageSettings, StageSolver};
use crate::parts::linear::LinearConfig;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of implicit Euler.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct ImplicitEulerConfig {
    /// Newton iterations at the most.
    pub newton_iterations: u32,
    /// Largest change of a velocity at which the iteration ends [m/s].
    pub newton_tolerance: Real,
    /// The linear solver.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub linear: LinearConfig,
    /// Reads the published Jacobi and SOR sweeps literally.
    pub as_printed: bool,
}

impl Default for ImplicitEulerConfig {
    fn default() -> Self {
        Self {
            newton_iterations: 1,
            newton_tolerance: 1e-6,
            linear: LinearConfig::default(),
            as_printed: false,
        }
    }
}

impl ImplicitEulerConfig {
    /// The solver with these settings.
    pub fn build(self) -> ImplicitEuler {
        let settings = StageSettings {
            newton_iterations: self.newton_iterations,
            newton_tolerance: self.newton_tolerance,
            linear: self.linear,
            as_printed: self.as_printed,
        };
        ImplicitEuler { settings, stage: StageSolver::default() }
    }
}

/// Implicit Euler.
#[derive(Clone, Debug)]
pub struct ImplicitEuler {
    settings: StageSettings,
    stage: StageSolver,
}

impl Solver for ImplicitEuler {
    fn prepare(&mut self, model: &Model) {
        self.stage.prepare(model, &self.settings);
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        let stage =
            Stage { base_x: &state.positions, base_v: &state.velocities, gamma: dt, time: state.time + dt };
        let report = self.stage.solve(model, state, &stage, &self.settings);
        std::mem::swap(&mut state.positions, &mut self.stage.x);
        std::mem::swap(&mut state.velocities, &mut self.stage.v);
        report
    }
}
