//! Motions and shapes that have formulas.

mod air;
mod contact;
mod filter;
mod hanging;
mod oscillator;
mod position_based;
mod rods;
