//! What is kept of a run: the list of its sinks.

use crate::Failure;
use crate::output::{FinalState, Metrics};
use crate::picture::{Album, PictureKind};
use crate::progress::RunBar;
use crate::summary::Summary;
use muslin_scene::{Setup, Sink};
use std::path::Path;

/// The sinks of a run.
pub struct Recorder<'a> {
    bar: RunBar,
    metrics: Metrics,
    final_state: FinalState,
    album: Album<'a>,
    /// What the run has to tell.
    pub summary: Summary<'a>,
}

impl<'a> Recorder<'a> {
    /// Gets ready to write to a folder.
    pub fn open(
        setup: &'a Setup,
        folder: &Path,
        pictures: &[PictureKind],
        quiet: bool,
        summary: Summary<'a>,
    ) -> Result<Self, Failure> {
        Ok(Self {
            bar: RunBar::new(setup, quiet),
            metrics: Metrics::new(folder),
            final_state: FinalState::new(folder),
            album: Album::open(setup, folder, pictures)?,
            summary,
        })
    }

    /// All of them, in the order in which they finish: the bar before anything is written, the summary when all else is there.
    pub fn sinks(&mut self) -> [&mut dyn Sink; 5] {
        [&mut self.bar, &mut self.metrics, &mut self.final_state, &mut self.album, &mut self.summary]
    }
}
