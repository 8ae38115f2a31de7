//! The simulation: a model, its state, a method, and the step.

use crate::body;
use crate::budget::{Budget, Clock};
use crate::contact::{
    self, ContactLaw, ContactReport, Contacts, Faults, Intersection, RepairReport, SurfaceContact,
};
use crate::math::{Real, Vec3};
use crate::mesh::{bounds, vertex_normals};
use crate::model::Model;
use crate::rigid::{self, Collisions};
use crate::solver::SolverConfig;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};
use std::borrow::Cow;

/// The speed of light [m/s]: contact may keep an explosion in its place, but not slow it down.
const LIGHT: Real = 299_792_458.0;
/// Parts of a step at the most.
const MOST_PARTS: u32 = 128;

/// A cloth in time.
#[derive(Clone, Debug)]
pub struct World {
    /// What is simulated.
    pub model: Model,
    /// Where it is.
    pub state: State,
    /// Length of a step [s].
    pub dt: Real,
    /// Solver steps per step.
    pub substeps: u32,
    /// How often the heat is counted, if at all: after steps that complete this time [s]. Each count is a pass over the
    /// elements.
    pub heat_interval: Option<Real>,
    pub(crate) config: SolverConfig,
    solver: Box<dyn Solver>,
    inner_steps: u32,
    clock: Option<Clock>,
    /// Of contact, for a step.
    budget: Budget,
    is_cut_short: bool,
    pub(crate) contacts: Contacts,
    pub(crate) collisions: Collisions,
    prepared: Prepared,
    start: Vec<Vec3>,
    scratch: Vec<Vec3>,
    pub(crate) reach: Real,
}

/// What the solver was prepared for: matrices hold the masses, too.
#[derive(Clone, Debug, Default)]
struct Prepared {
    revision: Option<u32>,
    masses: Vec<Real>,
    inverse_masses: Vec<Real>,
}

impl Prepared {
    fn is_for(&self, model: &Model) -> bool {
        self.revision == Some(model.revision)
            && self.masses == model.masses
            && self.inverse_masses == model.inverse_masses
    }

    fn update(&mut self, model: &Model) {
        self.revision = Some(model.revision);
        self.masses.clone_from(&model.masses);
        self.inverse_masses.clone_from(&model.inverse_masses);
    }
}

/// The simulation left the numbers: positions are infinite, undefined or absurdly far away, or something is faster than light.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "diverged at step {step}, time {time} s: particle {particle} is at {position} with velocity {velocity}"
)]
pub struct Diverged {
    /// The solver step, counted from 1.
    pub step: u64,
    /// The time at its end [s].
    pub time: Real,
    /// The first particle affected; bodies count behind the particles.
    pub particle: usize,
    /// Where it went [m].
    pub position: Vec3,
    /// How fast it goes there [m/s].
    pub velocity: Vec3,
}

/// Why there was no step.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The simulation left the numbers.
    #[error(transparent)]
    Diverged(#[from] Diverged),
    /// There is no such step; nothing has changed.
    #[error(
        "cannot advance by {length} s from time {time} s: a step must be positive and finite, and so must be the time it ends at"
    )]
    NoStep {
        /// The length of the step [s].
        length: Real,
        /// The time it was to start at [s].
        time: Real,
    },
}

impl World {
    /// A world at its start, with steps of `dt` [s].
    pub fn new(mut model: Model, mut state: State, config: &SolverConfig, dt: Real) -> Self {
        state.forget();
        if model.rest_positions.len() != model.len() {
            model.rest_positions.clone_from(&state.positions);
        }
        let [low, high] = bounds(&state.positions);
        // A billion times the size of the cloth, and of its way in a year of free fall: nothing gets there by physics.
        let reach = 1e9 * (1.0 + (high - low).length() + low.abs().max(high.abs()).length());
        Self {
            model,
            state,
            dt,
            substeps: 1,
            heat_interval: None,
            config: config.clone(),
            solver: config.build(),
            inner_steps: config.inner_steps(),
            clock: None,
            budget: Budget::default(),
            is_cut_short: false,
            contacts: Contacts::default(),
            collisions: Collisions::default(),
            prepared: Prepared::default(),
            start: Vec::new(),
            scratch: Vec::new(),
            reach,
        }
    }

    /// Advances by `dt`, in `substeps` solver steps; by less if the time budget of contact does not allow it.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        let h = self.dt / Real::from(self.substeps);
        self.check_step(h)?;
        Ok(self.within_budget(|world| world.repeat(world.substeps, |world, _| world.step_in_parts(h)))?)
    }

    /// Advances by one solver step of `h` [s], any length; by less if the time budget of contact does not allow it.
    pub fn step_by(&mut self, h: Real) -> Result<StepReport, StepError> {
        self.check_step(h)?;
        Ok(self.within_budget(|world| world.step_in_parts(h))?)
    }

    fn check_step(&self, length: Real) -> Result<(), StepError> {
        let time = self.state.time;
        let is_step = length > 0.0 && (time + length).is_finite();
        if is_step { Ok(()) } else { Err(StepError::NoStep { length, time }) }
    }

    /// Lets the time budget of contact, if there is one, count for a step.
    fn within_budget(
        &mut self,
        step: impl FnOnce(&mut Self) -> Result<StepReport, Diverged>,
    ) -> Result<StepReport, Diverged> {
        let seconds = self.surface_contact().and_then(|law| law.time_budget);
        self.budget.begin(self.clock, seconds);
        self.is_cut_short = false;
        self.state.contact.report.pieces = 0;
        let mut report = step(self)?;
        report.out_of_time += u32::from(self.is_cut_short);
        Ok(report)
    }

    fn step_in_parts(&mut self, h: Real) -> Result<StepReport, Diverged> {
        let parts = self.parts_of_step(h);
        // Parts hold one inner step at least, and divide them as evenly as can be.
        let all = self.inner_steps.max(parts);
        self.repeat(parts, |world, part| {
            let inner = (part + 1) * all / parts - part * all / parts;
            world.inner_step(h * Real::from(inner) / Real::from(all), inner, part > 0)
        })
    }

    /// Into how many parts a step of h [s] is divided: contact of surfaces acts between the inner steps of a method, too, the
    /// more often the faster things move; and more often than that where rigid bodies fly into cloth.
    fn parts_of_step(&mut self, h: Real) -> u32 {
        let Some(law) = self.surface_contact() else { return 1 };
        self.model.prepare_obstacles();
        self.contacts.prepare(&self.model, &law, &mut self.state);
        // Rounding asks for none.
        let whole = |steps: Real, most: u32| ((steps * (1.0 - 1e-9)).ceil() as u32).clamp(1, most);
        let for_bodies = whole(self.contacts.steps_for_bodies(&self.state, h), MOST_PARTS);
        if self.inner_steps == 1 || for_bodies > self.inner_steps {
            return for_bodies;
        }
        let parts = whole(self.contacts.steps_for(&self.state, h), self.inner_steps).max(for_bodies);
        // Parts of two inner steps and three are even enough, those of one and two are not.
        if 2 * parts <= self.inner_steps { parts } else { self.inner_steps }
    }

    /// So many times, counted from 0, or until the time budget is spent: once in any case.
    fn repeat(
        &mut self,
        times: u32,
        step: impl Fn(&mut Self, u32) -> Result<StepReport, Diverged>,
    ) -> Result<StepReport, Diverged> {
        let mut report = StepReport::default();
        for time in 0..times {
            if time > 0 && self.budget.is_spent() {
                self.is_cut_short = true;
                break;
            }
            let part = step(self, time)?;
            report = StepReport {
                iterations: report.iterations + part.iterations,
                factorizations: report.factorizations + part.factorizations,
                out_of_time: report.out_of_time + part.out_of_time,
                ..part
            };
        }
        Ok(report)
    }

    /// THE step, in which a method that makes inner steps makes so many; it may go on from one before.
    fn inner_step(&mut self, h: Real, inner: u32, goes_on: bool) -> Result<StepReport, Diverged> {
        self.prepare_if_changed();
        self.start.clone_from(&self.state.positions);
        let surface = self.surface_contact();
        let mut accelerations: &[Vec3] = &[];
        if let Some(law) = &surface {
            self.model.script.begin_step(self.state.time, h);
            self.contacts.prepare(&self.model, law, &mut self.state);
            accelerations = self.contacts.begin(&self.model, law, &mut self.state, h, inner);
            if self.inner_steps == 1 {
                let velocities = self.state.velocities.iter_mut();
                velocities.zip(accelerations).for_each(|(v, acceleration)| *v += *acceleration * h);
                accelerations = &[];
            }
        }
        let input = StepInput { dt: h, clock: self.clock, inner_steps: inner, goes_on, accelerations };
        let report = self.solver.step(&self.model, &mut self.state, &input);
        rigid::advance(&self.model, &mut self.state, &mut self.collisions, h);
        self.state.time += h;
        self.model.script.pose(self.state.time, &mut self.state.positions, &mut self.state.velocities);
        if let Some(limit) = self.model.strain_limit {
            let Model { elements, inverse_masses, .. } = &self.model;
            limit.apply(&elements.springs, inverse_masses, &mut self.state, &mut self.scratch, h);
        }
        let time = self.state.time;
        match &surface {
            Some(law) => {
                self.contacts.resolve(&self.model, law, &mut self.state, h, &self.budget);
                self.is_cut_short |= self.budget.is_spent();
                self.model.script.end_step(&self.start, &self.state.positions, time, h);
                self.state.contact.report.count_lag(self.model.script.lag(time));
            }
            None => contact::resolve(&self.model, &self.start, &mut self.state, time, h),
        }
        self.count_heat(h);
        self.state.steps += 1;
        self.check_finite()?;
        Ok(report)
    }

    /// Gives the method and contact a clock, so that they can keep a time budget.
    pub fn use_clock(&mut self, clock: Clock) {
        self.clock = Some(clock);
    }

    /// What contact of surfaces has done; none under the other laws.
    pub fn contact_report(&self) -> Option<ContactReport> {
        self.surface_contact().map(|_| self.state.contact.report)
    }

    /// The moment of its script at which each collider of the model stands [s]: now, but of those that lag behind because cloth is
    /// in their way.
    pub fn collider_times(&self) -> Vec<Real> {
        let times = self.surface_contact().map_or(&[][..], |_| &self.state.contact.collider_times);
        let time = |k: usize| times.get(k).copied().unwrap_or(self.state.time);
        (0..self.model.colliders.len()).map(time).collect()
    }

    /// How deep the deepest particle lies inside a collider, where that really is [m]; 0 if none does.
    pub fn max_penetration(&self) -> Real {
        contact::max_penetration(&self.model, &self.state, &self.collider_times())
    }

    /// Every intersection of the surface with itself and with solids, judged exactly, whatever the contact law.
    pub fn intersections(&self) -> Vec<Intersection> {
        let Some(law) = self.surface_contact() else {
            return contact::intersections(&self.model, &self.state);
        };
        let (_, state, mut contacts) = self.current_contacts(&law);
        contacts.intersections(&state)
    }

    /// What is wrong with the state under contact of surfaces: parts that intersect, particles inside solids; under the other
    /// laws nothing is.
    pub fn faults(&self) -> Faults {
        let Some(law) = self.surface_contact() else { return Faults::default() };
        let (model, state, mut contacts) = self.current_contacts(&law);
        contacts.faults(&model, &law, &state)
    }

    /// Copies that have taken over what was changed since the last step, and leave no trace.
    fn current_contacts(&self, law: &SurfaceContact) -> (Cow<'_, Model>, State, Contacts) {
        let mut model = Cow::Borrowed(&self.model);
        if matches!(self.model.obstacles(), Cow::Owned(_)) {
            model.to_mut().prepare_obstacles();
        }
        let (mut contacts, mut state) = (self.contacts.clone(), self.state.clone());
        contacts.prepare(&model, law, &mut state);
        (model, state, contacts)
    }

    /// Writes the positions of all particles, in single precision [m], as many as `out` has room for.
    pub fn write_positions(&self, out: &mut [[f32; 3]]) {
        for (out, x) in out.iter_mut().zip(&self.state.positions) {
            *out = x.as_vec3().to_array();
        }
    }

    /// Writes the normals of the surface at all particles, in single precision, as many as `out` has room for: of unit length, by
    /// the areas of the faces around; zero for what has no faces.
    pub fn write_normals(&self, out: &mut [[f32; 3]]) {
        let mut normals = vec![Vec3::ZERO; self.model.len()];
        vertex_normals(&self.model.faces, &self.state.positions, &mut normals);
        for (out, normal) in out.iter_mut().zip(normals) {
            *out = normal.as_vec3().to_array();
        }
    }

    /// Moves the cloth until it intersects nothing and lies in no solid, as far as that can be done, and tells what it did. For
    /// a start that is not clean, under contact of surfaces; under the other laws it does nothing.
    pub fn repair(&mut self) -> RepairReport {
        let Some(law) = self.surface_contact() else { return RepairReport::default() };
        self.model.prepare_obstacles();
        self.contacts.prepare(&self.model, &law, &mut self.state);
        let report = self.contacts.repair(&self.model, &law, &mut self.state);
        if report.moved > 0 {
            self.model.rest_positions.clone_from(&self.state.positions);
        }
        report
    }

    pub(crate) fn surface_contact(&self) -> Option<SurfaceContact> {
        match self.model.contact {
            ContactLaw::Surface(law) => Some(law),
            _ => None,
        }
    }

    /// Goes on by another method, which starts anew.
    pub(crate) fn use_solver(&mut self, config: &SolverConfig) {
        self.config = config.clone();
        self.solver = config.build();
        self.inner_steps = config.inner_steps();
        self.prepared = Prepared::default();
        self.state.history.clear();
    }

    /// Lets contact take over the model anew; solids that lag stay where they are.
    pub(crate) fn renew_contacts(&mut self) {
        self.contacts = Contacts::default();
        self.state.contact.contacts.clear();
    }

    /// Solver steps done.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    pub(crate) fn prepare_if_changed(&mut self) {
        self.model.prepare_obstacles();
        if !self.prepared.is_for(&self.model) {
            self.solver.prepare(&self.model);
            if self.prepared.revision.is_some() {
                self.state.history.clear();
            }
            self.prepared.update(&self.model);
        }
    }

    fn count_heat(&mut self, h: Real) {
        self.state.uncounted += h;
        // Half a step early is on time: sums of steps are never exact.
        if self.heat_interval.is_some_and(|interval| self.state.uncounted + 0.5 * h >= interval) {
            let State { positions, velocities, bodies, .. } = &self.state;
            let power = self.model.elements.dissipation(positions, velocities)
                + self.model.forces.dissipation(velocities)
                + body::dissipation(&self.model.bodies, bodies);
            self.state.dissipated += power * self.state.uncounted;
            self.state.uncounted = 0.0;
        }
    }

    fn check_finite(&self) -> Result<(), Diverged> {
        let State { positions, velocities, bodies, time, .. } = &self.state;
        let is_lost = |x: Vec3, v: Vec3| {
            !x.is_finite()
                || x.abs().max_element() > self.reach
                || !v.is_finite()
                || v.length_squared() > LIGHT * LIGHT
        };
        let diverged = |particle: usize, position: Vec3, velocity: Vec3| Diverged {
            step: self.state.steps,
            time: *time,
            particle,
            position,
            velocity,
        };
        if let Some(p) = (0..positions.len()).find(|&p| is_lost(positions[p], velocities[p])) {
            return Err(diverged(p, positions[p], velocities[p]));
        }
        let lost =
            bodies.iter().position(|body| is_lost(body.pose.center, body.velocity) || !body.is_finite());
        match lost.map(|k| (k, &bodies[k])) {
            Some((k, body)) => Err(diverged(positions.len() + k, body.pose.center, body.velocity)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, Mass, Net, Surroundings};

    #[test]
    fn a_single_lost_coordinate_is_noticed() {
        for axis in 0..3 {
            let net = Net { particles: vec![Vec3::ZERO], mass: Mass::Each(1.0), ..Net::default() };
            let mut builder = Builder::default();
            builder.add_net(&net).unwrap();
            let (model, state) = builder.finish(&Surroundings::default()).unwrap();
            let mut world = World::new(model, state, &SolverConfig::named("explicit-euler").unwrap(), 0.1);
            world.state.positions[0][axis] = Real::NAN;
            assert!(world.step().is_err(), "axis {axis}");
        }
    }
}
