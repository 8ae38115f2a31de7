//! How often contact acts.

use super::contacts::Contacts;
use super::settings::{BODY_DISPLACEMENT, LONGEST_STEP, STEP_DISPLACEMENT};
use crate::math::{Real, Vec3};
use crate::mesh::bounds;
use crate::state::State;

impl Contacts {
    /// Number of contact steps in a time h [s] that keeps displacements within [`STEP_DISPLACEMENT`].
    pub fn steps_for(&mut self, state: &State, h: Real) -> Real {
        self.solids.put_bodies(&state.bodies, state.time);
        let cloth = state.velocities.iter().map(|v| v.length_squared()).fold(0.0, Real::max).sqrt();
        let fastest = cloth.max(self.solids.fastest(state, h));
        let by_displacement = if self.prepared.mean_edge > 0.0 {
            fastest * h / (STEP_DISPLACEMENT * self.prepared.mean_edge)
        } else {
            0.0
        };
        by_displacement.max(h / LONGEST_STEP)
    }

    /// Number of contact steps in a time h [s] that keeps the displacements of rigid bodies near the cloth within [`BODY_DISPLACEMENT`].
    pub fn steps_for_bodies(&mut self, state: &State, h: Real) -> Real {
        if self.solids.numbers.iter().all(Option::is_none) || self.prepared.mean_edge == 0.0 {
            return 1.0;
        }
        self.solids.put_bodies(&state.bodies, state.time);
        let ends = state.positions.iter().zip(&state.velocities).map(|(x, v)| *x + *v * h);
        let [low, high] = bounds(&state.positions);
        let (low, high) = ends.fold((low, high), |(low, high), x| (low.min(x), high.max(x)));
        let count = state.velocities.len() as Real;
        let drift = state.velocities.iter().sum::<Vec3>() / count;
        let solids =
            self.solids.bodies.iter().zip(&self.solids.numbers).zip(&self.prepared.surface.radii[1..]);
        let displacements = solids.filter_map(|((solid, number), radius)| {
            let body = state.bodies.get((*number)? as usize)?;
            let room = Vec3::splat(radius + self.prepared.thickness);
            let paths = solid.positions(solid.time).map(|x| (x, x + body.velocity_at(x) * h));
            let (from, to) =
                paths.clone().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(from, to), (x, y)| {
                    (from.min(x.min(y)), to.max(x.max(y)))
                });
            let is_near = (from - room).cmple(high).all() && (to + room).cmpge(low).all();
            is_near
                .then(|| paths.map(|(x, y)| (y - x - drift * h).length_squared()).fold(0.0, Real::max).sqrt())
        });
        let by_displacement =
            displacements.fold(0.0, Real::max) / (BODY_DISPLACEMENT * self.prepared.mean_edge);
        // Nor may contact forces at bodies move the cloth any farther.
        let by_force =
            state.contact.body_acceleration * h * h / (BODY_DISPLACEMENT * self.prepared.mean_edge);
        by_displacement.max(by_force.sqrt())
    }
}
