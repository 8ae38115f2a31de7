//! A patch becomes as smooth as what is around it, where no lift helps: along a sharp fold, cloth can be on the wrong side of
//! itself without being cut off.
//!
//! ```text
//! x(v) ← mean of x over the neighbours of v         in the patch and some rings around it; towards a film over its border
//! ```

use super::Repair;
use super::patch::{MOST_EDGES, Patch};
use crate::contact::broad_phase::Aabb;
use crate::math::{Real, Vec3};
use std::collections::BTreeSet;

/// Numbers of rings around the patch that are smoothed, in turn.
const RINGS: [u32; 4] = [1, 2, 4, 8];
/// Passes between two looks whether it is free, and looks.
const PASSES: u32 = 4;
const LOOKS: u32 = 16;

impl Repair<'_> {
    /// The positions after smoothing, for each number of rings that helps [m].
    pub(in crate::contact) fn smoothed(&self, patch: &Patch, x: &[Vec3]) -> Vec<Vec<Vec3>> {
        let mut set: BTreeSet<u32> = patch.vertices.iter().copied().collect();
        let mut trials = Vec::new();
        let mut rings = 0;
        for wanted in RINGS {
            while rings < wanted {
                let around: Vec<u32> =
                    set.iter().flat_map(|&v| self.neighbours[v as usize].clone()).collect();
                set.extend(around);
                rings += 1;
            }
            trials.extend(self.smooth(&set, x));
        }
        trials
    }

    /// Smooths a set of particles until it is free; none if it does not become so, or goes too far.
    fn smooth(&self, set: &BTreeSet<u32>, x: &[Vec3]) -> Option<Vec<Vec3>> {
        let mut y = x.to_vec();
        let free: Vec<u32> = set.iter().copied().filter(|&v| !self.is_pinned(v)).collect();
        for _ in 0..LOOKS {
            for _ in 0..PASSES {
                let mean = |v: u32| {
                    let around = &self.neighbours[v as usize];
                    around.iter().map(|&w| y[w as usize]).sum::<Vec3>() / around.len().max(1) as Real
                };
                let means: Vec<Vec3> = free.iter().map(|&v| mean(v)).collect();
                for (&v, mean) in free.iter().zip(means) {
                    y[v as usize] = mean;
                }
            }
            let farthest = free.iter().map(|&v| y[v as usize].distance(x[v as usize])).fold(0.0, Real::max);
            if farthest > MOST_EDGES * self.mean_edge {
                return None;
            }
            let room = Aabb::of_points(set.iter().map(|&v| y[v as usize]), 0.0);
            let pairs = self.pairs_within(&y, &room);
            if !pairs.iter().any(|pair| pair.first.iter().chain(&pair.second).any(|v| set.contains(v))) {
                return Some(y);
            }
        }
        None
    }
}
