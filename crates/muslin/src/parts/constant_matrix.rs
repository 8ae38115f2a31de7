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
        let mut entries = core.entries;
        let pattern = (bending == Bending::Bounded).then(|| Graph::of(free.len(), both_ways(&entries)));
        let mut weak = Couplings { gamma, bending: true, rows: &row_of, entries, graph: pattern.as_ref() };
        model.elements.accept(&mut weak);
        entries = weak.entries;

        let wind = model.forces.wind.as_ref();
        let inertia = |&p: &u32| {
            let p = p as usize;
            // The wind acts along one direction only; in all of them it is at most this.
            let air =
                model.forces.drag.get(p).copied().unwrap_or(0.0) + wind.map_or(0.0, |w| w.coefficients[p]);
            model.masses[p] / (gamma * gamma) + air / gamma
        };
        let mut diagonal: Vec<Real> = free.iter().map(inertia).collect();
        entries.sort_by_key(|entry| entry.0); // stable: sums have one order
        let mut lower: Vec<([u32; 2], Real)> = Vec::with_capacity(entries.len());
        for (at, value) in entries {
            match lower.last_mut() {
                _ if at[0] == at[1] => diagonal[at[0] as usize] += value,
                Some(last) if last.0 == at => last.1 += value,
                _ => lower.push((at, value)),
            }
        }
        let graph = Graph::of(free.len(), both_ways(&lower));
        Self { free, graph, diagonal, lower }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.free.len()
    }

    /// Whether no particle is free.
    pub fn is_empty(&self) -> bool {
        self.free.is_empty()
    }
}

fn both_ways(entries: &[([u32; 2], Real)]) -> Vec<[u32; 2]> {
    let off_diagonal = entries.iter().filter(|([row, column], _)| row != column);
    off_diagonal.flat_map(|&([row, column], _)| [[row, column], [column, row]]).collect()
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
