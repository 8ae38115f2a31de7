//! Pins that move: where held particles are, as functions of time.

use crate::math::{Real, Rotation, Vec3};

/// The movements of a model's held particles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// One entry a group of particles that move together; particles held still need none.
    pub moves: Vec<PinMove>,
}

/// Held particles that move together.
#[derive(Clone, Debug, PartialEq)]
pub struct PinMove {
    /// The particles.
    pub particles: Vec<u32>,
    /// Their positions at time 0 [m].
    pub start: Vec<Vec3>,
    /// How they move.
    pub motion: Motion,
}

/// A rigid movement over time.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
pub enum Motion {
    /// Does not move.
    #[default]
    Still,
    /// Along a straight line while a time lasts.
    Translate {
        /// Velocity [m/s].
        velocity: Vec3,
        /// Start [s].
        from: Real,
        /// End [s].
        until: Real,
    },
    /// About an axis while a time lasts.
    Rotate {
        /// A point of the axis [m].
        center: Vec3,
        /// Direction of the axis.
        axis: Vec3,
        /// Turns a second [1/s].
        turns_per_second: Real,
        /// Start [s].
        from: Real,
        /// End [s].
        until: Real,
    },
    /// To and fro, starting at rest in the middle's turning point: amplitude · (1 − cos 2πft) / 2.
    Oscillate {
        /// From one end of the movement to the other [m].
        amplitude: Vec3,
        /// Frequency [Hz].
        frequency: Real,
    },
}

impl Motion {
    /// Position [m] and velocity [m/s] at `time` of a particle that was at `start` at time 0.
    pub fn at(&self, time: Real, start: Vec3) -> (Vec3, Vec3) {
        match *self {
            Self::Still => (start, Vec3::ZERO),
            Self::Translate { velocity, from, until } => {
                let (elapsed, moving) = elapsed(time, from, until);
                (start + velocity * elapsed, velocity * moving)
            }
            Self::Rotate { center, axis, turns_per_second, from, until } => {
                let axis = axis.normalize_or_zero();
                let rate = std::f64::consts::TAU * turns_per_second;
                let (elapsed, moving) = elapsed(time, from, until);
                let arm = Rotation::from_scaled_axis(axis * (rate * elapsed)) * (start - center);
                (center + arm, (axis * (rate * moving)).cross(arm))
            }
            Self::Oscillate { amplitude, frequency } => {
                let rate = std::f64::consts::TAU * frequency;
                let (sin, cos) = (rate * time).sin_cos();
                (start + amplitude * (0.5 - 0.5 * cos), amplitude * (0.5 * rate * sin))
            }
        }
    }
}

/// How much of the window [from, until) has passed [s], and 1 inside it, 0 outside.
fn elapsed(time: Real, from: Real, until: Real) -> (Real, Real) {
    (time.clamp(from, until.max(from)) - from, Real::from(from <= time && time < until))
}

impl Script {
    /// Puts every scripted particle where it is at `time` [s].
    pub fn pose(&self, time: Real, positions: &mut [Vec3], velocities: &mut [Vec3]) {
        for group in &self.moves {
            for (&particle, &start) in group.particles.iter().zip(&group.start) {
                let (position, velocity) = group.motion.at(time, start);
                positions[particle as usize] = position;
                velocities[particle as usize] = velocity;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn velocities_are_the_derivative_of_positions() {
        let motions = [
            Motion::Translate { velocity: Vec3::new(1.0, 2.0, 3.0), from: 0.5, until: 2.0 },
            Motion::Rotate {
                center: Vec3::X,
                axis: Vec3::new(1.0, 1.0, 0.0),
                turns_per_second: 0.3,
                from: 0.0,
                until: 9.0,
            },
            Motion::Oscillate { amplitude: Vec3::Y, frequency: 2.0 },
        ];
        for motion in motions {
            for time in [0.1, 0.7, 1.3, 3.1] {
                let at = |t| motion.at(t, Vec3::new(0.2, -0.3, 0.4)).0;
                let difference = (at(time + 1e-6) - at(time - 1e-6)) / 2e-6;
                let velocity = motion.at(time, Vec3::new(0.2, -0.3, 0.4)).1;
                assert!((difference - velocity).length() < 1e-8, "{motion:?} at {time}");
            }
        }
    }
}
