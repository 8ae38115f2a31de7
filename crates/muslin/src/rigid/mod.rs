//! How rigid bodies move: free flight, then impulses between them.
//!
//! ```text
//! M v̇ = M g + F p(t) − C v        L̇ = 0,   L = I ω,   I = R I₀ Rᵀ         between contacts
//! v ← v + h v̇,   c ← c + h v                                               symplectic Euler
//! ω½ = I(exp(h/2 ω) R)⁻¹ L,   R ← exp(h ω½) R,   ω ← I(R)⁻¹ L
//! ```
//!
//! So a free body keeps M v and L to rounding. A step goes: flight; impulses between bodies and with solids (`rapier.rs`); impulses
//! and guard at the cloth ([`crate::contact::Contacts`]).

#[cfg(feature = "rigid")]
mod rapier;

#[cfg(feature = "rigid")]
pub use rapier::Collisions;

#[cfg(not(feature = "rigid"))]
use crate::body::BodyState;
use crate::math::Real;
use crate::model::Model;
use crate::state::State;

/// Without the feature `rigid`, bodies touch cloth only.
#[cfg(not(feature = "rigid"))]
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Collisions {}

#[cfg(not(feature = "rigid"))]
impl Collisions {
    /// Nothing to do.
    pub fn act(&mut self, _model: &Model, _start: &[BodyState], _state: &mut State, _h: Real) {}
}

/// Moves the bodies of a model from `state.time` by a step of h [s], as if there were no cloth.
pub fn advance(model: &Model, state: &mut State, collisions: &mut Collisions, h: Real) {
    if model.bodies.is_empty() || state.bodies.iter().any(|body| !body.is_finite()) {
        return;
    }
    let start = state.bodies.clone();
    for (body, now) in model.bodies.iter().zip(&mut state.bodies) {
        now.fly(body, model.forces.gravity, state.time, h);
    }
    collisions.act(model, &start, state, h);
}
