//! Explicit Euler [Euler 1768]; (4.9) of Carvalho 2012.
//!
//! ```text
//! a  = M⁻¹ f(t, x, v)
//! x⁺ = x + h v          with the old velocity
//! v⁺ = v + h a
//! ```
//!
//! First order. |R(iωh)|² = 1 + (ωh)²: undamped oscillations grow at every step size; with damping λ the
//! limit is h < 2/λ on the real axis.

use crate::math::Vec3;
use crate::model::Model;
use crate::parts::force_pass::ForcePass;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of explicit Euler: none.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct ExplicitEulerConfig {}

impl ExplicitEulerConfig {
    /// The solver with these settings.
    pub fn build(self) -> ExplicitEuler {
        ExplicitEuler::default()
    }
}

/// Explicit Euler.
#[derive(Clone, Debug, Default)]
pub struct ExplicitEuler {
    pass: ForcePass,
    a: Vec<Vec3>,
}

impl Solver for ExplicitEuler {
    fn prepare(&mut self, _: &Model) {}

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        self.pass.accelerations(model, state.time, &state.positions, &state.velocities, &mut self.a);
        for ((x, v), a) in state.positions.iter_mut().zip(&mut state.velocities).zip(&self.a) {
            *x += *v * dt;
            *v += *a * dt;
        }
        StepReport::default()
    }
}
