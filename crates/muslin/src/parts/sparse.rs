//! Sparse factorisation: the only file that names faer.

use super::block_matrix::BlockMatrix;
use crate::math::Vec3;
use crate::par;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, SymbolicLlt};
use faer::sparse::{SparseColMat, SymbolicSparseColMat, Triplet};
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

/// The lower triangle of a symmetric matrix of numbers, one for all three coordinates; entries at one place add up.
#[derive(Clone, Debug, Default)]
pub struct ScalarMatrix {
    entries: Vec<Triplet<usize, usize, f64>>,
    rows: usize,
}

impl ScalarMatrix {
    /// Adds `value` at this place on or below the diagonal.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        self.rows = self.rows.max(row + 1);
        self.entries.push(Triplet::new(row, column, value));
    }
}

/// LLᵀ of a [`ScalarMatrix`], factored once.
#[derive(Clone)]
pub struct ScalarCholesky {
    factor: Llt<usize, f64>,
    right: Mat<f64>,
}

impl std::fmt::Debug for ScalarCholesky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScalarCholesky").field("unknowns", &self.right.nrows()).finish_non_exhaustive()
    }
}

impl ScalarCholesky {
    /// The factor; none if the matrix is not positive definite.
    pub fn of(matrix: &ScalarMatrix) -> Option<Self> {
        let lower = SparseColMat::try_new_from_triplets(matrix.rows, matrix.rows, &matrix.entries).ok()?;
        let symbolic = SymbolicLlt::try_new(lower.symbolic(), Side::Lower).ok()?;
        let factor = Llt::try_new_with_symbolic(symbolic, lower.as_ref(), Side::Lower).ok()?;
        Some(Self { factor, right: Mat::zeros(matrix.rows, 3) })
    }

    /// Solves for the particles that have a row; the others' `solution` stays.
    pub fn solve(&mut self, rows: &[Option<usize>], right: &[Vec3], solution: &mut [Vec3]) {
        for (row, vector) in rows.iter().zip(right) {
            if let Some(row) = *row {
                (0..3).for_each(|axis| self.right[(row, axis)] = vector[axis]);
            }
        }
        self.factor.solve_in_place(self.right.as_mut());
        for (row, vector) in rows.iter().zip(solution) {
            if let Some(row) = *row {
                *vector = Vec3::new(self.right[(row, 0)], self.right[(row, 1)], self.right[(row, 2)]);
            }
        }
    }
}

/// The inverse of a [`ScalarMatrix`], n² numbers.
#[derive(Clone, Debug)]
pub struct DenseInverse {
    inverse: Mat<f64>,
    right: Vec<Vec3>,
    product: Vec<Vec3>,
}

impl DenseInverse {
    /// The inverse; none if the matrix is not positive definite.
    pub fn of(matrix: &ScalarMatrix) -> Option<Self> {
        let mut lower = Mat::<f64>::zeros(matrix.rows, matrix.rows);
        for entry in &matrix.entries {
            lower[(entry.row, entry.col)] += entry.val;
        }
        let factor = lower.llt(Side::Lower).ok()?;
        let inverse = factor.solve(Mat::<f64>::identity(matrix.rows, matrix.rows));
        let zeros = vec![Vec3::ZERO; matrix.rows];
        Some(Self { inverse, right: zeros.clone(), product: zeros })
    }

    /// Multiplies for the particles that have a row; the others' `solution` stays.
    pub fn solve(&mut self, rows: &[Option<usize>], right: &[Vec3], solution: &mut [Vec3]) {
        for (row, vector) in rows.iter().zip(right) {
            if let Some(row) = *row {
                self.right[row] = *vector;
            }
        }
        let (inverse, right) = (&self.inverse, &self.right);
        par::update_each(&mut self.product, |row, sum| {
            // The matrix is symmetric: a column, which lies in one piece, is a row.
            *sum = Vec3::ZERO;
            for (value, vector) in inverse.col_as_slice(row).iter().zip(right) {
                *sum += *vector * *value;
            }
        });
        for (row, vector) in rows.iter().zip(solution) {
            if let Some(row) = *row {
                *vector = self.product[row];
            }
        }
    }
}
