//! The prediction: all that moves particles but the elements with constraints. Pressures push as forces, as they are at the
//! start of a substep.

use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::state::State;

/// (m + h C) v* = m v + h (m g + f + C v): C of drag and wind together, f at v, so that what depends on v is implicit.
#[derive(Clone, Debug, Default)]
pub struct Motion {
    /// 1/(m + h C) [1/kg]; 0 where held.
    pub inverse_masses: Vec<Real>,
    /// h [s].
    pub h: Real,
    /// Counts the changes of either.
    pub changes: u32,
    /// m/(m + h C).
    gains: Vec<Real>,
    /// What is added to the velocities in a substep [m/s].
    kicks: Vec<Vec3>,
    normals: Vec<Vec3>,
    forces: Vec<Vec3>,
}

impl Motion {
    /// A step of substeps of `h` [s] begins.
    pub fn begin(&mut self, model: &Model, h: Real) {
        let mut changed = self.h != h || self.inverse_masses.len() != model.len();
        self.h = h;
        self.inverse_masses.resize(model.len(), 0.0);
        self.gains.resize(model.len(), 0.0);
        self.kicks.resize(model.len(), Vec3::ZERO);
        for i in 0..model.len() {
            let inverse =
                if model.is_held(i) { 0.0 } else { 1.0 / (model.masses[i] + h * resistance(model, i)) };
            changed |= inverse != self.inverse_masses[i];
            self.inverse_masses[i] = inverse;
            // Without air exactly 1: a particle that nothing slows must not be slowed by rounding.
            self.gains[i] = if resistance(model, i) == 0.0 && !model.is_held(i) {
                1.0
            } else {
                model.masses[i] * inverse
            };
            self.kicks[i] = model.forces.gravity * (h * self.gains[i]);
        }
        self.changes = self.changes.wrapping_add(u32::from(changed));
    }

    /// Velocities v* and positions x + h v* of a substep that ends at `end` [s].
    pub fn predict(&mut self, model: &Model, state: &mut State, end: Real) {
        let pressed = !model.elements.pressures.is_empty();
        if model.forces.wind.is_some() || !model.forces.loads.is_empty() || pressed {
            self.gather_kicks(model, state, end);
        }
        let State { positions, velocities, pin_clocks, .. } = state;
        for (((x, v), &gain), &kick) in
            positions.iter_mut().zip(velocities.iter_mut()).zip(&self.gains).zip(&self.kicks)
        {
            *v = *v * gain + kick;
            *x += *v * self.h;
        }
        model.script.pose(end, pin_clocks, positions, velocities);
    }

    /// The kicks of forces that change from substep to substep.
    fn gather_kicks(&mut self, model: &Model, state: &State, end: Real) {
        let State { positions, velocities, .. } = state;
        self.forces.clear();
        self.forces.resize(model.len(), Vec3::ZERO);
        model.forces.add(end, &model.faces, positions, velocities, &mut self.normals, &mut self.forces);
        model.elements.add_pressures(positions, &mut self.forces);
        for i in 0..model.len() {
            let force = self.forces[i] + velocities[i] * resistance(model, i);
            self.kicks[i] =
                model.forces.gravity * (self.h * self.gains[i]) + force * (self.h * self.inverse_masses[i]);
        }
    }
}

/// C of drag and wind at a particle [kg/s].
fn resistance(model: &Model, particle: usize) -> Real {
    let drag = model.forces.drag.get(particle).copied().unwrap_or(0.0);
    drag + model.forces.wind.as_ref().map_or(0.0, |wind| wind.coefficients[particle])
}
