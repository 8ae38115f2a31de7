//! A step of contact of surfaces: the list of its phases.
//!
//! ```text
//! begin     warm start: the contact forces of the last steps, for the solver to add them
//! (solver)  goes from the safe start x to y, as if there were no contact; bodies fly to their targets
//! resolve   pairs that could meet on these paths    candidates
//!           contacts push apart and rub             response: moves y
//!           x goes towards y as far as is safe      guard, in pieces
//! ```
//!
//! What the guard cuts of the displacement of a particle at a body is an impulse on the particle, and its opposite on the body. What
//! it cuts of a body's displacement is made up for later: a body keeps its momentum until constraints take it.
//!
//! Solvers know nothing of it and contact knows nothing of solvers. A start free of intersections stays free of them.

use super::candidates::{Candidates, StepMotion, swept_box};
use super::guard::HalfSpaces;
use super::mesh::solids::Solids;
use super::prepare::Prepared;
use super::response::bodies::{BodyAnchor, BodyDelta};
use super::response::constraint::{self, Acted, ContactConstraint};
use super::response::sweeps::Sweeps;
use super::settings::{
    FARTHEST, LEAST_DISPLACEMENT, LEAST_RECOVERY, MOST_OVERLAPS, RECOVERY, SKIN, SWEEPS, SWEEPS_WITH_BODIES,
    TOLERANCE, TOLERANCE_WITH_BODIES,
};
use crate::budget::Budget;
use crate::contact_law::SurfaceContact;
use crate::contact_memory::ContactMemory;
use crate::math::{Real, Vec3};
use crate::mesh::bounds;
use crate::model::Model;
use crate::state::State;

/// What the phases of a step work with.
pub(in crate::contact) struct ContactStep<'a> {
    pub model: &'a Model,
    pub law: &'a SurfaceContact,
    /// Length of the step [s].
    pub h: Real,
    /// Derived from the model and the law.
    pub prepared: &'a Prepared,
    /// Kept from step to step.
    pub memory: &'a mut ContactMemory,
    /// Solids, where they are and where they go.
    pub solids: &'a mut Solids,
    /// Pairs that could meet, and bounds that serve for several steps.
    pub candidates: &'a mut Candidates,
    /// Of this step alone.
    pub scratch: &'a mut Scratch,
}

/// What phases hand on to later phases of the same step.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct Scratch {
    /// What contacts are expected to do to the particles in this step [m/s²], and by how much per acceleration that moves [s²].
    pub accelerations: Vec<Vec3>,
    pub span: Real,
    /// Positions [m] and velocities [m/s] of all vertices at the start of the step.
    pub start: Vec<Vec3>,
    pub start_velocities: Vec<Vec3>,
    /// Energy at the start of the step, if it is watched [J].
    pub start_energy: Option<Real>,
    /// What the forces of the last step, given to the solver again, add in this one [J].
    pub warm_start_energy: Real,
    /// Positions of the vertices, and their targets [m].
    pub x: Vec<Vec3>,
    pub target: Vec<Vec3>,
    /// Where the solver and the bodies' flight would take them [m].
    pub wanted: Vec<Vec3>,
    /// Of the present piece [m].
    pub moves: Vec<Vec3>,
    /// How far they lead, and how far the vertices have come [m].
    pub lengths: Vec<[Real; 2]>,
    /// Whether each vertex leaves, or has left, its straight path to the target.
    pub left_straight_path: Vec<bool>,
    /// Pairs that touch, or come too near.
    pub constraints: Vec<ContactConstraint>,
    pub sweeps: Sweeps,
    /// What constraints do to the bodies.
    pub body_deltas: Vec<BodyDelta>,
    pub half_spaces: HalfSpaces,
}

impl ContactStep<'_> {
    /// Before the solver, which makes some `inner` steps: the state is safe. The contact forces of the last steps change the velocities of
    /// bodies; what they do to particles into `accelerations`.
    pub fn begin(&mut self, state: &mut State, inner: u32) {
        self.note_energy(state);
        // A constant acceleration moves by 1 + 2 + … + n of the inner steps' squares.
        let inner = Real::from(inner);
        self.scratch.span = self.h * self.h * (inner + 1.0) / (2.0 * inner);
        self.solids.put_bodies(&state.bodies, state.time);
        let poses = state.bodies.iter().map(|body| &body.pose);
        if self.memory.end_positions != state.positions || !self.memory.end_poses.iter().eq(poses) {
            self.candidates.clear();
        }
        self.take_start(state);
        self.reset_body_deltas(state);
        self.warm_start(state);
    }

    /// Positions and velocities of all vertices.
    fn take_start(&mut self, state: &State) {
        let cloth = self.model.len();
        self.scratch.start.clone_from(&state.positions);
        self.scratch.start.extend(self.solids.positions());
        self.scratch.start_velocities.clone_from(&state.velocities);
        self.scratch.start_velocities.resize(self.scratch.start.len(), Vec3::ZERO);
        for v in cloth..self.scratch.start.len() {
            if let Some(k) = self.rigid_body(v) {
                self.scratch.start_velocities[v] = state.bodies[k].velocity_at(self.scratch.start[v]);
            }
        }
    }

    /// Warm-starts the constraints of the last step.
    fn warm_start(&mut self, state: &mut State) {
        let Scratch { accelerations, body_deltas, start, span, constraints, .. } = &mut *self.scratch;
        let Prepared { surface, inverse_masses, .. } = self.prepared;
        accelerations.clear();
        accelerations.resize(self.model.len(), Vec3::ZERO);
        constraints.clear();
        for contact in &self.memory.contacts {
            let mut constraint = ContactConstraint::remembered(contact, start, self.law.friction);
            let numbers = &self.solids.numbers;
            constraint.anchor = BodyAnchor::of(&constraint.closest, surface, numbers, body_deltas, start);
            constraint.warm_start(inverse_masses, accelerations, body_deltas, *span);
            constraints.push(constraint);
        }
        let of_bodies = |state: &State| -> Real {
            let bodies = self.model.bodies.iter().zip(&state.bodies);
            bodies.map(|(body, state)| state.kinetic_energy(body)).sum()
        };
        let before = of_bodies(state);
        for (body, delta) in state.bodies.iter_mut().zip(&*body_deltas) {
            body.velocity += delta.shift * self.h;
            body.spin += delta.turn * self.h;
        }
        let added = of_bodies(state) - before;
        self.count_warm_start(state, added);
    }

    /// The rigid body that a vertex belongs to, if any.
    pub fn rigid_body(&self, vertex: usize) -> Option<usize> {
        let solid = (self.prepared.surface.bodies[vertex] as usize).checked_sub(1)?;
        self.solids.numbers[solid].map(|body| body as usize)
    }

    /// Resets the displacements of bodies by constraints to zero, at the present poses.
    pub fn reset_body_deltas(&mut self, state: &State) {
        self.scratch.body_deltas.clear();
        let bodies = self.model.bodies.iter().zip(&state.bodies).enumerate();
        self.scratch.body_deltas.extend(bodies.map(|(k, (body, state))| {
            let start = self.solids.start_of_body(k as u32).unwrap_or(state.pose);
            BodyDelta::new(body, &state.pose, start.center)
        }));
    }

    /// After the solver's step, which ends at `state.time`: moves the particles and bodies as far as they can go without intersections, and
    /// as far as the time budget allows.
    pub fn resolve(&mut self, state: &mut State, budget: &Budget) {
        let are_non_finite = |x: &[Vec3]| x.iter().any(|x| !x.is_finite());
        if are_non_finite(&state.positions) || state.bodies.iter().any(|body| !body.is_finite()) {
            return; // the world reports them
        }
        let cloth = self.model.len();
        self.solids.send_bodies(|k| state.bodies[k].pose, state.time);
        self.solids.set_goals(state.time, self.h);
        self.scratch.target.clone_from(&state.positions);
        self.scratch.target.extend(self.solids.targets());
        self.reset_body_deltas(state);
        let drift = self.common_drift();
        // No displacement is longer than all pieces of a step together.
        let edge = self.prepared.mean_edge;
        let farthest = if edge > 0.0 { FARTHEST * edge } else { Real::INFINITY };
        self.scratch.target[..cloth].iter_mut().for_each(|y| *y -= drift);
        let is_cut = self.shorten(|displacement| displacement.clamp_length_max(farthest));
        self.find_candidates(0.5 * self.prepared.thickness);
        self.detect(state);
        self.solve_constraints(state);
        if are_non_finite(&self.scratch.target) {
            state.positions.copy_from_slice(&self.scratch.target[..cloth]);
            return;
        }
        let is_too_fast = self.advance_safely(state.time, budget);
        self.memory.report.too_fast += u64::from(is_cut || is_too_fast);
        let Scratch { start, x, .. } = &*self.scratch;
        self.candidates.advance(&self.prepared.surface, start, x, drift);
        self.write_back(state, drift);
    }

    /// Finds the pairs that could meet on the paths to the targets, for vertices that may be sent `margin` [m] farther. Where there are
    /// too many, the displacements of the cloth are halved, repeatedly if need be, and solids that sweep across many edges lag behind:
    /// they may slow down, but not tangle.
    pub fn find_candidates(&mut self, margin: Real) {
        let mut can_halve = true;
        loop {
            let mut motion =
                step_motion(&self.scratch.start, &self.scratch.target, margin, self.prepared.mean_edge);
            if can_halve {
                // What is thick has more neighbours, however little it moves.
                let around = 3.0 + 4.0 * (margin + motion.skin) / self.prepared.mean_edge;
                motion.most_overlaps = MOST_OVERLAPS + around * around;
            }
            if self.candidates.find(
                &self.prepared.surface,
                self.law.broad_phase,
                &motion,
                self.law.self_contact,
            ) {
                return;
            }
            let least = LEAST_DISPLACEMENT * self.prepared.mean_edge;
            can_halve =
                self.shorten(
                    |displacement| {
                        if displacement.length() < least { Vec3::ZERO } else { displacement * 0.5 }
                    },
                );
            can_halve |= self.slow_solids();
            self.memory.report.slowed += u64::from(can_halve);
        }
    }

    /// Shortens the displacements of the cloth's vertices; whether any became shorter.
    fn shorten(&mut self, shorter: impl Fn(Vec3) -> Vec3) -> bool {
        let mut are_shorter = false;
        let cloth = self.prepared.surface.cloth_len();
        let ends = self.scratch.target[..cloth].iter_mut().zip(&self.scratch.start);
        for ((y, x), inverse_mass) in ends.zip(&self.prepared.inverse_masses) {
            let displacement = *y - *x;
            let left = shorter(displacement);
            if left != displacement {
                let cut =
                    if *inverse_mass > 0.0 { (displacement - left).length() / inverse_mass } else { 0.0 };
                self.memory.report.wanted += cut;
                self.memory.report.lost += cut;
                *y = *x + left;
                are_shorter = true;
            }
        }
        are_shorter
    }

    /// Lets solids with displacements beyond an edge lag behind, at first to where pairs can be counted, then by halves; whether any does.
    fn slow_solids(&mut self) -> bool {
        let first = self.prepared.surface.cloth_len();
        let is_slower = self.solids.shorten(&self.scratch.target[first..], self.prepared.mean_edge);
        if is_slower {
            self.scratch.target.truncate(first);
            self.scratch.target.extend(self.solids.targets());
        }
        is_slower
    }

    /// Lets the constraints move the targets.
    fn solve_constraints(&mut self, state: &State) {
        let has_bodies = self.scratch.constraints.iter().any(|constraint| constraint.anchor.is_some());
        self.scratch.wanted.clone_from(&self.scratch.target);
        let Scratch { start, target, body_deltas, sweeps, constraints, .. } = &mut *self.scratch;
        let Prepared { inverse_masses, thickness, .. } = self.prepared;
        let recovery = (RECOVERY * self.h).max(LEAST_RECOVERY) * *thickness;
        constraint::begin(constraints, start, recovery);
        if has_bodies {
            let mut on = Acted { inverse_masses, y: target, bodies: body_deltas };
            constraint::solve(constraints, &mut on, TOLERANCE_WITH_BODIES * *thickness, SWEEPS_WITH_BODIES);
            let pose = |k: usize| state.bodies[k].pose.moved(body_deltas[k].shift, body_deltas[k].turn);
            self.solids.send_bodies(pose, state.time);
            self.scratch.target.truncate(self.prepared.surface.cloth_len());
            self.scratch.target.extend(self.solids.targets());
        } else {
            sweeps.run(constraints, inverse_masses, target, TOLERANCE * *thickness, SWEEPS);
        }
        // Constraints may have moved targets out of what the candidates cover.
        self.scratch.left_straight_path.clear();
        self.scratch
            .left_straight_path
            .extend(self.scratch.target.iter().zip(&self.scratch.wanted).map(|(y, wanted)| y != wanted));
        let motion = step_motion(&self.scratch.start, &self.scratch.target, 0.0, self.prepared.mean_edge);
        if !self.candidates.follow(&self.prepared.surface, &motion, &self.scratch.left_straight_path) {
            self.find_candidates(0.0);
        }
    }

    /// The displacement that all the cloth has in common, which changes no distance on it [m]: zero where solids are near or particles
    /// are pinned.
    fn common_drift(&self) -> Vec3 {
        let model = self.model;
        let cloth = 0..model.len();
        let [low, high] = bounds(&self.scratch.start[cloth.clone()]);
        let [low_end, high_end] = bounds(&self.scratch.target[cloth.clone()]);
        let (low, high) = (low.min(low_end), high.max(high_end));
        let near_wall = self.solids.walls.iter().any(|wall| {
            let (point, normal) = wall.plane(wall.time);
            let lowest = Vec3::select(normal.cmpge(Vec3::ZERO), low, high);
            let room = self.prepared.thickness + wall.radius + wall.farthest();
            normal.dot(lowest - point) < room
        });
        let mut first = model.len();
        let near_solid =
            self.solids.bodies.iter().zip(&self.prepared.surface.radii[1..]).any(|(solid, radius)| {
                let all = first..first + solid.len();
                first = all.end;
                let room = Vec3::splat(self.prepared.thickness + radius);
                let [from, to] = swept_box(&self.scratch.start[all.clone()], &self.scratch.target[all]);
                (from - room).cmple(high).all() && (to + room).cmpge(low).all()
            });
        // A target that a wall or a solid pushed up is above it only as long as the constraint is: seen from cloth that sinks, it is not.
        let is_supported = self.scratch.constraints.iter().any(|constraint| {
            constraint.closest.stencil.is_at_wall()
                || constraint.closest.stencil.vertices.iter().any(|&v| v as usize >= model.len())
        });
        let is_near = near_wall || near_solid || is_supported;
        if model.is_empty() || is_near || cloth.clone().any(|p| model.is_held(p)) {
            return Vec3::ZERO;
        }
        let sum: Vec3 = cloth.map(|p| self.scratch.target[p] - self.scratch.start[p]).sum();
        sum / model.len() as Real
    }
}

/// The motion of a step, for vertices that may be sent `margin` farther [m].
pub(in crate::contact) fn step_motion<'a>(
    start: &'a [Vec3],
    target: &'a [Vec3],
    margin: Real,
    mean_edge: Real,
) -> StepMotion<'a> {
    StepMotion { start, target, margin, skin: SKIN * mean_edge, most_overlaps: Real::INFINITY }
}
