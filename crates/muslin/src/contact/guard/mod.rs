//! The guarantee: vertices go towards their targets as far as no two features of the surface can meet.
//!
//! A direction n separates two convex features at the start of a move; if it still does at the end, they do not meet on straight
//! paths. Pairs for which it would not get a plane between them, where they stand, and each of their vertices a half-space:
//!
//! ```text
//! gap      g = min n·x (first) − max n·x (second) − radii                    n from the second to the first
//! room     ρ = max(0, min(0.9 g, g − d))                                     of the gap, the rest has to be left
//! vertex   −n·e ≤ share of the first,   n·e ≤ share of the second            e: the move; shares of ρ as both need it
//! ```
//!
//! and by as much more as it is farther from the other part than the nearest vertex of its own. Where no direction is found that
//! separates a pair by more than rounding, its vertices stay where they are.
//!
//! A vertex first slides along its half-spaces (the excess along each normal is taken off, twice around) and then shortens its move
//! until it satisfies them all. Who is blocked may then be in the way of those behind: their pairs are asked again, and get
//! half-spaces, too, until all the others stay separated. Moves never get longer, so that pairs farther apart than both parts' moves
//! need not be asked at all.

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
    /// A vertex of the other part; of a wall, the same vertex.
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
    /// Where the vertices wanted to go [m].
    wanted: Vec<Vec3>,
    /// Whether each of them does not get there.
    are_held_up: Vec<bool>,
    /// Whether the move of each became another one in the last pass.
    have_turned: Vec<bool>,
}

impl HalfSpaces {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.all.clear();
        self.order.clear();
        self.separated.clear();
    }

    /// Takes up pairs that may not meet.
    pub fn add(&mut self, pairs: &[Candidate], piece: &Piece) {
        par::collect_chunks(pairs, &mut self.separated, |pair, found| found.extend(pair.separated(piece)));
    }

    /// A half-space for one vertex.
    pub fn push(&mut self, half_space: HalfSpace) {
        self.all.push(half_space);
    }

    /// Shortens the moves of the cloth's vertices until no pair can meet; those of pins, without inverse mass, stay in their
    /// direction. Moves of solids, whose vertices move together, are left alone; see [`HalfSpaces::part_of_solid`]. Notes who goes
    /// elsewhere, and lets those be `confined`, by vertex and move.
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
        self.are_held_up.clear();
        self.are_held_up.resize(moves.len(), false);
        for pass in 0.. {
            let Self { all, separated, wanted, are_held_up, have_turned, .. } = self;
            separated.retain(|pair| {
                let is_any = |flags: &[bool]| pair.stencil.vertices.iter().any(|&v| flags[v as usize]);
                // A pair whose moves are those of the pass before stays as it was then.
                let is_asked = pass == 0 || is_any(have_turned) || pass == PASSES && is_any(are_held_up);
                // A solid may get less far, and all of its vertices with it.
                let is_with_solid = || {
                    pair.stencil
                        .vertices
                        .iter()
                        .any(|&v| v as usize >= cloth && wanted[v as usize] != Vec3::ZERO)
                };
                let stays = !is_asked || pass < PASSES && pair.stays(x, moves, least) && !is_with_solid();
                if !stays {
                    pair.half_spaces(x, wanted, least, all);
                }
                stays
            });
            if pass > 0 && self.all.len() == self.order.len() {
                break;
            }
            self.sort_latest();
            self.have_turned.clear();
            self.have_turned.resize(moves.len(), false);
            if pass == 0 {
                // Those who have left their straight paths before may leave their boxes.
                for v in (0..cloth).filter(|&v| left_straight_path[v]) {
                    moves[v] = confined(v, self.wanted[v]);
                    self.are_held_up[v] = moves[v] != self.wanted[v];
                    self.have_turned[v] = self.are_held_up[v];
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
                    self.have_turned[v] |= moves[v] != e;
                    moves[v] = e;
                    self.are_held_up[v] = true;
                }
            }
            if !self.have_turned.contains(&true) {
                break;
            }
        }
    }

    /// The largest part of its move that all vertices of a solid can make.
    pub fn part_of_solid(&self, surface: &CollisionMesh, body: u32, moves: &[Vec3]) -> Real {
        let mine = self.all.iter().filter(|plane| surface.bodies[plane.vertex as usize] == body);
        let part = |plane: &HalfSpace| {
            let e = moves[plane.vertex as usize];
            let stays = plane.slack < 0.0 && e != Vec3::ZERO;
            if stays { 0.0 } else { part_within(plane.normal.dot(e), plane.slack) }
        };
        mine.map(part).fold(1.0, Real::min)
    }

    /// A vertex of the part that is most in the way of a vertex which wants to go on by `rest`, after [`HalfSpaces::restrict`].
    pub fn most_in_the_way(&self, vertex: usize, rest: Vec3) -> Option<u32> {
        let most = self.of_vertex(vertex).max_by(|a, b| a.normal.dot(rest).total_cmp(&b.normal.dot(rest)))?;
        (most.normal.dot(rest) > 0.0).then_some(most.facing)
    }

    /// The half-spaces of a vertex, in their order.
    fn of_vertex(&self, vertex: usize) -> impl Iterator<Item = HalfSpace> + Clone {
        let plane = |k: u32| self.all[k as usize];
        let first = self.order.partition_point(|&k| (plane(k).vertex as usize) < vertex);
        let mine = self.order[first..].iter().map(move |&k| plane(k));
        mine.take_while(move |plane| plane.vertex as usize == vertex)
    }

    /// Orders the half-spaces that have come last, and puts them among the others: by vertex; and those of a vertex such that it does not
    /// depend on how the pairs were found: it slides along the nearest first.
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
        let numbers = |plane: &Self| {
            let [x, y, z] = plane.normal.to_array();
            [plane.slack, x, y, z]
        };
        self.vertex.cmp(&other.vertex).then_with(|| {
            let (a, b) = (numbers(self), numbers(other));
            (0..4).map(|k| a[k].total_cmp(&b[k])).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        })
    }
}

/// A move that slides along some half-spaces, so many times around, and is shortened until it satisfies them all.
#[inline]
fn kept_to(planes: impl Iterator<Item = HalfSpace> + Clone, mut e: Vec3, slides: u32) -> Vec3 {
    // The least slack comes first.
    if planes.clone().next().is_some_and(|plane| plane.slack < 0.0) {
        return Vec3::ZERO;
    }
    for _ in 0..slides {
        for plane in planes.clone() {
            let excess = plane.normal.dot(e) - plane.slack;
            if excess > 0.0 {
                e -= plane.normal * excess;
            }
        }
    }
    e * planes.map(|plane| part_within(plane.normal.dot(e), plane.slack)).fold(1.0, Real::min)
}

/// The largest part of a displacement that stays within a slack; none of any if that is negative.
#[inline]
fn part_within(way: Real, slack: Real) -> Real {
    if way > slack { (slack / way).max(0.0) } else { 1.0 }
}
