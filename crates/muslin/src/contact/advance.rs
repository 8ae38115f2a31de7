//! The path from the start of a step towards its target, in safe pieces.

use super::guard::{HalfSpace, Piece, room, shares};
use super::prepare::Prepared;
use super::settings::{LEAST_GAP, MOST_PIECES, MOST_WORK, PIECE, SOLID_PIECE, TRIES};
use super::step::{ContactStep, Scratch, step_motion};
use crate::budget::Budget;
use crate::math::{Real, Vec3};

impl ContactStep<'_> {
    /// Advances from the start towards the target, in pieces. If a region that was certified fold-free folds because it was blocked, its
    /// certificate is revoked and the step starts again. Whether something was too fast for the largest number of pieces.
    pub fn advance_safely(&mut self, time: Real, budget: &Budget) -> bool {
        let cloth = self.model.len();
        let all = self.scratch.start.iter().zip(&self.scratch.target).enumerate();
        let near = all.filter(|(v, _)| !self.candidates.is_far(&self.prepared.surface, *v));
        let farthest = near.map(|(_, (x, y))| x.distance_squared(*y)).fold(0.0, Real::max).sqrt();
        let piece =
            if self.prepared.mean_edge > 0.0 { PIECE * self.prepared.mean_edge } else { Real::INFINITY };
        // A solid gets as far as the gap in front of it, which yielding cloth opens piece by piece.
        let solids =
            (cloth..self.scratch.start.len()).filter(|&v| !self.candidates.is_far(&self.prepared.surface, v));
        let displacement = solids
            .map(|v| self.scratch.start[v].distance_squared(self.scratch.target[v]))
            .fold(0.0, Real::max)
            .sqrt();
        let of_solids = if self.prepared.thickness > 0.0 {
            displacement / (SOLID_PIECE * self.prepared.thickness)
        } else {
            0.0
        };
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
            let motion = step_motion(&self.scratch.start, &self.scratch.target, 0.0, self.prepared.mean_edge);
            let x = (tries < TRIES).then_some(&self.scratch.x[..]);
            self.candidates.add_folded(&self.prepared.surface, self.law.broad_phase, &motion, x);
        }
        self.memory.report.pieces += pieces;
        self.memory.report.candidates = self.candidates.pairs.len();
        self.memory.report.lag = time - self.solids.slowest_clock(time);
        self.memory.report.largest_lag = self.memory.report.largest_lag.max(self.memory.report.lag);
        farthest > piece * Real::from(most)
    }

    /// In some pieces of a length `piece` [m] at the most, as many as there is time for; whether all certified regions stayed fold-free.
    fn advance_in_pieces(&mut self, cloth: usize, pieces: u32, piece: Real, budget: &Budget) -> bool {
        for left in (1..=pieces).rev() {
            if left < pieces && budget.is_spent() {
                // Every piece ends in a safe place.
                self.scratch.left_straight_path[..cloth].fill(true);
                break;
            }
            let fraction = 1.0 / Real::from(left);
            // While all advance by the same fraction of straight paths, regions that are fold-free at the ends are so in between.
            self.scratch.moves.clear();
            let paths = self.scratch.x[..cloth]
                .iter()
                .zip(&self.scratch.target)
                .zip(&mut self.scratch.left_straight_path);
            self.scratch.moves.extend(paths.map(|((x, y), leaves_straight_path)| {
                let displacement = (*y - *x) * fraction;
                *leaves_straight_path |= displacement.length_squared() > piece * piece;
                displacement.clamp_length_max(piece)
            }));
            for solid in &self.solids.bodies {
                let moment = solid.time + (solid.goal - solid.time) * fraction;
                let from = self.scratch.moves.len();
                self.scratch.moves.extend(solid.positions(moment));
                for v in from..self.scratch.moves.len() {
                    self.scratch.moves[v] -= self.scratch.x[v];
                }
            }
            self.restrict(fraction);
            for v in 0..cloth {
                self.scratch.x[v] += self.scratch.moves[v];
            }
            if !self.candidates.is_fold_free_at(&self.scratch.x, &self.scratch.left_straight_path) {
                return false;
            }
            self.move_solids(cloth, fraction);
        }
        true
    }

    /// Shortens the moves until they are safe.
    fn restrict(&mut self, fraction: Real) {
        let Prepared { surface, thickness, inverse_masses, .. } = self.prepared;
        let Scratch { half_spaces, start, x, moves, lengths, left_straight_path, .. } = &mut *self.scratch;
        let (candidates, solids) = (&*self.candidates, &mut *self.solids);
        let least = LEAST_GAP * *thickness;
        lengths.clear();
        let paths = moves.iter().zip(x.iter().zip(&*start));
        lengths.extend(paths.map(|(e, (x, start))| [e.length(), x.distance(*start)]));
        half_spaces.clear();
        half_spaces.add(&candidates.pairs, &Piece { x, lengths, least });
        for wall in &mut solids.walls {
            let (point, normal) = wall.plane(wall.time);
            let span = (wall.goal - wall.time) * fraction;
            let advance =
                |fraction: Real| normal.dot(wall.plane(wall.time + span * fraction).0 - point).max(0.0);
            let displacement = advance(1.0);
            let mut wall_room = Real::INFINITY;
            for &v in surface.vertices.iter().filter(|&&v| surface.is_cloth(v)) {
                let e = moves[v as usize];
                let gap = normal.dot(x[v as usize] - point) - wall.radius;
                let room = room(gap, least);
                if e.length() + displacement <= room {
                    continue;
                }
                let [own, walls] = shares(room, [(-normal.dot(e)).max(0.0), displacement]);
                half_spaces.push(HalfSpace { vertex: v, normal: -normal, slack: own, facing: v });
                wall_room = wall_room.min(walls);
            }
            wall.time += span * largest_fraction(|fraction| advance(fraction) <= wall_room);
        }
        // Straight paths end within the boxes; those that slide along half-spaces may not.
        let confined = |v: usize, displacement: Vec3| candidates.confined(v, start[v], x[v], displacement);
        half_spaces.restrict(
            &inverse_masses[..surface.cloth_len()],
            (x, least),
            moves,
            left_straight_path,
            confined,
        );
    }

    /// Moves each solid along its path as far as its half-spaces allow.
    fn move_solids(&mut self, cloth: usize, fraction: Real) {
        let mut first = cloth;
        for (k, solid) in self.solids.bodies.iter_mut().enumerate() {
            let end = first + solid.len();
            let is_far = self.candidates.is_far(&self.prepared.surface, first);
            let span = (solid.goal - solid.time) * fraction;
            let mut fraction = self.scratch.half_spaces.solid_fraction(
                &self.prepared.surface,
                k as u32 + 1,
                &self.scratch.moves,
            );
            // A solid that turns moves along arcs, and may be farther away in the middle of its path than at the end: check that
            // its half-spaces are satisfied at the end of the arcs, and that no vertex leaves the reach for which pairs were culled.
            loop {
                let moment = solid.time + span * fraction;
                for (v, x) in (first..end).zip(solid.positions(moment)) {
                    self.scratch.moves[v] = x - self.scratch.x[v];
                }
                let is_safe = self.scratch.half_spaces.solid_fraction(
                    &self.prepared.surface,
                    k as u32 + 1,
                    &self.scratch.moves,
                ) >= 1.0
                    && (first..end).all(|v| {
                        let displacement = self.scratch.moves[v];
                        is_far
                            || displacement.length() <= self.scratch.lengths[v][0]
                                && self.candidates.confined(
                                    v,
                                    self.scratch.start[v],
                                    self.scratch.x[v],
                                    displacement,
                                ) == displacement
                    });
                if is_safe || fraction == 0.0 {
                    solid.time = moment;
                    break;
                }
                fraction = if fraction > 1e-3 { 0.5 * fraction } else { 0.0 };
            }
            for v in first..end {
                self.scratch.x[v] += self.scratch.moves[v];
            }
            first = end;
        }
    }
}

/// A fraction that satisfies a predicate: 1, or nearly the largest that bisection finds, or 0.
fn largest_fraction(is_satisfied: impl Fn(Real) -> bool) -> Real {
    const HALVINGS: i32 = 20;
    if is_satisfied(1.0) {
        return 1.0;
    }
    let Some(first) = (1..=HALVINGS).find(|&k| is_satisfied(0.5_f64.powi(k))) else { return 0.0 };
    let mut fraction = 0.5_f64.powi(first);
    // From there towards the next larger one that was too much.
    for k in first + 1..first + 4 {
        let more = fraction + 0.5_f64.powi(k);
        if is_satisfied(more) {
            fraction = more;
        }
    }
    fraction
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

    /// A sheet flies along its own plane against a block: seen from the sheet nothing changes until its front is blocked. Without
    /// constraints, which would have turned it away, only the guard can tell that it is about to run into itself.
    #[test]
    fn blocked_cloth_does_not_run_into_itself() {
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

    /// Three sheets close above each other sink together, many times their gap: none blocks another. When the lowest stays, the
    /// others stop above it.
    #[test]
    fn layers_that_move_together_are_blocked_only_by_one_that_stops() {
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
        for first_moving in [0, 16] {
            contacts.run(&model, &law, &mut state, 0.01, |step, state| {
                step.begin(state, 1);
                step.scratch.target.clone_from(&step.scratch.start);
                step.scratch.target[first_moving..].iter_mut().for_each(|x| x.z -= 50.0 * gap);
                step.find_candidates(0.0);
                assert!(step.candidates.pairs.len() > 100);
                advance(step, state);
                assert_eq!(step.scratch.x == step.scratch.target, first_moving == 0);
            });
            for (lower, upper) in state.positions.iter().zip(&state.positions[16..]) {
                let distance = upper.z - lower.z;
                assert!(distance > 0.0 && distance < gap * (1.0 + 1e-9), "{distance}");
            }
        }
        assert_eq!(contacts.intersections(&state), []);
    }
}
