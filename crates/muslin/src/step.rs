//! What a method is: it advances a state by steps.

use crate::budget::Clock;
use crate::history::History;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::state::State;
use std::fmt;

/// Advances a state in time.
pub trait Solver: CloneSolver + fmt::Debug + Send + Sync {
    /// Rebuilds what is derived from the model: at the start, and after each change of topology.
    fn prepare(&mut self, model: &Model);

    /// Gets ready for an edit of the topology, after which the memory of the method follows the particles: true if it then goes on without
    /// being prepared anew. The model is the one before the edit.
    fn prepare_for_edit(&mut self, _model: &Model, _history: &mut History) -> bool {
        false
    }

    /// Advances positions and velocities from `state.time` by `input.dt`. The world keeps the time: it sets `state.time`, and puts
    /// scripted particles in their place, after the step.
    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport;
}

/// What a step is asked for.
#[derive(Clone, Copy, Debug)]
pub struct StepInput<'a> {
    /// Its length [s].
    pub dt: Real,
    /// The clock for time budgets, if there is one. The library reads none of its own.
    pub clock: Option<Clock>,
    /// How many inner steps it has, for methods that have such.
    pub inner_steps: u32,
    /// Whether the step before was a part of the same longer one.
    pub goes_on: bool,
    /// Accelerations to add in all inner steps [m/s²], for methods that have such; none at all, or one per particle.
    pub accelerations: &'a [Vec3],
}

/// What a step has to say about itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Inner steps or iterations, summed over everything nested.
    pub iterations: u32,
    /// What the last iteration left unsolved, in the measure of the solver (0 for explicit ones).
    pub residual: Real,
    /// Constant matrices factored, by methods that keep their factors.
    pub factorizations: u32,
    /// Steps that ended because their time was up, with the best state so far.
    pub out_of_time: u32,
    /// Free particles visited, by methods that visit only what moves; summed over several steps.
    pub visited_particles: u32,
    /// Elements that acted in these visits.
    pub visited_elements: u32,
    /// Particles that sleep at the end of the step.
    pub sleeping_particles: u32,
}

impl StepReport {
    /// Adds what the next of several steps has to say.
    pub(crate) fn add(&mut self, next: Self) {
        self.iterations += next.iterations;
        self.residual = next.residual;
        self.factorizations += next.factorizations;
        self.out_of_time += next.out_of_time;
        self.visited_particles += next.visited_particles;
        self.visited_elements += next.visited_elements;
        self.sleeping_particles = next.sleeping_particles;
    }
}

/// Copies a method that is known only by what it can do; every solver that can be cloned has it.
pub trait CloneSolver {
    /// The method with all that it remembers.
    fn clone_solver(&self) -> Box<dyn Solver>;
}

impl<S: Solver + Clone + 'static> CloneSolver for S {
    fn clone_solver(&self) -> Box<dyn Solver> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Solver> {
    fn clone(&self) -> Self {
        self.as_ref().clone_solver()
    }
}
