//! Particles inside solids, and how far it is to get out.

use crate::contact::Owner;
use crate::contact::mesh::collision_mesh::CollisionMesh;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::script::Frame;
use crate::shape::Collider;
use crate::shape::Obstacle;
use crate::shape::Touch;
use crate::state::State;

/// A particle inside a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inside {
    /// The particle.
    pub particle: u32,
    /// Owner of the solid.
    pub of: Owner,
    /// How deep it lies [m].
    pub depth: Real,
    /// Where [m].
    pub at: Vec3,
}

/// The inside of a collider or a body, where it is.
#[derive(Debug)]
pub struct Interior {
    pub owner: Owner,
    obstacle: Obstacle,
    frame: Frame,
}

/// Depths up to this are rounding [m].
const ROUNDING: Real = 1e-9;
/// Steps of a search for the surface at the most.
const STEPS: u32 = 256;

/// The insides of the colliders and bodies of a model.
pub fn interiors(model: &Model, state: &State) -> Vec<Interior> {
    let still = |collider: &Collider| {
        Obstacle::new(&Collider { motion: crate::script::Motion::Still, ..collider.clone() })
    };
    let colliders = model.colliders.iter().enumerate().map(|(k, collider)| Interior {
        owner: Owner::Collider(k),
        obstacle: still(collider),
        frame: collider.motion.frame(state.contact.collider_times.get(k).copied().unwrap_or(state.time)),
    });
    let bodies = model.bodies.iter().zip(&state.bodies).enumerate().map(|(k, (body, at))| Interior {
        owner: Owner::Body(k),
        obstacle: still(&Collider { thickness: body.thickness, ..body.shape.clone().into() }),
        frame: at.frame(body),
    });
    colliders.chain(bodies).collect()
}

/// Every particle of a surface that lies inside.
pub fn inside(interiors: &[Interior], surface: &CollisionMesh, x: &[Vec3]) -> Vec<Inside> {
    let mut found = Vec::new();
    for interior in interiors {
        for &particle in surface.vertices.iter().filter(|&&v| surface.is_cloth(v)) {
            let at = x[particle as usize];
            let depth = interior.depth(at);
            if depth > ROUNDING {
                found.push(Inside { particle, of: interior.owner, depth, at });
            }
        }
    }
    found
}

impl Interior {
    fn depth(&self, x: Vec3) -> Real {
        self.obstacle.at(0.0).depth(self.frame.trace_back(x))
    }

    /// The surface nearest to a point.
    pub fn closest(&self, x: Vec3) -> Touch {
        let touch = self.obstacle.at(0.0).closest(self.frame.trace_back(x));
        Touch { normal: self.frame.rotation * touch.normal, ..touch }
    }

    /// How far a point has to go along a direction to be at a distance from the solid [m]; none if it does not get out.
    pub fn exit_distance(&self, x: Vec3, direction: Vec3, distance: Real) -> Option<Real> {
        if self.depth(x) <= ROUNDING {
            return Some(0.0);
        }
        let mut travelled = 0.0;
        for _ in 0..STEPS {
            let missing = distance - self.closest(x + direction * travelled).distance;
            if missing <= 1e-9 * distance {
                return Some(travelled);
            }
            // The surface is no nearer than that; a little farther, so that it gets there.
            travelled += missing.max(0.1 * distance);
        }
        None
    }
}
