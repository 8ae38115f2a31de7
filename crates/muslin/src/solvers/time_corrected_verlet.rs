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

use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::parts::force_pass::ForcePass;
use crate::parts::history::History;
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
    history: History,
    previous: Vec<Vec3>,
    previous_dt: Real,
    a: Vec<Vec3>,
}

impl Solver for TimeCorrectedVerlet {
    fn prepare(&mut self, model: &Model) {
        self.history.clear();
        self.previous.resize(model.len(), Vec3::ZERO);
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        self.pass.accelerations(model, state.time, &state.positions, &state.velocities, &mut self.a);
        let last = if self.history.is_empty() { dt } else { self.previous_dt };
        let weight = match self.config.weight {
            VerletWeight::Exact => 0.5 * dt * (dt + last),
            VerletWeight::AsPrinted => dt * dt,
        };
        for i in 0..model.len() {
            let (x, v, a) = (state.positions[i], state.velocities[i], self.a[i]);
            let next = if self.history.was_moved(i, state) {
                x + v * dt + a * (0.5 * dt * dt)
            } else {
                x + (x - self.previous[i]) * (dt / last) + a * weight
            };
            self.previous[i] = x;
            state.positions[i] = next;
            state.velocities[i] = (next - x) / dt + a * (0.5 * dt);
        }
        self.previous_dt = dt;
        self.history.record(state);
        StepReport::default()
    }
}
