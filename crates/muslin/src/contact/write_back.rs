//! What contact writes at the end of a step.

use super::Owner;
use super::prepare::Prepared;
use super::response::bodies::BodyAnchor;
use super::response::constraint::{self, Acted};
use super::settings::SWEEPS;
use super::step::{ContactStep, Scratch};
use crate::math::{Real, Vec3};
use crate::state::State;

impl ContactStep<'_> {
    /// Writes positions and velocities, and stores the contact forces for the next warm start.
    pub fn write_back(&mut self, state: &mut State, drift: Vec3) {
        let (model, law, h) = (self.model, self.law, self.h);
        let mut velocities = std::mem::take(&mut self.scratch.start_velocities);
        let energy = self.energy_before(state);
        self.write_back_bodies(state);
        for p in 0..model.len() {
            let mass = if model.is_held(p) { 0.0 } else { model.masses[p] };
            self.memory.report.wanted += mass * self.scratch.target[p].distance(self.scratch.start[p]);
            if self.scratch.left_straight_path[p] {
                self.memory.report.lost += mass * self.scratch.target[p].distance(self.scratch.x[p]);
            }
            let x = self.scratch.x[p] + drift;
            // Particles that contact did not move keep their bits.
            if self.scratch.left_straight_path[p] || self.scratch.target[p] != state.positions[p] - drift {
                state.velocities[p] += (x - state.positions[p]) / h;
                state.positions[p] = x;
                self.book_cut(p, mass / h);
            }
        }
        if self.scratch.span < h * h {
            let Scratch { body_deltas, span, constraints, .. } = &mut *self.scratch;
            let inverse_masses = &self.prepared.inverse_masses;
            let mut on = Acted { inverse_masses, y: &mut state.velocities, bodies: body_deltas };
            for constraint in &*constraints {
                constraint.remove_unused_warm_start(&mut on, *span, h);
            }
        }
        velocities.clear();
        velocities.extend_from_slice(&state.velocities);
        velocities.extend((model.len()..self.scratch.x.len()).map(|v| match self.rigid_body(v) {
            Some(k) => state.bodies[k].velocity_at(self.scratch.x[v]),
            None => (self.scratch.x[v] - self.scratch.start[v]) / h,
        }));
        if law.restitution > 0.0 {
            let least = 2.0 * h * model.forces.gravity.length();
            let Scratch { body_deltas, x, constraints, .. } = &mut *self.scratch;
            let Prepared { inverse_masses, surface, .. } = self.prepared;
            let numbers = &self.solids.numbers;
            // Positions stay: here impulses act where things are.
            for (delta, body) in body_deltas.iter_mut().zip(&state.bodies) {
                delta.center = body.pose.center;
            }
            for constraint in constraints.iter_mut().filter(|constraint| constraint.anchor.is_some()) {
                constraint.anchor = BodyAnchor::of(&constraint.closest, surface, numbers, body_deltas, x);
                constraint.find_effective_mass(inverse_masses, body_deltas);
            }
            let mut on = Acted { inverse_masses, y: &mut velocities, bodies: body_deltas };
            constraint::bounce(constraints, &mut on, law.restitution, least, SWEEPS);
            state.velocities.copy_from_slice(&velocities[..model.len()]);
        }
        for (body, delta) in state.bodies.iter_mut().zip(&self.scratch.body_deltas) {
            body.velocity += delta.shift;
            body.spin += delta.turn;
        }
        self.scratch.start_velocities = velocities;
        if let Some(before) = energy {
            self.settle_energy(state, before);
        }
        self.memory.end_positions.clone_from(&state.positions);
        self.memory.end_poses.clear();
        self.memory.end_poses.extend(state.bodies.iter().map(|body| body.pose));
        let (constraints, span) = (&mut self.scratch.constraints, self.scratch.span);
        constraints.retain(|constraint| constraint.normal_impulse / span > 0.0);
        self.memory.contacts.clear();
        self.memory
            .contacts
            .extend(constraints.iter().map(|constraint| constraint.warm_start_of_next_step(span)));
        self.memory.report.touching = self.scratch.constraints.len();
        self.memory.body_acceleration = self.body_acceleration();
        for (k, time) in self.memory.collider_times.iter_mut().enumerate() {
            *time = self.solids.clock_of(Owner::Collider(k)).unwrap_or(state.time);
        }
    }

    /// The largest acceleration that contacts gave to cloth at rigid bodies [m/s²].
    fn body_acceleration(&self) -> Real {
        let at_bodies = self.scratch.constraints.iter().filter(|constraint| constraint.anchor.is_some());
        let pressed = at_bodies.flat_map(|constraint| constraint.closest.stencil.vertices);
        let accelerations = pressed.filter_map(|v| self.scratch.accelerations.get(v as usize));
        accelerations.map(|acceleration| acceleration.length()).fold(0.0, Real::max)
    }

    /// Puts the bodies where they got, with the momenta that constraints gave them.
    fn write_back_bodies(&mut self, state: &mut State) {
        let h = self.h;
        for (k, body) in self.model.bodies.iter().enumerate() {
            let Some(pose) = self.solids.end_of_body(k as u32) else { continue };
            let (now, delta) = (&mut state.bodies[k], &self.scratch.body_deltas[k]);
            now.velocity += delta.shift / h;
            let momentum = body.inertia_at(now.pose.rotation) * (now.spin + delta.turn / h);
            now.pose = pose;
            now.spin = body.inverse_inertia_at(pose.rotation) * momentum;
        }
        self.reset_body_deltas(state);
    }

    /// Gives a body the opposite of what the guard took from a particle at it; `rate` is the particle's mass over h [kg/s].
    fn book_cut(&mut self, particle: usize, rate: Real) {
        let rest = self.scratch.target[particle] - self.scratch.x[particle];
        if self.scratch.body_deltas.is_empty() || rest == Vec3::ZERO {
            return;
        }
        let facing = self.scratch.half_spaces.most_blocking(particle, rest);
        if let Some(k) = facing.and_then(|v| self.rigid_body(v as usize)) {
            let body = &mut self.scratch.body_deltas[k];
            body.push(self.scratch.start[particle] - body.center, rest * rate);
        }
    }
}
