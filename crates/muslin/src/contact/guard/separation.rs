//! What separates a pair before a move, and the half-spaces that keep it separated.

use super::HalfSpace;
use crate::contact::closest_points::{self, Candidate, ClosestPoints};
use crate::contact::settings::GAP_SHARE;
use crate::math::{Real, Vec3};
use crate::stencil::Stencil;

/// The slack of vertices that stay where they are: their side of the pair is unknown.
const STAYS: Real = -1.0;

/// A piece of the motion of a step.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// Where the vertices are [m].
    pub x: &'a [Vec3],
    /// How far they want to go from there, and how far they have come since the pairs were measured [m].
    pub lengths: &'a [[Real; 2]],
    /// No two features come nearer than this [m].
    pub least: Real,
}

/// A pair that could meet in a move, and what separates it before.
#[derive(Clone, Copy, Debug)]
pub struct Separated {
    /// The pair.
    pub stencil: Stencil,
    /// n.
    normal: Vec3,
    /// g, or 0 where it is no more than rounding [m].
    gap: Real,
}

/// How much of a gap a move may use up [m].
#[inline]
pub fn room(gap: Real, least: Real) -> Real {
    (GAP_SHARE * gap).min(gap - least).max(0.0)
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

impl Candidate {
    /// What separates the pair before a move in which it could meet; none if it could not.
    #[inline]
    pub fn separated(&self, piece: &Piece) -> Option<Separated> {
        let Self { stencil, .. } = *self;
        let first = stencil.first();
        let mut farthest = [[0.0; 2]; 2];
        for (k, v) in stencil.vertices.into_iter().enumerate() {
            let (most, [length, gone]) = (&mut farthest[usize::from(k >= first)], piece.lengths[v as usize]);
            *most = [length.max(most[0]), gone.max(most[1])];
        }
        // No vertex can get as far, in whatever direction it slides.
        let (lengths, gone) = (farthest[0][0] + farthest[1][0], farthest[0][1] + farthest[1][1]);
        if lengths <= room(self.distance - self.radius - gone, piece.least) {
            return None;
        }
        let points = stencil.points(piece.x);
        let mut normal = self.normal;
        let mut gap = closest_points::gap(normal, points, first) - self.radius;
        if gone > 0.0 || gap <= piece.least {
            normal = ClosestPoints::of(stencil, piece.x).normal;
            gap = closest_points::gap(normal, points, first) - self.radius;
        }
        let resolution = closest_points::resolution(points);
        if gap <= piece.least.max(resolution) {
            let (better, wider) = closest_points::separation(points, first);
            if wider - self.radius > gap {
                (normal, gap) = (better, wider - self.radius);
            }
        }
        Some(Separated { stencil, normal, gap: if gap > resolution { gap } else { 0.0 } })
    }
}

impl Separated {
    /// Whether a pair whose vertices are at x stays sufficiently separated in these moves.
    #[inline]
    pub fn stays_separated(&self, x: &[Vec3], moves: &[Vec3], least: Real) -> bool {
        let starts = self.stencil.points(x);
        let ends = self.stencil.vertices.map(|v| x[v as usize] + moves[v as usize]);
        let [start, end] =
            [starts, ends].map(|points| closest_points::gap(self.normal, points, self.stencil.first()));
        self.gap > 0.0 && start - end <= room(self.gap, least)
    }

    /// The half-spaces of a pair, for those of its vertices that could leave them in these moves.
    #[inline]
    pub fn half_spaces(&self, x: &[Vec3], moves: &[Vec3], least: Real, found: &mut Vec<HalfSpace>) {
        let Self { stencil: Stencil { vertices, kind }, normal, gap } = *self;
        let first = kind.first();
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
        // Towards the other feature, of each side.
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
    fn only_the_nearest_vertex_of_a_feature_is_blocked_by_a_narrow_gap() {
        let x = [Vec3::ZERO, Vec3::new(0.0, 0.0, 0.01), Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.0, 1.0, 1.0)];
        let pair = Candidate {
            stencil: Stencil::of_first([0, 1, 2, 3], 1),
            normal: -Vec3::Z,
            distance: 0.01,
            radius: 0.0,
        };
        let mut moves = [Vec3::ZERO, Vec3::Z * -0.5, Vec3::Z * -0.5, Vec3::Z * -0.5];
        let mut found = Vec::new();
        let half_spaces = |moves: &[Vec3], found: &mut Vec<HalfSpace>| {
            let lengths: Vec<_> = moves.iter().map(|e| [e.length(), 0.0]).collect();
            let separated = pair.separated(&Piece { x: &x, lengths: &lengths, least: 1e-6 }).unwrap();
            separated.half_spaces(&x, moves, 1e-6, found);
        };
        half_spaces(&moves, &mut found);
        assert!(found.iter().all(|half_space| half_space.vertex == 1), "{found:?}");
        // If they want to get beyond it, all are stopped on their side.
        moves[1..].fill(Vec3::Z * -2.0);
        found.clear();
        half_spaces(&moves, &mut found);
        assert_eq!(found.len(), 3);
        for half_space in &found {
            let height = x[half_space.vertex as usize].z - half_space.slack;
            assert!((0.0..0.01).contains(&height), "{height}");
        }
    }
}
