//! What backward differences of first and second order remember and predict.
//!
//! With r = h/h⁻, h the step to come and h⁻ the one before:
//!
//! ```text
//! x⁺ = α x − β x⁻ + γ v⁺            α = (1 + r)²/(1 + 2r)
//! v⁺ = α v − β v⁻ + γ M⁻¹ f⁺        β = r²/(1 + 2r),   γ = h (1 + r)/(1 + 2r)
//! ```
//!
//! For r = 1: 4/3, 1/3 and 2h/3. r = 0 is implicit Euler: α = 1, β = 0, γ = h. A method of second order starts, and starts
//! anew where a free particle was moved, with a step of implicit Euler for all: two pasts of which one has a jump in it
//! are worse than none.

use super::vectors::PLACES;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::par;
use crate::state::State;

/// Order of the differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Scheme {
    /// First order.
    #[default]
    ImplicitEuler,
    /// Second order.
    Bdf2,
}

impl Scheme {
    /// γ of steps of one length h [s].
    pub fn gamma(self, h: Real) -> Real {
        match self {
            Self::ImplicitEuler => h,
            Self::Bdf2 => 2.0 / 3.0 * h,
        }
    }
}

/// What a step of a backward difference starts from; the pasts themselves are in the state's history.
#[derive(Clone, Debug, Default)]
pub struct BackwardDifference {
    /// x̂ = α x − β x⁻ [m].
    pub base_x: Vec<Vec3>,
    /// v̂ = α v − β v⁻ [m/s].
    pub base_v: Vec<Vec3>,
    /// γ [s].
    pub gamma: Real,
    /// β; α is 1 + β.
    pub beta: Real,
}

impl BackwardDifference {
    /// Predicts a step of h [s] from `state`.
    pub fn begin(&mut self, scheme: Scheme, model: &Model, state: &mut State, h: Real) {
        let goes_on = scheme == Scheme::Bdf2
            && state.history.positions.len() == model.len()
            && (0..model.len()).all(|i| model.is_held(i) || !state.was_moved(i));
        let State { positions, velocities, history, .. } = state;
        let r = if goes_on { h / history.dt } else { 0.0 };
        if !goes_on {
            history.positions.clone_from(positions);
            history.velocities.clone_from(velocities);
        }
        let beta = r * r / (1.0 + 2.0 * r);
        let combine = |now: &[Vec3], last: &[Vec3], out: &mut Vec<Vec3>| {
            out.resize(now.len(), Vec3::ZERO);
            par::fill_chunks(out, PLACES, |chunk, out| {
                let (now, last) = (&now[chunk * PLACES..], &last[chunk * PLACES..]);
                for (out, (now, last)) in out.iter_mut().zip(now.iter().zip(last)) {
                    // α − β = 1; written like this, what rests stays at rest to the bit.
                    *out = *now + (*now - *last) * beta;
                }
            });
        };
        combine(positions, &history.positions, &mut self.base_x);
        combine(velocities, &history.velocities, &mut self.base_v);
        self.gamma = h * (1.0 + r) / (1.0 + 2.0 * r);
        self.beta = beta;
        history.dt = h;
    }

    /// The present becomes the past; `next_x` and `next_v` become the present.
    pub fn finish(scheme: Scheme, state: &mut State, next_x: &mut Vec<Vec3>, next_v: &mut Vec<Vec3>) {
        std::mem::swap(&mut state.history.positions, &mut state.positions);
        std::mem::swap(&mut state.history.velocities, &mut state.velocities);
        std::mem::swap(&mut state.positions, next_x);
        std::mem::swap(&mut state.velocities, next_v);
        if scheme == Scheme::Bdf2 {
            state.record_end();
        }
    }
}
