//! What a step writes.

use crate::body::BodyState;
use crate::math::{Real, Vec3};

/// The moving part of a simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Positions of the particles [m].
    pub positions: Vec<Vec3>,
    /// Velocities of the particles [m/s].
    pub velocities: Vec<Vec3>,
    /// The rigid bodies.
    pub bodies: Vec<BodyState>,
    /// Time since the start [s].
    pub time: Real,
}

impl State {
    /// Particles at rest at time 0, and no bodies.
    pub fn at_rest(positions: Vec<Vec3>) -> Self {
        Self { velocities: vec![Vec3::ZERO; positions.len()], positions, bodies: Vec::new(), time: 0.0 }
    }
}
