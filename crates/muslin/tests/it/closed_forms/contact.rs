//! A particle and a solid.

use crate::support::{DOWN, G, every_solver, net, run};
use muslin::contact::{Collider, ContactLaw};
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::state::State;
use muslin::world::World;

fn particle(at: Vec3, gravity: Vec3, collider: Collider, contact: ContactLaw) -> (Model, State) {
    let (mut model, state) = net(vec![at], &[], &[], gravity);
    model.colliders = vec![collider];
    model.contact = contact;
    (model, state)
}

const FLOOR: Collider = Collider::Plane { point: Vec3::ZERO, normal: Vec3::Z };

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
    let slope = Collider::Plane { point: Vec3::ZERO, normal };
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
    let ball = Collider::Sphere { center: Vec3::ZERO, radius: 1.0 };
    let symplectic = SolverConfig::named("symplectic-euler").unwrap();
    // Start, velocity and the normal where the way enters.
    for (collider, x, v, n) in [
        (FLOOR, Vec3::Z * 0.1, Vec3::new(3.0, 0.0, -2.0), Vec3::Z),
        (ball, Vec3::new(0.0, 0.6, 1.5), Vec3::Z * -10.0, Vec3::new(0.0, 0.6, 0.8)),
    ] {
        let (model, mut state) = particle(x, Vec3::ZERO, collider, law);
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
