//! Contact adds no energy.
//!
//! Solver and contact act one after the other: a body that pushes stiff cloth ahead of itself stretches it before the cloth's force
//! gets back to the body, and restitution of many constraints at once may give back more than came in. So what contact does to the
//! energy E is counted, and what it adds is taken from the velocities of those it touched:
//!
//! ```text
//! balance   b ← c b + ΔE(contact) + min(W, ΔE(solver))        E: kinetic, elastic and of gravity;  c < 1 lets a loss fade
//! if b > 0  v ← v̄ + s (v − v̄),  s² = 1 − b / ½ Σ m |v − v̄|²         v̄: the rigid motion of the bodies and cloths that touch
//! ```
//!
//! What the solver loses it may have lost of what contact had added. What it adds may be the work W of pins, wind and loads; where
//! there are none, it is an error of the solver, which contact does not let pass either. The rigid
//! motion stays, and with it linear and angular momentum; where solids or pins are involved, which absorb both anyway, v̄ = 0.

use super::response::constraint::ContactConstraint;
use super::settings::REMEMBERED_LOSS;
use super::step::ContactStep;
use crate::math::{Mat3, Real, Vec3};
use crate::model::Model;
use crate::script::Motion;
use crate::state::State;

/// E [J].
fn energy(model: &Model, state: &State) -> Real {
    let particles = model.masses.iter().zip(state.velocities.iter().zip(&state.positions));
    let gravity = model.forces.gravity;
    let moving: Real = particles.map(|(m, (v, x))| m * (0.5 * v.length_squared() - gravity.dot(*x))).sum();
    let bodies = model.bodies.iter().zip(&state.bodies);
    let bodies: Real = bodies
        .map(|(body, state)| state.kinetic_energy(body) - body.mass * gravity.dot(state.pose.center))
        .sum();
    moving + bodies + model.elements.energy(&state.positions)
}

/// Whether anything does work on a model from outside, but gravity.
fn is_driven(model: &Model) -> bool {
    let moves = |motion: &Motion| *motion != Motion::Still;
    model.forces.wind.is_some()
        || !model.forces.loads.is_empty()
        || model.script.moves.iter().any(|group| moves(&group.motion))
        || model.bodies.iter().any(|body| body.load.force != Vec3::ZERO)
}

impl ContactStep<'_> {
    /// Whether contact may add energy in this step: bodies are involved, or something bounces. Solids that move do work; what they add
    /// cannot be told apart.
    fn may_add_energy(&self) -> bool {
        let bounces = self.law.restitution > 0.0;
        let is_active = |constraint: &&ContactConstraint| constraint.normal_impulse > 0.0;
        let is_driven = |constraint: &ContactConstraint| {
            constraint.anchor.is_none() && constraint.surface_displacement != Vec3::ZERO
        };
        let has_body = || {
            self.scratch.constraints.iter().filter(is_active).any(|constraint| constraint.anchor.is_some())
        };
        (bounces && !self.scratch.constraints.is_empty() || has_body())
            && !self.scratch.constraints.iter().filter(is_active).any(is_driven)
    }

    /// At the start of a step: takes note of the energy there is, if there are bodies or something may bounce.
    pub fn note_energy(&mut self, state: &State) {
        let is_watched = !self.model.bodies.is_empty() || self.law.restitution > 0.0;
        self.scratch.start_energy = is_watched.then(|| energy(self.model, state));
    }

    /// Counts what the forces given to the solver will add to the energy of cloth; to that of bodies they have added `to_bodies` [J].
    pub fn count_warm_start(&mut self, state: &State, to_bodies: Real) {
        let h = self.h;
        let particles =
            self.model.masses.iter().zip(state.velocities.iter().zip(&self.scratch.accelerations));
        let added: Real = particles.map(|(m, (v, push))| m * (*push * h).dot(*v + *push * (0.5 * h))).sum();
        self.scratch.warm_start_energy = added + to_bodies;
    }

    /// The energy after the solver, before contact writes anything, if it has to be watched [J].
    pub fn energy_before(&self, state: &State) -> Option<Real> {
        self.may_add_energy().then(|| energy(self.model, state))
    }

    /// Takes back what contact has added to the energy that the solver left.
    pub fn settle_energy(&mut self, state: &mut State, solved: Real) {
        let (model, net) = (self.model, self.memory.added_energy);
        let of_warm_start = self.scratch.warm_start_energy;
        let by_solver = self.scratch.start_energy.map_or(0.0, |start| solved - start - of_warm_start);
        let lost = if is_driven(model) { by_solver.min(0.0) } else { by_solver };
        let added = energy(model, state) - solved + of_warm_start + lost;
        let net = added + if net < 0.0 { REMEMBERED_LOSS * net } else { net };
        self.memory.added_energy = if net > 0.0 { net - self.damp(state, net) } else { net };
    }

    /// Takes an energy [J] from the velocities of all that contact has touched, or as much as there is; returns how much it was.
    fn damp(&self, state: &mut State, energy: Real) -> Real {
        let model = self.model;
        let mut are_touched = vec![false; model.bodies.len()];
        let mut are_pieces_touched = vec![false; model.len()];
        let mut is_anchored = false;
        for constraint in self.scratch.constraints.iter().filter(|constraint| constraint.normal_impulse > 0.0)
        {
            if let Some(anchor) = constraint.anchor {
                are_touched[anchor.body as usize] = true;
            } else {
                // A wall, or a solid.
                let mut vertices = constraint.closest.stencil.vertices.iter();
                is_anchored |=
                    constraint.closest.stencil.is_at_wall() || vertices.any(|&v| v as usize >= model.len());
            }
            for v in constraint.closest.stencil.vertices.into_iter().filter(|&v| (v as usize) < model.len()) {
                are_pieces_touched[self.prepared.pieces[v as usize] as usize] = true;
            }
        }
        let touched: Vec<usize> =
            (0..model.len()).filter(|&p| are_pieces_touched[self.prepared.pieces[p] as usize]).collect();
        is_anchored |= touched.iter().any(|&p| model.is_held(p));
        let touched: Vec<usize> = touched.into_iter().filter(|&p| !model.is_held(p)).collect();
        let bodies: Vec<usize> = (0..model.bodies.len()).filter(|&k| are_touched[k]).collect();
        let rigid = if is_anchored { Rigid::default() } else { Rigid::of(model, state, &touched, &bodies) };
        let mut moving = 0.0;
        for &p in &touched {
            moving +=
                0.5 * model.masses[p] * (state.velocities[p] - rigid.at(state.positions[p])).length_squared();
        }
        for &k in &bodies {
            let (body, now) = (&model.bodies[k], &state.bodies[k]);
            let spin = now.spin - rigid.spin;
            moving += 0.5 * body.mass * (now.velocity - rigid.at(now.pose.center)).length_squared()
                + 0.5 * spin.dot(body.inertia_at(now.pose.rotation) * spin);
        }
        let taken = energy.min(moving);
        if taken <= 0.0 {
            return 0.0;
        }
        let kept = (1.0 - taken / moving).max(0.0).sqrt();
        for &p in &touched {
            let shared = rigid.at(state.positions[p]);
            state.velocities[p] = shared + (state.velocities[p] - shared) * kept;
        }
        for &k in &bodies {
            let now = &mut state.bodies[k];
            let shared = rigid.at(now.pose.center);
            now.velocity = shared + (now.velocity - shared) * kept;
            now.spin = rigid.spin + (now.spin - rigid.spin) * kept;
        }
        taken
    }
}

/// A rigid motion.
#[derive(Clone, Copy, Debug, Default)]
struct Rigid {
    center: Vec3,
    velocity: Vec3,
    spin: Vec3,
}

impl Rigid {
    /// The one with the linear and angular momentum of some particles and bodies together.
    fn of(model: &Model, state: &State, particles: &[usize], bodies: &[usize]) -> Self {
        let particles = particles.iter().map(|&p| (model.masses[p], state.positions[p], state.velocities[p]));
        let centers = bodies.iter().map(|&k| {
            let now = &state.bodies[k];
            (model.bodies[k].mass, now.pose.center, now.velocity)
        });
        let all = particles.chain(centers);
        let mass: Real = all.clone().map(|(m, ..)| m).sum();
        if mass == 0.0 {
            return Self::default();
        }
        let center = all.clone().map(|(m, x, _)| x * m).sum::<Vec3>() / mass;
        let velocity = all.clone().map(|(m, _, v)| v * m).sum::<Vec3>() / mass;
        let (mut inertia, mut momentum) = (Mat3::ZERO, Vec3::ZERO);
        for (m, x, v) in all {
            let arm = x - center;
            momentum += arm.cross(v) * m;
            let columns = Vec3::AXES.map(|axis| (axis * arm.length_squared() - arm * arm.dot(axis)) * m);
            inertia += Mat3::from_cols(columns[0], columns[1], columns[2]);
        }
        for &k in bodies {
            momentum += state.bodies[k].angular_momentum(&model.bodies[k]);
            inertia += model.bodies[k].inertia_at(state.bodies[k].pose.rotation);
        }
        let spin = inertia.inverse() * momentum;
        Self { center, velocity, spin: if spin.is_finite() { spin } else { Vec3::ZERO } }
    }

    fn at(&self, x: Vec3) -> Vec3 {
        self.velocity + self.spin.cross(x - self.center)
    }
}
