//! Rods held by relaxation: the hanging chain, held ends, contradictions, damping by the time.

use crate::support::{DOWN, G, net, run};
use muslin::builder::{Builder, Mass, Pin, Place, Rope, Surroundings};
use muslin::material::Link;
use muslin::math::{Real, Vec3};
use muslin::measure::angular_momentum;
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::solvers::RodsConfig;
use muslin::state::State;
use muslin::world::World;

const ROD: Link =
    Link { stiffness: 1e4, damping: 0.0, law: muslin::elements::SpringLaw::TwoSided, rigid: true };

fn relaxation(config: RodsConfig) -> SolverConfig {
    SolverConfig::Rods(config)
}

/// A rope of rods of 1 m that hangs from a pin.
fn hanging_rope(particles: usize) -> (Model, State) {
    let rope = Rope {
        to: Vec3::Z * -1.0,
        particles,
        structural: ROD,
        pins: vec![Pin::at(Place::Particles(vec![0]))],
        ..Rope::default()
    };
    let mut builder = Builder::default();
    builder.add_rope(&rope).unwrap();
    builder.finish(&Surroundings { gravity: DOWN, ..Surroundings::default() }).unwrap()
}

/// J₀(2ω√(s/g)): the first mode of an inextensible chain, s counted from its free end; ω = j₀,₁/2 √(g/L).
fn bessel_j0(x: Real) -> Real {
    // Σ (−x²/4)ᵏ/k!²; the last term at x = 2.4 is 1e-17.
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..20 {
        term *= -0.25 * x * x / Real::from(k * k);
        sum += term;
    }
    sum
}

/// The first swing of a rope takes the time that the first mode of a hanging chain takes.
#[test]
fn a_rope_of_rods_swings_as_a_chain_does() {
    const ZERO_OF_J0: Real = 2.404_826;
    let omega = 0.5 * ZERO_OF_J0 * G.sqrt();
    let n = 40;
    let (model, mut state) = hanging_rope(n + 1);
    // The shape of the mode, 1 cm at the free end, with rods of the right length.
    for k in 1..=n {
        let from_end = 1.0 - (k as Real - 0.5) / n as Real;
        let slope = |s: Real| {
            0.01 * (bessel_j0(ZERO_OF_J0 * s.sqrt()) - bessel_j0(ZERO_OF_J0 * (s + 1e-6).sqrt())) / 1e-6
        };
        let across = slope(from_end);
        let rod = Vec3::new(across, 0.0, -(1.0 - across * across).sqrt()) / n as Real;
        state.positions[k] = state.positions[k - 1] + rod;
    }
    let config = relaxation(RodsConfig {
        sweeps: 20_000,
        tolerance: 1e-9,
        accurate_start: true,
        ..Default::default()
    });
    let mut world = World::new(model, state, &config, 1e-3);
    let (mut before, mut crossing) = (world.state.positions[n].x, 0.0);
    while crossing == 0.0 {
        let time = world.state.time;
        world.step().unwrap();
        let after = world.state.positions[n].x;
        if after < 0.0 {
            crossing = time + world.dt * before / (before - after);
        }
        before = after;
    }
    // A quarter of a period. Links in place of a curve change ω by 1/n² or so, halved end masses by another; a swing of
    // 1 cm by (0.01)²; Verlet by (ωh)²/24; a residual of 1e-9 a step, by its force 1e-9 L/h² = 1e-3 m/s² of g: 1e-4.
    let quarter = 0.25 * std::f64::consts::TAU / omega;
    crate::assert_close!(crossing / quarter, 1.0, 2e-3, "time of a quarter swing by the chain's");
}

#[test]
fn a_held_end_leaves_all_to_the_other_and_masses_share() {
    let config = relaxation(RodsConfig { sweeps: 1, ..Default::default() });
    let rod = [([0, 1], 1.0, ROD)];
    let ends = |held: &[u32], masses: [Real; 2]| {
        let (mut model, state) = net(vec![Vec3::ZERO, Vec3::X * 1.5], &rod, held, Vec3::ZERO);
        for (i, mass) in masses.into_iter().enumerate().filter(|(i, _)| !held.contains(&(*i as u32))) {
            model.change(|data| (data.masses[i], data.inverse_masses[i]) = (mass, 1.0 / mass));
        }
        let end = run(&model, &state, &config, 1.0, 1.0).state.positions;
        [end[0].x, end[1].x]
    };
    assert_eq!(ends(&[], [1.0, 1.0]), [0.25, 1.25]);
    assert_eq!(ends(&[0], [1.0, 1.0]), [0.0, 1.0]);
    assert_eq!(ends(&[1], [1.0, 1.0]), [0.5, 1.5]);
    assert_eq!(ends(&[], [1.0, 4.0]), [0.4, 1.4]);
    assert_eq!(ends(&[0, 1], [1.0, 1.0]), [0.0, 1.5], "contradicted by its ends, left alone");
}

/// Two rods of 1 m between ends 3 m apart: the sweeps find no end, but the middle stays between them.
#[test]
fn contradicting_rods_stay_finite() {
    let particles = vec![Vec3::ZERO, Vec3::new(1.2, 0.1, 0.0), Vec3::X * 3.0];
    let (model, state) = net(particles, &[([0, 1], 1.0, ROD), ([1, 2], 1.0, ROD)], &[0, 2], DOWN);
    let config = relaxation(RodsConfig { sweeps: 50, tolerance: 1e-3, ..Default::default() });
    let mut world = World::new(model, state, &config, 1.0 / 60.0);
    for _ in 0..600 {
        let report = world.step().unwrap();
        assert_eq!(report.iterations, 50);
        assert!(report.residual > 0.49, "two rods 3 m long: {}", report.residual);
    }
    let middle = world.state.positions[1];
    assert!(middle.x > 0.9 && middle.x < 2.1 && middle.z.abs() < 0.5, "{middle}");
}

/// δ for a step of 1/60 s takes the same velocity a second at any step.
#[test]
fn damping_by_a_reference_step_does_not_depend_on_the_step() {
    let (model, mut state) = net(vec![Vec3::ZERO], &[], &[], Vec3::ZERO);
    state.velocities[0] = Vec3::X;
    let speed = |reference_step: Real, dt: Real| {
        let config = relaxation(RodsConfig { damping: 0.02, reference_step, ..Default::default() });
        run(&model, &state, &config, dt, 1.0).state.velocities[0].x
    };
    // The start is undamped: 59 of 60 steps, 599 of 600. Rounding of x⁺ − x, over h.
    let by_time = |dt: Real| Real::powf(0.98, 60.0 * (1.0 - dt));
    for dt in [1.0 / 60.0, 1.0 / 600.0] {
        crate::assert_close!(speed(1.0 / 60.0, dt), by_time(dt), 1e-11, "by the time, steps of {dt} s");
    }
    crate::assert_close!(speed(0.0, 1.0 / 600.0), Real::powi(0.98, 599), 1e-11, "a step");
}

/// A triangle of rods, thrown and turning: rods push along themselves only.
#[test]
fn a_triangle_of_rods_keeps_shape_and_turns_on() {
    let particles = vec![Vec3::ZERO, Vec3::X, Vec3::new(0.5, 0.8, 0.0)];
    let rods: Vec<_> = [[0, 1], [1, 2], [0, 2]]
        .map(|ends: [u32; 2]| (ends, particles[ends[0] as usize].distance(particles[ends[1] as usize]), ROD))
        .to_vec();
    let (model, mut state) = net(particles, &rods, &[], Vec3::ZERO);
    for i in 0..3 {
        state.velocities[i] = Vec3::new(0.1, 0.2, 0.0) + Vec3::Z.cross(state.positions[i]);
    }
    let start = angular_momentum(&model, &state);
    let loss = |dt: Real| {
        let config = relaxation(RodsConfig { sweeps: 1000, tolerance: 1e-13, ..Default::default() });
        let world = run(&model, &state, &config, dt, 1.0);
        let residual = model.stretches(&world.state.positions).map(Real::abs).fold(0.0, Real::max);
        assert!(residual < 1e-12, "rods off by {residual:e}");
        angular_momentum(&model, &world.state).distance(start) / start.length()
    };
    // The pushes act along the rods where they end, not where they start: h² v × a a step, the first order.
    let (coarse, fine) = (loss(0.01), loss(0.005));
    crate::assert_close!((coarse / fine).log2(), 1.0, 0.1, "order of the loss of {coarse:e}");
}

#[test]
fn rods_are_refused_where_they_cannot_be() {
    for (link, part) in [
        (Link { stiffness: 0.0, ..ROD }, "structural.stiffness"),
        (Link { damping: 1.0, ..ROD }, "structural.rigid"),
        (Link { law: muslin::elements::SpringLaw::TensionOnly, ..ROD }, "structural.rigid"),
    ] {
        let rope = Rope { structural: link, mass: Mass::Each(1.0), ..Rope::default() };
        let error = Builder::default().add_rope(&rope).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}
