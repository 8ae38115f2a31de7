//! `cargo xtask gallery`: runs every scene of `scenes/` and renews the picture beside it.

use std::fs;
use std::path::Path;

use crate::run::{RELEASE_BUILD, TemporaryFolder, Workspace, run as run_program, stem};

/// Draws all scenes, with the command built in release.
pub fn run(workspace: &Workspace) -> Result<(), String> {
    run_program(&mut workspace.cargo(RELEASE_BUILD))?;
    let scenes = workspace.scenes()?;
    for scene in &scenes {
        println!("{}", stem(scene));
        draw(workspace, scene)?;
    }
    println!("gallery: {} pictures renewed", scenes.len());
    Ok(())
}

/// `scenes/NAME.toml` → `scenes/NAME.png`.
fn draw(workspace: &Workspace, scene: &Path) -> Result<(), String> {
    let folder = TemporaryFolder::new()?;
    let mut command = workspace.muslin();
    command.arg("run").arg(scene).arg("-o").arg(&folder.path).args(["--picture", "png", "--quiet"]);
    run_program(&mut command)?;
    let (from, to) = (folder.path.join("picture.png"), scene.with_extension("png"));
    fs::copy(&from, &to).map_err(|error| format!("{}: no picture was drawn: {error}", scene.display()))?;
    Ok(())
}
