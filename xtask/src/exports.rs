//! `cargo xtask exports`: opens the animated exports of a run in Blender and compares every frame.
//!
//! Blender is the Python package `bpy`, in an environment of its own below the target folder: about 1 GB, fetched once. The
//! comparison is `exports.py` beside this file.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::run::{RELEASE_BUILD, TemporaryFolder, Workspace, run as run_program};

/// Of the version of Blender depend the version of Python and the operators that the script calls.
const BLENDER: &str = "bpy==5.0.1";
const PYTHON: &str = "python3.11";

/// Compares exports of the scene `drape`, or those that a folder holds already.
pub fn run(workspace: &Workspace, words: &[&str]) -> Result<(), String> {
    match *words {
        [] => {
            let python = environment(workspace)?;
            let folder = TemporaryFolder::new()?;
            export(workspace, &folder.path)?;
            compare(workspace, &python, &folder.path)
        }
        [folder] if !folder.starts_with('-') => {
            let folder = std::path::absolute(folder).map_err(|error| format!("{folder}: {error}"))?;
            compare(workspace, &environment(workspace)?, &folder)
        }
        _ => Err("the only argument is a folder with exports in all formats".to_owned()),
    }
}

/// Runs `drape` with the command built in release.
fn export(workspace: &Workspace, folder: &Path) -> Result<(), String> {
    run_program(&mut workspace.cargo(RELEASE_BUILD))?;
    let mut command = workspace.muslin();
    command
        .args(["run", "drape", "--export", "glb,pc2,obj", "--picture", "none", "--quiet", "-o"])
        .arg(folder);
    run_program(&mut command)
}

fn compare(workspace: &Workspace, python: &Path, folder: &Path) -> Result<(), String> {
    let script = workspace.root.join("xtask").join("src").join("exports.py");
    // What Blender itself has to say goes to the same place as our lines; its errors come back as exceptions.
    run_program(Command::new(python).arg(script).arg(folder))
}

/// The Python of an environment that has Blender; made at the first call.
fn environment(workspace: &Workspace) -> Result<PathBuf, String> {
    let folder = workspace.target.join("exports-venv");
    let python = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let python = folder.join(python);
    if !has_blender(&python) {
        println!("exports: installing {BLENDER} into {}", folder.display());
        run_program(Command::new(PYTHON).args(["-m", "venv"]).arg(&folder))
            .map_err(|message| format!("{message}; {BLENDER} needs {PYTHON}"))?;
        run_program(Command::new(&python).args(["-m", "pip", "install", "--quiet", BLENDER]))?;
    }
    Ok(python)
}

/// Whether the package can be found in the right version; to import it would take seconds.
fn has_blender(python: &Path) -> bool {
    let question =
        format!("import importlib.metadata as m; assert 'bpy==' + m.version('bpy') == '{BLENDER}'");
    let mut command = Command::new(python);
    command.args(["-c", &question]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
