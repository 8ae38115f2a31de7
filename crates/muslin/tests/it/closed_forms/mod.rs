//! Motions and shapes that have formulas.

mod air;
mod bodies;
mod contact;
mod hanging;
mod oscillator;
