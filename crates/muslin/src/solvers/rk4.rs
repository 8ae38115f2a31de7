//! The classical Runge–Kutta method [Kutta 1901]; (4.11)–(4.15) of Carvalho 2012.
//!
//! ```text
//! k₁ = F(t, y)                     y = (x, v),  F = (v, a)
//! k₂ = F(t + h/2, y + h/2 k₁)
//! k₃ = F(t + h/2, y + h/2 k₂)      as printed: k₃ := k₂
//! k₄ = F(t + h,   y + h k₃)
//! y⁺ = y + h (k₁ + 2 k₂ + 2 k₃ + k₄) / 6
//! ```
//!
//! Fourth order; stable for ωh < 2.828 on the imaginary axis and λh < 2.785 on the real one. Read literally,
//! (4.13) and (4.15) use the second stage in place of the third: second order only, unstable on the imaginary
//! axis, but stable up to λh = 4.52 on the real one. `as_printed` does that.

use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::parts::force_pass::ForcePass;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of the classical Runge–Kutta method.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Rk4Config {
    /// Uses the second stage in place of the third, as the published equations do.
    pub as_printed: bool,
}

impl Rk4Config {
    /// The solver with these settings.
    pub fn build(self) -> Rk4 {
        Rk4 { config: self, ..Rk4::default() }
    }
}

/// The classical Runge–Kutta method.
#[derive(Clone, Debug, Default)]
pub struct Rk4 {
    config: Rk4Config,
    pass: ForcePass,
    stage: State,
    a: Vec<Vec3>,
    sum_x: Vec<Vec3>,
    sum_v: Vec<Vec3>,
}

impl Rk4 {
    /// Adds `weight` times the slope at the stage to the sums, and moves the stage to y + `ahead` times that slope.
    fn visit(&mut self, model: &Model, start: &State, weight: Real, ahead: Real) {
        let stage = &mut self.stage;
        self.pass.accelerations(model, stage.time, &stage.positions, &stage.velocities, &mut self.a);
        for i in 0..self.a.len() {
            let (slope_x, slope_v) = (stage.velocities[i], self.a[i]);
            self.sum_x[i] += slope_x * weight;
            self.sum_v[i] += slope_v * weight;
            stage.positions[i] = start.positions[i] + slope_x * ahead;
            stage.velocities[i] = start.velocities[i] + slope_v * ahead;
        }
        stage.time = start.time + ahead;
        model.script.pose(stage.time, &start.pin_clocks, &mut stage.positions, &mut stage.velocities);
    }
}

impl Solver for Rk4 {
    fn prepare(&mut self, model: &Model) {
        self.sum_x.resize(model.len(), Vec3::ZERO);
        self.sum_v.resize(model.len(), Vec3::ZERO);
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        // Field by field: a derived `clone_from` of the whole would allocate.
        self.stage.positions.clone_from(&state.positions);
        self.stage.velocities.clone_from(&state.velocities);
        self.stage.time = state.time;
        self.sum_x.fill(Vec3::ZERO);
        self.sum_v.fill(Vec3::ZERO);
        let (sixth, third) = (dt / 6.0, dt / 3.0);
        self.visit(model, state, sixth, 0.5 * dt); // k₁
        if self.config.as_printed {
            self.visit(model, state, third + third, dt); // k₂ twice
        } else {
            self.visit(model, state, third, 0.5 * dt); // k₂
            self.visit(model, state, third, dt); // k₃
        }
        self.visit(model, state, sixth, 0.0); // k₄
        for i in 0..model.len() {
            state.positions[i] += self.sum_x[i];
            state.velocities[i] += self.sum_v[i];
        }
        StepReport::default()
    }
}
