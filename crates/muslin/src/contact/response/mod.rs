//! What touches is pushed apart, and rubs: one constraint per contact, rigid bodies in them, and Gauss–Seidel sweeps over all.

pub mod bodies;
pub mod constraint;
pub mod sweeps;
