//! The improved Verlet of Jiang and Wang; (4.16)–(4.20) of Carvalho 2012.
//!
//! ```text
//! quiet particles, |f − f⁻| ≤ η:   x⁺ = 2 x − x⁻ + h² a,   v⁺ = (x⁺ − x)/h                     (4.16), (4.19)
//! the others (Beeman):             x⁺ = x + h v + h² (4 a − a⁻)/6
//!                                  vₚ = v + h (3 a − a⁻)/2
//!                                  v⁺ = v + h (2 a⁺ + 5 a − a⁻)/6,   a⁺ = a(t + h, x⁺, vₚ)     (4.20)
//! first step:                      x⁺ = x + h v + h²/2 a,   v⁺ = v + h a                       (4.18)
//! ```
//!
//! η is a force [N]; forces are compared by their Euclidean distance. Where a particle was moved, x⁻ = x − h v and
//! a⁻ = a. The backward difference (4.19) makes the velocities, and so all damping, first order. A change of h starts
//! the method anew.
//!
//! All busy it is of order 2, all quiet of order 1. In between it has none, and does not keep momentum: a particle that
//! turns from quiet to busy takes the velocity of half a step ago for the present one and loses a h/2.

use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::parts::force_pass::ForcePass;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of the improved Verlet.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct ImprovedVerletConfig {
    /// η: change of force from step to step above which Beeman's formulas serve [N].
    pub force_threshold: Real,
}

impl Default for ImprovedVerletConfig {
    fn default() -> Self {
        Self { force_threshold: 1e-3 }
    }
}

impl ImprovedVerletConfig {
    /// The solver with these settings.
    pub fn build(self) -> ImprovedVerlet {
        ImprovedVerlet { config: self, ..ImprovedVerlet::default() }
    }
}

/// The improved Verlet.
#[derive(Clone, Debug, Default)]
pub struct ImprovedVerlet {
    config: ImprovedVerletConfig,
    pass: ForcePass,
    a: Vec<Vec3>,
    a_next: Vec<Vec3>,
    new_velocities: Vec<Vec3>,
    busy: Vec<bool>,
}

impl Solver for ImprovedVerlet {
    fn prepare(&mut self, model: &Model) {
        for vector in [&mut self.a_next, &mut self.new_velocities] {
            vector.resize(model.len(), Vec3::ZERO);
        }
        self.busy.resize(model.len(), false);
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        self.pass.accelerations(model, state.time, &state.positions, &state.velocities, &mut self.a);
        state.history.resize(model.len());
        if state.history.is_empty() || state.history.dt != dt {
            self.start(state, dt);
        } else {
            self.sort_particles(model, state, dt);
            self.advance(state, dt);
            self.correct_busy_velocities(model, state, dt);
        }
        std::mem::swap(&mut state.history.accelerations, &mut self.a);
        state.history.dt = dt;
        state.record_end();
        StepReport::default()
    }
}

impl ImprovedVerlet {
    /// (4.18).
    fn start(&mut self, state: &mut State, dt: Real) {
        state.history.positions.clone_from(&state.positions);
        for i in 0..self.a.len() {
            state.positions[i] += state.velocities[i] * dt + self.a[i] * (0.5 * dt * dt);
            state.velocities[i] += self.a[i] * dt;
        }
    }

    /// Finds the particles whose force changes fast, and restarts those that were moved.
    fn sort_particles(&mut self, model: &Model, state: &mut State, dt: Real) {
        for i in 0..self.a.len() {
            if state.was_moved(i) {
                state.history.positions[i] = state.positions[i] - state.velocities[i] * dt;
                state.history.accelerations[i] = self.a[i];
            }
            let change = (self.a[i] - state.history.accelerations[i]).length() * model.masses[i];
            self.busy[i] = change > self.config.force_threshold;
        }
    }

    /// New positions of all; new velocities of the quiet, predicted ones of the busy.
    fn advance(&mut self, state: &mut State, dt: Real) {
        self.new_velocities.clone_from(&state.velocities);
        for i in 0..self.a.len() {
            let (x, v, a, a_last) =
                (state.positions[i], state.velocities[i], self.a[i], state.history.accelerations[i]);
            let (next, velocity) = if self.busy[i] {
                (x + v * dt + (a * 4.0 - a_last) * (dt * dt / 6.0), v + (a * 3.0 - a_last) * (0.5 * dt))
            } else {
                let next = x * 2.0 - state.history.positions[i] + a * (dt * dt);
                (next, (next - x) / dt)
            };
            state.history.positions[i] = x;
            state.positions[i] = next;
            self.new_velocities[i] = velocity;
        }
    }

    fn correct_busy_velocities(&mut self, model: &Model, state: &mut State, dt: Real) {
        let time = state.time + dt;
        model.script.pose(time, &state.pin_clocks, &mut state.positions, &mut self.new_velocities);
        self.pass.accelerations(model, time, &state.positions, &self.new_velocities, &mut self.a_next);
        for i in 0..self.a.len() {
            if self.busy[i] {
                let mean = (self.a_next[i] * 2.0 + self.a[i] * 5.0 - state.history.accelerations[i]) / 6.0;
                self.new_velocities[i] = state.velocities[i] + mean * dt;
            }
        }
        std::mem::swap(&mut state.velocities, &mut self.new_velocities);
    }
}
