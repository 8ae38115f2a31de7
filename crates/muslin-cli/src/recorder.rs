//! A run and what is kept of it.

use crate::output::{Metrics, Outcome, final_state, summary};
use crate::picture::{Album, PictureKind};
use crate::{Failure, interrupt, progress};
use anyhow::Context;
use indicatif::ProgressBar;
use muslin::math::Real;
use muslin::measure::Measures;
use muslin::state::State;
use muslin::threads;
use muslin::world::{Diverged, StepError, World};
use muslin_scene::Setup;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Instant;

/// How a run came to its end.
pub enum End {
    /// It reached its duration.
    Done,
    /// It left the numbers.
    Diverged(Diverged),
    /// The user wanted no more.
    Interrupted,
}

/// Runs the world and keeps what the frames say.
pub struct Recorder<'a> {
    setup: &'a Setup,
    folder: PathBuf,
    bar: ProgressBar,
    metrics: Metrics,
    album: Album<'a>,
    last: Measures,
    /// The last frame: the state, and the moments at which the colliders stand [s].
    state: State,
    collider_times: Vec<Real>,
    /// What there is to tell besides.
    pub outcome: Outcome,
}

/// The clock of time budgets: seconds since it was first asked.
fn seconds() -> Real {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

impl<'a> Recorder<'a> {
    /// Gets ready to write to a folder.
    pub fn open(
        setup: &'a Setup,
        folder: &Path,
        pictures: &[PictureKind],
        quiet: bool,
    ) -> Result<Self, Failure> {
        Ok(Self {
            setup,
            folder: folder.to_owned(),
            bar: progress::bar(setup.steps(), quiet),
            metrics: Metrics::new(),
            album: Album::open(setup, folder, pictures)?,
            last: Measures::default(),
            state: setup.state.clone(),
            collider_times: Vec::new(),
            outcome: Outcome::default(),
        })
    }

    /// Steps through all frames; an early end is told, not an error.
    pub fn record(&mut self) -> anyhow::Result<End> {
        self.outcome.threads = threads::count();
        let mut world = self.setup.world();
        world.use_clock(seconds);
        // Some sixty times a frame follows the motion, and costs explicit methods little.
        world.heat_interval = Some(1.0 / (64.0 * self.setup.frame_rate));
        self.bar.set_message(self.setup.name.clone());
        self.take_frame(&world)?;
        let end = self.step_through(&mut world)?;
        self.outcome.contact = world.contact_report();
        match end {
            End::Done => self.bar.finish_and_clear(),
            End::Diverged(_) | End::Interrupted => self.bar.abandon(),
        }
        if !matches!(end, End::Diverged(_)) {
            self.outcome.intersections = Some(world.intersections().len());
        }
        Ok(end)
    }

    /// Steps from frame to frame, and takes each. The moment of an interruption is a frame, too.
    fn step_through(&mut self, world: &mut World) -> anyhow::Result<End> {
        let mut done = 0;
        for mark in self.setup.frame_steps() {
            let start = done;
            while done < mark && !interrupt::is_asked() {
                // A few steps at a time, so that the bar moves and the clock is not asked too often.
                let batch = (mark - done).min(256);
                let clock = Instant::now();
                let result = (0..batch).take_while(|_| !interrupt::is_asked()).try_for_each(|_| {
                    self.outcome.out_of_time += u64::from(world.step()?.out_of_time);
                    done += 1;
                    Ok(())
                });
                self.outcome.wall_seconds += clock.elapsed().as_secs_f64();
                self.outcome.steps = world.steps();
                self.bar.set_position(done);
                match result {
                    Ok(()) => {}
                    Err(StepError::Diverged(diverged)) => return Ok(End::Diverged(diverged)),
                    Err(error) => return Err(error.into()),
                }
            }
            if done > start {
                self.take_frame(world)?;
            }
            if interrupt::is_asked() && done < self.setup.steps() {
                return Ok(End::Interrupted);
            }
        }
        Ok(End::Done)
    }

    fn take_frame(&mut self, world: &World) -> anyhow::Result<()> {
        self.last = Measures::of(world);
        self.metrics.add(self.outcome.frames, &self.last);
        self.outcome.frames += 1;
        self.outcome.worst_stretch = self.outcome.worst_stretch.max(self.last.stretch.max);
        self.outcome.max_penetration = self.outcome.max_penetration.max(self.last.max_penetration);
        self.state.clone_from(&world.state);
        self.collider_times = world.collider_times();
        self.album.add(&world.model, &world.state, &self.collider_times)
    }

    /// Writes everything, each file whole or not at all.
    pub fn finish(&mut self, end: &End) -> anyhow::Result<Value> {
        self.outcome.diverged = matches!(end, End::Diverged(_));
        self.outcome.interrupted = matches!(end, End::Interrupted);
        let summary = summary(self.setup, &self.state, &self.last, &self.outcome);
        self.write("metrics.csv", self.metrics.text())?;
        self.write("final.csv", &final_state(&self.state))?;
        self.album.finish(&self.state, &self.collider_times)?;
        self.write("summary.json", &format!("{summary:#}\n"))?;
        Ok(summary)
    }

    fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let (part, path) = (self.folder.join(format!("{name}.part")), self.folder.join(name));
        std::fs::write(&part, text)
            .and_then(|()| std::fs::rename(&part, &path))
            .with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(())
    }

    /// The last words of a run that was not interrupted and did not diverge.
    pub fn conclude(&self) {
        let Outcome { steps, wall_seconds, .. } = self.outcome;
        say!(
            "{steps} steps in {wall_seconds:.2} s: {:.1} times real time; largest stretch {:.2} %, state {:016x}",
            self.state.time / wall_seconds.max(Real::MIN_POSITIVE),
            100.0 * self.outcome.worst_stretch,
            muslin::hash::state_hash(&self.state)
        );
        say!("→ {}", self.folder.display());
    }

    /// How far an interrupted run got, and where that is.
    pub fn interrupted(&self) -> String {
        format!(
            "{}: interrupted at {:.4} of {} s; the {} frames up to there are in {}",
            self.setup.name,
            self.state.time,
            self.setup.duration,
            self.outcome.frames,
            self.folder.display()
        )
    }
}
