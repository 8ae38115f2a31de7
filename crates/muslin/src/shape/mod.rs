//! Solids: their shapes, distances to them, and where they are in time. Knows nothing of cloth.

mod distance;
mod edge;
mod hull;
mod parry;
mod placed;
mod surface;
mod terrain;
mod triangulation;

pub use distance::Touch;
pub use edge::{CuttingEdge, SharpEdge};
pub use parry::{ShapeMass, mass_properties};
pub use placed::{Obstacle, Placed};
pub use surface::SurfaceReport;
pub use triangulation::Core;

use hull::convex_hull;
use parry::TriangleTree;
use surface::Oriented;
use terrain::Terrain;

use crate::math::{Real, Vec3};
use crate::mesh::Mesh;
use crate::script::Motion;
use std::sync::Arc;

/// A solid that stands or moves by a script.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Collider {
    /// Its shape at time 0.
    pub shape: Shape,
    /// How it moves.
    pub motion: Motion,
    /// Layer around the shape that counts as solid, too [m]; 0 or more.
    pub thickness: Real,
    /// Which of its edges cut cloth under contact of surfaces, if any do.
    pub edge: Option<CuttingEdge>,
}

/// The shape of a solid.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Shape {
    /// All the space below a plane.
    Plane {
        /// A point of the plane [m].
        point: Vec3,
        /// The direction out of the solid; any length but zero.
        normal: Vec3,
    },
    /// A ball.
    Sphere {
        /// Its centre [m].
        center: Vec3,
        /// Its radius [m].
        radius: Real,
    },
    /// A rod with round ends.
    Capsule {
        /// The ends of its axis, centres of the half balls [m]; if they are one, it is a ball.
        ends: [Vec3; 2],
        /// Its radius [m].
        radius: Real,
    },
    /// A rod with flat ends.
    Cylinder {
        /// The ends of its axis, centres of the discs [m].
        ends: [Vec3; 2],
        /// Its radius [m].
        radius: Real,
    },
    /// A box.
    Cuboid {
        /// Its middle [m].
        center: Vec3,
        /// Its edges, along x, y and z before it is turned [m].
        size: Vec3,
        /// Its turn about the middle, axis times angle [rad].
        rotation: Vec3,
    },
    /// The smallest convex solid around points.
    Hull {
        /// The points [m]; four at least, not in one plane.
        points: Vec<Vec3>,
    },
    /// A surface: solid inside if it is closed, a shell of two sides if it has holes.
    Mesh(Arc<Mesh>),
    /// All the space below a landscape, as far as its rectangle reaches.
    HeightField {
        /// The corner with the lowest x and y; heights count from its z [m].
        corner: Vec3,
        /// Length along x and along y [m].
        size: [Real; 2],
        /// Heights [m], at equal distances: `heights[i][j]` at the i-th place along x and the j-th along y.
        heights: Vec<Vec<Real>>,
    },
}

impl From<Shape> for Collider {
    /// At rest, without a layer.
    fn from(shape: Shape) -> Self {
        Self { shape, motion: Motion::Still, thickness: 0.0, edge: None }
    }
}

impl Shape {
    /// The shape's name, as in a scene file.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Plane { .. } => "plane",
            Self::Sphere { .. } => "sphere",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Cuboid { .. } => "cuboid",
            Self::Hull { .. } => "hull",
            Self::Mesh(_) => "mesh",
            Self::HeightField { .. } => "height-field",
        }
    }

    /// What is odd about a mesh; none for other shapes.
    pub fn surface_report(&self) -> Option<SurfaceReport> {
        match self {
            Self::Mesh(mesh) => Some(Oriented::of(mesh).report),
            _ => None,
        }
    }

    /// Why the points of a hull have none; none if they do, and for other shapes.
    pub fn hull_fault(&self) -> Option<String> {
        match self {
            Self::Hull { points } => convex_hull(points).err(),
            _ => None,
        }
    }
}
