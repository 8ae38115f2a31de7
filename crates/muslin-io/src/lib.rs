//! Files that go in and out of a simulation.

pub mod mesh_file;

pub use mesh_file::{ReadError, parse_mesh, read_mesh, read_mesh_unchecked, write_obj};
