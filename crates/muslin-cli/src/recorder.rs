//! What is kept of a run: the list of its sinks.

use crate::Failure;
use crate::export::Export;
use crate::output::{FinalState, Metrics};
use crate::picture::Album;
use crate::progress::RunBar;
use crate::resume::{Recipe, ResumePoint};
use crate::summary::Summary;
use muslin::math::Real;
use muslin_scene::{Ending, Frame, Progress, Setup, Sink};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The sinks of a run.
pub struct Recorder<'a> {
    bar: RunBar,
    metrics: Metrics,
    final_state: FinalState,
    album: Album<'a>,
    export: Export,
    resume_point: ResumePoint,
    /// What the run has to tell.
    pub summary: Summary<'a>,
    /// What could not be written.
    pub errors: Vec<String>,
    /// Whether something could not be written, for the run to stop.
    pub has_failed: Arc<AtomicBool>,
}

impl<'a> Recorder<'a> {
    /// Gets ready to write to a folder what a recipe says, of a run that has taken so many frames up to a time [s].
    pub fn open(
        setup: &'a Setup,
        folder: &Path,
        recipe: Recipe,
        quiet: bool,
        mut summary: Summary<'a>,
        (frames, time): (usize, Real),
    ) -> Result<Self, Failure> {
        let metrics = if frames == 0 {
            Metrics::new(folder)
        } else {
            let (metrics, [stretch, penetration]) = Metrics::resume(folder, frames)
                .map_err(|error| Failure::Input(format!("{}: {error:#}", folder.display())))?;
            summary.count_earlier(stretch, penetration);
            metrics
        };
        Ok(Self {
            bar: RunBar::new(setup, quiet),
            metrics,
            final_state: FinalState::new(folder),
            album: Album::open(setup, folder, &recipe.picture, (frames, time))?,
            export: Export::open(folder, &recipe.export()?, &setup.model, frames)?,
            resume_point: ResumePoint::new(folder, recipe),
            summary,
            errors: Vec::new(),
            has_failed: Arc::default(),
        })
    }

    /// All of them, in the order in which they finish: the bar before anything is written, the summary when all else is there,
    /// and only then what a run needs to be resumed is removed.
    fn sinks(&mut self) -> [&mut dyn Sink; 6] {
        [
            &mut self.bar,
            &mut self.metrics,
            &mut self.final_state,
            &mut self.album,
            &mut self.export,
            &mut self.summary,
        ]
    }

    fn note(&mut self, errors: impl IntoIterator<Item = anyhow::Error>) {
        for error in errors.into_iter().map(|error| format!("{error:#}")) {
            self.has_failed.store(true, Ordering::Relaxed);
            if !self.errors.contains(&error) {
                self.errors.push(error);
            }
        }
    }
}

/// What one of them cannot write does not keep the others from writing.
impl Sink for Recorder<'_> {
    fn frame(&mut self, frame: &Frame) -> anyhow::Result<()> {
        let errors: Vec<_> = self.sinks().into_iter().filter_map(|sink| sink.frame(frame).err()).collect();
        self.note(errors);
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) {
        self.sinks().into_iter().for_each(|sink| sink.progress(progress));
    }

    fn finish(&mut self, ending: &Ending) -> anyhow::Result<()> {
        let errors: Vec<_> = self.sinks().into_iter().filter_map(|sink| sink.finish(ending).err()).collect();
        // Only what is complete can be resumed from here; otherwise an earlier point stays.
        let is_complete = errors.is_empty();
        self.note(errors);
        if is_complete {
            let result = self.resume_point.finish(ending);
            self.note(result.err());
        }
        Ok(())
    }
}
