//! The guarantee: vertices move towards their targets as far as no two features of the surface can meet.
//!
//! A direction n separates two convex features at the start of a move; if it still does at the end, they do not meet on straight
//! paths. Where it would not, each vertex of the pair gets a half-space that keeps the pair separated:
//!
//! ```text
//! gap      g = min n·x (first) − max n·x (second) − radii                    n from the second to the first
//! room     ρ = max(0, min(0.9 g, g − d))                                     of the gap, the rest has to be left
//! vertex   −n·e ≤ share of the first,   n·e ≤ share of the second            e: the move; shares of ρ as both need it
//! ```
//!
//! and by as much more as it is farther from the other feature than the nearest vertex of its own. Where no direction is found that
//! separates a pair by more than rounding, its vertices stay where they are.
//!
//! A vertex first slides along its half-spaces (the excess along each normal is removed, in two passes) and then shortens its move until it
//! satisfies them all. A blocked vertex may then block those behind it: their pairs are checked again, and get half-spaces, too, until all
//! other pairs stay separated. Moves never get longer, so that pairs farther apart than the moves of both features are not checked at all.

mod separation;

pub use separation::{Piece, room, shares};

use crate::contact::closest_points::Candidate;
use crate::contact::mesh::collision_mesh::CollisionMesh;
use crate::contact::settings::{PASSES, SLIDES};
use crate::math::{Real, Vec3};
use crate::par;
use separation::Separated;
use std::cmp::Ordering;

/// A half-space that a vertex may not leave in this move: n·e ≤ slack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// The vertex.
    pub vertex: u32,
    /// n: unit vector, out of the half-space.
    pub normal: Vec3,
    /// How far the vertex may go along n [m]; if negative, it does not move at all.
    pub slack: Real,
    /// A vertex of the other feature; of a wall, the same vertex.
    pub facing: u32,
}

/// The half-spaces of a move.
#[derive(Clone, Debug, Default)]
pub struct HalfSpaces {
    all: Vec<HalfSpace>,
    /// Their numbers, by vertex; and those that came last.
    order: Vec<u32>,
    latest: Vec<u32>,
    /// Pairs without half-spaces so far.
    separated: Vec<Separated>,
    /// The moves before any restriction [m].
    wanted: Vec<Vec3>,
    /// Whether each of them is blocked before it gets there.
    are_blocked: Vec<bool>,
    /// Whether the move of each changed in the last pass.
    have_changed: Vec<bool>,
}

impl HalfSpaces {
    /// Removes all half-spaces and pairs.
    pub fn clear(&mut self) {
        self.all.clear();
        self.order.clear();
        self.separated.clear();
    }

    /// Adds pairs that may not meet.
    pub fn add(&mut self, pairs: &[Candidate], piece: &Piece) {
        par::collect_chunks(pairs, &mut self.separated, |pair, found| found.extend(pair.separated(piece)));
    }

    /// A half-space for one vertex.
    pub fn push(&mut self, half_space: HalfSpace) {
        self.all.push(half_space);
    }

    /// Shortens the moves of the cloth's vertices until no pair can meet; those of pins, without inverse mass, stay in their
    /// direction. Moves of solids, whose vertices move together, are left alone; see [`HalfSpaces::solid_fraction`]. Sets
    /// `left_straight_path` of vertices whose moves change, and lets these be `confined`, by vertex and move.
    pub fn restrict(
        &mut self,
        inverse_masses: &[Real],
        (x, least): (&[Vec3], Real),
        moves: &mut [Vec3],
        left_straight_path: &mut [bool],
        confined: impl Fn(usize, Vec3) -> Vec3,
    ) {
        let cloth = inverse_masses.len();
        self.wanted.clear();
        self.wanted.extend_from_slice(moves);
        self.are_blocked.clear();
        self.are_blocked.resize(moves.len(), false);
        for pass in 0.. {
            let Self { all, separated, wanted, are_blocked, have_changed, .. } = self;
            separated.retain(|pair| {
                let is_any = |flags: &[bool]| pair.stencil.vertices.iter().any(|&v| flags[v as usize]);
                // A pair whose moves are those of the pass before stays as it was then.
                let is_checked = pass == 0 || is_any(have_changed) || pass == PASSES && is_any(are_blocked);
                // A solid may get less far, and all of its vertices with it.
                let is_with_solid = || {
                    pair.stencil
                        .vertices
                        .iter()
                        .any(|&v| v as usize >= cloth && wanted[v as usize] != Vec3::ZERO)
                };
                let stays =
                    !is_checked || pass < PASSES && pair.stays_separated(x, moves, least) && !is_with_solid();
                if !stays {
                    pair.half_spaces(x, wanted, least, all);
                }
                stays
            });
            if pass > 0 && self.all.len() == self.order.len() {
                break;
            }
            self.sort_latest();
            self.have_changed.clear();
            self.have_changed.resize(moves.len(), false);
            if pass == 0 {
                // Vertices that have left their straight paths before may leave their boxes.
                for v in (0..cloth).filter(|&v| left_straight_path[v]) {
                    moves[v] = confined(v, self.wanted[v]);
                    self.are_blocked[v] = moves[v] != self.wanted[v];
                    self.have_changed[v] = self.are_blocked[v];
                }
            }
            let vertex = |k: u32| self.all[k as usize].vertex;
            for latest in self.latest.chunk_by(|a, b| vertex(*a) == vertex(*b)) {
                let v = vertex(latest[0]) as usize;
                if v >= cloth {
                    continue;
                }
                let slides = if inverse_masses[v] > 0.0 { SLIDES } else { 0 };
                let e = kept_to(self.of_vertex(v), self.wanted[v], slides);
                if e != self.wanted[v] {
                    left_straight_path[v] = true;
                    let e = confined(v, e);
                    self.have_changed[v] |= moves[v] != e;
                    moves[v] = e;
                    self.are_blocked[v] = true;
                }
            }
            if !self.have_changed.contains(&true) {
                break;
            }
        }
    }

    /// The largest fraction of their moves that all vertices of a solid can make.
    pub fn solid_fraction(&self, surface: &CollisionMesh, body: u32, moves: &[Vec3]) -> Real {
        let mine = self.all.iter().filter(|half_space| surface.bodies[half_space.vertex as usize] == body);
        let fraction = |half_space: &HalfSpace| {
            let e = moves[half_space.vertex as usize];
            let stays = half_space.slack < 0.0 && e != Vec3::ZERO;
            if stays { 0.0 } else { fraction_within(half_space.normal.dot(e), half_space.slack) }
        };
        mine.map(fraction).fold(1.0, Real::min)
    }

    /// A vertex of the feature that blocks a vertex most in going on by `rest`, after [`HalfSpaces::restrict`].
    pub fn most_blocking(&self, vertex: usize, rest: Vec3) -> Option<u32> {
        let most = self.of_vertex(vertex).max_by(|a, b| a.normal.dot(rest).total_cmp(&b.normal.dot(rest)))?;
        (most.normal.dot(rest) > 0.0).then_some(most.facing)
    }

    /// The half-spaces of a vertex, in their order.
    fn of_vertex(&self, vertex: usize) -> impl Iterator<Item = HalfSpace> + Clone {
        let half_space = |k: u32| self.all[k as usize];
        let first = self.order.partition_point(|&k| (half_space(k).vertex as usize) < vertex);
        let mine = self.order[first..].iter().map(move |&k| half_space(k));
        mine.take_while(move |half_space| half_space.vertex as usize == vertex)
    }

    /// Orders the half-spaces that have come last, and puts them among the others: by vertex; and those of a vertex in an order
    /// that does not depend on that of the pairs: it slides along the nearest first.
    fn sort_latest(&mut self) {
        let Self { all, order, latest, .. } = self;
        let compare = |a: u32, b: u32| all[a as usize].compare(&all[b as usize]);
        latest.clear();
        latest.extend(order.len() as u32..all.len() as u32);
        latest.sort_unstable_by(|&a, &b| compare(a, b));
        // Merged from behind, in place.
        let (mut left, mut right) = (order.len(), latest.len());
        order.resize(left + right, 0);
        while right > 0 {
            let is_left = left > 0 && compare(order[left - 1], latest[right - 1]) == Ordering::Greater;
            let place = left + right - 1;
            if is_left {
                left -= 1;
                order[place] = order[left];
            } else {
                right -= 1;
                order[place] = latest[right];
            }
        }
    }
}

impl HalfSpace {
    /// By vertex, then by slack, then by normal.
    fn compare(&self, other: &Self) -> Ordering {
        let numbers = |half_space: &Self| {
            let [x, y, z] = half_space.normal.to_array();
            [half_space.slack, x, y, z]
        };
        self.vertex.cmp(&other.vertex).then_with(|| {
            let (a, b) = (numbers(self), numbers(other));
            (0..4).map(|k| a[k].total_cmp(&b[k])).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        })
    }
}

/// A move that slides along some half-spaces, in some passes, and is shortened until it satisfies them all.
#[inline]
fn kept_to(half_spaces: impl Iterator<Item = HalfSpace> + Clone, mut e: Vec3, slides: u32) -> Vec3 {
    // The least slack comes first.
    if half_spaces.clone().next().is_some_and(|half_space| half_space.slack < 0.0) {
        return Vec3::ZERO;
    }
    for _ in 0..slides {
        for half_space in half_spaces.clone() {
            let excess = half_space.normal.dot(e) - half_space.slack;
            if excess > 0.0 {
                e -= half_space.normal * excess;
            }
        }
    }
    e * half_spaces
        .map(|half_space| fraction_within(half_space.normal.dot(e), half_space.slack))
        .fold(1.0, Real::min)
}

/// The largest fraction of a displacement that stays within a slack; 0 if that is negative.
#[inline]
fn fraction_within(displacement: Real, slack: Real) -> Real {
    if displacement > slack { (slack / displacement).max(0.0) } else { 1.0 }
}
