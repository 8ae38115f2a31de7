//! Contact of surfaces, for every solver: detection, response, guarantee.
//!
//! ```text
//! begin     gives the particles and bodies the forces that contacts bore so far
//! (solver)  goes from the safe start x to y, as if there were no contact; bodies fly to their targets
//! resolve   pairs that could meet on the way        candidates
//!           what touches is pushed apart and rubs   response: moves y
//!           x goes towards y as far as is safe      guard, in pieces
//! ```
//!
//! What the guard cuts of the way of a particle at a body is an impulse on the particle, and its opposite on the body. What it cuts
//! of a body's way is made up for later: a body keeps its momentum until rows take it.
//!
//! Solvers know nothing of it and contact knows nothing of solvers. A start free of intersections stays free of them.

use super::SurfaceContact;
use super::bodies::{Grip, Moved, slip};
use super::candidates::{Candidates, Ways, swept_box};
use super::guard::{HalfSpace, Piece, Planes, room, shares};
use super::judge::{Intersection, intersections};
use super::near::Near;
use super::response::{self, Acted, Row};
use super::solid::{Solid, Solids};
use super::surface::{CLOTH, FLAT, Surface};
use crate::math::{Real, Vec3};
use crate::mesh::bounds;
use crate::model::Model;
use crate::par;
use crate::state::State;

/// Largest part of a mean edge that a vertex may go in a piece of a step: beyond that, neighbours would stand in its way.
const PIECE: Real = 0.4;
/// Part of the thickness that a solid may go in a piece.
const PIECE_OF_SOLIDS: Real = 0.25;
/// Pieces of a step at the most; what is farther is not reached in this step.
const MOST_PIECES: u32 = 16;
/// Part of a mean edge by which boxes are larger than a step needs, to serve for longer.
const SKIN: Real = 0.06;
/// Rounds over the rows of contacts.
const ROUNDS: u32 = 12;
/// The same where bodies take part, whose rows all meet at the body.
const ROUNDS_OF_BODIES: u32 = 200;
/// Parts of the thickness: by which the response may miss it, and to which the guard lets parts come near.
const TOLERANCE: Real = 1e-2;
const TOLERANCE_OF_BODIES: Real = 1e-9;
const LEAST: Real = 1e-3;
/// Part of the distance at rest that neighbours on the same cloth are kept apart at the most.
const AT_REST: Real = 0.8;

/// The contacts of a world.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// What has been done so far.
    pub report: ContactReport,
    prepared: Option<u32>,
    surface: Surface,
    solids: Solids,
    /// Distance that cloth keeps from cloth [m].
    thickness: Real,
    mean_edge: Real,
    /// Positions at the start of all [m].
    rest: Vec<Vec3>,
    /// Of all vertices; 0 for those of solids [1/kg].
    inverse_masses: Vec<Real>,
    candidates: Candidates,
    rows: Vec<Row>,
    /// What rows do to the bodies.
    moved: Vec<Moved>,
    planes: Planes,
    /// Positions and velocities of all vertices at the start of the step.
    start: Vec<Vec3>,
    start_velocities: Vec<Vec3>,
    /// Where the vertices are, and where they are to go [m].
    x: Vec<Vec3>,
    target: Vec<Vec3>,
    /// Of the present piece [m].
    moves: Vec<Vec3>,
}

/// What contact has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactReport {
    /// Σ m |way| that particles wanted to go, so far [kg m].
    pub wanted: Real,
    /// Σ m |way| that the guarantee kept them from, so far [kg m].
    pub lost: Real,
    /// Pairs that touched in the last step.
    pub touching: usize,
    /// Pairs that could have met in the last step.
    pub candidates: usize,
    /// Pieces of the last step.
    pub pieces: u32,
    /// Steps so far in which particles were too fast for the pieces there may be.
    pub too_fast: u64,
    /// How far the slowest solid lags behind its script [s].
    pub lag: Real,
}

impl Contacts {
    /// Takes over the surface of a model; the state is the one at rest.
    pub fn prepare(&mut self, model: &Model, law: &SurfaceContact, state: &State) {
        if self.prepared == Some(model.revision) {
            return;
        }
        self.prepared = Some(model.revision);
        self.solids = Solids::new(model, state.time);
        self.surface = Surface::of(model, &self.solids.surfaces());
        self.rest.clone_from(&state.positions);
        self.rest.extend(self.solids.positions());
        self.mean_edge = self.surface.mean_edge(&self.rest);
        self.thickness = law.thickness.unwrap_or(0.1 * self.mean_edge);
        self.inverse_masses.clone_from(&model.inverse_masses);
        self.inverse_masses.resize(self.rest.len(), 0.0);
        self.rows.clear();
        self.candidates.clear();
    }

    /// Every intersection of the surface with itself, with solids and with bodies, where these are now.
    pub fn intersections(&mut self, state: &State) -> Vec<Intersection> {
        self.solids.put_bodies(&state.bodies, state.time);
        let mut x = state.positions.clone();
        x.extend(self.solids.positions());
        intersections(&self.surface, &x)
    }

    /// Before a step of h [s]: the state is safe; the forces of contacts go into its velocities.
    pub fn begin(&mut self, model: &Model, state: &mut State, h: Real) {
        self.solids.put_bodies(&state.bodies, state.time);
        self.start.clone_from(&state.positions);
        self.start.extend(self.solids.positions());
        self.start_velocities.clone_from(&state.velocities);
        self.start_velocities.resize(self.start.len(), Vec3::ZERO);
        for v in model.len()..self.start.len() {
            if let Some(k) = self.rigid_body(v) {
                self.start_velocities[v] = state.bodies[k].velocity_at(self.start[v]);
            }
        }
        self.hold_bodies(model, state);
        let Self { rows, moved, surface, solids, start, inverse_masses, .. } = self;
        for row in rows {
            row.near = row.near.at(start);
            row.grip = Grip::of(&row.near, surface, &solids.numbers, moved, start);
            row.kick(inverse_masses, &mut state.velocities, moved, h);
        }
        for (body, moved) in state.bodies.iter_mut().zip(&self.moved) {
            body.velocity += moved.shift;
            body.spin += moved.turn;
        }
    }

    /// The rigid body that a vertex belongs to, if any.
    fn rigid_body(&self, vertex: usize) -> Option<usize> {
        let solid = (self.surface.bodies[vertex] as usize).checked_sub(1)?;
        self.solids.numbers[solid].map(|body| body as usize)
    }

    /// Takes the bodies as they are, not moved by rows so far.
    fn hold_bodies(&mut self, model: &Model, state: &State) {
        self.moved.clear();
        let bodies = model.bodies.iter().zip(&state.bodies).enumerate();
        self.moved.extend(bodies.map(|(k, (body, state))| {
            let start = self.solids.start_of_body(k as u32).unwrap_or(state.pose);
            Moved::new(body, &state.pose, start.center)
        }));
    }

    /// After the solver's step of h [s], which ends at `state.time`: moves the particles and bodies to where they can go.
    pub fn resolve(&mut self, model: &Model, law: &SurfaceContact, state: &mut State, h: Real) {
        let is_lost = |x: &Vec3| !x.is_finite();
        if state.positions.iter().any(is_lost) || state.bodies.iter().any(|body| !body.is_finite()) {
            return; // the world will find them
        }
        self.solids.send_bodies(|k| state.bodies[k].pose, state.time);
        self.solids.set_goals(state.time, h);
        self.target.clone_from(&state.positions);
        self.target.extend(self.solids.targets());
        self.hold_bodies(model, state);
        let drift = self.common_drift(model);
        self.target[..model.len()].iter_mut().for_each(|y| *y -= drift);
        self.find_candidates(law, false);
        self.find_rows(law, state, h);
        self.solve_rows(state, law);
        self.go(model, state.time);
        self.candidates.advance(&self.start, &self.x, drift);
        self.hand_over(model, law, state, drift, h);
    }

    fn find_candidates(&mut self, law: &SurfaceContact, again: bool) {
        let ways = Ways {
            start: &self.start,
            target: &self.target,
            margin: 0.5 * self.thickness,
            skin: SKIN * self.mean_edge,
        };
        if !again || !self.candidates.cover(&self.surface, &ways) {
            self.candidates.find(&self.surface, law.broad_phase, &ways, law.self_contact);
        }
    }

    /// Lets the rows move the targets.
    fn solve_rows(&mut self, state: &State, law: &SurfaceContact) {
        let has_bodies = self.rows.iter().any(|row| row.grip.is_some());
        let (tolerance, rounds) =
            if has_bodies { (TOLERANCE_OF_BODIES, ROUNDS_OF_BODIES) } else { (TOLERANCE, ROUNDS) };
        let Self { rows, inverse_masses, start, target, moved, .. } = self;
        let mut on = Acted { inverse_masses, y: target, bodies: moved };
        response::solve(rows, start, &mut on, tolerance * self.thickness, rounds);
        if has_bodies {
            let moved = &self.moved;
            let pose = |k: usize| state.bodies[k].pose.moved(moved[k].shift, moved[k].turn);
            self.solids.send_bodies(pose, state.time);
            let first = self.target.len() - self.solids.bodies.iter().map(Solid::len).sum::<usize>();
            self.target.truncate(first);
            self.target.extend(self.solids.targets());
        }
        // Rows may have sent vertices where nobody looked.
        self.find_candidates(law, true);
    }

    /// The way that all the cloth goes together, which no pair on it need be asked about [m]: none where solids are near or
    /// particles are held.
    fn common_drift(&self, model: &Model) -> Vec3 {
        let cloth = 0..model.len();
        let [low, high] = bounds(&self.start[cloth.clone()]);
        let [low_end, high_end] = bounds(&self.target[cloth.clone()]);
        let (low, high) = (low.min(low_end), high.max(high_end));
        let near_wall = self.solids.walls.iter().any(|wall| {
            let (point, normal) = wall.plane(wall.time);
            let lowest = Vec3::select(normal.cmpge(Vec3::ZERO), low, high);
            let room = self.thickness + wall.radius + wall.carried(point).distance(point);
            normal.dot(lowest - point) < room
        });
        let mut first = model.len();
        let near_solid = self.solids.bodies.iter().zip(&self.surface.radii[1..]).any(|(solid, radius)| {
            let all = first..first + solid.len();
            first = all.end;
            let room = Vec3::splat(self.thickness + radius);
            let [from, to] = swept_box(&self.start[all.clone()], &self.target[all]);
            (from - room).cmple(high).all() && (to + room).cmpge(low).all()
        });
        if model.is_empty() || near_wall || near_solid || cloth.clone().any(|p| model.is_held(p)) {
            return Vec3::ZERO;
        }
        let sum: Vec3 = cloth.map(|p| self.target[p] - self.start[p]).sum();
        sum / model.len() as Real
    }

    /// The contacts of this step: those that bore a force in the last one, and those that come too near in this one.
    fn find_rows(&mut self, law: &SurfaceContact, state: &State, h: Real) {
        let mut known: Vec<_> = self.rows.iter().map(Row::key).collect();
        known.sort_unstable();
        let found = self.rows.len();
        let Self { surface, candidates, start, target, inverse_masses, rest, thickness, rows, .. } = self;
        let (moved, numbers) = (&self.moved, &self.solids.numbers);
        for row in rows.iter_mut().filter(|row| row.grip.is_some()) {
            row.grip = Grip::of(&row.near, surface, numbers, moved, start);
            row.weigh(inverse_masses, moved);
        }
        par::collect_chunks(&candidates.pairs, rows, |pair, rows| {
            let near = &pair.near;
            let (first, second) = (near.vertices[0], near.vertices[3]);
            let within_cloth = surface.is_cloth(first) && surface.is_cloth(second);
            let asked = if within_cloth { *thickness } else { 0.5 * *thickness } + pair.radius;
            if near.normal.dot(near.difference(target)) >= asked || !speaks(surface, near) {
                return;
            }
            let asked = if within_cloth { asked.min(AT_REST * near.at(rest).distance) } else { asked };
            if near.normal.dot(near.difference(target)) >= asked
                || passes_by(near, start, target, pair.radius, asked)
            {
                return;
            }
            let grip = Grip::of(near, surface, numbers, moved, start);
            rows.extend(Row::new(*near, inverse_masses, (grip, moved), asked, law.friction));
        });
        self.find_rows_at_walls(law);
        let mut number = 0;
        self.rows.retain(|row| {
            number += 1;
            number <= found || known.binary_search(&row.key()).is_err()
        });
        // In an order that depends on nothing but who touches whom.
        self.rows.sort_unstable_by_key(Row::key);
        for row in &mut self.rows {
            let mut speed = row.near.difference(&self.start_velocities);
            match row.grip {
                Some(grip) => {
                    let ways = [&self.start[..], &self.target[..]];
                    let to = state.bodies[grip.body as usize].pose;
                    let from = self.solids.start_of_body(grip.body).unwrap_or(to);
                    row.wall = slip(&row.near, &grip, ways, [&from, &to]);
                }
                None => {
                    if row.near.first > 0 {
                        row.wall = scripted_slip(
                            &row.near,
                            &self.surface,
                            &self.solids,
                            [&self.start, &self.target],
                        );
                    }
                    speed -= row.wall / h;
                }
            }
            row.approach = row.near.normal.dot(speed);
        }
    }

    fn find_rows_at_walls(&mut self, law: &SurfaceContact) {
        let Self { solids, surface, thickness, rows, start, target, inverse_masses, .. } = self;
        let old = rows.len();
        for (k, wall) in solids.walls.iter().enumerate() {
            let (point, normal) = wall.plane(wall.goal);
            let asked = normal.dot(point) + 0.5 * *thickness + wall.radius;
            let along = |x: Vec3| wall.carried(x) - x;
            for row in rows[..old].iter_mut().filter(|row| row.is_at_wall(k as u32)) {
                row.distance = asked;
                row.wall = along(start[row.near.vertices[0] as usize]);
            }
            for &v in surface.vertices.iter().filter(|&&v| surface.is_cloth(v)) {
                if normal.dot(target[v as usize]) < asked {
                    let near = Near::wall(v, k as u32, normal);
                    let row = Row::new(near, inverse_masses, (None, &[]), asked, law.friction);
                    rows.extend(row.map(|mut row| {
                        row.wall = along(start[v as usize]);
                        row
                    }));
                }
            }
        }
    }

    /// Goes from the start towards the target, in pieces.
    fn go(&mut self, model: &Model, time: Real) {
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
                let way = self.candidates.confined(v, self.x[v], self.moves[v]);
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
                        is_far || self.candidates.confined(v, self.x[v], self.moves[v]) == self.moves[v]
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

    /// Writes positions and velocities, and remembers what contacts bear.
    fn hand_over(&mut self, model: &Model, law: &SurfaceContact, state: &mut State, drift: Vec3, h: Real) {
        let mut velocities = std::mem::take(&mut self.start_velocities);
        self.hand_over_bodies(model, state, h);
        for p in 0..model.len() {
            let mass = if model.is_held(p) { 0.0 } else { model.masses[p] };
            self.report.wanted += mass * self.target[p].distance(self.start[p]);
            self.report.lost += mass * self.target[p].distance(self.x[p]);
            let x = self.x[p] + drift;
            // What nothing touched keeps its bits.
            if x.distance_squared(state.positions[p]) > (1e-9 * self.thickness).powi(2) {
                state.velocities[p] += (x - state.positions[p]) / h;
                state.positions[p] = x;
                self.book_cut(p, mass / h);
            }
        }
        velocities.clear();
        velocities.extend_from_slice(&state.velocities);
        velocities.extend((model.len()..self.x.len()).map(|v| match self.rigid_body(v) {
            Some(k) => state.bodies[k].velocity_at(self.x[v]),
            None => (self.x[v] - self.start[v]) / h,
        }));
        if law.restitution > 0.0 {
            let least = 2.0 * h * model.forces.gravity.length();
            let Self { rows, inverse_masses, moved, surface, solids, x, .. } = self;
            // Positions stay: here impulses act where things are.
            for (moved, body) in moved.iter_mut().zip(&state.bodies) {
                moved.center = body.pose.center;
            }
            for row in rows.iter_mut().filter(|row| row.grip.is_some()) {
                row.grip = Grip::of(&row.near, surface, &solids.numbers, moved, x);
                row.weigh(inverse_masses, moved);
            }
            let mut on = Acted { inverse_masses, y: &mut velocities, bodies: moved };
            response::bounce(rows, &mut on, law.restitution, least, ROUNDS);
            state.velocities.copy_from_slice(&velocities[..model.len()]);
        }
        for (body, moved) in state.bodies.iter_mut().zip(&self.moved) {
            body.velocity += moved.shift;
            body.spin += moved.turn;
        }
        self.start_velocities = velocities;
        self.rows.retain_mut(|row| row.carry(h));
        self.report.touching = self.rows.len();
    }

    /// Puts the bodies where they got, with the momenta that rows gave them.
    fn hand_over_bodies(&mut self, model: &Model, state: &mut State, h: Real) {
        for (k, body) in model.bodies.iter().enumerate() {
            let Some(pose) = self.solids.end_of_body(k as u32) else { continue };
            let (now, moved) = (&mut state.bodies[k], &self.moved[k]);
            now.velocity += moved.shift / h;
            let momentum = body.inertia_at(now.pose.rotation) * (now.spin + moved.turn / h);
            now.pose = pose;
            now.spin = body.inverse_inertia_at(pose.rotation) * momentum;
        }
        self.hold_bodies(model, state);
    }

    /// Gives a body the opposite of what the guard took from a particle at it; `rate` is the particle's mass over h [kg/s].
    fn book_cut(&mut self, particle: usize, rate: Real) {
        let rest = self.target[particle] - self.x[particle];
        if self.moved.is_empty() || rest == Vec3::ZERO {
            return;
        }
        let facing = self.planes.most_in_the_way(particle, rest);
        if let Some(k) = facing.and_then(|v| self.rigid_body(v as usize)) {
            let body = &mut self.moved[k];
            body.push(self.start[particle] - body.center, rest * rate);
        }
    }
}

/// Whether a pair is the one to speak for its contact: points on a side or a corner belong to several.
fn speaks(surface: &Surface, near: &Near) -> bool {
    let w = near.weights;
    if near.first == 1 {
        return surface.owns(near.triangle, [-w[1], -w[2], -w[3]]);
    }
    // What touches within a flat face touches the face.
    if near.triangle == FLAT {
        return false;
    }
    // Vertices meet triangles, but no triangle stands for a capsule: there edges speak for their ends, too.
    let [a, b, c, d] = near.vertices;
    let (edge, ends) = match [a, c].map(|v| surface.is_on_axis(v)) {
        [false, false] => return w.iter().all(|w| *w != 0.0),
        [true, _] => ([c, d], [w[2], w[3]]),
        [false, true] => ([a, b], [w[0], w[1]]),
    };
    match ends.map(|w| w == 0.0) {
        [true, _] => surface.edge_owns(edge, edge[1]),
        [_, true] => surface.edge_owns(edge, edge[0]),
        _ => true,
    }
}

/// How much farther than the vertices of a scripted solid its surface moves at a contact, seen from the other part [m]: round
/// solids turn under the cloth.
fn scripted_slip(near: &Near, surface: &Surface, solids: &Solids, [start, target]: [&[Vec3]; 2]) -> Vec3 {
    let (first, second) = (0..near.first, near.first..4);
    let [ahead, behind] = [0, 3].map(|k| surface.bodies[near.vertices[k] as usize]);
    let (part, body, sign) = match (ahead, behind) {
        (CLOTH, CLOTH) => return Vec3::ZERO,
        (CLOTH, body) => (second, body, 1.0),
        (body, _) => (first, body, -1.0),
    };
    let sum = |x: &[Vec3]| -> Vec3 {
        part.clone().map(|k| x[near.vertices[k] as usize] * near.weights[k].abs()).sum()
    };
    // From the core of the solid to its surface, towards the cloth.
    let at_surface = sum(start) + near.normal * (sign * surface.radii[body as usize]);
    let Some(end) = solids.carried(body as usize - 1, at_surface) else { return Vec3::ZERO };
    (end - at_surface - (sum(target) - sum(start))) * sign
}

/// Whether the parts, when they get to each other's plane, are elsewhere.
fn passes_by(near: &Near, start: &[Vec3], target: &[Vec3], radius: Real, asked: Real) -> bool {
    let (before, after) = (near.distance - radius, near.normal.dot(near.difference(target)) - radius);
    let moment = if after <= 0.0 { (before / (before - after)).clamp(0.0, 1.0) } else { 1.0 };
    let points = near.vertices.map(|v| start[v as usize].lerp(target[v as usize], moment));
    near.of(points).distance > asked
}
