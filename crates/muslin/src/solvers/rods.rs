//! Verlet's method with rods held by relaxation [Jakobsen 2001].
//!
//! ```text
//! x⁺ = x + (1 − δ)(x − x⁻) + h² a(t, x, v)          springs and outer forces
//! x¹ = x⁰ + h v⁰                                    the start; + h²/2 a with `accurate_start`
//! sweeps times, or until a sweep meets no |l − L|/L ≥ tolerance:
//!     for each rod: move both ends by half of l − L along it, or the free end by all of it
//! v⁺ = (x⁺ − x)/h
//! ```
//!
//! A half is each end's share of the inverse masses, w₁/(w₁ + w₂), where these differ. δ counts a step, or with
//! `reference_step` a step of that length: δ(h) = 1 − (1 − δ)^(h/h_ref). As x − x⁻ = h⁻ v, the memory of the method is the
//! velocity: it takes steps of any length, and whoever moves a particle between steps is heard.
//!
//! First order with the plain start, whose first step feels no force; with the accurate one positions are second order
//! unless forces depend on v, which is that of half a step ago. Springs limit the step to ωh < 2, rods do not. The
//! sweeps converge where the rods do not contradict one another, the error halving with each doubling of sweeps.

use crate::contact::particle_laws::constraints::Collisions;
use crate::elements::{Element, Rod};
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::parts::force_pass::ForcePass;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of the relaxation of rods.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct RodsConfig {
    /// Sweeps over all rods a step, at the most.
    pub sweeps: u32,
    /// A sweep that meets no larger |l − L|/L than this is the last; 0 for none.
    pub tolerance: Real,
    /// δ: part of the velocity that a step takes away, 0 to 1.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::solvers::part"))]
    pub damping: Real,
    /// h_ref, the step for which δ is meant [s]; 0 for any step.
    pub reference_step: Real,
    /// Starts with h²/2 a, too.
    pub accurate_start: bool,
}

impl Default for RodsConfig {
    fn default() -> Self {
        Self { sweeps: 32, tolerance: 0.0, damping: 0.0, reference_step: 0.0, accurate_start: false }
    }
}

impl RodsConfig {
    /// The solver with these settings.
    pub fn build(self) -> Rods {
        Rods {
            config: self,
            pass: ForcePass::without_rods(),
            collisions: Collisions::default(),
            start: Vec::new(),
            a: Vec::new(),
        }
    }

    /// Part of the velocity that a step of `dt` leaves.
    fn kept(&self, dt: Real) -> Real {
        let kept = 1.0 - self.damping;
        if self.reference_step > 0.0 { kept.powf(dt / self.reference_step) } else { kept }
    }
}

/// Verlet's method with rods held by relaxation.
#[derive(Clone, Debug)]
pub struct Rods {
    config: RodsConfig,
    pass: ForcePass,
    collisions: Collisions,
    start: Vec<Vec3>,
    a: Vec<Vec3>,
}

impl Solver for Rods {
    fn prepare(&mut self, _: &Model) {}

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        self.pass.accelerations(model, state.time, &state.positions, &state.velocities, &mut self.a);
        self.start.clone_from(&state.positions);
        self.verlet(model, state, dt);
        model.script.pose(state.time + dt, &state.pin_clocks, &mut state.positions, &mut state.velocities);
        self.collisions.detect(model, &self.start, state, dt);
        let report = self.relax(model, &mut state.positions);
        for ((v, x), start) in state.velocities.iter_mut().zip(&state.positions).zip(&self.start) {
            *v = (*x - *start) / dt;
        }
        self.collisions.respond(model, state, dt);
        report
    }
}

impl Rods {
    fn verlet(&mut self, model: &Model, state: &mut State, dt: Real) {
        let (kept, weight) = match (state.history.dt > 0.0, self.config.accurate_start) {
            (true, _) => (self.config.kept(dt), dt * dt),
            (false, true) => (1.0, 0.5 * dt * dt),
            (false, false) => (1.0, 0.0),
        };
        state.history.dt = dt;
        for (i, x) in state.positions.iter_mut().enumerate().filter(|(i, _)| !model.is_held(*i)) {
            *x += state.velocities[i] * (kept * dt) + self.a[i] * weight;
        }
    }

    fn relax(&mut self, model: &Model, positions: &mut [Vec3]) -> StepReport {
        let rods = &model.elements.rods;
        let (mut iterations, mut largest) = (0, Real::INFINITY);
        while iterations < self.config.sweeps && largest >= self.config.tolerance {
            largest = 0.0;
            for rod in rods {
                largest = relax_rod(rod, &model.inverse_masses, positions).max(largest);
            }
            self.collisions.project(positions);
            iterations += 1;
        }
        StepReport { iterations, residual: residual(rods, positions), ..StepReport::default() }
    }
}

/// Gives a rod its length; how far it was off, |l − L|/L.
#[inline]
fn relax_rod(rod: &Rod, inverse_masses: &[Real], positions: &mut [Vec3]) -> Real {
    let [a, b] = rod.particles();
    let [d] = rod.strain(positions);
    let (wa, wb, length) = (inverse_masses[a], inverse_masses[b], d.length());
    let elongation = length - rod.length;
    if wa + wb != 0.0 && length != 0.0 {
        let move_by = d * (elongation / length / (wa + wb));
        positions[a] += move_by * wa;
        positions[b] -= move_by * wb;
    } // else both ends are held, or there is no direction
    elongation.abs() / rod.length
}

/// max |l − L|/L over all rods.
fn residual(rods: &[Rod], positions: &[Vec3]) -> Real {
    rods.iter().map(|rod| rod.stretch(positions).abs()).fold(0.0, Real::max)
}
