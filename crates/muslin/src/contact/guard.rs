//! The guarantee: vertices go towards their targets as far as no two parts of the surface can meet, whatever the others do.
//!
//! Every pair that could meet in a move gets a plane between its two parts, where they stand; every vertex keeps to its side
//! of all its planes. Both parts are convex and every way is straight, so they stay apart at every moment of the move, and a
//! vertex may always go less far than it could:
//!
//! ```text
//! gap      g = min n·x (first part) − max n·x (second part) − radii          n from the second to the first
//! room     ρ = max(0, min(0.9 g, g − d))                                     shared as both parts need it
//! vertex   −n·e ≤ share of the first,   n·e ≤ share of the second            e: the move
//! ```
//!
//! and by as much more as it is farther from the other part than the nearest vertex of its own.
//!
//! A vertex first slides along its planes (the excess along each normal is taken off, twice around) and then shortens its move
//! until it satisfies them all. Moves never get longer, so that pairs farther apart than both parts' moves need no plane.

use super::near::{self, Key, Near, Nearest};
use super::surface::Surface;
use crate::math::{Real, Vec3};
use crate::par;
use std::cmp::Ordering;

/// Part of a gap that a move may use up at most.
const PART: Real = 0.9;
/// Rounds of sliding along planes.
const SLIDES: u32 = 2;

/// A plane that a vertex may not cross in this move: n·e ≤ slack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// The vertex.
    pub vertex: u32,
    /// n: unit vector, out of the half-space.
    pub normal: Vec3,
    /// How far the vertex may go along n [m]; not negative.
    pub slack: Real,
    /// A vertex of the other part; of a wall, the same vertex.
    pub facing: u32,
}

/// A pair of parts that could meet, as the guard sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guarded {
    /// Four vertices: those of the first part, then those of the second.
    pub vertices: [u32; 4],
    /// How many of them are the first part's.
    pub first: usize,
    /// See [`Near`].
    pub triangle: u32,
    /// n: unit vector that parts them at the start of the step, from the second to the first.
    pub normal: Vec3,
    /// Their distance at the start of the step, or less [m].
    pub distance: Real,
    /// Sum of the radii of both [m].
    pub radius: Real,
}

impl Guarded {
    /// Who could meet whom.
    pub fn key(&self) -> Key {
        (self.vertices, self.first, self.triangle)
    }

    /// Where they are nearest to each other at these positions.
    #[inline]
    pub fn near(&self, x: &[Vec3]) -> Near {
        Near::pair(x, self.vertices, self.first, self.triangle)
    }

    /// The same with the vertices at these points, of which the nearest are known.
    #[inline]
    pub fn near_with(&self, points: [Vec3; 4], nearest: &Nearest) -> Near {
        let Self { vertices, first, triangle, .. } = *self;
        Near { vertices, first, triangle, ..Near::NOWHERE }.with(points, nearest)
    }
}

/// A piece of the way of a step.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// Where the vertices are [m].
    pub x: &'a [Vec3],
    /// Where they want to go from there [m].
    pub moves: &'a [Vec3],
    /// How far that is, and how far they have come since the pairs were measured [m].
    pub lengths: &'a [[Real; 2]],
    /// No two parts come nearer than this [m].
    pub least: Real,
}

/// The planes of a move.
#[derive(Clone, Debug, Default)]
pub struct Planes {
    half_spaces: Vec<HalfSpace>,
    starts: Vec<u32>,
    order: Vec<u32>,
}

impl Planes {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.half_spaces.clear();
    }

    /// Puts planes between the parts of pairs, for moves of the vertices.
    pub fn add(&mut self, pairs: &[Guarded], piece: &Piece) {
        par::collect_chunks(pairs, &mut self.half_spaces, |pair, found| half_spaces(pair, piece, found));
    }

    /// A plane for one vertex.
    pub fn push(&mut self, half_space: HalfSpace) {
        self.half_spaces.push(half_space);
    }

    /// Shortens the moves of the cloth's vertices until they satisfy every plane. Moves of solids, whose vertices move
    /// together, are left alone; see [`Planes::part_of_solid`]. Notes who goes elsewhere.
    pub fn restrict(&mut self, surface: &Surface, moves: &mut [Vec3], are_elsewhere: &mut [bool]) {
        self.sort(moves.len());
        let (starts, order, half_spaces) = (&self.starts, &self.order, &self.half_spaces);
        for (v, (e, is_elsewhere)) in moves.iter_mut().zip(are_elsewhere).enumerate() {
            let wanted = *e;
            let mine = &order[starts[v] as usize..starts[v + 1] as usize];
            if mine.is_empty() || !surface.is_cloth(v as u32) {
                continue;
            }
            let mine = mine.iter().map(|&k| half_spaces[k as usize]);
            for _ in 0..SLIDES {
                for plane in mine.clone() {
                    let excess = plane.normal.dot(*e) - plane.slack;
                    if excess > 0.0 {
                        *e -= plane.normal * excess;
                    }
                }
            }
            let part = mine.map(|plane| part_within(plane.normal.dot(*e), plane.slack)).fold(1.0, Real::min);
            *e *= part;
            *is_elsewhere |= *e != wanted;
        }
    }

    /// The largest part of its move that all vertices of a solid can make.
    pub fn part_of_solid(&self, surface: &Surface, body: u32, moves: &[Vec3]) -> Real {
        let mine = self.half_spaces.iter().filter(|plane| surface.bodies[plane.vertex as usize] == body);
        mine.map(|plane| part_within(plane.normal.dot(moves[plane.vertex as usize]), plane.slack))
            .fold(1.0, Real::min)
    }

    /// A vertex of the part that is most in the way of a vertex which wants to go on by `rest`, after [`Planes::restrict`].
    pub fn most_in_the_way(&self, vertex: usize, rest: Vec3) -> Option<u32> {
        let mine = &self.order[self.starts[vertex] as usize..self.starts[vertex + 1] as usize];
        let mine = mine.iter().map(|&k| &self.half_spaces[k as usize]);
        let most = mine.max_by(|a, b| a.normal.dot(rest).total_cmp(&b.normal.dot(rest)))?;
        (most.normal.dot(rest) > 0.0).then_some(most.facing)
    }

    /// Orders the planes by vertex.
    fn sort(&mut self, vertices: usize) {
        self.starts.clear();
        self.starts.resize(vertices + 1, 0);
        for plane in &self.half_spaces {
            self.starts[plane.vertex as usize + 1] += 1;
        }
        for v in 0..vertices {
            self.starts[v + 1] += self.starts[v];
        }
        self.order.resize(self.half_spaces.len(), 0);
        for (k, plane) in self.half_spaces.iter().enumerate().rev() {
            let end = &mut self.starts[plane.vertex as usize + 1];
            *end -= 1;
            self.order[*end as usize] = k as u32;
        }
        // Each entry was moved down to its own start: the list of starts, but one place late.
        self.starts.remove(0);
        self.starts.push(self.half_spaces.len() as u32);
        // In an order that does not depend on how the pairs were found: a vertex slides along the nearest plane first.
        let numbers = |k: &u32| {
            let HalfSpace { slack, normal, .. } = self.half_spaces[*k as usize];
            [slack, normal.x, normal.y, normal.z]
        };
        for v in 0..vertices {
            let mine = &mut self.order[self.starts[v] as usize..self.starts[v + 1] as usize];
            mine.sort_unstable_by(|a, b| {
                let (a, b) = (numbers(a), numbers(b));
                (0..4).map(|k| a[k].total_cmp(&b[k])).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
            });
        }
    }
}

/// The largest part of a way that stays within a slack.
#[inline]
fn part_within(way: Real, slack: Real) -> Real {
    if way > slack { slack / way } else { 1.0 }
}

/// How much of a gap a move may use up [m].
#[inline]
pub fn room(gap: Real, least: Real) -> Real {
    (PART * gap).min(gap - least).max(0.0)
}

/// Shares a room between two sides, as they need it.
#[inline]
pub fn shares(room: Real, needs: [Real; 2]) -> [Real; 2] {
    let all = needs[0] + needs[1];
    if all <= room {
        needs.map(|need| need + 0.5 * (room - all))
    } else {
        needs.map(|need| room * need / all)
    }
}

/// The planes of a pair, for those of its vertices that could cross them.
fn half_spaces(pair: &Guarded, piece: &Piece, found: &mut Vec<HalfSpace>) {
    let Guarded { vertices, first, .. } = *pair;
    let mut farthest = [[0.0; 2]; 2];
    for (k, v) in vertices.into_iter().enumerate() {
        let (most, [length, gone]) = (&mut farthest[usize::from(k >= first)], piece.lengths[v as usize]);
        *most = [length.max(most[0]), gone.max(most[1])];
    }
    // Nobody can get as far, in whatever direction it slides.
    let (lengths, gone) = (farthest[0][0] + farthest[1][0], farthest[0][1] + farthest[1][1]);
    if lengths <= room(pair.distance - pair.radius - gone, piece.least) {
        return;
    }
    let e = vertices.map(|v| piece.moves[v as usize]);
    let points = vertices.map(|v| piece.x[v as usize]);
    let mut normal = pair.normal;
    let mut gap = near::gap(normal, points, first) - pair.radius;
    if gone > 0.0 || gap <= piece.least {
        normal = pair.near(piece.x).normal;
        gap = near::gap(normal, points, first) - pair.radius;
    }
    if gap <= 0.0 {
        // They touch already, and there is no telling on which side anybody is: nobody moves.
        for k in (0..4).filter(|&k| e[k] != Vec3::ZERO) {
            found.push(HalfSpace {
                vertex: vertices[k],
                normal: e[k].normalize_or(Vec3::Z),
                slack: 0.0,
                facing: vertices[if k < first { 3 } else { 0 }],
            });
        }
        return;
    }
    let room = room(gap, piece.least);
    // Towards the other part, of each side.
    let normals = [-normal, normal];
    let side = |k: usize| usize::from(k >= first);
    let heights: [Real; 4] = std::array::from_fn(|k| normals[side(k)].dot(points[k]));
    let (mut nearest, mut needs) = ([Real::NEG_INFINITY; 2], [0.0; 2]);
    for k in 0..4 {
        nearest[side(k)] = heights[k].max(nearest[side(k)]);
    }
    let behind: [Real; 4] = std::array::from_fn(|k| nearest[side(k)] - heights[k]);
    for k in 0..4 {
        needs[side(k)] = (normals[side(k)].dot(e[k]) - behind[k]).max(needs[side(k)]);
    }
    let shares = shares(room, needs);
    for k in 0..4 {
        let slack = shares[side(k)] + behind[k];
        if e[k].length_squared() > slack * slack {
            let facing = vertices[if k < first { 3 } else { 0 }];
            found.push(HalfSpace { vertex: vertices[k], normal: normals[side(k)], slack, facing });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A corner of a triangle is all but at a vertex, the others are a hundred times as far away and want to come half as near.
    #[test]
    fn only_the_nearest_vertex_of_a_part_is_held_up_by_a_narrow_gap() {
        let x = [Vec3::ZERO, Vec3::new(0.0, 0.0, 0.01), Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.0, 1.0, 1.0)];
        let pair = Guarded {
            vertices: [0, 1, 2, 3],
            first: 1,
            triangle: 0,
            normal: -Vec3::Z,
            distance: 0.01,
            radius: 0.0,
        };
        let mut moves = [Vec3::ZERO, Vec3::Z * -0.5, Vec3::Z * -0.5, Vec3::Z * -0.5];
        let mut found = Vec::new();
        let planes = |moves: &[Vec3], found: &mut Vec<HalfSpace>| {
            let lengths: Vec<_> = moves.iter().map(|e| [e.length(), 0.0]).collect();
            half_spaces(&pair, &Piece { x: &x, moves, lengths: &lengths, least: 1e-6 }, found);
        };
        planes(&moves, &mut found);
        assert!(found.iter().all(|plane| plane.vertex == 1), "{found:?}");
        // If they want to get beyond it, all are stopped on their side.
        moves[1..].fill(Vec3::Z * -2.0);
        found.clear();
        planes(&moves, &mut found);
        assert_eq!(found.len(), 3);
        for plane in &found {
            let height = x[plane.vertex as usize].z - plane.slack;
            assert!((0.0..0.01).contains(&height), "{height}");
        }
    }
}
