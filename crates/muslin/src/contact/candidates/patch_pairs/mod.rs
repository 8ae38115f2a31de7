//! Patches that could meet, and which of their features could.
//!
//! Patches or features that are far apart are not measured again before their patches have travelled far enough:
//!
//! ```text
//! far apart    D > s₁ + s₂        D: when last measured;  s: how far each patch has travelled since then, or can in this step
//! ```
//!
//! Lower bounds of distances suffice for that, see `lower_bounds.rs`: of the patches first, then of their features. Exact distances are
//! left to detection and guard. Patches that are found again when new boxes are made keep their bounds.

mod distances;

use crate::contact::candidates::lower_bounds::Points;
use crate::contact::candidates::motion::{StepMotion, extra};
use crate::contact::closest_points::Candidate;
use crate::contact::mesh::collision_mesh::CollisionMesh;
use crate::contact::mesh::{adjacency::Adjacency, patches::Patches};
use crate::math::{Real, Vec3};
use crate::par;
use distances::{Measuring, known};

/// Patches that could meet while they stay in their boxes.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PatchPairs {
    all: Vec<PatchPair>,
    /// Lower bounds of the travel of both patches together at which they may meet [m].
    dues: Vec<f32>,
    /// Those of which features could meet in this step, by their numbers.
    #[cfg_attr(feature = "serde", serde(skip))]
    close: Vec<u32>,
    /// How far each vertex can get in this step [m].
    #[cfg_attr(feature = "serde", serde(skip))]
    reaches: Vec<Real>,
    /// How far the vertices of each patch have travelled since the bounds were made, at most, and can in this step [m].
    travels: Vec<Travel>,
    /// The sum of these, or more [m].
    sums: Vec<f32>,
    /// Space: whether each patch has a vertex that is sent farther.
    #[cfg_attr(feature = "serde", serde(skip))]
    are_sent: Vec<bool>,
    #[cfg_attr(feature = "serde", serde(skip))]
    points: Points,
    /// Space for the patches that are measured, by the numbers of their pairs of patches and their own, and bounds of their distances [m].
    #[cfg_attr(feature = "serde", serde(skip))]
    due: Vec<u32>,
    #[cfg_attr(feature = "serde", serde(skip))]
    patches: Vec<[u32; 2]>,
    #[cfg_attr(feature = "serde", serde(skip))]
    bounds: Vec<f32>,
}

/// Two patches that could meet.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct PatchPair {
    patches: [u32; 2],
    /// Whether they have a vertex in common, or are one.
    are_joined: bool,
    /// Whether both are cloth, and all their features can touch.
    is_plain: bool,
    /// Whether, besides, both are of two triangles.
    is_whole: bool,
    /// Whether one is a ball, and the other has triangles: then these represent their sides.
    is_at_ball: bool,
    /// Sum of the radii [m].
    radius: Real,
}

/// How far the vertices of a patch have travelled, at most, and can in this step [m].
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Travel {
    travelled: Real,
    reach: Real,
}

impl PatchPair {
    fn new(surface: &CollisionMesh, patches: &Patches, pair: [u32; 2]) -> Self {
        let [a, b] = pair.map(|patch| patches.corners[patch as usize]);
        let are_joined = a.iter().any(|v| b.contains(v));
        let is_ball = |corners: [u32; 4]| corners[0] == corners[3] && !surface.is_cloth(corners[0]);
        let has_triangles = |patch: u32| !patches.triangles.of(patch as usize).is_empty();
        let is_plain = !are_joined && surface.is_cloth(a[0]) && surface.is_cloth(b[0]);
        Self {
            patches: pair,
            are_joined,
            is_plain,
            is_whole: is_plain && pair.iter().all(|&patch| patches.own[patch as usize].features != 0),
            is_at_ball: is_ball(a) && has_triangles(pair[1]) || is_ball(b) && has_triangles(pair[0]),
            radius: surface.radius(a[0]) + surface.radius(b[0]),
        }
    }

    /// The travel of both patches together.
    #[inline]
    fn travel(&self, travels: &[Travel]) -> Travel {
        let [a, b] = self.patches.map(|patch| travels[patch as usize]);
        Travel { travelled: a.travelled + b.travelled, reach: a.reach + b.reach }
    }
}

impl PatchPairs {
    /// Removes all.
    pub fn clear(&mut self) {
        self.all.clear();
        self.dues.clear();
        self.travels.clear();
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds patches that could meet.
    pub fn add(&mut self, surface: &CollisionMesh, patches: &Patches, pairs: &[[u32; 2]]) {
        self.all.extend(pairs.iter().map(|&pair| PatchPair::new(surface, patches, pair)));
        self.dues.resize(self.all.len(), 0.0);
    }

    /// Keeps of all pairs of patches only these, some of which may be new.
    pub fn renew(&mut self, surface: &CollisionMesh, patches: &Patches, pairs: &mut [[u32; 2]]) {
        self.travels.resize(patches.corners.len(), Travel::default());
        self.sums.resize(patches.corners.len(), 0.0);
        for pair in pairs.iter_mut() {
            pair.sort_unstable();
        }
        let (old, old_dues) = (std::mem::take(&mut self.all), std::mem::take(&mut self.dues));
        let count = patches.corners.len();
        let by_patch = |firsts: Vec<u32>| Adjacency::inverse(&firsts, count, |k| k as u32);
        let old_of = by_patch(old.iter().map(|patch_pair| patch_pair.patches[0]).collect());
        let new_of = by_patch(pairs.iter().map(|pair| pair[0]).collect());
        let mut known: Vec<Option<u32>> = vec![None; count];
        self.all.reserve(pairs.len());
        self.dues.reserve(pairs.len());
        for patch in 0..count {
            for &k in old_of.of(patch) {
                known[old[k as usize].patches[1] as usize] = Some(k);
            }
            for &k in new_of.of(patch) {
                let pair = pairs[k as usize];
                let (patch_pair, due) = match known[pair[1] as usize] {
                    Some(k) => {
                        let patch_pair = old[k as usize];
                        // Travel counts from now on.
                        let travelled = patch_pair.travel(&self.travels).travelled;
                        (patch_pair, less(Real::from(old_dues[k as usize]) - travelled))
                    }
                    None => (PatchPair::new(surface, patches, pair), 0.0),
                };
                self.all.push(patch_pair);
                self.dues.push(due);
            }
            for &k in old_of.of(patch) {
                known[old[k as usize].patches[1] as usize] = None;
            }
        }
        self.travels.iter_mut().for_each(|travel| travel.travelled = 0.0);
    }

    /// The vertices went from `start` to `x`, those of the cloth by `drift` more.
    pub fn advance(&mut self, cloth: usize, patches: &Patches, [start, x]: [&[Vec3]; 2], drift: Vec3) {
        // Seen from the cloth, solids went back by as much.
        let from = |v: usize| if v < cloth { start[v] } else { start[v] + drift };
        self.reaches.clear();
        self.reaches.extend(x.iter().enumerate().map(|(v, x)| from(v).distance_squared(*x)));
        for (travel, corners) in self.travels.iter_mut().zip(&patches.corners) {
            let [a, b, c, d] = corners.map(|v| self.reaches[v as usize]);
            travel.travelled += a.max(b).max(c.max(d)).sqrt();
        }
    }

    /// How far a vertex may get from its start in this step [m].
    #[inline]
    pub fn reach(&self, vertex: usize) -> Real {
        self.reaches[vertex]
    }

    /// Whether a vertex may get as far from its start in this step, by the square of the distance [m²].
    #[inline]
    pub fn reaches(&self, vertex: usize, squared: Real) -> bool {
        squared <= self.reaches[vertex] * self.reaches[vertex]
    }

    /// Finds the pairs that could meet in this step; vertices that are far are in none.
    pub fn measure(
        &mut self,
        surface: &CollisionMesh,
        patches: &Patches,
        motion: &StepMotion,
        is_far: impl Fn(usize) -> bool,
        found: &mut Vec<Candidate>,
    ) {
        self.reaches.clear();
        self.reaches.extend(
            motion
                .start
                .iter()
                .zip(motion.target)
                .enumerate()
                .map(|(v, (&x, &y))| x.distance(y) + extra(surface, v, motion, x, y)),
        );
        self.points.set(motion.start, surface.cloth_len(), |v| !is_far(v));
        for patch in 0..patches.corners.len() {
            self.set_reach(patches, patch);
        }
        self.find_due(|_, _| true);
        self.find_close(patches, is_far);
        found.clear();
        self.measure_close(surface, patches, found);
    }

    /// Some vertices get farther in this step than they were measured for, and pairs of patches from a number on are new: adds the pairs of their
    /// patches that could meet.
    pub fn measure_sent(
        &mut self,
        surface: &CollisionMesh,
        patches: &Patches,
        motion: &StepMotion,
        (sent, known): (&[u32], usize),
        is_far: impl Fn(usize) -> bool,
        found: &mut Vec<Candidate>,
    ) {
        for v in sent.iter().map(|&v| v as usize) {
            let (x, y) = (motion.start[v], motion.target[v]);
            // Some last digits on the safe side.
            self.reaches[v] = (x.distance(y) + extra(surface, v, motion, x, y)) * (1.0 + 1e-12);
        }
        let mut are_sent = std::mem::take(&mut self.are_sent);
        are_sent.resize(patches.corners.len(), false);
        let all = || sent.iter().flat_map(|&v| patches.around.of(v as usize)).map(|&patch| patch as usize);
        for patch in all() {
            are_sent[patch] = true;
            self.set_reach(patches, patch);
        }
        self.find_due(|k, patches| k >= known || patches.iter().any(|&patch| are_sent[patch as usize]));
        self.find_close(patches, is_far);
        self.measure_close(surface, patches, found);
        all().for_each(|patch| are_sent[patch] = false);
        self.are_sent = are_sent;
    }

    /// How far a patch can get in this step, by its corners.
    #[inline]
    fn set_reach(&mut self, patches: &Patches, patch: usize) {
        let [a, b, c, d] = patches.corners[patch].map(|v| self.reaches[v as usize]);
        let travel = &mut self.travels[patch];
        travel.reach = a.max(b).max(c.max(d));
        self.sums[patch] = ((travel.travelled + travel.reach) as f32).next_up();
    }

    /// Appends the pairs of features of close patches that could meet.
    fn measure_close(&mut self, surface: &CollisionMesh, patches: &Patches, found: &mut Vec<Candidate>) {
        let Self { all, dues, close, travels, reaches, points, .. } = self;
        let measuring = Measuring { surface, patches, all, travels, reaches, points };
        let mut chunks = par::map_chunks(close, 256, |close| measuring.run(close));
        for (&k, due) in close.iter().zip(chunks.iter().flat_map(|chunk| &chunk.dues)) {
            dues[k as usize] = less(*due);
        }
        match &mut chunks[..] {
            [chunk] if found.is_empty() => std::mem::swap(found, &mut chunk.found),
            chunks => chunks.iter().for_each(|chunk| found.extend_from_slice(&chunk.found)),
        }
    }

    /// Finds the patches that are due and could meet in this step.
    fn find_close(&mut self, patches: &Patches, is_far: impl Fn(usize) -> bool) {
        let Self { all, dues, close, travels, points, due, patches: due_patches, bounds, .. } = self;
        close.clear();
        due_patches.clear();
        due.retain(|&k| {
            let patch_pair = &all[k as usize];
            let is_solid_far =
                || patch_pair.patches.iter().any(|&k| is_far(patches.corners[k as usize][0] as usize));
            if !patch_pair.is_plain && is_solid_far() {
                return false;
            }
            if patch_pair.are_joined {
                close.push(k);
            } else {
                due_patches.push(patch_pair.patches);
            }
            !patch_pair.are_joined
        });
        points.patches_at_least(&patches.corners, due_patches, bounds);
        for (&k, &bound) in due.iter().zip(&*bounds) {
            let patch_pair = &all[k as usize];
            let travel = patch_pair.travel(travels);
            let least = known(bound) - patch_pair.radius;
            dues[k as usize] = less(travel.travelled + least);
            if least <= travel.reach {
                close.push(k);
            }
        }
    }

    /// Finds, of selected pairs of patches, those whose travel may have brought them together, or may in this step.
    fn find_due(&mut self, are_selected: impl Fn(usize, [u32; 2]) -> bool) {
        let Self { all, dues, sums, due, .. } = self;
        // Without a branch on the answer, which is hard to predict.
        due.resize(all.len(), 0);
        let mut count = 0;
        for (k, (patch_pair, least)) in (0u32..).zip(all.iter().zip(&*dues)) {
            let [a, b] = patch_pair.patches.map(|patch| sums[patch as usize]);
            due[count] = k;
            count +=
                usize::from(((a + b).next_up() >= *least) & are_selected(k as usize, patch_pair.patches));
        }
        due.truncate(count);
    }
}

/// In single precision, and no more.
fn less(length: Real) -> f32 {
    (length as f32).next_down()
}
