//! Shapes as contact sees them: half spaces, round ones, and triangles.

use super::{Collider, Oriented, Shape, Terrain, convex_hull};
use crate::math::{Real, Rotation, Vec3};
use std::f64::consts::TAU;

/// What contact needs to know of a shape, at time 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Core {
    /// All the space below a plane.
    HalfSpace {
        /// A point of the plane [m].
        point: Vec3,
        /// Unit vector out of the solid.
        normal: Vec3,
    },
    /// All that is near to a straight line.
    Round {
        /// The ends of the line [m]; of a ball, both its centre.
        ends: [Vec3; 2],
        /// How near [m].
        radius: Real,
    },
    /// A surface of triangles, outward where there is an inside; of a height field, the ground alone, upward.
    Faces {
        /// Vertex positions [m].
        positions: Vec<Vec3>,
        /// Triangles over the vertices.
        triangles: Vec<[u32; 3]>,
    },
}

impl Collider {
    /// The shape at time 0, without the layer of [`Collider::thickness`]. What cannot be (a flat hull, a mesh without
    /// triangles) has no faces.
    pub fn core(&self) -> Core {
        match &self.shape {
            &Shape::Plane { point, normal } => Core::HalfSpace { point, normal: normal.normalize_or_zero() },
            &Shape::Sphere { center, radius } => Core::Round { ends: [center; 2], radius },
            &Shape::Capsule { ends, radius } => Core::Round { ends, radius },
            &Shape::Cylinder { ends, radius } => cylinder(ends, radius),
            &Shape::Cuboid { center, size, rotation } => cuboid(center, size, rotation),
            Shape::Hull { points } => {
                let (positions, triangles) = convex_hull(points).unwrap_or_default();
                Core::Faces { positions, triangles }
            }
            Shape::Mesh(mesh) => {
                let Oriented { positions, triangles, .. } = Oriented::of(mesh);
                Core::Faces { positions, triangles }
            }
            Shape::HeightField { corner, size, heights } => {
                let (positions, triangles) = Terrain::triangles(*corner, *size, heights);
                Core::Faces { positions, triangles }
            }
        }
    }
}

/// Corners around a cylinder.
const SIDES: u32 = 64;

fn cylinder(ends: [Vec3; 2], radius: Real) -> Core {
    let axis = (ends[1] - ends[0]).try_normalize().unwrap_or(Vec3::Z);
    let across = axis.any_orthonormal_vector();
    let upright = axis.cross(across);
    let mut positions = ends.to_vec();
    for side in 0..SIDES {
        let (sin, cos) = (TAU * Real::from(side) / Real::from(SIDES)).sin_cos();
        let arm = (across * cos + upright * sin) * radius;
        positions.extend(ends.map(|end| end + arm));
    }
    let mut triangles = Vec::new();
    for side in 0..SIDES {
        let [low, high] = [2 + 2 * side, 3 + 2 * side];
        let next = (side + 1) % SIDES;
        let [next_low, next_high] = [2 + 2 * next, 3 + 2 * next];
        triangles.extend([
            [0, next_low, low],
            [1, high, next_high],
            [low, next_low, next_high],
            [low, next_high, high],
        ]);
    }
    Core::Faces { positions, triangles }
}

fn cuboid(center: Vec3, size: Vec3, rotation: Vec3) -> Core {
    let turn = Rotation::from_scaled_axis(rotation);
    let part = |k: u32, bit: u32| if k >> bit & 1 == 1 { 0.5 } else { -0.5 };
    let corner = |k: u32| center + turn * (size * Vec3::new(part(k, 0), part(k, 1), part(k, 2)));
    let positions = (0..8).map(corner).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Core::Faces { positions, triangles }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Face, Mesh, edges};
    use std::f64::consts::PI;
    use std::sync::Arc;

    /// Volume inside outward triangles; every edge must have two that turn against each other along it.
    fn volume(shape: Shape) -> Real {
        let Core::Faces { positions, triangles } = Collider::from(shape).core() else { panic!("no faces") };
        let faces: Vec<Face> = triangles.iter().map(|&[a, b, c]| Face::triangle(a, b, c)).collect();
        assert!(edges(&faces).iter().all(|edge| edge.faces.len() == 2));
        let mesh = Mesh { positions, faces };
        assert_eq!(mesh.check().unwrap().flipped_edges, 0);
        let corners = |[a, b, c]: [u32; 3]| [a, b, c].map(|k| mesh.positions[k as usize]);
        triangles.into_iter().map(corners).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
    }

    #[test]
    fn triangles_enclose_the_volume_of_their_shape() {
        let (center, size, rotation) = (Vec3::ONE, Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.3, -2.0, 1.0));
        assert!((volume(Shape::Cuboid { center, size, rotation }) - 6.0).abs() < 1e-13);
        let ends = [Vec3::X, Vec3::new(1.0, 2.0, 2.0)];
        let polygon = 0.5 * Real::from(SIDES) * (TAU / Real::from(SIDES)).sin();
        let found = volume(Shape::Cylinder { ends, radius: 0.5 });
        assert!((found - polygon * 0.25 * ends[0].distance(ends[1])).abs() < 1e-13);
        assert!((polygon / PI - 1.0).abs() < 2e-3);
        let points = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::splat(0.1)].to_vec();
        assert!((volume(Shape::Hull { points }) - 1.0 / 6.0).abs() < 1e-13);
        let mut inside_out = Mesh::ball(1.0, 2);
        for face in &mut inside_out.faces {
            let &[a, b, c] = face.corners() else { panic!("triangles") };
            *face = Face::triangle(a, c, b);
        }
        let found = volume(Shape::Mesh(Arc::new(inside_out)));
        assert!(found > 3.9 && found < 4.0 / 3.0 * PI, "{found}");
    }

    #[test]
    fn the_ground_faces_up() {
        let heights = vec![vec![0.0, 1.0, 0.0], vec![0.5, 0.0, 0.25]];
        let shape = Shape::HeightField { corner: Vec3::new(1.0, 2.0, 3.0), size: [4.0, 6.0], heights };
        let Core::Faces { positions, triangles } = Collider::from(shape).core() else { panic!("no faces") };
        assert_eq!((positions.len(), triangles.len()), (6, 4));
        assert_eq!(positions[5], Vec3::new(5.0, 8.0, 3.25));
        for [a, b, c] in triangles.into_iter().map(|t| t.map(|k| positions[k as usize])) {
            assert!((b - a).cross(c - a).z > 0.0);
        }
    }
}
