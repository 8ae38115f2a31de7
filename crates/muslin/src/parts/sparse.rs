//! Sparse factorisation: the only file that names faer.

use super::block_matrix::BlockMatrix;
use crate::math::Vec3;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, SymbolicLlt};
use faer::sparse::{SparseColMat, SymbolicSparseColMat};
use faer::{Mat, Side};

/// LLᵀ of a symmetric positive definite block matrix without the rows and columns of held particles.
///
/// The order of elimination is found once; every solve factors anew.
#[derive(Clone)]
pub struct SparseCholesky {
    /// Row of each particle in the reduced matrix, in particles.
    rows: Vec<Option<usize>>,
    lower: SparseColMat<usize, f64>,
    symbolic: Option<SymbolicLlt<usize>>,
    right: Mat<f64>,
}

impl std::fmt::Debug for SparseCholesky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SparseCholesky").field("unknowns", &self.right.nrows()).finish_non_exhaustive()
    }
}

impl SparseCholesky {
    /// Finds the order of elimination for the pattern of `matrix`.
    pub fn with_pattern(matrix: &BlockMatrix, free: &[bool]) -> Self {
        let mut count = 0;
        let rows: Vec<Option<usize>> = free
            .iter()
            .map(|&free| {
                count += usize::from(free);
                free.then(|| count - 1)
            })
            .collect();
        let mut starts = vec![0];
        let mut indices = Vec::new();
        for particle in (0..free.len()).filter(|&p| free[p]) {
            for axis in 0..3 {
                entries_below(matrix, &rows, particle, axis, |row, _| indices.push(row));
                starts.push(indices.len());
            }
        }
        let values = vec![0.0; indices.len()];
        let pattern = SymbolicSparseColMat::new_checked(3 * count, 3 * count, starts, None, indices);
        let symbolic = SymbolicLlt::try_new(pattern.as_ref(), Side::Lower).ok();
        Self { rows, lower: SparseColMat::new(pattern, values), symbolic, right: Mat::zeros(3 * count, 1) }
    }

    /// Solves `matrix` · `solution` = `right`; false if the matrix is not positive definite.
    pub fn solve(&mut self, matrix: &BlockMatrix, right: &[Vec3], solution: &mut [Vec3]) -> bool {
        let values = self.lower.val_mut();
        let mut next = 0;
        for (particle, row) in self.rows.iter().enumerate() {
            let Some(row) = *row else { continue };
            for axis in 0..3 {
                entries_below(matrix, &self.rows, particle, axis, |_, value| {
                    values[next] = value;
                    next += 1;
                });
                self.right[(3 * row + axis, 0)] = right[particle][axis];
            }
        }
        let Some(symbolic) = self.symbolic.clone() else { return false };
        let Ok(factor) = Llt::try_new_with_symbolic(symbolic, self.lower.as_ref(), Side::Lower) else {
            return false;
        };
        factor.solve_in_place(self.right.as_mut());
        for (particle, row) in self.rows.iter().enumerate() {
            solution[particle] = row.map_or(Vec3::ZERO, |row| {
                Vec3::new(
                    self.right[(3 * row, 0)],
                    self.right[(3 * row + 1, 0)],
                    self.right[(3 * row + 2, 0)],
                )
            });
        }
        true
    }
}

/// Visits the entries on and below the diagonal of one scalar column, from top to bottom: row and value.
/// The matrix is symmetric, so column blocks are read from the row of the same number.
fn entries_below(
    matrix: &BlockMatrix,
    rows: &[Option<usize>],
    particle: usize,
    axis: usize,
    mut visit: impl FnMut(usize, f64),
) {
    for (other, block) in matrix.row(particle).filter(|(other, _)| *other >= particle) {
        let Some(row) = rows[other] else { continue };
        let first = if other == particle { axis } else { 0 };
        for k in first..3 {
            visit(3 * row + k, block.col(k)[axis]);
        }
    }
}
