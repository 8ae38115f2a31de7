//! A matrix from before edits of the topology whose factor goes on as the preconditioner of the matrix now, and which particle is which
//! of its rows.
//!
//! Another preconditioner leads by another way to the same minimum, so bits depend on it. It cannot be derived from the model as it is,
//! and is a part of the state. What is made of it: parts/lagged_factor.rs.

use crate::math::{Real, Vec3};
use crate::remap::Remap;
use std::sync::Arc;

/// Particles beside which edits put others, and these, at the most. In a sheet of 30 by 30 whose own factor would do in one iteration, a
/// lagged one takes 7 to 1e-4 after 20 slits of one vertex each, 15 after a tear of 16 vertices, and 20 after one of 28.
const MOST_EDITED: usize = 32;
/// Rows that a particle is made of, at the most.
const MOST_SHARES: usize = 3;

/// A constant matrix that was factored, with what gives its order of elimination.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FactoredMatrix {
    /// γ [s].
    pub gamma: Real,
    /// Where the particles of its rows are at rest [m].
    pub positions: Vec<Vec3>,
    /// The entries on the diagonal [N/m].
    pub diagonal: Vec<Real>,
    /// Those below it by row and column, sorted [N/m].
    pub lower: Vec<([u32; 2], Real)>,
}

/// A matrix from before edits, and the particles by its rows.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LaggedMatrix {
    matrix: Arc<FactoredMatrix>,
    /// The particle of each place in its order of elimination.
    owners: Vec<u32>,
    /// Particles that edits added.
    added: Vec<Added>,
    /// These, and the particles beside which they came, ascending.
    edited: Vec<u32>,
}

/// A particle that an edit added.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Added {
    /// Its number.
    pub particle: u32,
    /// The places that it is a mixture of; none if those particles are held.
    pub shares: Vec<(u32, Real)>,
}

impl LaggedMatrix {
    /// A matrix before the first edit, with the particles in its order of elimination.
    pub fn of(matrix: &Arc<FactoredMatrix>, owners: Vec<u32>) -> Self {
        Self { matrix: Arc::clone(matrix), owners, added: Vec::new(), edited: Vec::new() }
    }

    /// The matrix.
    pub fn matrix(&self) -> &Arc<FactoredMatrix> {
        &self.matrix
    }

    /// The same after an edit; none if that made two particles one.
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
                self.edited.push(old);
                if let Some(place) = place_of[old as usize] {
                    shares.push((place, weight));
                } else if let Some(added) = self.added.iter().find(|added| added.particle == old) {
                    shares.extend(added.shares.iter().map(|&(place, share)| (place, share * weight)));
                }
            }
            shares.sort_by_key(|share| share.0);
            shares.dedup_by(|next, one| {
                let is_same = next.0 == one.0;
                one.1 += if is_same { next.1 } else { 0.0 };
                is_same
            });
            if shares.len() > MOST_SHARES {
                return None;
            }
            new.push(Added { particle, shares });
        }
        let named = self.added.iter_mut().map(|added| &mut added.particle);
        for particle in named.chain(&mut self.owners).chain(&mut self.edited) {
            *particle = map.place(*particle);
        }
        self.edited.extend(new.iter().map(|added| added.particle));
        self.edited.sort_unstable();
        self.edited.dedup();
        self.added.extend(new);
        Some(self)
    }

    /// Whether it still serves for particles with these inverse masses.
    pub fn serves(&self, inverse_masses: &[Real]) -> bool {
        let free = inverse_masses.iter().filter(|&&inverse| inverse != 0.0).count();
        self.edited.len() <= MOST_EDITED
            && self.free_added(inverse_masses).count() + self.owners.len() == free
    }

    /// How many rows the matrix has.
    pub fn rows(&self) -> usize {
        self.owners.len()
    }

    /// The free particles by places: those of the matrix, then those that edits added.
    pub fn places(&self, inverse_masses: &[Real]) -> Vec<u32> {
        let added = self.free_added(inverse_masses).map(|added| added.particle);
        self.owners.iter().copied().chain(added).collect()
    }

    /// The free particles that edits added.
    pub fn free_added(&self, inverse_masses: &[Real]) -> impl Iterator<Item = &Added> {
        self.added.iter().filter(|added| inverse_masses[added.particle as usize] != 0.0)
    }

    /// The free ones of the edited particles.
    pub fn free_edited(&self, inverse_masses: &[Real]) -> Vec<u32> {
        self.edited.iter().copied().filter(|&particle| inverse_masses[particle as usize] != 0.0).collect()
    }
}
