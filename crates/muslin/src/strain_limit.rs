//! Provot's correction: springs that a step left too long are shortened.
//!
//! [Provot 1995, §5]: every spring longer than (1 + limit) L is brought back to that length by moving both ends,
//! or the free one. Moves are shared by inverse mass, so that momentum is kept, and velocities follow the moves.

use crate::elements::{Element, Spring, SpringFamily};
use crate::math::{Real, Vec3};
use crate::state::State;

/// How far springs may stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct StrainLimit {
    /// Largest elongation, as a part of the rest length.
    pub limit: Real,
    /// Largest number of passes over all springs; a pass that finds nothing too long ends the correction.
    pub sweeps: u32,
}

impl Default for StrainLimit {
    fn default() -> Self {
        Self { limit: 0.1, sweeps: 10 }
    }
}

impl StrainLimit {
    /// Shortens structural and shear springs; `start` receives the positions before the correction (scratch).
    pub fn apply(
        &self,
        springs: &[Spring],
        inverse_masses: &[Real],
        state: &mut State,
        start: &mut Vec<Vec3>,
        dt: Real,
    ) {
        start.clone_from(&state.positions);
        for _ in 0..self.sweeps {
            if !self.sweep(springs, inverse_masses, &mut state.positions) {
                break;
            }
        }
        for ((v, x), before) in state.velocities.iter_mut().zip(&state.positions).zip(start.iter()) {
            *v += (*x - *before) / dt;
        }
    }

    /// One pass; whether any spring was too long.
    fn sweep(&self, springs: &[Spring], inverse_masses: &[Real], positions: &mut [Vec3]) -> bool {
        let mut corrected = false;
        let limited = |family| matches!(family, SpringFamily::Structural | SpringFamily::Shear);
        for spring in springs.iter().filter(|spring| limited(spring.family)) {
            let [a, b] = spring.particles();
            let [d] = spring.strain(positions);
            let (length, allowed) = (d.length(), (1.0 + self.limit) * spring.rest_length);
            let (wa, wb) = (inverse_masses[a], inverse_masses[b]);
            // The 1e-12 keeps rounding from looking like a stretch that never ends.
            if length <= allowed * (1.0 + 1e-12) || wa + wb == 0.0 {
                continue;
            }
            let excess = d * ((length - allowed) / length / (wa + wb));
            positions[a] += excess * wa;
            positions[b] -= excess * wb;
            corrected = true;
        }
        corrected
    }
}
