//! What contact writes at the end of a step.

use super::response::bodies::BodyAnchor;
use super::response::constraint::{self, Acted};
use super::step::{Contacts, SWEEPS};
use crate::contact_law::SurfaceContact;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::state::State;

impl Contacts {
    /// Writes positions and velocities, and remembers what contacts bear.
    pub(in crate::contact) fn write_back(
        &mut self,
        model: &Model,
        law: &SurfaceContact,
        state: &mut State,
        drift: Vec3,
        h: Real,
    ) {
        let mut velocities = std::mem::take(&mut self.start_velocities);
        let energy = self.energy_before(model, state, law.restitution);
        self.write_back_bodies(model, state, h);
        for p in 0..model.len() {
            let mass = if model.is_held(p) { 0.0 } else { model.masses[p] };
            self.report.wanted += mass * self.target[p].distance(self.start[p]);
            if self.left_straight_path[p] {
                self.report.lost += mass * self.target[p].distance(self.x[p]);
            }
            let x = self.x[p] + drift;
            // What nothing touched keeps its bits.
            if self.left_straight_path[p] || self.target[p] != state.positions[p] - drift {
                state.velocities[p] += (x - state.positions[p]) / h;
                state.positions[p] = x;
                self.book_cut(p, mass / h);
            }
        }
        if self.span < h * h {
            let Self { constraints, inverse_masses, moved, span, .. } = self;
            let mut on = Acted { inverse_masses, y: &mut state.velocities, bodies: moved };
            for constraint in constraints.iter() {
                constraint.remove_unused_warm_start(&mut on, *span, h);
            }
        }
        velocities.clear();
        velocities.extend_from_slice(&state.velocities);
        velocities.extend((model.len()..self.x.len()).map(|v| match self.rigid_body(v) {
            Some(k) => state.bodies[k].velocity_at(self.x[v]),
            None => (self.x[v] - self.start[v]) / h,
        }));
        if law.restitution > 0.0 {
            let least = 2.0 * h * model.forces.gravity.length();
            let Self { constraints, inverse_masses, moved, surface, solids, x, .. } = self;
            // Positions stay: here impulses act where things are.
            for (moved, body) in moved.iter_mut().zip(&state.bodies) {
                moved.center = body.pose.center;
            }
            for constraint in constraints.iter_mut().filter(|constraint| constraint.anchor.is_some()) {
                constraint.anchor = BodyAnchor::of(&constraint.closest, surface, &solids.numbers, moved, x);
                constraint.weigh(inverse_masses, moved);
            }
            let mut on = Acted { inverse_masses, y: &mut velocities, bodies: moved };
            constraint::bounce(constraints, &mut on, law.restitution, least, SWEEPS);
            state.velocities.copy_from_slice(&velocities[..model.len()]);
        }
        for (body, moved) in state.bodies.iter_mut().zip(&self.moved) {
            body.velocity += moved.shift;
            body.spin += moved.turn;
        }
        self.start_velocities = velocities;
        if let Some(before) = energy {
            self.settle(model, state, before);
        }
        self.left.clone_from(&state.positions);
        self.left_bodies.clear();
        self.left_bodies.extend(state.bodies.iter().map(|body| body.pose));
        self.constraints.retain_mut(|constraint| constraint.store_warm_start(self.span));
        self.report.touching = self.constraints.len();
    }

    /// Puts the bodies where they got, with the momenta that constraints gave them.
    fn write_back_bodies(&mut self, model: &Model, state: &mut State, h: Real) {
        for (k, body) in model.bodies.iter().enumerate() {
            let Some(pose) = self.solids.end_of_body(k as u32) else { continue };
            let (now, moved) = (&mut state.bodies[k], &self.moved[k]);
            now.velocity += moved.shift / h;
            let momentum = body.inertia_at(now.pose.rotation) * (now.spin + moved.turn / h);
            now.pose = pose;
            now.spin = body.inverse_inertia_at(pose.rotation) * momentum;
        }
        self.hold_bodies(model, state);
    }

    /// Gives a body the opposite of what the guard took from a particle at it; `rate` is the particle's mass over h [kg/s].
    fn book_cut(&mut self, particle: usize, rate: Real) {
        let rest = self.target[particle] - self.x[particle];
        if self.moved.is_empty() || rest == Vec3::ZERO {
            return;
        }
        let facing = self.planes.most_in_the_way(particle, rest);
        if let Some(k) = facing.and_then(|v| self.rigid_body(v as usize)) {
            let body = &mut self.moved[k];
            body.push(self.start[particle] - body.center, rest * rate);
        }
    }
}
