//! The rigid bar between two particles [Jakobsen 2001].
//!
//! Its ends are always L apart: |x₁ − x₀| = L. Methods that can hold it so read only ends and length (`rods`, `pbd`). To
//! the others it is a spring of stiffness k that pulls and pushes, ½ k (|x₁ − x₀| − L)²; see [`Spring`].

use super::{Element, Spring, Tangent};
use crate::math::{Mat3, Real, Vec3};

/// A rigid bar.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rod {
    /// The two particles.
    pub ends: [u32; 2],
    /// L [m].
    pub length: Real,
    /// k of the spring that stands for it in methods that cannot hold it rigid [N/m].
    pub stiffness: Real,
}

impl Rod {
    /// The spring that stands for it.
    #[inline]
    pub fn spring(&self) -> Spring {
        Spring::new(self.ends, self.length, self.stiffness)
    }

    /// Relative error of its length, l/L − 1.
    #[inline]
    pub fn stretch(&self, positions: &[Vec3]) -> Real {
        self.strain(positions)[0].length() / self.length - 1.0
    }
}

impl Element<2, 1> for Rod {
    #[inline]
    fn particles(&self) -> [usize; 2] {
        self.ends.map(|end| end as usize)
    }

    #[inline]
    fn operator(&self) -> [[Real; 2]; 1] {
        [[-1.0, 1.0]]
    }

    #[inline]
    fn strain(&self, positions: &[Vec3]) -> [Vec3; 1] {
        let [a, b] = self.particles();
        [positions[b] - positions[a]]
    }

    fn energy(&self, strain: &[Vec3; 1]) -> Real {
        self.spring().energy(strain)
    }

    #[inline]
    fn stress(&self, strain: &[Vec3; 1]) -> [Vec3; 1] {
        self.spring().stress(strain)
    }

    #[inline]
    fn forces(&self, positions: &[Vec3], velocities: &[Vec3]) -> [Vec3; 2] {
        self.spring().forces(positions, velocities)
    }

    fn stiffness(&self, strain: &[Vec3; 1]) -> [[Mat3; 1]; 1] {
        self.spring().stiffness(strain)
    }

    fn positive_stiffness(&self, strain: &[Vec3; 1]) -> [[Mat3; 1]; 1] {
        self.spring().positive_stiffness(strain)
    }

    #[inline]
    fn tangents(&self, strain: &[Vec3; 1], rate: &[Vec3; 1], tangent: Tangent) -> [[[Mat3; 1]; 1]; 2] {
        self.spring().tangents(strain, rate, tangent)
    }

    fn viscous_stress(&self, _: &[Vec3; 1], _: &[Vec3; 1]) -> [Vec3; 1] {
        [Vec3::ZERO]
    }

    fn viscosity(&self, _: &[Vec3; 1]) -> [[Mat3; 1]; 1] {
        [[Mat3::ZERO]]
    }

    fn viscous_stiffness(&self, _: &[Vec3; 1], _: &[Vec3; 1]) -> [[Mat3; 1]; 1] {
        [[Mat3::ZERO]]
    }

    #[inline]
    fn weights(&self) -> [Real; 1] {
        [self.stiffness]
    }

    /// C = |d| − L.
    #[inline]
    fn constraint(&self, strain: &[Vec3; 1]) -> Option<(Real, [Vec3; 1])> {
        self.spring().constraint(strain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_methods_without_rods_it_is_a_spring_that_pulls_and_pushes() {
        let rod = Rod { ends: [0, 1], length: 2.0, stiffness: 10.0 };
        assert_eq!(rod.stress(&[Vec3::X * 2.5]), [Vec3::X * 5.0]);
        assert_eq!(rod.stress(&[Vec3::X * 1.5]), [Vec3::X * -5.0]);
        assert_eq!(rod.energy(&[Vec3::X * 1.5]), 1.25);
        assert_eq!(rod.constraint(&[Vec3::X * 2.5]), Some((0.5, [Vec3::X])));
        assert_eq!(rod.stretch(&[Vec3::ZERO, Vec3::Z * 3.0]), 0.5);
    }
}
