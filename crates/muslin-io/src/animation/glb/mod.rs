//! Binary glTF 2.0: `cloth.glb`, one mesh with one morph target per frame after the first.
//!
//! The mesh is the first frame x₀; target k is the displacement xₖ − x₀. At the time of frame k the weight of target k is 1 and
//! all others are 0; in between weights are linear in time, and so are the positions. Weights take one byte each, as
//! normalised integers.
//!
//! There are no normals. A normal of the first frame alone would light all frames as if the cloth did not move, and normals
//! as further morph targets would double the file. Without any, viewers have to compute flat normals of the deformed mesh,
//! which are right in every frame.
//!
//! Faces are triangles (quads are divided as in [`Face::triangles`](muslin::mesh::Face::triangles)) and lines are lines, as two
//! primitives that share their vertices; a mesh with neither is a set of points. The material is double-sided. glTF is y-up:
//! (x, y, z) becomes (x, z, −y).
//!
//! The head of the file needs the number of frames. Until it is known, frames are kept in `cloth.glb.part`.

mod document;
mod spool;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use muslin::math::{Real, Vec3};
use muslin::mesh::Face;

use super::{Topology, at, invalid};
use document::Layout;
use spool::Spool;

#[derive(Debug)]
pub(super) struct GlbWriter {
    topology: Topology,
    spool: Spool,
    path: PathBuf,
}

impl GlbWriter {
    pub fn create(folder: &Path, topology: Topology) -> io::Result<Self> {
        let path = folder.join("cloth.glb");
        if path.exists() {
            at(&path, fs::remove_file(&path))?;
        }
        let spool = Spool::create(spool_of(&path), topology.particle_count)?;
        Ok(Self { topology, spool, path })
    }

    pub fn resume(folder: &Path, topology: Topology, frames: usize) -> io::Result<Self> {
        let path = folder.join("cloth.glb");
        let spool = Spool::resume(spool_of(&path), topology.particle_count, frames)?;
        Ok(Self { topology, spool, path })
    }

    /// Discards all frames but those that were resumed.
    pub fn cut(&mut self) -> io::Result<()> {
        self.spool.cut()
    }

    /// The time of the last frame [s].
    pub fn last_time(&self) -> Option<Real> {
        self.spool.frames.last().map(|frame| Real::from(frame.time))
    }

    pub fn frame(&mut self, time: Real, positions: &[Vec3]) -> io::Result<()> {
        let frames = self.spool.frames.len() + 1;
        if Layout::new(&self.topology, frames).file_length_bound() > u64::from(u32::MAX) {
            let path = self.path.display();
            return Err(invalid(format!(
                "{path} would be longer than 4 GiB, the most of a GLB, by {frames} frames"
            )));
        }
        self.spool.add(time, positions)
    }

    /// Writes the GLB, whole or not at all. Returns its path and that of the spool, which is left as it is.
    pub fn assemble(mut self) -> io::Result<(PathBuf, PathBuf)> {
        let part = self.path.with_extension("glb.new");
        let result = self.write(&part).and_then(|()| fs::rename(&part, &self.path));
        at(&self.path, result)?;
        Ok((self.path, self.spool.path))
    }

    fn write(&mut self, path: &Path) -> io::Result<()> {
        let layout = Layout::new(&self.topology, self.spool.frames.len());
        let mut json = serde_json::to_vec(&layout.document(&self.spool.frames))?;
        json.resize(json.len().next_multiple_of(4), b' ');
        let length = 12 + 8 + json.len() as u64 + 8 + layout.length();
        let length = u32::try_from(length).map_err(|_| invalid("longer than 4 GiB".to_owned()))?;

        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(b"glTF")?;
        write_words(&mut file, [2, length])?;
        write_words(&mut file, [json.len() as u32])?;
        file.write_all(b"JSON")?;
        file.write_all(&json)?;
        write_words(&mut file, [layout.length() as u32])?;
        file.write_all(b"BIN\0")?;
        self.write_body(&mut file, &layout)?;
        file.flush()
    }

    /// The sections in the order of the layout.
    fn write_body(&mut self, file: &mut impl Write, layout: &Layout) -> io::Result<()> {
        self.spool.copy_positions(file)?;
        let corners = self.topology.faces.iter().flat_map(Face::triangles).flatten();
        write_words(file, corners)?;
        write_words(file, self.topology.lines.as_flattened().iter().copied())?;
        if layout.is_animated() {
            write_words(file, self.spool.frames.iter().map(|frame| frame.time.to_bits()))?;
            write_weights(file, self.spool.frames.len())?;
        }
        Ok(())
    }
}

/// How many frames a GLB holds at the most.
pub(super) fn most_frames(topology: &Topology) -> usize {
    let fits = |frames: usize| u32::try_from(Layout::new(topology, frames).file_length_bound()).is_ok();
    // Their weights alone, a byte per pair, are too long from 2^16 frames on.
    let (mut most, mut too_many) = (0, 1 << 16);
    while too_many - most > 1 {
        let middle = usize::midpoint(most, too_many);
        if fits(middle) { most = middle } else { too_many = middle }
    }
    most
}

/// One row per frame: the weights of all targets. The first frame has none of them.
fn write_weights(file: &mut impl Write, frames: usize) -> io::Result<()> {
    let mut row = vec![0; frames - 1];
    for frame in 0..frames {
        row.fill(0);
        if frame > 0 {
            row[frame - 1] = u8::MAX;
        }
        file.write_all(&row)?;
    }
    let length = frames * row.len();
    file.write_all(&[0; 3][..length.next_multiple_of(4) - length])
}

fn write_words(file: &mut impl Write, words: impl IntoIterator<Item = u32>) -> io::Result<()> {
    words.into_iter().try_for_each(|word| file.write_all(&word.to_le_bytes()))
}

fn spool_of(path: &Path) -> PathBuf {
    path.with_extension("glb.part")
}
