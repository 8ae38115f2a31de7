//! Springs one at a time, in double precision.

use super::motion::Motion;
use super::rows::{Color, Row, Terms};
use crate::math::{Real, Vec3};
use crate::state::State;

/// A row, and what it needs in a substep.
#[derive(Clone, Copy, Debug)]
struct Constraint {
    row: Row,
    terms: Terms,
    /// The rest length with what damping makes of it [m].
    rest_length: Real,
    /// λ [kg·m].
    multiplier: Real,
}

/// All rows in the order of the sweep.
#[derive(Clone, Debug, Default)]
pub struct DoubleSprings {
    constraints: Vec<Constraint>,
    /// Whether any damps.
    damped: bool,
    /// Of the motion that the terms are for.
    changes: u32,
    predicted: Vec<Vec3>,
}

impl DoubleSprings {
    /// Takes over the rows of a model.
    pub fn prepare(&mut self, colors: &[Color]) {
        let terms = Terms { compliance: 0.0, mobility: 0.0, viscous: 0.0, elastic: 1.0 };
        let constraint =
            |row: &Row| Constraint { row: *row, terms, rest_length: row.rest_length, multiplier: 0.0 };
        self.constraints = colors.iter().flat_map(|color| color.rows.iter().map(constraint)).collect();
        self.damped = self.constraints.iter().any(|constraint| constraint.row.damping > 0.0);
        self.changes = 0;
    }

    /// A step begins, with these masses.
    pub fn begin(&mut self, motion: &Motion) {
        if self.changes != motion.changes {
            self.changes = motion.changes;
            self.constraints
                .iter_mut()
                .for_each(|constraint| constraint.terms = constraint.row.terms(motion));
        }
    }

    /// Rest lengths L + c/(kh + c) (l̂ − L).
    pub fn damp(&mut self, positions: &[Vec3]) {
        if !self.damped {
            return;
        }
        for Constraint { row, terms, rest_length, .. } in &mut self.constraints {
            let [a, b] = row.ends.map(|end| positions[end as usize]);
            *rest_length = row.rest_length + terms.viscous * (a.distance(b) - row.rest_length);
        }
    }

    /// Remembers the prediction; λ = 0.
    pub fn enter(&mut self, positions: &[Vec3]) {
        self.predicted.clear();
        self.predicted.extend_from_slice(positions);
        self.constraints.iter_mut().for_each(|constraint| constraint.multiplier = 0.0);
    }

    /// Solves every constraint once.
    pub fn project(&mut self, inverse_masses: &[Real], positions: &mut [Vec3]) {
        for Constraint { row, terms, rest_length, multiplier } in &mut self.constraints {
            let [a, b] = row.ends.map(|end| end as usize);
            let d = positions[b] - positions[a];
            let length = d.length();
            if length == 0.0 {
                continue; // no direction
            }
            let before = *multiplier;
            let change =
                -(length - *rest_length + terms.compliance * before) / (terms.mobility + terms.compliance);
            *multiplier = (before + change).max(row.bounds[0]).min(row.bounds[1]);
            let way = d * ((*multiplier - before) / length);
            positions[b] += way * inverse_masses[b];
            positions[a] -= way * inverse_masses[a];
        }
    }

    /// Velocities that lead from the start to the end of the substep: those of the prediction, and what was corrected.
    pub fn leave(&mut self, state: &mut State, h: Real) {
        let State { positions, velocities, .. } = state;
        for ((v, x), predicted) in velocities.iter_mut().zip(positions.iter()).zip(&self.predicted) {
            *v += (*x - *predicted) / h;
        }
    }
}
