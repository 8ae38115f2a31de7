//! All forces on all particles: the inner loop of every method.

use crate::elements::{Element, ElementVisitor};
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::par;

/// Computes forces and accelerations; owns the scratch space for it.
#[derive(Clone, Debug, Default)]
pub struct ForcePass {
    /// Whether rods pull and push as springs, or are left to the method.
    rods_are_rigid: bool,
    normals: Vec<Vec3>,
    slots: Vec<Vec3>,
}

impl ForcePass {
    /// For methods that hold rods rigid: everything acts but the rods.
    pub fn without_rods() -> Self {
        Self { rods_are_rigid: true, ..Self::default() }
    }

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
        if par::worthwhile(model.incidence().slot_count()) {
            self.add_element_forces_in_parallel(model, x, v, out);
        } else if self.rods_are_rigid {
            model.elements.add_elastic_forces(x, v, out);
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
        self.slots.resize(model.incidence().slot_count(), Vec3::ZERO);
        let mut fill = Fill { x, v, free: &mut self.slots };
        if self.rods_are_rigid {
            model.elements.accept_elastic(&mut fill);
            fill.free.fill(Vec3::ZERO);
        } else {
            model.elements.accept(&mut fill);
        }
        let slots = &self.slots;
        par::update_each(forces, |particle, force| {
            for &slot in model.incidence().slots(particle) {
                *force += slots[slot as usize];
            }
        });
        model.elements.add_pressures(x, forces);
    }
}
