//! Chains and pendulums.

use crate::support::{G, net, run, stiff};
use muslin::material::Link;
use muslin::math::{Real, Vec3};
use muslin::solver::SolverConfig;
use muslin::solvers::ImplicitEulerConfig;
use muslin::solvers::{LinearConfig, LinearSolver};
use muslin::world::World;
use std::f64::consts::TAU;

fn direct() -> SolverConfig {
    let linear = LinearConfig { linear_solver: LinearSolver::Cholesky, ..LinearConfig::default() };
    SolverConfig::ImplicitEuler(ImplicitEulerConfig { linear, ..Default::default() })
}

/// n springs with n masses hang from a pin: the k-th spring carries n + 1 − k masses, ΔL = m g n (n + 1) / (2 k).
#[test]
fn a_hanging_chain_is_as_long_as_its_weight_makes_it() {
    let k = 1000.0;
    for n in [1u32, 2, 5, 20] {
        let particles = (0..=n).map(|i| Vec3::Z * -0.1 * Real::from(i)).collect();
        let springs: Vec<_> = (0..n).map(|i| ([i, i + 1], 0.1, Link { damping: 50.0, ..stiff(k) })).collect();
        let (model, state) = net(particles, &springs, &[0], Vec3::Z * -G);
        // Long steps: the slowest mode of 20 springs, 2.4/s, loses a third of its amplitude in each of them.
        let world = run(&model, &state, &direct(), 0.5, 100.0);
        let length = -world.state.positions[n as usize].z;
        let expected = 0.1 * Real::from(n) + G * Real::from(n * (n + 1)) / (2.0 * k);
        crate::assert_close!(length, expected, 1e-10, "{n} springs");
    }
}

/// Time of one full swing of 1 kg on a spring of 1 m and stiffness k, released at rest at this angle [s].
fn swing(k: Real, angle: Real) -> Real {
    // The spring starts with the stretch of its load, which leaves little to vibrate.
    let start = Vec3::new(angle.sin(), 0.0, -angle.cos()) * (1.0 + G * angle.cos() / k);
    let (model, state) = net(vec![Vec3::ZERO, start], &[([0, 1], 1.0, stiff(k))], &[0], Vec3::Z * -G);
    let mut world = World::new(model, state, &SolverConfig::named("rk4").unwrap(), 5e-4);
    let angle_of = |x: Vec3| x.x.atan2(-x.z);
    let mut crossings = Vec::new();
    let mut before = angle_of(world.state.positions[1]);
    while crossings.len() < 5 {
        let time = world.state.time;
        world.step().unwrap();
        let after = angle_of(world.state.positions[1]);
        if before * after < 0.0 {
            crossings.push(time + world.dt * before / (before - after));
        }
        before = after;
    }
    (crossings[4] - crossings[0]) / 2.0
}

/// T/T₀ = 2/π K(sin θ/2). The spring gives by mg/k, which lengthens the period in proportion; two stiffnesses take
/// that out and leave its square, (9.81/1e5)² = 1e-8. The formula is given to 6 digits.
#[test]
fn a_pendulum_swings_longer_the_wider() {
    let small = TAU / G.sqrt();
    for (degrees, expected) in [(30.0, 1.017_409), (60.0, 1.073_182), (90.0, 1.180_341)] {
        let angle = Real::to_radians(degrees);
        let rigid = 2.0 * swing(2e5, angle) - swing(1e5, angle);
        crate::assert_close!(rigid / small, expected, 1e-6, "T/T₀ at {degrees}°");
    }
}

/// Parameter a of the catenary of this length between ends `span` apart: 2 a sinh(span/2a) = length.
fn catenary(span: Real, length: Real) -> Real {
    let (mut low, mut high) = (1e-2 * span, 1e2 * span);
    for _ in 0..200 {
        let a = 0.5 * (low + high);
        if 2.0 * a * (span / (2.0 * a)).sinh() > length { low = a } else { high = a }
    }
    0.5 * (low + high)
}

/// Largest distance of a chain of `n` links of 1.5 m in all, hung between ends 1 m apart, from the catenary [m].
fn distance_from_catenary(n: u32) -> Real {
    let (span, length) = (1.0, 1.5);
    let depth = Real::sqrt(0.25 * (length * length - span * span));
    let part = |i: u32| Real::from(i) / Real::from(n);
    // It starts as a V of the right length.
    let start = |i| Vec3::new(part(i) - 0.5, 0.0, -depth * (1.0 - (2.0 * part(i) - 1.0).abs()));
    // Links under some n·10 N stretch by 1e-7 of their length.
    let link = Link { damping: 10.0, ..stiff(1e8 * Real::from(n * n)) };
    let springs: Vec<_> = (0..n).map(|i| ([i, i + 1], length / Real::from(n), link)).collect();
    let (mut model, state) = net((0..=n).map(start).collect(), &springs, &[0, n], Vec3::Z * -G);
    model.change_forces(|forces| forces.drag.fill(5.0));
    let world = run(&model, &state, &direct(), 0.02, 12.0);

    let a = catenary(span, length);
    let height = |x: Real| a * ((x / a).cosh() - (0.5 * span / a).cosh());
    let expected = (0..=n).map(|i| {
        let x = a * ((part(i) - 0.5) * length / a).asinh();
        Vec3::new(x, 0.0, height(x))
    });
    expected.zip(&world.state.positions).map(|(there, here)| there.distance(*here)).fold(0.0, Real::max)
}

/// Straight links in place of a curve: second order in their length.
#[test]
fn a_fine_chain_hangs_as_a_catenary() {
    let (coarse, fine) = (distance_from_catenary(20), distance_from_catenary(80));
    assert!(fine < 1e-4, "80 links: {fine:e} m off the catenary");
    crate::assert_close!(coarse / fine, 16.0, 1.0, "a quarter of the links, sixteen times the error");
}
