//! What of solids cannot be.

use super::surroundings::{finite, number};
use crate::build_error::{BuildError, at, not_negative, positive, refuse};
use crate::math::{Real, Rotation, Vec3};
use crate::mesh::Mesh;
use crate::script::Motion;
use crate::shape::{Collider, CuttingEdge, Shape};

/// Sine of an angle that is no tilt, but rounding.
const TILT: Real = 1e-9;
/// Faces that enclose more are not sharp [degrees].
const LARGEST_SHARP_ANGLE: Real = 90.0;

impl Collider {
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        self.shape.check().map_err(|error| error.under(self.shape.name()))?;
        self.motion.check().map_err(|error| error.under("motion"))?;
        not_negative("thickness", self.thickness, "0 m or more")?;
        let Some(edge) = self.edge else { return Ok(()) };
        edge.check().map_err(|error| error.under("edge"))?;
        if self.sharp_edges().is_empty() {
            let allowed = "more than the angle between two faces of the solid";
            return refuse("edge.degrees", edge.degrees, allowed);
        }
        Ok(())
    }

    /// Refuses half-spaces that tilt: contact of surfaces lets them move and turn about their normal only.
    pub(crate) fn check_tilt(&self) -> Result<(), BuildError> {
        let Shape::Plane { normal, .. } = self.shape else { return Ok(()) };
        let normal = normal.normalize_or_zero();
        let (path, tilts) = match &self.motion {
            Motion::Rotate { axis, turns_per_second, .. } => {
                let across = axis.normalize_or_zero().cross(normal).length();
                ("motion.rotate.axis", *turns_per_second != 0.0 && across > TILT)
            }
            Motion::Keyframes { rotations, .. } => {
                let tilted =
                    |turn: &Vec3| (Rotation::from_scaled_axis(*turn) * normal).distance(normal) > TILT;
                ("motion.keyframes.rotations", rotations.iter().any(tilted))
            }
            Motion::Still | Motion::Translate { .. } | Motion::Oscillate { .. } => return Ok(()),
        };
        if tilts {
            let message = "tilts a plane, but under contact of surfaces it may turn about its normal only: \
                take a wide `cuboid` instead";
            return Err(at(path, message.to_owned()));
        }
        Ok(())
    }
}

impl CuttingEdge {
    fn check(&self) -> Result<(), BuildError> {
        positive("degrees", self.degrees, "greater than 0 degrees")?;
        if self.degrees > LARGEST_SHARP_ANGLE {
            return refuse("degrees", self.degrees, format!("at most {LARGEST_SHARP_ANGLE} degrees"));
        }
        not_negative("resistance", self.resistance, "0 N or more")?;
        positive("reach", self.reach, "greater than 0 m")
    }
}

impl Shape {
    fn check(&self) -> Result<(), BuildError> {
        match *self {
            Self::Plane { point, normal } => {
                finite("point", point)?;
                positive("normal", normal.length(), "a finite vector that is not zero")
            }
            Self::Sphere { center, radius } => finite("center", center).and(check_radius(radius)),
            Self::Capsule { ends, radius } => check_ends(ends).and(check_radius(radius)),
            Self::Cylinder { ends, radius } => {
                check_ends(ends)?;
                if ends[0].distance(ends[1]) <= 0.0 {
                    return refuse(
                        "ends",
                        "one place twice",
                        "two places: they are the middles of its discs",
                    );
                }
                check_radius(radius)
            }
            Self::Cuboid { center, size, rotation } => {
                finite("center", center)?;
                for (k, edge) in size.to_array().into_iter().enumerate() {
                    positive(&format!("size[{k}]"), edge, "greater than 0 m")?;
                }
                finite("rotation", rotation)
            }
            Self::Hull { .. } => self.hull_fault().map_or(Ok(()), |fault| Err(at("points", fault))),
            Self::Mesh(ref mesh) => check_mesh(mesh, self),
            Self::HeightField { corner, size, ref heights } => {
                finite("corner", corner)?;
                for (k, length) in size.into_iter().enumerate() {
                    positive(&format!("size[{k}]"), length, "greater than 0 m")?;
                }
                check_heights(heights)
            }
        }
    }
}

fn check_radius(radius: Real) -> Result<(), BuildError> {
    positive("radius", radius, "greater than 0 m")
}

fn check_ends(ends: [Vec3; 2]) -> Result<(), BuildError> {
    finite("ends[0]", ends[0]).and(finite("ends[1]", ends[1]))
}

/// Holes, flipped faces and faces without area are no fault: they are mended or left out, and told as warnings.
fn check_mesh(mesh: &Mesh, shape: &Shape) -> Result<(), BuildError> {
    if let Some((k, p)) = mesh.positions.iter().enumerate().find(|(_, p)| finite("", **p).is_err()) {
        return Err(at(
            "",
            format!("has vertex {k} at {p}, but coordinates must be finite numbers up to 1e60"),
        ));
    }
    let count = mesh.positions.len();
    for (k, face) in mesh.faces.iter().enumerate() {
        if let Some(corner) = face.corners().iter().find(|&&corner| corner as usize >= count) {
            return Err(at("", format!("has a face, {k}, with vertex {corner}, but there are {count}")));
        }
    }
    if shape.surface_report().is_none_or(|report| report.triangles == 0) {
        return Err(at("", "has no triangles with an area, but must have at least one".to_owned()));
    }
    Ok(())
}

fn check_heights(heights: &[Vec<Real>]) -> Result<(), BuildError> {
    let columns = heights.first().map_or(0, Vec::len);
    if heights.len() < 2 || columns < 2 {
        let found = format!("a list of {} × {columns}", heights.len());
        return refuse("heights", found, "at least 2 × 2 heights");
    }
    for (i, row) in heights.iter().enumerate() {
        if row.len() != columns {
            let found = format!("a row of {}", row.len());
            return refuse(&format!("heights[{i}]"), found, format!("of {columns}, as the first"));
        }
        for (j, &height) in row.iter().enumerate() {
            number(&format!("heights[{i}][{j}]"), height)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Face;
    use std::sync::Arc;

    fn fault(collider: impl Into<Collider>) -> String {
        collider.into().check().unwrap_err().to_string()
    }

    #[test]
    fn solids_that_cannot_be() {
        let ends = [Vec3::ZERO, Vec3::X];
        let (center, size, rotation) = (Vec3::ZERO, Vec3::ONE, Vec3::ZERO);
        let (corner, plain) = (Vec3::ZERO, vec![vec![0.0; 2]; 2]);
        let field = |heights| Shape::HeightField { corner, size: [1.0; 2], heights };
        for (shape, words) in [
            (Shape::Sphere { center, radius: -1.0 }, ["`sphere.radius`", "is -1"]),
            (Shape::Capsule { ends, radius: 0.0 }, ["`capsule.radius`", "greater than 0 m"]),
            (Shape::Capsule { ends: [Vec3::NAN, Vec3::X], radius: 1.0 }, ["`capsule.ends[0]`", "finite"]),
            (Shape::Cylinder { ends: [Vec3::X; 2], radius: 1.0 }, ["`cylinder.ends`", "two places"]),
            (Shape::Cuboid { center, size: size.with_y(0.0), rotation }, ["`cuboid.size[1]`", "is 0"]),
            (Shape::Cuboid { center, size, rotation: Vec3::INFINITY }, ["`cuboid.rotation`", "inf"]),
            (Shape::Hull { points: vec![Vec3::ZERO, Vec3::X] }, ["`hull.points`", "at least 4"]),
            (
                Shape::Hull { points: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE.with_z(0.0)] },
                ["plane", "volume"],
            ),
            (field(vec![vec![0.0; 3]]), ["`height-field.heights`", "2 × 2"]),
            (field(vec![vec![0.0; 3], vec![0.0; 2]]), ["`height-field.heights[1]`", "of 3"]),
            (field(vec![vec![0.0; 2], vec![0.0, Real::NAN]]), ["`height-field.heights[1][1]`", "NaN"]),
            (
                Shape::HeightField { corner, size: [1.0, 0.0], heights: plain },
                ["`height-field.size[1]`", "is 0"],
            ),
        ] {
            let message = fault(shape);
            assert!(words.iter().all(|word| message.contains(word)), "{message}");
        }
    }

    #[test]
    fn meshes_that_cannot_be_solid() {
        let mesh = |positions, faces| Shape::Mesh(Arc::new(Mesh { positions, faces }));
        let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X * 2.0];
        assert!(fault(mesh(corners.clone(), vec![])).contains("no triangles"));
        assert!(fault(mesh(corners.clone(), vec![Face::triangle(0, 1, 3)])).contains("no triangles"));
        assert!(fault(mesh(corners.clone(), vec![Face::triangle(0, 1, 7)])).contains("vertex 7"));
        assert!(fault(mesh(vec![Vec3::NAN; 3], vec![Face::triangle(0, 1, 2)])).contains("finite"));
        assert_eq!(Collider::from(mesh(corners, vec![Face::triangle(0, 1, 2)])).check(), Ok(()));
    }

    #[test]
    fn planes_may_turn_but_not_tilt() {
        let plane = Collider::from(Shape::Plane { point: Vec3::ZERO, normal: Vec3::new(0.0, 1.0, 2.0) });
        let turned = |axis: Vec3| {
            let (center, times) = (Vec3::ZERO, vec![0.0, 1.0]);
            let rotate = Motion::Rotate { center, axis, turns_per_second: 0.5, from: 0.0, until: 1.0 };
            let rotations = vec![Vec3::ZERO, axis.normalize() * 2.0];
            let keyframes = Motion::Keyframes { times, positions: vec![], rotations, center };
            [rotate, keyframes].map(|motion| Collider { motion, ..plane.clone() }.check_tilt())
        };
        assert_eq!(turned(Vec3::new(0.0, -2.0, -4.0)), [Ok(()), Ok(())]);
        for result in turned(Vec3::Z) {
            let message = result.unwrap_err().to_string();
            assert!(message.contains("`motion.") && message.contains("tilts a plane"), "{message}");
        }
    }

    #[test]
    fn layers_and_movements_that_cannot_be() {
        let ball = Collider::from(Shape::Sphere { center: Vec3::ZERO, radius: 1.0 });
        assert!(fault(Collider { thickness: -0.1, ..ball.clone() }).contains("`thickness` is -0.1"));
        let keyframes = |times: &[Real], positions: &[Vec3], rotations: &[Vec3]| {
            let [positions, rotations] = [positions, rotations].map(<[Vec3]>::to_vec);
            let motion =
                Motion::Keyframes { times: times.to_vec(), positions, rotations, center: Vec3::ZERO };
            fault(Collider { motion, ..ball.clone() })
        };
        assert!(keyframes(&[0.0, 0.0], &[Vec3::X; 2], &[]).contains("`motion.keyframes.times[1]` is 0"));
        assert!(
            keyframes(&[0.0, 1.0], &[Vec3::X; 3], &[])
                .contains("`motion.keyframes.positions` is a list of 3")
        );
        assert!(keyframes(&[0.0, 1.0], &[Vec3::X; 2], &[Vec3::X]).contains("`motion.keyframes.rotations`"));
        assert!(keyframes(&[], &[], &[]).contains("`motion.keyframes.times`"));
        assert!(keyframes(&[1.0], &[], &[]).contains("`motion.keyframes.positions`"));
        assert!(keyframes(&[Real::NAN], &[Vec3::X], &[]).contains("NaN"));
        assert!(keyframes(&[0.0], &[Vec3::NAN], &[]).contains("`motion.keyframes.positions[0]`"));
    }
}
