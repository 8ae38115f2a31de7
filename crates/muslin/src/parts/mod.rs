//! What several methods share.

pub mod block_matrix;
pub mod coloring;
pub mod force_pass;
pub mod history;
pub mod implicit;
pub mod linear;
pub mod sparse;
