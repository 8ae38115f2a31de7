//! Motions and shapes that have formulas.

mod air;
mod bodies;
mod compliance;
mod contact;
mod hanging;
mod oscillator;
