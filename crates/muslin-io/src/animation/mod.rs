//! Animated meshes, written frame by frame while a simulation runs.
//!
//! | format | files | coordinates |
//! |---|---|---|
//! | [`Obj`](AnimationFormat::Obj) | `frames/0000.obj`, `frames/0001.obj`, … | z up, double precision |
//! | [`Pc2`](AnimationFormat::Pc2) | `cloth.pc2`, with its mesh in `cloth.obj` | z up, single precision |
//! | [`Glb`](AnimationFormat::Glb) | `cloth.glb` | y up, single precision |
//!
//! All lengths are in metres. Cloth is written as faces; ropes and nets, which have none, as lines. Vertices have the order of the
//! particles; PC2 and GLB leave out particles that no face or line uses, as those inside soft solids. No format holds all frames in memory, and what a run that dies leaves behind can be
//! [resumed](AnimationWriter::resume).
//!
//! ```
//! use muslin::prelude::*;
//! use muslin_io::animation::{AnimationFormat, AnimationWriter, Topology};
//!
//! let mut builder = Builder::default();
//! builder.add_sheet(&Sheet::default())?;
//! let (model, state) = builder.finish(&Surroundings::default())?;
//! let mut world = World::new(model, state, &SolverConfig::default(), 1.0 / 60.0);
//!
//! let folder = tempfile::tempdir()?;
//! let mut writer = AnimationWriter::create(folder.path(), AnimationFormat::Glb, &Topology::of(&world.model))?;
//! writer.frame(0.0, &world.state.positions)?;
//! for _ in 0..3 {
//!     world.step()?;
//!     writer.frame(world.state.time, &world.state.positions)?;
//! }
//! let path = writer.finish()?;
//! assert_eq!(path, folder.path().join("cloth.glb"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod format;
mod glb;
mod obj;
mod pc2;
mod topology;

pub use format::{AnimationFormat, UnknownFormat};
pub use topology::Topology;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use muslin::math::{Real, Vec3};

use glb::GlbWriter;
use obj::ObjSequence;
use pc2::Pc2Writer;

/// Writes the frames of a run in one format.
///
/// Every call of [`frame`](Self::frame) reaches the file system before it returns. A writer that is dropped leaves what a
/// process that dies at that moment leaves: OBJ and PC2 files that are valid up to the last frame, and of a GLB its frames in
/// `cloth.glb.part`, from which [`resume`](Self::resume) goes on.
#[derive(Debug)]
pub struct AnimationWriter {
    format: Format,
    particle_count: usize,
    /// The particles that are vertices, but in OBJ, where all are.
    vertices: Vec<u32>,
    frames: usize,
    /// Time of the last frame [s]; unknown after resuming a format that keeps no times.
    last_time: Option<Real>,
    /// Whether frames beyond those that are resumed may still be there.
    is_uncut: bool,
}

#[derive(Debug)]
enum Format {
    Obj(ObjSequence),
    Pc2(Pc2Writer),
    Glb(GlbWriter),
}

impl AnimationWriter {
    /// Starts an export in a folder, which is made if it does not exist. Files of an earlier export of this format in that
    /// folder are removed.
    pub fn create(folder: &Path, format: AnimationFormat, topology: &Topology) -> io::Result<Self> {
        topology.check()?;
        fs::create_dir_all(folder)?;
        let (vertices, used) = topology.used();
        let writer = match format {
            AnimationFormat::Obj => Format::Obj(ObjSequence::create(folder, topology)?),
            AnimationFormat::Pc2 => Format::Pc2(Pc2Writer::create(folder, used)?),
            AnimationFormat::Glb => Format::Glb(GlbWriter::create(folder, used)?),
        };
        let particle_count = topology.particle_count;
        Ok(Self { format: writer, particle_count, vertices, frames: 0, last_time: None, is_uncut: false })
    }

    /// Goes on with an export that was [paused](Self::pause) or whose process died, after its first `frames` frames: later
    /// ones are discarded as soon as a frame is added. The files are in the end the same, to the byte, as those of a run without interruption.
    ///
    /// It is an error if fewer frames were written, or frames of another number of vertices. With `frames` = 0 this is
    /// [`create`](Self::create).
    pub fn resume(
        folder: &Path,
        format: AnimationFormat,
        topology: &Topology,
        frames: usize,
    ) -> io::Result<Self> {
        if frames == 0 {
            return Self::create(folder, format, topology);
        }
        topology.check()?;
        let (vertices, used) = topology.used();
        let mut last_time = None;
        let writer = match format {
            AnimationFormat::Obj => Format::Obj(ObjSequence::resume(folder, topology, frames)?),
            AnimationFormat::Pc2 => Format::Pc2(Pc2Writer::resume(folder, used, frames)?),
            AnimationFormat::Glb => {
                let writer = GlbWriter::resume(folder, used, frames)?;
                last_time = writer.last_time();
                Format::Glb(writer)
            }
        };
        let particle_count = topology.particle_count;
        Ok(Self { format: writer, particle_count, vertices, frames, last_time, is_uncut: true })
    }

    /// How many frames a format can hold at the most; none if there is no bound but that of the disk.
    pub fn most_frames(format: AnimationFormat, topology: &Topology) -> Option<usize> {
        match format {
            AnimationFormat::Obj => None,
            AnimationFormat::Pc2 => Some(i32::MAX as usize),
            AnimationFormat::Glb => Some(glb::most_frames(&topology.used().1)),
        }
    }

    /// Discards the frames beyond those that are resumed: not before there is something to write, so that all of several exports can be
    /// opened before one is changed.
    fn cut(&mut self) -> io::Result<()> {
        if self.is_uncut {
            match &mut self.format {
                Format::Obj(writer) => writer.cut(self.frames)?,
                Format::Pc2(writer) => writer.cut(self.frames)?,
                Format::Glb(writer) => writer.cut()?,
            }
            self.is_uncut = false;
        }
        Ok(())
    }

    /// The frames to come have another topology: cloth has torn. Only an OBJ sequence can show that.
    pub fn change_topology(&mut self, topology: &Topology) -> io::Result<()> {
        topology.check()?;
        let Format::Obj(writer) = &mut self.format else {
            let message = "the cloth has torn, and this format holds one topology only: take `obj`";
            return Err(invalid(message.to_owned()));
        };
        writer.topology = topology.clone();
        self.particle_count = topology.particle_count;
        Ok(())
    }

    /// Adds the next frame: its time [s] and the position of every particle [m].
    ///
    /// Times start at 0 or later and grow from frame to frame. Of the formats only GLB keeps them: in OBJ and PC2 a frame
    /// is known by its number. After an error the export holds the frames before, and the call may be repeated.
    pub fn frame(&mut self, time: Real, positions: &[Vec3]) -> io::Result<()> {
        self.check(time, positions)?;
        self.cut()?;
        let used = || self.vertices.iter().map(|&particle| positions[particle as usize]).collect::<Vec<_>>();
        match &mut self.format {
            Format::Obj(writer) => writer.frame(self.frames, time, positions)?,
            Format::Pc2(writer) => writer.frame(self.frames, time, &used())?,
            Format::Glb(writer) => writer.frame(time, &used())?,
        }
        self.frames += 1;
        self.last_time = Some(time);
        Ok(())
    }

    /// The number of frames so far.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Completes the export and returns what to open: the file, or the folder of an OBJ sequence.
    ///
    /// It is an error to finish without a frame.
    pub fn finish(self) -> io::Result<PathBuf> {
        let (path, spool) = self.complete()?;
        if let Some(spool) = spool {
            fs::remove_file(spool)?;
        }
        Ok(path)
    }

    /// Completes the files as [`finish`](Self::finish) does, and keeps what [`resume`](Self::resume) needs: of a GLB
    /// `cloth.glb.part`, which is about as large as the GLB itself. The other formats need nothing more.
    pub fn pause(self) -> io::Result<PathBuf> {
        self.complete().map(|(path, _)| path)
    }

    /// Completes the files. Returns what to open, and the file that only resuming needs.
    fn complete(mut self) -> io::Result<(PathBuf, Option<PathBuf>)> {
        self.cut()?;
        if self.frames == 0 {
            return Err(invalid("the export has no frame, but needs at least one".to_owned()));
        }
        match self.format {
            Format::Obj(writer) => Ok((writer.folder, None)),
            Format::Pc2(writer) => Ok((writer.path, None)),
            Format::Glb(writer) => writer.assemble().map(|(path, spool)| (path, Some(spool))),
        }
    }

    /// What is wrong with a frame, whatever the format.
    fn check(&self, time: Real, positions: &[Vec3]) -> io::Result<()> {
        let frame = self.frames;
        if positions.len() != self.particle_count {
            let found = positions.len();
            let expected = self.particle_count;
            return Err(invalid(format!("frame {frame} has {found} positions, but the mesh has {expected}")));
        }
        if !(time >= 0.0 && (time as f32).is_finite()) {
            return Err(invalid(format!(
                "the time of frame {frame} is {time} s, but must be finite and at least 0"
            )));
        }
        if let Some(last) = self.last_time.filter(|&last| time as f32 <= last as f32) {
            return Err(invalid(format!(
                "the time of frame {frame} is {time} s, but must be greater than {last} s, that of the frame before"
            )));
        }
        match positions.iter().position(|&p| !single(p).iter().all(|x| x.is_finite())) {
            Some(particle) => Err(invalid(format!(
                "particle {particle} of frame {frame} is at {}, but coordinates must be finite in single precision",
                positions[particle]
            ))),
            None => Ok(()),
        }
    }
}

/// A position in single precision.
fn single(position: Vec3) -> [f32; 3] {
    position.to_array().map(|x| x as f32)
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// An unfinished export that does not hold what it is resumed for.
fn not_resumable(path: &Path, reason: &str) -> io::Error {
    let message = format!("the export {} cannot be resumed: {reason}", path.display());
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Adds the path to an error of the file system, which does not name it.
fn at<T>(path: &Path, result: io::Result<T>) -> io::Result<T> {
    result.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}
