//! How a body moves at the start: as if it were rigid.
//!
//! ```text
//! v_p = v + ω × (x_p − c),   c = Σ m x / Σ m over all particles of the body
//! ```
//!
//! The momentum is then Σ m v, the angular momentum about c is I ω. Pinned particles do not take part.

use super::surroundings::finite;
use crate::build_error::BuildError;
use crate::math::{Real, Vec3};

/// The velocities of a body at the start.
#[derive(Clone, Copy, Debug)]
pub(super) struct InitialMotion {
    /// v [m/s].
    velocity: Vec3,
    /// ω [rad/s].
    angular_velocity: Vec3,
}

impl InitialMotion {
    pub fn new(velocity: Vec3, angular_velocity: Vec3) -> Result<Self, BuildError> {
        finite("velocity", velocity)?;
        finite("angular_velocity", angular_velocity)?;
        Ok(Self { velocity, angular_velocity })
    }

    /// Sets the velocities of all particles of a body but of those that are held.
    pub fn apply(self, positions: &[Vec3], masses: &[Real], held: &[bool], velocities: &mut [Vec3]) {
        if self.velocity == Vec3::ZERO && self.angular_velocity == Vec3::ZERO {
            return;
        }
        let mass: Real = masses.iter().sum();
        // Shares of the mass: a product of a mass and a coordinate could overflow.
        let center: Vec3 = positions.iter().zip(masses).map(|(x, m)| *x * (m / mass)).sum();
        for ((v, x), _) in velocities.iter_mut().zip(positions).zip(held).filter(|(_, held)| !**held) {
            *v = self.velocity + self.angular_velocity.cross(*x - center);
        }
    }
}
