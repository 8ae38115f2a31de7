//! What a run hands out: frames, and its end.

use muslin::math::Real;
use muslin::measure::Measures;
use muslin::model::Model;
use muslin::state::State;
use muslin::world::{Diverged, World};
use std::sync::OnceLock;

/// Takes the frames of a run: writes them, draws them, measures them. A closure that takes a frame is a sink, too.
pub trait Sink {
    /// Takes a frame. An error ends the run.
    fn frame(&mut self, frame: &Frame) -> anyhow::Result<()>;

    /// Hears how far the run is, after some steps and not only at frames.
    fn progress(&mut self, _progress: &Progress) {}

    /// Completes what was made of the frames; called once, when the run is over, however it ended.
    fn finish(&mut self, _ending: &Ending) -> anyhow::Result<()> {
        Ok(())
    }
}

impl<F: FnMut(&Frame) -> anyhow::Result<()>> Sink for F {
    fn frame(&mut self, frame: &Frame) -> anyhow::Result<()> {
        self(frame)
    }
}

/// A moment of a run.
#[derive(Debug)]
pub struct Frame<'a> {
    /// Its number: 0 is the start.
    pub number: usize,
    /// The world as it is at this moment.
    pub world: &'a World,
    /// The moment of its script at which each collider stands [s]: see [`World::collider_times`].
    pub collider_times: &'a [Real],
    measures: OnceLock<Measures>,
}

impl<'a> Frame<'a> {
    pub(crate) fn new(number: usize, world: &'a World, collider_times: &'a [Real]) -> Self {
        Self { number, world, collider_times, measures: OnceLock::new() }
    }

    /// Time since the start [s].
    pub fn time(&self) -> Real {
        self.world.state.time
    }

    /// Energies, momenta, stretch and penetration: measured when a sink first asks, once for all sinks.
    pub fn measures(&self) -> &Measures {
        self.measures.get_or_init(|| Measures::of(self.world))
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Time steps of the schedule done, those before [`Runner::starting_at`](crate::Runner::starting_at) among them.
    pub step: u64,
    /// Wall time spent in steps, without that of the sinks [s]; 0 if the runner has no clock.
    pub wall_seconds: Real,
    /// Solver steps that ended because their time budget was spent.
    pub out_of_time: u64,
}

/// How a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// It did all its steps.
    Done,
    /// Positions or velocities became non-finite.
    Diverged(Diverged),
    /// It was asked to stop before its last step.
    Interrupted,
}

/// What there is when a run is over.
#[derive(Debug)]
pub struct Ending<'a> {
    /// How it ended.
    pub end: End,
    /// The world after the last step: of no use but for counts and reports if the run diverged.
    pub world: &'a World,
    /// The last frame, which is sound in any case.
    pub last: &'a LastFrame,
    /// Steps, and the time that they took.
    pub progress: Progress,
}

/// A copy of the last frame taken.
#[derive(Clone, Debug, PartialEq)]
pub struct LastFrame {
    /// Its number: 0 is the start.
    pub number: usize,
    /// What it was of: cloth may have torn since.
    pub model: Model,
    /// Where everything was.
    pub state: State,
    /// The moment of its script at which each collider stood [s].
    pub collider_times: Vec<Real>,
}
