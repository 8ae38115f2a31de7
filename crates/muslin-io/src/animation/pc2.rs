//! Point cache 2: the positions of all frames in `cloth.pc2`, for the mesh in `cloth.obj`, which is the first frame.
//!
//! | bytes | |
//! |---|---|
//! | 12 | "POINTCACHE2" and a zero |
//! | i32 | version, 1 |
//! | i32 | points |
//! | f32 | first frame, 0 |
//! | f32 | frames per sample, 1 |
//! | i32 | samples |
//! | 3 f32 per point and sample | x, y, z |
//!
//! All numbers are little-endian; counts have the same bytes as u32. The number of samples is corrected after each frame, so that the file is valid between any
//! two of them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use muslin::math::{Real, Vec3};

use super::obj::write_file;
use super::{Topology, at, invalid, not_resumable, single};

/// Length of the header [bytes].
const HEADER: u64 = 32;

/// Where the header has the number of samples.
const SAMPLES: u64 = 28;

#[derive(Debug)]
pub(super) struct Pc2Writer {
    topology: Topology,
    file: File,
    /// `cloth.pc2`.
    pub path: PathBuf,
    /// One frame as bytes.
    bytes: Vec<u8>,
}

impl Pc2Writer {
    pub fn create(folder: &Path, topology: Topology) -> io::Result<Self> {
        let path = folder.join("cloth.pc2");
        let mesh = path.with_extension("obj");
        if mesh.exists() {
            at(&mesh, fs::remove_file(&mesh))?;
        }
        let mut file = at(&path, File::create(&path))?;
        at(&path, file.write_all(&header(topology.particle_count)))?;
        Ok(Self { topology, file, path, bytes: Vec::new() })
    }

    pub fn resume(folder: &Path, topology: Topology, frames: usize) -> io::Result<Self> {
        let path = folder.join("cloth.pc2");
        let refuse = |reason: &str| Err(not_resumable(&path, reason));
        let mut file = at(&path, OpenOptions::new().read(true).write(true).open(&path))?;
        let mut found = [0; HEADER as usize];
        at(&path, file.read_exact(&mut found))?;
        let (found, samples) = found.split_at(SAMPLES as usize);
        if found != &header(topology.particle_count)[..SAMPLES as usize] {
            return refuse(&format!("it is no point cache of {} vertices", topology.particle_count));
        }
        let samples = u32::from_le_bytes([samples[0], samples[1], samples[2], samples[3]]);
        if u64::from(samples) < frames as u64 {
            return refuse(&format!("it has {samples} frames, but {frames} are needed"));
        }
        let writer = Self { topology, file, path: path.clone(), bytes: Vec::new() };
        let missing = writer.end_of(frames).saturating_sub(at(&path, writer.file.metadata())?.len());
        if missing > 0 {
            return refuse(&format!("it is cut off, {missing} bytes are missing"));
        }
        if !path.with_extension("obj").is_file() {
            return refuse("its mesh, cloth.obj, is missing");
        }
        Ok(writer)
    }

    /// Discards all but the first frames.
    pub fn cut(&mut self, frames: usize) -> io::Result<()> {
        // First the count, so that the file is valid at every moment.
        let result = self.set_samples(frames).and_then(|()| self.file.set_len(self.end_of(frames)));
        at(&self.path, result)
    }

    pub fn frame(&mut self, frame: usize, time: Real, positions: &[Vec3]) -> io::Result<()> {
        if frame == 0 {
            let headline = format!("The mesh of cloth.pc2 at {time:?} s, written by Muslin.");
            write_file(&self.path.with_extension("obj"), &self.topology, &headline, positions)?;
        }
        if frame + 1 > i32::MAX as usize {
            return Err(invalid(format!("a PC2 file cannot count {} frames", frame + 1)));
        }
        self.bytes.clear();
        self.bytes.extend(positions.iter().flat_map(|&p| single(p)).flat_map(f32::to_le_bytes));
        let mut write = || {
            // Not simply on: a frame that was not written to its end is overwritten.
            self.file.seek(SeekFrom::Start(self.end_of(frame)))?;
            self.file.write_all(&self.bytes)?;
            self.set_samples(frame + 1)
        };
        let result = write();
        at(&self.path, result)
    }

    fn set_samples(&mut self, samples: usize) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(SAMPLES))?;
        self.file.write_all(&(samples as u32).to_le_bytes())
    }

    /// Where the bytes of so many frames end.
    fn end_of(&self, frames: usize) -> u64 {
        HEADER + 12 * self.topology.particle_count as u64 * frames as u64
    }
}

/// The header of a cache without samples.
fn header(points: usize) -> [u8; HEADER as usize] {
    let mut bytes = [0; HEADER as usize];
    bytes[..12].copy_from_slice(b"POINTCACHE2\0");
    bytes[12..16].copy_from_slice(&1_i32.to_le_bytes());
    bytes[16..20].copy_from_slice(&(points as u32).to_le_bytes());
    bytes[20..24].copy_from_slice(&0_f32.to_le_bytes());
    bytes[24..28].copy_from_slice(&1_f32.to_le_bytes());
    bytes
}
