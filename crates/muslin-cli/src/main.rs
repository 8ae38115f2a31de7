//! The command `muslin`.

/// Prints a line; a reader that has gone away is no reason to fail.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
}

mod check;
mod export;
mod interrupt;
mod lab;
mod leftovers;
mod list;
mod output;
mod picture;
mod progress;
mod recorder;
mod resume;
mod run;
mod scene_changes;
mod summary;
mod tangle;
mod warnings;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Simulates cloth: every classical method side by side on the same cloth.
#[derive(Parser)]
#[command(version, about, arg_required_else_help = false)]
#[command(after_help = "Without a command, runs the scene `drape`.\n\
    Exit codes: 0 done, 1 the run failed or diverged, 2 the input is wrong, 130 interrupted.")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Run a scene and write its results to out/<scene>
    Run(run::RunArguments),
    /// Report on a scene or a mesh file without running it
    Check(check::CheckArguments),
    /// List solvers, scenes, fabrics and studies
    List(list::ListArguments),
    /// Redo a published study and write its report to out/lab/<study>
    Lab(lab::LabArguments),
}

/// How a command can fail.
pub enum Failure {
    /// The user's input is wrong: exit code 2.
    Input(String),
    /// The run failed or diverged: exit code 1.
    Run(String),
    /// The user interrupted it: exit code 130.
    Interrupted(String),
}

impl From<muslin_scene::SceneError> for Failure {
    fn from(error: muslin_scene::SceneError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Run(format!("{error:#}"))
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        None => run::run(&run::RunArguments::default()),
        Some(Command::Run(arguments)) => run::run(&arguments),
        Some(Command::Check(arguments)) => check::check(&arguments),
        Some(Command::List(arguments)) => list::list(&arguments),
        Some(Command::Lab(arguments)) => lab::lab(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Run(message)) => {
            eprintln!("error: {message}");
            ExitCode::from(1)
        }
        Err(Failure::Input(message)) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
        Err(Failure::Interrupted(message)) => {
            eprintln!("{message}");
            ExitCode::from(interrupt::EXIT_CODE)
        }
    }
}
