//! Steps a world and hands its frames to sinks.
//!
//! ```
//! use muslin_scene::{End, Frame, Runner, Source};
//!
//! let setup = Source::open("rope-2d")?.load()?;
//! let mut heights = Vec::new();
//! let mut lowest = |frame: &Frame| {
//!     let positions = &frame.world.state.positions;
//!     heights.push(positions.iter().map(|x| x.z).fold(f64::INFINITY, f64::min));
//!     Ok(())
//! };
//! let end = Runner::of(&setup).run(&mut [&mut lowest], || true)?;
//! assert_eq!(end, End::Done);
//! assert_eq!(heights.len(), 1 + setup.schedule().marks().len());
//! # Ok::<(), anyhow::Error>(())
//! ```

use crate::schedule::Schedule;
use crate::setup::Setup;
use crate::sink::{End, Ending, Frame, LastFrame, Progress, Sink};
use muslin::budget::Clock;
use muslin::math::Real;
use muslin::world::{StepError, World};

/// Steps between two reports of progress at the most: so few that a progress bar moves, so many that the clock costs nothing.
const BATCH: u64 = 256;

/// A world, the schedule by which it is stepped, and how far it is.
#[derive(Clone, Debug)]
pub struct Runner {
    world: World,
    schedule: Schedule,
    clock: Option<Clock>,
    progress: Progress,
    last: LastFrame,
}

impl Runner {
    /// Runs a world from its start.
    pub fn new(world: World, schedule: Schedule) -> Self {
        let last = LastFrame {
            number: 0,
            model: world.model.clone(),
            state: world.state.clone(),
            collider_times: world.collider_times(),
        };
        Self { world, schedule, clock: None, progress: Progress::default(), last }
    }

    /// Runs a scene from its start, repaired if it has to be.
    pub fn of(setup: &Setup) -> Self {
        Self::new(setup.world(), setup.schedule())
    }

    /// Goes on with a world that has come so far in the schedule. Frames up to there are not taken again, and the
    /// numbers of the others are those of a run in one go. A run that was interrupted between two frames took one at that moment;
    /// the next frame of the schedule has its number, and takes its place.
    #[must_use]
    pub fn starting_at(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self.last.number = self.schedule.last_frame(progress.step);
        self
    }

    /// Measures the time of steps by a clock, by which time budgets count, too.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.world.use_clock(clock);
        self.clock = Some(clock);
        self
    }

    /// The world as it is now.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world as it is now, to be used without the runner.
    pub fn into_world(self) -> World {
        self.world
    }

    /// Steps through the schedule, and hands the start and each frame to all sinks, then the end. `goes_on` is asked before each
    /// step: where it says no, the moment of the interruption is a frame, too, unless it is one already.
    ///
    /// # Errors
    /// Where a sink fails, or a time step is none. That a run diverges or is interrupted is an [`End`], not an error.
    pub fn run(
        &mut self,
        sinks: &mut [&mut dyn Sink],
        mut goes_on: impl FnMut() -> bool,
    ) -> anyhow::Result<End> {
        if self.progress.step == 0 {
            self.take_frame(0, sinks)?;
        }
        let end = self.step_through(sinks, &mut goes_on)?;
        let ending = Ending { end, world: &self.world, last: &self.last, progress: self.progress };
        sinks.iter_mut().try_for_each(|sink| sink.finish(&ending))?;
        Ok(end)
    }

    fn step_through(
        &mut self,
        sinks: &mut [&mut dyn Sink],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> anyhow::Result<End> {
        while let Some(&mark) = self.schedule.marks().get(self.schedule.last_frame(self.progress.step)) {
            let start = self.progress.step;
            let number = 1 + self.schedule.last_frame(start);
            let arrived = match self.advance_to(mark, sinks, goes_on) {
                Ok(arrived) => arrived,
                Err(StepError::Diverged(diverged)) => return Ok(End::Diverged(diverged)),
                Err(error) => return Err(error.into()),
            };
            if self.progress.step > start {
                self.take_frame(number, sinks)?;
            }
            if !arrived {
                return Ok(End::Interrupted);
            }
        }
        Ok(End::Done)
    }

    /// Steps until a step of the schedule is done; whether it got there.
    fn advance_to(
        &mut self,
        mark: u64,
        sinks: &mut [&mut dyn Sink],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, StepError> {
        while self.progress.step < mark {
            let start = self.seconds();
            let arrived = self.step_batch(mark.min(self.progress.step + BATCH), goes_on);
            self.progress.wall_seconds += self.seconds() - start;
            for sink in &mut *sinks {
                sink.progress(&self.progress);
            }
            if !arrived? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn step_batch(&mut self, last: u64, goes_on: &mut dyn FnMut() -> bool) -> Result<bool, StepError> {
        while self.progress.step < last {
            if !goes_on() {
                return Ok(false);
            }
            if let Some(length) = self.schedule.length(self.progress.step) {
                self.world.dt = length;
            }
            self.progress.out_of_time += u64::from(self.world.step()?.out_of_time);
            self.progress.step += 1;
        }
        Ok(true)
    }

    fn take_frame(&mut self, number: usize, sinks: &mut [&mut dyn Sink]) -> anyhow::Result<()> {
        self.last.number = number;
        if self.last.model.revisions() != self.world.model.revisions() {
            self.last.model.clone_from(&self.world.model);
        }
        self.last.state.clone_from(&self.world.state);
        self.last.collider_times = self.world.collider_times();
        let frame = Frame::new(number, &self.world, &self.last.collider_times);
        sinks.iter_mut().try_for_each(|sink| sink.frame(&frame))
    }

    fn seconds(&self) -> Real {
        self.clock.map_or(0.0, |clock| clock())
    }
}
