//! Cloth and other deformable surfaces.
#![allow(missing_docs)]
pub mod math;
pub mod mesh;
