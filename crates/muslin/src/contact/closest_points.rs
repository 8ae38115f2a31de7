//! Where a vertex and a triangle, or two edges, are nearest.

use super::geometry::distance::{point_triangle, segment_segment};
use crate::math::{Real, Vec3};
use crate::stencil::{Kind, Stencil};

/// A pair of features and the points of both that are closest to each other.
///
/// ```text
/// Σ wᵢ xᵢ = δ n        wᵢ > 0 on the first feature, < 0 on the second, each summing up to ±1
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoints {
    /// The features.
    pub stencil: Stencil,
    /// w.
    pub weights: [Real; 4],
    /// n: unit vector from the second feature to the first.
    pub normal: Vec3,
    /// δ [m].
    pub distance: Real,
}

impl ClosestPoints {
    /// Of two features with the vertices at x [m].
    #[inline]
    pub fn of(stencil: Stencil, x: &[Vec3]) -> Self {
        let nowhere = Self { stencil, weights: [0.0; 4], normal: Vec3::Z, distance: Real::INFINITY };
        nowhere.at(x)
    }

    /// Of a vertex and a wall with this number and normal.
    pub fn wall(vertex: u32, wall: u32, normal: Vec3) -> Self {
        let stencil = Stencil { vertices: [vertex; 4], kind: Kind::VertexWall { wall } };
        Self { stencil, weights: [1.0, 0.0, 0.0, 0.0], normal, distance: Real::INFINITY }
    }

    /// The same features at other positions; a wall stays as it is.
    #[inline]
    #[must_use]
    pub fn at(&self, x: &[Vec3]) -> Self {
        self.with_points(self.stencil.points(x))
    }

    /// The same features with their vertices at these points; a wall stays as it is.
    #[inline]
    #[must_use]
    pub fn with_points(&self, points: [Vec3; 4]) -> Self {
        let first = self.stencil.first();
        if first == 0 { *self } else { Self::with_nearest(self.stencil, points, &Nearest::of(points, first)) }
    }

    /// Of features with their vertices at these points, of which the nearest are known.
    #[inline]
    pub fn with_nearest(stencil: Stencil, [a, b, c, d]: [Vec3; 4], nearest: &Nearest) -> Self {
        let Nearest { weights, arm } = *nearest;
        let distance = arm.length();
        let normal = unit(arm, distance, || {
            if stencil.first() == 1 { (c - b).cross(d - b) } else { (b - a).cross(d - c) }
        });
        Self { stencil, weights, normal, distance }
    }

    /// Σ wᵢ yᵢ of any quantity y of the vertices.
    #[inline]
    pub fn difference(&self, y: &[Vec3]) -> Vec3 {
        let [a, b, c, d] = self.stencil.points(y);
        a * self.weights[0] + b * self.weights[1] + c * self.weights[2] + d * self.weights[3]
    }
}

/// Gap of two features along n, over all their vertices, of which the first `first` are those of the first feature [m]. At most 0 if n
/// does not separate them.
#[inline]
pub fn gap(normal: Vec3, vertices: [Vec3; 4], first: usize) -> Real {
    let heights = vertices.map(|x| normal.dot(x));
    let (first, second) = heights.split_at(first);
    first.iter().copied().fold(Real::INFINITY, Real::min)
        - second.iter().copied().fold(Real::NEG_INFINITY, Real::max)
}

/// An upper bound of the rounding error of a gap between vertices at these points [m]: a smaller gap is unreliable.
#[inline]
pub fn resolution(points: [Vec3; 4]) -> Real {
    const UNITS: Real = 100.0;
    let largest = points.into_iter().fold(Vec3::ZERO, |largest, x| largest.max(x.abs()));
    UNITS * Real::EPSILON * largest.max_element()
}

/// The direction that separates two features best, and their gap along it [m]. For features so near to each other that the arm between
/// their closest points is only rounding: the best of that arm, the normals of faces, sides and pairs of edges, and the arms between
/// corners and sides, perpendicular to these.
#[cold]
pub fn separation(points: [Vec3; 4], first: usize) -> (Vec3, Real) {
    // Seen from one of them, near points lose no digits.
    let [a, b, c, d] = points.map(|x| x - points[0]);
    let seen = [a, b, c, d];
    let mut best = (Vec3::Z, Real::NEG_INFINITY);
    let mut offer = |direction: Vec3| {
        if let Some(n) = direction.try_normalize() {
            for n in [n, -n] {
                let gap = gap(n, seen, first);
                if gap > best.1 {
                    best = (n, gap);
                }
            }
        }
    };
    offer(Nearest::of(seen, first).arm);
    // From a point to an edge, and square to the edge.
    let square = |p: Vec3, [from, to]: [Vec3; 2]| {
        let side = (to - from).normalize_or_zero();
        let arm = p - from;
        arm - side * side.dot(arm)
    };
    if first == 1 {
        let face = (c - b).cross(d - b);
        offer(face);
        for side in [[b, c], [c, d], [d, b]] {
            offer(square(a, side));
            offer(face.cross(side[1] - side[0]));
            offer(a - side[0]);
        }
    } else {
        let (e, f) = (b - a, d - c);
        let both = e.cross(f);
        for direction in [both, both.cross(e), both.cross(f), e, f] {
            offer(direction);
        }
        for p in [a, b] {
            offer(square(p, [c, d]));
            offer(p - c);
            offer(p - d);
        }
        for p in [c, d] {
            offer(square(p, [a, b]));
        }
    }
    best
}

/// The points of two features that are closest to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// w, see [`ClosestPoints`].
    pub weights: [Real; 4],
    /// Σ wᵢ xᵢ: from the second feature to the first [m].
    pub arm: Vec3,
}

impl Nearest {
    /// Of a vertex and a triangle, or of two edges, by how many vertices the first feature has.
    #[inline(always)]
    pub fn of([a, b, c, d]: [Vec3; 4], first: usize) -> Self {
        if first == 1 {
            let w = point_triangle(a, [b, c, d]);
            let arm = a - (b * w[0] + c * w[1] + d * w[2]);
            Self { weights: [1.0, -w[0], -w[1], -w[2]], arm }
        } else {
            let [s, t] = segment_segment([a, b], [c, d]);
            let arm = a * (1.0 - s) + b * s - (c * (1.0 - t) + d * t);
            Self { weights: [1.0 - s, s, t - 1.0, -t], arm }
        }
    }
}

/// The direction of an arm of this length, or where it has none, of something else; anything rather than nothing.
#[inline]
fn unit(arm: Vec3, length: Real, otherwise: impl Fn() -> Vec3) -> Vec3 {
    // Lengths near the smallest numbers lose their digits.
    let n = arm / length;
    if n.is_normalized() { n } else { otherwise().try_normalize().unwrap_or(Vec3::Z) }
}

/// A pair that could meet in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The features.
    pub stencil: Stencil,
    /// n: unit vector that separates them at the start of the step, from the second to the first.
    pub normal: Vec3,
    /// Their distance at the start of the step, or less [m].
    pub distance: Real,
    /// Sum of the radii of both [m].
    pub radius: Real,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vertex a billionth of a metre above a triangle of a metre, and edges that cross as near: the arm between them, found in
    /// coordinates of metres, is off by more than their gap.
    #[test]
    fn features_a_nanometre_apart_are_separated() {
        let height = 1e-9;
        for turn in 0..200 {
            let axis = Vec3::new(1.0, 0.37 * Real::from(turn), -0.6);
            let turned = crate::math::Rotation::from_scaled_axis(axis);
            let place = |x: Real, y: Real, z: Real| turned * Vec3::new(x + 3.0, y - 2.0, z + 5.0);
            let corner = [place(1.0, 0.1, 0.0), place(-0.4, 0.8, 0.0), place(-0.5, -0.9, 0.0)];
            let [b, c, d] = corner;
            let vertex = [place(0.1, 0.05, height), b, c, d];
            let at_side = [(b + c) * 0.5 + turned * Vec3::Z * height, b, c, d];
            let edges = [
                place(-1.0, 0.2, height),
                place(1.0, -0.3, height),
                place(0.1, -1.0, 0.0),
                d * 0.1 + c * 0.9,
            ];
            let flat = [edges[0], edges[1], place(0.1, -1.0, 0.0), place(0.3, 1.0, 0.0)];
            for (points, first) in [(vertex, 1), (at_side, 1), (flat, 2)] {
                let (n, gap) = separation(points, first);
                assert!(n.is_normalized() && (gap - height).abs() < resolution(points), "{turn}: {gap}");
            }
        }
    }
}
