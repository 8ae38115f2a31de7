//! Laws of mechanics and of numerics; each is written once and binds every solver.

mod constraints;
mod convergence;
mod energy;
mod free_fall;
mod invariance;
mod momentum;
mod projection;
mod rest;
mod variable_steps;
