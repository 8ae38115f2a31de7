//! The laws for particles: those that a step left inside a solid are corrected. v is the velocity relative to the solid, which may
//! move itself.
//!
//! ```text
//! projection   x to the surface;  v·n reversed times the restitution;  Coulomb friction on the rest,
//!              and no displacement along the surface where the particle sticks
//! reflection   v' = v − n (v·n) − k n (v·n),  x' = x + dt v'      (5.1), (5.2) of Carvalho 2012
//! mirror       x to where its way met the surface, v' = v − 2 n (v·n), and on for the rest of the step
//!                                                                (5.1a) to (5.1c) of Carvalho 2007
//! ```
//!
//! `energy-sharing` is a published rule for bodies that hit a net, and kept for comparison. Methods that solve constraints have
//! projection as one of them, in `constraints.rs`.

pub mod constraints;
mod energy_sharing;
mod impact;
mod mirror;

use crate::contact_law::ContactLaw;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::shape::Placed;
use crate::state::State;
use impact::{bounce, sticks, to_world};

/// Passes over all solids at the most: where two of them meet, one pushes particles into the other.
const PASSES: u32 = 8;

/// Corrects every free particle that lies inside a solid at `time` [s], the end of a step of `dt` [s], by the laws for
/// particles; `start` holds the positions before it.
pub fn resolve(model: &Model, start: &[Vec3], state: &mut State, time: Real, dt: Real) {
    let obstacles = model.obstacles();
    let solids = obstacles.iter().map(|obstacle| obstacle.during(time - dt, time));
    match model.contact {
        ContactLaw::Projection { restitution, friction } => {
            let one_pass = obstacles.len() == 1 && obstacles[0].is_simple();
            for _ in 0..PASSES {
                let moved = for_each_inside(model, &solids, start, state, |solid, particle, x, v| {
                    project(solid, start[particle], x, v, restitution, friction)
                });
                if !moved || one_pass {
                    break;
                }
            }
        }
        ContactLaw::Reflection { restitution, as_printed } => {
            for_each_inside(model, &solids, start, state, |solid, particle, x, v| {
                let entry = solid.entry(start[particle], *x);
                let n = entry.map_or_else(|| solid.closest(*x).normal, |[_, normal]| normal);
                let approach = (*v - solid.velocity(*x)).dot(n);
                if approach < 0.0 || as_printed {
                    *v -= n * ((1.0 + restitution) * approach);
                    *x += *v * dt;
                }
                true
            });
        }
        ContactLaw::Mirror { accelerated } => {
            for solid in solids {
                mirror::reflect(model, &solid, start, state, dt, accelerated);
            }
        }
        ContactLaw::EnergySharing => energy_sharing::strike(model, start, state, dt),
        ContactLaw::Surface(_) => {}
    }
}

/// Visits every free particle inside a solid with its position and velocity; whether any visit moved one.
fn for_each_inside<'a>(
    model: &Model,
    solids: &(impl Iterator<Item = Placed<'a>> + Clone),
    start: &[Vec3],
    state: &mut State,
    mut visit: impl FnMut(&Placed, usize, &mut Vec3, &mut Vec3) -> bool,
) -> bool {
    let mut moved = false;
    for solid in solids.clone() {
        for particle in 0..state.positions.len() {
            if solid.meets(start[particle], state.positions[particle]) && !model.is_held(particle) {
                moved |=
                    visit(&solid, particle, &mut state.positions[particle], &mut state.velocities[particle]);
            }
        }
    }
    moved
}

/// Depths up to this are rounding, not penetration [m].
const ROUNDING: Real = 1e-12;

/// Moves a particle to the surface; it bounces and rubs, or sticks. Whether it was inside by more than rounding.
fn project(
    solid: &Placed,
    start: Vec3,
    x: &mut Vec3,
    v: &mut Vec3,
    restitution: Real,
    friction: Real,
) -> bool {
    let touch = solid.way_out(start, *x);
    if touch.distance >= -ROUNDING {
        return false;
    }
    let n = touch.normal;
    *x -= n * touch.distance;
    let surface_velocity = solid.velocity(*x);
    let relative = *v - surface_velocity;
    if sticks(relative, n, restitution, friction) {
        // Stopping the velocity alone would leave the displacement of this step: a creep of g h/2.
        let displacement = *x - solid.carried(start);
        *x -= displacement - n * displacement.dot(n);
    }
    *v = to_world(surface_velocity, bounce(relative, n, restitution, friction));
    true
}

/// How deep the deepest particle lies inside a solid [m]; 0 if none does. Each collider stands where its script takes it at its
/// own time [s]: see [`World::collider_times`](crate::world::World::collider_times).
pub fn max_penetration(model: &Model, state: &State, collider_times: &[Real]) -> Real {
    let mut deepest = 0.0;
    for (obstacle, time) in model.obstacles().iter().zip(collider_times) {
        let solid = obstacle.at(*time);
        deepest = state.positions.iter().map(|&x| solid.depth(x)).fold(deepest, Real::max);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelData;
    use crate::shape::Shape;

    /// A ball that sinks into the floor: what it pushes down, the floor pushes up, until the particle is outside both.
    #[test]
    fn a_particle_between_two_solids_ends_outside_both() {
        let ball = Shape::Sphere { center: Vec3::Z * 0.1, radius: 0.2 };
        let floor = Shape::Plane { point: Vec3::ZERO, normal: Vec3::Z };
        let (masses, colliders) = (vec![1.0], vec![floor.into(), ball.into()]);
        let data = ModelData { inverse_masses: masses.clone(), masses, colliders, ..ModelData::default() };
        let model = Model::from(data);
        let start = vec![Vec3::new(0.12, 0.0, 0.3)];
        let mut state =
            State { velocities: vec![Vec3::Z * -10.0], ..State::at_rest(vec![Vec3::new(0.12, 0.0, -0.02)]) };
        resolve(&model, &start, &mut state, 0.03, 0.03);
        assert!(max_penetration(&model, &state, &[0.0, 0.0]) < 1e-3, "{}", state.positions[0]);
    }
}
