//! The command line, used as a user would.

mod bad_input;
mod interrupted;
mod repaired_meshes;
mod results;
mod seams;
mod tangled;
mod warnings;

use assert_cmd::Command;
use std::path::Path;

/// The command, with results going to `folder`.
fn muslin(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("muslin").unwrap();
    command.current_dir(folder);
    command
}
