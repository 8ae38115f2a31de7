//! Position-based dynamics: what k means, damping towards rigid motion, contact once.

use crate::support::{DOWN, G, net, noise, run, small_sheet, stiff};
use muslin::builder::{Ball, Builder, Surroundings};
use muslin::contact::ContactLaw;
use muslin::elements::{PressureLaw, SpringLaw};
use muslin::material::Link;
use muslin::math::{Real, Vec3};
use muslin::measure::{Stretch, angular_momentum, momentum};
use muslin::shape::Shape;
use muslin::solver::SolverConfig;
use muslin::solvers::PbdConfig;
use muslin::world::World;

fn pbd(config: PbdConfig) -> SolverConfig {
    SolverConfig::Pbd(config)
}

/// e = (1 − k)(e + g h²) in equilibrium.
#[test]
fn a_mass_hangs_where_k_says_whatever_the_iterations() {
    let (model, state) = net(vec![Vec3::ZERO, Vec3::Z * -1.0], &[([0, 1], 1.0, stiff(1.0))], &[0], DOWN);
    let h = 0.01;
    for (k, iterations) in [(0.2, 1), (0.2, 50), (0.7, 1), (0.7, 50), (1.0, 20)] {
        let config = pbd(PbdConfig { stiffness: k, iterations, ..Default::default() });
        let end = run(&model, &state, &config, h, 5.0).state.positions[1].z;
        // Amplitudes fall by √(1 − k) a step: nothing is left of them.
        crate::assert_close!(
            end,
            -1.0 - (1.0 - k) / k * G * h * h,
            1e-12,
            "k = {k}, {iterations} iterations"
        );
    }
}

/// Mean stretch of a sheet hung by a corner edge with so many iterations.
fn stretch(stiffness: Real, iterations: u32, as_printed: bool) -> Real {
    let (mut model, state) = small_sheet(true, 0.0, DOWN);
    model.change_forces(|forces| forces.drag.fill(0.2));
    let config = pbd(PbdConfig { stiffness, iterations, as_printed, ..Default::default() });
    Stretch::of(&model, &run(&model, &state, &config, 1.0 / 60.0, 10.0).state.positions).mean
}

#[test]
fn k_prime_makes_the_stretch_independent_of_the_iterations_but_for_k_1() {
    for k in [0.1, 0.3, 0.5] {
        let (few, many) = (stretch(k, 16, false), stretch(k, 128, false));
        crate::assert_close!(few / many, 1.0, 0.05, "k = {k}: stretch with 16 iterations by that with 128");
        let (few, many) = (stretch(k, 16, true), stretch(k, 128, true));
        assert!(few > 2.0 * many, "k = {k} as printed: {few} and {many}");
    }
    // Twice the iterations, nearly half the stretch.
    let (few, many) = (stretch(1.0, 16, false), stretch(1.0, 128, false));
    assert!(few > 7.0 * many, "k = 1: {few} and {many}");
}

/// Threads and struts are inequality constraints.
#[test]
fn one_sided_springs_hold_on_their_side_only() {
    let gap_after = |law: SpringLaw, speed: Real| {
        let link = Link { law, ..stiff(1.0) };
        let (model, mut state) = net(vec![Vec3::ZERO, Vec3::X], &[([0, 1], 1.0, link)], &[0], Vec3::ZERO);
        state.velocities[1].x = speed;
        run(&model, &state, &pbd(PbdConfig::default()), 0.1, 0.1).state.positions[1].x
    };
    for (law, speed, expected) in [
        (SpringLaw::TwoSided, 1.0, 1.0),
        (SpringLaw::TwoSided, -1.0, 1.0),
        (SpringLaw::TensionOnly, 1.0, 1.0),
        (SpringLaw::TensionOnly, -1.0, 0.9),
        (SpringLaw::CompressionOnly, 1.0, 1.1),
        (SpringLaw::CompressionOnly, -1.0, 1.0),
    ] {
        crate::assert_close!(gap_after(law, speed), expected, 1e-15, "{law:?} at {speed} m/s");
    }
}

/// k_damp = 1 leaves the rigid motion of each body, with its momentum and angular momentum.
#[test]
fn damping_leaves_the_rigid_motion_of_each_body() {
    let pair = |a: Vec3, b: Vec3| vec![a, b];
    let particles = [pair(Vec3::ZERO, Vec3::X), pair(Vec3::Y * 3.0, Vec3::new(0.0, 3.0, 1.0))].concat();
    let (model, mut state) =
        net(particles, &[([0, 1], 1.0, stiff(1.0)), ([2, 3], 1.0, stiff(1.0))], &[], Vec3::ZERO);
    for i in 0..4 {
        state.velocities[i] = noise(5, i);
    }
    let start = (momentum(&model, &state), angular_momentum(&model, &state));
    // No iteration: the damping alone, and p = x + h v.
    let config = pbd(PbdConfig { damping: 1.0, iterations: 0, ..Default::default() });
    let after = run(&model, &state, &config, 1e-6, 1e-6).state;
    for [a, b] in [[0, 1], [2, 3]] {
        let (d, w) = (after.positions[b] - after.positions[a], after.velocities[b] - after.velocities[a]);
        // x⁺ − x rounds at 1e-16, over h = 1e-6, and turns by 1e-6.
        assert!(w.dot(d).abs() < 1e-5, "no motion along a rigid body: {}", w.dot(d));
    }
    assert!(momentum(&model, &after).distance(start.0) < 1e-9);
    assert!(angular_momentum(&model, &after).distance(start.1) < 1e-5);
}

/// One bounce, not two, and none for what only leans on the solid.
#[test]
fn restitution_acts_once() {
    let ball = Shape::Sphere { center: Vec3::ZERO, radius: 1.0 };
    let floor = Shape::Plane { point: Vec3::Z, normal: Vec3::Z };
    for shape in [ball, floor] {
        let (mut model, mut state) = net(vec![Vec3::Z * 1.05], &[], &[], Vec3::ZERO);
        model.change(|data| data.colliders = vec![shape.into()]);
        model.set_contact(ContactLaw::Projection { restitution: 0.5, friction: 0.0 });
        state.velocities[0] = Vec3::Z * -2.0;
        let mut world = World::new(model, state, &pbd(PbdConfig::default()), 0.1);
        world.step().unwrap();
        crate::assert_close!(world.state.velocities[0].z, 1.0, 1e-12, "half of 2 m/s");
        crate::assert_close!(world.state.positions[0].z, 1.0, 1e-12, "on the surface");
    }
}

/// The balloon of Almeida 2008: a closed surface keeps the volume that it seeks, whatever it weighs.
#[test]
fn a_closed_surface_keeps_the_volume_it_seeks() {
    let factor = 1.3;
    let pressure = Some(PressureLaw::Volume { factor, stiffness: 1.0 });
    let mut builder = Builder::default();
    builder.add_ball(&Ball { subdivisions: 3, pressure, ..Ball::default() }).unwrap();
    let (model, state) = builder.finish(&Surroundings { gravity: DOWN, ..Surroundings::default() }).unwrap();
    // Soft threads, so that the volume decides.
    let config = PbdConfig { stiffness: 0.05, iterations: 10, ..PbdConfig::default() };
    let world = run(&model, &state, &SolverConfig::Pbd(config), 1.0 / 60.0, 0.5);
    let enclosed = &model.elements.pressures[0];
    let found = enclosed.volume(&world.state.positions) / enclosed.rest_volume();
    // The volume is the last constraint of each sweep; its linearisation is off by (δr/r)² of what the threads took back,
    // some 0.5 % of the radius.
    crate::assert_close!(found, factor, 1e-4 * factor, "volume");
}
