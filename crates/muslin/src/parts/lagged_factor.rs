//! The factor of a matrix from before edits of the topology as the preconditioner of the matrix now.
//!
//! ```text
//! z = S A⁻¹ Sᵀ b + E B⁻¹ Eᵀ b
//! A    the matrix before the edits, factored once
//! S    every particle by rows of A: a twin by that of its original, one inside of a face by those of the corners
//! B    the matrix now, of the edited particles E alone
//! ```
//!
//! Both terms are positive semidefinite, and only b = 0 makes both of them zero: what is minimised has the same minimum. B has what A
//! lacks, how twins move apart; it is small and dense. The longer a tear, the more iterations that takes, so that after a number of edits
//! the matrix is factored anew.

use super::block_factor::BlockFactor;
use super::constant_matrix::ConstantMatrix;
use crate::lagged::LaggedMatrix;
use crate::math::Real;
use crate::model::Model;
use crate::simd::{Kept, Quad, Scalar};

/// What edits add to a solve with the factor from before them, in the precision of T.
#[derive(Clone, Debug, Default)]
pub struct Correction<T> {
    /// Rows of A.
    rows: usize,
    /// What the places behind these are made of.
    shares: Vec<Vec<(u32, T)>>,
    /// Places of the edited particles.
    edited: Vec<u32>,
    /// B⁻¹, by rows.
    inverse: Vec<T>,
    /// Eᵀ b.
    forces: Vec<Quad<T>>,
}

impl<T: Scalar> Correction<T> {
    /// The correction for a model whose particles are at these places.
    pub fn of(lagged: &LaggedMatrix, model: &Model, place_of: &[u32]) -> Self {
        let share = |&(place, weight): &(u32, Real)| (place, T::rounded(weight));
        let shares = lagged
            .free_added(&model.inverse_masses)
            .map(|added| added.shares.iter().map(share).collect())
            .collect();
        let edited = lagged.free_edited(&model.inverse_masses);
        let inverse = inverse(ConstantMatrix::among(model, lagged.matrix().gamma, &edited), edited.len());
        Self {
            rows: lagged.rows(),
            shares,
            edited: edited.iter().map(|&particle| place_of[particle as usize]).collect(),
            inverse: inverse.into_iter().map(T::rounded).collect(),
            forces: Vec::new(),
        }
    }

    /// Replaces b by z.
    pub fn solve<K: Kept<T>>(&mut self, factor: &mut BlockFactor<T, K>, b: &mut [Quad<T>]) {
        self.forces.clear();
        self.forces.extend(self.edited.iter().map(|&place| b[place as usize]));
        let (rows, added) = b.split_at_mut(self.rows);
        for (b, shares) in added.iter().zip(&self.shares) {
            for &(row, weight) in shares {
                add_multiple(&mut rows[row as usize], weight, b);
            }
        }
        factor.solve(rows);
        for (z, shares) in added.iter_mut().zip(&self.shares) {
            *z = [T::default(); 4];
            for &(row, weight) in shares {
                add_multiple(z, weight, &rows[row as usize]);
            }
        }
        for (&place, line) in self.edited.iter().zip(self.inverse.chunks_exact(self.edited.len().max(1))) {
            for (force, &entry) in self.forces.iter().zip(line) {
                add_multiple(&mut b[place as usize], entry, force);
            }
        }
    }
}

fn add_multiple<T: Scalar>(to: &mut Quad<T>, weight: T, from: &Quad<T>) {
    *to = std::array::from_fn(|c| to[c].plus(weight.times(from[c])));
}

/// The inverse of a positive definite matrix of so many rows, by Gauss–Jordan elimination; zero if it is not positive definite.
fn inverse(mut matrix: Vec<Real>, rows: usize) -> Vec<Real> {
    for k in 0..rows {
        let pivot = matrix[k * rows + k];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return vec![0.0; rows * rows];
        }
        matrix[k * rows + k] = 1.0;
        matrix[k * rows..(k + 1) * rows].iter_mut().for_each(|entry| *entry /= pivot);
        let line = matrix[k * rows..(k + 1) * rows].to_vec();
        for (_, other) in matrix.chunks_exact_mut(rows).enumerate().filter(|(i, _)| *i != k) {
            let factor = std::mem::replace(&mut other[k], 0.0);
            if factor != 0.0 {
                other.iter_mut().zip(&line).for_each(|(to, from)| *to -= factor * from);
            }
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_undoes_a_matrix() {
        let rows = 7;
        let entry = |i: usize, j: usize| {
            if i == j { 3.0 } else { ((i * j) as Real).sin() / (1 + i.abs_diff(j)) as Real }
        };
        let matrix: Vec<Real> =
            (0..rows * rows).map(|k| 0.5 * (entry(k / rows, k % rows) + entry(k % rows, k / rows))).collect();
        let found = inverse(matrix.clone(), rows);
        for (i, j) in (0..rows * rows).map(|k| (k / rows, k % rows)) {
            let product: Real = (0..rows).map(|k| matrix[i * rows + k] * found[k * rows + j]).sum();
            assert!((product - Real::from(u8::from(i == j))).abs() < 1e-13, "{i}, {j}: {product}");
        }
        assert_eq!(inverse(vec![-1.0], 1), [0.0]);
    }
}
