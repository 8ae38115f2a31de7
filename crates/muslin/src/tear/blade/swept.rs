//! The surface that the edge of a blade sweeps.

use super::Sweep;
use crate::contact::geometry::distance::{blend, point_triangle};
use crate::math::{Real, Vec3};
use crate::mesh::bounds;
use robust::{Coord3D, orient3d};

/// Triangles, all with the same orientation.
pub struct Swept {
    triangles: Vec<[Vec3; 3]>,
    bounds: [Vec3; 2],
}

/// Where an edge passes through the swept surface.
#[derive(Clone, Copy, Debug)]
pub struct Crossing {
    /// The part of the edge before it.
    pub t: Real,
    /// The triangle of the swept surface.
    pub triangle: usize,
}

impl Swept {
    pub fn of(sweeps: &[Sweep]) -> Self {
        let of_sweep = |&Sweep { from: [a, b], to: [d, c] }: &Sweep| [[a, b, c], [a, c, d]];
        let triangles: Vec<[Vec3; 3]> = sweeps.iter().flat_map(of_sweep).collect();
        let bounds = bounds(triangles.as_flattened());
        Self { triangles, bounds }
    }

    /// Where an edge crosses: none if it passes through an even number of times, the middle one of several.
    pub fn crossing(&self, [p, q]: [Vec3; 2]) -> Option<Crossing> {
        let (low, high) = (p.min(q), p.max(q));
        let is_apart = |[from, to]: [Vec3; 2]| from.cmpgt(high).any() || low.cmpgt(to).any();
        if is_apart(self.bounds) {
            return None;
        }
        let near = self.triangles.iter().enumerate().filter(|(_, triangle)| !is_apart(bounds(&triangle[..])));
        let crossed = near.filter(|(_, triangle)| passes_through([p, q], **triangle));
        let mut found: Vec<Crossing> = crossed
            .map(|(k, triangle)| Crossing { t: part_before([p, q], *triangle), triangle: k })
            .collect();
        found.sort_by(|one, other| one.t.total_cmp(&other.t));
        (found.len() % 2 == 1).then(|| found[found.len() / 2])
    }

    /// Whether a point is nearer than a length [m].
    pub fn is_within(&self, p: Vec3, length: Real) -> bool {
        let [low, high] = self.bounds;
        let is_near = p.cmpge(low - length).all() && p.cmple(high + length).all();
        is_near && self.distance(p) < length
    }

    /// The distance of a point [m].
    pub fn distance(&self, p: Vec3) -> Real {
        let to = |triangle: &[Vec3; 3]| blend(*triangle, point_triangle(p, *triangle)).distance(p);
        self.triangles.iter().map(to).fold(Real::INFINITY, Real::min)
    }
}

/// Whether a segment passes through a triangle. Points of its plane count as above it, and lines that meet are passed as they are sorted:
/// so neighbours agree about their common side, and a segment through it passes through one of them.
fn passes_through([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    if is_above([a, b, c], p) == is_above([a, b, c], q) {
        return false;
    }
    let turns = [[a, b], [b, c], [c, a]].map(|side| turns_left([p, q], side));
    turns == [true; 3] || turns == [false; 3]
}

fn is_above(triangle: [Vec3; 3], p: Vec3) -> bool {
    let [a, b, c] = triangle.map(coordinates);
    orient3d(a, b, c, coordinates(p)) >= 0.0
}

/// On which side a directed segment passes a directed line: changed by turning any of the two around.
fn turns_left([p, q]: [Vec3; 2], [a, b]: [Vec3; 2]) -> bool {
    let sorted = |[from, to]: [Vec3; 2]| {
        let is_before = from.to_array().partial_cmp(&to.to_array()).is_some_and(std::cmp::Ordering::is_le);
        if is_before { ([from, to], false) } else { ([to, from], true) }
    };
    let (([p, q], is_turned), ([a, b], is_turned_too)) = (sorted([p, q]), sorted([a, b]));
    let [p, q, a, b] = [p, q, a, b].map(coordinates);
    (orient3d(p, q, a, b) >= 0.0) ^ is_turned ^ is_turned_too
}

fn coordinates(p: Vec3) -> Coord3D<Real> {
    Coord3D { x: p.x, y: p.y, z: p.z }
}

/// The part of a segment before the plane of a triangle.
fn part_before([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> Real {
    let normal = (b - a).cross(c - a);
    let (from, to) = (normal.dot(p - a), normal.dot(q - a));
    let t = from / (from - to);
    if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.5 }
}
