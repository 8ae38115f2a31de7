//! Contact: with solids, and of cloth with itself.
//!
//! Four laws are offered ([`ContactLaw`]). `surface` lets whole surfaces touch, and guarantees that nothing ever passes through
//! anything; see [`Contacts`]. The others are about particles only; see [`particle_laws`].

mod apart;
mod bodies;
mod boxes;
pub mod broad_phase;
mod candidates;
pub mod ccd;
mod confines;
mod contacts;
pub mod distance;
mod encounters;
mod guard;
pub mod intersection;
mod judge;
mod near;
pub mod particle_laws;
mod response;
mod rounds;
mod solid;
mod surface;
mod tile_parts;
mod tiles;
mod unfolded;
mod untangle;

pub use crate::contact_law::{BroadPhase, ContactLaw, SurfaceContact};
pub use contacts::{AT_REST, ContactReport, Contacts};
pub use judge::Intersection;
pub use particle_laws::{max_penetration, resolve};
pub use untangle::{Faults, Inside, Moved, Untangled};

use crate::model::Model;
use crate::state::State;

/// Every intersection of a model's surface with itself, with solids and with bodies, by their scripts, judged exactly.
pub fn intersections(model: &Model, state: &State) -> Vec<Intersection> {
    let mut solids = solid::Solids::new(model, state.time);
    solids.put_bodies(&state.bodies, state.time);
    solids.intersections(&surface::Surface::of(model, &solids.surfaces()), state)
}

/// Whose a part of a surface is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// Of any cloth.
    #[default]
    Cloth,
    /// Of the collider with this number.
    Collider(usize),
    /// Of the rigid body with this number.
    Body(usize),
}
