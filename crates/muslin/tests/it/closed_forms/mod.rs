//! Motions and shapes that have formulas.

mod air;
mod contact;
mod hanging;
mod oscillator;
