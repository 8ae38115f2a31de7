//! The elimination of the constant matrix, supernode after supernode, in double precision.
//!
//! ```text
//! A_SS = L Lᵀ      A_SS⁻¹ = L⁻ᵀ L⁻¹      G = A_RS A_SS⁻¹      A_RR −= G A_SR, left to the parent
//! ```

use super::constant_matrix::ConstantMatrix;
use super::nested_dissection::Dissection;
use crate::math::Real;
use crate::simd::{self, Kernel, Width};
use std::ops::Range;

/// What elimination leaves of a supernode, by columns.
pub struct Front {
    /// R: later places that it touches, ascending.
    pub rows: Vec<u32>,
    /// A_SS⁻¹ [m/N].
    pub inverse: Vec<Real>,
    /// G.
    pub coupling: Vec<Real>,
}

/// The elimination in blocks, in double precision.
pub struct Elimination<'a> {
    matrix: &'a ConstantMatrix,
    dissection: &'a Dissection,
    /// Below the diagonal of each column in the order of elimination: starts, and places with values.
    starts: Vec<usize>,
    entries: Vec<(u32, Real)>,
}

impl<'a> Elimination<'a> {
    /// The elimination of a matrix in the order of a dissection.
    pub fn of(matrix: &'a ConstantMatrix, dissection: &'a Dissection) -> Self {
        let n = matrix.len();
        let mut place_of = vec![0u32; n];
        for (place, &row) in dissection.order.iter().enumerate() {
            place_of[row as usize] = place as u32;
        }
        let mut sorted: Vec<(u32, u32, Real)> = matrix
            .lower
            .iter()
            .map(|&([a, b], value)| {
                let (a, b) = (place_of[a as usize], place_of[b as usize]);
                (a.min(b), a.max(b), value)
            })
            .collect();
        sorted.sort_unstable_by_key(|&(column, row, _)| (column, row));
        let mut starts = vec![0usize; n + 1];
        for &(column, ..) in &sorted {
            starts[column as usize + 1] += 1;
        }
        for column in 0..n {
            starts[column + 1] += starts[column];
        }
        let entries = sorted.into_iter().map(|(_, row, value)| (row, value)).collect();
        Self { matrix, dissection, starts, entries }
    }

    fn below(&self, column: usize) -> &[(u32, Real)] {
        &self.entries[self.starts[column]..self.starts[column + 1]]
    }

    /// Eliminates every supernode; none if a pivot is not positive.
    pub fn fronts(&self) -> Option<Vec<Front>> {
        let nodes = &self.dissection.nodes;
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        for (k, node) in nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                children[parent].push(k);
            }
        }
        let mut fronts: Vec<Front> = Vec::with_capacity(nodes.len());
        // What a supernode leaves to its parent: the lower triangle over its rows, by columns.
        let mut updates: Vec<Vec<Real>> = vec![Vec::new(); nodes.len()];
        let mut local = vec![u32::MAX; self.matrix.len()];
        for (k, node) in nodes.iter().enumerate() {
            let columns = node.columns.clone();
            let rows = self.rows_of(&columns, children[k].iter().map(|&child| &fronts[child].rows[..]));
            let (count, size) = (columns.len(), columns.len() + rows.len());
            let places = columns.clone().map(|place| place as u32).chain(rows.iter().copied());
            for (index, place) in places.enumerate() {
                local[place as usize] = index as u32;
            }
            let mut front = vec![0.0; size * size];
            for (j, column) in columns.clone().enumerate() {
                front[j * size + j] = self.matrix.diagonal[self.dissection.order[column] as usize];
                for &(row, value) in self.below(column) {
                    front[j * size + local[row as usize] as usize] = value;
                }
            }
            for &child in &children[k] {
                let update = std::mem::take(&mut updates[child]);
                add_update(&mut front, size, &update, &fronts[child].rows, &local);
            }
            let (inverse, coupling) = simd::run(Eliminate { front: &mut front, size, count })?;
            updates[k] = remainder(&front, size, count);
            fronts.push(Front { rows, inverse, coupling });
        }
        Some(fronts)
    }

    /// The later places that a supernode touches, by itself or through what its children left.
    fn rows_of<'r>(&self, columns: &Range<usize>, children: impl Iterator<Item = &'r [u32]>) -> Vec<u32> {
        let own = columns.clone().flat_map(|column| self.below(column).iter().map(|entry| entry.0));
        let mut rows: Vec<u32> = own.chain(children.flatten().copied()).collect();
        rows.retain(|&row| row as usize >= columns.end);
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}

fn add_update(front: &mut [Real], size: usize, update: &[Real], rows: &[u32], local: &[u32]) {
    let count = rows.len();
    for (j, &column) in rows.iter().enumerate() {
        let column = local[column as usize] as usize;
        for i in j..count {
            // Rows ascend in both, so the lower triangle stays the lower one.
            front[column * size + local[rows[i] as usize] as usize] += update[j * count + i];
        }
    }
}

fn remainder(front: &[Real], size: usize, count: usize) -> Vec<Real> {
    (count..size).flat_map(|j| front[j * size + count..(j + 1) * size].iter().copied()).collect()
}

/// Eliminates the first `count` columns of a front, of which the lower triangle is stored by columns.
struct Eliminate<'a> {
    front: &'a mut [Real],
    size: usize,
    count: usize,
}

impl Kernel for Eliminate<'_> {
    type Output = Option<(Vec<Real>, Vec<Real>)>;

    #[inline(always)]
    fn run<W: Width>(self) -> Self::Output {
        let Self { front, size, count } = self;
        for j in 0..count {
            let (head, tail) = front.split_at_mut((j + 1) * size);
            let column = &mut head[j * size..];
            let pivot = column[j];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return None;
            }
            let root = pivot.sqrt();
            column[j] = root;
            for value in &mut column[j + 1..] {
                *value /= root;
            }
            for (k, later) in tail.chunks_exact_mut(size).enumerate() {
                let k = j + 1 + k;
                subtract_multiple(&mut later[k..], &column[k..], column[k]);
            }
        }
        // L⁻¹ by columns, then A⁻¹ = L⁻ᵀ L⁻¹ and G = L₂₁ L⁻¹.
        let mut inverse_l = vec![0.0; count * count];
        for j in 0..count {
            let column = &mut inverse_l[j * count..(j + 1) * count];
            column[j] = 1.0;
            for k in j..count {
                let value = column[k] / front[k * size + k];
                column[k] = value;
                subtract_multiple(&mut column[k + 1..], &front[k * size + k + 1..k * size + count], value);
            }
        }
        let mut inverse = vec![0.0; count * count];
        for j in 0..count {
            for i in 0..=j {
                let (a, b) =
                    (&inverse_l[i * count + j..(i + 1) * count], &inverse_l[j * count + j..(j + 1) * count]);
                let value = a.iter().zip(b).map(|(a, b)| a * b).sum();
                inverse[j * count + i] = value;
                inverse[i * count + j] = value;
            }
        }
        let rows = size - count;
        let mut coupling = vec![0.0; rows * count];
        for (j, column) in coupling.chunks_exact_mut(rows.max(1)).enumerate() {
            for k in j..count {
                subtract_multiple(
                    column,
                    &front[k * size + count..(k + 1) * size],
                    -inverse_l[j * count + k],
                );
            }
        }
        Some((inverse, coupling))
    }
}

#[inline(always)]
fn subtract_multiple(to: &mut [Real], from: &[Real], factor: Real) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = (-factor).mul_add(*from, *to);
    }
}
