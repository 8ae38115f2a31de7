//! The tetrahedron: a piece of a soft solid that survives being turned inside out.
//!
//! Stable neo-Hookean [Smith, de Goes & Kim 2018, eq. 14]. With the columns f of the deformation gradient, I = Σ f², J = det F,
//! its cofactors c = ∂J/∂f and the volume V at rest:
//!
//! ```text
//! energy    V [ ½ μ (I − 3) + ½ λ (J − α)² − ½ μ ln(I + 1) + constant ]      α = 1 + ¾ μ/λ
//! stress    V [ μ I/(I + 1) f + λ (J − α) c ]
//! ∂stress   V [ μ I/(I + 1) 1 + 2μ/(I + 1)² f fᵀ + λ c cᵀ + λ (J − α) ∂c ]
//! viscous   V τ F (D : Ė)
//! ```
//!
//! Finite at any F, flat and inverted ones among them, and zero only at rest. μ = 4/3 μ', λ = λ' + 5/6 μ' with Lamé's μ' and λ' of E
//! and ν make the response to small strains exactly that of E and ν. D is that response, too. The eigenvectors of the
//! stiffness follow from the singular vectors of F (§4 there): six twists and flips with μ I/(I + 1) ± λ (J − α) σ, and a 3 × 3
//! matrix of the stretches; the positive stiffness raises each of them to zero.

use super::green::{self, green_damping};
use super::{Element, Increment, Moduli};
use crate::math::{Mat3, Real, Vec3, cross_matrix, outer, symmetric_eigen};

/// A piece of a soft solid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tet {
    /// The four particles.
    pub corners: [u32; 4],
    /// From corners to the columns of F [1/m].
    pub operator: [[Real; 4]; 3],
    /// V at rest [m³].
    pub volume: Real,
    /// Lamé's λ' and μ' [Pa].
    pub lame: [Real; 2],
    /// τ [s].
    pub damping: Real,
}

impl Tet {
    /// A tetrahedron with its corners at rest at these places [m], of Young's modulus E [Pa] and Poisson's ratio ν, from 0 to
    /// less than ½; none if it is flat or inside out: seen from the fourth corner, the first three must run counter-clockwise.
    pub fn new(corners: [u32; 4], rest: [Vec3; 4], young: Real, poisson: Real) -> Option<Self> {
        let edges = Mat3::from_cols(rest[1] - rest[0], rest[2] - rest[0], rest[3] - rest[0]);
        let volume = edges.determinant() / 6.0;
        let longest = (0..3).map(|k| edges.col(k).length()).fold(0.0, Real::max);
        // Relative to the longest edge: a sliver a billion times longer than high has no usable inverse.
        if volume.is_nan() || volume <= 1e-9 * longest.powi(3) {
            return None;
        }
        let inverse = edges.inverse();
        let operator = [0, 1, 2].map(|a| {
            let column = inverse.col(a);
            [-column.element_sum(), column.x, column.y, column.z]
        });
        let lame =
            [young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)), 0.5 * young / (1.0 + poisson)];
        Some(Self { corners, operator, volume, lame, damping: 0.0 })
    }

    /// The response to small strains [Pa].
    pub fn moduli(&self) -> Moduli<3> {
        let [lambda, mu] = self.lame;
        let mut normal = [[lambda; 3]; 3];
        for (k, row) in normal.iter_mut().enumerate() {
            row[k] += 2.0 * mu;
        }
        Moduli { normal, shear: mu }
    }

    fn damping_moduli(&self) -> Moduli<3> {
        self.moduli().scaled(self.volume * self.damping)
    }

    /// V μ, V λ and α of the law.
    #[inline]
    fn constants(&self) -> [Real; 3] {
        let [lambda, mu] = self.lame;
        let (m, l) = (4.0 / 3.0 * mu, lambda + 5.0 / 6.0 * mu);
        [m * self.volume, l * self.volume, 1.0 + 0.75 * m / l]
    }
}

/// I of a deformation gradient.
#[inline]
fn square(f: &[Vec3; 3]) -> Real {
    f[0].length_squared() + f[1].length_squared() + f[2].length_squared()
}

/// ∂J/∂f.
#[inline]
fn cofactors(f: &[Vec3; 3]) -> [Vec3; 3] {
    [f[1].cross(f[2]), f[2].cross(f[0]), f[0].cross(f[1])]
}

impl Element<4, 3> for Tet {
    #[inline]
    fn particles(&self) -> [usize; 4] {
        self.corners.map(|corner| corner as usize)
    }

    #[inline]
    fn operator(&self) -> [[Real; 4]; 3] {
        self.operator
    }

    fn energy(&self, f: &[Vec3; 3]) -> Real {
        let [m, l, alpha] = self.constants();
        let law = |square: Real, determinant: Real| {
            0.5 * (m * (square - 3.0) + l * (determinant - alpha).powi(2) - m * square.ln_1p())
        };
        law(square(f), f[0].dot(f[1].cross(f[2]))) - law(3.0, 1.0)
    }

    #[inline]
    fn stress(&self, f: &[Vec3; 3]) -> [Vec3; 3] {
        let [m, l, alpha] = self.constants();
        let (square, c) = (square(f), cofactors(f));
        let (shear, pressure) = (m * square / (square + 1.0), l * (f[0].dot(c[0]) - alpha));
        std::array::from_fn(|a| f[a] * shear + c[a] * pressure)
    }

    fn stiffness(&self, f: &[Vec3; 3]) -> [[Mat3; 3]; 3] {
        let [m, l, alpha] = self.constants();
        let (square, c) = (square(f), cofactors(f));
        let (shear, softening) = (m * square / (square + 1.0), 2.0 * m / (square + 1.0).powi(2));
        let pressure = l * (f[0].dot(c[0]) - alpha);
        std::array::from_fn(|a| {
            std::array::from_fn(|b| {
                // ∂c: c₀ = f₁ × f₂ and so on around.
                let turn = match (b + 3 - a) % 3 {
                    0 => Mat3::from_diagonal(Vec3::splat(shear)),
                    1 => -cross_matrix(f[(a + 2) % 3]) * pressure,
                    _ => cross_matrix(f[(a + 1) % 3]) * pressure,
                };
                outer(f[a] * softening, f[b]) + outer(c[a] * l, c[b]) + turn
            })
        })
    }

    fn positive_stiffness(&self, f: &[Vec3; 3]) -> [[Mat3; 3]; 3] {
        let [m, l, alpha] = self.constants();
        let frame = Frame::of(f);
        let s = frame.stretches;
        let square = square(f);
        let (shear, softening) = (m * square / (square + 1.0), 2.0 * m / (square + 1.0).powi(2));
        let pressure = l * (s.x * s.y * s.z - alpha);

        let c = Vec3::new(s.y * s.z, s.z * s.x, s.x * s.y);
        let off =
            Mat3::from_cols(Vec3::new(0.0, s.z, s.y), Vec3::new(s.z, 0.0, s.x), Vec3::new(s.y, s.x, 0.0));
        let stretching = Mat3::from_diagonal(Vec3::splat(shear))
            + outer(s * softening, s)
            + outer(c * l, c)
            + off * pressure;
        let (values, vectors) = symmetric_eigen(stretching);
        let stretching = vectors * Mat3::from_diagonal(values.max(Vec3::ZERO)) * vectors.transpose();

        let u = frame.left;
        let mut blocks = [[Mat3::ZERO; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                blocks[i][j] = outer(u[i] * stretching.col(j)[i], u[j]);
            }
        }
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let twist = (shear + pressure * s[k]).max(0.0);
            let flip = (shear - pressure * s[k]).max(0.0);
            let (same, other) = (0.5 * (twist + flip), 0.5 * (flip - twist));
            blocks[i][i] += outer(u[j] * same, u[j]);
            blocks[j][j] += outer(u[i] * same, u[i]);
            blocks[i][j] += outer(u[j] * other, u[i]);
            blocks[j][i] += outer(u[i] * other, u[j]);
        }
        frame.turned_back(&blocks)
    }

    fn weights(&self) -> [Real; 3] {
        self.moduli().scaled(self.volume).weights()
    }

    green_damping!(3);
}

/// F = U Σ Vᵀ with rotations U and V: one stretch is negative where F is inside out.
struct Frame {
    left: [Vec3; 3],
    stretches: Vec3,
    right: Mat3,
}

impl Frame {
    fn of(f: &[Vec3; 3]) -> Self {
        let matrix = Mat3::from_cols(f[0], f[1], f[2]);
        let (squares, right) = symmetric_eigen(matrix.transpose() * matrix);
        let turned = matrix * right;
        // The shortest direction comes from the two others, which are safe to normalise.
        let k = (0..3).min_by(|&a, &b| squares[a].total_cmp(&squares[b])).unwrap_or(2);
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let (long, short) = if squares[i] >= squares[j] { (i, j) } else { (j, i) };
        let first = turned.col(long).try_normalize().unwrap_or(Vec3::X);
        let second = turned.col(short) - first * turned.col(short).dot(first);
        let second = second.try_normalize().unwrap_or_else(|| first.any_orthonormal_vector());
        let mut left = [Vec3::ZERO; 3];
        left[long] = first;
        left[short] = second;
        left[k] = left[i].cross(left[j]);
        let stretches =
            Vec3::new(turned.x_axis.dot(left[0]), turned.y_axis.dot(left[1]), turned.z_axis.dot(left[2]));
        Self { left, stretches, right }
    }

    /// From blocks by the columns of F V to blocks by the columns of F.
    fn turned_back(&self, blocks: &[[Mat3; 3]; 3]) -> [[Mat3; 3]; 3] {
        let half: [[Mat3; 3]; 3] = std::array::from_fn(|a| {
            std::array::from_fn(|j| {
                (0..3).fold(Mat3::ZERO, |sum, i| sum + blocks[i][j] * self.right.col(i)[a])
            })
        });
        std::array::from_fn(|a| {
            std::array::from_fn(|b| (0..3).fold(Mat3::ZERO, |sum, j| sum + half[a][j] * self.right.col(j)[b]))
        })
    }
}
