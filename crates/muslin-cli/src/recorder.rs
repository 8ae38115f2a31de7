//! What is kept of a run: the list of its sinks.

use crate::Failure;
use crate::export::Export;
use crate::output::{FinalState, Metrics};
use crate::picture::Album;
use crate::progress::RunBar;
use crate::resume::{Recipe, ResumePoint};
use crate::summary::Summary;
use muslin::math::Real;
use muslin_scene::{Setup, Sink};
use std::path::Path;

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
        })
    }

    /// All of them, in the order in which they finish: the bar before anything is written, the summary when all else is there,
    /// and only then what a run needs to be resumed is removed.
    pub fn sinks(&mut self) -> [&mut dyn Sink; 7] {
        [
            &mut self.bar,
            &mut self.metrics,
            &mut self.final_state,
            &mut self.album,
            &mut self.export,
            &mut self.summary,
            &mut self.resume_point,
        ]
    }
}
