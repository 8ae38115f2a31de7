//! A bar on the terminal while long work is done.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use muslin_scene::{End, Ending, Frame, Progress, Setup, Sink};
use std::time::Duration;

/// The bar of a run.
pub struct RunBar(ProgressBar);

impl RunBar {
    /// A bar of all steps of a scene.
    pub fn new(setup: &Setup, quiet: bool) -> Self {
        let bar = bar(setup.steps(), quiet);
        bar.set_message(setup.name.clone());
        Self(bar)
    }
}

impl Sink for RunBar {
    fn frame(&mut self, _frame: &Frame) -> anyhow::Result<()> {
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) {
        self.0.set_position(progress.step);
    }

    fn finish(&mut self, ending: &Ending) -> anyhow::Result<()> {
        match ending.end {
            End::Done => self.0.finish_and_clear(),
            End::Diverged(_) | End::Interrupted => self.0.abandon(),
        }
        Ok(())
    }
}

/// Where no bar is drawn: a line a part of work that long work is at, for whoever reads the log.
pub fn tell_a_log(bar: &ProgressBar, name: &str) {
    const LONG: Duration = Duration::from_secs(60);
    if bar.is_hidden() && bar.elapsed() > LONG {
        let (done, of, seconds) = (bar.position(), bar.length().unwrap_or(1), bar.elapsed().as_secs());
        eprintln!("{name}: {done} of {of} parts after {seconds} s");
    }
}

/// A bar of `length` steps on stderr; nothing at all if stderr is no terminal or `quiet` is wanted.
pub fn bar(length: u64, quiet: bool) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if quiet {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template(
        "{msg} {wide_bar:.cyan/dim} {percent:>3} %  {elapsed} elapsed, {eta} left",
    )
    .unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.progress_chars("━╸─"));
    bar
}
