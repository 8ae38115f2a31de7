//! Changes between steps that contact or a method did not notice.

use crate::support::{DOWN, every_solver, small_sheet};
use muslin::builder::{Builder, Pin, Place, Resolution, Sheet, Surroundings};
use muslin::contact::{ContactLaw, SurfaceContact};
use muslin::math::{Real, Vec3};
use muslin::script::Motion;
use muslin::shape::{Collider, Shape};
use muslin::solver::SolverConfig;
use muslin::world::World;

const DT: Real = 1.0 / 240.0;

fn law(thickness: Real, friction: Real) -> ContactLaw {
    ContactLaw::Surface(SurfaceContact { thickness: Some(thickness), friction, ..SurfaceContact::default() })
}

/// A sheet on a floor, or above it.
fn on_floor(height: Real, gravity: Vec3, contact: ContactLaw) -> World {
    let mut builder = Builder::default();
    let sheet = Sheet {
        size: [0.4, 0.4],
        resolution: Resolution::Cells([6, 6]),
        origin: Vec3::Z * height,
        axes: [Vec3::X, Vec3::Y],
        ..Sheet::default()
    };
    builder.add_sheet(&sheet).unwrap();
    let floor =
        Shape::Cuboid { center: Vec3::Z * -0.5, size: Vec3::new(20.0, 20.0, 1.0), rotation: Vec3::ZERO };
    let around = Surroundings { gravity, colliders: vec![floor.into()], contact, ..Surroundings::default() };
    let (model, state) = builder.finish(&around).unwrap();
    World::new(model, state, &SolverConfig::named("pncg").unwrap(), DT)
}

fn run(world: &mut World, steps: u32) {
    for _ in 0..steps {
        world.step().unwrap();
    }
}

fn mean(world: &World, of: impl Fn(usize) -> Real) -> Real {
    (0..world.model.len()).map(of).sum::<Real>() / world.model.len() as Real
}

/// The first question about intersections fixed the thickness for good.
#[test]
fn a_question_under_another_law_fixes_no_thickness() {
    let mut world = on_floor(0.03, DOWN, ContactLaw::default());
    assert_eq!(world.intersections(), []);
    world.model.set_contact(law(0.04, 0.3));
    run(&mut world, 120);
    let height = mean(&world, |p| world.state.positions[p].z);
    assert!((height - 0.02).abs() < 1e-3, "half of the thickness above the floor: {height}");
}

#[test]
fn cloth_can_become_thicker() {
    let mut world = on_floor(0.011, DOWN, law(0.02, 0.3));
    run(&mut world, 60);
    world.model.set_contact(law(0.06, 0.3));
    run(&mut world, 240);
    let height = mean(&world, |p| world.state.positions[p].z);
    assert!((height - 0.03).abs() < 1e-3, "{height}");
}

/// On a slope of 30°, what sticks starts to slide when friction goes, though it touched all the time.
#[test]
fn contacts_that_stay_take_over_the_friction() {
    let slope = Vec3::new(9.81 * 0.5, 0.0, -9.81 * 0.866);
    let mut world = on_floor(0.01, slope, law(0.02, 2.0));
    run(&mut world, 60);
    let speed = |world: &World| mean(world, |p| world.state.velocities[p].x);
    assert!(speed(&world) < 1e-3, "it sticks: {} m/s", speed(&world));
    world.model.set_contact(law(0.02, 0.0));
    run(&mut world, 60);
    let free = 9.81 * 0.5 * 60.0 * DT;
    assert!((speed(&world) / free - 1.0).abs() < 0.02, "it slides freely: {} of {free} m/s", speed(&world));
}

#[test]
fn solids_take_over_new_motions() {
    let mut world = on_floor(0.011, DOWN, law(0.02, 0.3));
    run(&mut world, 30);
    let time = world.state.time;
    let lift = Motion::Translate { velocity: Vec3::Z * 0.5, from: time, until: time + 0.2 };
    world.model.set_collider_motion(0, lift);
    run(&mut world, 96);
    let height = mean(&world, |p| world.state.positions[p].z);
    assert!((height - 0.11).abs() < 5e-3, "lifted with the floor: {height}");
    assert_eq!(world.intersections(), []);
}

/// Particles that become pinned are held in contact, too.
#[test]
fn rows_take_over_new_masses() {
    let mut world = on_floor(0.011, DOWN, law(0.02, 0.3));
    run(&mut world, 60);
    let corner = world.state.positions[0];
    world.model.change(|data| data.inverse_masses[0] = 0.0);
    let down = Motion::Translate { velocity: Vec3::Z * -1.0, from: world.state.time, until: 9.0 };
    world.model.set_collider_motion(0, down);
    run(&mut world, 60);
    assert_eq!(world.state.positions[0], corner);
    assert!(world.state.positions[48].z < corner.z - 0.05);
}

/// A sheet folded close together, far thicker than its layers are apart, goes on unfolding after a change of topology; that made the
/// folded shape the one at rest, in which neighbours may stay as near as they are.
#[test]
fn a_change_of_topology_keeps_the_rest_shape() {
    let height = |bump: bool| {
        let mut builder = Builder::default();
        let sheet = Sheet {
            size: [0.4, 0.4],
            resolution: Resolution::Cells([8, 8]),
            axes: [Vec3::X, Vec3::Y],
            pins: vec![Pin::at(Place::Grid(vec![[0, 0], [0, 4], [0, 8]]))],
            ..Sheet::default()
        };
        builder.add_sheet(&sheet).unwrap();
        let around = Surroundings { gravity: Vec3::ZERO, contact: law(0.03, 0.0), ..Surroundings::default() };
        let (model, mut state) = builder.finish(&around).unwrap();
        for x in &mut state.positions {
            if x.x > 0.2 {
                *x = Vec3::new(0.4 - x.x, x.y, 0.01);
            }
        }
        let mut world = World::new(model, state, &SolverConfig::named("pncg").unwrap(), DT);
        world.step().unwrap();
        if bump {
            world.model.change(|_| {});
        }
        run(&mut world, 30);
        assert_eq!(world.intersections(), []);
        world.state.positions.iter().map(|x| x.z).fold(0.0, Real::max)
    };
    let (with, without) = (height(true), height(false));
    assert!(without > 0.02 && (with / without - 1.0).abs() < 0.2, "{with} m, {without} m without a change");
}

/// A lagging solid waits where it is when the topology changes: it does not jump into cloth.
#[test]
fn a_change_of_topology_keeps_solids_waiting() {
    let mut builder = Builder::default();
    let sheet = Sheet {
        size: [0.4, 0.4],
        resolution: Resolution::Cells([6, 6]),
        axes: [Vec3::X, Vec3::Y],
        pins: vec![Pin::at(Place::Border)],
        ..Sheet::default()
    };
    builder.add_sheet(&sheet).unwrap();
    let (center, size) = (Vec3::new(0.2, 0.2, 0.5), Vec3::splat(0.8));
    let shape = Shape::Cuboid { center, size, rotation: Vec3::ZERO };
    let press = Collider {
        motion: Motion::Translate { velocity: Vec3::Z * -1.0, from: 0.0, until: 2.0 },
        ..shape.into()
    };
    let around = Surroundings {
        gravity: Vec3::ZERO,
        colliders: vec![press],
        contact: law(0.01, 0.3),
        ..Surroundings::default()
    };
    let (model, state) = builder.finish(&around).unwrap();
    let mut world = World::new(model, state, &SolverConfig::named("pncg").unwrap(), DT);
    for step in 0..120 {
        if step == 80 {
            assert!(world.contact_report().unwrap().lag > 0.1, "the border holds it up");
        }
        if step >= 80 {
            world.model.change(|_| {});
        }
        world.step().unwrap();
        assert_eq!(world.intersections(), [], "step {step}");
    }
}

/// Methods with a matrix kept the masses that it was factored for, and cloth left at the speed of light.
#[test]
fn every_solver_takes_over_new_masses() {
    let (model, state) = small_sheet(true, 0.02, DOWN);
    for (name, config) in every_solver() {
        let end = |is_new: bool| {
            let mut world = World::new(model.clone(), state.clone(), &config, 1e-3);
            run(&mut world, 5);
            world.model.change(|data| {
                for k in 0..data.len() {
                    let factor = 1.0 + 0.5 * (k as Real).sin();
                    data.masses[k] *= factor;
                    data.inverse_masses[k] /= factor;
                }
            });
            if is_new {
                world = World::new(world.model, world.state, &config, 1e-3);
            }
            run(&mut world, 3);
            (world.state.positions, world.state.velocities)
        };
        assert_eq!(end(false), end(true), "{name}");
    }
}
