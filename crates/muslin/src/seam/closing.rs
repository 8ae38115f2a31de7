//! Seams: two borders that are drawn together over time, and become one.
//!
//! ```text
//! begin     partners by their part of the way along the borders; vertices are put in where the other border has one
//! close     a spring between partners, of length d₀ (1 − t/T)
//! join      partners nearer than some thicknesses become one particle
//! ```

use super::{Chain, SeamError, matching};
use crate::math::{Real, Vec3};
use crate::mesh::Face;
use crate::remap::Remap;

/// A seam between two chains of border edges.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Seam {
    /// Particles along one border, from end to end; twice the first one where it is closed.
    pub first: Vec<u32>,
    /// Particles along the other one. The seam finds out which way they run.
    pub second: Vec<u32>,
    /// When it begins to close [s].
    #[cfg_attr(feature = "serde", serde(default))]
    pub time: Real,
    /// How long it closes [s].
    #[cfg_attr(feature = "serde", serde(default = "second"))]
    pub duration: Real,
    /// The force by length, across it, at which it rips [N/m]; if none, it is as strong as its cloth.
    #[cfg_attr(feature = "serde", serde(default))]
    pub strength: Option<Real>,
}

#[cfg(feature = "serde")]
fn second() -> Real {
    1.0
}

impl Default for Seam {
    fn default() -> Self {
        Self { first: Vec::new(), second: Vec::new(), time: 0.0, duration: 1.0, strength: None }
    }
}

/// A seam that closes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosingSeam {
    /// Partners that are not joined yet.
    pub pairs: Vec<[u32; 2]>,
    /// How far apart each two were at the start [m].
    pub gaps: Vec<Real>,
    /// When it began [s].
    pub start: Real,
    /// How long it closes [s].
    pub duration: Real,
    /// The force by length at which it rips [N/m].
    pub strength: Option<Real>,
}

/// A side of a face at a seam that has a strength of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SewnSide {
    /// The face, and the number of the side.
    pub side: [u32; 2],
    /// The force by length, across it, at which the seam rips [N/m].
    pub strength: Real,
    /// Up to when it does not [s]: partners are drawn over the last part of an edge at once, which strains the cloth for a moment.
    pub holds_until: Real,
}

impl SewnSide {
    /// Its particles, the smaller number first.
    pub fn ends(&self, faces: &[Face]) -> Option<[u32; 2]> {
        let [face, number] = self.side;
        faces[face as usize].sides().nth(number as usize).map(|[a, b]| [a.min(b), a.max(b)])
    }
}

/// What sewing has done so far.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SewingReport {
    /// Pairs of partners that became one particle.
    pub joined: u64,
    /// Seams that could not begin, since there was no border any more.
    pub refused: u64,
    /// Of each seam that has begun, in this order: the length at rest of its first border, in parts of the second.
    pub gathers: Vec<Real>,
}

/// What beginning a seam has made.
#[derive(Clone, Debug, PartialEq)]
pub struct SeamReport {
    /// Partners.
    pub pairs: usize,
    /// Vertices that were put in.
    pub inserted: usize,
    /// The length at rest of the first border, in parts of the second: the longer one is gathered.
    pub gather: Real,
    /// Where the particles are.
    pub map: Remap,
}

impl Seam {
    /// How much longer the first border is at rest than the second, by lengths of edges [m]: the part that is gathered where it is not
    /// 1. Refused where there is no border, or where one is sewn to itself.
    pub fn check(
        &self,
        faces: &[Face],
        positions: &[Vec3],
        length: impl Fn([u32; 2]) -> Real,
    ) -> Result<Real, SeamError> {
        let [first, second] = [&self.first, &self.second].map(|border| Chain::along(border, &length));
        let shortest = first.lengths.iter().chain(&second.lengths).copied().fold(Real::INFINITY, Real::min);
        matching(faces, positions, [&first, &second], None, shortest).map(|matching| matching.gather)
    }

    /// Follows an edit of the topology.
    pub(crate) fn follow(&mut self, map: &Remap) {
        for particle in self.first.iter_mut().chain(&mut self.second) {
            *particle = map.place(*particle);
        }
    }
}

impl ClosingSeam {
    /// Follows an edit of the topology; partners that became one are done.
    pub(crate) fn follow(&mut self, map: &Remap) {
        let mut gaps = self.gaps.iter();
        let mut kept = Vec::with_capacity(self.gaps.len());
        self.pairs.retain_mut(|pair| {
            *pair = pair.map(|particle| map.place(particle));
            let gap = gaps.next().copied().unwrap_or_default();
            let is_open = pair[0] != pair[1];
            kept.extend(is_open.then_some(gap));
            is_open
        });
        self.gaps = kept;
    }

    /// The part of the gap that is left at a time [s].
    pub(crate) fn part_left(&self, time: Real) -> Real {
        if self.duration > 0.0 { (1.0 - (time - self.start) / self.duration).clamp(0.0, 1.0) } else { 0.0 }
    }
}
