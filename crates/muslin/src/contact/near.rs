//! A vertex and a triangle, or two edges, and where they are nearest.

use super::distance::{point_triangle, segment_segment};
use crate::math::{Real, Vec3};

/// Two parts of a surface and the points of both that are nearest to each other.
///
/// ```text
/// Σ wᵢ xᵢ = δ n        wᵢ > 0 on the first part, < 0 on the second, each summing up to ±1
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Four vertices: those of the first part, then those of the second.
    pub vertices: [u32; 4],
    /// How many of them are the first part's: 1 for vertex–triangle, 2 for edge–edge, 0 for a vertex and a wall.
    pub first: usize,
    /// Number of the triangle, or of the wall; of two edges, whether one of them is [`FLAT`](super::surface::FLAT).
    pub triangle: u32,
    /// w.
    pub weights: [Real; 4],
    /// n: unit vector from the second part to the first.
    pub normal: Vec3,
    /// δ [m].
    pub distance: Real,
}

/// Four vertices, how many of them are the first part's, and the number of a triangle or a wall.
pub type Key = ([u32; 4], usize, u32);

impl Near {
    /// Two parts by their vertices.
    #[inline]
    pub fn pair(x: &[Vec3], vertices: [u32; 4], first: usize, triangle: u32) -> Self {
        Self { vertices, first, triangle, ..Self::NOWHERE }.at(x)
    }

    /// A vertex and a wall with this number and normal.
    pub fn wall(vertex: u32, wall: u32, normal: Vec3) -> Self {
        let weights = [1.0, 0.0, 0.0, 0.0];
        Self { vertices: [vertex; 4], first: 0, triangle: wall, weights, normal, ..Self::NOWHERE }
    }

    pub const NOWHERE: Self = Self {
        vertices: [0; 4],
        first: 0,
        triangle: u32::MAX,
        weights: [0.0; 4],
        normal: Vec3::Z,
        distance: Real::INFINITY,
    };

    /// Who is near whom.
    #[inline]
    pub fn key(&self) -> Key {
        (self.vertices, self.first, self.triangle)
    }

    /// The same parts at other positions; a wall stays as it is.
    #[inline]
    #[must_use]
    pub fn at(&self, x: &[Vec3]) -> Self {
        self.of(self.vertices.map(|v| x[v as usize]))
    }

    /// The same parts with their vertices at these points.
    #[inline]
    #[must_use]
    pub fn of(&self, points: [Vec3; 4]) -> Self {
        if self.first == 0 { *self } else { self.with(points, &Nearest::of(points, self.first)) }
    }

    /// The same parts with their vertices at these points, of which the nearest are known.
    #[inline]
    #[must_use]
    pub fn with(&self, [a, b, c, d]: [Vec3; 4], nearest: &Nearest) -> Self {
        let Nearest { weights, arm } = *nearest;
        let distance = arm.length();
        let normal =
            unit(arm, distance, || if self.first == 1 { (c - b).cross(d - b) } else { (b - a).cross(d - c) });
        Self { weights, normal, distance, ..*self }
    }

    /// Σ wᵢ yᵢ of any quantity y of the vertices.
    #[inline]
    pub fn difference(&self, y: &[Vec3]) -> Vec3 {
        let [a, b, c, d] = self.vertices.map(|v| y[v as usize]);
        a * self.weights[0] + b * self.weights[1] + c * self.weights[2] + d * self.weights[3]
    }
}

/// How far two parts lie apart along n, by all their vertices, so many of which are the first one's [m]. At most 0 if n does not
/// part them.
#[inline]
pub fn gap(normal: Vec3, vertices: [Vec3; 4], first: usize) -> Real {
    let heights = vertices.map(|x| normal.dot(x));
    let (first, second) = heights.split_at(first);
    first.iter().copied().fold(Real::INFINITY, Real::min)
        - second.iter().copied().fold(Real::NEG_INFINITY, Real::max)
}

/// The points of two parts that are nearest to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// w, see [`Near`].
    pub weights: [Real; 4],
    /// Σ wᵢ xᵢ: from the second part to the first [m].
    pub arm: Vec3,
}

impl Nearest {
    /// Of a vertex and a triangle, or of two edges, by how many vertices the first part has.
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
