//! `cargo xtask test`: all that must hold, cheapest first, up to the first failure.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::run::{RELEASE_BUILD, TemporaryFolder, Workspace, entries, run as run_program, stem};
use crate::{hashes, soak, tidy};

/// A phase's name and what it runs.
type Phase = (&'static str, fn(&Workspace) -> Result<(), String>);

const PHASES: [Phase; 9] = [
    ("format", |workspace| run_program(&mut workspace.cargo("fmt --all --check"))),
    ("tidy", tidy::run),
    ("lints", |workspace| {
        run_program(&mut workspace.cargo("clippy --workspace --all-targets -- -D warnings"))?;
        // As a browser or a small program would build the library.
        run_program(&mut workspace.cargo("clippy -p muslin --no-default-features -- -D warnings"))
    }),
    ("tests", |workspace| run_program(&mut workspace.cargo("test --workspace"))),
    ("docs", |workspace| {
        run_program(workspace.cargo("doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings"))
    }),
    ("release build", |workspace| run_program(&mut workspace.cargo(RELEASE_BUILD))),
    ("soak", |workspace| soak::run(workspace, &[])),
    ("examples", run_examples),
    ("scenes", hashes::check),
];

/// Runs every phase in order, and stops at the first that fails.
pub fn run(workspace: &Workspace) -> Result<(), String> {
    let start = Instant::now();
    for (number, (name, phase)) in PHASES.iter().enumerate() {
        println!("\n=== {}/{} {name}", number + 1, PHASES.len());
        let phase_start = Instant::now();
        phase(workspace).map_err(|message| format!("phase `{name}` failed: {message}"))?;
        println!("=== {name}: passed in {:.1} s", phase_start.elapsed().as_secs_f64());
    }
    println!("\ntest: all phases passed in {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Runs each example in an empty folder of its own, so that none leaves anything in the tree.
fn run_examples(workspace: &Workspace) -> Result<(), String> {
    for package in entries(&workspace.root.join("crates"))? {
        for name in example_names(&package)? {
            println!("{}: {name}", stem(&package));
            run_example(workspace, &name)?;
        }
    }
    Ok(())
}

fn run_example(workspace: &Workspace, name: &str) -> Result<(), String> {
    let folder = TemporaryFolder::new()?;
    let mut command = workspace.released(&format!("examples/{name}"));
    run_program(command.current_dir(&folder.path).env("MUSLIN_EXAMPLE_DIR", &folder.path))
}

/// The examples of one crate: `examples/NAME.rs` or `examples/NAME/main.rs`.
fn example_names(package: &Path) -> Result<Vec<String>, String> {
    let is_example = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "rs") || path.join("main.rs").is_file()
    };
    let examples = entries(&package.join("examples"))?;
    Ok(examples.iter().filter(|path| is_example(path)).map(|path| stem(path)).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn examples_are_files_or_folders() {
        let package = TemporaryFolder::new().unwrap();
        let examples = package.path.join("examples");
        fs::create_dir_all(examples.join("large")).unwrap();
        fs::create_dir_all(examples.join("data")).unwrap();
        for file in ["small.rs", "large/main.rs", "notes.md", "data/mesh.obj"] {
            fs::write(examples.join(file), "").unwrap();
        }
        assert_eq!(example_names(&package.path).unwrap(), ["large", "small"]);
    }

    #[test]
    fn a_crate_without_examples_has_none() {
        let package = TemporaryFolder::new().unwrap();
        assert_eq!(example_names(&package.path).unwrap(), Vec::<String>::new());
    }
}
