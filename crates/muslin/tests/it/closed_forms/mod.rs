//! Motions and shapes that have formulas.

mod air;
mod bodies;
mod compliance;
mod contact;
mod filter;
mod hanging;
mod mirror;
mod oscillator;
mod position_based;
mod rods;
