//! Springs eight at a time, in single precision, on displacements from the start of the step, or of the one that it is a part of.

use super::motion::Motion;
use super::rows::{Color, Row};
use crate::math::{Real, Vec3};
use crate::simd::constraints::{Batch, Instructions, Particle, Sweep};
use crate::state::State;

/// All rows in the order of the sweep, a batch a colour.
#[derive(Clone, Debug)]
pub struct SingleSprings {
    batches: Vec<RowBatch>,
    /// Displacements from the reference, inverse masses, and one more for the filling.
    particles: Vec<Particle>,
    /// Positions from which displacements count [m].
    reference: Vec<Vec3>,
    /// Of the motion that the terms are for.
    changes: u32,
    sweep: Sweep,
    /// Scratch: positions in double precision [m].
    positions: Vec<Vec3>,
}

#[derive(Clone, Debug)]
struct RowBatch {
    batch: Batch,
    rows: Vec<Row>,
    /// k/(k + c/h) of each, in double precision: 1 minus its small complement would lose digits of the stiffness.
    elastic: Vec<Real>,
    /// Whether any damps.
    damped: bool,
}

impl Default for SingleSprings {
    fn default() -> Self {
        Self {
            batches: Vec::new(),
            particles: Vec::new(),
            reference: Vec::new(),
            changes: 0,
            sweep: Sweep { width: Instructions::PLAIN, accumulate: false },
            positions: Vec::new(),
        }
    }
}

/// No α̃ is larger in single precision [1/kg]: 1e30 can be multiplied by lengths and λ, and is no force at all.
const SOFTEST: Real = 1e30;

impl SingleSprings {
    /// Takes over the rows of a model of so many particles.
    pub fn prepare(&mut self, colors: &[Color], particles: usize) {
        self.sweep.width = Instructions::detect();
        self.particles = vec![Particle::default(); particles + 1];
        self.reference.clear();
        self.changes = 0;
        self.batches = colors
            .iter()
            .map(|Color { rows, anchored, bounded }| {
                let ends: Vec<[u32; 2]> = rows.iter().map(|row| row.ends).collect();
                let mut batch = Batch::new(&ends, particles + 1, *anchored, *bounded);
                if *bounded {
                    let bounds = rows.iter().map(|row| row.bounds.map(|bound| bound as f32));
                    bounds.enumerate().for_each(|(k, bounds)| batch.set_bounds(k, bounds));
                }
                let damped = rows.iter().any(|row| row.damping > 0.0);
                RowBatch { batch, rows: rows.clone(), elastic: vec![1.0; rows.len()], damped }
            })
            .collect();
    }

    /// A step begins, with these masses and here; `goes_on` if it is a part of the one before, and not its first.
    pub fn begin(&mut self, motion: &Motion, positions: &[Vec3], iterations: u32, goes_on: bool) {
        self.sweep.accumulate = iterations > 1;
        let goes_on = goes_on && self.reference.len() == positions.len();
        if !goes_on {
            self.reference.clear();
            self.reference.extend_from_slice(positions);
        }
        let places = positions.iter().zip(&self.reference).zip(&motion.inverse_masses);
        for (particle, ((x, reference), &inverse_mass)) in self.particles.iter_mut().zip(places) {
            let [x, y, z] = single(*x - *reference);
            particle.0 = [x, y, z, inverse_mass as f32];
        }
        let changed = self.changes != motion.changes;
        self.changes = motion.changes;
        for batch in &mut self.batches {
            if changed {
                batch.set_terms(motion);
            }
            if changed || !goes_on {
                batch.set_reference(&self.reference);
            }
        }
    }

    /// Dampers take their lengths.
    pub fn damp(&mut self) {
        for RowBatch { batch, .. } in self.batches.iter_mut().filter(|batch| batch.damped) {
            batch.damp(self.sweep.width, &self.particles);
        }
    }

    /// Takes over the predicted positions; λ = 0.
    pub fn enter(&mut self, positions: &[Vec3]) {
        for ((particle, x), reference) in self.particles.iter_mut().zip(positions).zip(&self.reference) {
            let [x, y, z] = single(*x - *reference);
            particle.0 = [x, y, z, particle.0[3]];
        }
        if self.sweep.accumulate {
            self.batches.iter_mut().for_each(|batch| batch.batch.reset());
        }
    }

    /// Solves every constraint once.
    pub fn project(&mut self) {
        for RowBatch { batch, .. } in &mut self.batches {
            batch.project(self.sweep, &mut self.particles);
        }
    }

    /// Corrects the positions with `correct`, in double precision.
    pub fn in_double(&mut self, correct: impl FnOnce(&mut [Vec3])) {
        let at = |particle: &Particle, reference: &Vec3| {
            let [x, y, z, _] = particle.0.map(Real::from);
            *reference + Vec3::new(x, y, z)
        };
        self.positions.clear();
        self.positions.extend(
            self.particles.iter().zip(&self.reference).map(|(particle, reference)| at(particle, reference)),
        );
        correct(&mut self.positions);
        for ((particle, reference), x) in self.particles.iter_mut().zip(&self.reference).zip(&self.positions)
        {
            let correction = single(*x - at(particle, reference));
            for axis in 0..3 {
                particle.0[axis] += correction[axis];
            }
        }
    }

    /// Adds what the sweeps corrected to the predicted positions and velocities.
    pub fn leave(&mut self, state: &mut State, h: Real) {
        let State { positions, velocities, .. } = state;
        let per_step = 1.0 / h;
        for (((x, v), particle), reference) in
            positions.iter_mut().zip(velocities.iter_mut()).zip(&self.particles).zip(&self.reference)
        {
            let predicted = single(*x - *reference);
            let correction = std::array::from_fn(|axis| Real::from(particle.0[axis] - predicted[axis]));
            let correction = Vec3::from_array(correction);
            *x += correction;
            *v += correction * per_step;
        }
    }
}

impl RowBatch {
    /// What depends on masses and step.
    fn set_terms(&mut self, motion: &Motion) {
        for (k, row) in self.rows.iter().enumerate() {
            let terms = row.terms(motion);
            self.batch.set_terms(k, terms.mobility, terms.compliance.min(SOFTEST), terms.viscous);
            self.elastic[k] = terms.elastic;
        }
    }

    /// What depends on where displacements count from.
    fn set_reference(&mut self, positions: &[Vec3]) {
        for (k, (row, elastic)) in self.rows.iter().zip(&self.elastic).enumerate() {
            let [a, b] = row.ends.map(|end| positions[end as usize]);
            let d = b - a;
            let length = d.length();
            let excess = length - row.rest_length;
            self.batch.set_reference(k, single(d), length as f32, [excess as f32, (excess * elastic) as f32]);
        }
    }
}

fn single(vector: Vec3) -> [f32; 3] {
    [vector.x as f32, vector.y as f32, vector.z as f32]
}
