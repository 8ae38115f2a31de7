//! The explicit midpoint rule [Runge 1895]; (4.10) of Carvalho 2012.
//!
//! ```text
//! xₘ = x + h/2 v        vₘ = v + h/2 a(t, x, v)
//! x⁺ = x + h vₘ         v⁺ = v + h a(t + h/2, xₘ, vₘ)
//! ```
//!
//! Second order. |R(iωh)|² = 1 + (ωh)⁴/4: grows slowly without damping; h < 2/λ on the real axis.

use crate::math::Vec3;
use crate::model::Model;
use crate::parts::force_pass::ForcePass;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of the midpoint rule: none.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct MidpointConfig {}

impl MidpointConfig {
    /// The solver with these settings.
    pub fn build(self) -> Midpoint {
        Midpoint::default()
    }
}

/// The explicit midpoint rule.
#[derive(Clone, Debug, Default)]
pub struct Midpoint {
    pass: ForcePass,
    a: Vec<Vec3>,
    x_mid: Vec<Vec3>,
    v_mid: Vec<Vec3>,
}

impl Solver for Midpoint {
    fn prepare(&mut self, _: &Model) {}

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        let Self { pass, a, x_mid, v_mid } = self;
        let half = 0.5 * dt;
        pass.accelerations(model, state.time, &state.positions, &state.velocities, a);
        x_mid.clear();
        v_mid.clear();
        x_mid.extend(state.positions.iter().zip(&state.velocities).map(|(x, v)| *x + *v * half));
        v_mid.extend(state.velocities.iter().zip(a.iter()).map(|(v, a)| *v + *a * half));
        model.script.pose(state.time + half, &state.pin_clocks, x_mid, v_mid);

        pass.accelerations(model, state.time + half, x_mid, v_mid, a);
        for i in 0..a.len() {
            state.positions[i] += v_mid[i] * dt;
            state.velocities[i] += a[i] * dt;
        }
        StepReport::default()
    }
}
