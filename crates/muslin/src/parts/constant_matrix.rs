//! The constant matrix M/γ² + D/γ + Σ AᵀWA of projection methods, one row a free particle, the same for all three coordinates.
//!
//! Bending elements reach two particles far and make its factor larger. Where the matrix is the method
//! they enter as they are ([`Bending::Whole`]). Where it only guides they are kept out of the pattern ([`Bending::Bounded`]): a
//! spring over a particle is at most as stiff as twice itself on both links that it spans,
//!
//! ```text
//! |a − b|² ≤ 2 |a − m|² + 2 |m − b|²
//! ```
//!
//! and a hinge at most as stiff as a star from one of its particles. The matrix is then larger than the true one: by
//! little where cloth bends far more easily than it stretches, by much where it does not.

use super::nested_dissection::Graph;
use crate::elements::{Element, ElementVisitor};
use crate::lagged::FactoredMatrix;
use crate::math::Real;
use crate::model::Model;

/// How elements that bend enter the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bending {
    /// As they are: the matrix is M/γ² + D/γ + Σ AᵀWA.
    Whole,
    /// By a bound within the pattern of the other elements: sparser, and nowhere below the whole matrix.
    Bounded,
}

/// A symmetric matrix over the free particles: a diagonal, and entries at the edges of a graph.
#[derive(Clone, Debug, Default)]
pub struct ConstantMatrix {
    /// Number of each free particle in the model.
    pub free: Vec<u32>,
    /// Which rows have an entry in common.
    pub graph: Graph,
    /// Entries of each row on the diagonal [N/m].
    pub diagonal: Vec<Real>,
    /// Entries of the lower triangle, row, column and value [N/m], sorted.
    pub lower: Vec<([u32; 2], Real)>,
}

impl ConstantMatrix {
    /// The matrix of a model for stages of length γ [s].
    pub fn of(model: &Model, gamma: Real, bending: Bending) -> Self {
        const HELD: u32 = u32::MAX;
        let free: Vec<u32> = (0..model.len() as u32).filter(|&p| !model.is_held(p as usize)).collect();
        let mut row_of = vec![HELD; model.len()];
        for (row, &particle) in free.iter().enumerate() {
            row_of[particle as usize] = row as u32;
        }

        let mut core = Couplings { gamma, bending: false, rows: &row_of, entries: Vec::new(), graph: None };
        model.elements.accept(&mut core);
        let mut entries = by_rows(core.entries, free.len());
        let pattern = (bending == Bending::Bounded).then(|| graph(&entries, free.len()));
        let mut weak = Couplings { gamma, bending: true, rows: &row_of, entries, graph: pattern.as_ref() };
        model.elements.accept(&mut weak);
        entries = weak.entries;

        let mut diagonal: Vec<Real> = free.iter().map(|&p| inertia(model, gamma, p)).collect();
        let mut lower: Vec<([u32; 2], Real)> = Vec::with_capacity(entries.len());
        for (at, value) in by_rows(entries, free.len()) {
            match lower.last_mut() {
                _ if at[0] == at[1] => diagonal[at[0] as usize] += value,
                Some(last) if last.0 == at => last.1 += value,
                _ => lower.push((at, value)),
            }
        }
        let graph = graph(&lower, free.len());
        Self { free, graph, diagonal, lower }
    }

    /// The rows and columns of some particles, in their order, as a dense matrix; bending elements as they are.
    pub fn among(model: &Model, gamma: Real, particles: &[u32]) -> Vec<Real> {
        let mut row_of = vec![u32::MAX; model.len()];
        for (row, &particle) in particles.iter().enumerate() {
            row_of[particle as usize] = row as u32;
        }
        let count = particles.len();
        let mut among = Among { gamma, rows: &row_of, count, matrix: vec![0.0; count * count] };
        for (row, &particle) in particles.iter().enumerate() {
            among.matrix[row * count + row] = inertia(model, gamma, particle);
        }
        model.elements.accept(&mut among);
        among.matrix
    }

    /// A matrix that was factored before, once more; of no particles.
    pub fn again(matrix: &FactoredMatrix) -> Self {
        let FactoredMatrix { diagonal, lower, .. } = matrix;
        let graph = graph(lower, diagonal.len());
        Self { free: Vec::new(), graph, diagonal: diagonal.clone(), lower: lower.clone() }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.diagonal.len()
    }

    /// Whether no particle is free.
    pub fn is_empty(&self) -> bool {
        self.diagonal.is_empty()
    }
}

/// Mass and air of a particle [N/m].
fn inertia(model: &Model, gamma: Real, particle: u32) -> Real {
    let p = particle as usize;
    // The wind acts along one direction only; in all of them it is at most this.
    let wind = model.forces.wind.as_ref().map_or(0.0, |wind| wind.coefficients[p]);
    let air = model.forces.drag.get(p).copied().unwrap_or(0.0) + wind;
    model.masses[p] / (gamma * gamma) + air / gamma
}

/// Entries sorted by row and column; equal ones stay in their order, so that sums have one order.
fn by_rows(entries: Vec<([u32; 2], Real)>, rows: usize) -> Vec<([u32; 2], Real)> {
    let mut starts = vec![0usize; rows + 1];
    for ([row, _], _) in &entries {
        starts[*row as usize + 1] += 1;
    }
    for row in 0..rows {
        starts[row + 1] += starts[row];
    }
    let (mut next, mut sorted) = (starts.clone(), vec![([0; 2], 0.0); entries.len()]);
    for entry in entries {
        let place = &mut next[entry.0[0] as usize];
        sorted[*place] = entry;
        *place += 1;
    }
    for ends in starts.windows(2) {
        sorted[ends[0]..ends[1]].sort_by_key(|entry| entry.0[1]);
    }
    sorted
}

/// Which rows have an entry in common, of entries sorted by rows.
fn graph(sorted: &[([u32; 2], Real)], rows: usize) -> Graph {
    let off_diagonal = sorted.iter().map(|entry| entry.0).filter(|[row, column]| row != column);
    Graph::of_lower(rows, &off_diagonal)
}

/// Collects AᵀWA of the core elements, or of the bending ones; within a graph, if there is one.
struct Couplings<'a> {
    gamma: Real,
    bending: bool,
    rows: &'a [u32],
    entries: Vec<([u32; 2], Real)>,
    graph: Option<&'a Graph>,
}

impl Couplings<'_> {
    /// Adds w (Σ cₙ xₙ)²: couplings of every pair.
    fn add_square(&mut self, rows: &[u32], coefficients: &[Real], weight: Real) {
        for (n, &a) in rows.iter().enumerate() {
            for (m, &b) in rows.iter().enumerate().take(n + 1) {
                let value = weight * coefficients[n] * coefficients[m];
                if a as usize >= self.rows.len() || b as usize >= self.rows.len() || value == 0.0 {
                    continue; // held
                }
                self.entries.push(([a.max(b), a.min(b)], value));
            }
        }
    }

    fn is_in_pattern(&self, a: u32, b: u32) -> bool {
        let held = self.rows.len() as u32;
        a == b || a >= held || b >= held || self.graph.is_none_or(|graph| graph.touch(a, b))
    }

    /// A particle that touches both.
    fn between(&self, a: u32, b: u32) -> Option<u32> {
        let graph = self.graph?;
        graph.neighbours(a as usize).iter().copied().find(|&m| graph.touch(m, b))
    }

    fn add(&mut self, rows: &[u32], coefficients: &[Real], weight: Real) {
        let fits = rows.iter().all(|&a| rows.iter().all(|&b| self.is_in_pattern(a, b)));
        if fits {
            return self.add_square(rows, coefficients, weight);
        }
        if let (&[a, b], &[c, _]) = (rows, coefficients) {
            if let Some(middle) = self.between(a, b) {
                self.add_square(&[a, middle], &[c, -c], 2.0 * weight);
                return self.add_square(&[middle, b], &[c, -c], 2.0 * weight);
            }
        } else if let Some(root) = rows.iter().position(|&r| rows.iter().all(|&p| self.is_in_pattern(r, p))) {
            // (Σ cₙ (xₙ − x_r))² ≤ (N − 1) Σ cₙ² (xₙ − x_r)², as the cₙ sum to zero.
            let others = (rows.len() - 1) as Real;
            for n in (0..rows.len()).filter(|&n| n != root) {
                let c = coefficients[n];
                self.add_square(&[rows[root], rows[n]], &[-c, c], others * weight);
            }
            return;
        }
        self.add_square(rows, coefficients, weight);
    }
}

impl ElementVisitor for Couplings<'_> {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        let bending = self.bending;
        for element in elements.iter().filter(|element| element.bends() == bending) {
            let rows = element.particles().map(|p| self.rows[p]);
            let (elastic, viscous) = (element.weights(), element.viscous_weights(self.gamma));
            for (m, row) in element.operator().iter().enumerate() {
                self.add(&rows, row, elastic[m] + viscous[m]);
            }
        }
    }
}

/// Adds up AᵀWA of elements within some particles.
struct Among<'a> {
    gamma: Real,
    /// Rows of the particles; those of others lie beyond `count`.
    rows: &'a [u32],
    count: usize,
    matrix: Vec<Real>,
}

impl ElementVisitor for Among<'_> {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        for element in elements {
            let rows = element.particles().map(|p| self.rows[p] as usize);
            if rows.iter().all(|&row| row >= self.count) {
                continue;
            }
            let (elastic, viscous) = (element.weights(), element.viscous_weights(self.gamma));
            for (m, operator) in element.operator().iter().enumerate() {
                let weight = elastic[m] + viscous[m];
                for (&a, p) in rows.iter().zip(operator).filter(|(row, _)| **row < self.count) {
                    for (&b, q) in rows.iter().zip(operator).filter(|(row, _)| **row < self.count) {
                        self.matrix[a * self.count + b] += weight * p * q;
                    }
                }
            }
        }
    }
}
