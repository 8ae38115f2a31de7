//! What several methods share.

pub mod backward_difference;
pub mod balance;
pub mod block_factor;
pub mod block_matrix;
pub mod bodies;
pub mod coloring;
pub mod constant_matrix;
pub mod descent;
pub mod elimination;
pub mod force_pass;
pub mod global_step;
pub mod implicit;
pub mod lagged_factor;
pub mod linear;
pub mod nested_dissection;
pub mod objective;
pub mod panels;
pub mod sparse;
pub mod spring_lanes;
pub mod vectors;
