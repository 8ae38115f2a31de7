//! The simulation: a model, its state, a method, and the step.

mod sleep;

use crate::body;
use crate::budget::{Budget, Clock};
use crate::contact::{
    self, ContactLaw, ContactReport, Contacts, Faults, Intersection, RepairReport, SurfaceContact,
};
use crate::math::{Real, Vec3};
use crate::mesh::{bounds, vertex_normals};
use crate::model::{Model, ModelData};
use crate::rigid::{self, Collisions};
use crate::solver::SolverConfig;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};
use sleep::Sleeping;
#[cfg(feature = "checkpoint")]
use std::borrow::Cow;

/// The speed of light [m/s]: contact may keep an explosion in its place, but not slow it down.
const LIGHT: Real = 299_792_458.0;
/// Contact steps of a solver step at the most.
const MOST_CONTACT_STEPS: u32 = 128;

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
    pub(crate) solver: Box<dyn Solver>,
    inner_steps: u32,
    pub(crate) clock: Option<Clock>,
    /// Of contact, for a step.
    budget: Budget,
    pub(crate) contacts: Contacts,
    pub(crate) collisions: Collisions,
    /// The revision of the model's matrices that the memory of the solver belongs to.
    pub(crate) prepared: Option<u32>,
    /// Whether the solver has to be prepared for that revision, as an edit of the topology left it.
    pub(crate) is_stale: bool,
    start: Vec<Vec3>,
    scratch: Vec<Vec3>,
    pub(crate) reach: Real,
    pub(crate) sleep: Sleeping,
    /// How far particles got since this was set, step after step the farthest [m].
    pub(crate) travel: Option<Real>,
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
            model.set_rest_positions(&state.positions);
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
            contacts: Contacts::default(),
            collisions: Collisions::default(),
            prepared: None,
            is_stale: false,
            start: Vec::new(),
            scratch: Vec::new(),
            reach,
            sleep: Sleeping::default(),
            travel: None,
        }
    }

    /// Advances by `dt`, in `substeps` solver steps; by less if the time budget of contact does not allow it.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        self.run(self.dt / Real::from(self.substeps), self.substeps)
    }

    /// Advances by one solver step of `h` [s], any length; by less if the time budget of contact does not allow it.
    pub fn step_by(&mut self, h: Real) -> Result<StepReport, StepError> {
        self.run(h, 1)
    }

    fn run(&mut self, h: Real, solver_steps: u32) -> Result<StepReport, StepError> {
        self.check_step(h)?;
        if let Some(sleep) = self.model.sleep {
            return self.advance_awake(&sleep, h, solver_steps);
        }
        self.state.sleep.end(&mut self.state.contact.contacts);
        self.sleep.part = None;
        self.advance(h, solver_steps)
    }

    /// Makes some solver steps of h [s], each in as many contact steps as it needs, or as many of them as the time budget of contact
    /// allows: one in any case.
    pub(crate) fn advance(&mut self, h: Real, solver_steps: u32) -> Result<StepReport, StepError> {
        self.budget.begin(self.clock, self.surface_contact().and_then(|law| law.time_budget));
        self.state.contact.report.pieces = 0;
        let (mut report, mut is_cut_short) = (StepReport::default(), false);
        'steps: for solver_step in 0..solver_steps {
            if solver_step > 0 && self.budget.is_spent() {
                is_cut_short = true;
                break;
            }
            self.make_due_cuts(h);
            self.move_blades(h);
            self.close_seams(h);
            let count = self.contact_steps(h);
            // A contact step holds one inner step of the method at least, and they divide these as evenly as can be.
            let all = self.inner_steps.max(count);
            for k in 0..count {
                if k > 0 && self.budget.is_spent() {
                    is_cut_short = true;
                    break 'steps;
                }
                let inner = (k + 1) * all / count - k * all / count;
                report.add(self.contact_step(h * Real::from(inner) / Real::from(all), inner, k > 0)?);
                is_cut_short |= self.surface_contact().is_some() && self.budget.is_spent();
            }
            self.cut_at_sharp_edges();
            self.divide_at_contacts();
            self.merge_divided_faces();
            self.tear();
            self.join_partners();
        }
        report.out_of_time += u32::from(is_cut_short);
        Ok(report)
    }

    fn check_step(&self, length: Real) -> Result<(), StepError> {
        let time = self.state.time;
        let is_step = length > 0.0 && (time + length).is_finite();
        if is_step { Ok(()) } else { Err(StepError::NoStep { length, time }) }
    }

    /// Into how many contact steps a solver step of h [s] is divided: contact of surfaces acts between the inner steps of a method,
    /// too, the more often the faster things move; and more often than that where rigid bodies fly into cloth.
    fn contact_steps(&mut self, h: Real) -> u32 {
        let Some(law) = self.surface_contact() else { return 1 };
        self.contacts.prepare(&self.model, &law, &mut self.state);
        // Rounding asks for none.
        let whole = |steps: Real, most: u32| ((steps * (1.0 - 1e-9)).ceil() as u32).clamp(1, most);
        let for_bodies = whole(self.contacts.steps_for_bodies(&self.state, h), MOST_CONTACT_STEPS);
        if self.inner_steps == 1 || for_bodies > self.inner_steps {
            return for_bodies;
        }
        let count = whole(self.contacts.steps_for(&self.state, h), self.inner_steps).max(for_bodies);
        // Contact steps of two inner steps and three are even enough, those of one and two are not.
        if 2 * count <= self.inner_steps { count } else { self.inner_steps }
    }

    /// THE step: its phases. A method that makes inner steps makes so many; it may go on from one before.
    fn contact_step(&mut self, h: Real, inner: u32, goes_on: bool) -> Result<StepReport, Diverged> {
        self.prepare_if_changed();
        self.start.clone_from(&self.state.positions);
        let surface = self.surface_contact();
        let mut accelerations: &[Vec3] = &[];
        if let Some(law) = &surface {
            self.state.pin_clocks.begin_step(self.state.time, h);
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
        let State { time, pin_clocks, positions, velocities, .. } = &mut self.state;
        self.model.script.pose(*time, pin_clocks, positions, velocities);
        if let Some(limit) = self.model.strain_limit {
            let ModelData { elements, inverse_masses, .. } = &*self.model;
            limit.apply(&elements.springs, inverse_masses, &mut self.state, &mut self.scratch, h);
        }
        let time = self.state.time;
        match &surface {
            Some(law) => {
                self.contacts.resolve(&self.model, law, &mut self.state, h, &self.budget);
                let State { positions, pin_clocks, .. } = &mut self.state;
                pin_clocks.end_step(&self.model.script, &self.start, positions, time, h);
                self.state.contact.report.count_lag(self.state.pin_clocks.lag(time));
            }
            None => contact::resolve(&self.model, &self.start, &mut self.state, time, h),
        }
        self.count_heat(h);
        self.count_travel();
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
        let (state, mut contacts) = self.current_contacts(&law);
        contacts.intersections(&state)
    }

    /// What is wrong with the state under contact of surfaces: parts that intersect, particles inside solids; under the other
    /// laws nothing is.
    pub fn faults(&self) -> Faults {
        let Some(law) = self.surface_contact() else { return Faults::default() };
        let (state, mut contacts) = self.current_contacts(&law);
        contacts.faults(&self.model, &law, &state)
    }

    /// Copies that have taken over what was changed since the last step, and leave no trace.
    fn current_contacts(&self, law: &SurfaceContact) -> (State, Contacts) {
        let (mut contacts, mut state) = (self.contacts.clone(), self.state.clone());
        contacts.prepare(&self.model, law, &mut state);
        (state, contacts)
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
        self.contacts.prepare(&self.model, &law, &mut self.state);
        let report = self.contacts.repair(&self.model, &law, &mut self.state);
        if report.moved > 0 {
            self.model.set_rest_positions(&self.state.positions);
        }
        report
    }

    pub(crate) fn surface_contact(&self) -> Option<SurfaceContact> {
        match self.model.contact {
            ContactLaw::Surface(law) => Some(law),
            _ => None,
        }
    }

    /// The method and its settings.
    pub fn solver(&self) -> &SolverConfig {
        &self.config
    }

    /// Goes on by another method, which starts anew.
    pub(crate) fn use_solver(&mut self, config: &SolverConfig) {
        self.config = config.clone();
        self.solver = config.build();
        self.inner_steps = config.inner_steps();
        self.prepared = None;
        self.state.history.clear();
    }

    /// Solver steps done.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    /// The world with all effects of changes that the next step would begin with, if there are any.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn settled(&self) -> Cow<'_, Self> {
        if self.state.sleep.is_any_asleep() && self.model.sleep.is_some() {
            let mut world = self.clone();
            world.notice_changes();
            return Cow::Owned(world);
        }
        let law = self.surface_contact().filter(|_| self.contacts.is_prepared());
        let is_pending = self.is_memory_of_another_model()
            || law.is_some_and(|law| !self.contacts.is_prepared_for(&self.model, &law));
        if !is_pending {
            return Cow::Borrowed(self);
        }
        let mut world = self.clone();
        world.prepare_if_changed();
        if let Some(law) = law {
            world.contacts.prepare(&world.model, &law, &mut world.state);
        }
        Cow::Owned(world)
    }

    pub(crate) fn prepare_if_changed(&mut self) {
        let revision = self.model.revisions().matrices;
        if self.prepared != Some(revision) || self.is_stale {
            self.solver.prepare(&self.model);
            if self.is_memory_of_another_model() {
                self.state.history.clear();
            }
            (self.prepared, self.is_stale) = (Some(revision), false);
        }
    }

    /// Whether what the solver remembers belongs to the model before a change that was no edit of the topology.
    pub(crate) fn is_memory_of_another_model(&self) -> bool {
        self.prepared.is_some_and(|revision| revision != self.model.revisions().matrices)
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

    fn count_travel(&mut self) {
        if let Some(travel) = &mut self.travel {
            let ways =
                self.state.positions.iter().zip(&self.start).map(|(x, start)| x.distance_squared(*start));
            *travel += ways.fold(0.0, Real::max).sqrt();
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
