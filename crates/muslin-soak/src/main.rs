//! `cargo xtask soak`: random scenes, judged at every step by a judge of their own.

mod actions;
mod case;
mod generate;
mod judge;
mod random;
mod shrink;
mod soak;
mod tally;
mod trial;
mod watch;

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs random scenes with contact of surfaces and judges every step: nothing may pass through anything, panic, hang, or leave the
/// numbers without saying so. Failures are shrunk and written to out/soak.
#[derive(Clone, Debug, Parser)]
pub struct Arguments {
    /// Begin no scene after so many minutes
    #[arg(long)]
    minutes: Option<f64>,
    /// Seed of the first scene; the others follow
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Scenes at the most
    #[arg(long)]
    scenes: Option<u64>,
    /// Scenes at a time [default: one per core]
    #[arg(long)]
    threads: Option<usize>,
    /// Run this seed alone, and tell about it
    #[arg(long)]
    only: Option<u64>,
    /// Run a scene file, and the caller's actions beside it, and tell about it
    #[arg(long)]
    case: Option<PathBuf>,
    /// Leave failures as large as they are
    #[arg(long)]
    no_shrink: bool,
    /// Where failures are written
    #[arg(long, default_value = "out/soak")]
    out: PathBuf,
    /// Switch contact off, to see that the judge notices
    #[arg(long)]
    without_contact: bool,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    watch::catch_panics();
    let is_clean = match (&arguments.case, arguments.only) {
        (Some(path), _) => soak::replay(&arguments, &case::Case::read(path)?)?,
        (None, Some(seed)) => soak::only(&arguments, seed)?,
        (None, None) => {
            anyhow::ensure!(
                arguments.minutes.is_some() || arguments.scenes.is_some(),
                "say how long: --minutes N or --scenes COUNT"
            );
            soak::run(&arguments)?
        }
    };
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
