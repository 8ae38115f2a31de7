//! Laws, closed forms and published numbers that the library must meet.

mod api;
mod branching;
mod closed_forms;
mod commands;
mod contact;
mod determinism;
mod elements;
mod initial_motion;
mod jacobians;
mod laws;
mod objective;
mod oracles;
mod propagation;
mod random_commands;
mod random_splits;
mod refinement;
mod regressions;
mod remeshing;
mod resume;
mod seam_strength;
mod sewing;
mod slices;
mod splits;
mod support;
mod tears;
