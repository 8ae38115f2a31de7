//! `cargo xtask soak`: random scenes under an independent judge; the work is done by the crate `muslin-soak`.

use crate::run::{RELEASE_BUILD, Workspace, run as run_program};

/// A minute on two cores, always of the same scenes.
const SHORT: [&str; 4] = ["--seed", "1", "--scenes", "70"];

/// Hands the words on to the soak, built in release; without words, the short one.
pub fn run(workspace: &Workspace, words: &[&str]) -> Result<(), String> {
    let words = if words.is_empty() { &SHORT } else { words };
    run_program(&mut workspace.cargo(RELEASE_BUILD))?;
    run_program(workspace.released("muslin-soak").args(words))
}
