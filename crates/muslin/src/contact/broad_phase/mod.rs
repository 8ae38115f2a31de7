//! Broad phase: which of many boxes overlap.
//!
//! Four methods that find the same pairs; they differ in time alone.
//!
//! ```text
//! brute-force     every box against every other; the oracle of the others
//! spatial-hash    boxes listed by the cell of a grid that their low corner lies in
//! tree            a binary tree above blocks of eight boxes, halved at the median
//! sorted-blocks   boxes along a Morton curve, eight per block, eight blocks per block above
//! ```
#![allow(
    clippy::needless_bitwise_bool,
    reason = "tests of boxes come out at random: cheaper without branches"
)]

mod block;
mod brute_force;
mod sorted_blocks;
mod spatial_hash;
#[cfg(test)]
mod tests;
mod tree;

use crate::contact_law::BroadPhase;
use crate::math::{Real, Vec3};

impl BroadPhase {
    /// Every method.
    pub const ALL: [Self; 4] = [Self::BruteForce, Self::SpatialHash, Self::Tree, Self::SortedBlocks];

    /// Appends every pair (a of `first`, b of `second`) whose boxes overlap and which `keep` wants.
    ///
    /// The order of the pairs depends on the boxes alone, not on the number of threads. `keep` sees overlapping pairs only.
    pub fn between(
        self,
        scratch: &mut BroadPhaseScratch,
        first: &[Aabb],
        second: &[Aabb],
        keep: impl Fn(u32, u32) -> bool + Sync,
        pairs: &mut Vec<[u32; 2]>,
    ) {
        if first.is_empty() || second.is_empty() {
            return;
        }
        let BroadPhaseScratch { hash, tree, blocks, chunks } = scratch;
        match self {
            Self::BruteForce => brute_force::between(chunks, first, second, keep, pairs),
            Self::SpatialHash => hash.between(chunks, first, second, keep, pairs),
            Self::Tree => tree.between(chunks, first, second, keep, pairs),
            Self::SortedBlocks => blocks.between(chunks, first, second, keep, pairs),
        }
    }

    /// Appends every pair a < b of `boxes` that overlap and which `keep` wants; otherwise like [`Self::between`].
    pub fn within(
        self,
        scratch: &mut BroadPhaseScratch,
        boxes: &[Aabb],
        keep: impl Fn(u32, u32) -> bool + Sync,
        pairs: &mut Vec<[u32; 2]>,
    ) {
        if boxes.len() < 2 {
            return;
        }
        let BroadPhaseScratch { hash, tree, blocks, chunks } = scratch;
        match self {
            Self::BruteForce => brute_force::within(chunks, boxes, keep, pairs),
            Self::SpatialHash => hash.within(chunks, boxes, keep, pairs),
            Self::Tree => tree.within(chunks, boxes, keep, pairs),
            Self::SortedBlocks => blocks.within(chunks, boxes, keep, pairs),
        }
    }
}

/// Space for a search, kept so that repeated searches allocate nothing after the first. Its contents have no influence on
/// the pairs.
#[derive(Clone, Debug, Default)]
pub struct BroadPhaseScratch {
    hash: spatial_hash::Search,
    tree: tree::Search,
    blocks: sorted_blocks::Search,
    /// Pairs found by each chunk of a search on several threads.
    chunks: PairChunks,
}

/// Pairs by chunks.
type PairChunks = Vec<Vec<[u32; 2]>>;

/// A box parallel to the axes [m], in single precision, rounded outward so that it contains the exact one.
///
/// With `low` > `high` on an axis it still means what [`Self::overlaps`] says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The smallest coordinates [m].
    pub low: [f32; 3],
    /// The largest coordinates [m].
    pub high: [f32; 3],
}

impl Aabb {
    /// Overlaps nothing, itself included, and adds nothing to a union. It is made of NaN, so it equals nothing either:
    /// swapped infinities would overlap [`Self::EVERYTHING`].
    pub const EMPTY: Self = Self { low: [f32::NAN; 3], high: [f32::NAN; 3] };

    /// Overlaps every box but those with NaN.
    pub const EVERYTHING: Self = Self { low: [f32::NEG_INFINITY; 3], high: [f32::INFINITY; 3] };

    /// The box around `points`, wider by `margin` ≥ 0 [m] on every side; larger than the exact one by a few units in the
    /// last place of single precision. Of no points, it is empty; of points that are not all finite, it is everything,
    /// so that no contact is lost silently.
    #[inline]
    pub fn of_points(points: impl IntoIterator<Item = Vec3>, margin: Real) -> Self {
        let mut points = points.into_iter();
        let Some(first) = points.next() else { return Self::EMPTY };
        let (mut low, mut high, mut finite) = (first, first, first.is_finite());
        for point in points {
            (low, high) = (low.min(point), high.max(point));
            finite &= point.is_finite();
        }
        if !finite || !margin.is_finite() {
            return Self::EVERYTHING;
        }
        Self {
            low: low.to_array().map(|x| round_down(x - margin)),
            high: high.to_array().map(|x| -round_down(-(x + margin))),
        }
    }

    /// Whether they have a point in common, be it of their surfaces. False if either has a NaN.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        let axis = |k: usize| (self.low[k] <= other.high[k]) & (other.low[k] <= self.high[k]);
        axis(0) & axis(1) & axis(2)
    }

    /// The box around both. A NaN adds nothing.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            low: std::array::from_fn(|k| self.low[k].min(other.low[k])),
            high: std::array::from_fn(|k| self.high[k].max(other.high[k])),
        }
    }

    /// Where growing starts.
    const NOTHING_YET: Self = Self { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    /// The union with `other`, faster, for boxes without NaN in `self`.
    #[inline]
    pub(in crate::contact) fn grow(&mut self, other: &Self) {
        for k in 0..3 {
            self.low[k] = if other.low[k] < self.low[k] { other.low[k] } else { self.low[k] };
            self.high[k] = if other.high[k] > self.high[k] { other.high[k] } else { self.high[k] };
        }
    }

    /// Twice the centre's coordinate along an axis.
    #[inline]
    fn center2(&self, axis: usize) -> f32 {
        self.low[axis] + self.high[axis]
    }

    #[inline]
    fn has_nan(&self) -> bool {
        self.low.iter().chain(&self.high).any(|x| x.is_nan())
    }

    /// The longest side.
    #[inline]
    fn extent(&self) -> f32 {
        let side = |k: usize| self.high[k] - self.low[k];
        side(0).max(side(1)).max(side(2))
    }
}

/// A number at most x, and nearly x. Without a branch: half of all numbers are rounded up at first.
#[inline]
fn round_down(x: Real) -> f32 {
    // More than rounding to nearest adds: half a unit in the last place, or half the least number of all.
    const UNIT: Real = f32::EPSILON as Real;
    const LEAST: Real = 1.5e-45;
    ((x - x.abs() * UNIT - LEAST) as f32).min(f32::MAX)
}

/// What a search assumes of its boxes, from a few of them. It decides time, never pairs.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// Median of the longest sides [m].
    extent: f32,
    /// Median of the centres, twice [m].
    center2: [f32; 3],
    /// The longest side of the region of the middle 80 % [m].
    spread: f32,
}

impl Sample {
    const SIZE: usize = 64;

    fn of(boxes: &[Aabb]) -> Self {
        // Multiples of the golden ratio meet no regularity of a mesh.
        let golden = |k: usize| (k as f64 * 0.618_033_988_749_895).fract();
        let sample = || (0..Self::SIZE).map(|k| &boxes[(golden(k) * boxes.len() as f64) as usize]);
        let sorted = |value: &dyn Fn(&Aabb) -> f32| {
            let mut values = [0.0; Self::SIZE];
            let mut count = 0;
            for value in sample().map(value).filter(|value| value.is_finite()) {
                values[count] = value;
                count += 1;
            }
            values[..count].sort_unstable_by(f32::total_cmp);
            move |fraction: f64| if count == 0 { 0.0 } else { values[(fraction * count as f64) as usize] }
        };
        let centers: [_; 3] = std::array::from_fn(|k| sorted(&move |a| a.center2(k)));
        Self {
            extent: sorted(&Aabb::extent)(0.5),
            center2: std::array::from_fn(|k| centers[k](0.5)),
            spread: (0..3).map(|k| (centers[k](0.9) - centers[k](0.1)) / 2.0).fold(0.0, f32::max),
        }
    }
}

/// A pair with the smaller number first.
#[inline]
fn ordered(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
