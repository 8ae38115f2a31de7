//! Distances to shapes in their own frame.

use super::{Oriented, Shape, Terrain, TriangleTree, convex_hull};
use crate::math::{Real, Rotation, Vec3};
use crate::mesh::bounds;

/// Where a solid's surface is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Unit vector out of the solid.
    pub normal: Vec3,
    /// Distance to the surface, negative inside [m].
    pub distance: Real,
}

/// A shape made ready for questions.
#[derive(Clone, Debug)]
pub enum Form {
    Plane {
        point: Vec3,
        normal: Vec3,
    },
    Ball {
        center: Vec3,
        radius: Real,
    },
    Capsule {
        ends: [Vec3; 2],
        radius: Real,
    },
    Cylinder {
        middle: Vec3,
        axis: Vec3,
        half_length: Real,
        radius: Real,
    },
    Cuboid {
        center: Vec3,
        half: Vec3,
        turn: Rotation,
    },
    /// A closed surface.
    Closed(TriangleTree),
    /// A surface with holes.
    Shell(TriangleTree),
    Terrain(Terrain),
    /// A shape that cannot be: nothing meets it.
    Nothing,
}

impl Form {
    pub fn of(shape: &Shape) -> Self {
        match shape {
            &Shape::Plane { point, normal } => Self::Plane { point, normal },
            &Shape::Sphere { center, radius } => Self::Ball { center, radius },
            &Shape::Capsule { ends, radius } => Self::Capsule { ends, radius },
            &Shape::Cylinder { ends: [a, b], radius } => Self::Cylinder {
                middle: 0.5 * (a + b),
                axis: (b - a).try_normalize().unwrap_or(Vec3::Z),
                half_length: 0.5 * a.distance(b),
                radius,
            },
            &Shape::Cuboid { center, size, rotation } => {
                Self::Cuboid { center, half: 0.5 * size, turn: Rotation::from_scaled_axis(rotation) }
            }
            Shape::Hull { points } => convex_hull(points)
                .ok()
                .and_then(|(positions, triangles)| TriangleTree::new(&positions, &triangles))
                .map_or(Self::Nothing, Self::Closed),
            Shape::Mesh(mesh) => {
                let Oriented { positions, triangles, report } = Oriented::of(mesh);
                match TriangleTree::new(&positions, &triangles) {
                    Some(tree) if report.is_closed() => Self::Closed(tree),
                    Some(tree) => Self::Shell(tree),
                    None => Self::Nothing,
                }
            }
            Shape::HeightField { corner, size, heights } => {
                Terrain::new(*corner, *size, heights).map_or(Self::Nothing, Self::Terrain)
            }
        }
    }

    /// Lowest and highest corner of a box around the shape [m].
    pub fn bounds(&self) -> [Vec3; 2] {
        match *self {
            Self::Plane { .. } => [Vec3::NEG_INFINITY, Vec3::INFINITY],
            Self::Ball { center, radius } => [center - radius, center + radius],
            Self::Capsule { ends: [a, b], radius } => [a.min(b) - radius, a.max(b) + radius],
            Self::Cylinder { middle, axis, half_length, radius } => {
                // Of a disc of radius r with normal a, the reach along x is r √(1 − aₓ²).
                let across = (Vec3::ONE - axis * axis).max(Vec3::ZERO);
                let reach = axis.abs() * half_length + across.map(Real::sqrt) * radius;
                [middle - reach, middle + reach]
            }
            Self::Cuboid { center, half, turn } => {
                let corners: Vec<Vec3> = (0..8)
                    .map(|k| {
                        let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
                        center + turn * (half * Vec3::new(sign(0), sign(1), sign(2)))
                    })
                    .collect();
                bounds(&corners)
            }
            Self::Closed(ref tree) | Self::Shell(ref tree) => tree.bounds(),
            Self::Terrain(ref terrain) => terrain.bounds(),
            Self::Nothing => [Vec3::INFINITY, Vec3::NEG_INFINITY],
        }
    }

    /// The surface nearest to `point`. A shell has no inside: its normal is on the side of the point.
    #[inline]
    pub fn closest(&self, point: Vec3) -> Touch {
        match *self {
            Self::Ball { center, radius } => {
                let arm = point - center;
                Touch { normal: arm.try_normalize().unwrap_or(Vec3::Z), distance: arm.length() - radius }
            }
            Self::Plane { point: origin, normal } => {
                let normal = normal.normalize_or_zero();
                Touch { normal, distance: (point - origin).dot(normal) }
            }
            Self::Capsule { ends, radius } => capsule_touch(point, ends, radius),
            Self::Cylinder { middle, axis, half_length, radius } => {
                cylinder_touch(point - middle, axis, half_length, radius)
            }
            Self::Cuboid { center, half, turn } => {
                let touch = box_touch(turn.inverse() * (point - center), half);
                Touch { normal: turn * touch.normal, ..touch }
            }
            Self::Closed(ref tree) => {
                let near = tree.nearest(point);
                let sign = if near.behind { -1.0 } else { 1.0 };
                Touch { normal: near.away * sign, distance: near.distance * sign }
            }
            Self::Shell(ref tree) => {
                let near = tree.nearest(point);
                Touch { normal: near.away, distance: near.distance }
            }
            Self::Terrain(ref terrain) => terrain.closest(point),
            Self::Nothing => Touch { normal: Vec3::Z, distance: Real::INFINITY },
        }
    }
}

fn capsule_touch(point: Vec3, [a, b]: [Vec3; 2], radius: Real) -> Touch {
    let along = b - a;
    let length_squared = along.length_squared();
    let part =
        if length_squared > 0.0 { ((point - a).dot(along) / length_squared).clamp(0.0, 1.0) } else { 0.0 };
    let arm = point - (a + along * part);
    // On the axis every direction across it is as good.
    let normal = arm.try_normalize().or_else(|| along.any_orthogonal_vector().try_normalize());
    Touch { normal: normal.unwrap_or(Vec3::Z), distance: arm.length() - radius }
}

/// `arm` is the way from the middle.
fn cylinder_touch(arm: Vec3, axis: Vec3, half_length: Real, radius: Real) -> Touch {
    let along = arm.dot(axis);
    let across = arm - axis * along;
    let outward = across.try_normalize().unwrap_or_else(|| axis.any_orthonormal_vector());
    let lid = if along < 0.0 { -axis } else { axis };
    let (above, beside) = (along.abs() - half_length, across.length() - radius);
    if above <= 0.0 && beside <= 0.0 {
        return if above > beside {
            Touch { normal: lid, distance: above }
        } else {
            Touch { normal: outward, distance: beside }
        };
    }
    let way = lid * above.max(0.0) + outward * beside.max(0.0);
    Touch { normal: way.try_normalize().unwrap_or(lid), distance: way.length() }
}

/// `point` as seen from the middle, along the edges.
fn box_touch(point: Vec3, half: Vec3) -> Touch {
    let beyond = point.abs() - half;
    let sign = Vec3::ONE.copysign(point);
    if beyond.max_element() > 0.0 {
        let way = beyond.max(Vec3::ZERO) * sign;
        let face = Vec3::AXES[beyond.max_position()] * sign;
        return Touch { normal: way.try_normalize().unwrap_or(face), distance: way.length() };
    }
    let axis = beyond.max_position();
    Touch { normal: Vec3::AXES[axis] * sign, distance: beyond[axis] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Face, Mesh};
    use std::sync::Arc;

    fn assert_touch(shape: &Shape, point: Vec3, normal: Vec3, distance: Real) {
        let touch = Form::of(shape).closest(point);
        assert!((touch.distance - distance).abs() < 1e-14, "{shape:?} at {point}: {touch:?}");
        assert!(touch.normal.distance(normal) < 1e-13, "{shape:?} at {point}: {touch:?}");
    }

    #[test]
    fn distances_to_a_ball_and_a_floor() {
        let ball = Form::of(&Shape::Sphere { center: Vec3::Z, radius: 0.5 });
        assert_eq!(ball.closest(Vec3::new(0.0, 0.0, 3.0)), Touch { normal: Vec3::Z, distance: 1.5 });
        assert_eq!(ball.closest(Vec3::new(0.25, 0.0, 1.0)), Touch { normal: Vec3::X, distance: -0.25 });
        let floor = Form::of(&Shape::Plane { point: Vec3::Z, normal: Vec3::Z * 7.0 });
        assert_eq!(floor.closest(Vec3::ZERO), Touch { normal: Vec3::Z, distance: -1.0 });
    }

    #[test]
    fn distances_to_a_capsule() {
        let capsule = Shape::Capsule { ends: [Vec3::ZERO, Vec3::X * 2.0], radius: 0.5 };
        assert_touch(&capsule, Vec3::new(1.0, 0.0, 2.0), Vec3::Z, 1.5);
        assert_touch(&capsule, Vec3::new(0.5, -0.25, 0.0), -Vec3::Y, -0.25);
        assert_touch(&capsule, Vec3::new(5.0, 4.0, 0.0), Vec3::new(0.6, 0.8, 0.0), 4.5);
        let touch = Form::of(&capsule).closest(Vec3::X);
        assert!(touch.distance == -0.5 && touch.normal.dot(Vec3::X) == 0.0 && touch.normal.is_normalized());
        let ball = Shape::Capsule { ends: [Vec3::Z; 2], radius: 0.5 };
        assert_touch(&ball, Vec3::new(0.0, 0.0, 3.0), Vec3::Z, 1.5);
        assert_touch(&ball, Vec3::Z, Vec3::Z, -0.5);
    }

    #[test]
    fn distances_to_a_cylinder() {
        let cylinder = Shape::Cylinder { ends: [Vec3::ZERO, Vec3::Z * 4.0], radius: 1.0 };
        assert_touch(&cylinder, Vec3::new(3.0, 0.0, 1.0), Vec3::X, 2.0);
        assert_touch(&cylinder, Vec3::new(0.3, 0.4, 7.0), Vec3::Z, 3.0);
        assert_touch(&cylinder, Vec3::new(0.0, 4.0, -4.0), Vec3::new(0.0, 0.6, -0.8), 5.0);
        assert_touch(&cylinder, Vec3::new(0.0, -0.75, 2.0), -Vec3::Y, -0.25);
        assert_touch(&cylinder, Vec3::new(0.3, 0.4, 0.125), -Vec3::Z, -0.125);
        let touch = Form::of(&cylinder).closest(Vec3::Z * 2.0);
        assert!(touch.distance == -1.0 && touch.normal.dot(Vec3::Z) == 0.0 && touch.normal.is_normalized());
    }

    #[test]
    fn distances_to_a_turned_box() {
        let quarter = Vec3::Z * std::f64::consts::FRAC_PI_2; // its x edge becomes y, its y edge −x
        let cuboid = Shape::Cuboid { center: Vec3::Z, size: Vec3::new(2.0, 4.0, 6.0), rotation: quarter };
        assert_touch(&cuboid, Vec3::new(0.5, 3.0, 1.5), Vec3::Y, 2.0);
        assert_touch(&cuboid, Vec3::new(-5.0, 5.0, 1.0), Vec3::new(-0.6, 0.8, 0.0), 5.0);
        assert_touch(&cuboid, Vec3::new(1.75, 0.5, 1.0), Vec3::X, -0.25);
        assert_touch(&cuboid, Vec3::new(0.0, 0.0, 3.5), Vec3::Z, -0.5);
    }

    /// A hull and a mesh of a box, against the box.
    #[test]
    fn boxes_of_triangles_are_boxes() {
        let size = Vec3::new(1.0, 2.0, 3.0);
        let cuboid = Shape::Cuboid { center: Vec3::ZERO, size, rotation: Vec3::ZERO };
        let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 0.5 } else { -0.5 };
        let points: Vec<Vec3> =
            (0..8).map(|k| size * Vec3::new(sign(k, 0), sign(k, 1), sign(k, 2))).collect();
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let faces = quads.iter().map(|&[a, b, c, d]| Face::quad(a, b, c, d)).collect();
        let mesh = Shape::Mesh(Arc::new(Mesh { positions: points.clone(), faces }));
        let hull = Shape::Hull { points };
        for point in [
            Vec3::new(0.4, 0.1, 0.2),
            Vec3::new(0.1, -0.9, 0.3),
            Vec3::new(0.05, 0.1, 1.3),
            Vec3::new(2.0, 0.3, 0.2),
            Vec3::new(2.0, -3.0, 0.1),
            Vec3::new(-2.0, -3.0, 5.0),
        ] {
            let Touch { normal, distance } = Form::of(&cuboid).closest(point);
            assert_touch(&mesh, point, normal, distance);
            assert_touch(&hull, point, normal, distance);
        }
    }

    #[test]
    fn a_shell_has_no_inside() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
        let shell = Shape::Mesh(Arc::new(Mesh { positions, faces: vec![Face::triangle(0, 1, 2)] }));
        assert_touch(&shell, Vec3::new(0.2, 0.2, 0.5), Vec3::Z, 0.5);
        assert_touch(&shell, Vec3::new(0.2, 0.2, -0.5), -Vec3::Z, 0.5);
    }

    #[test]
    fn no_point_of_the_surface_is_outside_the_bounds() {
        let ends = [Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0)];
        for shape in [
            Shape::Sphere { center: Vec3::ONE, radius: 0.5 },
            Shape::Capsule { ends, radius: 0.5 },
            Shape::Cylinder { ends, radius: 0.5 },
            Shape::Cuboid { center: Vec3::X, size: Vec3::new(1.0, 2.0, 3.0), rotation: Vec3::ONE },
        ] {
            let form = Form::of(&shape);
            let [low, high] = form.bounds();
            // Distances to the six sides of a tight box are 0: a point far out along each axis is as far from both.
            for axis in Vec3::AXES {
                for far in [axis * 1e3, axis * -1e3] {
                    let away = form.closest(far).distance;
                    let side = (far - high).dot(axis).max((low - far).dot(axis));
                    assert!(away >= side - 1e-9, "{shape:?} along {far}: {away} {side}");
                    assert!(away <= side + 0.02, "{shape:?} along {far}: {away} {side}");
                }
            }
        }
    }

    #[test]
    fn shapes_that_cannot_be_are_met_by_nothing() {
        let flat = Shape::Hull { points: vec![Vec3::ZERO; 5] };
        let empty = Shape::Mesh(Arc::new(Mesh::default()));
        let ragged =
            Shape::HeightField { corner: Vec3::ZERO, size: [1.0; 2], heights: vec![vec![], vec![0.0]] };
        for shape in [flat, empty, ragged] {
            assert_eq!(Form::of(&shape).closest(Vec3::ZERO).distance, Real::INFINITY);
        }
    }
}
