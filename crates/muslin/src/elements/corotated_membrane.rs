//! The corotated membrane: a triangle that resists every change but a rotation, alike in all directions.
//!
//! With the 3 × 2 deformation gradient F = R S, R = [r₀ r₁] its closest orthonormal columns, S = (FᵀF)^½, n the normal, w the
//! modulus [N/m] and A the area at rest:
//!
//! ```text
//! energy    A ½ w |F − R|²
//! stress    A w (F − R)
//! ∂stress   A w [ δ_ab I − 2/tr S · tₐ t_bᵀ − (S⁻¹)_ab n nᵀ ],   t = (r₁, −r₀)/√2
//! viscous   A τ F (D : Ė),  D the law for small strains
//! ```
//!
//! t is the twist in the plane, n the flip out of it: their stiffnesses 1 − 2/tr S and 1 − 1/σ turn negative in compression, and
//! are then raised to zero. For small strains it is isotropic with Young's modulus w, Poisson's ratio 0, shear modulus w/2. The
//! matrix of projection methods is exact for it but for R.

use super::green::{self, green_damping};
use super::membrane::rest_triangle;
use super::{Element, Increment, Moduli};
use crate::math::{Mat3, Real, Vec3, outer, symmetric_eigen_plane};

/// A triangle that resists every change but a rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CorotatedMembrane {
    /// The three particles.
    pub corners: [u32; 3],
    /// From corners to the columns of F [1/m].
    pub operator: [[Real; 3]; 2],
    /// A at rest [m²].
    pub area: Real,
    /// w [N/m].
    pub modulus: Real,
    /// τ [s].
    pub damping: Real,
}

impl CorotatedMembrane {
    /// A membrane with its corners at these places of the rest plane [m].
    pub fn new(corners: [u32; 3], rest: [[Real; 2]; 3], modulus: Real) -> Self {
        let (operator, area) = rest_triangle(rest);
        Self { corners, operator, area, modulus, damping: 0.0 }
    }

    fn damping_moduli(&self) -> Moduli<2> {
        let w = self.modulus * self.area * self.damping;
        Moduli { normal: [[w, 0.0], [0.0, w]], shear: 0.5 * w }
    }

    /// A w [ δ_ab I − twist tₐ t_bᵀ − (flip S⁻¹)_ab n nᵀ ], with twist and the eigenvalues of S⁻¹ at most `most`.
    fn tangent(&self, f: &[Vec3; 2], most: Real) -> [[Mat3; 2]; 2] {
        let polar = Polar::of(f);
        let scale = self.area * self.modulus;
        let mut blocks = [[Mat3::ZERO; 2]; 2];
        blocks[0][0] = Mat3::from_diagonal(Vec3::splat(scale));
        blocks[1][1] = blocks[0][0];
        let Some(normal) = f[0].cross(f[1]).try_normalize().filter(|_| !polar.collapsed) else {
            return blocks; // a collapsed triangle has no normal to flip out to
        };
        let [a, b, c] = polar.stretch;
        let ([large, small], [x, y]) = symmetric_eigen_plane(a, b, c);
        let (first, second) = ((1.0 / large).min(most), (1.0 / small).min(most));
        let flip = [
            [first * x * x + second * y * y, (first - second) * x * y],
            [(first - second) * x * y, first * y * y + second * x * x],
        ];
        let twist = (2.0 / (large + small)).min(most);
        let t = [polar.columns[1], -polar.columns[0]];
        let out = outer(normal, normal);
        for i in 0..2 {
            for j in 0..2 {
                blocks[i][j] -= (outer(t[i], t[j]) * (0.5 * twist) + out * flip[i][j]) * scale;
            }
        }
        blocks
    }
}

/// F = R S.
struct Polar {
    columns: [Vec3; 2],
    /// S₀₀, S₀₁, S₁₁.
    stretch: [Real; 3],
    /// Whether F has less than two directions.
    collapsed: bool,
}

impl Polar {
    /// S = (FᵀF + √det I)/tr S in closed form. A triangle collapsed to a line keeps its one direction.
    #[inline]
    fn of(f: &[Vec3; 2]) -> Self {
        let [u, v] = *f;
        let (a, b, c) = (u.length_squared(), u.dot(v), v.length_squared());
        let determinant = u.cross(v).length();
        let trace = (a + c + 2.0 * determinant).sqrt();
        if determinant <= 1e-12 * trace * trace {
            let columns = if trace == 0.0 { [Vec3::ZERO; 2] } else { f.map(|column| column / trace) };
            return Self { columns, stretch: [0.0; 3], collapsed: true };
        }
        let stretch @ [s0, s1, s2] = [(a + determinant) / trace, b / trace, (c + determinant) / trace];
        let columns = [(u * s2 - v * s1) / determinant, (v * s0 - u * s1) / determinant];
        Self { columns, stretch, collapsed: false }
    }
}

impl Element<3, 2> for CorotatedMembrane {
    #[inline]
    fn particles(&self) -> [usize; 3] {
        self.corners.map(|corner| corner as usize)
    }

    #[inline]
    fn operator(&self) -> [[Real; 3]; 2] {
        self.operator
    }

    /// |F − R|² = Σ (σ − 1)², from S alone: R may have no direction where the energy is known.
    fn energy(&self, f: &[Vec3; 2]) -> Real {
        let determinant = f[0].cross(f[1]).length();
        let square = f[0].length_squared() + f[1].length_squared();
        let trace = (square + 2.0 * determinant).sqrt();
        0.5 * self.area * self.modulus * (square - 2.0 * trace + 2.0)
    }

    #[inline]
    fn stress(&self, f: &[Vec3; 2]) -> [Vec3; 2] {
        let r = Polar::of(f).columns;
        let scale = self.area * self.modulus;
        [(f[0] - r[0]) * scale, (f[1] - r[1]) * scale]
    }

    fn stiffness(&self, f: &[Vec3; 2]) -> [[Mat3; 2]; 2] {
        self.tangent(f, Real::INFINITY)
    }

    fn positive_stiffness(&self, f: &[Vec3; 2]) -> [[Mat3; 2]; 2] {
        self.tangent(f, 1.0)
    }

    #[inline]
    fn weights(&self) -> [Real; 2] {
        [self.area * self.modulus; 2]
    }

    green_damping!(2);
}
