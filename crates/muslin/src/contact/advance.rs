//! The way from the start of a step towards its target, in safe pieces.

use super::guard::{HalfSpace, Piece, room, shares};
use super::prepare::Prepared;
use super::settings::{LEAST_GAP, MOST_PIECES, MOST_WORK, PIECE, SOLID_PIECE, TRIES};
use super::step::{ContactStep, Scratch, ways};
use crate::budget::Budget;
use crate::math::{Real, Vec3};

impl ContactStep<'_> {
    /// Goes from the start towards the target, in pieces. Cloth that folds because it was held up on the way, where it was
    /// trusted not to, goes back and is looked at more closely. Whether something was too fast for the pieces there may be.
    pub fn advance_safely(&mut self, time: Real, budget: &Budget) -> bool {
        let cloth = self.model.len();
        let all = self.scratch.start.iter().zip(&self.scratch.target).enumerate();
        let closest = all.filter(|(v, _)| !self.candidates.is_far(&self.prepared.surface, *v));
        let farthest = closest.map(|(_, (x, y))| x.distance_squared(*y)).fold(0.0, Real::max).sqrt();
        let piece =
            if self.prepared.mean_edge > 0.0 { PIECE * self.prepared.mean_edge } else { Real::INFINITY };
        // A solid gets as far as the gap in front of it, which cloth that gives way opens piece by piece.
        let solids =
            (cloth..self.scratch.start.len()).filter(|&v| !self.candidates.is_far(&self.prepared.surface, v));
        let way = solids
            .map(|v| self.scratch.start[v].distance_squared(self.scratch.target[v]))
            .fold(0.0, Real::max)
            .sqrt();
        let of_solids =
            if self.prepared.thickness > 0.0 { way / (SOLID_PIECE * self.prepared.thickness) } else { 0.0 };
        let affordable = MOST_WORK * self.scratch.start.len() / self.candidates.pairs.len().max(1);
        let most = affordable.clamp(1, MOST_PIECES as usize) as u32;
        let pieces = (farthest / piece).max(of_solids).ceil().clamp(1.0, Real::from(most)) as u32;
        let clocks: Vec<Real> = self.solids.clocks().map(|clock| *clock).collect();
        for tries in 1.. {
            self.scratch.x.clone_from(&self.scratch.start);
            self.scratch.left_straight_path.clear();
            self.scratch.left_straight_path.resize(self.scratch.start.len(), false);
            if self.advance_in_pieces(cloth, pieces, piece, budget) {
                break;
            }
            self.solids.clocks().zip(&clocks).for_each(|(clock, then)| *clock = *then);
            let ways = ways(&self.scratch.start, &self.scratch.target, 0.0, self.prepared.mean_edge);
            let x = (tries < TRIES).then_some(&self.scratch.x[..]);
            self.candidates.look_closer(&self.prepared.surface, self.law.broad_phase, &ways, x);
        }
        self.memory.report.pieces += pieces;
        self.memory.report.candidates = self.candidates.pairs.len();
        self.memory.report.lag = time - self.solids.slowest_clock(time);
        self.memory.report.largest_lag = self.memory.report.largest_lag.max(self.memory.report.lag);
        farthest > piece * Real::from(most)
    }

    /// In some pieces of a length `piece` [m] at the most, as many as there is time for; whether cloth that was trusted not to
    /// fold did not do so.
    fn advance_in_pieces(&mut self, cloth: usize, pieces: u32, piece: Real, budget: &Budget) -> bool {
        for left in (1..=pieces).rev() {
            if left < pieces && budget.is_spent() {
                // Every piece ends in a safe place.
                self.scratch.left_straight_path[..cloth].fill(true);
                break;
            }
            let part = 1.0 / Real::from(left);
            // While all go the same part of straight ways, what is good at their ends is good on the way.
            self.scratch.moves.clear();
            let ways = self.scratch.x[..cloth]
                .iter()
                .zip(&self.scratch.target)
                .zip(&mut self.scratch.left_straight_path);
            self.scratch.moves.extend(ways.map(|((x, y), leaves_straight_path)| {
                let way = (*y - *x) * part;
                *leaves_straight_path |= way.length_squared() > piece * piece;
                way.clamp_length_max(piece)
            }));
            for solid in &self.solids.bodies {
                let moment = solid.time + (solid.goal - solid.time) * part;
                let from = self.scratch.moves.len();
                self.scratch.moves.extend(solid.positions(moment));
                for v in from..self.scratch.moves.len() {
                    self.scratch.moves[v] -= self.scratch.x[v];
                }
            }
            self.restrict(part);
            for v in 0..cloth {
                self.scratch.x[v] += self.scratch.moves[v];
            }
            if !self.candidates.is_fold_free_at(&self.scratch.x, &self.scratch.left_straight_path) {
                return false;
            }
            self.move_solids(cloth, part);
        }
        true
    }

    /// Shortens the moves until they are safe.
    fn restrict(&mut self, part: Real) {
        let Prepared { surface, thickness, inverse_masses, .. } = self.prepared;
        let Scratch { half_spaces, start, x, moves, lengths, left_straight_path, .. } = &mut *self.scratch;
        let (candidates, solids) = (&*self.candidates, &mut *self.solids);
        let least = LEAST_GAP * *thickness;
        lengths.clear();
        let ways = moves.iter().zip(x.iter().zip(&*start));
        lengths.extend(ways.map(|(e, (x, start))| [e.length(), x.distance(*start)]));
        half_spaces.clear();
        half_spaces.add(&candidates.pairs, &Piece { x, lengths, least });
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
                half_spaces.push(HalfSpace { vertex: v, normal: -normal, slack: own, facing: v });
                wall_room = wall_room.min(walls);
            }
            wall.time += span * largest_part(|part| way_in(part) <= wall_room);
        }
        // Straight ways end where the boxes reach; those along planes may not.
        let confined = |v: usize, way: Vec3| candidates.confined(v, start[v], x[v], way);
        half_spaces.restrict(
            &inverse_masses[..surface.cloth_len()],
            (x, least),
            moves,
            left_straight_path,
            confined,
        );
    }

    /// Moves each solid as far on its way as its planes allow.
    fn move_solids(&mut self, cloth: usize, part: Real) {
        let mut first = cloth;
        for (k, solid) in self.solids.bodies.iter_mut().enumerate() {
            let end = first + solid.len();
            let is_far = self.candidates.is_far(&self.prepared.surface, first);
            let span = (solid.goal - solid.time) * part;
            let mut part = self.scratch.half_spaces.part_of_solid(
                &self.prepared.surface,
                k as u32 + 1,
                &self.scratch.moves,
            );
            // A solid that turns moves along arcs, and may be farther away in the middle of its way than at the end: make sure that
            // what was found for their chords holds, and no vertex goes farther than pairs were left out for.
            loop {
                let moment = solid.time + span * part;
                for (v, x) in (first..end).zip(solid.positions(moment)) {
                    self.scratch.moves[v] = x - self.scratch.x[v];
                }
                let is_safe = self.scratch.half_spaces.part_of_solid(
                    &self.prepared.surface,
                    k as u32 + 1,
                    &self.scratch.moves,
                ) >= 1.0
                    && (first..end).all(|v| {
                        let way = self.scratch.moves[v];
                        is_far
                            || way.length() <= self.scratch.lengths[v][0]
                                && self.candidates.confined(v, self.scratch.start[v], self.scratch.x[v], way)
                                    == way
                    });
                if is_safe || part == 0.0 {
                    solid.time = moment;
                    break;
                }
                part = if part > 1e-3 { 0.5 * part } else { 0.0 };
            }
            for v in first..end {
                self.scratch.x[v] += self.scratch.moves[v];
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
    use crate::contact::Contacts;
    use crate::contact_law::{ContactLaw, SurfaceContact};
    use crate::math::Vec3;
    use crate::shape::Shape;
    use crate::state::State;

    /// Lets the guard alone take the cloth towards its targets.
    fn advance(step: &mut ContactStep, state: &mut State) {
        step.advance_safely(0.0, &Budget::default());
        let Scratch { start, x, .. } = &*step.scratch;
        step.candidates.advance(&step.prepared.surface, start, x, Vec3::ZERO);
        state.positions.copy_from_slice(&x[..step.model.len()]);
        step.memory.end_positions.clone_from(&state.positions);
    }

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
        contacts.prepare(&model, &law, &mut state);
        for time in 0..10 {
            contacts.run(&model, &law, &mut state, 0.01, |step, state| {
                step.begin(state, 1);
                step.scratch.target.clone_from(&step.scratch.start);
                step.scratch.target[..model.len()].iter_mut().for_each(|x| x.x += 0.15);
                step.find_candidates(0.0);
                let all = vec![true; step.scratch.target.len()];
                assert!(step.candidates.is_fold_free_at(&step.scratch.target, &all));
                advance(step, state);
            });
            assert_eq!(contacts.intersections(&state), [], "time {time}");
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
        contacts.prepare(&model, &law, &mut state);
        for held in [0, 16] {
            contacts.run(&model, &law, &mut state, 0.01, |step, state| {
                step.begin(state, 1);
                step.scratch.target.clone_from(&step.scratch.start);
                step.scratch.target[held..].iter_mut().for_each(|x| x.z -= 50.0 * gap);
                step.find_candidates(0.0);
                assert!(step.candidates.pairs.len() > 100);
                advance(step, state);
                assert_eq!(step.scratch.x == step.scratch.target, held == 0);
            });
            for (lower, upper) in state.positions.iter().zip(&state.positions[16..]) {
                let distance = upper.z - lower.z;
                assert!(distance > 0.0 && distance < gap * (1.0 + 1e-9), "{distance}");
            }
        }
        assert_eq!(contacts.intersections(&state), []);
    }
}
