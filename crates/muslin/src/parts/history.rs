//! What multi-step methods remember, and when the memory no longer fits.

use crate::math::Vec3;
use crate::state::State;

/// The positions and velocities a solver left behind, to see who was moved since.
///
/// Contact, strain limits, scripts and the mouse all move particles between steps. A multi-step method then
/// starts anew at these particles; comparing bits finds them, whoever moved them.
#[derive(Clone, Debug, Default)]
pub struct History {
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
}

impl History {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.velocities.clear();
    }

    /// Remembers the state that a step ends with.
    pub fn record(&mut self, state: &State) {
        self.positions.clone_from(&state.positions);
        self.velocities.clone_from(&state.velocities);
    }

    /// Whether nothing is remembered yet.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Whether this particle is not where, or not as fast as, the last step left it.
    #[inline]
    pub fn was_moved(&self, particle: usize, state: &State) -> bool {
        self.is_empty()
            || self.positions[particle] != state.positions[particle]
            || self.velocities[particle] != state.velocities[particle]
    }
}
