//! Green's strain of a deformation gradient, and the laws that are linear in it.
//!
//! With the columns f of a deformation gradient and w of its rate:
//!
//! ```text
//! strain    E = ½ (fₐ·f_b − δ)        rate  Ė = ½ (fₐ·w_b + wₐ·f_b)
//! stress    S = D : E                 D orthotropic along the axes of the rest shape
//! pull      Pₐ = Σ_b S_ab f_b
//! ```
//!
//! A rotation changes neither E nor Ė. Damping is S = τ D : Ė.

use super::Increment;
use crate::math::{Mat3, Real, Vec3, outer};

/// A symmetric tensor of the rest shape.
pub(super) type Tensor<const M: usize> = [[Real; M]; M];

/// D: an elastic law, orthotropic along the axes of the rest shape. Its unit is that of energy once multiplied by the
/// size of the element, so it is [N/m] for a membrane and [Pa] for a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moduli<const M: usize> {
    /// Normal stress along one axis by normal strain along another.
    pub normal: [[Real; M]; M],
    /// G: shear stress by twice the shear strain.
    pub shear: Real,
}

/// As rows of numbers: serde knows no arrays of any length.
#[cfg(feature = "serde")]
impl<const M: usize> serde::Serialize for Moduli<M> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows: Vec<&[Real]> = self.normal.iter().map(<[Real; M]>::as_slice).collect();
        (rows, self.shear).serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de, const M: usize> serde::Deserialize<'de> for Moduli<M> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (rows, shear) = <(Vec<Vec<Real>>, Real)>::deserialize(deserializer)?;
        let wrong = |_| serde::de::Error::custom(format!("must be {M} rows of {M} numbers"));
        let rows: Result<Vec<[Real; M]>, _> = rows.into_iter().map(<[Real; M]>::try_from).collect();
        let normal = rows.map_err(wrong)?.try_into().map_err(|_| wrong(Vec::new()))?;
        Ok(Self { normal, shear })
    }
}

/// E of a deformation gradient.
#[inline]
pub(super) fn green_strain<const M: usize>(f: &[Vec3; M]) -> Tensor<M> {
    std::array::from_fn(|a| std::array::from_fn(|b| 0.5 * (f[a].dot(f[b]) - Real::from(a == b))))
}

/// Ė of a deformation gradient and its rate.
#[inline]
pub(super) fn green_rate<const M: usize>(f: &[Vec3; M], w: &[Vec3; M]) -> Tensor<M> {
    std::array::from_fn(|a| std::array::from_fn(|b| 0.5 * (f[a].dot(w[b]) + w[a].dot(f[b]))))
}

/// Σ_b S_ab f_b.
#[inline]
pub(super) fn pull<const M: usize>(stress: &Tensor<M>, f: &[Vec3; M]) -> [Vec3; M] {
    std::array::from_fn(|a| (0..M).fold(Vec3::ZERO, |sum, b| sum + f[b] * stress[a][b]))
}

impl<const M: usize> Moduli<M> {
    /// The same law in another unit.
    #[inline]
    #[must_use]
    pub fn scaled(&self, factor: Real) -> Self {
        Self { normal: self.normal.map(|row| row.map(|entry| entry * factor)), shear: self.shear * factor }
    }

    /// D : E.
    #[inline]
    pub fn stress(&self, strain: &[[Real; M]; M]) -> [[Real; M]; M] {
        std::array::from_fn(|a| {
            std::array::from_fn(|b| {
                if a == b {
                    (0..M).map(|c| self.normal[a][c] * strain[c][c]).sum()
                } else {
                    2.0 * self.shear * strain[a][b]
                }
            })
        })
    }

    /// ½ E : D : E.
    #[inline]
    pub fn energy(&self, strain: &[[Real; M]; M]) -> Real {
        0.5 * contract(&self.stress(strain), strain)
    }

    /// Σ_cd f_c D_acbd g_dᵀ: with g = f the material part of ∂P/∂f.
    #[inline]
    pub(super) fn blocks(&self, f: &[Vec3; M], g: &[Vec3; M]) -> [[Mat3; M]; M] {
        std::array::from_fn(|a| {
            std::array::from_fn(|b| {
                let along = outer(f[a] * self.normal[a][b], g[b]);
                if a == b {
                    let others = (0..M).filter(|&c| c != a);
                    others.fold(along, |sum, c| sum + outer(f[c] * self.shear, g[c]))
                } else {
                    along + outer(f[b] * self.shear, g[a])
                }
            })
        })
    }

    /// Stiffnesses of the columns of the deformation gradient at or above those of the law near rest.
    pub(super) fn weights(&self) -> [Real; M] {
        self.normal.map(|row| row.iter().map(|entry| entry.abs()).sum::<Real>().max(2.0 * self.shear))
    }

    /// The measure E − Ê of a step, Ê being where the rate counts from.
    fn growth(f: &[Vec3; M], step: &Increment<M>) -> Tensor<M> {
        let now = green_strain(f);
        std::array::from_fn(|a| {
            std::array::from_fn(|b| now[a][b] - step.origin(|past| green_strain(past)[a][b]))
        })
    }

    /// ½γ⁻¹ (E − Ê) : D : (E − Ê).
    pub(super) fn step_energy(&self, f: &[Vec3; M], step: &Increment<M>) -> Real {
        self.energy(&Self::growth(f, step)) / step.gamma
    }

    /// Its derivative by f.
    pub(super) fn step_stress(&self, f: &[Vec3; M], step: &Increment<M>) -> [Vec3; M] {
        pull(&self.scaled(1.0 / step.gamma).stress(&Self::growth(f, step)), f)
    }
}

/// A : B.
#[inline]
pub(super) fn contract<const M: usize>(left: &Tensor<M>, right: &Tensor<M>) -> Real {
    left.iter().flatten().zip(right.iter().flatten()).map(|(l, r)| l * r).sum()
}

/// Adds S_ab I: the part of ∂P/∂f that turns with the element.
#[inline]
pub(super) fn add_geometric<const M: usize>(blocks: &mut [[Mat3; M]; M], stress: &Tensor<M>) {
    for (row, entries) in blocks.iter_mut().zip(stress) {
        for (block, &entry) in row.iter_mut().zip(entries) {
            *block += Mat3::from_diagonal(Vec3::splat(entry));
        }
    }
}

/// The viscous methods of an element with M columns, from its `fn damping_moduli(&self) -> Moduli<M>` [J·s].
macro_rules! green_damping {
    ($m:literal) => {
        #[inline]
        fn viscous_stress(&self, strain: &[Vec3; $m], rate: &[Vec3; $m]) -> [Vec3; $m] {
            if self.damping == 0.0 {
                return [Vec3::ZERO; $m];
            }
            green::pull(&self.damping_moduli().stress(&green::green_rate(strain, rate)), strain)
        }

        fn viscosity(&self, strain: &[Vec3; $m]) -> [[Mat3; $m]; $m] {
            self.damping_moduli().blocks(strain, strain)
        }

        fn viscous_stiffness(&self, strain: &[Vec3; $m], rate: &[Vec3; $m]) -> [[Mat3; $m]; $m] {
            let moduli = self.damping_moduli();
            let mut blocks = moduli.blocks(strain, rate);
            green::add_geometric(&mut blocks, &moduli.stress(&green::green_rate(strain, rate)));
            blocks
        }

        fn viscous_potential(&self, strain: &[Vec3; $m], step: &Increment<$m>) -> Real {
            self.damping_moduli().step_energy(strain, step)
        }

        fn viscous_potential_stress(&self, strain: &[Vec3; $m], step: &Increment<$m>) -> [Vec3; $m] {
            if self.damping == 0.0 {
                return [Vec3::ZERO; $m];
            }
            self.damping_moduli().step_stress(strain, step)
        }

        /// Without the part that turns with the element, which need not be positive.
        fn viscous_potential_stiffness(&self, strain: &[Vec3; $m], step: &Increment<$m>) -> [[Mat3; $m]; $m] {
            if self.damping == 0.0 {
                return [[Mat3::ZERO; $m]; $m];
            }
            self.damping_moduli().scaled(1.0 / step.gamma).blocks(strain, strain)
        }

        fn viscous_weights(&self, gamma: Real) -> [Real; $m] {
            self.damping_moduli().scaled(1.0 / gamma).weights()
        }
    };
}
pub(super) use green_damping;
