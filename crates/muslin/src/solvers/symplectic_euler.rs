//! Symplectic Euler; (4.1) of Carvalho 2007.
//!
//! ```text
//! a  = M⁻¹ f(t, x, v)
//! v⁺ = v + h a
//! x⁺ = x + h v⁺         with the new velocity
//! ```
//!
//! First order, symplectic: without damping it keeps a modified energy, and |R(iωh)| = 1 for ωh < 2.

use crate::math::Vec3;
use crate::model::Model;
use crate::parts::force_pass::ForcePass;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of symplectic Euler: none.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct SymplecticEulerConfig {}

impl SymplecticEulerConfig {
    /// The solver with these settings.
    pub fn build(self) -> SymplecticEuler {
        SymplecticEuler::default()
    }
}

/// Symplectic Euler.
#[derive(Clone, Debug, Default)]
pub struct SymplecticEuler {
    pass: ForcePass,
    a: Vec<Vec3>,
}

impl Solver for SymplecticEuler {
    fn prepare(&mut self, _: &Model) {}

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        self.pass.accelerations(model, state.time, &state.positions, &state.velocities, &mut self.a);
        for ((x, v), a) in state.positions.iter_mut().zip(&mut state.velocities).zip(&self.a) {
            *v += *a * dt;
            *x += *v * dt;
        }
        StepReport::default()
    }
}
