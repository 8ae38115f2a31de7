//! Spring projection with a matrix factored once [Wan, Zhu, Yao & Feng 2020; Liu et al. 2013; Bouaziz et al. 2014].
//!
//! ```text
//! local    d = r (p₁ − p₂)/|p₁ − p₂|                                 for every spring                  (10)
//! global   (M + h² L) x = M y + h² J d + h² f_ext                    matrix constant, factored once    (18)
//! ```
//!
//! Written with the residual this is plain descent with the constant matrix P = M/h² + L,
//!
//! ```text
//! x ← x − P⁻¹ ∇G(x),                ∇G = M/h² (x − y) + L x − J d − f_ext
//! ```
//!
//! since a spring's stress is k (p₁ − p₂ − d): the two differ by rounding only, and the second form serves every element, in
//! single precision too. It starts at x + h α v; α below 1 damps. G falls with every iteration, at a linear
//! rate. Equilibria do not depend on the number of iterations; but motion does: few iterations fall in slow motion, as P
//! resists turning like stretching. [`pncg`](super::Pncg) cures that.

use crate::math::Real;
use crate::model::Model;
use crate::parts::backward_difference::Scheme;
use crate::parts::descent::{Descent, Minimiser, Precise, Settings, descent_settings};
use crate::parts::global_step::{FactorUse, GlobalStep, Precision};
use crate::parts::vectors::{dot, reset};
use crate::simd::{Kept, Quad, Scalar};
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

descent_settings! {
    /// Settings of spring projection.
    pub struct ProjectiveConfig {
        iterations = 10,
        tolerance = 1e-4,
        /// α: the part of the velocity that a step keeps, above 0 and at most 1.
        #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::parts::global_step::part_of_one"))]
        pub kept_velocity: Real = 1.0,
        /// Inner precision.
        pub precision: Precision = Precision::Single,
    }
}

impl ProjectiveConfig {
    /// The solver with these settings.
    pub fn build(self) -> Projective {
        let settings = self.settings(Scheme::ImplicitEuler);
        let minimiser = match self.precision {
            Precision::Single => Precise::Single(Minimiser::new(settings, PlainDescent::default())),
            Precision::Double => Precise::Double(Minimiser::new(settings, PlainDescent::default())),
        };
        Projective { kept_velocity: self.kept_velocity, minimiser }
    }
}

/// Spring projection.
#[derive(Clone, Debug)]
pub struct Projective {
    /// α.
    kept_velocity: Real,
    minimiser: Precise<Numbers<f32>, Numbers<f64>>,
}

/// In numbers T.
type Numbers<T> = Minimiser<PlainDescent<T>, T, T>;

impl Solver for Projective {
    fn prepare(&mut self, model: &Model) {
        self.minimiser.prepare(model);
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        for velocity in &mut state.velocities {
            *velocity *= self.kept_velocity;
        }
        self.minimiser.step(model, state, input)
    }
}

#[derive(Clone, Debug, Default)]
struct PlainDescent<T> {
    gradient: Vec<Quad<T>>,
    direction: Vec<Quad<T>>,
    /// Springs are never stiffer than their weights, so that a whole step descends. Other elements may be, far from rest.
    may_overshoot: bool,
}

impl<T: Scalar + Kept<T>> Descent<T, T> for PlainDescent<T> {
    fn factor_use(&self) -> FactorUse {
        FactorUse::Exact
    }

    fn begin(&mut self, model: &Model, step: &mut GlobalStep<T, T>) {
        reset([&mut self.gradient, &mut self.direction], step.x.len());
        let elements = &model.elements;
        self.may_overshoot = elements.len() > elements.springs.len() || !elements.pressures.is_empty();
    }

    fn iterate(&mut self, model: &Model, step: &mut GlobalStep<T, T>) -> Option<Real> {
        step.gradient(model, &mut self.gradient);
        self.direction.copy_from_slice(&self.gradient);
        let free = step.len();
        step.apply_inverse(&mut self.direction[..free]);
        let mut length = 1.0;
        if self.may_overshoot {
            let decrease = dot(&self.gradient, &self.direction);
            length = (decrease / step.curvature(model, &self.direction)).min(1.0);
        }
        Some(step.advance(-length, &self.direction))
    }
}
