//! How a solid hits a net by sharing its energy, as published [D. D. B. Carvalho, MSc, UFSC 2007, section 5.3].
//!
//! ```text
//! hit         the n free particles inside the solid at the end of a step
//! energy      B_W = ½ M |V|²,   p_W = B_W/n                      (5.2c) to (5.2g)
//! force       F = p_W ΔX/|ΔX|²,   F·ΔX = p_W                     (5.2h), (5.2i), where the source divides by a vector
//! particles   v ← v + h F/m,   x ← x + h² F/m
//! solid       M V ← M V − Σ m v, over the particles hit          (5.2b)
//! ```
//!
//! ΔX leads from a particle to where it would touch the solid. The solid does not turn. What B_W, the particles hit and ΔX are, the
//! source leaves open; this reading is the one that breaks a spring in its experiment 2, as published.
//!
//! It is no law of nature. F takes a particle by p_W h²/(m |ΔX|), not by ΔX: the less it lies inside, the harder it is thrown.
//! (5.2b) takes particles for resting ones, and all that they have is taken from the solid again in every step of a contact.
//! So energy is made or lost. [`Contacts`](crate::contact::Contacts) is the law to use; this one shows what the published experiments did.

use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::script::Frame;
use crate::shape::{Collider, Obstacle};
use crate::state::State;

/// Lets every body hit the particles that a step of h [s] left inside it; `start` holds the positions before the step [m].
pub fn strike(model: &Model, start: &[Vec3], state: &mut State, h: Real) {
    for k in 0..model.bodies.len() {
        let exits = exits_from(model, start, state, k, h);
        let (mass, now) = (model.bodies[k].mass, &mut state.bodies[k]);
        let work = 0.5 * mass * now.velocity.length_squared() / exits.len() as Real;
        for &(p, exit) in &exits {
            let push = exit * (work / exit.length_squared() * h * model.inverse_masses[p]);
            state.velocities[p] += push;
            state.positions[p] += push * h;
        }
        let given: Vec3 = exits.iter().map(|&(p, _)| state.velocities[p] * model.masses[p]).sum();
        now.velocity -= given / mass;
    }
}

/// The free particles inside a body, each with ΔX [m].
fn exits_from(model: &Model, start: &[Vec3], state: &State, body: usize, h: Real) -> Vec<(usize, Vec3)> {
    let (rigid, now) = (&model.bodies[body], &state.bodies[body]);
    let before = now.pose.moved(now.velocity * -h, now.spin * -h);
    let frames: [Frame; 2] =
        [before, now.pose].map(|pose| crate::body::BodyState { pose, ..*now }.frame(rigid));
    let obstacle = Obstacle::new(&Collider { thickness: rigid.thickness, ..rigid.shape.clone().into() });
    let solid = obstacle.between(frames);
    let exit = |p: usize| {
        let x = state.positions[p];
        let [surface, _] = solid.surface(start[p], x)?;
        let exit = surface - x;
        (exit.length_squared() > 0.0).then_some((p, exit))
    };
    (0..model.len()).filter(|&p| !model.is_held(p)).filter_map(exit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::RigidBody;
    use crate::model::ModelData;
    use crate::shape::Shape;

    const H: Real = 0.01;

    /// A cube of edge 1 m and 5 kg that came down by 2 m/s on three particles of 1, 2 and 4 kg, the last of which is pinned; a
    /// fourth lies beside it.
    fn cube_on_particles() -> (Model, Vec<Vec3>, State) {
        let start = vec![
            Vec3::new(0.1, 0.0, -0.001),
            Vec3::new(-0.3, 0.2, -0.005),
            Vec3::new(0.0, 0.3, 0.0),
            Vec3::new(2.0, 0.0, 0.0),
        ];
        let shape = Shape::Cuboid { center: Vec3::Z * 0.5, size: Vec3::ONE, rotation: Vec3::ZERO };
        let body = RigidBody::new(shape, 5.0).unwrap();
        let mut now = body.at_start();
        now.velocity = Vec3::new(0.0, 0.0, -2.0);
        now.pose.center += now.velocity * H;
        let masses = vec![1.0, 2.0, 4.0, 1.0];
        let inverse_masses = vec![1.0, 0.5, 0.0, 1.0];
        let data = ModelData { masses, inverse_masses, bodies: vec![body], ..ModelData::default() };
        let model = Model::from(data);
        let mut state = State { bodies: vec![now], ..State::at_rest(start.clone()) };
        state.velocities[1] = Vec3::X * 0.3;
        (model, start, state)
    }

    #[test]
    fn the_work_of_the_forces_is_the_energy_of_the_solid() {
        let (model, start, mut state) = cube_on_particles();
        let (before, energy) = (state.clone(), state.bodies[0].kinetic_energy(&model.bodies[0]));
        let exits = exits_from(&model, &start, &state, 0, H);
        assert_eq!(exits.iter().map(|&(p, _)| p).collect::<Vec<_>>(), [0, 1]);
        strike(&model, &start, &mut state, H);
        let works = exits.iter().map(|&(p, exit)| {
            let force = (state.velocities[p] - before.velocities[p]) * (model.masses[p] / H);
            force.dot(exit)
        });
        let works: Vec<Real> = works.collect();
        assert!(
            works.iter().all(|work| (work - 0.5 * energy).abs() < 1e-9 * energy),
            "{works:?} of {energy}"
        );
        // The depths are 19 and 15 mm, straight down.
        assert!((exits[0].1 - Vec3::Z * -0.019).length() < 1e-9, "{}", exits[0].1);
        assert!((exits[1].1 - Vec3::Z * -0.015).length() < 1e-9, "{}", exits[1].1);
    }

    #[test]
    fn the_solid_loses_the_momentum_of_the_particles_it_hit() {
        let (model, start, mut state) = cube_on_particles();
        let before = state.bodies[0];
        strike(&model, &start, &mut state, H);
        let given: Vec3 = (0..2).map(|p| state.velocities[p] * model.masses[p]).sum();
        let error = (before.velocity - state.bodies[0].velocity) * 5.0 - given;
        assert!(error.length() < 1e-12, "{error}");
        assert_eq!(state.velocities[2..], [Vec3::ZERO; 2]);
        assert!(
            state.bodies[0].velocity.x < 0.0,
            "what the particle had before is taken from the solid, too"
        );
    }

    #[test]
    fn the_solid_does_not_turn() {
        let (model, start, mut state) = cube_on_particles();
        strike(&model, &start, &mut state, H);
        assert_eq!(state.bodies[0].spin, Vec3::ZERO);
        assert_eq!(state.bodies[0].pose, cube_on_particles().2.bodies[0].pose);
    }

    /// The source blames the missing angular momentum for a cube that left sideways. In this form the rule does not do that.
    #[test]
    fn symmetric_impacts_stay_symmetric() {
        let (mut model, _, mut state) = cube_on_particles();
        let start = [(-0.3, 0.0), (0.3, 0.0), (0.0, 0.3), (0.0, -0.3)].map(|(x, y)| Vec3::new(x, y, -0.003));
        model.change(|data| data.masses.fill(1.0));
        model.change(|data| data.inverse_masses.fill(1.0));
        state.positions.copy_from_slice(&start);
        state.velocities = start.iter().map(|x| x.with_z(0.0)).collect();
        strike(&model, &start, &mut state, H);
        assert!(state.bodies[0].velocity.with_z(0.0).length() < 1e-12, "{}", state.bodies[0].velocity);
    }
}
