//! The attachment: a particle tied to a point in space by a spring without length.
//!
//! ```text
//! energy    ½ k |x − a|²
//! stress    k (x − a),  stiffness k I
//! viscous   c v
//! ```
//!
//! The strain is the position itself: the row of A is the one that does not sum to zero, for the world holds the other end.

use super::{Element, Increment};
use crate::math::{Mat3, Real, Vec3};

/// A particle tied to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Attachment {
    /// The particle.
    pub particle: u32,
    /// a [m].
    pub point: Vec3,
    /// k [N/m].
    pub stiffness: Real,
    /// c [N·s/m].
    pub damping: Real,
}

impl Element<1, 1> for Attachment {
    #[inline]
    fn particles(&self) -> [usize; 1] {
        [self.particle as usize]
    }

    #[inline]
    fn operator(&self) -> [[Real; 1]; 1] {
        [[1.0]]
    }

    fn energy(&self, [x]: &[Vec3; 1]) -> Real {
        0.5 * self.stiffness * x.distance_squared(self.point)
    }

    #[inline]
    fn stress(&self, [x]: &[Vec3; 1]) -> [Vec3; 1] {
        [(*x - self.point) * self.stiffness]
    }

    fn stiffness(&self, _: &[Vec3; 1]) -> [[Mat3; 1]; 1] {
        [[Mat3::from_diagonal(Vec3::splat(self.stiffness))]]
    }

    fn positive_stiffness(&self, strain: &[Vec3; 1]) -> [[Mat3; 1]; 1] {
        self.stiffness(strain)
    }

    #[inline]
    fn viscous_stress(&self, _: &[Vec3; 1], [v]: &[Vec3; 1]) -> [Vec3; 1] {
        [*v * self.damping]
    }

    fn viscosity(&self, _: &[Vec3; 1]) -> [[Mat3; 1]; 1] {
        [[Mat3::from_diagonal(Vec3::splat(self.damping))]]
    }

    fn viscous_stiffness(&self, _: &[Vec3; 1], _: &[Vec3; 1]) -> [[Mat3; 1]; 1] {
        [[Mat3::ZERO]]
    }

    #[inline]
    fn weights(&self) -> [Real; 1] {
        [self.stiffness]
    }

    /// C = |x − a|.
    fn constraint(&self, [x]: &[Vec3; 1]) -> Option<(Real, [Vec3; 1])> {
        let away = *x - self.point;
        away.try_normalize().map(|n| (away.length(), [n]))
    }

    /// c/2γ |x − x̂|².
    fn viscous_potential(&self, [x]: &[Vec3; 1], step: &Increment<1>) -> Real {
        0.5 * self.damping / step.gamma * x.distance_squared(origin(step))
    }

    fn viscous_potential_stress(&self, [x]: &[Vec3; 1], step: &Increment<1>) -> [Vec3; 1] {
        [(*x - origin(step)) * (self.damping / step.gamma)]
    }

    fn viscous_potential_stiffness(&self, _: &[Vec3; 1], step: &Increment<1>) -> [[Mat3; 1]; 1] {
        [[Mat3::from_diagonal(Vec3::splat(self.damping / step.gamma))]]
    }

    fn viscous_weights(&self, gamma: Real) -> [Real; 1] {
        [self.damping / gamma]
    }
}

/// x̂: where the velocity counts from.
fn origin(step: &Increment<1>) -> Vec3 {
    Vec3::new(step.origin(|[x]| x.x), step.origin(|[x]| x.y), step.origin(|[x]| x.z))
}
