//! Solids as a scene file describes them.

use crate::compile::Files;
use muslin::builder::BuildError;
use muslin::math::{Real, Rotation, Vec3};
use muslin::mesh::Mesh;
use muslin::script::Motion;
use muslin::shape::{Collider, CuttingEdge, Shape, SurfaceReport};
use std::sync::Arc;

/// A solid: exactly one of the shapes, and what holds for all of them.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct ColliderEntry {
    /// All the space below a plane.
    pub plane: Option<Plane>,
    /// A ball.
    pub sphere: Option<Sphere>,
    /// A rod with round ends.
    pub capsule: Option<RoundRod>,
    /// A rod with flat ends.
    pub cylinder: Option<RoundRod>,
    /// A box.
    pub cuboid: Option<Cuboid>,
    /// The smallest convex solid around points.
    pub hull: Option<Hull>,
    /// A surface read from a file.
    pub mesh: Option<MeshFile>,
    /// All the space below a landscape.
    pub height_field: Option<HeightField>,
    /// How it moves.
    pub motion: Motion,
    /// Layer around the shape that counts as solid, too [m].
    pub thickness: Real,
    /// Which of its edges cut cloth.
    pub edge: Option<CuttingEdge>,
}

/// A plane.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// A point of it [m].
    pub point: Vec3,
    /// The direction out of the solid.
    pub normal: Vec3,
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Its centre [m].
    pub center: Vec3,
    /// Its radius [m].
    pub radius: Real,
}

/// A capsule or a cylinder.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundRod {
    /// The ends of its axis [m].
    pub ends: [Vec3; 2],
    /// Its radius [m].
    pub radius: Real,
}

/// A box.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cuboid {
    /// Its middle [m].
    pub center: Vec3,
    /// Its edges [m].
    pub size: Vec3,
    /// Its turn about the middle, axis times angle [rad].
    #[serde(default)]
    pub rotation: Vec3,
}

/// Points of a convex hull.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hull {
    /// The points [m].
    pub points: Vec<Vec3>,
}

/// A mesh from an OBJ, STL or PLY file: scaled, then turned, then moved.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshFile {
    /// The file, beside the scene's own.
    pub file: String,
    /// Factor from the file's unit of length to m.
    #[serde(default = "one")]
    pub scale: Real,
    /// Where the file's origin goes [m].
    #[serde(default)]
    pub translation: Vec3,
    /// Turn about the file's origin, axis times angle [rad].
    #[serde(default)]
    pub rotation: Vec3,
}

/// Heights over a rectangle.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeightField {
    /// The corner with the lowest x and y [m].
    pub corner: Vec3,
    /// Length along x and along y [m].
    pub size: [Real; 2],
    /// Heights above the corner [m]: a list along y for each place along x.
    pub heights: Vec<Vec<Real>>,
}

fn one() -> Real {
    1.0
}

impl ColliderEntry {
    /// The solid; reads the file of a mesh, and says what is odd about it.
    pub(crate) fn read(self, files: &Files, warnings: &mut Vec<String>) -> Result<Collider, BuildError> {
        let mesh = match self.mesh {
            Some(file) => Some(file.read(files, warnings).map_err(|error| error.under("mesh"))?),
            None => None,
        };
        let shapes = [
            self.plane.map(|Plane { point, normal }| Shape::Plane { point, normal }),
            self.sphere.map(|Sphere { center, radius }| Shape::Sphere { center, radius }),
            self.capsule.map(|RoundRod { ends, radius }| Shape::Capsule { ends, radius }),
            self.cylinder.map(|RoundRod { ends, radius }| Shape::Cylinder { ends, radius }),
            self.cuboid.map(|Cuboid { center, size, rotation }| Shape::Cuboid { center, size, rotation }),
            self.hull.map(|Hull { points }| Shape::Hull { points }),
            mesh.map(|mesh| Shape::Mesh(Arc::new(mesh))),
            self.height_field.map(|HeightField { corner, size, heights }| Shape::HeightField {
                corner,
                size,
                heights,
            }),
        ];
        let mut found = shapes.into_iter().flatten();
        let wrong = |message: String| BuildError { path: String::new(), message };
        let Some(shape) = found.next() else {
            return Err(wrong(format!("has no shape, but must have one of: {SHAPES}")));
        };
        if let Some(second) = found.next() {
            let (first, second) = (shape.name(), second.name());
            return Err(wrong(format!("has two shapes, `{first}` and `{second}`, but must have one")));
        }
        Ok(Collider { shape, motion: self.motion, thickness: self.thickness, edge: self.edge })
    }
}

/// The names of all shapes.
const SHAPES: &str = "plane, sphere, capsule, cylinder, cuboid, hull, mesh, height-field";

impl MeshFile {
    fn read(&self, files: &Files, warnings: &mut Vec<String>) -> Result<Mesh, BuildError> {
        let wrong = |path: &str, message: String| BuildError { path: path.to_owned(), message };
        if self.file.is_empty() {
            return Err(wrong("file", "is empty: name an OBJ, STL or PLY file".to_owned()));
        }
        if !(self.scale > 0.0 && self.scale.is_finite()) {
            return Err(wrong("scale", format!("is {}, but must be greater than 0", self.scale)));
        }
        for (name, vector) in [("translation", self.translation), ("rotation", self.rotation)] {
            if !vector.is_finite() || vector.abs().max_element() > 1e60 {
                return Err(wrong(name, format!("is {vector}, but must be three finite numbers up to 1e60")));
            }
        }
        let mut mesh = files
            .mesh(&self.file)
            .map_err(|message| wrong("file", format!("is no usable mesh: {message}")))?;
        let turn = Rotation::from_scaled_axis(self.rotation);
        for position in &mut mesh.positions {
            *position = self.translation + turn * (*position * self.scale);
        }
        let report = Shape::Mesh(Arc::new(mesh.clone())).surface_report().unwrap_or_default();
        warnings.extend(oddities(&report).into_iter().map(|oddity| format!("{}: {oddity}", self.file)));
        Ok(mesh)
    }
}

/// What is odd about a mesh as a solid, in words.
fn oddities(report: &SurfaceReport) -> Vec<String> {
    let mut found = Vec::new();
    if report.open_edges > 0 {
        found.push(format!(
            "{} edges have a face on one side only: the collider has holes and no inside, it holds off what would cross it",
            report.open_edges
        ));
    }
    if report.twisted_edges > 0 {
        found.push(format!(
            "at {} edges the faces cannot be turned the same way round: the collider has no inside",
            report.twisted_edges
        ));
    }
    if report.turned > 0 {
        let which = if report.turned == report.triangles { "inward" } else { "against their neighbours" };
        found.push(format!(
            "{} of {} triangles turned {which}; the collider has them the right way round",
            report.turned, report.triangles
        ));
    }
    if report.left_out > 0 {
        found.push(format!("{} triangles without area are left out of the collider", report.left_out));
    }
    found
}
