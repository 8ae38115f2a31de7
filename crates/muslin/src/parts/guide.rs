//! A factor that guides on after edits of the topology, though the matrix is another one now.
//!
//! ```text
//! z = S A⁻¹ Sᵀ b + E B⁻¹ Eᵀ b
//! A    the matrix before the edits, factored once
//! S    every particle by rows of A: a twin by that of its original, one inside of a face by those of the corners
//! B    the matrix now, of the particles E alone that edits touched
//! ```
//!
//! Both terms are positive semidefinite, and only b = 0 makes both of them zero: what is minimised has the same minimum, whichever factor
//! guides there. B has what A lacks, how twins move apart; it is small and dense. The longer a tear, the more iterations that takes, so
//! that a guide ends after a number of edits, and the matrix is factored anew.
//!
//! A guide is a part of the state: it cannot be derived from the model as it is.

use super::block_factor::BlockFactor;
use super::constant_matrix::ConstantMatrix;
use super::nested_dissection::Dissection;
use crate::math::Real;
use crate::model::Model;
use crate::remap::Remap;
use crate::simd::{Kept, Quad, Scalar};
use std::sync::Arc;

/// Touched particles of a guide at the most; B has as many rows. In a sheet of 30 by 30 whose own factor would do in one iteration, a guide
/// takes 7 to 1e-4 after 20 slits of one vertex each, 15 after a tear of 16 vertices, and 20 after one of 28.
const MOST_TOUCHED: usize = 32;
/// Rows of A that a particle is made of, at the most.
const MOST_SHARES: usize = 3;

/// A constant matrix and its order of elimination.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ordered {
    /// γ of the matrix [s].
    pub gamma: Real,
    /// The matrix; without its graph.
    pub matrix: ConstantMatrix,
    /// The order.
    pub dissection: Dissection,
}

/// A matrix from before edits, and the particles by its rows.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Guide {
    base: Arc<Ordered>,
    /// The particle of each place in the order of elimination.
    owners: Vec<u32>,
    /// Particles that edits added.
    added: Vec<Follower>,
    /// Particles at which edits added others, and these.
    touched: Vec<u32>,
}

/// A particle that an edit added, as a mixture of places.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Follower {
    particle: u32,
    /// None for one that moves with held particles.
    shares: Vec<(u32, Real)>,
}

impl Guide {
    /// The guide of a matrix before the first edit.
    pub fn of(base: &Arc<Ordered>) -> Self {
        let Ordered { matrix, dissection, .. } = &**base;
        let owners = dissection.order.iter().map(|&row| matrix.free[row as usize]).collect();
        Self { base: Arc::clone(base), owners, added: Vec::new(), touched: Vec::new() }
    }

    /// Its matrix.
    pub fn base(&self) -> &Arc<Ordered> {
        &self.base
    }

    /// The guide after an edit; none if that made two particles one.
    pub fn follow(mut self, map: &Remap) -> Option<Self> {
        let mut is_known = vec![false; map.new_count()];
        for old in 0..map.old_count() as u32 {
            if std::mem::replace(&mut is_known[map.place(old) as usize], true) {
                return None;
            }
        }
        let mut place_of: Vec<Option<u32>> = vec![None; map.old_count()];
        for (place, &owner) in self.owners.iter().enumerate() {
            place_of[owner as usize] = Some(place as u32);
        }
        let mut new = Vec::new();
        for particle in (0..map.new_count() as u32).filter(|&p| !is_known[p as usize]) {
            let mut shares: Vec<(u32, Real)> = Vec::new();
            for (old, weight) in map.origins()[particle as usize].shares() {
                self.touched.push(old);
                if let Some(place) = place_of[old as usize] {
                    shares.push((place, weight));
                } else if let Some(follower) = self.added.iter().find(|added| added.particle == old) {
                    shares.extend(follower.shares.iter().map(|&(place, share)| (place, share * weight)));
                }
            }
            shares.sort_by_key(|share| share.0);
            shares.dedup_by(|next, one| {
                one.0 == next.0 && {
                    one.1 += next.1;
                    true
                }
            });
            if shares.len() > MOST_SHARES {
                return None;
            }
            new.push(Follower { particle, shares });
        }
        let named = self.added.iter_mut().map(|added| &mut added.particle);
        for particle in named.chain(&mut self.owners).chain(&mut self.touched) {
            *particle = map.place(*particle);
        }
        self.touched.extend(new.iter().map(|added| added.particle));
        self.touched.sort_unstable();
        self.touched.dedup();
        self.added.extend(new);
        Some(self)
    }

    /// Whether it still serves for a model.
    pub fn serves(&self, model: &Model) -> bool {
        let free = (0..model.len()).filter(|&p| !model.is_held(p)).count();
        self.touched.len() <= MOST_TOUCHED && self.free_added(model).count() + self.owners.len() == free
    }

    /// The free particles by places: those of the matrix, then those that edits added.
    pub fn places(&self, model: &Model) -> Vec<u32> {
        let added = self.free_added(model).map(|added| added.particle);
        self.owners.iter().copied().chain(added).collect()
    }

    fn free_added(&self, model: &Model) -> impl Iterator<Item = &Follower> {
        self.added.iter().filter(|added| !model.is_held(added.particle as usize))
    }
}

/// What a guide adds to a solve with its factor, in the precision of T.
#[derive(Clone, Debug, Default)]
pub struct Correction<T> {
    /// Rows of A.
    rows: usize,
    /// What the places behind these are made of.
    shares: Vec<Vec<(u32, T)>>,
    /// Places of touched particles.
    places: Vec<u32>,
    /// B⁻¹, by rows.
    inverse: Vec<T>,
    touched: Vec<Quad<T>>,
}

impl<T: Scalar> Correction<T> {
    /// The correction of a guide for a model whose particles are at these places.
    pub fn of(guide: &Guide, model: &Model, place_of: &[u32]) -> Self {
        let share = |&(place, weight): &(u32, Real)| (place, T::rounded(weight));
        let shares = guide.free_added(model).map(|added| added.shares.iter().map(share).collect()).collect();
        let mut touched = guide.touched.clone();
        touched.retain(|&particle| !model.is_held(particle as usize));
        let inverse = inverse(ConstantMatrix::among(model, guide.base.gamma, &touched), touched.len());
        Self {
            rows: guide.owners.len(),
            shares,
            places: touched.iter().map(|&particle| place_of[particle as usize]).collect(),
            inverse: inverse.into_iter().map(T::rounded).collect(),
            touched: Vec::new(),
        }
    }

    /// Replaces b by z.
    pub fn solve<K: Kept<T>>(&mut self, factor: &mut BlockFactor<T, K>, b: &mut [Quad<T>]) {
        self.touched.clear();
        self.touched.extend(self.places.iter().map(|&place| b[place as usize]));
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
        for (&place, line) in self.places.iter().zip(self.inverse.chunks_exact(self.places.len().max(1))) {
            for (touched, &entry) in self.touched.iter().zip(line) {
                add_multiple(&mut b[place as usize], entry, touched);
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
