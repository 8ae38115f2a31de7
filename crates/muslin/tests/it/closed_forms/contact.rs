//! A particle and a solid.

use crate::support::{DOWN, G, every_solver, net, run};
use muslin::contact::ContactLaw;
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::script::Motion;
use muslin::shape::{Collider, Shape};
use muslin::solver::SolverConfig;
use muslin::state::State;
use muslin::world::World;

fn particle(at: Vec3, gravity: Vec3, solid: impl Into<Collider>, contact: ContactLaw) -> (Model, State) {
    let (mut model, state) = net(vec![at], &[], &[], gravity);
    model.change(|data| data.colliders = vec![solid.into()]);
    model.set_contact(contact);
    (model, state)
}

const FLOOR: Shape = Shape::Plane { point: Vec3::ZERO, normal: Vec3::Z };

#[test]
fn a_particle_bounces_to_the_square_of_the_restitution() {
    for (label, config) in every_solver() {
        for e in [0.3, 0.5, 0.9, 1.0] {
            let law = ContactLaw::Projection { restitution: e, friction: 0.0 };
            let (model, state) = particle(Vec3::Z, DOWN, FLOOR, law);
            let mut world = World::new(model, state, &config, 2e-4);
            while world.state.velocities[0].z <= 0.0 {
                world.step().unwrap();
            }
            let mut highest: Real = 0.0;
            while world.state.velocities[0].z > 0.0 {
                highest = highest.max(world.state.positions[0].z);
                world.step().unwrap();
            }
            // The impact is felt up to a step late: the speed v = √2g is off by g h at the most, a first-order method
            // another g h/2, and the way back starts up to e v h off.
            let v = Real::sqrt(2.0 * G);
            let allowed = e * e * 3.0 * G * world.dt / v + 2.0 * e * v * world.dt;
            crate::assert_close!(highest, e * e, allowed, "{label}, e = {e}");
        }
    }
}

/// A particle on a slope of this angle; the direction down the slope.
fn on_slope(angle: Real, friction: Real) -> (Model, State, Vec3) {
    let normal = Vec3::new(angle.sin(), 0.0, angle.cos());
    let slope = Shape::Plane { point: Vec3::ZERO, normal };
    let law = ContactLaw::Projection { restitution: 0.0, friction };
    let (model, state) = particle(Vec3::ZERO, DOWN, slope, law);
    (model, state, Vec3::new(angle.cos(), 0.0, -angle.sin()))
}

#[test]
fn a_particle_slides_down_a_slope_as_coulomb_says() {
    let (angle, friction) = (Real::to_radians(35.0), 0.3);
    let acceleration = G * (angle.sin() - friction * angle.cos());
    let (model, state, downhill) = on_slope(angle, friction);
    for (label, config) in every_solver() {
        let world = run(&model, &state, &config, 1e-3, 1.0);
        let speed = world.state.velocities[0].dot(downhill);
        // Weight and friction act in the same step, or one after the other: off by a step's worth, g h.
        crate::assert_close!(speed, acceleration, G * world.dt, "{label}: speed after 1 s");
        let way = world.state.positions[0].dot(downhill);
        crate::assert_close!(way, 0.5 * acceleration, G * world.dt, "{label}: way after 1 s");
    }
}

#[test]
fn a_particle_sticks_to_a_slope_below_the_angle_of_friction() {
    let (model, state, downhill) = on_slope(Real::to_radians(15.0), 0.3);
    for (label, config) in every_solver() {
        let world = run(&model, &state, &config, 1e-3, 1.0);
        let (speed, way) = (world.state.velocities[0].length(), world.state.positions[0].dot(downhill));
        // Explicit Euler moves by h² g into the slope only every other step, and is free in between.
        let slip = if label == "explicit-euler" { G * world.dt } else { 1e-15 };
        assert!(speed <= slip, "{label}: slides at {speed:e} m/s");
        // It is stopped in the step it would move in; before the first stop it may have gone g h².
        assert!(way.abs() <= 1.1 * G * world.dt * world.dt, "{label}: creeps by {way:e} m");
    }
}

/// (5.1), (5.2) of Carvalho 2012, once, on a plane and on a ball.
#[test]
fn reflection_is_what_the_equations_say() {
    let (k, dt) = (0.4, 0.1);
    let law = ContactLaw::Reflection { restitution: k, as_printed: false };
    let ball = Shape::Sphere { center: Vec3::ZERO, radius: 1.0 };
    let symplectic = SolverConfig::named("symplectic-euler").unwrap();
    // Start, velocity and the normal where the way enters.
    for (shape, x, v, n) in [
        (FLOOR, Vec3::Z * 0.1, Vec3::new(3.0, 0.0, -2.0), Vec3::Z),
        (ball, Vec3::new(0.0, 0.6, 1.5), Vec3::Z * -10.0, Vec3::new(0.0, 0.6, 0.8)),
    ] {
        let (model, mut state) = particle(x, Vec3::ZERO, shape, law);
        state.velocities[0] = v;
        let world = run(&model, &state, &symplectic, dt, dt);
        let reflected = v - n * v.dot(n) - n * (k * v.dot(n));
        assert!(
            world.state.velocities[0].distance(reflected) < 1e-13,
            "(5.1): {}",
            world.state.velocities[0]
        );
        let moved = x + v * dt + reflected * dt;
        assert!(world.state.positions[0].distance(moved) < 1e-13, "(5.2): {}", world.state.positions[0]);
    }
}

/// Inside, but on its way out: left alone, or thrown back in if the equations are taken literally.
#[test]
fn reflection_spares_what_leaves_unless_taken_literally() {
    for as_printed in [false, true] {
        let law = ContactLaw::Reflection { restitution: 0.4, as_printed };
        let (model, mut state) = particle(Vec3::Z * -0.5, Vec3::ZERO, FLOOR, law);
        state.velocities[0] = Vec3::Z;
        let world = run(&model, &state, &SolverConfig::named("symplectic-euler").unwrap(), 0.1, 0.1);
        let expected = if as_printed { -0.4 } else { 1.0 };
        crate::assert_close!(world.state.velocities[0].z, expected, 1e-15, "as printed: {as_printed}");
    }
}

/// A solid that goes straight on for good.
fn going(shape: Shape, velocity: Vec3) -> Collider {
    Collider { motion: Motion::Translate { velocity, from: 0.0, until: 1e3 }, ..shape.into() }
}

#[test]
fn a_moving_wall_pushes_a_particle_at_its_own_speed() {
    let wall = Shape::Plane { point: Vec3::ZERO, normal: Vec3::X };
    let board =
        Shape::Cuboid { center: Vec3::X * -0.05, size: Vec3::new(0.1, 1.0, 1.0), rotation: Vec3::ZERO };
    for (label, config) in every_solver() {
        for shape in [&wall, &board] {
            let law = ContactLaw::Projection { restitution: 0.0, friction: 0.3 };
            let solid = going(shape.clone(), Vec3::X * 2.0);
            let (model, state) = particle(Vec3::X * 0.1, Vec3::ZERO, solid, law);
            let world = run(&model, &state, &config, 1e-3, 0.5);
            crate::assert_close!(world.state.positions[0].x, 1.0, 1e-9, "{label}: place");
            crate::assert_close!(world.state.velocities[0].x, 2.0, 1e-9, "{label}: speed");
        }
    }
}

#[test]
fn a_bounce_is_seen_from_the_wall() {
    let wall = going(Shape::Plane { point: Vec3::ZERO, normal: Vec3::X }, Vec3::X * 2.0);
    for law in [
        ContactLaw::Projection { restitution: 0.5, friction: 0.0 },
        ContactLaw::Reflection { restitution: 0.5, as_printed: false },
    ] {
        let (model, mut state) = particle(Vec3::X * 0.1, Vec3::ZERO, wall.clone(), law);
        state.velocities[0] = Vec3::new(-1.0, 3.0, 0.0);
        let world = run(&model, &state, &SolverConfig::named("symplectic-euler").unwrap(), 1e-3, 0.1);
        // It comes at 3 m/s, and goes at 1.5 m/s from what goes at 2 m/s itself.
        let after = Vec3::new(3.5, 3.0, 0.0);
        assert!(world.state.velocities[0].distance(after) < 1e-12, "{law:?}: {}", world.state.velocities[0]);
    }
}

/// Friction speeds a particle up by μ g until it goes along; by then it has slipped by u²/(2 μ g).
#[test]
fn a_moving_floor_drags_a_particle_along() {
    let (friction, speed) = (0.5, 1.0);
    let law = ContactLaw::Projection { restitution: 0.0, friction };
    let solid = going(FLOOR, Vec3::X * speed);
    for (label, config) in every_solver() {
        let (model, state) = particle(Vec3::ZERO, DOWN, solid.clone(), law);
        let world = run(&model, &state, &config, 1e-3, 1.0);
        let slipped = speed * speed / (2.0 * friction * G);
        // Weight and friction act in the same step, or one after the other: off by a step's worth, g h.
        crate::assert_close!(world.state.velocities[0].x, speed, G * world.dt, "{label}: speed");
        crate::assert_close!(world.state.positions[0].x, speed - slipped, G * world.dt, "{label}: way");
    }
}

/// On a turntable, inside the radius μ g/ω², a particle goes round with it.
#[test]
fn a_turntable_takes_a_particle_round() {
    let law = ContactLaw::Projection { restitution: 0.0, friction: 0.8 };
    let turn =
        Motion::Rotate { center: Vec3::ZERO, axis: Vec3::Z, turns_per_second: 0.25, from: 0.0, until: 1e3 };
    let ends = [Vec3::Z * -0.2, Vec3::ZERO];
    let table = Collider { motion: turn, ..Shape::Cylinder { ends, radius: 1.0 }.into() };
    let (model, mut state) = particle(Vec3::X * 0.5, DOWN, table, law);
    state.velocities[0] = Vec3::Y * (0.5 * 0.5 * std::f64::consts::PI);
    let world = run(&model, &state, &SolverConfig::named("symplectic-euler").unwrap(), 1e-3, 1.0);
    assert!(world.state.positions[0].distance(Vec3::Y * 0.5) < 1e-3, "{}", world.state.positions[0]);
}

/// Particles fall on each kind of solid and come to rest on its top at z = 0.
#[test]
fn every_shape_holds_what_falls_on_it() {
    let below = |depth: Real| Vec3::Z * -depth;
    let slab = muslin::mesh::Mesh {
        positions: [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
            .map(|[x, y]| Vec3::new(x, y, 0.0))
            .to_vec(),
        faces: vec![muslin::mesh::Face::quad(0, 1, 2, 3)],
    };
    let points =
        (0..8).map(|k| Vec3::new((k & 1) as Real - 0.5, (k >> 1 & 1) as Real - 0.5, -((k >> 2) as Real)));
    let ball = {
        let mut ball = muslin::mesh::Mesh::ball(0.5, 3);
        let top = ball.positions.iter().map(|x| x.z).fold(Real::NEG_INFINITY, Real::max);
        ball.positions.iter_mut().for_each(|x| x.z -= top);
        ball
    };
    for shape in [
        FLOOR,
        Shape::Sphere { center: below(0.5), radius: 0.5 },
        Shape::Capsule { ends: [below(0.5), Vec3::new(1.0, 0.0, -0.5)], radius: 0.5 },
        Shape::Cylinder { ends: [below(1.0), Vec3::ZERO], radius: 0.5 },
        Shape::Cuboid { center: below(0.5), size: Vec3::ONE, rotation: Vec3::Z },
        Shape::Hull { points: points.collect() },
        Shape::Mesh(std::sync::Arc::new(slab)),
        Shape::Mesh(std::sync::Arc::new(ball)),
        Shape::HeightField {
            corner: Vec3::new(-1.0, -1.0, -0.5),
            size: [2.0, 2.0],
            heights: vec![vec![0.5; 4]; 5],
        },
    ] {
        for thickness in [0.0, 0.125] {
            for name in ["symplectic-euler", "implicit-euler", "pbd", "xpbd"] {
                let solid = Collider { thickness, ..shape.clone().into() };
                let law = ContactLaw::Projection { restitution: 0.0, friction: 1.0 };
                let (model, state) = particle(Vec3::new(0.01, 0.0, 0.3), DOWN, solid, law);
                let world = run(&model, &state, &SolverConfig::named(name).unwrap(), 2e-3, 1.0);
                let z = world.state.positions[0].z;
                assert!((z - thickness).abs() < 3e-3, "{name}, {thickness} m around {}: {z}", shape.name());
            }
        }
    }
}
