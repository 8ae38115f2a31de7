//! The implicit midpoint rule.
//!
//! ```text
//! xₘ = x + h/2 vₘ,   M (vₘ − v) = h/2 f(t + h/2, xₘ, vₘ)
//! x⁺ = 2 xₘ − x,     v⁺ = 2 vₘ − v
//! ```
//!
//! Second order and symplectic; |R(iωh)| = 1 for every ωh: nothing is damped that the cloth does not damp itself, and
//! nothing grows. Stiff oscillations that the step cannot follow stay, as jitter.

use crate::math::Real;
use crate::model::Model;
use crate::parts::implicit::{Stage, StageSettings, StageSolver};
use crate::parts::linear::LinearConfig;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of the implicit midpoint rule.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct ImplicitMidpointConfig {
    /// Newton iterations at the most.
    pub newton_iterations: u32,
    /// Largest change of a velocity at which the iteration ends [m/s].
    pub newton_tolerance: Real,
    /// The linear solver.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub linear: LinearConfig,
}

impl Default for ImplicitMidpointConfig {
    fn default() -> Self {
        Self { newton_iterations: 5, newton_tolerance: 1e-6, linear: LinearConfig::default() }
    }
}

impl ImplicitMidpointConfig {
    /// The solver with these settings.
    pub fn build(self) -> ImplicitMidpoint {
        let settings = StageSettings {
            newton_iterations: self.newton_iterations,
            newton_tolerance: self.newton_tolerance,
            linear: self.linear,
            as_printed: false,
        };
        ImplicitMidpoint { settings, stage: StageSolver::default() }
    }
}

/// The implicit midpoint rule.
#[derive(Clone, Debug)]
pub struct ImplicitMidpoint {
    settings: StageSettings,
    stage: StageSolver,
}

impl Solver for ImplicitMidpoint {
    fn prepare(&mut self, model: &Model) {
        self.stage.prepare(model, &self.settings);
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        let gamma = 0.5 * dt;
        let stage =
            Stage { base_x: &state.positions, base_v: &state.velocities, gamma, time: state.time + gamma };
        let report = self.stage.solve(model, state, &stage, &self.settings);
        for i in (0..model.len()).filter(|&i| !model.is_held(i)) {
            state.positions[i] = self.stage.x[i] * 2.0 - state.positions[i];
            state.velocities[i] = self.stage.v[i] * 2.0 - state.velocities[i];
        }
        report
    }
}
