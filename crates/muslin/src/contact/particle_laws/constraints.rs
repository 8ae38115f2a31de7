//! Collisions as inequality constraints of a step from x to p [Müller et al. 2007, §3.4].
//!
//! ```text
//! continuous   x → p enters a solid at q with normal n:     C(p) = (p − q)·n ≥ 0
//! static       p and x inside, q the nearest surface point:  C(p) = (p − q)·n ≥ 0
//! after        the velocity relative to the solid bounces and rubs by the contact law
//! ```
//!
//! What still lies inside when the step ends (two solids at once, or pulled in by others) the world resolves.

use super::impact::{bounce, sticks, to_world};
use crate::contact_law::ContactLaw;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::state::State;

/// The particles that met a solid in this step.
#[derive(Clone, Debug, Default)]
pub struct Collisions {
    touches: Vec<Collision>,
}

#[derive(Clone, Copy, Debug)]
struct Collision {
    particle: usize,
    /// q [m].
    point: Vec3,
    /// n, out of the solid.
    normal: Vec3,
    /// The solid's own velocity there [m/s].
    surface_velocity: Vec3,
    /// Where the solid brings the particle if it sticks [m].
    carried: Vec3,
    /// How fast the particle came, against n, relative to the solid [m/s].
    approach: Real,
    /// How far the constraint has moved it so far, along n [m].
    push: Real,
}

impl Collisions {
    /// Finds the free particles whose path from `start` to the state's predicted positions, in a step of `dt` [s] that begins
    /// at the state's time, ends inside a solid or passes through. Laws other than projection have no constraint to offer
    /// and are left to the world.
    pub fn detect(&mut self, model: &Model, start: &[Vec3], predicted: &State, dt: Real) {
        self.touches.clear();
        let ContactLaw::Projection { .. } = model.contact else { return };
        let obstacles = model.obstacles();
        self.touches.reserve(model.len() * obstacles.len()); // once and for all steps
        for obstacle in obstacles {
            let solid = obstacle.during(predicted.time, predicted.time + dt);
            for (particle, (&x, &p)) in start.iter().zip(&predicted.positions).enumerate() {
                if model.is_held(particle) {
                    continue;
                }
                if let Some([point, normal]) = solid.surface(x, p) {
                    let (surface_velocity, carried) = (solid.velocity(point), solid.carried(x));
                    let approach = -(p - x - surface_velocity * dt).dot(normal) / dt;
                    let push = 0.0;
                    self.touches.push(Collision {
                        particle,
                        point,
                        normal,
                        surface_velocity,
                        carried,
                        approach,
                        push,
                    });
                }
            }
        }
    }

    /// Moves every particle that violates its constraint onto the surface, k = 1.
    #[inline]
    pub fn project(&mut self, positions: &mut [Vec3]) {
        for touch in &mut self.touches {
            let depth = (touch.point - positions[touch.particle]).dot(touch.normal);
            if depth > 0.0 {
                positions[touch.particle] += touch.normal * depth;
                touch.push += depth;
            }
        }
    }

    /// The velocity update of the particles that were pushed: they bounce and rub as the model's contact law says. The
    /// impulse is that of the approach, or that of all pushes if the others pressed harder.
    pub fn respond(&self, model: &Model, state: &mut State, dt: Real) {
        let ContactLaw::Projection { restitution, friction } = model.contact else { return };
        for touch in self.touches.iter().filter(|touch| touch.push > 0.0) {
            let (n, particle) = (touch.normal, touch.particle);
            let v = state.velocities[particle] - touch.surface_velocity;
            let tangential = v - n * v.dot(n);
            let impact = tangential - n * touch.approach.max(0.0);
            // What neighbours add presses, but does not bounce.
            let pressed =
                friction * (touch.push / dt).max(touch.approach) / touch.approach.max(Real::MIN_POSITIVE);
            let friction = if touch.approach > 0.0 { pressed } else { friction };
            if sticks(impact, n, restitution, friction) {
                let displacement = state.positions[particle] - touch.carried;
                state.positions[particle] -= displacement - n * displacement.dot(n);
            }
            state.velocities[particle] =
                to_world(touch.surface_velocity, bounce(impact, n, restitution, friction));
        }
    }
}
