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

    /// The same of some particles.
    pub(crate) fn part(&self, particles: &[u32]) -> Self {
        fn of<T: Copy>(list: &[T], particles: &[u32]) -> Vec<T> {
            particles.iter().filter_map(|&p| list.get(p as usize).copied()).collect()
        }
        Self {
            end_positions: of(&self.end_positions, particles),
            end_velocities: of(&self.end_velocities, particles),
            positions: of(&self.positions, particles),
            velocities: of(&self.velocities, particles),
            accelerations: of(&self.accelerations, particles),
            visited: of(&self.visited, particles),
            factored: self.factored.clone(),
            lagged: None,
            dt: self.dt,
            gamma: self.gamma,
        }
    }

    /// Takes over from the history of some `particles` what some of them, the `awake` ones, did. The others are at rest where they
    /// are: positions [m] and velocities [m/s].
    pub(crate) fn take_part(
        &mut self,
        part: &Self,
        particles: &[u32],
        awake: &[u32],
        [positions, velocities]: [&[Vec3]; 2],
    ) {
        let scatter = |whole: &mut Vec<Vec3>, part: &[Vec3], others: Option<&[Vec3]>| {
            if part.is_empty() {
                return whole.clear();
            }
            if whole.len() != positions.len() {
                whole.clear();
                whole.extend_from_slice(others.unwrap_or(&[]));
                whole.resize(positions.len(), Vec3::ZERO);
            }
            for &k in awake {
                whole[particles[k as usize] as usize] = part[k as usize];
            }
        };
        scatter(&mut self.end_positions, &part.end_positions, Some(positions));
        scatter(&mut self.end_velocities, &part.end_velocities, Some(velocities));
        scatter(&mut self.positions, &part.positions, Some(positions));
        scatter(&mut self.velocities, &part.velocities, Some(velocities));
        scatter(&mut self.accelerations, &part.accelerations, None);
        self.visited.resize(if part.visited.is_empty() { 0 } else { positions.len() }, false);
        for &k in awake.iter().filter(|_| !part.visited.is_empty()) {
            self.visited[particles[k as usize] as usize] = part.visited[k as usize];
        }
        self.factored.clone_from(&part.factored);
        self.lagged = None; // it was of the whole
        (self.dt, self.gamma) = (part.dt, part.gamma);
    }

    /// Says that a particle rests where it is [m].
    pub(crate) fn rest(&mut self, particle: usize, position: Vec3) {
        let Self { end_positions, end_velocities, positions, velocities, .. } = self;
        for (list, value) in [
            (end_positions, position),
            (positions, position),
            (end_velocities, Vec3::ZERO),
            (velocities, Vec3::ZERO),
        ] {
            if let Some(entry) = list.get_mut(particle) {
                *entry = value;
            }
        }
    }

    /// Has x⁻ and a⁻ for so many particles; zero where they are new.
    pub(crate) fn resize(&mut self, particles: usize) {
        self.positions.resize(particles, Vec3::ZERO);
        self.accelerations.resize(particles, Vec3::ZERO);
    }
}
