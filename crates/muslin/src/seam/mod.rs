//! Seams: two chains of border edges that are to be sewn, and which of their vertices belong together.
//!
//! ```text
//! check        what cannot be sewn                    check.rs
//! matching     partners at equal relative lengths     this file
//! closing      seams that are drawn together          closing.rs
//! ```
//!
//! A vertex at a length s of a chain, measured at rest, belongs to the place s L_b/L_a of the other one: what is longer is gathered
//! evenly. Two vertices are partners if the places differ by less than a least length, or by a fifth of an edge; those that are left
//! get a partner within the other chain's edge, in proportion between the partners before and behind. Only where that would leave
//! an edge too short several vertices have one partner.

mod check;
mod closing;
#[cfg(test)]
mod tests;

pub use check::SeamError;
pub use closing::{ClosingSeam, Seam, SeamReport, SewingReport, SewnSide};

use crate::math::{Real, Vec3};
use crate::mesh::Face;
use std::ops::Range;

/// Part of an edge next to its ends, where it gets no vertex.
const END_PART: Real = 0.2;
/// Ratio of lengths from which on cloth is gathered more than anybody means to.
const STRONG_GATHER: Real = 3.0;

/// Particles along a border.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Chain {
    /// In order, each once.
    pub particles: Vec<u32>,
    /// Lengths of the edges at rest [m], each behind its particle: as many as particles if it is closed, else one less.
    pub lengths: Vec<Real>,
    /// Whether an edge joins the last particle with the first.
    pub is_closed: bool,
}

impl Chain {
    /// Particles from end to end of a border, twice the first one where it is closed; lengths at rest of edges by their ends [m].
    pub fn along(border: &[u32], length: impl Fn([u32; 2]) -> Real) -> Self {
        let is_closed = border.len() > 2 && border.first() == border.last();
        let count = border.len() - usize::from(is_closed);
        let lengths = border.windows(2).map(|pair| length([pair[0], pair[1]])).collect();
        Self { particles: border[..count].to_vec(), lengths, is_closed }
    }

    /// Its length at rest [m].
    pub fn length(&self) -> Real {
        self.lengths.iter().sum()
    }

    /// The same chain from its last particle to its first; a closed one from the same.
    fn reversed(&self) -> Self {
        let mut chain = self.clone();
        chain.particles.reverse();
        chain.lengths.reverse();
        if chain.is_closed {
            chain.particles.rotate_right(1);
        }
        chain
    }

    /// The same closed chain from another particle on.
    fn rotated(&self, first: usize) -> Self {
        let mut chain = self.clone();
        chain.particles.rotate_left(first);
        chain.lengths.rotate_left(first);
        chain
    }

    /// The number of edges.
    fn edges(&self) -> usize {
        self.lengths.len()
    }

    /// The particle before an edge, and the one behind the last.
    fn particle(&self, k: usize) -> u32 {
        self.particles[k % self.particles.len()]
    }

    /// The parts of the length before each particle; at the end, 1.
    fn places(&self) -> Vec<Real> {
        let total = self.length();
        let mut places = vec![0.0];
        let mut sum = 0.0;
        for length in &self.lengths {
            sum += length;
            places.push(sum / total);
        }
        places[self.edges()] = 1.0;
        places
    }

    /// The point at a part of the length [m].
    fn point(&self, places: &[Real], s: Real, x: &[Vec3]) -> Vec3 {
        let k = edge_at(places, 0..self.edges(), s);
        let [a, b] = [k, k + 1].map(|k| x[self.particle(k) as usize]);
        a.lerp(b, (s - places[k]) / (places[k + 1] - places[k]))
    }
}

/// One side of a pair that is sewn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SeamEnd {
    /// A particle that there is.
    Particle(u32),
    /// A vertex to be inserted at a part of an edge from its first end; ends that are equal are the same vertex.
    On {
        /// The ends of the edge.
        edge: [u32; 2],
        /// In (0, 1).
        t: Real,
    },
}

/// Which vertices of two chains are sewn together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matching {
    /// The pairs in order along the first chain, its vertex first. A particle that both chains share is left out.
    pub pairs: Vec<[SeamEnd; 2]>,
    /// Length of the first chain over that of the second.
    pub gather: Real,
    /// Whether one chain is longer than three times the other.
    pub is_strong: bool,
    /// Whether the second chain runs the other way than it was given.
    pub is_reversed: bool,
}

/// Matches two chains of border edges of a surface with particles at `x` [m]. No vertex is inserted nearer to another than
/// `least_length` [m]. Which way the second chain runs is given, or else found: particles that both chains share decide, else the
/// lesser mean of squared distances. A closed second chain starts where that is least.
pub(crate) fn matching(
    faces: &[Face],
    x: &[Vec3],
    chains: [&Chain; 2],
    is_reversed: Option<bool>,
    least_length: Real,
) -> Result<Matching, SeamError> {
    let forced = check::check(faces, x.len(), chains)?;
    if let (Some((way, shared)), Some(given)) = (forced, is_reversed)
        && way != given
    {
        return Err(SeamError::Shared(shared));
    }
    let [a, b] = chains;
    let way = is_reversed.or(forced.map(|(way, _)| way));
    let (b, is_reversed) = nearest(a, b, way, x);
    let mut found =
        Sewn { chains: [a, &b], places: [a.places(), b.places()], least_length, pairs: Vec::new() };
    found.push([Place::At(0), Place::At(0)]);
    found.section([0..a.edges(), 0..b.edges()]);
    if !a.is_closed {
        found.push([Place::At(a.edges()), Place::At(b.edges())]);
    }
    let mut pairs: Vec<[SeamEnd; 2]> = found.pairs.iter().map(|&pair| found.ends(pair)).collect();
    pairs.retain(|[one, other]| one != other);
    let gather = a.length() / b.length();
    let is_strong = gather.max(1.0 / gather) > STRONG_GATHER;
    Ok(Matching { pairs, gather, is_strong, is_reversed })
}

/// The second chain the way, and if it is closed from the particle, that brings it nearest to the first.
fn nearest(a: &Chain, b: &Chain, is_reversed: Option<bool>, x: &[Vec3]) -> (Chain, bool) {
    let ways = is_reversed.map_or_else(|| vec![false, true], |way| vec![way]);
    let starts = if b.is_closed { b.edges() } else { 1 };
    let mut best = (Real::INFINITY, b.clone(), false);
    for way in ways {
        let turned = if way { b.reversed() } else { b.clone() };
        for start in 0..starts {
            let candidate = turned.rotated(start);
            let sum = squared_distances(a, &candidate, x);
            if sum < best.0 {
                best = (sum, candidate, way);
            }
        }
    }
    (best.1, best.2)
}

/// The mean over the places of two chains of the squared distance between them [m²]: between the places of vertices it is a parabola.
fn squared_distances(a: &Chain, b: &Chain, x: &[Vec3]) -> Real {
    let (of_a, of_b) = (a.places(), b.places());
    let mut places: Vec<Real> = of_a.iter().chain(&of_b).copied().collect();
    places.sort_by(Real::total_cmp);
    let apart: Vec<Vec3> = places.iter().map(|&s| a.point(&of_a, s, x) - b.point(&of_b, s, x)).collect();
    let piece = |(s, d): (&[Real], &[Vec3])| {
        (s[1] - s[0]) * (d[0].length_squared() + d[0].dot(d[1]) + d[1].length_squared()) / 3.0
    };
    places.windows(2).zip(apart.windows(2)).map(piece).sum()
}

/// The edge of a range that a place is on.
fn edge_at(places: &[Real], edges: Range<usize>, s: Real) -> usize {
    let behind = places[edges.start + 1..edges.end].partition_point(|&place| place <= s);
    edges.start + behind
}

/// A place on a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// The vertex before an edge.
    At(usize),
    /// Within an edge.
    On(usize, Real),
}

/// Two chains while they are sewn.
struct Sewn<'a> {
    chains: [&'a Chain; 2],
    places: [Vec<Real>; 2],
    least_length: Real,
    pairs: Vec<[Place; 2]>,
}

impl Sewn<'_> {
    fn push(&mut self, pair: [Place; 2]) {
        if self.pairs.last() != Some(&pair) {
            self.pairs.push(pair);
        }
    }

    /// Pairs up the vertices within some edges of both chains, whose outermost vertices are partners.
    fn section(&mut self, edges: [Range<usize>; 2]) {
        // The stack holds what is left of the chains, the next part last.
        let mut stack = vec![edges];
        while let Some(edges) = stack.pop() {
            let partners = self.partners(&edges, &self.places).or_else(|| {
                let local = [0, 1].map(|side| self.local_places(side, &edges[side]));
                self.partners(&edges, &local)
            });
            let [of_a, of_b] = edges.clone();
            match partners {
                Some([i, j]) => stack.extend([[i..of_a.end, j..of_b.end], [of_a.start..i, of_b.start..j]]),
                None => self.fill(&edges),
            }
            // What follows starts with a pair.
            if let (None, Some([next_of_a, next_of_b])) = (partners, stack.last()) {
                self.push([Place::At(next_of_a.start), Place::At(next_of_b.start)]);
            }
        }
    }

    /// The places of all vertices, in proportion between the first and the last of a section.
    fn local_places(&self, side: usize, edges: &Range<usize>) -> Vec<Real> {
        let (from, to) = (self.places[side][edges.start], self.places[side][edges.end]);
        self.places[side].iter().map(|place| (place - from) / (to - from)).collect()
    }

    /// The two vertices within a section that are nearest to each other, if they are near enough to be partners.
    fn partners(&self, edges: &[Range<usize>; 2], places: &[Vec<Real>; 2]) -> Option<[usize; 2]> {
        let [of_a, of_b] = edges.clone();
        // Least length in places, by the chain that is shorter here.
        let scale = [0, 1].map(|side| {
            let length: Real = self.chains[side].lengths[edges[side].clone()].iter().sum();
            length / (places[side][edges[side].end] - places[side][edges[side].start])
        });
        let least = self.least_length / scale[0].min(scale[1]);
        let mut best: Option<(Real, [usize; 2])> = None;
        for i in of_a.start + 1..of_a.end {
            let beside = edge_at(&places[1], of_b.clone(), places[0][i]);
            for j in [beside, beside + 1].into_iter().filter(|j| (of_b.start + 1..of_b.end).contains(j)) {
                let apart = (places[0][i] - places[1][j]).abs();
                let on_a = edge_at(&places[0], of_a.clone(), places[1][j]);
                let width = |side: usize, k: usize| places[side][k + 1] - places[side][k];
                let reach = least.max(END_PART * width(0, on_a)).max(END_PART * width(1, beside));
                if apart < reach && best.is_none_or(|(nearest, _)| apart < nearest) {
                    best = Some((apart, [i, j]));
                }
            }
        }
        best.map(|(_, pair)| pair)
    }

    /// Gives the vertices within a section partners on the edges of the other chain.
    fn fill(&mut self, edges: &[Range<usize>; 2]) {
        let local = [0, 1].map(|side| self.local_places(side, &edges[side]));
        let mut all: Vec<(Real, usize, usize)> = Vec::new();
        for side in 0..2 {
            all.extend((edges[side].start + 1..edges[side].end).map(|k| (local[side][k], side, k)));
        }
        all.sort_by(|one, other| one.0.total_cmp(&other.0));
        for (s, side, k) in all {
            let other = 1 - side;
            let range = &edges[other];
            let on = edge_at(&local[other], range.clone(), s);
            let t = (s - local[other][on]) / (local[other][on + 1] - local[other][on]);
            let partner = self.partner_on(other, on, t);
            self.push(if side == 0 { [Place::At(k), partner] } else { [partner, Place::At(k)] });
        }
    }

    /// A vertex at a part of an edge, or the one next to it where there is no room for another.
    fn partner_on(&self, side: usize, edge: usize, t: Real) -> Place {
        let room = (self.least_length / self.chains[side].lengths[edge]).max(END_PART);
        let before = self.pairs.last().map(|pair| pair[side]);
        match before {
            Some(Place::On(same, last)) if same == edge => {
                let is_near = (t - last) * self.chains[side].lengths[edge] < self.least_length;
                match (is_near, 1.0 - t < room) {
                    (true, true) if 1.0 - t > t - last => Place::On(edge, last),
                    (true, false) => Place::On(edge, last),
                    (_, true) => Place::At(edge + 1),
                    _ => Place::On(edge, t),
                }
            }
            _ if t >= room && 1.0 - t >= room => Place::On(edge, t),
            _ => Place::At(if t < 0.5 { edge } else { edge + 1 }),
        }
    }

    fn ends(&self, pair: [Place; 2]) -> [SeamEnd; 2] {
        let end = |side: usize| {
            let chain = self.chains[side];
            match pair[side] {
                Place::At(k) => SeamEnd::Particle(chain.particle(k)),
                Place::On(k, t) => SeamEnd::On { edge: [chain.particle(k), chain.particle(k + 1)], t },
            }
        };
        [end(0), end(1)]
    }
}
