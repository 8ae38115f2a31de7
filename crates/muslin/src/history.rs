//! What methods remember of the steps before, and when the memory no longer fits.

use crate::lagged::LaggedMatrix;
use crate::math::{Real, Vec3};
use crate::remap::Remap;

/// What methods remember from step to step: a part of the state, so that a copy of the state goes on as the original does.
///
/// Each method uses what it needs. Contact, strain limits, scripts and the mouse all move particles between steps. A multi-step
/// method then starts anew at these particles; comparing bits finds them, whoever moved them: see
/// [`State::was_moved`](crate::state::State::was_moved).
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct History {
    /// Positions that the last step ended with [m]; none before the first.
    pub(crate) end_positions: Vec<Vec3>,
    /// Velocities that the last step ended with [m/s].
    pub(crate) end_velocities: Vec<Vec3>,
    /// x⁻: positions that the last step began with [m].
    pub(crate) positions: Vec<Vec3>,
    /// v⁻: velocities that the last step began with [m/s].
    pub(crate) velocities: Vec<Vec3>,
    /// a⁻: accelerations of the last step [m/s²], or what variants carry in their place.
    pub(crate) accelerations: Vec<Vec3>,
    /// h⁻: length of the last step; of a method with error control, of the step to try next [s]. 0 before the first.
    pub(crate) dt: Real,
    /// γ of the last step [s], of methods with a matrix factored once.
    pub(crate) gamma: Real,
    /// γ of the factors at hand [s], the last used first.
    pub(crate) factored: Vec<Real>,
    /// The matrix from before edits of the topology whose factor serves on.
    pub(crate) lagged: Option<LaggedMatrix>,
    /// Which particles the last step visited, of methods that visit only what moves.
    pub(crate) visited: Vec<bool>,
}

impl History {
    /// Whether no step has been recorded since the start, or since the model changed.
    pub fn is_empty(&self) -> bool {
        self.end_positions.is_empty()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Follows an edit of the topology: the method goes on from its pasts.
    pub(crate) fn follow(&mut self, map: &Remap) {
        let Self { end_positions, end_velocities, positions, velocities, accelerations, .. } = self;
        for list in [end_positions, end_velocities, positions, velocities, accelerations] {
            map.follow(list);
        }
        map.follow(&mut self.visited);
        self.lagged = self.lagged.take().and_then(|lagged| lagged.follow(map));
    }

    /// Has x⁻ and a⁻ for so many particles; zero where they are new.
    pub(crate) fn resize(&mut self, particles: usize) {
        self.positions.resize(particles, Vec3::ZERO);
        self.accelerations.resize(particles, Vec3::ZERO);
    }
}
