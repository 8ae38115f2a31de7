//! What several methods share.

pub mod block_matrix;
pub mod bodies;
pub mod collisions;
pub mod force_pass;
pub mod history;
pub mod implicit;
pub mod linear;
pub mod sparse;
