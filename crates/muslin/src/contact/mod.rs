//! Contact: with solids, and of cloth with itself.
//!
//! Four laws are offered ([`ContactLaw`]). `surface` lets whole surfaces touch, and guarantees that nothing ever passes through
//! anything; see [`Contacts`]. The others are about particles only; see [`particle_laws`].

mod advance;
pub mod audit;
mod birth;
pub mod broad_phase;
mod candidates;
mod closest_points;
mod closing;
mod contacts;
mod detect;
mod edges;
mod energy_bound;
mod friction;
pub mod geometry;
mod guard;
mod mesh;
mod pace;
pub mod particle_laws;
mod prepare;
mod repair;
mod response;
pub mod settings;
mod step;
mod write_back;

pub use crate::contact_law::{BroadPhase, ContactLaw, SurfaceContact};
pub use crate::contact_memory::{ContactMemory, ContactReport};
pub use audit::Intersection;
pub use contacts::Contacts;
#[cfg(feature = "checkpoint")]
pub use contacts::SavedCandidates;
pub(crate) use edges::Bearing;
pub use particle_laws::{max_penetration, resolve};
pub use repair::{Faults, Inside, Moved, RepairReport};

use crate::model::Model;
use crate::state::State;

/// Every intersection of a model's surface with itself, with solids and with bodies, by their scripts, by exact predicates.
pub fn intersections(model: &Model, state: &State) -> Vec<Intersection> {
    let mut solids = mesh::solids::Solids::new(model, state.time);
    solids.put_bodies(&state.bodies, state.time);
    let mesh = mesh::collision_mesh::CollisionMesh::of(model, &solids.surfaces());
    audit::intersections_with_solids(&mesh, &solids, state)
}

/// Owner of a surface feature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// Any cloth.
    #[default]
    Cloth,
    /// The collider with this number.
    Collider(usize),
    /// The rigid body with this number.
    Body(usize),
}
