//! Beeman's method [Beeman 1976] with predicted velocities; (4.20) of Carvalho 2012.
//!
//! ```text
//! x⁺ = x + h v + h² [ a/2 + (r/6)(a − a⁻) ]                 r = h/h⁻; r = 1: h² (4 a − a⁻)/6
//! vₚ = v + h [ a + (r/2)(a − a⁻) ]                          r = 1: h (3 a − a⁻)/2
//! a⁺ = a(t + h, x⁺, vₚ)
//! v⁺ = v + h [ a + (a⁺ − a)/3 + (r/6)(a − a⁻) ]             r = 1: h (2 a⁺ + 5 a − a⁻)/6
//! ```
//!
//! Its positions are Verlet's, second order; its velocities are better. Starts, and starts anew where a particle
//! was moved, with a⁻ = a.

use crate::math::Vec3;
use crate::model::Model;
use crate::parts::force_pass::ForcePass;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of Beeman's method: none.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct BeemanConfig {}

impl BeemanConfig {
    /// The solver with these settings.
    pub fn build(self) -> Beeman {
        Beeman::default()
    }
}

/// Beeman's method.
#[derive(Clone, Debug, Default)]
pub struct Beeman {
    pass: ForcePass,
    a: Vec<Vec3>,
    a_next: Vec<Vec3>,
    predicted: Vec<Vec3>,
}

impl Solver for Beeman {
    fn prepare(&mut self, _: &Model) {}

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        self.pass.accelerations(model, state.time, &state.positions, &state.velocities, &mut self.a);
        state.history.resize(model.len());
        let ratio = if state.history.is_empty() { 1.0 } else { dt / state.history.dt };
        self.predicted.clone_from(&state.velocities);
        for i in 0..model.len() {
            let a = self.a[i];
            if state.was_moved(i) {
                state.history.accelerations[i] = a;
            }
            let change = (a - state.history.accelerations[i]) * ratio;
            state.positions[i] += state.velocities[i] * dt + (a * 0.5 + change / 6.0) * (dt * dt);
            self.predicted[i] += (a + change * 0.5) * dt;
        }
        let time = state.time + dt;
        model.script.pose(time, &state.pin_clocks, &mut state.positions, &mut self.predicted);
        self.pass.accelerations(model, time, &state.positions, &self.predicted, &mut self.a_next);
        for i in 0..model.len() {
            let a = self.a[i];
            let change = (a - state.history.accelerations[i]) * ratio;
            state.velocities[i] += (a + (self.a_next[i] - a) / 3.0 + change / 6.0) * dt;
        }
        std::mem::swap(&mut state.history.accelerations, &mut self.a);
        state.history.dt = dt;
        state.record_end();
        StepReport::default()
    }
}
