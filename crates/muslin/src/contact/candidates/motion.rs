//! The straight motion of all vertices in a step, as far as it is known before the guard.

use crate::contact::mesh::collision_mesh::CollisionMesh;
use crate::math::{Real, Vec3};

/// The ways of a step.
#[derive(Clone, Copy, Debug)]
pub struct Ways<'a> {
    /// From where [m].
    pub start: &'a [Vec3],
    /// To where [m].
    pub target: &'a [Vec3],
    /// How far from the box around its way a vertex may get [m].
    pub margin: Real,
    /// Added to every box, to keep it for longer [m].
    pub skin: Real,
    /// Overlaps a patch, on the average, beyond which there are too many to look at.
    pub most_overlaps: Real,
}

/// How far beyond its way a vertex may get [m].
#[inline]
pub fn extra(surface: &CollisionMesh, vertex: usize, ways: &Ways, x: Vec3, y: Vec3) -> Real {
    // A vertex of a solid that turns leaves the chord of its arc, by less than a fifth of it in a quarter turn.
    if surface.is_cloth(vertex as u32) { ways.margin } else { 0.21 * x.distance(y) }
}

/// A box around the ways of vertices that move and turn together, by half a turn at the most [m].
pub fn swept_box(start: &[Vec3], target: &[Vec3]) -> [Vec3; 2] {
    let ways = start.iter().zip(target);
    let farthest = ways.clone().map(|(x, y)| x.distance_squared(*y)).fold(0.0, Real::max).sqrt();
    let [low, high] = ways.fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], (x, y)| {
        [low.min(x.min(*y)), high.max(x.max(*y))]
    });
    // An arc up to half a circle goes no farther beyond its chord than half of that.
    let arc = Vec3::splat(0.5 * farthest);
    [low - arc, high + arc]
}

/// The part of a way from an arm inside a ball that stays in it.
#[inline]
pub fn part_in_ball(arm: Vec3, way: Vec3, radius: Real) -> Real {
    let (a, b, c) = (way.length_squared(), arm.dot(way), arm.length_squared() - radius * radius);
    if a == 0.0 || c >= 0.0 {
        return 0.0;
    }
    // The positive root of a t² + 2 b t + c, in the form without cancellation.
    let root = (b * b - a * c).sqrt();
    let part = if b > 0.0 { -c / (b + root) } else { (root - b) / a };
    part.clamp(0.0, 1.0)
}
