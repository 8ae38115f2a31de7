//! Verlet's method for steps of changing length; (4.4d) of Carvalho 2007.
//!
//! ```text
//! x⁺ = x + (x − x⁻) h/h⁻ + w a            h the step to come, h⁻ the one before
//! w  = h²                  as printed
//! w  = h (h + h⁻)/2        exact for constant acceleration (default)
//! v⁺ = (x⁺ − x)/h + h/2 a
//! ```
//!
//! With constant h both weights are Verlet's. Starts as `position-verlet` does.

use crate::math::Vec3;
use crate::model::Model;
use crate::parts::force_pass::ForcePass;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of time-corrected Verlet.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct TimeCorrectedVerletConfig {
    /// The weight of the acceleration.
    pub weight: VerletWeight,
}

/// The weight of the acceleration when the step changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum VerletWeight {
    /// h (h + h⁻)/2.
    #[default]
    Exact,
    /// h².
    AsPrinted,
}

impl TimeCorrectedVerletConfig {
    /// The solver with these settings.
    pub fn build(self) -> TimeCorrectedVerlet {
        TimeCorrectedVerlet { config: self, ..TimeCorrectedVerlet::default() }
    }
}

/// Time-corrected Verlet.
#[derive(Clone, Debug, Default)]
pub struct TimeCorrectedVerlet {
    config: TimeCorrectedVerletConfig,
    pass: ForcePass,
    a: Vec<Vec3>,
}

impl Solver for TimeCorrectedVerlet {
    fn prepare(&mut self, _: &Model) {}

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        self.pass.accelerations(model, state.time, &state.positions, &state.velocities, &mut self.a);
        state.history.resize(model.len());
        let last = if state.history.is_empty() { dt } else { state.history.dt };
        let weight = match self.config.weight {
            VerletWeight::Exact => 0.5 * dt * (dt + last),
            VerletWeight::AsPrinted => dt * dt,
        };
        for i in 0..model.len() {
            let (x, v, a) = (state.positions[i], state.velocities[i], self.a[i]);
            let next = if state.was_moved(i) {
                x + v * dt + a * (0.5 * dt * dt)
            } else {
                x + (x - state.history.positions[i]) * (dt / last) + a * weight
            };
            state.history.positions[i] = x;
            state.positions[i] = next;
            state.velocities[i] = (next - x) / dt + a * (0.5 * dt);
        }
        state.history.dt = dt;
        state.record_end();
        StepReport::default()
    }
}
