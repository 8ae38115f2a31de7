//! Files that go in and out of a simulation: meshes, pictures and animations.

pub mod animation;
pub mod mesh_file;
pub mod picture;

pub use mesh_file::{ReadError, parse_mesh, read_mesh, read_mesh_unchecked, write_obj};
