//! rapier3d's soft-body cloth: springs as soft constraints, solved by Gauss–Seidel sweeps within substeps.
//!
//! Its edges have a natural frequency and a damping ratio in place of stiffness and damping. Tried is what served it best: edges as good as
//! rigid, across the cells and for bending as well. With the authored stiffnesses it stretches several times as much at the same
//! cost, and rigid threads with soft shear or bending still more than this; with frequencies from 1 kHz up and damping ratios from
//! 0.1 to 20 the stretch goes up and down by a quarter without a trend.

use crate::Engine;
use crate::drape::{Drape, DrapeSetting};
use muslin::elements::SpringFamily;
use muslin::math::Vec3;
use muslin::mesh::Face;
use muslin::model::Model;
use muslin::state::State;
use muslin_lab::quality::{Bound, FRAME, Run, Setting, Trial};
use rapier3d::prelude::{
    ColliderBuilder, PhysicsWorld, SoftBodyBuilder, SoftBodyHandle, SpringCoefficients, Vector,
};

/// rapier3d.
pub struct Rapier;

/// Substeps a frame (`num_solver_iterations`, 4 by default) and sweeps a substep (internal PGS iterations: 1, and 3 more for soft
/// bodies, by default), the cheapest first.
const LADDER: [(usize, usize); 13] = [
    (4, 4),
    (8, 4),
    (8, 8),
    (16, 4),
    (16, 8),
    (24, 8),
    (32, 8),
    (64, 4),
    (32, 16),
    (64, 8),
    (128, 4),
    (64, 16),
    (128, 8),
];

/// Linear damping of the particles, 0 by default: a sheet that has come to rest in the last second stretches less, if motion does
/// not count [1/s].
const DRAGS: [f32; 3] = [0.0, 0.5, 2.0];

/// Far above the rate of the substeps, where rapier's edges are rigid [Hz].
const RIGID: f32 = 1e6;

impl Engine for Rapier {
    fn name(&self) -> String {
        "rapier3d 0.36".to_owned()
    }

    fn settings(&self, _trial: &Trial, _bound: &Bound) -> Vec<Setting> {
        let setting = |(substeps, sweeps), drag: f32| Setting {
            label: format!("{substeps} substeps of {sweeps} sweeps, linear damping {drag}"),
            start: Box::new(move |trial| Box::new(RapierRun::new(trial, [substeps, sweeps], drag))),
        };
        LADDER.iter().flat_map(|&rung| DRAGS.map(|drag| setting(rung, drag))).collect()
    }
}

/// A world of rapier at work.
struct RapierRun {
    world: PhysicsWorld,
    cloth: SoftBodyHandle,
}

impl RapierRun {
    /// The same particles, masses, links and pins; without a collider, for there is nothing to touch.
    fn new(trial: &Trial, [substeps, sweeps]: [usize; 2], drag: f32) -> Self {
        let builder =
            same_cloth(&trial.model, &trial.state, sweeps).linear_damping(drag).no_surface_collider();
        let mut world = same_world(&trial.model, substeps);
        let cloth = world.insert_soft_body(builder);
        Self { world, cloth }
    }

    /// The same cloth with a surface that touches a ball and itself.
    fn drape(drape: &Drape, [substeps, sweeps]: [usize; 2]) -> Self {
        let triangles = drape.model.faces.iter().flat_map(Face::triangles).collect();
        let friction = |collider: ColliderBuilder| collider.friction(drape.friction as f32);
        let builder = same_cloth(&drape.model, &drape.state, sweeps)
            .surface(triangles)
            .surface_collider(friction(ColliderBuilder::ball(1.0)))
            .self_contacts(true)
            .particle_radius((0.5 * drape.thickness) as f32);
        let mut world = same_world(&drape.model, substeps);
        let ball = ColliderBuilder::ball(drape.radius as f32).translation(vector(drape.center));
        world.insert_collider(friction(ball), None);
        let cloth = world.insert_soft_body(builder);
        Self { world, cloth }
    }
}

/// What rapier is tried with on a drape: substeps and sweeps; its defaults first.
const DRAPES: [[usize; 2]; 3] = [[4, 4], [8, 4], [16, 8]];

/// The settings for a drape.
pub fn drapes() -> Vec<DrapeSetting> {
    let setting = |[substeps, sweeps]: [usize; 2]| DrapeSetting {
        engine: Rapier.name(),
        label: format!("{substeps} substeps of {sweeps} sweeps"),
        start: Box::new(move |drape| Box::new(RapierRun::drape(drape, [substeps, sweeps]))),
    };
    DRAPES.map(setting).into()
}

fn same_cloth(model: &Model, state: &State, sweeps: usize) -> SoftBodyBuilder {
    let links = |bending: bool| -> Vec<[u32; 2]> {
        let springs = model.elements.springs.iter();
        springs.filter(|s| (s.family == SpringFamily::Flexion) == bending).map(|s| s.ends).collect()
    };
    SoftBodyBuilder::new(state.positions.iter().map(|&x| vector(x)).collect())
        .masses(model.masses.iter().map(|&m| m as f32).collect())
        .pinned_particles((0..model.len() as u32).filter(|&p| model.is_held(p as usize)))
        .edges(links(false))
        .bend_edges(links(true))
        .softness(SpringCoefficients::new(RIGID, 1.0))
        .additional_pgs_iterations(sweeps - 1)
        .can_sleep(false)
}

fn same_world(model: &Model, substeps: usize) -> PhysicsWorld {
    let mut world = PhysicsWorld::new();
    world.gravity = vector(model.forces.gravity);
    world.integration_parameters.dt = FRAME as f32;
    world.integration_parameters.num_solver_iterations = substeps;
    world.integration_parameters.num_internal_pgs_iterations = 1;
    world
}

impl Run for RapierRun {
    fn advance(&mut self) -> Result<(), String> {
        self.world.step();
        Ok(())
    }

    fn read_positions(&self, positions: &mut Vec<Vec3>) {
        let cloth = &self.world.soft_bodies[self.cloth];
        positions.clear();
        positions.extend(cloth.particle_positions().map(|x| Vec3::new(x.x.into(), x.y.into(), x.z.into())));
    }
}

fn vector(v: Vec3) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same cloth in both engines: after a frame of free fall all but the neighbourhood of the pins is where it should be.
    #[test]
    fn rapier_gets_the_same_cloth() {
        let trial = Trial::hang(8);
        let mut run = RapierRun::new(&trial, [16, 8], 0.0);
        let mut positions = Vec::new();
        run.read_positions(&mut positions);
        // Positions up to 2 m in f32.
        assert!(positions.iter().zip(&trial.state.positions).all(|(a, b)| a.distance(*b) < 2e-7));
        run.advance().unwrap();
        run.read_positions(&mut positions);
        for (pin, place) in [(0, Vec3::ZERO), (7, Vec3::Y * 2.0)] {
            assert!(positions[pin].distance(place) < 1e-6, "{pin} is held");
        }
        // g t²/2, larger by 1/16 with 16 steps of symplectic Euler, at the corner farthest from the pins.
        let fall = -positions[63].z / (0.5 * 9.81 * FRAME * FRAME);
        assert!((fall - 1.0625).abs() < 0.01, "{fall}");
    }
}
