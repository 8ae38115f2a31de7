//! Why a mesh file was refused.

use std::fmt;
use std::io;
use std::path::PathBuf;

use muslin::mesh::MeshError;

/// Why a mesh could not be read.
// The messages are whole sentences that contain the cause; `r#source` keeps it from being printed twice by
// those who also print the chain of sources.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message names each field")]
pub enum ReadError {
    #[error("cannot read {}: {}", path.display(), r#source)]
    Unreadable { path: PathBuf, r#source: io::Error },
    #[error("cannot tell the format of {}: the name of a mesh file ends in .obj, .stl or .ply", path.display())]
    UnknownExtension { path: PathBuf },
    #[error("{}: the file is empty, but a mesh file holds vertices and faces", path.display())]
    Empty { path: PathBuf },
    #[error("{}{place}: {problem}{}", path.display(), cut_off_hint(problem, *cut_off))]
    Content {
        path: PathBuf,
        place: Place,
        problem: Problem,
        /// Whether the fault lies in a last line that has no end.
        cut_off: bool,
    },
    #[error("{}: {}{}", path.display(), r#source, counting_hint(r#source))]
    Mesh { path: PathBuf, r#source: MeshError },
}

/// Where in a file something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of text, counted from 1.
    Line(usize),
    /// An offset into the file in bytes, counted from 0.
    Byte(usize),
}

/// What is wrong there. Faces are counted as the format counts vertices: from 1 in OBJ and STL, from 0 in PLY.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the message names each field")]
pub enum Problem {
    #[error("found {found}, but expected {expected}")]
    Unexpected { found: String, expected: String },
    #[error("the {axis} coordinate is {found}, but must be a finite number")]
    Coordinate { axis: char, found: String },
    #[error("the vertex has {found} coordinates, but needs 3")]
    FewCoordinates { found: usize },
    #[error("face {face} has {found} corners, but must have {allowed}")]
    Corners { face: usize, found: usize, allowed: &'static str },
    #[error("face {face} names vertex {found}, but a vertex is named by a whole number")]
    NotAnIndex { face: usize, found: String },
    #[error("face {face} names vertex {found}, but {allowed}")]
    IndexOutOfRange { face: usize, found: i64, allowed: String },
    #[error("found the byte 0x{byte:02x}, which is not UTF-8 text; save the file as UTF-8")]
    NotUtf8 { byte: u8 },
    #[error("the file ends here, but {expected} should follow; it may be cut off")]
    CutOff { expected: String },
    #[error(
        "the header claims {claim}, which take at least {needed} bytes, but {present} bytes follow it; \
         the file is cut off or its header is wrong"
    )]
    FalseClaim { claim: String, needed: u128, present: usize },
}

/// A problem and its place, in a file whose name is not known yet.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fault {
    pub place: Place,
    pub problem: Problem,
}

impl Place {
    pub(super) fn fault(self, problem: Problem) -> Fault {
        Fault { place: self, problem }
    }

    pub(super) fn unexpected(self, found: impl Into<String>, expected: impl Into<String>) -> Fault {
        self.fault(Problem::Unexpected { found: found.into(), expected: expected.into() })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, ":{line}"),
            Self::Byte(offset) => write!(f, ": byte {offset}"),
        }
    }
}

fn cut_off_hint(problem: &Problem, cut_off: bool) -> &'static str {
    match problem {
        // The first two say so themselves; the third no cut can cause, for it makes numbers smaller.
        Problem::CutOff { .. } | Problem::FalseClaim { .. } | Problem::IndexOutOfRange { .. } => "",
        _ if cut_off => " (the file ends within this line; it may be cut off)",
        _ => "",
    }
}

fn counting_hint(error: &MeshError) -> &'static str {
    match error {
        MeshError::Empty { .. } => "",
        _ => " (faces and vertices counted from 0)",
    }
}
