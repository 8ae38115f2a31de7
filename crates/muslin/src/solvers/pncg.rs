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

use crate::history::History;
use crate::math::Real;
use crate::model::Model;
use crate::parts::backward_difference::Scheme;
use crate::parts::descent::{Descent, Minimiser, Precise, Settings, descent_settings};
use crate::parts::global_step::{FactorUse, GlobalStep, Precision};
use crate::parts::vectors::{dots, reset, turn};
use crate::simd::{Kept, Quad, Scalar, f16};
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

descent_settings! {
    /// Settings of preconditioned nonlinear conjugate gradients.
    pub struct PncgConfig {
        iterations = 20,
        tolerance = 1e-4,
        /// Order in time.
        pub scheme: Scheme = Scheme::Bdf2,
        /// Inner precision.
        pub precision: Precision = Precision::Single,
    }
}

impl PncgConfig {
    /// The solver with these settings.
    pub fn build(self) -> Pncg {
        let settings = self.settings(self.scheme);
        Pncg(match self.precision {
            Precision::Single => Precise::Single(Minimiser::new(settings, ConjugateGradients::default())),
            Precision::Double => Precise::Double(Minimiser::new(settings, ConjugateGradients::default())),
        })
    }
}

/// Preconditioned nonlinear conjugate gradients.
#[derive(Clone, Debug)]
pub struct Pncg(Precise<Numbers<f32, f16>, Numbers<f64, f64>>);

/// In numbers T, with factors kept as K.
type Numbers<T, K> = Minimiser<ConjugateGradients<T>, T, K>;

impl Solver for Pncg {
    fn prepare(&mut self, model: &Model) {
        self.0.prepare(model);
    }

    fn prepare_for_edit(&mut self, model: &Model, history: &mut History) -> bool {
        self.0.prepare_for_edit(model, history)
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        self.0.step(model, state, input)
    }
}

#[derive(Clone, Debug, Default)]
struct ConjugateGradients<T> {
    gradient: Vec<Quad<T>>,
    last_gradient: Vec<Quad<T>>,
    conditioned: Vec<Quad<T>>,
    direction: Vec<Quad<T>>,
    /// z⁻·g⁻.
    last_decrease: Real,
}

impl<T: Scalar, K: Kept<T>> Descent<T, K> for ConjugateGradients<T> {
    fn factor_use(&self) -> FactorUse {
        FactorUse::Guide
    }

    fn begin(&mut self, _model: &Model, step: &mut GlobalStep<T, K>) {
        let Self { gradient, last_gradient, conditioned, direction, last_decrease } = self;
        reset([gradient, last_gradient, conditioned, direction], step.x.len());
        *last_decrease = Real::INFINITY;
    }

    fn iterate(&mut self, model: &Model, step: &mut GlobalStep<T, K>) -> Option<Real> {
        step.gradient(model, &mut self.gradient);
        self.conditioned.copy_from_slice(&self.gradient);
        let free = step.len();
        step.apply_inverse(&mut self.conditioned[..free]);
        let [decrease, shared, onward] =
            dots(&self.gradient, &self.conditioned, &self.last_gradient, &self.direction);
        let mut beta = ((decrease - shared) / self.last_decrease).max(0.0);
        if beta * onward > 0.9 * decrease {
            // Hardly downhill: what is kept of the last direction cancels the new one. Start anew.
            beta = 0.0;
        }
        let slope = beta * onward - decrease;
        turn(&mut self.direction, beta, &self.conditioned);
        let curvature = step.curvature(model, &self.direction);
        let goes_down = slope < 0.0 && curvature > 0.0;
        if !goes_down {
            return None; // at the bottom, to rounding; or beyond the largest numbers
        }
        std::mem::swap(&mut self.gradient, &mut self.last_gradient);
        self.last_decrease = decrease;
        Some(step.advance(-slope / curvature, &self.direction))
    }
}
