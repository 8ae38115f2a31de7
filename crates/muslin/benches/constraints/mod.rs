//! The springs of a sheet as constraints of XPBD: for the kernel, and as plain arrays for a plain loop.

use muslin::builder::{Builder, Mass, Resolution, Sheet, Surroundings};
use muslin::elements::Element;
use muslin::internals::parts::coloring::colors;
use muslin::internals::simd::constraints::{Batch, Instructions, Particle, Sweep};
use muslin::material::{Fabric, Link};
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::state::State;

/// A substep [s]: 24 of them a frame.
pub const H: Real = 1.0 / 1440.0;

/// A sheet of 2 m and N × N particles of 0.8 kg in all, structural, shear and flexion springs, all bent out of their rest.
pub fn shaken_sheet(side: usize) -> (Model, State) {
    let link = |stiffness| Link { stiffness, ..Link::default() };
    let sheet = Sheet {
        size: [2.0, 2.0],
        resolution: Resolution::Particles([side, side]),
        fabric: Fabric { structural: link(2e4), shear: link(1e3), flexion: link(200.0), ..Fabric::default() },
        mass: Mass::Total(0.8),
        ..Sheet::default()
    };
    let mut builder = Builder::default();
    builder.add_sheet(&sheet).unwrap();
    let (model, mut state) =
        builder.finish(&Surroundings { gravity: Vec3::ZERO, ..Surroundings::default() }).unwrap();
    for (i, x) in state.positions.iter_mut().enumerate() {
        for axis in 0..3 {
            x[axis] += 1e-3 * (muslin::profile::uniform(1, (3 * i + axis) as u64) - 0.5);
        }
    }
    (model, state)
}

/// The same model with its springs in the order in which the kernel takes them.
pub fn by_colors(model: &Model) -> Model {
    let springs = &model.elements.springs;
    let ends: Vec<[u32; 2]> = springs.iter().map(|spring| spring.ends).collect();
    let mut sorted = model.clone();
    let order = colors(&ends, model.len()).concat();
    sorted.change(|data| data.elements.springs = order.into_iter().map(|k| springs[k as usize]).collect());
    sorted
}

/// Constraints in batches, and where they start.
pub struct WideConstraints {
    batches: Vec<Batch>,
    start: Vec<Particle>,
    pub particles: Vec<Particle>,
}

impl WideConstraints {
    pub fn of(model: &Model, state: &State) -> Self {
        let springs = &model.elements.springs;
        let ends: Vec<[u32; 2]> = springs.iter().map(|spring| spring.ends).collect();
        let batches = colors(&ends, model.len()).into_iter().map(|color| {
            let mine: Vec<[u32; 2]> = color.iter().map(|&k| ends[k as usize]).collect();
            let mut batch = Batch::new(&mine, model.len() + 1, false, false);
            for (k, &number) in color.iter().enumerate() {
                let spring = &springs[number as usize];
                let [d] = spring.strain(&state.positions);
                let (length, excess) = (d.length() as f32, (d.length() - spring.rest_length) as f32);
                batch.set_reference(k, d.to_array().map(|c| c as f32), length, [excess; 2]);
                let [a, b] = spring.ends.map(|end| model.inverse_masses[end as usize]);
                batch.set_terms(k, a + b, 1.0 / (spring.stiffness * H * H), 0.0);
            }
            batch
        });
        let mut start: Vec<Particle> =
            model.inverse_masses.iter().map(|&w| Particle([0.0, 0.0, 0.0, w as f32])).collect();
        start.push(Particle::default());
        Self { batches: batches.collect(), particles: start.clone(), start }
    }

    /// Back to the start.
    pub fn restart(&mut self) {
        self.particles.copy_from_slice(&self.start);
    }

    /// One sweep over all constraints.
    pub fn sweep(&mut self, width: Instructions) {
        for batch in &mut self.batches {
            batch.project(Sweep { width, accumulate: false }, &mut self.particles);
        }
    }
}

macro_rules! plain_constraints {
    ($name:ident, $number:ty) => {
        /// Constraints as plain arrays, in the order of the springs.
        pub struct $name {
            ends: Vec<[u32; 2]>,
            rest_lengths: Vec<$number>,
            compliances: Vec<$number>,
            inverse_masses: Vec<$number>,
            start: Vec<[$number; 3]>,
            pub positions: Vec<[$number; 3]>,
        }

        impl $name {
            pub fn of(model: &Model, state: &State) -> Self {
                let springs = &model.elements.springs;
                let start: Vec<_> =
                    state.positions.iter().map(|x| x.to_array().map(|c| c as $number)).collect();
                Self {
                    ends: springs.iter().map(|s| s.ends).collect(),
                    rest_lengths: springs.iter().map(|s| s.rest_length as $number).collect(),
                    compliances: springs.iter().map(|s| (1.0 / (s.stiffness * H * H)) as $number).collect(),
                    inverse_masses: model.inverse_masses.iter().map(|&w| w as $number).collect(),
                    positions: start.clone(),
                    start,
                }
            }

            /// Back to the start.
            pub fn restart(&mut self) {
                self.positions.copy_from_slice(&self.start);
            }

            /// One sweep over all constraints.
            pub fn sweep(&mut self) {
                let Self { positions, inverse_masses, .. } = self;
                for ((ends, rest), compliance) in
                    self.ends.iter().zip(&self.rest_lengths).zip(&self.compliances)
                {
                    let [a, b] = ends.map(|end| end as usize);
                    let (xa, xb) = (positions[a], positions[b]);
                    let d = [xb[0] - xa[0], xb[1] - xa[1], xb[2] - xa[2]];
                    let length = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
                    let (wa, wb) = (inverse_masses[a], inverse_masses[b]);
                    let pull = (length - rest) / ((wa + wb + compliance) * length);
                    for axis in 0..3 {
                        positions[a][axis] += wa * pull * d[axis];
                    }
                    for axis in 0..3 {
                        positions[b][axis] -= wb * pull * d[axis];
                    }
                }
            }
        }
    };
}

plain_constraints!(PlainDouble, f64);
plain_constraints!(PlainSingle, f32);
