//! Which pairs can come near each other in a step.
//!
//! Every vertex gets a box around its path, with a margin, that it does not leave; pairs whose boxes do not overlap cannot meet.
//! The broad phase works on the boxes of patches. Two patches of cloth that lie in a fold-free region cannot meet either.
//! The boxes cover a few steps ahead, and serve until a vertex would leave its own or a region would fold.
//!
//! Solids whose path stays away from the boxes of the cloth are left out of everything, so that they do not influence it, not even by
//! the order of pairs.

pub mod fold_free;
pub mod lower_bounds;
pub mod motion;
pub mod patch_bounds;
pub mod patch_lower_bounds;
pub mod patch_pairs;
#[cfg(test)]
mod tests;
pub mod vertex_bounds;

pub use motion::{StepMotion, swept_box};

use super::broad_phase::BroadPhaseScratch;
use super::closest_points::Candidate;
use super::mesh::collision_mesh::{CLOTH, CollisionMesh};
use super::mesh::patches::Patches;
use crate::contact_law::BroadPhase;
use crate::math::{Real, Vec3};
use fold_free::FoldFree;
use motion::fraction_in_ball;
use patch_bounds::PatchBounds;
use patch_pairs::PatchPairs;
use vertex_bounds::VertexBounds;

/// The pairs of a step and the boxes of its vertices.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Candidates {
    /// Pairs that could meet in this step, with a direction that separates them at its start.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub pairs: Vec<Candidate>,
    vertex_bounds: VertexBounds,
    /// Whether each solid is nowhere near the cloth in this step; and was when the boxes were made.
    #[cfg_attr(feature = "serde", serde(skip))]
    far: Vec<bool>,
    far_then: Vec<bool>,
    #[cfg_attr(feature = "serde", serde(skip))]
    patches: Patches,
    fold_free: FoldFree,
    #[cfg_attr(feature = "serde", serde(skip))]
    boxes: PatchBounds,
    #[cfg_attr(feature = "serde", serde(skip))]
    scratch: BroadPhaseScratch,
    /// Pairs of patches whose boxes overlap.
    #[cfg_attr(feature = "serde", serde(skip))]
    overlaps: Vec<[u32; 2]>,
    /// Vertices in the middle of regions whose fold-free certificate was revoked.
    #[cfg_attr(feature = "serde", serde(skip))]
    folded: Vec<u32>,
    /// Vertices that are sent farther than the pairs were measured for.
    #[cfg_attr(feature = "serde", serde(skip))]
    sent: Vec<u32>,
    patch_pairs: PatchPairs,
    within_cloth: bool,
}

impl Candidates {
    /// Takes over a surface with its vertices at rest at x; features of cloth respond to contact below a distance of `thickness`, or of
    /// `at_rest` times that at rest [m].
    pub fn prepare(&mut self, surface: &CollisionMesh, x: &[Vec3], thickness: Real, at_rest: Real) {
        self.patches = Patches::of(surface, x);
        self.fold_free = FoldFree::of(surface, &self.patches, x, [thickness, at_rest], &self.fold_free);
        self.clear();
    }

    /// Candidates that only know of the surface what may outlive an edit of it.
    #[must_use]
    pub fn for_edit(&self) -> Self {
        Self { fold_free: self.fold_free.for_edit(), ..Self::default() }
    }

    /// Whether no bounds are cached.
    #[cfg(feature = "checkpoint")]
    pub fn is_empty(&self) -> bool {
        self.vertex_bounds.len() == 0
    }

    /// Takes over the bounds of other candidates of the same surface.
    #[cfg(feature = "checkpoint")]
    pub fn take_bounds(&mut self, others: Self) {
        let patches = std::mem::take(&mut self.patches);
        let known = std::mem::take(&mut self.fold_free.known);
        *self = Self { patches, ..others };
        self.fold_free.known = known;
    }

    /// Drops cached distances.
    pub fn clear(&mut self) {
        self.vertex_bounds.clear();
        self.patch_pairs.clear();
    }

    /// Finds all pairs that could meet. Without `within_cloth` only pairs of cloth and solids. False if there are too many.
    pub fn find(
        &mut self,
        surface: &CollisionMesh,
        broad_phase: BroadPhase,
        motion: &StepMotion,
        within_cloth: bool,
    ) -> bool {
        let is_known = self.vertex_bounds.len() == motion.start.len() && self.within_cloth == within_cloth;
        let still_valid = is_known && {
            self.find_far(surface, motion);
            self.bounds_are_valid(surface, motion)
        };
        if still_valid {
            self.revoke_folded(surface, motion.target);
        } else {
            self.within_cloth = within_cloth;
            self.search(surface, broad_phase, motion, within_cloth);
            if self.overlaps.len() as Real > motion.most_overlaps * self.boxes.patches.len() as Real {
                self.clear();
                return false;
            }
            self.renew_pairs(surface);
        }
        self.measure(surface, motion);
        true
    }

    /// Revokes the fold-free regions that fold at x and adds their pairs; without x, those of all regions.
    pub fn add_folded(
        &mut self,
        surface: &CollisionMesh,
        broad_phase: BroadPhase,
        motion: &StepMotion,
        x: Option<&[Vec3]>,
    ) {
        if let Some(x) = x {
            self.revoke_folded(surface, x);
        } else {
            self.search(surface, broad_phase, motion, false);
            self.renew_pairs(surface);
        }
        self.measure(surface, motion);
    }

    /// Adds the pairs of patches that lie in no fold-free region any more if the cloth gets to x.
    fn revoke_folded(&mut self, surface: &CollisionMesh, x: &[Vec3]) {
        let Self { fold_free, folded, patches, overlaps, patch_pairs, .. } = self;
        folded.clear();
        fold_free.revoke(x, folded);
        overlaps.clear();
        for &vertex in &*folded {
            let around = patches.around.of(vertex as usize);
            for (k, &a) in around.iter().enumerate() {
                let middles = fold_free.middles(patches.corners[a as usize]);
                let others =
                    around[k..].iter().filter(|&&b| !fold_free::share(middles, patches.corners[b as usize]));
                overlaps.extend(others.map(|&b| [a, b]));
            }
        }
        overlaps.sort_unstable();
        overlaps.dedup();
        patch_pairs.add(surface, patches, overlaps);
    }

    /// Some vertices, which `are_sent`, have other targets: adds the pairs that could meet because of that. False if that needs a
    /// new search.
    pub fn follow(&mut self, surface: &CollisionMesh, motion: &StepMotion, are_sent: &[bool]) -> bool {
        self.sent.clear();
        for v in (0..are_sent.len()).filter(|&v| are_sent[v] && !is_far(surface, &self.far, v)) {
            if !self.vertex_bounds.has(v, motion.target[v]) {
                return false;
            }
            if !self.patch_pairs.reaches(v, motion.start[v].distance_squared(motion.target[v])) {
                self.sent.push(v as u32);
            }
        }
        let known = self.patch_pairs.len();
        if !self.is_fold_free_at(motion.target, are_sent) {
            self.revoke_folded(surface, motion.target);
        }
        if !self.sent.is_empty() || self.patch_pairs.len() > known {
            let Self { patch_pairs, patches, far, pairs, sent, .. } = self;
            let is_far = |v: usize| is_far(surface, far, v);
            patch_pairs.measure_sent(surface, patches, motion, (sent, known), is_far, pairs);
        }
        true
    }

    /// Whether all certified regions are fold-free at x, where only these vertices have left their straight paths.
    pub fn is_fold_free_at(&self, x: &[Vec3], left_straight_path: &[bool]) -> bool {
        self.fold_free.is_still_valid(x, left_straight_path)
    }

    /// Whether a vertex belongs to a solid that is nowhere near the cloth.
    pub fn is_far(&self, surface: &CollisionMesh, vertex: usize) -> bool {
        is_far(surface, &self.far, vertex)
    }

    /// Finds the solids whose path stays out of all boxes of the cloth.
    fn find_far(&mut self, surface: &CollisionMesh, motion: &StepMotion) {
        self.far.clear();
        self.far.resize(surface.radii.len() - 1, false);
        let cloth = surface.cloth_len();
        if cloth == surface.bodies.len() {
            return;
        }
        let [low, high] = self.vertex_bounds.around_first(cloth);
        let mut first = cloth;
        for (k, far) in self.far.iter_mut().enumerate() {
            let count = surface.bodies[first..].partition_point(|&body| body == k as u32 + 1);
            let all = first..first + count;
            let [from, to] = swept_box(&motion.start[all.clone()], &motion.target[all]);
            let room = Vec3::splat(surface.radii[k + 1] + motion.margin + motion.skin);
            *far = (from - room).cmpgt(high).any() || (to + room).cmplt(low).any();
            first += count;
        }
    }

    /// The vertices went from `start` to `x`, those of the cloth by `drift` more.
    pub fn advance(&mut self, surface: &CollisionMesh, start: &[Vec3], x: &[Vec3], drift: Vec3) {
        self.vertex_bounds.move_by(drift);
        self.patch_pairs.advance(surface.cloth_len(), &self.patches, [start, x], drift);
    }

    /// Whether every vertex stays in its box, except those of distant solids.
    fn bounds_are_valid(&self, surface: &CollisionMesh, motion: &StepMotion) -> bool {
        let came_near = self.far.iter().zip(&self.far_then).any(|(far, then)| *then && !*far);
        !came_near && self.vertex_bounds.contain(motion, |v| !self.is_far(surface, v))
    }

    /// Makes new boxes and finds the patches whose boxes overlap, except those within fold-free regions, if these are used.
    fn search(
        &mut self,
        surface: &CollisionMesh,
        broad_phase: BroadPhase,
        motion: &StepMotion,
        use_fold_free: bool,
    ) {
        if use_fold_free {
            self.fold_free.find(motion.start, motion.target);
        } else {
            self.fold_free.clear();
        }
        self.vertex_bounds.fill(surface, motion);
        self.find_far(surface, motion);
        self.far_then.clone_from(&self.far);
        let Self { boxes, scratch, overlaps, within_cloth, vertex_bounds, far, patches, fold_free, .. } =
            self;
        boxes.fill(surface, vertex_bounds.as_made(), patches, fold_free, far);
        overlaps.clear();
        let could_meet = |a: u32, b: u32| boxes.could_meet(a, b, *within_cloth);
        broad_phase.within(scratch, &boxes.patches, could_meet, overlaps);
        overlaps.extend((0..boxes.patches.len() as u32).filter(|&a| could_meet(a, a)).map(|a| [a, a]));
    }

    /// Takes over the patches whose boxes overlap as those that could meet.
    fn renew_pairs(&mut self, surface: &CollisionMesh) {
        let Self { boxes, overlaps, patch_pairs, patches, .. } = self;
        for pair in overlaps.iter_mut() {
            *pair = pair.map(|place| boxes.patch(place));
        }
        patch_pairs.renew(surface, patches, overlaps);
    }

    fn measure(&mut self, surface: &CollisionMesh, motion: &StepMotion) {
        let Self { patch_pairs, patches, far, pairs, .. } = self;
        patch_pairs.measure(surface, patches, motion, |v| is_far(surface, far, v), pairs);
    }

    /// Shortens a move from `x` so that it ends in the vertex's box, and no farther from `start` than the pairs were measured
    /// for.
    pub fn confined(&self, vertex: usize, start: Vec3, x: Vec3, displacement: Vec3) -> Vec3 {
        let end = x + displacement;
        if self.vertex_bounds.has(vertex, end)
            && self.patch_pairs.reaches(vertex, end.distance_squared(start))
        {
            return displacement;
        }
        let in_ball = fraction_in_ball(x - start, displacement, self.patch_pairs.reach(vertex));
        let fraction = in_ball.min(self.vertex_bounds.fraction_within(vertex, x, displacement));
        // Some last digits on the safe side.
        displacement * (fraction * (1.0 - 1e-12))
    }
}

/// Whether a vertex belongs to one of the solids that are far.
fn is_far(surface: &CollisionMesh, far: &[bool], vertex: usize) -> bool {
    surface.bodies[vertex] != CLOTH && far[surface.bodies[vertex] as usize - 1]
}
