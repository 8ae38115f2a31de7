//! Quickhull, masses of shapes, and trees of triangles: the only file that names parry.

use super::hull::Triangles;
use super::{Collider, Core, Shape};
use crate::math::{Mat3, Real, Rotation, Vec3};
use parry3d_f64::mass_properties::MassProperties;
use parry3d_f64::math::Vector;
use parry3d_f64::query::{PointQueryWithLocation, Ray, RayCast};
use parry3d_f64::shape::{TriMesh, TriMeshFlags};
use parry3d_f64::transformation::try_convex_hull;
use std::sync::Arc;

/// The convex hull of points of about unit size, all different and not in one plane.
pub fn quickhull(points: &[Vec3]) -> Result<Triangles, String> {
    let points: Vec<Vector> = points.iter().copied().map(there).collect();
    let (positions, triangles) =
        try_convex_hull(&points).map_err(|error| format!("has points without a hull: {error}"))?;
    Ok((positions.into_iter().map(back).collect(), triangles))
}

/// Volume and its moments, of a shape of density 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeMass {
    /// Volume [m³].
    pub volume: Real,
    /// Centre of mass [m].
    pub center: Vec3,
    /// Inertia about the centre, for a density of 1 kg/m³ [m⁵].
    pub inertia: Mat3,
}

/// Volume and moments of a shape; none if it has no finite volume, like a plane or a mesh with holes.
pub fn mass_properties(shape: &Shape) -> Option<ShapeMass> {
    let (found, place, turn) = match *shape {
        Shape::Plane { .. } | Shape::HeightField { .. } => return None,
        Shape::Sphere { center, radius } => {
            (MassProperties::from_ball(1.0, radius), center, Rotation::IDENTITY)
        }
        Shape::Capsule { ends: [a, b], radius } if a == b => {
            (MassProperties::from_ball(1.0, radius), a, Rotation::IDENTITY)
        }
        Shape::Capsule { ends: [a, b], radius } => {
            // Along its own axis, so that no digits go into the place.
            let half = Vector::new(0.0, 0.5 * a.distance(b), 0.0);
            (MassProperties::from_capsule(1.0, -half, half, radius), 0.5 * (a + b), along(a, b))
        }
        Shape::Cylinder { ends: [a, b], radius } => {
            (MassProperties::from_cylinder(1.0, 0.5 * a.distance(b), radius), 0.5 * (a + b), along(a, b))
        }
        Shape::Cuboid { center, size, rotation } => {
            let turn = Rotation::from_scaled_axis(rotation);
            (MassProperties::from_cuboid(1.0, there(0.5 * size)), center, turn)
        }
        Shape::Hull { .. } | Shape::Mesh(_) => {
            if shape.surface_report().is_some_and(|report| report.open_edges + report.twisted_edges > 0) {
                return None;
            }
            let Core::Faces { positions, triangles } = Collider::from(shape.clone()).core() else {
                return None;
            };
            let middle = positions.iter().sum::<Vec3>() / positions.len().max(1) as Real;
            let vertices: Vec<Vector> = positions.iter().map(|&x| there(x - middle)).collect();
            (MassProperties::from_trimesh(1.0, &vertices, &triangles), middle, Rotation::IDENTITY)
        }
    };
    let own = found.reconstruct_inertia_matrix();
    let r = Mat3::from_quat(turn);
    let inertia = r * Mat3::from_cols(back(own.x_axis), back(own.y_axis), back(own.z_axis)) * r.transpose();
    let volume = found.mass();
    let center = place + turn * back(found.local_com);
    (volume > 0.0 && volume.is_finite()).then_some(ShapeMass { volume, center, inertia })
}

/// The turn of y into the direction from a to b.
fn along(a: Vec3, b: Vec3) -> Rotation {
    Rotation::from_rotation_arc(Vec3::Y, (b - a).try_normalize().unwrap_or(Vec3::Y))
}

/// Triangles that can be asked for the nearest one.
#[derive(Clone, Debug)]
pub struct TriangleTree {
    mesh: Arc<TriMesh>,
    /// Distances up to this are rounding [m].
    rounding: Real,
}

/// The point of the triangles that is nearest to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Where it is [m].
    pub point: Vec3,
    /// From there to the point that was asked for, or the triangle's normal if they are one; a unit vector.
    pub away: Vec3,
    /// Distance between the two, 0 or more [m].
    pub distance: Real,
    /// Whether the point that was asked for lies behind the triangles.
    pub behind: bool,
}

impl TriangleTree {
    /// Sorts triangles into a tree; none if there is no triangle. They must turn one way to have a side behind them.
    pub fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> Option<Self> {
        let vertices = positions.iter().copied().map(there).collect();
        let mesh = TriMesh::with_flags(vertices, triangles.to_vec(), TriMeshFlags::ORIENTED).ok()?;
        let bounds = mesh.local_aabb();
        let reach = bounds.mins.abs().max(bounds.maxs.abs()).length();
        Some(Self { mesh: Arc::new(mesh), rounding: 1e-11 * reach })
    }

    /// Lowest and highest corner of the box around all triangles [m].
    pub fn bounds(&self) -> [Vec3; 2] {
        let bounds = self.mesh.local_aabb();
        [back(bounds.mins), back(bounds.maxs)]
    }

    /// The nearest point of the triangles.
    pub fn nearest(&self, point: Vec3) -> Nearest {
        let asked = there(point);
        let (found, (triangle, _)) = self.mesh.project_local_point_and_get_location(asked, false);
        let way = asked - found.point;
        let distance = way.length();
        let behind = found.is_inside;
        let away = if distance > self.rounding {
            way / distance
        } else {
            let normal = self.mesh.triangle(triangle).scaled_normal().normalize_or_zero();
            if behind { -normal } else { normal }
        };
        Nearest { point: back(found.point), away: back(away), distance, behind }
    }

    /// Where the way from `start` to `end` first crosses a triangle [m], and its unit normal, towards the start.
    pub fn crossing(&self, start: Vec3, end: Vec3) -> Option<[Vec3; 2]> {
        let ray = Ray::new(there(start), there(end - start));
        let hit = self.mesh.cast_local_ray_and_get_normal(&ray, 1.0, false)?;
        let normal = back(hit.normal).try_normalize()?;
        let facing = if normal.dot(end - start) > 0.0 { -normal } else { normal };
        Some([start + (end - start) * hit.time_of_impact, facing])
    }
}

fn there(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn back(v: Vector) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_triangle_has_two_sides() {
        let tree = TriangleTree::new(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[[0, 1, 2]]).unwrap();
        let above = tree.nearest(Vec3::new(0.2, 0.3, 0.5));
        assert!(
            (above.distance - 0.5).abs() < 1e-15 && above.away.distance(Vec3::Z) < 1e-15 && !above.behind
        );
        let below = tree.nearest(Vec3::new(0.2, 0.3, -0.5));
        assert!(below.away.distance(-Vec3::Z) < 1e-15 && below.behind);
        let beside = tree.nearest(Vec3::new(-3.0, 0.3, 4.0));
        assert!((beside.distance - 5.0).abs() < 1e-14 && beside.point.distance(Vec3::Y * 0.3) < 1e-15);
    }

    #[test]
    fn a_crossing_faces_where_the_way_came_from() {
        let tree = TriangleTree::new(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[[0, 1, 2]]).unwrap();
        let through = Vec3::new(0.25, 0.25, 0.0);
        for side in [Vec3::Z, -Vec3::Z] {
            let [point, normal] = tree.crossing(through + side, through - side).unwrap();
            assert!(point.distance(through) < 1e-15 && normal.distance(side) < 1e-15);
        }
        assert_eq!(tree.crossing(through + Vec3::Z, through + Vec3::Z * 0.1), None);
    }

    #[test]
    fn no_triangles_make_no_tree() {
        assert!(TriangleTree::new(&[], &[]).is_none());
    }
}
