//! Störmer's and Verlet's method in positions [Verlet 1967]; (4.3f) of Carvalho 2007, (4.16) of Carvalho 2012.
//!
//! ```text
//! x⁺ = 2 x − x⁻ + h² a(t, x, v)
//! v⁺ = (x⁺ − x)/h + h/2 a            second order, and needs no later position
//! ```
//!
//! Starts, and starts anew where a particle was moved, with x⁻ = x − h v + h²/2 a, so that the first step is
//! x⁺ = x + h v + h²/2 a (4.18). Second order and symplectic for constant h; with changing h it is wrong at zeroth
//! order, which the study `verlet-family` shows: use `time-corrected-verlet` there.

use crate::math::Vec3;
use crate::model::Model;
use crate::parts::force_pass::ForcePass;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of position Verlet: none.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct PositionVerletConfig {}

impl PositionVerletConfig {
    /// The solver with these settings.
    pub fn build(self) -> PositionVerlet {
        PositionVerlet::default()
    }
}

/// Position Verlet.
#[derive(Clone, Debug, Default)]
pub struct PositionVerlet {
    pass: ForcePass,
    a: Vec<Vec3>,
}

impl Solver for PositionVerlet {
    fn prepare(&mut self, _: &Model) {}

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        self.pass.accelerations(model, state.time, &state.positions, &state.velocities, &mut self.a);
        state.history.resize(model.len());
        for i in 0..model.len() {
            let (x, v, a) = (state.positions[i], state.velocities[i], self.a[i]);
            if state.was_moved(i) {
                state.history.positions[i] = x - v * dt + a * (0.5 * dt * dt);
            }
            let next = x * 2.0 - state.history.positions[i] + a * (dt * dt);
            state.history.positions[i] = x;
            state.positions[i] = next;
            state.velocities[i] = (next - x) / dt + a * (0.5 * dt);
        }
        state.record_end();
        StepReport::default()
    }
}
