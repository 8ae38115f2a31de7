//! The way from the start of a step towards its target, in safe pieces.

use super::Contacts;
use crate::contact::guard::{HalfSpace, Piece, room, shares};
use crate::math::Real;
use crate::model::Model;

/// Largest part of a mean edge that a vertex may go in a piece of a step: beyond that, neighbours would stand in its way.
const PIECE: Real = 0.4;
/// Part of the thickness that a solid may go in a piece.
const PIECE_OF_SOLIDS: Real = 0.25;
/// Pieces of a step at the most; what is farther is not reached in this step.
const MOST_PIECES: u32 = 16;
/// Part of the thickness to which parts may come near.
const LEAST: Real = 1e-3;

impl Contacts {
    /// Goes from the start towards the target, in pieces.
    pub(super) fn go(&mut self, model: &Model, time: Real) {
        let cloth = model.len();
        self.x.clone_from(&self.start);
        let ways = self.start.iter().zip(&self.target).enumerate();
        let near = ways.filter(|(v, _)| !self.candidates.is_far(&self.surface, *v));
        let farthest = near.map(|(_, (x, y))| x.distance_squared(*y)).fold(0.0, Real::max).sqrt();
        let piece = if self.mean_edge > 0.0 { PIECE * self.mean_edge } else { Real::INFINITY };
        // A solid gets as far as the gap in front of it, which cloth that gives way opens piece by piece.
        let solids = (cloth..self.start.len()).filter(|&v| !self.candidates.is_far(&self.surface, v));
        let way = solids.map(|v| self.start[v].distance_squared(self.target[v])).fold(0.0, Real::max).sqrt();
        let of_solids = if self.thickness > 0.0 { way / (PIECE_OF_SOLIDS * self.thickness) } else { 0.0 };
        let pieces = (farthest / piece).max(of_solids).ceil().clamp(1.0, Real::from(MOST_PIECES)) as u32;
        self.report.pieces = pieces;
        self.report.too_fast += u64::from(farthest > piece * Real::from(MOST_PIECES));
        for left in (1..=pieces).rev() {
            let part = 1.0 / Real::from(left);
            self.moves.clear();
            self.moves.extend(
                self.x[..cloth]
                    .iter()
                    .zip(&self.target)
                    .map(|(x, y)| ((*y - *x) * part).clamp_length_max(piece)),
            );
            for solid in &self.solids.bodies {
                let moment = solid.time + (solid.goal - solid.time) * part;
                let from = self.moves.len();
                self.moves.extend(solid.positions(moment));
                for v in from..self.moves.len() {
                    self.moves[v] -= self.x[v];
                }
            }
            self.restrict(part);
            for v in 0..cloth {
                let way = self.candidates.confined(v, self.start[v], self.x[v], self.moves[v]);
                self.x[v] += way;
            }
            self.move_solids(cloth, part);
        }
        self.report.candidates = self.candidates.pairs.len();
        self.report.lag = time - self.solids.slowest_clock(time);
    }

    /// Shortens the moves until they are safe.
    fn restrict(&mut self, part: Real) {
        let Self { planes, candidates, surface, start, x, moves, thickness, solids, .. } = self;
        let least = LEAST * *thickness;
        planes.clear();
        planes.add(&candidates.pairs, &Piece { start, x, moves, least });
        for wall in &mut solids.walls {
            let (point, normal) = wall.plane(wall.time);
            let moment = wall.time + (wall.goal - wall.time) * part;
            let way = normal.dot(wall.plane(moment).0 - point).max(0.0);
            let mut wall_part: Real = 1.0;
            for &v in surface.vertices.iter().filter(|&&v| surface.is_cloth(v)) {
                let e = moves[v as usize];
                let gap = normal.dot(x[v as usize] - point) - wall.radius;
                let room = room(gap, least);
                if e.length() + way <= room {
                    continue;
                }
                let [own, walls] = shares(room, [(-normal.dot(e)).max(0.0), way]);
                planes.push(HalfSpace { vertex: v, normal: -normal, slack: own, facing: v });
                if way > walls {
                    wall_part = wall_part.min(walls / way);
                }
            }
            wall.time += (moment - wall.time) * wall_part;
        }
        planes.restrict(surface, moves);
    }

    /// Moves each solid as far on its way as its planes allow.
    fn move_solids(&mut self, cloth: usize, part: Real) {
        let mut first = cloth;
        for (k, solid) in self.solids.bodies.iter_mut().enumerate() {
            let end = first + solid.len();
            let is_far = self.candidates.is_far(&self.surface, first);
            let span = (solid.goal - solid.time) * part;
            let mut part = self.planes.part_of_solid(&self.surface, k as u32 + 1, &self.moves);
            // A solid that turns moves along arcs: make sure that what was found for their chords holds.
            loop {
                let moment = solid.time + span * part;
                for (v, x) in (first..end).zip(solid.positions(moment)) {
                    self.moves[v] = x - self.x[v];
                }
                let is_safe = self.planes.part_of_solid(&self.surface, k as u32 + 1, &self.moves) >= 1.0
                    && (first..end).all(|v| {
                        let way = self.moves[v];
                        is_far || self.candidates.confined(v, self.start[v], self.x[v], way) == way
                    });
                if is_safe || part == 0.0 {
                    solid.time = moment;
                    break;
                }
                part = if part > 1e-3 { 0.5 * part } else { 0.0 };
            }
            for v in first..end {
                self.x[v] += self.moves[v];
            }
            first = end;
        }
    }
}
