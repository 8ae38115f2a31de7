//! The quadratic hinge: bending of what is flat at rest and hardly stretches [Bergou et al. 2006].
//!
//! Edge a–b, tips c and d. With the cotangents of the angles at rest, at a and b in either triangle, one vector tells the fold:
//!
//! ```text
//! s         (cot at b) a + (cot at a) b − (both) tip,  summed over both triangles      |s| = l θ for small folds θ
//! energy    ½ k s²,   k = B/(A₁ + A₂)
//! stress    k s,  stiffness k I
//! viscous   k τ (ṡ·s) s/s²
//! ```
//!
//! B [N·m] is the bending rigidity, as of the [hinge](super::Hinge), which it agrees with for small folds.

use super::{Element, Increment};
use crate::math::{Mat3, Real, Vec3, outer};

/// Two triangles that resist folding, by a constant matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QuadraticHinge {
    /// The ends of the edge, and the tips beside it: triangles (a, b, c) and (b, a, d).
    pub particles: [u32; 4],
    /// Cotangents that combine the particles into s.
    pub weights: [Real; 4],
    /// k [N/m].
    pub stiffness: Real,
    /// τ [s].
    pub damping: Real,
}

impl QuadraticHinge {
    /// A hinge at rest at these places [m], of a material of this rigidity [N·m]; none if a triangle has no area.
    pub fn new(particles: [u32; 4], [a, b, c, d]: [Vec3; 4], rigidity: Real) -> Option<Self> {
        let cotangent = |at: Vec3, p: Vec3, q: Vec3| (p - at).dot(q - at) / (p - at).cross(q - at).length();
        let (at_a, at_b) =
            ([cotangent(a, b, c), cotangent(a, b, d)], [cotangent(b, a, c), cotangent(b, a, d)]);
        let weights = [at_b[0] + at_b[1], at_a[0] + at_a[1], -(at_a[0] + at_b[0]), -(at_a[1] + at_b[1])];
        let areas = 0.5 * ((b - a).cross(c - a).length() + (b - a).cross(d - a).length());
        let sound = weights.iter().all(|weight| weight.is_finite());
        sound.then_some(Self { particles, weights, stiffness: rigidity / areas, damping: 0.0 })
    }
}

impl Element<4, 1> for QuadraticHinge {
    #[inline]
    fn particles(&self) -> [usize; 4] {
        self.particles.map(|particle| particle as usize)
    }

    #[inline]
    fn operator(&self) -> [[Real; 4]; 1] {
        [self.weights]
    }

    fn energy(&self, [s]: &[Vec3; 1]) -> Real {
        0.5 * self.stiffness * s.length_squared()
    }

    #[inline]
    fn stress(&self, [s]: &[Vec3; 1]) -> [Vec3; 1] {
        [*s * self.stiffness]
    }

    fn stiffness(&self, _: &[Vec3; 1]) -> [[Mat3; 1]; 1] {
        [[Mat3::from_diagonal(Vec3::splat(self.stiffness))]]
    }

    fn positive_stiffness(&self, strain: &[Vec3; 1]) -> [[Mat3; 1]; 1] {
        self.stiffness(strain)
    }

    /// Along s only, so that a bent sheet may spin.
    #[inline]
    fn viscous_stress(&self, [s]: &[Vec3; 1], [w]: &[Vec3; 1]) -> [Vec3; 1] {
        let square = s.length_squared();
        if square == 0.0 || self.damping == 0.0 {
            return [Vec3::ZERO]; // flat: no direction
        }
        [*s * (self.stiffness * self.damping * w.dot(*s) / square)]
    }

    fn viscosity(&self, [s]: &[Vec3; 1]) -> [[Mat3; 1]; 1] {
        let Some(n) = s.try_normalize() else { return [[Mat3::ZERO]] };
        [[outer(n, n) * (self.stiffness * self.damping)]]
    }

    fn viscous_stiffness(&self, [s]: &[Vec3; 1], [w]: &[Vec3; 1]) -> [[Mat3; 1]; 1] {
        let Some(n) = s.try_normalize() else { return [[Mat3::ZERO]] };
        let tensor = outer(n, *w) + (Mat3::IDENTITY - outer(n, n) * 2.0) * w.dot(n);
        [[tensor * (self.stiffness * self.damping / s.length())]]
    }

    #[inline]
    fn bends(&self) -> bool {
        true
    }

    #[inline]
    fn weights(&self) -> [Real; 1] {
        [self.stiffness]
    }

    /// kτ/2γ (|s| − |ŝ|)².
    fn viscous_potential(&self, [s]: &[Vec3; 1], step: &Increment<1>) -> Real {
        let growth = s.length() - step.origin(|[s]| s.length());
        0.5 * self.stiffness * self.damping / step.gamma * growth * growth
    }

    fn viscous_potential_stress(&self, [s]: &[Vec3; 1], step: &Increment<1>) -> [Vec3; 1] {
        let Some(n) = s.try_normalize().filter(|_| self.damping != 0.0) else { return [Vec3::ZERO] };
        let growth = s.length() - step.origin(|[s]| s.length());
        [n * (self.stiffness * self.damping / step.gamma * growth)]
    }

    fn viscous_potential_stiffness(&self, [s]: &[Vec3; 1], step: &Increment<1>) -> [[Mat3; 1]; 1] {
        let Some(n) = s.try_normalize().filter(|_| self.damping != 0.0) else { return [[Mat3::ZERO]] };
        let across = (1.0 - step.origin(|[s]| s.length()) / s.length()).max(0.0);
        let along = outer(n, n);
        let stiffness = self.stiffness * self.damping / step.gamma;
        [[(along + (Mat3::IDENTITY - along) * across) * stiffness]]
    }

    fn viscous_weights(&self, gamma: Real) -> [Real; 1] {
        [self.stiffness * self.damping / gamma]
    }
}
