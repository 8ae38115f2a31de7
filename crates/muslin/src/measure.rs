//! Numbers that tell how a simulation is doing.

use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::state::State;
use crate::world::World;

/// The energies of a model [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// ½ Σ m v², and of bodies ½ ω·I ω.
    pub kinetic: Real,
    /// Stored in the elements.
    pub elastic: Real,
    /// −Σ m g·x: zero at the origin.
    pub gravity: Real,
}

impl Energy {
    /// The energies of a state.
    pub fn of(model: &Model, state: &State) -> Self {
        let kinetic: Real =
            model.masses.iter().zip(&state.velocities).map(|(m, v)| 0.5 * m * v.length_squared()).sum();
        let mut weight = model.masses.iter().zip(&state.positions).map(|(m, x)| *x * *m).sum::<Vec3>();
        let mut of_bodies = 0.0;
        for (body, state) in model.bodies.iter().zip(&state.bodies) {
            of_bodies += state.kinetic_energy(body);
            weight += state.pose.center * body.mass;
        }
        Self {
            kinetic: kinetic + of_bodies,
            elastic: model.elements.energy(&state.positions),
            gravity: 0.0 - model.forces.gravity.dot(weight), // 0 − 0 has no sign
        }
    }

    /// Sum of the three [J].
    pub fn total(&self) -> Real {
        self.kinetic + self.elastic + self.gravity
    }
}

/// Linear momentum Σ m v of particles and bodies [kg·m/s].
pub fn momentum(model: &Model, state: &State) -> Vec3 {
    let particles: Vec3 = model.masses.iter().zip(&state.velocities).map(|(m, v)| *v * *m).sum();
    let bodies = model.bodies.iter().zip(&state.bodies);
    bodies.fold(particles, |sum, (body, state)| sum + state.velocity * body.mass)
}

/// Angular momentum Σ m x × v about the origin, of particles and bodies [kg·m²/s].
pub fn angular_momentum(model: &Model, state: &State) -> Vec3 {
    let particle = |i: usize| state.positions[i].cross(state.velocities[i]) * model.masses[i];
    let particles: Vec3 = (0..model.len()).map(particle).sum();
    let bodies = model.bodies.iter().zip(&state.bodies);
    bodies.fold(particles, |sum, (body, state)| {
        sum + state.pose.center.cross(state.velocity) * body.mass + state.angular_momentum(body)
    })
}

/// Stretch of the structural springs and of the edges of membranes and solids, as parts of their rest lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stretch {
    /// The largest elongation.
    pub max: Real,
    /// The mean elongation, shortened springs counting as negative.
    pub mean: Real,
}

impl Stretch {
    /// The stretch of a model at these positions; zero without any of them.
    pub fn of(model: &Model, positions: &[Vec3]) -> Self {
        let (mut max, mut sum, mut count) = (Real::NEG_INFINITY, 0.0, 0u32);
        for stretch in model.stretches(positions) {
            max = max.max(stretch);
            sum += stretch;
            count += 1;
        }
        if count == 0 { Self::default() } else { Self { max, mean: sum / Real::from(count) } }
    }
}

/// Everything that is measured once a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// Time since the start [s].
    pub time: Real,
    /// Energies [J].
    pub energy: Energy,
    /// Heat produced so far [J].
    pub dissipated: Real,
    /// Elastic energy that went with elements across tears and cuts, so far [J].
    pub released: Real,
    /// Linear momentum [kg·m/s].
    pub momentum: Vec3,
    /// Angular momentum about the origin [kg·m²/s].
    pub angular_momentum: Vec3,
    /// Stretch of springs and edges.
    pub stretch: Stretch,
    /// How deep the deepest particle lies in a solid [m].
    pub max_penetration: Real,
}

impl Measures {
    /// Measures a world as it is now.
    pub fn of(world: &World) -> Self {
        let World { model, state, .. } = world;
        Self {
            time: state.time,
            energy: Energy::of(model, state),
            dissipated: state.dissipated,
            released: state.torn.released,
            momentum: momentum(model, state),
            angular_momentum: angular_momentum(model, state),
            stretch: Stretch::of(model, &state.positions),
            max_penetration: world.max_penetration(),
        }
    }
}
