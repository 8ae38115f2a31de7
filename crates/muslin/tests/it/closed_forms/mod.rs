//! Motions and shapes that have formulas.

mod air;
mod compliance;
mod contact;
mod hanging;
mod oscillator;
