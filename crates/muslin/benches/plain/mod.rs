//! The same springs as plain arrays and one plain loop: what the force pass is measured against.

use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::state::State;

/// A model's springs and a state, taken apart into arrays.
pub struct PlainSprings {
    pub ends: Vec<[u32; 2]>,
    pub rest_lengths: Vec<Real>,
    pub stiffnesses: Vec<Real>,
    pub dampings: Vec<Real>,
    pub slacks: Vec<[Real; 2]>,
    pub drag: Vec<Real>,
    pub positions: Vec<[Real; 3]>,
    pub velocities: Vec<[Real; 3]>,
    pub forces: Vec<[Real; 3]>,
}

impl PlainSprings {
    pub fn of(model: &Model, state: &State) -> Self {
        let springs = &model.elements.springs;
        let arrays = |vectors: &[Vec3]| vectors.iter().map(Vec3::to_array).collect();
        Self {
            ends: springs.iter().map(|s| s.ends).collect(),
            rest_lengths: springs.iter().map(|s| s.rest_length).collect(),
            stiffnesses: springs.iter().map(|s| s.stiffness).collect(),
            dampings: springs.iter().map(|s| s.damping).collect(),
            slacks: springs.iter().map(|s| s.slack).collect(),
            drag: model.forces.drag.clone(),
            positions: arrays(&state.positions),
            velocities: arrays(&state.velocities),
            forces: vec![[0.0; 3]; state.positions.len()],
        }
    }

    /// Drag, elastic forces outside the slack interval and damping along the springs.
    pub fn add_up(&mut self) {
        let Self { positions, velocities, forces, .. } = self;
        for ((force, v), c) in forces.iter_mut().zip(velocities.iter()).zip(&self.drag) {
            *force = [-c * v[0], -c * v[1], -c * v[2]];
        }
        let springs = self.ends.iter().zip(&self.rest_lengths).zip(&self.stiffnesses);
        for ((((ends, rest), stiffness), damping), slack) in springs.zip(&self.dampings).zip(&self.slacks) {
            let [a, b] = ends.map(|end| end as usize);
            let (xa, xb, va, vb) = (&positions[a], &positions[b], &velocities[a], &velocities[b]);
            let d = [xb[0] - xa[0], xb[1] - xa[1], xb[2] - xa[2]];
            let w = [vb[0] - va[0], vb[1] - va[1], vb[2] - va[2]];
            let length = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
            let elongation = length - rest;
            let acts = elongation < slack[0] || elongation > slack[1];
            let elastic = if acts { stiffness * elongation } else { 0.0 };
            let reciprocal = 1.0 / length;
            let approach = (w[0] * d[0] + w[1] * d[1] + w[2] * d[2]) * reciprocal;
            let pull = (elastic + damping * approach) * reciprocal;
            for axis in 0..3 {
                forces[a][axis] += pull * d[axis];
            }
            for axis in 0..3 {
                forces[b][axis] -= pull * d[axis];
            }
        }
    }
}

/// A sheet of 100 × 100 particles of this fabric, in motion: all springs are bent out of their rest.
pub fn moving_sheet(fabric: muslin::material::FabricName) -> (Model, State) {
    use muslin::builder::{Builder, Drag, Resolution, Sheet, Surroundings};
    let resolution = Resolution::Particles([100, 100]);
    let sheet = Sheet { fabric: fabric.fabric(), resolution, drag: Drag::Each(0.01), ..Sheet::default() };
    let mut builder = Builder::default();
    builder.add_sheet(&sheet).unwrap();
    let (model, mut state) =
        builder.finish(&Surroundings { gravity: Vec3::ZERO, ..Surroundings::default() }).unwrap();
    let random = |k: usize| muslin::profile::uniform(1, k as u64) - 0.5;
    for i in 0..model.len() {
        let shake = |k: usize| Vec3::new(random(6 * i + k), random(6 * i + k + 1), random(6 * i + k + 2));
        state.positions[i] += shake(0) * 1e-3;
        state.velocities[i] = shake(3);
    }
    (model, state)
}
