//! Contact of surfaces, for every solver: detection, response, guarantee.
//!
//! ```text
//! begin     tells the forces that contacts bore so far, for the solver to add them
//! (solver)  goes from the safe start x to y, as if there were no contact; bodies fly to their targets
//! resolve   pairs that could meet on the way        candidates
//!           what touches is pushed apart and rubs   response: moves y
//!           x goes towards y as far as is safe      guard, in pieces
//! ```
//!
//! What the guard cuts of the way of a particle at a body is an impulse on the particle, and its opposite on the body. What it cuts
//! of a body's way is made up for later: a body keeps its momentum until constraints take it.
//!
//! Solvers know nothing of it and contact knows nothing of solvers. A start free of intersections stays free of them.

use super::Owner;
use super::advance::FARTHEST;
use super::audit::{Intersection, intersections_with_solids};
use super::candidates::{Candidates, Ways, swept_box};
use super::energy_bound::Balance;
use super::guard::HalfSpaces;
use super::mesh::collision_mesh::CollisionMesh;
use super::mesh::solids::Solids;
use super::prepare::Prepared;
use super::repair::{Faults, Repair, RepairReport};
use super::response::bodies::{BodyAnchor, Moved};
use super::response::constraint::{self, Acted, ContactConstraint};
use super::response::sweeps::Sweeps;
use crate::body::Pose;
use crate::budget::Budget;
use crate::contact_law::SurfaceContact;
use crate::math::{Real, Vec3};
use crate::mesh::bounds;
use crate::model::Model;
use crate::state::State;

/// Part of a mean edge by which boxes are larger than a step needs, to serve for longer.
const SKIN: Real = 0.2;
/// Overlaps of moving patches, a patch, that are too many to look at: in a dense pile there are ten.
const MOST_OVERLAPS: Real = 32.0;
/// Ways shorter than this part of a mean edge are not halved again, but given up.
const LEAST_WAY: Real = 1e-3;
/// Part of the distance at rest that neighbours on the same cloth are kept apart at the most.
pub const AT_REST: Real = 0.5;
/// Sweeps over the constraints of contacts.
pub(in crate::contact) const SWEEPS: u32 = 12;
/// The same where bodies take part, whose constraints all meet at the body.
const SWEEPS_WITH_BODIES: u32 = 200;
/// Thicknesses that what is too near recovers in a second, and in a step at the least: more than the response may miss.
const RECOVERY: Real = 10.0;
const LEAST_RECOVERY: Real = 0.05;
/// Part of the thickness by which the response may miss it, without and with bodies.
const TOLERANCE: Real = 1e-2;
const TOLERANCE_OF_BODIES: Real = 1e-9;

/// The contacts of a world.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// What has been done so far.
    pub report: ContactReport,
    pub(in crate::contact) prepared: Option<Prepared>,
    pub(in crate::contact) surface: CollisionMesh,
    pub(in crate::contact) solids: Solids,
    /// Distance that cloth keeps from cloth [m].
    pub(in crate::contact) thickness: Real,
    pub(in crate::contact) mean_edge: Real,
    /// Positions at the start of all [m].
    pub(in crate::contact) rest: Vec<Vec3>,
    /// Of all vertices; 0 for those of solids [1/kg].
    pub(in crate::contact) inverse_masses: Vec<Real>,
    pub(in crate::contact) candidates: Candidates,
    pub(in crate::contact) constraints: Vec<ContactConstraint>,
    pub(in crate::contact) sweeps: Sweeps,
    /// What constraints do to the bodies.
    pub(in crate::contact) moved: Vec<Moved>,
    pub(in crate::contact) planes: HalfSpaces,
    /// What contacts are expected to do to the particles in this step [m/s²], and by how much per acceleration that moves [s²].
    pub(in crate::contact) accelerations: Vec<Vec3>,
    pub(in crate::contact) span: Real,
    /// Positions and velocities of all vertices at the start of the step.
    pub(in crate::contact) start: Vec<Vec3>,
    pub(in crate::contact) start_velocities: Vec<Vec3>,
    /// Where the vertices are, and where they are to go [m].
    pub(in crate::contact) x: Vec<Vec3>,
    pub(in crate::contact) target: Vec<Vec3>,
    /// Where the solver and the bodies' flight would take them [m].
    pub(in crate::contact) wanted: Vec<Vec3>,
    /// Of the present piece [m].
    pub(in crate::contact) moves: Vec<Vec3>,
    /// How far they lead, and how far the vertices have come [m].
    pub(in crate::contact) lengths: Vec<[Real; 2]>,
    /// Whether each vertex goes, or has gone, another way than the straight one that was thought.
    pub(in crate::contact) left_straight_path: Vec<bool>,
    /// Where the particles and bodies were left after the last step: others may have moved them since [m].
    pub(in crate::contact) left: Vec<Vec3>,
    pub(in crate::contact) left_bodies: Vec<Pose>,
    pub(in crate::contact) balance: Balance,
    /// Which piece of cloth each particle belongs to, by one of its particles.
    pub(in crate::contact) pieces: Vec<u32>,
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
    /// Straight pieces of the last step of the world.
    pub pieces: u32,
    /// Steps so far in which particles were too fast for the pieces there may be.
    pub too_fast: u64,
    /// How often so far all ways were halved, because too many pairs could have met on them.
    pub slowed: u64,
    /// How far the slowest solid, or the slowest pins, lag behind their script [s].
    pub lag: Real,
    /// The largest lag so far [s].
    pub largest_lag: Real,
}

impl ContactReport {
    /// Counts a lag of something else in this step [s].
    pub(crate) fn count_lag(&mut self, lag: Real) {
        self.lag = self.lag.max(lag);
        self.largest_lag = self.largest_lag.max(lag);
    }
}

impl Contacts {
    /// The moment of its script at which collider k stands [s], if contact has placed it.
    pub fn collider_time(&self, k: usize) -> Option<Real> {
        self.solids.clock_of(Owner::Collider(k))
    }

    /// Every intersection of the surface with itself, with solids and with bodies, where these are now.
    pub fn intersections(&mut self, state: &State) -> Vec<Intersection> {
        self.solids.put_bodies(&state.bodies, state.time);
        intersections_with_solids(&self.surface, &self.solids, state)
    }

    /// What is wrong with a state.
    pub fn faults(&mut self, model: &Model, law: &SurfaceContact, state: &State) -> Faults {
        self.solids.put_bodies(&state.bodies, state.time);
        let mut x = state.positions.clone();
        x.extend(self.solids.positions());
        let sizes = [self.thickness, self.mean_edge];
        Repair::new(model, law, &self.surface, state, sizes).faults(&x)
    }

    /// Moves the cloth until it intersects nothing and lies in no solid, as far as that can be done. What is held stays, and so
    /// do the velocities; a start that is clean stays as it is.
    pub fn repair(&mut self, model: &Model, law: &SurfaceContact, state: &mut State) -> RepairReport {
        self.solids.put_bodies(&state.bodies, state.time);
        let mut x = state.positions.clone();
        x.extend(self.solids.positions());
        let sizes = [self.thickness, self.mean_edge];
        let report = Repair::new(model, law, &self.surface, state, sizes).repair(&mut x);
        if report.moved > 0 {
            state.positions.copy_from_slice(&x[..model.len()]);
            self.rest.copy_from_slice(&x);
            self.candidates.prepare(&self.surface, &self.rest, self.thickness, AT_REST);
        }
        report
    }

    /// Before a step of h [s], in which the solver makes some `inner` steps: the state is safe. The forces that contacts bore go
    /// into the velocities of bodies; what they do to particles is returned [m/s²].
    pub fn begin(
        &mut self,
        model: &Model,
        law: &SurfaceContact,
        state: &mut State,
        h: Real,
        inner: u32,
    ) -> &[Vec3] {
        self.open_balance(model, law, state);
        // A constant acceleration moves by 1 + 2 + … + n of the inner steps' squares.
        let inner = Real::from(inner);
        self.span = h * h * (inner + 1.0) / (2.0 * inner);
        self.solids.put_bodies(&state.bodies, state.time);
        let poses = state.bodies.iter().map(|body| &body.pose);
        if self.left != state.positions || !self.left_bodies.iter().eq(poses) {
            self.candidates.forget();
        }
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
        self.accelerations.clear();
        self.accelerations.resize(model.len(), Vec3::ZERO);
        let Self { constraints, moved, surface, solids, start, inverse_masses, accelerations, span, .. } =
            self;
        for constraint in constraints {
            constraint.closest = constraint.closest.at(start);
            constraint.anchor = BodyAnchor::of(&constraint.closest, surface, &solids.numbers, moved, start);
            constraint.warm_start(inverse_masses, accelerations, moved, *span);
        }
        let of_bodies = |state: &State| -> Real {
            model.bodies.iter().zip(&state.bodies).map(|(body, state)| state.kinetic_energy(body)).sum()
        };
        let before = of_bodies(state);
        for (body, moved) in state.bodies.iter_mut().zip(&self.moved) {
            body.velocity += moved.shift * h;
            body.spin += moved.turn * h;
        }
        let kicked = of_bodies(state) - before;
        self.count_warm_start(model, state, h, kicked);
        &self.accelerations
    }

    /// The rigid body that a vertex belongs to, if any.
    pub(in crate::contact) fn rigid_body(&self, vertex: usize) -> Option<usize> {
        let solid = (self.surface.bodies[vertex] as usize).checked_sub(1)?;
        self.solids.numbers[solid].map(|body| body as usize)
    }

    /// Takes the bodies as they are, not moved by constraints so far.
    pub(in crate::contact) fn hold_bodies(&mut self, model: &Model, state: &State) {
        self.moved.clear();
        let bodies = model.bodies.iter().zip(&state.bodies).enumerate();
        self.moved.extend(bodies.map(|(k, (body, state))| {
            let start = self.solids.start_of_body(k as u32).unwrap_or(state.pose);
            Moved::new(body, &state.pose, start.center)
        }));
    }

    /// After the solver's step of h [s], which ends at `state.time`: moves the particles and bodies to where they can go, or as far
    /// as the budget of time allows.
    pub fn resolve(
        &mut self,
        model: &Model,
        law: &SurfaceContact,
        state: &mut State,
        h: Real,
        budget: &Budget,
    ) {
        let are_lost = |x: &[Vec3]| x.iter().any(|x| !x.is_finite());
        if are_lost(&state.positions) || state.bodies.iter().any(|body| !body.is_finite()) {
            return; // the world will find them
        }
        self.solids.send_bodies(|k| state.bodies[k].pose, state.time);
        self.solids.set_goals(state.time, h);
        self.target.clone_from(&state.positions);
        self.target.extend(self.solids.targets());
        self.hold_bodies(model, state);
        let drift = self.common_drift(model);
        // Nothing gets farther than the pieces of a step reach.
        let farthest = if self.mean_edge > 0.0 { FARTHEST * self.mean_edge } else { Real::INFINITY };
        self.target[..model.len()].iter_mut().for_each(|y| *y -= drift);
        let is_cut = self.shorten(|way| way.clamp_length_max(farthest));
        self.find_candidates(law, 0.5 * self.thickness);
        self.detect(law, state, h);
        self.solve_constraints(state, law, h);
        if are_lost(&self.target) {
            state.positions.copy_from_slice(&self.target[..model.len()]);
            return;
        }
        let is_too_fast = self.go(model, law, state.time, budget);
        self.report.too_fast += u64::from(is_cut || is_too_fast);
        self.candidates.advance(&self.surface, &self.start, &self.x, drift);
        self.write_back(model, law, state, drift, h);
    }

    /// Finds the pairs that could meet on the ways to the targets, for vertices that may be sent `margin` [m] farther. Where there
    /// would be too many to look at, the cloth goes only half of the way, or half of that, and solids that sweep across many edges
    /// lag behind: they may slow down, but not tangle.
    pub(in crate::contact) fn find_candidates(&mut self, law: &SurfaceContact, margin: Real) {
        let mut can_halve = true;
        loop {
            let mut ways = ways(&self.start, &self.target, margin, self.mean_edge);
            if can_halve {
                // What is thick has more neighbours, however little it moves.
                let around = 3.0 + 4.0 * (margin + ways.skin) / self.mean_edge;
                ways.most_overlaps = MOST_OVERLAPS + around * around;
            }
            if self.candidates.find(&self.surface, law.broad_phase, &ways, law.self_contact) {
                return;
            }
            let least = LEAST_WAY * self.mean_edge;
            can_halve = self.shorten(|way| if way.length() < least { Vec3::ZERO } else { way * 0.5 });
            can_halve |= self.slow_solids();
            self.report.slowed += u64::from(can_halve);
        }
    }

    /// Makes the ways of the cloth's vertices shorter; whether any became so.
    fn shorten(&mut self, shorter: impl Fn(Vec3) -> Vec3) -> bool {
        let mut are_shorter = false;
        let cloth = self.surface.cloth_len();
        let ends = self.target[..cloth].iter_mut().zip(&self.start);
        for ((y, x), inverse_mass) in ends.zip(&self.inverse_masses) {
            let way = *y - *x;
            let left = shorter(way);
            if left != way {
                let cut = if *inverse_mass > 0.0 { (way - left).length() / inverse_mass } else { 0.0 };
                self.report.wanted += cut;
                self.report.lost += cut;
                *y = *x + left;
                are_shorter = true;
            }
        }
        are_shorter
    }

    /// Lets solids that go farther than an edge lag behind, at first to where pairs can be counted, then by halves; whether any
    /// does.
    fn slow_solids(&mut self) -> bool {
        let first = self.surface.cloth_len();
        let is_slower = self.solids.shorten(&self.target[first..], self.mean_edge);
        if is_slower {
            self.target.truncate(first);
            self.target.extend(self.solids.targets());
        }
        is_slower
    }

    /// Lets the constraints move the targets.
    fn solve_constraints(&mut self, state: &State, law: &SurfaceContact, h: Real) {
        let has_bodies = self.constraints.iter().any(|constraint| constraint.anchor.is_some());
        self.wanted.clone_from(&self.target);
        let Self { constraints, inverse_masses, start, target, moved, sweeps, thickness, .. } = self;
        let recovery = (RECOVERY * h).max(LEAST_RECOVERY) * *thickness;
        constraint::begin(constraints, start, recovery);
        if has_bodies {
            let mut on = Acted { inverse_masses, y: target, bodies: moved };
            constraint::solve(constraints, &mut on, TOLERANCE_OF_BODIES * *thickness, SWEEPS_WITH_BODIES);
            let moved = &self.moved;
            let pose = |k: usize| state.bodies[k].pose.moved(moved[k].shift, moved[k].turn);
            self.solids.send_bodies(pose, state.time);
            self.target.truncate(self.surface.cloth_len());
            self.target.extend(self.solids.targets());
        } else {
            sweeps.run(constraints, inverse_masses, target, TOLERANCE * *thickness, SWEEPS);
        }
        // Constraints may have sent vertices where nobody looked.
        self.left_straight_path.clear();
        self.left_straight_path.extend(self.target.iter().zip(&self.wanted).map(|(y, wanted)| y != wanted));
        let ways = ways(&self.start, &self.target, 0.0, self.mean_edge);
        if !self.candidates.follow(&self.surface, &ways, &self.left_straight_path) {
            self.find_candidates(law, 0.0);
        }
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
            let room = self.thickness + wall.radius + wall.farthest();
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
        // A target that a wall or a solid pushed up is above it only as long as the constraint is: seen from cloth that sinks, it is not.
        let bears = self.constraints.iter().any(|constraint| {
            constraint.closest.stencil.is_at_wall()
                || constraint.closest.stencil.vertices.iter().any(|&v| v as usize >= model.len())
        });
        let is_near = near_wall || near_solid || bears;
        if model.is_empty() || is_near || cloth.clone().any(|p| model.is_held(p)) {
            return Vec3::ZERO;
        }
        let sum: Vec3 = cloth.map(|p| self.target[p] - self.start[p]).sum();
        sum / model.len() as Real
    }
}

/// The ways of a step, for vertices that may be sent `margin` farther [m].
pub(in crate::contact) fn ways<'a>(
    start: &'a [Vec3],
    target: &'a [Vec3],
    margin: Real,
    mean_edge: Real,
) -> Ways<'a> {
    Ways { start, target, margin, skin: SKIN * mean_edge, most_overlaps: Real::INFINITY }
}
