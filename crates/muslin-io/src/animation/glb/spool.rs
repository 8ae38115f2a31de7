//! The frames of a GLB that is not complete yet, in a file: a header, then of each frame its time and its positions.
//!
//! Positions are y-up; those of the first frame are absolute, those of later ones displacements from it. They are copied to
//! the GLB as they are.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use muslin::math::{Real, Vec3};

use crate::animation::{at, invalid, not_resumable};

/// Marks the file; the number of vertices follows.
const MAGIC: &[u8; 8] = b"MUSLINF1";

/// Length of the header [bytes].
const HEADER: u64 = 12;

/// Length of a frame's time [bytes].
const TIME: u64 = 4;

#[derive(Debug)]
pub struct Spool {
    pub path: PathBuf,
    /// What the GLB has to say of each frame.
    pub frames: Vec<FrameBounds>,
    file: File,
    vertex_count: usize,
    /// The first frame.
    base: Vec<[f32; 3]>,
    /// One frame as bytes.
    bytes: Vec<u8>,
}

/// The time of a frame [s], and the lowest and highest coordinates of what is stored of it [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameBounds {
    pub time: f32,
    pub low: [f32; 3],
    pub high: [f32; 3],
}

impl Spool {
    pub fn create(path: PathBuf, vertex_count: usize) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let mut file = at(&path, options.read(true).write(true).create(true).truncate(true).open(&path))?;
        at(&path, file.write_all(&header(vertex_count)))?;
        Ok(Self { path, frames: Vec::new(), file, vertex_count, base: Vec::new(), bytes: Vec::new() })
    }

    /// Opens what is there, and discards all but the first `frames` frames.
    pub fn resume(path: PathBuf, vertex_count: usize, frames: usize) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).open(&path).map_err(|error| {
            not_resumable(&path, &format!("{error} (a GLB that was finished cannot be resumed)"))
        })?;
        let mut found = [0; HEADER as usize];
        at(&path, file.read_exact(&mut found))?;
        if found != header(vertex_count) {
            return Err(not_resumable(&path, &format!("it holds no frames of {vertex_count} vertices")));
        }
        let length = at(&path, file.metadata())?.len();
        let mut spool =
            Self { path, frames: Vec::new(), file, vertex_count, base: Vec::new(), bytes: Vec::new() };
        let present = (length - HEADER) / spool.frame_length();
        if present < frames as u64 {
            return Err(not_resumable(
                &spool.path,
                &format!(
                    "it has {present} frames, but {frames} are needed: {} bytes are missing",
                    spool.start_of(frames) - length
                ),
            ));
        }
        let result = spool.read(frames);
        at(&spool.path, result)?;
        Ok(spool)
    }

    /// Discards what follows the frames that were read.
    pub fn cut(&mut self) -> io::Result<()> {
        at(&self.path, self.file.set_len(self.start_of(self.frames.len())))
    }

    /// Reads times and bounds of frames anew.
    fn read(&mut self, frames: usize) -> io::Result<()> {
        self.bytes.resize(self.frame_length() as usize, 0);
        for frame in 0..frames {
            self.file.seek(SeekFrom::Start(self.start_of(frame)))?;
            self.file.read_exact(&mut self.bytes)?;
            let mut numbers =
                self.bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            let time = numbers.next().unwrap_or_default();
            let numbers: Vec<f32> = numbers.collect();
            let stored: Vec<[f32; 3]> = numbers.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
            self.frames.push(FrameBounds::of(time, &stored));
            if frame == 0 {
                self.base = stored;
            }
        }
        Ok(())
    }

    pub fn add(&mut self, time: Real, positions: &[Vec3]) -> io::Result<()> {
        let frame = self.frames.len();
        let stored: Vec<[f32; 3]> = if frame == 0 {
            positions.iter().map(|&p| y_up(p).map(|x| x as f32)).collect()
        } else {
            // In double precision, and rounded once.
            let displacement =
                |p: [Real; 3], q: [f32; 3]| [0, 1, 2].map(|k| (p[k] - Real::from(q[k])) as f32);
            positions.iter().zip(&self.base).map(|(&p, &base)| displacement(y_up(p), base)).collect()
        };
        let bounds = FrameBounds::of(time as f32, &stored);
        if bounds.low.iter().chain(&bounds.high).any(|x| !x.is_finite()) {
            return Err(invalid(format!("frame {frame} is too far from the first for single precision")));
        }
        self.bytes.clear();
        self.bytes.extend(bounds.time.to_le_bytes());
        self.bytes.extend(stored.iter().flatten().flat_map(|x| x.to_le_bytes()));
        let result = self
            .file
            .seek(SeekFrom::Start(self.start_of(frame)))
            .and_then(|_| self.file.write_all(&self.bytes));
        at(&self.path, result)?;
        self.frames.push(bounds);
        if frame == 0 {
            self.base = stored;
        }
        Ok(())
    }

    /// Copies the positions and displacements of all frames, without their times.
    pub fn copy_positions(&mut self, to: &mut impl Write) -> io::Result<()> {
        for frame in 0..self.frames.len() {
            let length = self.frame_length() - TIME;
            self.file.seek(SeekFrom::Start(self.start_of(frame) + TIME))?;
            let copied = io::copy(&mut Read::by_ref(&mut self.file).take(length), to)?;
            if copied < length {
                let message = format!("{} was cut off while it was in use", self.path.display());
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
            }
        }
        Ok(())
    }

    fn frame_length(&self) -> u64 {
        TIME + 12 * self.vertex_count as u64
    }

    fn start_of(&self, frame: usize) -> u64 {
        HEADER + self.frame_length() * frame as u64
    }
}

impl FrameBounds {
    fn of(time: f32, stored: &[[f32; 3]]) -> Self {
        let bound = |start: f32, choose: fn(f32, f32) -> f32| {
            [0, 1, 2].map(|k| stored.iter().fold(start, |bound, x| choose(bound, x[k])))
        };
        Self { time, low: bound(f32::INFINITY, f32::min), high: bound(f32::NEG_INFINITY, f32::max) }
    }
}

/// From z-up to y-up.
fn y_up(position: Vec3) -> [Real; 3] {
    [position.x, position.z, -position.y]
}

fn header(vertex_count: usize) -> [u8; HEADER as usize] {
    let mut bytes = [0; HEADER as usize];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..].copy_from_slice(&(vertex_count as u32).to_le_bytes());
    bytes
}
