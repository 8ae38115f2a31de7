//! Contact of surfaces.

mod ccd;
mod continuous;
mod friction;
mod guarantee;
mod repair;
mod rest;
mod rigid;

use crate::support::build;
use muslin::builder::{Resolution, Sheet, Surroundings};
use muslin::contact::{ContactLaw, SurfaceContact};
use muslin::material::FabricName;
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::shape::{Collider, Shape};
use muslin::state::State;

const FLOOR: Shape = Shape::Plane { point: Vec3::ZERO, normal: Vec3::Z };

/// Distance that cloth keeps from cloth, and twice that which it keeps from solids [m].
const THICKNESS: Real = 0.01;

fn law() -> SurfaceContact {
    SurfaceContact { thickness: Some(THICKNESS), ..SurfaceContact::default() }
}

/// Cotton of 1 m, `side` particles along each side.
fn cotton(side: usize, origin: Vec3, axes: [Vec3; 2]) -> Sheet {
    Sheet {
        size: [1.0, 1.0],
        resolution: Resolution::Particles([side, side]),
        origin,
        axes,
        fabric: FabricName::Cotton.fabric(),
        ..Sheet::default()
    }
}

/// A cotton sheet of 1 m, `side` particles along each side, among solids.
fn sheet(
    side: usize,
    origin: Vec3,
    axes: [Vec3; 2],
    gravity: Vec3,
    colliders: Vec<Collider>,
) -> (Model, State) {
    let contact = ContactLaw::Surface(law());
    build(
        &cotton(side, origin, axes),
        &Surroundings { gravity, colliders, contact, ..Surroundings::default() },
    )
}
