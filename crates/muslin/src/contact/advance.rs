//! The way from the start of a step towards its target, in safe pieces.

use super::guard::{HalfSpace, Piece, room, shares};
use super::step::{Contacts, ways};
use crate::budget::Budget;
use crate::contact_law::SurfaceContact;
use crate::math::{Real, Vec3};
use crate::model::Model;

/// Largest part of a mean edge that a vertex may go in a piece of a step: beyond that, neighbours would stand in its way.
const PIECE: Real = 0.4;
/// Part of the thickness that a solid may go in a piece.
const PIECE_OF_SOLIDS: Real = 0.25;
/// Pieces of a step at the most; what is farther is not reached in this step.
const MOST_PIECES: u32 = 16;
/// Pairs looked at in all pieces, per vertex, beyond which there are fewer pieces: a pile has some 50 per piece, a solid of many
/// faces that sweeps across a whole small cloth thousands.
const MOST_WORK: usize = 1024;
/// Part of a mean edge that cloth can go in all of them.
pub const FARTHEST: Real = 0.999 * PIECE * MOST_PIECES as Real;
/// Part of the thickness to which features may come near.
const LEAST: Real = 1e-3;
/// Times that a step is tried which trusts cloth not to fold; then one that does not.
const TRIES: u32 = 3;

impl Contacts {
    /// Goes from the start towards the target, in pieces. Cloth that folds because it was held up on the way, where it was
    /// trusted not to, goes back and is looked at more closely. Whether something was too fast for the pieces there may be.
    pub(in crate::contact) fn go(
        &mut self,
        model: &Model,
        law: &SurfaceContact,
        time: Real,
        budget: &Budget,
    ) -> bool {
        let cloth = model.len();
        let all = self.start.iter().zip(&self.target).enumerate();
        let closest = all.filter(|(v, _)| !self.candidates.is_far(&self.surface, *v));
        let farthest = closest.map(|(_, (x, y))| x.distance_squared(*y)).fold(0.0, Real::max).sqrt();
        let piece = if self.mean_edge > 0.0 { PIECE * self.mean_edge } else { Real::INFINITY };
        // A solid gets as far as the gap in front of it, which cloth that gives way opens piece by piece.
        let solids = (cloth..self.start.len()).filter(|&v| !self.candidates.is_far(&self.surface, v));
        let way = solids.map(|v| self.start[v].distance_squared(self.target[v])).fold(0.0, Real::max).sqrt();
        let of_solids = if self.thickness > 0.0 { way / (PIECE_OF_SOLIDS * self.thickness) } else { 0.0 };
        let affordable = MOST_WORK * self.start.len() / self.candidates.pairs.len().max(1);
        let most = affordable.clamp(1, MOST_PIECES as usize) as u32;
        let pieces = (farthest / piece).max(of_solids).ceil().clamp(1.0, Real::from(most)) as u32;
        let clocks: Vec<Real> = self.solids.clocks().map(|clock| *clock).collect();
        for tries in 1.. {
            self.x.clone_from(&self.start);
            self.left_straight_path.clear();
            self.left_straight_path.resize(self.start.len(), false);
            if self.advance_in_pieces(cloth, pieces, piece, budget) {
                break;
            }
            self.solids.clocks().zip(&clocks).for_each(|(clock, then)| *clock = *then);
            let ways = ways(&self.start, &self.target, 0.0, self.mean_edge);
            let x = (tries < TRIES).then_some(&self.x[..]);
            self.candidates.look_closer(&self.surface, law.broad_phase, &ways, x);
        }
        self.report.pieces += pieces;
        self.report.candidates = self.candidates.pairs.len();
        self.report.lag = time - self.solids.slowest_clock(time);
        self.report.largest_lag = self.report.largest_lag.max(self.report.lag);
        farthest > piece * Real::from(most)
    }

    /// In some pieces of a length `piece` [m] at the most, as many as there is time for; whether cloth that was trusted not to
    /// fold did not do so.
    fn advance_in_pieces(&mut self, cloth: usize, pieces: u32, piece: Real, budget: &Budget) -> bool {
        for left in (1..=pieces).rev() {
            if left < pieces && budget.is_spent() {
                // Every piece ends in a safe place.
                self.left_straight_path[..cloth].fill(true);
                break;
            }
            let part = 1.0 / Real::from(left);
            // While all go the same part of straight ways, what is good at their ends is good on the way.
            self.moves.clear();
            let ways = self.x[..cloth].iter().zip(&self.target).zip(&mut self.left_straight_path);
            self.moves.extend(ways.map(|((x, y), leaves_straight_path)| {
                let way = (*y - *x) * part;
                *leaves_straight_path |= way.length_squared() > piece * piece;
                way.clamp_length_max(piece)
            }));
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
                self.x[v] += self.moves[v];
            }
            if !self.candidates.is_fold_free_at(&self.x, &self.left_straight_path) {
                return false;
            }
            self.move_solids(cloth, part);
        }
        true
    }

    /// Shortens the moves until they are safe.
    fn restrict(&mut self, part: Real) {
        let Self {
            planes,
            candidates,
            surface,
            start,
            x,
            moves,
            lengths,
            thickness,
            solids,
            inverse_masses,
            ..
        } = self;
        let least = LEAST * *thickness;
        lengths.clear();
        let ways = moves.iter().zip(x.iter().zip(&*start));
        lengths.extend(ways.map(|(e, (x, start))| [e.length(), x.distance(*start)]));
        planes.clear();
        planes.add(&candidates.pairs, &Piece { x, lengths, least });
        for wall in &mut solids.walls {
            let (point, normal) = wall.plane(wall.time);
            let span = (wall.goal - wall.time) * part;
            let way_in = |part: Real| normal.dot(wall.plane(wall.time + span * part).0 - point).max(0.0);
            let way = way_in(1.0);
            let mut wall_room = Real::INFINITY;
            for &v in surface.vertices.iter().filter(|&&v| surface.is_cloth(v)) {
                let e = moves[v as usize];
                let gap = normal.dot(x[v as usize] - point) - wall.radius;
                let room = room(gap, least);
                if e.length() + way <= room {
                    continue;
                }
                let [own, walls] = shares(room, [(-normal.dot(e)).max(0.0), way]);
                planes.push(HalfSpace { vertex: v, normal: -normal, slack: own, facing: v });
                wall_room = wall_room.min(walls);
            }
            wall.time += span * largest_part(|part| way_in(part) <= wall_room);
        }
        // Straight ways end where the boxes reach; those along planes may not.
        let confined = |v: usize, way: Vec3| candidates.confined(v, start[v], x[v], way);
        planes.restrict(
            &inverse_masses[..surface.cloth_len()],
            (x, least),
            moves,
            &mut self.left_straight_path,
            confined,
        );
    }

    /// Moves each solid as far on its way as its planes allow.
    fn move_solids(&mut self, cloth: usize, part: Real) {
        let mut first = cloth;
        for (k, solid) in self.solids.bodies.iter_mut().enumerate() {
            let end = first + solid.len();
            let is_far = self.candidates.is_far(&self.surface, first);
            let span = (solid.goal - solid.time) * part;
            let mut part = self.planes.part_of_solid(&self.surface, k as u32 + 1, &self.moves);
            // A solid that turns moves along arcs, and may be farther away in the middle of its way than at the end: make sure that
            // what was found for their chords holds, and no vertex goes farther than pairs were left out for.
            loop {
                let moment = solid.time + span * part;
                for (v, x) in (first..end).zip(solid.positions(moment)) {
                    self.moves[v] = x - self.x[v];
                }
                let is_safe = self.planes.part_of_solid(&self.surface, k as u32 + 1, &self.moves) >= 1.0
                    && (first..end).all(|v| {
                        let way = self.moves[v];
                        is_far
                            || way.length() <= self.lengths[v][0]
                                && self.candidates.confined(v, self.start[v], self.x[v], way) == way
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

/// A part of a way for which something holds: all of it, or nearly the largest that halving finds, or none.
fn largest_part(holds: impl Fn(Real) -> bool) -> Real {
    const HALVINGS: i32 = 20;
    if holds(1.0) {
        return 1.0;
    }
    let Some(first) = (1..=HALVINGS).find(|&k| holds(0.5_f64.powi(k))) else { return 0.0 };
    let mut part = 0.5_f64.powi(first);
    // From there towards the next larger one that was too much.
    for k in first + 1..first + 4 {
        let more = part + 0.5_f64.powi(k);
        if holds(more) {
            part = more;
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, Resolution, Sheet, Surroundings};
    use crate::contact_law::ContactLaw;
    use crate::math::Vec3;
    use crate::shape::Shape;

    /// A sheet flies along its own plane against a block: seen from the sheet nothing changes until its front is held up. Without
    /// constraints, which would have turned it away, only the guard can tell that it is about to run into itself.
    #[test]
    fn cloth_that_is_held_up_does_not_run_into_itself() {
        let mut builder = Builder::default();
        let resolution = Resolution::Particles([8, 8]);
        builder.add_sheet(&Sheet { size: [0.7, 0.7], resolution, ..Sheet::default() }).unwrap();
        let (center, size) = (Vec3::new(0.92, 0.35, 0.0), Vec3::new(0.4, 1.0, 0.4));
        let colliders = vec![Shape::Cuboid { center, size, rotation: Vec3::ZERO }.into()];
        let law = SurfaceContact::default();
        let surroundings =
            Surroundings { colliders, contact: ContactLaw::Surface(law), ..Surroundings::default() };
        let (model, mut state) = builder.finish(&surroundings).unwrap();
        for (p, x) in state.positions.iter_mut().enumerate() {
            x.z += 1e-3 * (1.7 * p as Real).sin();
        }
        let mut contacts = Contacts::default();
        contacts.prepare(&model, &law, &state);
        for round in 0..10 {
            contacts.begin(&model, &law, &mut state, 0.01, 1);
            contacts.target.clone_from(&contacts.start);
            contacts.target[..model.len()].iter_mut().for_each(|x| x.x += 0.15);
            contacts.find_candidates(&law, 0.0);
            let all = vec![true; contacts.target.len()];
            assert!(contacts.candidates.is_fold_free_at(&contacts.target, &all));
            contacts.go(&model, &law, 0.0, &Budget::default());
            contacts.candidates.advance(&contacts.surface, &contacts.start, &contacts.x, Vec3::ZERO);
            state.positions.copy_from_slice(&contacts.x[..model.len()]);
            contacts.left.clone_from(&state.positions);
            assert_eq!(contacts.intersections(&state), [], "round {round}");
        }
        let front = state.positions.iter().map(|x| x.x).fold(0.0, Real::max);
        assert!((0.71..0.72).contains(&front), "{front}");
    }

    /// Three sheets close above each other sink together, many times their gap: nobody is in anybody's way. When the lowest is held,
    /// the others stop above it.
    #[test]
    fn layers_that_move_together_are_held_up_only_by_one_that_stops() {
        let mut builder = Builder::default();
        let gap = 1e-3;
        for layer in 0..3 {
            let origin = Vec3::Z * (gap * Real::from(layer));
            let (size, resolution) = ([0.7, 0.7], Resolution::Particles([4, 4]));
            let axes = [Vec3::X, Vec3::Y];
            builder.add_sheet(&Sheet { size, resolution, origin, axes, ..Sheet::default() }).unwrap();
        }
        let law = SurfaceContact { thickness: Some(gap), ..SurfaceContact::default() };
        let surroundings = Surroundings { contact: ContactLaw::Surface(law), ..Surroundings::default() };
        let (model, mut state) = builder.finish(&surroundings).unwrap();
        let mut contacts = Contacts::default();
        contacts.prepare(&model, &law, &state);
        for held in [0, 16] {
            contacts.begin(&model, &law, &mut state, 0.01, 1);
            contacts.target.clone_from(&contacts.start);
            contacts.target[held..].iter_mut().for_each(|x| x.z -= 50.0 * gap);
            contacts.find_candidates(&law, 0.0);
            assert!(contacts.candidates.pairs.len() > 100);
            contacts.go(&model, &law, 0.0, &Budget::default());
            assert_eq!(contacts.x == contacts.target, held == 0);
            for (lower, upper) in contacts.x.iter().zip(&contacts.x[16..]) {
                let distance = upper.z - lower.z;
                assert!(distance > 0.0 && distance < gap * (1.0 + 1e-9), "{distance}");
            }
            contacts.candidates.advance(&contacts.surface, &contacts.start, &contacts.x, Vec3::ZERO);
            state.positions.copy_from_slice(&contacts.x);
            contacts.left.clone_from(&state.positions);
        }
        assert_eq!(contacts.intersections(&state), []);
    }
}
