//! All forces on all particles: the inner loop of every method.

use crate::elements::{Element, ElementVisitor};
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::par;

/// Computes forces and accelerations; owns the scratch space for it.
#[derive(Clone, Debug, Default)]
pub struct ForcePass {
    normals: Vec<Vec3>,
    slots: Vec<Vec3>,
}

impl ForcePass {
    /// a(t, x, v) of every particle [m/s²]; zero where held.
    pub fn accelerations(&mut self, model: &Model, time: Real, x: &[Vec3], v: &[Vec3], out: &mut Vec<Vec3>) {
        self.forces(model, time, x, v, out);
        let gravity = model.forces.gravity;
        for (a, &w) in out.iter_mut().zip(&model.inverse_masses) {
            *a = if w == 0.0 { Vec3::ZERO } else { *a * w + gravity };
        }
    }

    /// Every force but gravity on every particle, held ones included [N].
    pub fn forces(&mut self, model: &Model, time: Real, x: &[Vec3], v: &[Vec3], out: &mut Vec<Vec3>) {
        out.clear();
        out.resize(x.len(), Vec3::ZERO);
        model.forces.add(time, &model.faces, x, v, &mut self.normals, out);
        if par::worthwhile(model.incidence.slot_count()) {
            self.add_element_forces_in_parallel(model, x, v, out);
        } else {
            model.elements.add_forces(x, v, out);
        }
    }

    /// The same sum as [`Elements::add_forces`](crate::elements::Elements::add_forces), to the bit: first
    /// every element's forces into slots of its own, then every particle gathers its slots in their order.
    fn add_element_forces_in_parallel(&mut self, model: &Model, x: &[Vec3], v: &[Vec3], forces: &mut [Vec3]) {
        struct Fill<'a> {
            x: &'a [Vec3],
            v: &'a [Vec3],
            free: &'a mut [Vec3],
        }
        impl ElementVisitor for Fill<'_> {
            fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
                let (mine, rest) = std::mem::take(&mut self.free).split_at_mut(N * elements.len());
                par::fill_each(elements, mine, N, |e, slots| {
                    slots.copy_from_slice(&e.forces(self.x, self.v));
                });
                self.free = rest;
            }
        }
        self.slots.resize(model.incidence.slot_count(), Vec3::ZERO);
        model.elements.accept(&mut Fill { x, v, free: &mut self.slots });
        let slots = &self.slots;
        par::update_each(forces, |particle, force| {
            for &slot in model.incidence.slots(particle) {
                *force += slots[slot as usize];
            }
        });
        model.elements.add_pressures(x, forces);
    }
}
