//! Preconditioned nonlinear conjugate gradients on the exact energy of a step: the fastest way to a converged implicit step.
//!
//! G is the step as a minimum ([`objective`](crate::parts::objective)), P the constant matrix factored once
//! ([`block_factor`](crate::parts::block_factor)), H the stiffness with negative parts raised to zero:
//!
//! ```text
//! g = ∇G(x)      z = P⁻¹ g      β = max(0, z·(g − g⁻) / z⁻·g⁻)        [Polak & Ribière 1969]
//! p = −z + β p                  x ← x − (g·p / p·Hp) p
//! ```
//!
//! P resists turning as if it were stretching, so that plain descent along −z ([`projective`](super::Projective)) falls in
//! slow motion; conjugate directions and the true curvature undo that. There is no line search. With `scheme = "bdf2"` the
//! step is of second order at the same cost.

use crate::budget::Budget;
use crate::math::Real;
use crate::model::Model;
use crate::parts::backward_difference::Scheme;
#[cfg(feature = "serde")]
use crate::parts::global_step::part_of_one;
use crate::parts::global_step::{FactorUse, GlobalStep, Precision};
use crate::parts::vectors::{dots, turn};
use crate::simd::{Kept, Quad, Scalar, f16};
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of preconditioned nonlinear conjugate gradients.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct PncgConfig {
    /// Iterations a step at the most.
    pub iterations: u32,
    /// The step is done when the largest move of a particle in an iteration is this part of that in the first one, or of
    /// what constant forces alone would do.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "part_of_one"))]
    pub tolerance: Real,
    /// Order in time.
    pub scheme: Scheme,
    /// Inner precision.
    pub precision: Precision,
    /// Time that a step may take [s]; what is reached by then counts. Runs with a budget do not repeat.
    pub time_budget: Real,
}

impl Default for PncgConfig {
    fn default() -> Self {
        Self {
            iterations: 20,
            tolerance: 1e-4,
            scheme: Scheme::Bdf2,
            precision: Precision::Single,
            time_budget: Real::INFINITY,
        }
    }
}

impl PncgConfig {
    /// The solver with these settings.
    pub fn build(self) -> Pncg {
        let descent = match self.precision {
            Precision::Single => Descent::Single(ConjugateGradients::default()),
            Precision::Double => Descent::Double(ConjugateGradients::default()),
        };
        Pncg { config: self, descent, budget: Budget::default() }
    }
}

/// Preconditioned nonlinear conjugate gradients.
#[derive(Clone, Debug)]
pub struct Pncg {
    config: PncgConfig,
    descent: Descent,
    budget: Budget,
}

#[derive(Clone, Debug)]
enum Descent {
    Single(ConjugateGradients<f32, f16>),
    Double(ConjugateGradients<f64, f64>),
}

impl Solver for Pncg {
    fn prepare(&mut self, _model: &Model) {
        match &mut self.descent {
            Descent::Single(descent) => descent.step.prepare(),
            Descent::Double(descent) => descent.step.prepare(),
        }
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        self.budget.begin(input.clock, self.config.time_budget);
        match &mut self.descent {
            Descent::Single(descent) => descent.minimise(&self.config, self.budget, model, state, dt),
            Descent::Double(descent) => descent.minimise(&self.config, self.budget, model, state, dt),
        }
    }
}

#[derive(Clone, Debug, Default)]
struct ConjugateGradients<T, K> {
    step: GlobalStep<T, K>,
    gradient: Vec<Quad<T>>,
    last_gradient: Vec<Quad<T>>,
    conditioned: Vec<Quad<T>>,
    direction: Vec<Quad<T>>,
}

impl<T: Scalar, K: Kept<T>> ConjugateGradients<T, K> {
    fn minimise(
        &mut self,
        config: &PncgConfig,
        budget: Budget,
        model: &Model,
        state: &mut State,
        dt: Real,
    ) -> StepReport {
        let step = &mut self.step;
        step.begin(model, state, dt, config.scheme, FactorUse::Guide);
        for vector in
            [&mut self.gradient, &mut self.last_gradient, &mut self.conditioned, &mut self.direction]
        {
            vector.clear();
            vector.resize(step.x.len(), [T::default(); 4]);
        }
        let free = step.len();
        let mut report = StepReport::default();
        let mut last_decrease = Real::INFINITY;
        while report.iterations < config.iterations {
            step.gradient(model, &mut self.gradient);
            self.conditioned.copy_from_slice(&self.gradient);
            step.apply_inverse(&mut self.conditioned[..free]);
            let [decrease, shared, onward] =
                dots(&self.gradient, &self.conditioned, &self.last_gradient, &self.direction);
            let mut beta = ((decrease - shared) / last_decrease).max(0.0);
            if beta * onward > 0.9 * decrease {
                // Hardly downhill: what is kept of the last direction cancels the new one. Start anew.
                beta = 0.0;
            }
            let slope = beta * onward - decrease;
            turn(&mut self.direction, beta, &self.conditioned);
            let curvature = step.curvature(model, &self.direction);
            let goes_down = slope < 0.0 && curvature > 0.0;
            if !goes_down {
                break; // at the bottom, to rounding; or beyond the largest numbers
            }
            report.residual = step.advance(-slope / curvature, &self.direction);
            report.iterations += 1;
            if step.is_done(report.residual, config.tolerance) {
                break;
            }
            if budget.is_spent() {
                report.out_of_time = u32::from(report.iterations < config.iterations);
                break;
            }
            std::mem::swap(&mut self.gradient, &mut self.last_gradient);
            last_decrease = decrease;
        }
        step.finish(config.scheme, state);
        report
    }
}
