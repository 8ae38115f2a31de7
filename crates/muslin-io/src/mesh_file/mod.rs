//! Meshes from OBJ, STL and PLY files, and back to OBJ.
//!
//! Each reader is a function from bytes to a mesh or a fault; this module finds the right one and adds the
//! file's name. No reader reserves memory on the word of a header: what a file claims to hold is first
//! compared with the bytes that are there.

mod error;
mod obj;
mod ply;
mod stl;
mod text;

#[cfg(test)]
mod tests;

pub use error::{Place, Problem, ReadError};
pub use obj::write_obj;

use std::fs;
use std::path::Path;

use error::Fault;
use muslin::mesh::{Face, Mesh};

/// Reads a mesh that is fit to become cloth: OBJ, STL or PLY, by the extension of the file's name.
///
/// Lengths are taken as metres. Vertices that no face uses are allowed.
pub fn read_mesh(path: &Path) -> Result<Mesh, ReadError> {
    let mesh = read_mesh_unchecked(path)?;
    match mesh.check() {
        Ok(_) => Ok(mesh),
        Err(source) => Err(ReadError::Mesh { path: path.to_owned(), source }),
    }
}

/// Reads a mesh without [`Mesh::check`]: its coordinates are finite and its faces name existing vertices,
/// but faces may be missing, degenerate, doubled, or meet three at an edge.
pub fn read_mesh_unchecked(path: &Path) -> Result<Mesh, ReadError> {
    if Format::of(path).is_none() {
        return Err(ReadError::UnknownExtension { path: path.to_owned() });
    }
    if path.exists() && !path.is_file() {
        let source = std::io::Error::other("it is no file");
        return Err(ReadError::Unreadable { path: path.to_owned(), source });
    }
    let bytes = fs::read(path).map_err(|source| ReadError::Unreadable { path: path.to_owned(), source })?;
    parse_mesh(path, &bytes)
}

/// The mesh in the bytes of a file; its name tells the format and stands in messages. Not checked, as
/// [`read_mesh_unchecked`].
pub fn parse_mesh(path: &Path, bytes: &[u8]) -> Result<Mesh, ReadError> {
    let Some(format) = Format::of(path) else {
        return Err(ReadError::UnknownExtension { path: path.to_owned() });
    };
    if bytes.trim_ascii().is_empty() {
        return Err(ReadError::Empty { path: path.to_owned() });
    }
    format.read(bytes).map_err(|Fault { place, problem }| ReadError::Content {
        path: path.to_owned(),
        cut_off: text::is_unfinished_line(bytes, place),
        place,
        problem,
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Obj,
    Stl,
    Ply,
}

impl Format {
    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "obj" => Some(Self::Obj),
            "stl" => Some(Self::Stl),
            "ply" => Some(Self::Ply),
            _ => None,
        }
    }

    fn read(self, bytes: &[u8]) -> Result<Mesh, Fault> {
        match self {
            Self::Obj => obj::read(bytes),
            Self::Stl => stl::read(bytes),
            Self::Ply => ply::read(bytes),
        }
    }
}

/// Adds a polygon of three or more corners: as it is up to four, as a fan around its first corner beyond.
fn push_polygon(corners: &[u32], faces: &mut Vec<Face>) {
    match *corners {
        [a, b, c] => faces.push(Face::triangle(a, b, c)),
        [a, b, c, d] => faces.push(Face::quad(a, b, c, d)),
        [a, ref others @ ..] => {
            faces.extend(others.windows(2).map(|side| Face::triangle(a, side[0], side[1])));
        }
        [] => {}
    }
}
