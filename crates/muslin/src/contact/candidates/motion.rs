//! The straight motion of all vertices in a step, before the guard restricts it.

use crate::contact::mesh::collision_mesh::CollisionMesh;
use crate::math::{Real, Vec3};

/// The motion of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepMotion<'a> {
    /// Positions at its start [m].
    pub start: &'a [Vec3],
    /// Positions at its end [m].
    pub target: &'a [Vec3],
    /// How far from the box around its path a vertex may get [m].
    pub margin: Real,
    /// Added to every box, to keep it for longer [m].
    pub skin: Real,
    /// Mean number of overlaps per patch beyond which there are too many.
    pub most_overlaps: Real,
}

/// How far from its straight path a vertex may get [m].
#[inline]
pub fn extra(surface: &CollisionMesh, vertex: usize, motion: &StepMotion, x: Vec3, y: Vec3) -> Real {
    // A vertex of a solid that turns leaves the chord of its arc, by less than a fifth of it in a quarter turn.
    if surface.is_cloth(vertex as u32) { motion.margin } else { 0.21 * x.distance(y) }
}

/// A box around the paths of vertices that move and turn together, by half a turn at the most [m].
pub fn swept_box(start: &[Vec3], target: &[Vec3]) -> [Vec3; 2] {
    let paths = start.iter().zip(target);
    let farthest = paths.clone().map(|(x, y)| x.distance_squared(*y)).fold(0.0, Real::max).sqrt();
    let [low, high] = paths.fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], (x, y)| {
        [low.min(x.min(*y)), high.max(x.max(*y))]
    });
    // An arc up to half a circle goes no farther beyond its chord than half of that.
    let arc = Vec3::splat(0.5 * farthest);
    [low - arc, high + arc]
}

/// The fraction of a displacement, from a point at an arm from the centre of a ball, that stays in it.
#[inline]
pub fn fraction_in_ball(arm: Vec3, displacement: Vec3, radius: Real) -> Real {
    let (a, b, c) =
        (displacement.length_squared(), arm.dot(displacement), arm.length_squared() - radius * radius);
    if a == 0.0 || c >= 0.0 {
        return 0.0;
    }
    // The positive root of a t² + 2 b t + c, in the form without cancellation.
    let root = (b * b - a * c).sqrt();
    let fraction = if b > 0.0 { -c / (b + root) } else { (root - b) / a };
    fraction.clamp(0.0, 1.0)
}
