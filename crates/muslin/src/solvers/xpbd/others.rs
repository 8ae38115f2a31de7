//! Elements that are no plain springs, in double precision: block Gauss–Seidel on their stresses.
//!
//! x = x* − h² W Σ Aᵀσ at all times. Once no element changes its σ any more, every σ is the stress of its element at x: the
//! implicit step, whatever the law.
//!
//! That step gains no energy: its kinetic energy is at most that of the prediction and the elastic energy at the start together.
//! What a few sweeps reach may miss this bound if elements are crushed or inside out and drive each other apart; its moves are
//! then shortened until it keeps the bound.

use super::local::{Local, mobility_root};
use crate::elements::{Element, ElementVisitor, Elements, Increment, Spring};
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::parts::coloring::{NOBODY, colors};
use crate::state::State;

/// What is not solved as a plain spring.
#[derive(Clone, Debug, Default)]
pub struct Others {
    elements: Elements,
    /// σ of every strain vector of every element [N].
    stresses: Vec<Vec3>,
    /// Particles of these elements.
    particles: Vec<u32>,
    /// Kinetic energy of the prediction [J].
    kinetic: Real,
    /// Space for positions at the start of a substep, but of held particles at its end: they stretch what they hold before anything
    /// can follow [m].
    held_ahead: Vec<Vec3>,
}

impl Others {
    /// Takes over the elements of a model, but of its springs only `springs`, and no rods.
    pub fn prepare(&mut self, model: &Model, springs: Vec<Spring>) {
        struct Count(usize);
        impl ElementVisitor for Count {
            fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
                self.0 += M * elements.len();
            }
        }
        let Elements {
            membranes,
            corotated_membranes,
            fibre_triangles,
            hinges,
            quadratic_hinges,
            tets,
            attachments,
            ..
        } = &model.elements;
        self.elements = Elements {
            springs,
            membranes: by_color(membranes, model),
            corotated_membranes: by_color(corotated_membranes, model),
            fibre_triangles: by_color(fibre_triangles, model),
            hinges: by_color(hinges, model),
            quadratic_hinges: by_color(quadratic_hinges, model),
            tets: by_color(tets, model),
            attachments: attachments.clone(),
            ..Elements::default()
        };
        let mut count = Count(0);
        self.elements.accept(&mut count);
        self.stresses = vec![Vec3::ZERO; count.0];
        let mut touched = Touched(vec![false; model.len()]);
        self.elements.accept(&mut touched);
        self.particles = (0..model.len() as u32).filter(|&p| touched.0[p as usize]).collect();
    }

    /// A step begins: what particles are tied to may have moved.
    pub fn begin(&mut self, model: &Model) {
        self.elements.attachments.clone_from(&model.elements.attachments);
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.stresses.is_empty()
    }

    /// A substep is predicted, with these velocities [m/s]: σ = 0.
    pub fn enter(&mut self, inverse_masses: &[Real], predicted: &[Vec3]) {
        if !self.is_empty() {
            self.stresses.fill(Vec3::ZERO);
            self.kinetic = kinetic_energy(inverse_masses, predicted);
        }
    }

    /// Keeps the kinetic energy at the end of a substep of `h` [s] at most at all the energy at its start.
    pub fn bound_energy(
        &mut self,
        model: &Model,
        inverse_masses: &[Real],
        start: &[Vec3],
        state: &mut State,
        h: Real,
    ) {
        let kinetic = if self.is_empty() { 0.0 } else { kinetic_energy(inverse_masses, &state.velocities) };
        // What was not finite before the sweeps is for the world to find.
        if kinetic <= self.kinetic || !self.kinetic.is_finite() {
            return;
        }
        let State { positions, velocities, .. } = state;
        let held_ahead = &mut self.held_ahead;
        held_ahead.clear();
        let ends = start.iter().zip(&*positions).enumerate();
        held_ahead.extend(ends.map(|(p, (x, end))| if model.is_held(p) { *end } else { *x }));
        let springs = model.elements.springs.iter().map(|spring| spring.energy(&spring.strain(held_ahead)));
        let bound = self.kinetic + self.elements.energy(held_ahead) + springs.sum::<Real>();
        if kinetic <= bound {
            return;
        }
        let part = if kinetic.is_finite() { (bound / kinetic).sqrt() } else { 0.0 };
        for p in self.particles.iter().map(|&p| p as usize).filter(|&p| !model.is_held(p)) {
            let displacement = if part > 0.0 { (positions[p] - start[p]) * part } else { Vec3::ZERO };
            (positions[p], velocities[p]) = (start[p] + displacement, displacement / h);
        }
    }

    /// Solves every element once: elasticity, and damping since `start` as a potential of the substep `h` [s].
    pub fn project(&mut self, inverse_masses: &[Real], start: &[Vec3], positions: &mut [Vec3], h: Real) {
        let stresses = &mut self.stresses[..];
        self.elements.accept(&mut Sweep { inverse_masses, start, positions, h, stresses });
    }
}

/// ½ Σ m v² of free particles [J].
fn kinetic_energy(inverse_masses: &[Real], velocities: &[Vec3]) -> Real {
    let energy = |(w, v): (&Real, &Vec3)| if *w > 0.0 { 0.5 * v.length_squared() / w } else { 0.0 };
    inverse_masses.iter().zip(velocities).map(energy).sum()
}

/// Which particles have elements.
struct Touched(Vec<bool>);

impl ElementVisitor for Touched {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        elements.iter().flat_map(E::particles).for_each(|particle| self.0[particle] = true);
    }
}

/// Elements in the order of the sweep. In the order of a mesh all neighbours on one side would come later, and what one sweep
/// leaves undone would lean that way; by colours those that come later lie all around.
fn by_color<const N: usize, const M: usize, E: Element<N, M>>(elements: &[E], model: &Model) -> Vec<E> {
    let particle = |p: usize| if model.is_held(p) { NOBODY } else { p as u32 };
    let items: Vec<[u32; N]> = elements.iter().map(|element| element.particles().map(particle)).collect();
    colors(&items, model.len()).into_iter().flatten().map(|k| elements[k as usize]).collect()
}

struct Sweep<'a> {
    inverse_masses: &'a [Real],
    start: &'a [Vec3],
    positions: &'a mut [Vec3],
    h: Real,
    stresses: &'a mut [Vec3],
}

impl ElementVisitor for Sweep<'_> {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        let (mine, rest) = std::mem::take(&mut self.stresses).split_at_mut(M * elements.len());
        self.stresses = rest;
        let h = self.h;
        for (element, applied) in elements.iter().zip(mine.as_chunks_mut::<M>().0) {
            let particles = element.particles();
            let inverse_masses = particles.map(|particle| self.inverse_masses[particle]);
            let local = Local {
                element,
                step: Increment { gamma: h, past: [element.strain(self.start); 2], beta: 0.0 },
                root: mobility_root(&element.operator(), inverse_masses, h),
            };
            let change = local.change(&element.strain(self.positions), applied);
            for (sum, change) in applied.iter_mut().zip(change) {
                *sum += change;
            }
            let forces = element.transpose(&change);
            for ((particle, force), w) in particles.into_iter().zip(forces).zip(inverse_masses) {
                self.positions[particle] -= force * (h * h * w);
            }
        }
    }
}
