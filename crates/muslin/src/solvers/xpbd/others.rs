//! Constraints of any element, in double precision and in the order of the elements.

use crate::elements::{Element, ElementVisitor, Elements, Increment, Spring};
use crate::math::{Real, Vec3};
use crate::model::Model;

/// What is not solved as a plain spring.
#[derive(Clone, Debug, Default)]
pub struct Others {
    elements: Elements,
    /// λ of elasticity and of damping, an element.
    multipliers: Vec<[Real; 2]>,
}

impl Others {
    /// Takes over the elements of a model, but of its springs only `springs`.
    pub fn prepare(&mut self, model: &Model, springs: Vec<Spring>) {
        struct Count(usize);
        impl ElementVisitor for Count {
            fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
                self.0 += elements.len();
            }
        }
        self.elements = model.elements.clone();
        self.elements.springs = springs;
        let mut count = Count(0);
        self.elements.accept(&mut count);
        self.multipliers = vec![[0.0; 2]; count.0];
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.multipliers.is_empty()
    }

    /// λ = 0.
    pub fn enter(&mut self) {
        self.multipliers.fill([0.0; 2]);
    }

    /// Solves every constraint once: elasticity, and damping since `start` as a potential of the substep `h` [s].
    pub fn project(&mut self, inverse_masses: &[Real], start: &[Vec3], positions: &mut [Vec3], h: Real) {
        self.elements.accept(&mut Project {
            inverse_masses,
            start,
            positions,
            h,
            multipliers: &mut self.multipliers,
        });
    }
}

struct Project<'a> {
    inverse_masses: &'a [Real],
    start: &'a [Vec3],
    positions: &'a mut [Vec3],
    h: Real,
    multipliers: &'a mut [[Real; 2]],
}

impl ElementVisitor for Project<'_> {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        let (mine, rest) = std::mem::take(&mut self.multipliers).split_at_mut(elements.len());
        self.multipliers = rest;
        for (element, [elastic, viscous]) in elements.iter().zip(mine) {
            let compliance = element.compliance();
            let strain = element.strain(self.positions);
            if let Some((value, gradient)) = element.constraint(&strain).filter(|_| compliance.is_finite()) {
                self.correct(element, value, &gradient, compliance, elastic);
            }
            // Damping is a constraint √(2D) of its own: D a potential, 1 its compliance.
            let step = Increment { gamma: self.h, past: [element.strain(self.start); 2], beta: 0.0 };
            let strain = element.strain(self.positions);
            let value = (2.0 * element.viscous_potential(&strain, &step)).sqrt();
            if value > 0.0 {
                let gradient = element.viscous_potential_stress(&strain, &step).map(|stress| stress / value);
                self.correct(element, value, &gradient, 1.0, viscous);
            }
        }
    }
}

impl Project<'_> {
    /// Δλ = −(C + α̃ λ)/(Σ w |∇C|² + α̃), Δx = w ∇C Δλ.
    fn correct<const N: usize, const M: usize, E: Element<N, M>>(
        &mut self,
        element: &E,
        value: Real,
        gradient: &[Vec3; M],
        compliance: Real,
        multiplier: &mut Real,
    ) {
        let compliance = compliance / (self.h * self.h);
        let particles = element.particles();
        let gradients = element.transpose(gradient);
        let inverse_masses = particles.map(|particle| self.inverse_masses[particle]);
        let mobility: Real = gradients.iter().zip(inverse_masses).map(|(g, w)| w * g.length_squared()).sum();
        let resistance = mobility + compliance;
        if resistance > 0.0 {
            let change = -(value + compliance * *multiplier) / resistance;
            *multiplier += change;
            for ((particle, gradient), w) in particles.into_iter().zip(gradients).zip(inverse_masses) {
                self.positions[particle] += gradient * (w * change);
            }
        }
    }
}
