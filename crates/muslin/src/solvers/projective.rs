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

use crate::budget::Budget;
use crate::math::Real;
use crate::model::Model;
use crate::parts::backward_difference::Scheme;
#[cfg(feature = "serde")]
use crate::parts::global_step::part_of_one;
use crate::parts::global_step::{FactorUse, GlobalStep, Precision};
use crate::parts::vectors::dot;
use crate::simd::{Kept, Quad, Scalar};
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of spring projection.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct ProjectiveConfig {
    /// Iterations a step at the most.
    pub iterations: u32,
    /// The step is done when the largest move of a particle in an iteration is this part of that in the first one, or of
    /// what constant forces alone would do.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "part_of_one"))]
    pub tolerance: Real,
    /// α: the part of the velocity that a step keeps, above 0 and at most 1.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "part_of_one"))]
    pub kept_velocity: Real,
    /// Inner precision.
    pub precision: Precision,
    /// Time that a step may take [s]; what is reached by then counts. Runs with a budget do not repeat.
    pub time_budget: Real,
}

impl Default for ProjectiveConfig {
    fn default() -> Self {
        Self {
            iterations: 10,
            tolerance: 1e-4,
            kept_velocity: 1.0,
            precision: Precision::Single,
            time_budget: Real::INFINITY,
        }
    }
}

impl ProjectiveConfig {
    /// The solver with these settings.
    pub fn build(self) -> Projective {
        let descent = match self.precision {
            Precision::Single => Descent::Single(PlainDescent::default()),
            Precision::Double => Descent::Double(PlainDescent::default()),
        };
        Projective { config: self, descent, budget: Budget::default() }
    }
}

/// Spring projection.
#[derive(Clone, Debug)]
pub struct Projective {
    config: ProjectiveConfig,
    descent: Descent,
    budget: Budget,
}

#[derive(Clone, Debug)]
enum Descent {
    Single(PlainDescent<f32>),
    Double(PlainDescent<f64>),
}

impl Solver for Projective {
    fn prepare(&mut self, _model: &Model) {
        match &mut self.descent {
            Descent::Single(descent) => descent.step.prepare(),
            Descent::Double(descent) => descent.step.prepare(),
        }
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        self.budget.begin(input.clock, self.config.time_budget);
        for velocity in &mut state.velocities {
            *velocity *= self.config.kept_velocity;
        }
        match &mut self.descent {
            Descent::Single(descent) => descent.minimise(&self.config, self.budget, model, state, dt),
            Descent::Double(descent) => descent.minimise(&self.config, self.budget, model, state, dt),
        }
    }
}

#[derive(Clone, Debug, Default)]
struct PlainDescent<T> {
    step: GlobalStep<T, T>,
    gradient: Vec<Quad<T>>,
    direction: Vec<Quad<T>>,
}

impl<T: Scalar + Kept<T>> PlainDescent<T> {
    fn minimise(
        &mut self,
        config: &ProjectiveConfig,
        budget: Budget,
        model: &Model,
        state: &mut State,
        dt: Real,
    ) -> StepReport {
        let step = &mut self.step;
        step.begin(model, state, dt, Scheme::ImplicitEuler, FactorUse::Exact);
        for vector in [&mut self.gradient, &mut self.direction] {
            vector.clear();
            vector.resize(step.x.len(), [T::default(); 4]);
        }
        let free = step.len();
        // Springs are never stiffer than their weights, so that a whole step descends. Other elements may be, far from rest.
        let elements = &model.elements;
        let may_overshoot = elements.len() > elements.springs.len() || !elements.pressures.is_empty();
        let mut report = StepReport::default();
        while report.iterations < config.iterations {
            step.gradient(model, &mut self.gradient);
            self.direction.copy_from_slice(&self.gradient);
            step.apply_inverse(&mut self.direction[..free]);
            let mut length = 1.0;
            if may_overshoot {
                let decrease = dot(&self.gradient, &self.direction);
                length = (decrease / step.curvature(model, &self.direction)).min(1.0);
            }
            report.residual = step.advance(-length, &self.direction);
            report.iterations += 1;
            if step.is_done(report.residual, config.tolerance) {
                break;
            }
            if budget.is_spent() {
                report.out_of_time = u32::from(report.iterations < config.iterations);
                break;
            }
        }
        step.finish(Scheme::ImplicitEuler, state);
        report
    }
}
