//! Elements that are no plain springs, in double precision: block Gauss–Seidel on their stresses.
//!
//! x = x* − h² W Σ Aᵀσ at all times. Once no element changes its σ any more, every σ is the stress of its element at x: the
//! implicit step, whatever the law.

use super::local::{Local, mobility_root};
use crate::elements::{Element, ElementVisitor, Elements, Increment, Spring};
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::parts::coloring::{NOBODY, colors};

/// What is not solved as a plain spring.
#[derive(Clone, Debug, Default)]
pub struct Others {
    elements: Elements,
    /// σ of every strain vector of every element [N].
    stresses: Vec<Vec3>,
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
        let Elements { membranes, corotated_membranes, hinges, quadratic_hinges, tets, attachments, .. } =
            &model.elements;
        self.elements = Elements {
            springs,
            membranes: by_color(membranes, model),
            corotated_membranes: by_color(corotated_membranes, model),
            hinges: by_color(hinges, model),
            quadratic_hinges: by_color(quadratic_hinges, model),
            tets: by_color(tets, model),
            attachments: attachments.clone(),
            ..Elements::default()
        };
        let mut count = Count(0);
        self.elements.accept(&mut count);
        self.stresses = vec![Vec3::ZERO; count.0];
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.stresses.is_empty()
    }

    /// σ = 0.
    pub fn enter(&mut self) {
        self.stresses.fill(Vec3::ZERO);
    }

    /// Solves every element once: elasticity, and damping since `start` as a potential of the substep `h` [s].
    pub fn project(&mut self, inverse_masses: &[Real], start: &[Vec3], positions: &mut [Vec3], h: Real) {
        let stresses = &mut self.stresses[..];
        self.elements.accept(&mut Sweep { inverse_masses, start, positions, h, stresses });
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
