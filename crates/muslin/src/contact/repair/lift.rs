//! A patch moves along one direction until it is free.
//!
//! ```text
//! y = x + s d                  s ≥ bound in the patch;  s(v) ≥ s(w) − ½ |x(v) − x(w)| for neighbours;  0 where pinned
//! a triangle not free yet      s rises to the largest of its corners; if they are equal, by a step
//! ```

use super::{CLEARANCE, Repair};
use crate::contact::Owner;
use crate::contact::audit::Intersection;
use crate::contact::broad_phase::Aabb;
use crate::math::{Real, Vec3};
use std::collections::VecDeque;

/// How steeply s may fall off: beside a lift, cloth stretches by √(1 + ¼) − 1 = 12 % at the most.
const SLOPE: Real = 0.5;
/// The same next to pins, where an edge becomes twice as long.
const STEEPEST: Real = 1.732;
/// Passes at the most.
const PASSES: u32 = 80;

/// A lift to try.
#[derive(Debug)]
pub struct Lift {
    /// d: a unit vector.
    pub direction: Vec3,
    /// The particles of the patch, and how far each has to go at least [m].
    pub bounds: Vec<(u32, Real)>,
    /// How far any may go [m].
    pub most: Real,
}

impl Repair<'_> {
    /// The positions after a lift [m]; none if it goes too far.
    pub(in crate::contact) fn lifted(&self, lift: &Lift, x: &[Vec3]) -> Option<Vec<Vec3>> {
        let mut heights = vec![0.0; self.inverse_masses.len()];
        let mut is_core = vec![false; heights.len()];
        for &(v, bound) in &lift.bounds {
            is_core[v as usize] = true;
            self.raise(&mut heights, v, bound);
        }
        let mut y = x.to_vec();
        for _ in 0..PASSES {
            self.spread(&mut heights, x);
            if heights.iter().any(|&height| height > lift.most) || self.tears(&heights, x) {
                return None;
            }
            let moved = || (0..heights.len()).filter(|&v| heights[v] > 0.0 || is_core[v]);
            moved().for_each(|v| y[v] = x[v] + lift.direction * heights[v]);
            let around = moved().flat_map(|v| self.neighbours[v].iter().map(|&w| w as usize).chain([v]));
            let room = Aabb::of_points(around.map(|v| y[v]), self.thickness);
            let is_involved = |pair: &Intersection| {
                let mut all = pair.first.iter().chain(&pair.second).filter(|v| self.surface.is_cloth(**v));
                all.any(|&v| heights[v as usize] > 0.0 || is_core[v as usize])
            };
            let mut pairs = self.pairs_within(&y, &room);
            pairs.retain(is_involved);
            if pairs.is_empty() {
                break;
            }
            let before = heights.clone();
            for pair in &pairs {
                self.free(pair, &before, &is_core, &mut heights);
            }
        }
        Some(y)
    }

    /// Raises the triangle of a pair that is to go: that of the patch, or else the higher one.
    fn free(&self, pair: &Intersection, heights: &[Real], is_core: &[bool], raised: &mut [Real]) {
        let rank = |triangle: &[u32; 3]| {
            let core = triangle.iter().filter(|&&v| is_core[v as usize]).count();
            let highest = triangle.iter().map(|&v| heights[v as usize]).fold(0.0, Real::max);
            (core > 0, highest)
        };
        let triangle = match pair.with {
            Owner::Cloth if rank(&pair.second) > rank(&pair.first) => pair.second,
            _ if self.surface.is_cloth(pair.first[0]) => pair.first,
            _ => return,
        };
        let corners = triangle.iter().filter(|&&v| !self.is_pinned(v)).map(|&v| heights[v as usize]);
        let (low, high) = corners.fold((Real::INFINITY, 0.0), |(low, high), s| (s.min(low), s.max(high)));
        let step = (CLEARANCE * self.thickness).max(0.1 * self.mean_edge).max(0.1 * high);
        let to = if low < high * (1.0 - 1e-9) { high } else { high + step };
        for v in triangle {
            self.raise(raised, v, to);
        }
    }

    fn raise(&self, heights: &mut [Real], vertex: u32, to: Real) {
        if !self.is_pinned(vertex) {
            let height = &mut heights[vertex as usize];
            *height = height.max(to);
        }
    }

    /// Whether heights are too steep next to pins.
    fn tears(&self, heights: &[Real], x: &[Vec3]) -> bool {
        let raised = (0..heights.len()).filter(|&v| heights[v] > 0.0);
        let mut edges = raised.flat_map(|v| self.neighbours[v].iter().map(move |&w| (v, w)));
        edges.any(|(v, w)| self.is_pinned(w) && heights[v] > STEEPEST * x[v].distance(x[w as usize]))
    }

    /// Lets the heights fall off no more steeply than they may.
    fn spread(&self, heights: &mut [Real], x: &[Vec3]) {
        let mut queue: VecDeque<u32> =
            (0..heights.len() as u32).filter(|&v| heights[v as usize] > 0.0).collect();
        while let Some(v) = queue.pop_front() {
            for &w in &self.neighbours[v as usize] {
                let fall = SLOPE * x[v as usize].distance(x[w as usize]);
                let height = heights[v as usize] - fall;
                if height > heights[w as usize] * (1.0 + 1e-12) && !self.is_pinned(w) {
                    heights[w as usize] = height;
                    queue.push_back(w);
                }
            }
        }
    }
}
