//! The implicit step of one element alone, in the space of its strains.
//!
//! With the strains y = A x, the mobility G = A W Aᵀ = L Lᵀ/h², the stress σ that the element has applied so far and Ψ(y) its
//! energy with the potential of its damping, the element finds the stress that its law asks for while all others wait:
//!
//! ```text
//! σ + δ = Ψ'(y − h² G δ),   Δx = −h² W Aᵀ δ
//! Newton   (1 + Lᵀ Ψ'' L) u = Lᵀ (Ψ'(y) − σ),   Δy = −L u,   δ = Ψ'(y) − σ + Ψ'' Δy
//! ```
//!
//! This is the minimum of ½ |Lᵀ(σ + δ)|² + Ψ(y − L Lᵀ δ), the energy of the motion and of the element; a step that raises it is
//! halved. Ψ'' is the positive stiffness, so the matrix is positive definite for any law, mass or step, and all strains of the
//! element are solved at once: their coupling, as by Poisson's ratio, is exact.

use crate::elements::{Element, Increment};
use crate::math::{Mat3, Real, Vec3};

/// An element within a substep.
#[derive(Debug)]
pub struct Local<'a, E, const M: usize> {
    /// The element.
    pub element: &'a E,
    /// The substep, from which its damping counts.
    pub step: Increment<M>,
    /// L [s·kg^−½/m]·[m].
    pub root: [[Real; M]; M],
}

/// What a Newton step changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change<const M: usize> {
    /// δ [N].
    pub stress: [Vec3; M],
    /// u.
    momentum: [Vec3; M],
    /// Δy.
    strain: [Vec3; M],
}

/// How often a step is halved at the most.
const HALVINGS: u32 = 10;

/// A part of the energy below which its change is rounding.
const ROUNDING: Real = 1e-12;

impl<E, const M: usize> Local<'_, E, M> {
    /// δ for the strains `strain` and the stress `applied` so far.
    pub fn change<const N: usize>(&self, strain: &[Vec3; M], applied: &[Vec3; M]) -> [Vec3; M]
    where
        E: Element<N, M>,
    {
        let Some(change) = self.newton(strain, applied) else { return [Vec3::ZERO; M] };
        let momentum = self.transposed(applied);
        let energy = |part: Real| {
            let strain = std::array::from_fn(|m| strain[m] + change.strain[m] * part);
            let motion = (0..M).map(|m| (momentum[m] + change.momentum[m] * part).length_squared());
            0.5 * motion.sum::<Real>()
                + self.element.energy(&strain)
                + self.element.viscous_potential(&strain, &self.step)
        };
        let (start, mut part) = (energy(0.0), 1.0);
        for _ in 0..HALVINGS {
            if energy(part) <= start * (1.0 + ROUNDING) {
                break;
            }
            part *= 0.5;
        }
        change.stress.map(|stress| stress * part)
    }

    /// A full Newton step; none if nothing is left to do.
    fn newton<const N: usize>(&self, strain: &[Vec3; M], applied: &[Vec3; M]) -> Option<Change<M>>
    where
        E: Element<N, M>,
    {
        let (elastic, viscous) =
            (self.element.stress(strain), self.element.viscous_potential_stress(strain, &self.step));
        let residual: [Vec3; M] = std::array::from_fn(|m| elastic[m] + viscous[m] - applied[m]);
        if residual == [Vec3::ZERO; M] {
            return None;
        }
        let (elastic, viscous) = (
            self.element.positive_stiffness(strain),
            self.element.viscous_potential_stiffness(strain, &self.step),
        );
        let stiffness: [[Mat3; M]; M] =
            std::array::from_fn(|m| std::array::from_fn(|l| elastic[m][l] + viscous[m][l]));
        let momentum = solve(self.matrix(&stiffness), self.transposed(&residual));
        let change =
            std::array::from_fn(|m| -(0..=m).fold(Vec3::ZERO, |sum, l| sum + momentum[l] * self.root[m][l]));
        let stress =
            std::array::from_fn(|m| (0..M).fold(residual[m], |sum, l| sum + stiffness[m][l] * change[l]));
        Some(Change { stress, momentum, strain: change })
    }

    /// Lᵀ s.
    fn transposed(&self, stress: &[Vec3; M]) -> [Vec3; M] {
        std::array::from_fn(|l| (l..M).fold(Vec3::ZERO, |sum, m| sum + stress[m] * self.root[m][l]))
    }

    /// 1 + Lᵀ K L.
    fn matrix(&self, stiffness: &[[Mat3; M]; M]) -> [[Mat3; M]; M] {
        let half: [[Mat3; M]; M] = std::array::from_fn(|m| {
            std::array::from_fn(|j| (j..M).fold(Mat3::ZERO, |sum, l| sum + stiffness[m][l] * self.root[l][j]))
        });
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let unit = if i == j { Mat3::IDENTITY } else { Mat3::ZERO };
                (i..M).fold(unit, |sum, m| sum + half[m][j] * self.root[m][i])
            })
        })
    }
}

/// L of h² A W Aᵀ; columns are zero where nothing can move.
pub fn mobility_root<const N: usize, const M: usize>(
    operator: &[[Real; N]; M],
    inverse_masses: [Real; N],
    h: Real,
) -> [[Real; M]; M] {
    let mut root = [[0.0; M]; M];
    for m in 0..M {
        for l in 0..=m {
            let whole: Real = (0..N).map(|n| operator[m][n] * inverse_masses[n] * operator[l][n]).sum();
            let known: Real = (0..l).map(|k| root[m][k] * root[l][k]).sum();
            let rest = h * h * whole - known;
            root[m][l] = if l < m {
                if root[l][l] > 0.0 { rest / root[l][l] } else { 0.0 }
            } else if rest > 1e-13 * h * h * whole {
                rest.sqrt()
            } else {
                0.0 // less is rounding: this strain follows the ones before
            };
        }
    }
    root
}

/// Solves a positive definite system by blocks.
fn solve<const M: usize>(mut matrix: [[Mat3; M]; M], mut right: [Vec3; M]) -> [Vec3; M] {
    let mut inverses = [Mat3::ZERO; M];
    for j in 0..M {
        inverses[j] = matrix[j][j].inverse();
        for i in j + 1..M {
            let factor = matrix[i][j] * inverses[j];
            for k in j + 1..M {
                matrix[i][k] -= factor * matrix[j][k];
            }
            right[i] -= factor * right[j];
        }
    }
    for j in (0..M).rev() {
        let rest = (j + 1..M).fold(right[j], |rest, k| rest - matrix[j][k] * right[k]);
        right[j] = inverses[j] * rest;
    }
    right
}
