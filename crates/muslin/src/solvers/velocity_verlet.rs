//! Verlet's method with velocities at the same times [Swope et al. 1982]; (4.5g), (4.5h) of Carvalho 2007.
//!
//! ```text
//! x⁺ = x + h v + h²/2 a
//! a⁺ = a(t + h, x⁺, v⁺)
//! v⁺ = v + h/2 (a + a⁺)
//! ```
//!
//! Where a⁺ depends on v⁺, drag is solved for exactly (it acts on each particle alone, so v⁺ = (…)/(1 + h C/2m)), and
//! the damping of springs takes the predicted v + h a. Second order, symplectic without damping, any h at any step. Three variants keep what is published:
//!
//! ```text
//! table     x⁺ = x + h v + h²/2 a⁺       the columns of Tables 12 and 13 come from this
//! lagged    x advances with the acceleration of the step before; forces are gathered before x moves (Alg. 9)
//! alg8      x⁺ = x + h v + h²/2 s;  s⁺ = s + f/m;  v⁺ = h/2 s⁺      Algorithm 8 read literally
//! ```
//!
//! The lagged order and Algorithm 8 have explicit Euler's growth √(1 + (ωh)²).

use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::parts::force_pass::ForcePass;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of velocity Verlet.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct VelocityVerletConfig {
    /// Which form.
    pub variant: VelocityVerletVariant,
}

/// The forms of velocity Verlet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum VelocityVerletVariant {
    /// As in textbooks.
    #[default]
    Textbook,
    /// The next acceleration in the position update.
    Table,
    /// The last acceleration in the position update.
    Lagged,
    /// Accelerations summed up, velocities overwritten.
    Alg8,
}

impl VelocityVerletConfig {
    /// The solver with these settings.
    pub fn build(self) -> VelocityVerlet {
        VelocityVerlet { config: self, ..VelocityVerlet::default() }
    }
}

/// Velocity Verlet.
#[derive(Clone, Debug, Default)]
pub struct VelocityVerlet {
    config: VelocityVerletConfig,
    pass: ForcePass,
    a: Vec<Vec3>,
    a_next: Vec<Vec3>,
    predicted: Vec<Vec3>,
}

impl Solver for VelocityVerlet {
    fn prepare(&mut self, _: &Model) {}

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        self.pass.accelerations(model, state.time, &state.positions, &state.velocities, &mut self.a);
        match self.config.variant {
            VelocityVerletVariant::Textbook => self.advance(model, state, dt, false),
            VelocityVerletVariant::Table => self.advance(model, state, dt, true),
            VelocityVerletVariant::Lagged => self.advance_lagged(state, dt),
            VelocityVerletVariant::Alg8 => self.advance_literally(state, dt),
        }
        StepReport::default()
    }
}

impl VelocityVerlet {
    fn advance(&mut self, model: &Model, state: &mut State, dt: Real, next_in_position: bool) {
        let half_squared = 0.5 * dt * dt;
        self.predicted.clone_from(&state.velocities);
        for i in 0..self.a.len() {
            state.positions[i] += state.velocities[i] * dt + self.a[i] * half_squared;
            self.predicted[i] += self.a[i] * dt;
        }
        let time = state.time + dt;
        model.script.pose(time, &state.pin_clocks, &mut state.positions, &mut self.predicted);
        self.pass.accelerations(model, time, &state.positions, &self.predicted, &mut self.a_next);
        for i in 0..self.a.len() {
            // Half the drag acts on the velocity to be found: take it out of a⁺, where it acts on the predicted one.
            let half_drag =
                0.5 * dt * model.forces.drag.get(i).copied().unwrap_or(0.0) * model.inverse_masses[i];
            let undragged = state.velocities[i]
                + (self.a[i] + self.a_next[i]) * (0.5 * dt)
                + self.predicted[i] * half_drag;
            state.velocities[i] = undragged / (1.0 + half_drag);
            if next_in_position {
                state.positions[i] += (self.a_next[i] - self.a[i]) * half_squared;
            }
        }
    }

    fn advance_lagged(&mut self, state: &mut State, dt: Real) {
        let State { positions, velocities, history, .. } = state;
        history.resize(self.a.len());
        let carried = &mut history.accelerations;
        for i in 0..self.a.len() {
            positions[i] += velocities[i] * dt + carried[i] * (0.5 * dt * dt);
            velocities[i] += (carried[i] + self.a[i]) * (0.5 * dt);
        }
        carried.clone_from(&self.a);
    }

    fn advance_literally(&mut self, state: &mut State, dt: Real) {
        let State { positions, velocities, history, .. } = state;
        history.resize(self.a.len());
        let carried = &mut history.accelerations;
        for i in 0..self.a.len() {
            positions[i] += velocities[i] * dt + carried[i] * (0.5 * dt * dt);
            carried[i] += self.a[i];
            velocities[i] = carried[i] * (0.5 * dt);
        }
    }
}
