//! Boxes that vertices do not leave: around their motion in a step, and some steps ahead, so that they serve for longer.

use super::motion::{StepMotion, extra};
use crate::contact::mesh::collision_mesh::CollisionMesh;
use crate::contact::settings::{SKINS_AHEAD, STEPS_AHEAD};
use crate::math::{Real, Vec3};

/// Where each vertex may be.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct VertexBounds {
    /// Lowest and highest corner [m], in a frame of their own.
    all: Vec<[Vec3; 2]>,
    /// How far that has moved since they were made [m].
    frame: Vec3,
}

impl VertexBounds {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Removes all.
    pub fn clear(&mut self) {
        self.all.clear();
    }

    /// New boxes for the motion of a step.
    pub fn fill(&mut self, surface: &CollisionMesh, motion: &StepMotion) {
        self.frame = Vec3::ZERO;
        self.all.clear();
        for (v, (&x, &y)) in motion.start.iter().zip(motion.target).enumerate() {
            let margin = Vec3::splat(extra(surface, v, motion, x, y) + motion.skin);
            let ahead = y + ((y - x) * STEPS_AHEAD).clamp_length_max(SKINS_AHEAD * motion.skin);
            self.all.push([x.min(y).min(ahead) - margin, x.max(y).max(ahead) + margin]);
        }
    }

    /// The corners of all boxes as they were made [m].
    pub fn as_made(&self) -> &[[Vec3; 2]] {
        &self.all
    }

    /// Takes all boxes along [m].
    pub fn move_by(&mut self, drift: Vec3) {
        self.frame += drift;
    }

    /// The corners of a vertex's box [m].
    #[inline]
    fn of(&self, vertex: usize) -> [Vec3; 2] {
        self.all[vertex].map(|corner| corner + self.frame)
    }

    /// Whether a point is in a vertex's box.
    #[inline]
    pub fn has(&self, vertex: usize, x: Vec3) -> bool {
        let [low, high] = self.of(vertex);
        x.cmpge(low).all() && x.cmple(high).all()
    }

    /// Whether the paths of a step stay in the boxes, except for vertices that do not count.
    pub fn contain(&self, motion: &StepMotion, counts: impl Fn(usize) -> bool) -> bool {
        let shift = self.frame + Vec3::splat(motion.margin);
        let back = self.frame - Vec3::splat(motion.margin);
        let mut all = self.all.iter().zip(motion.start.iter().zip(motion.target)).enumerate();
        all.all(|(v, ([low, high], (&x, &y)))| {
            let (low_end, high_end) = (x.min(y) - shift, x.max(y) - back);
            low_end.cmpge(*low).all() && high_end.cmple(*high).all() || !counts(v)
        })
    }

    /// The box around the first boxes [m].
    pub fn around_first(&self, count: usize) -> [Vec3; 2] {
        let corners = self.all[..count].iter();
        let [low, high] = corners
            .fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], [a, b]| [low.min(*a), high.max(*b)]);
        [low + self.frame, high + self.frame]
    }

    /// The fraction of a displacement from x that stays in a vertex's box.
    pub fn fraction_within(&self, vertex: usize, x: Vec3, displacement: Vec3) -> Real {
        let [low, high] = self.of(vertex);
        let along = |axis: usize| {
            let most = if displacement[axis] > 0.0 { high[axis] - x[axis] } else { low[axis] - x[axis] };
            if displacement[axis] == 0.0 { 1.0 } else { (most / displacement[axis]).clamp(0.0, 1.0) }
        };
        (0..3).map(along).fold(1.0, Real::min)
    }
}
