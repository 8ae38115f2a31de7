//! One Wavefront OBJ file per frame: `frames/0000.obj`, `frames/0001.obj`, …
//!
//! A file is written under another name and then renamed, so that there is none that is cut off.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use muslin::math::{Real, Vec3};

use super::{Topology, at, not_resumable};

#[derive(Debug)]
pub(super) struct ObjSequence {
    pub topology: Topology,
    /// Where the frames are.
    pub folder: PathBuf,
}

impl ObjSequence {
    pub fn create(folder: &Path, topology: &Topology) -> io::Result<Self> {
        let folder = folder.join("frames");
        at(&folder, fs::create_dir_all(&folder))?;
        remove_from(&folder, 0)?;
        Ok(Self { topology: topology.clone(), folder })
    }

    pub fn resume(folder: &Path, topology: &Topology, frames: usize) -> io::Result<Self> {
        let folder = folder.join("frames");
        if let Some(missing) = (0..frames).find(|&frame| !path_of(&folder, frame).is_file()) {
            let reason = format!("{} is missing", path_of(&folder, missing).display());
            return Err(not_resumable(&folder, &reason));
        }
        Ok(Self { topology: topology.clone(), folder })
    }

    /// Discards all but the first frames.
    pub fn cut(&self, frames: usize) -> io::Result<()> {
        remove_from(&self.folder, frames)
    }

    pub fn frame(&mut self, frame: usize, time: Real, positions: &[Vec3]) -> io::Result<()> {
        let headline = format!("Frame {frame} at {time:?} s, written by Muslin.");
        write_file(&path_of(&self.folder, frame), &self.topology, &headline, positions)
    }
}

/// Writes a mesh whole or not at all.
pub(super) fn write_file(
    path: &Path,
    topology: &Topology,
    headline: &str,
    positions: &[Vec3],
) -> io::Result<()> {
    let part = path.with_extension("obj.part");
    let write = || {
        let mut file = BufWriter::new(File::create(&part)?);
        topology.write_obj(&mut file, headline, positions)?;
        file.flush()?;
        fs::rename(&part, path)
    };
    at(path, write())
}

fn path_of(folder: &Path, frame: usize) -> PathBuf {
    folder.join(format!("{frame:04}.obj"))
}

/// Removes all frames from a number on, whole or not.
fn remove_from(folder: &Path, first: usize) -> io::Result<()> {
    for entry in at(folder, fs::read_dir(folder))? {
        let entry = at(folder, entry)?;
        let name = entry.file_name();
        let frame = name.to_str().and_then(|name| name.strip_suffix(".part").or(Some(name))).and_then(number);
        if frame.is_some_and(|frame| frame >= first) {
            at(&entry.path(), fs::remove_file(entry.path()))?;
        }
    }
    Ok(())
}

/// The number of a frame by the name of its file; none for files that are not ours.
fn number(name: &str) -> Option<usize> {
    let digits = name.strip_suffix(".obj")?;
    let frame = digits.parse().ok()?;
    (digits == format!("{frame:04}")).then_some(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_frames_have_numbers() {
        assert_eq!(number("0012.obj"), Some(12));
        assert_eq!(number("12345.obj"), Some(12345));
        for name in ["12.obj", "+012.obj", "00012.obj", "body.obj", "0012.png", "0012"] {
            assert_eq!(number(name), None, "{name}");
        }
    }
}
