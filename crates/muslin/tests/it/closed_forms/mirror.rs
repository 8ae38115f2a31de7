//! The published rule for solids that stand still, section 5.2 of D. D. B. Carvalho (MSc, UFSC 2007), and where it fails.

use crate::support::{DOWN, G, net};
use muslin::builder::{Builder, Drag, Mass, Resolution, Sheet, Surroundings};
use muslin::contact::{ContactLaw, SurfaceContact};
use muslin::forces::PointLoad;
use muslin::material::{Fabric, Link};
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::profile::{Profile, uniform};
use muslin::shape::Shape;
use muslin::solver::SolverConfig;
use muslin::state::State;
use muslin::world::World;

const FLOOR: Shape = Shape::Plane { point: Vec3::ZERO, normal: Vec3::Z };

fn velocity_verlet() -> SolverConfig {
    SolverConfig::named("velocity-verlet").unwrap()
}

/// (5.1a) to (5.1c) in one step: to the hit point at a quarter of the way, mirrored, and on for three quarters.
#[test]
fn a_particle_is_mirrored_and_moved_for_the_rest_of_the_step() {
    for accelerated in [false, true] {
        let (mut model, mut state) = net(vec![Vec3::Z * 0.05], &[], &[], Vec3::ZERO);
        model.change(|data| data.colliders = vec![FLOOR.into()]);
        model.set_contact(ContactLaw::Mirror { accelerated });
        state.velocities[0] = Vec3::new(3.0, 0.0, -2.0);
        let mut world = World::new(model, state, &velocity_verlet(), 0.1);
        world.step().unwrap();
        assert!(world.state.velocities[0].distance(Vec3::new(3.0, 0.0, 2.0)) < 1e-13);
        // 0.05 m down in 0.025 s, 0.15 m up in the other 0.075 s.
        assert!(world.state.positions[0].distance(Vec3::new(0.3, 0.0, 0.15)) < 1e-13);
    }
}

/// With the acceleration a bounce is the exact parabola mirrored: it comes back to where it fell from.
#[test]
fn a_falling_particle_bounces_to_its_height() {
    let (mut model, state) = net(vec![Vec3::Z], &[], &[], DOWN);
    model.change(|data| data.colliders = vec![FLOOR.into()]);
    model.set_contact(ContactLaw::Mirror { accelerated: true });
    let mut world = World::new(model, state, &velocity_verlet(), 1e-3);
    let mut highest: Real = 0.0;
    while world.state.time < 1.0 {
        world.step().unwrap();
        if world.state.velocities[0].z > 0.0 {
            highest = highest.max(world.state.positions[0].z);
        }
    }
    // The hit is taken on a straight way: up to g h²/8 off, and the highest of steps is up to g h²/8 below the top; and the speed at
    // the hit by g h times that over v h.
    crate::assert_close!(highest, 1.0, 10.0 * G * world.dt * world.dt, "height of the bounce");
}

/// Experiment 1 of section 6.3: 20 × 20 particles, 1 m above a surface, each pressed down; masses counted in grams.
fn pressed(force: Real, law: ContactLaw) -> (Model, State) {
    let sheet = Sheet {
        size: [4.25, 4.25],
        origin: Vec3::Z,
        resolution: Resolution::Particles([20, 20]),
        fabric: Fabric {
            structural: Link { stiffness: 1000.0, ..Link::default() },
            shear: Link::default(),
            flexion: Link::default(),
            ..Fabric::default()
        },
        mass: Mass::Each(10.0),
        drag: Drag::Each(200.0),
        ..Sheet::default()
    };
    let mut builder = Builder::default();
    builder.add_sheet(&sheet).unwrap();
    let surroundings = Surroundings {
        gravity: Vec3::ZERO,
        colliders: vec![FLOOR.into()],
        contact: law,
        ..Surroundings::default()
    };
    let (mut model, state) = builder.finish(&surroundings).unwrap();
    let particles = (0..model.len() as u32).collect();
    let load = PointLoad { particles, force: Vec3::Z * -force, profile: Profile::Constant };
    model.change_forces(|forces| forces.loads.push(load));
    (model, state)
}

/// The lowest particle in 5 s of steps as published, random between 1/110 and 1/60 s [m].
fn lowest(force: Real, law: ContactLaw) -> Real {
    let (model, state) = pressed(force, law);
    let mut world = World::new(model, state, &velocity_verlet(), 0.01);
    let (mut lowest, mut k) = (Real::INFINITY, 0);
    while world.state.time < 5.0 {
        world.step_by(1.0 / 110.0 + (1.0 / 60.0 - 1.0 / 110.0) * uniform(7, k)).unwrap();
        lowest = world.state.positions.iter().map(|x| x.z).fold(lowest, Real::min);
        k += 1;
    }
    lowest
}

/// A failure of the rule, as published: at 100 and 200 N the sheet crosses the surface. At 10 N it does not, for it falls by 10 N/200 N s/m
/// = 5 cm/s and has not come there in 5 s. By the mirrored velocity alone it crosses at no force, and contact of surfaces holds at any.
#[test]
fn a_pressed_sheet_crosses_the_surface_by_its_acceleration() {
    for (force, crosses) in [(10.0, false), (100.0, true), (200.0, true)] {
        let mirrored = lowest(force, ContactLaw::Mirror { accelerated: true });
        assert_eq!(mirrored < -1e-4, crosses, "{force} N, accelerated: {mirrored} m");
        let by_velocity = lowest(force, ContactLaw::Mirror { accelerated: false });
        assert!(by_velocity > -1e-12, "{force} N, by velocity alone: {by_velocity} m");
        let surfaces = lowest(force, ContactLaw::Surface(SurfaceContact::default()));
        assert!(surfaces > 0.0, "{force} N, surfaces: {surfaces} m");
    }
}
