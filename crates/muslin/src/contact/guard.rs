//! The guarantee: vertices go towards their targets as far as no two parts of the surface can meet.
//!
//! A direction n parts two convex parts at the start of a move; if it still does at the end, they do not meet on straight ways.
//! Pairs for which it would not get a plane between them, where they stand; every vertex keeps to its side of all its planes:
//!
//! ```text
//! gap      g = min n·x (first part) − max n·x (second part) − radii          n from the second to the first
//! room     ρ = max(0, min(0.9 g, g − d))                                     of the gap, the rest has to be left
//! vertex   −n·e ≤ share of the first,   n·e ≤ share of the second            e: the move; shares of ρ as both parts need it
//! ```
//!
//! and by as much more as it is farther from the other part than the nearest vertex of its own. Where no direction is found that
//! parts a pair by more than rounding, its vertices stay where they are.
//!
//! A vertex first slides along its planes (the excess along each normal is taken off, twice around) and then shortens its move
//! until it satisfies them all. Who is held up may then be in the way of those behind: their pairs are asked again, and get
//! planes, too, until all the others stay parted. Moves never get longer, so that pairs farther apart than both parts' moves
//! need not be asked at all.

use super::near::{self, Key, Near, Nearest};
use super::surface::Surface;
use crate::math::{Real, Vec3};
use crate::par;
use std::cmp::Ordering;

/// Part of a gap that a move may use up at most.
const PART: Real = 0.9;
/// Rounds of sliding along planes.
const SLIDES: u32 = 2;
/// Rounds of asking who is in whose way; then all pairs get planes.
const ROUNDS: u32 = 16;

/// The slack of vertices that stay where they are: there is no telling on which side of a pair they are.
const STAYS: Real = -1.0;

/// A plane that a vertex may not cross in this move: n·e ≤ slack.
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
    /// How far they want to go from there, and how far they have come since the pairs were measured [m].
    pub lengths: &'a [[Real; 2]],
    /// No two parts come nearer than this [m].
    pub least: Real,
}

/// The planes of a move.
#[derive(Clone, Debug, Default)]
pub struct Planes {
    half_spaces: Vec<HalfSpace>,
    /// Their numbers, by vertex; and those that came last.
    order: Vec<u32>,
    latest: Vec<u32>,
    /// Pairs without planes so far.
    parted: Vec<Parted>,
    /// Where the vertices wanted to go [m].
    wanted: Vec<Vec3>,
    /// Whether each of them does not get there.
    are_held_up: Vec<bool>,
    /// Whether the move of each became another one in the last round.
    have_turned: Vec<bool>,
}

/// A pair that could meet in a move, and what parts it before.
#[derive(Clone, Copy, Debug)]
struct Parted {
    /// See [`Guarded`].
    vertices: [u32; 4],
    first: usize,
    /// n.
    normal: Vec3,
    /// g, or 0 where it is no more than rounding [m].
    gap: Real,
}

impl Planes {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.half_spaces.clear();
        self.order.clear();
        self.parted.clear();
    }

    /// Takes up pairs that may not meet.
    pub fn add(&mut self, pairs: &[Guarded], piece: &Piece) {
        par::collect_chunks(pairs, &mut self.parted, |pair, found| found.extend(pair.parted(piece)));
    }

    /// A plane for one vertex.
    pub fn push(&mut self, half_space: HalfSpace) {
        self.half_spaces.push(half_space);
    }

    /// Shortens the moves of the cloth's vertices until no pair can meet; those of pins, without inverse mass, stay in their
    /// direction. Moves of solids, whose vertices move together, are left alone; see [`Planes::part_of_solid`]. Notes who goes
    /// elsewhere, and lets those be `confined`, by vertex and move.
    pub fn restrict(
        &mut self,
        inverse_masses: &[Real],
        (x, least): (&[Vec3], Real),
        moves: &mut [Vec3],
        are_elsewhere: &mut [bool],
        confined: impl Fn(usize, Vec3) -> Vec3,
    ) {
        let cloth = inverse_masses.len();
        self.wanted.clear();
        self.wanted.extend_from_slice(moves);
        self.are_held_up.clear();
        self.are_held_up.resize(moves.len(), false);
        for round in 0.. {
            let Self { half_spaces, parted, wanted, are_held_up, have_turned, .. } = self;
            parted.retain(|pair| {
                let is_any = |flags: &[bool]| pair.vertices.iter().any(|&v| flags[v as usize]);
                // A pair whose moves are those of the round before stays as it was then.
                let is_asked = round == 0 || is_any(have_turned) || round == ROUNDS && is_any(are_held_up);
                // A solid may get less far, and all of its vertices with it.
                let is_with_solid =
                    || pair.vertices.iter().any(|&v| v as usize >= cloth && wanted[v as usize] != Vec3::ZERO);
                let stays = !is_asked || round < ROUNDS && pair.stays(x, moves, least) && !is_with_solid();
                if !stays {
                    pair.half_spaces(x, wanted, least, half_spaces);
                }
                stays
            });
            if round > 0 && self.half_spaces.len() == self.order.len() {
                break;
            }
            self.sort_latest();
            self.have_turned.clear();
            self.have_turned.resize(moves.len(), false);
            if round == 0 {
                // Those who have left their straight ways before may leave their boxes.
                for v in (0..cloth).filter(|&v| are_elsewhere[v]) {
                    moves[v] = confined(v, self.wanted[v]);
                    self.are_held_up[v] = moves[v] != self.wanted[v];
                    self.have_turned[v] = self.are_held_up[v];
                }
            }
            let vertex = |k: u32| self.half_spaces[k as usize].vertex;
            for latest in self.latest.chunk_by(|a, b| vertex(*a) == vertex(*b)) {
                let v = vertex(latest[0]) as usize;
                if v >= cloth {
                    continue;
                }
                let slides = if inverse_masses[v] > 0.0 { SLIDES } else { 0 };
                let e = kept_to(self.of_vertex(v), self.wanted[v], slides);
                if e != self.wanted[v] {
                    are_elsewhere[v] = true;
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
    pub fn part_of_solid(&self, surface: &Surface, body: u32, moves: &[Vec3]) -> Real {
        let mine = self.half_spaces.iter().filter(|plane| surface.bodies[plane.vertex as usize] == body);
        let part = |plane: &HalfSpace| {
            let e = moves[plane.vertex as usize];
            let stays = plane.slack < 0.0 && e != Vec3::ZERO;
            if stays { 0.0 } else { part_within(plane.normal.dot(e), plane.slack) }
        };
        mine.map(part).fold(1.0, Real::min)
    }

    /// A vertex of the part that is most in the way of a vertex which wants to go on by `rest`, after [`Planes::restrict`].
    pub fn most_in_the_way(&self, vertex: usize, rest: Vec3) -> Option<u32> {
        let most = self.of_vertex(vertex).max_by(|a, b| a.normal.dot(rest).total_cmp(&b.normal.dot(rest)))?;
        (most.normal.dot(rest) > 0.0).then_some(most.facing)
    }

    /// The planes of a vertex, in their order.
    fn of_vertex(&self, vertex: usize) -> impl Iterator<Item = HalfSpace> + Clone {
        let plane = |k: u32| self.half_spaces[k as usize];
        let first = self.order.partition_point(|&k| (plane(k).vertex as usize) < vertex);
        let mine = self.order[first..].iter().map(move |&k| plane(k));
        mine.take_while(move |plane| plane.vertex as usize == vertex)
    }

    /// Orders the planes that have come last, and puts them among the others: by vertex; and those of a vertex such that it does not
    /// depend on how the pairs were found: it slides along the nearest first.
    fn sort_latest(&mut self) {
        let Self { half_spaces, order, latest, .. } = self;
        let compare = |a: u32, b: u32| half_spaces[a as usize].compare(&half_spaces[b as usize]);
        latest.clear();
        latest.extend(order.len() as u32..half_spaces.len() as u32);
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

/// A move that slides along some planes, so many times around, and is shortened until it satisfies them all.
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

/// The largest part of a way that stays within a slack; none of any if that is negative.
#[inline]
fn part_within(way: Real, slack: Real) -> Real {
    if way > slack { (slack / way).max(0.0) } else { 1.0 }
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

impl Guarded {
    /// What parts the pair before a move in which it could meet; none if it could not.
    fn parted(&self, piece: &Piece) -> Option<Parted> {
        let Self { vertices, first, .. } = *self;
        let mut farthest = [[0.0; 2]; 2];
        for (k, v) in vertices.into_iter().enumerate() {
            let (most, [length, gone]) = (&mut farthest[usize::from(k >= first)], piece.lengths[v as usize]);
            *most = [length.max(most[0]), gone.max(most[1])];
        }
        // Nobody can get as far, in whatever direction it slides.
        let (lengths, gone) = (farthest[0][0] + farthest[1][0], farthest[0][1] + farthest[1][1]);
        if lengths <= room(self.distance - self.radius - gone, piece.least) {
            return None;
        }
        let points = vertices.map(|v| piece.x[v as usize]);
        let mut normal = self.normal;
        let mut gap = near::gap(normal, points, first) - self.radius;
        if gone > 0.0 || gap <= piece.least {
            normal = self.near(piece.x).normal;
            gap = near::gap(normal, points, first) - self.radius;
        }
        let resolution = near::resolution(points);
        if gap <= piece.least.max(resolution) {
            let (better, wider) = near::separation(points, first);
            if wider - self.radius > gap {
                (normal, gap) = (better, wider - self.radius);
            }
        }
        Some(Parted { vertices, first, normal, gap: if gap > resolution { gap } else { 0.0 } })
    }
}

impl Parted {
    /// Whether a pair whose vertices are at x stays parted as far as it has to be after these moves.
    #[inline]
    fn stays(&self, x: &[Vec3], moves: &[Vec3], least: Real) -> bool {
        let starts = self.vertices.map(|v| x[v as usize]);
        let ends = self.vertices.map(|v| x[v as usize] + moves[v as usize]);
        let [start, end] = [starts, ends].map(|points| near::gap(self.normal, points, self.first));
        self.gap > 0.0 && start - end <= room(self.gap, least)
    }

    /// The planes of a pair, for those of its vertices that could cross them in these moves.
    fn half_spaces(&self, x: &[Vec3], moves: &[Vec3], least: Real, found: &mut Vec<HalfSpace>) {
        let Self { vertices, first, normal, gap } = *self;
        let [e, points] = [moves, x].map(|all| vertices.map(|v| all[v as usize]));
        let facing = |k: usize| vertices[if k < first { 3 } else { 0 }];
        if gap <= 0.0 {
            for k in (0..4).filter(|&k| e[k] != Vec3::ZERO) {
                let normal = e[k].normalize_or(Vec3::Z);
                found.push(HalfSpace { vertex: vertices[k], normal, slack: STAYS, facing: facing(k) });
            }
            return;
        }
        let room = room(gap, least);
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
                found.push(HalfSpace {
                    vertex: vertices[k],
                    normal: normals[side(k)],
                    slack,
                    facing: facing(k),
                });
            }
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
            let parted = pair.parted(&Piece { x: &x, lengths: &lengths, least: 1e-6 }).unwrap();
            parted.half_spaces(&x, moves, 1e-6, found);
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
