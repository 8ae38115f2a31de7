//! What an earlier run has left in a folder: a run from its start begins without it.

use crate::Failure;
use crate::output::remove;
use crate::resume::{RECIPE, remove_checkpoints};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Removes what an earlier run has written to a folder, and nothing else; whether it was an interrupted run. A folder to which nothing can be
/// written is refused.
pub fn clear(folder: &Path) -> Result<bool, Failure> {
    let refuse =
        |error| Failure::Input(format!("the folder {} cannot be written to: {error}", folder.display()));
    let was_interrupted = folder.join(RECIPE).exists();
    // First what says that there is a run to resume: from here on there is none.
    remove(&folder.join(RECIPE)).map_err(refuse)?;
    let probe = folder.join("summary.json.part");
    File::create(&probe).and_then(|_| fs::remove_file(&probe)).map_err(refuse)?;
    remove_checkpoints(folder, None).and_then(|()| remove_results(folder)).map_err(refuse)?;
    Ok(was_interrupted)
}

fn remove_results(folder: &Path) -> io::Result<()> {
    const NAMES: [&str; 8] = [
        "summary.json",
        "metrics.csv",
        "final.csv",
        "picture.png",
        "picture.gif",
        "cloth.glb",
        "cloth.pc2",
        RECIPE,
    ];
    for name in NAMES {
        remove(&folder.join(name))?;
        remove(&folder.join(format!("{name}.part")))?;
    }
    remove(&folder.join("cloth.glb.new"))?;
    remove_mesh(&folder.join("cloth.obj"))?;
    remove_all(folder, |name| {
        name.strip_prefix("picture-from-").and_then(|rest| rest.strip_suffix(".gif")).is_some_and(is_number)
    })?;
    let frames = folder.join("frames");
    if frames.is_dir() {
        for entry in fs::read_dir(&frames)? {
            let path = entry?.path();
            let stem = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.split_once('.'));
            if stem.is_some_and(|(number, end)| is_number(number) && (end == "obj" || end == "obj.part")) {
                remove_mesh(&path)?;
            }
        }
        // If nothing else is in it.
        let _ = fs::remove_dir(&frames);
    }
    Ok(())
}

fn remove_all(folder: &Path, is_ours: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| is_ours(name.strip_suffix(".part").unwrap_or(name))) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Removes a mesh if Muslin wrote it: one of the user's may have the same name.
fn remove_mesh(path: &Path) -> io::Result<()> {
    if !path.is_file() {
        return Ok(());
    }
    let mut head = Vec::new();
    File::open(path)?.take(200).read_to_end(&mut head)?;
    let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if first.starts_with(b"# ") && first.ends_with(b"written by Muslin.") {
        fs::remove_file(path)
    } else {
        Ok(())
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
