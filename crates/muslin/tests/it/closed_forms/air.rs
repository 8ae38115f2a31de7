//! Motion through air.

use crate::support::{DOWN, G, SINGLE, build, every_solver, is_single, net, noise, run, scheme};
use muslin::builder::{Mass, Resolution, Sheet, Surroundings, WindCoefficient, WindDescription};
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::profile::Profile;
use muslin::solver::SolverConfig;
use muslin::solvers::Scheme;
use muslin::state::State;

#[test]
fn a_falling_particle_reaches_its_terminal_velocity() {
    let (mut model, state) = net(vec![Vec3::ZERO], &[], &[], DOWN);
    let c = 2.0;
    model.change_forces(|forces| forces.drag.fill(c));
    for (label, config) in every_solver() {
        // exp(−C t/m) = 1e-17; where drag balances weight nothing accelerates any more, whatever the method. The
        // Verlet family takes velocities as differences of positions around 100 over h, 1e-14/1e-2 a step, of which
        // the last m/(C h) = 50 count.
        let world = run(&model, &state, &config, 1e-2, 20.0);
        crate::assert_close!(world.state.velocities[0].z, -G / c, 1e-10, "{label}");
    }
}

/// A flat sheet in the xy plane without gravity, in this wind: C/m = 4/s.
fn blown_sheet(velocity: Vec3) -> (Model, State) {
    let resolution = Resolution::Particles([4, 5]);
    let sheet = Sheet { resolution, mass: Mass::Each(0.05), ..Sheet::default() };
    let coefficient = WindCoefficient::Particle(0.2);
    let wind = WindDescription { velocity, profile: Profile::Constant, coefficient };
    build(&sheet, &Surroundings { gravity: Vec3::ZERO, wind: Some(wind), ..Surroundings::default() })
}

#[test]
fn a_flat_sheet_reaches_the_speed_of_the_wind_across_it() {
    let (model, state) = blown_sheet(Vec3::Z * 3.0);
    for (label, config) in every_solver() {
        let world = run(&model, &state, &config, 2.5e-3, 7.5);
        for &v in &world.state.velocities {
            // exp(−30) = 1e-13 of 3 m/s. The Verlet family takes velocities as differences of positions around 22 over h:
            // 1.4e-12 a step, of which the last m/(C h) = 100 count.
            // BDF2 as a minimum takes them from twice as many positions over 2h/3. In single precision lengths of 0.33 m
            // are rounded by 6e-8, anew in every step.
            let allowed = match scheme(&config) {
                _ if is_single(&config) => SINGLE * 0.33 / (world.dt * 2.0 / 3.0),
                Some(Scheme::Bdf2) => 3e-10,
                _ => 1e-10,
            };
            let error = v.distance(Vec3::Z * 3.0);
            assert!(error <= allowed, "{label}: {v}, off by {error:e}");
        }
    }
}

/// Along its plane the sheet does not feel the wind.
#[test]
fn it_does_so_exponentially() {
    let (model, state) = blown_sheet(Vec3::new(1.0, -2.0, 3.0));
    for t in [0.1, 0.25, 0.5, 1.0] {
        let world = run(&model, &state, &SolverConfig::named("rk4").unwrap(), 2.5e-3, t);
        let expected = Vec3::Z * 3.0 * (1.0 - Real::exp(-4.0 * t));
        for v in &world.state.velocities {
            // RK4 at λh = 0.01: (λh)⁴/120 · λt.
            assert!(v.distance(expected) <= 1e-9, "after {t} s: {v}, not {expected}");
        }
    }
}

/// How far the heights of a sheet, disturbed by 1e-12 m at the start, lie apart in the end [m].
fn spread_of_heights(wind: Vec3) -> Real {
    let (model, mut state) = blown_sheet(wind);
    for i in 0..model.len() {
        state.positions[i].z += 1e-12 * noise(3, i).z;
    }
    let world = run(&model, &state, &SolverConfig::named("rk4").unwrap(), 2.5e-3, 5.0);
    let heights = world.state.positions.iter().map(|x| x.z);
    heights.clone().fold(Real::NEG_INFINITY, Real::max) - heights.fold(Real::INFINITY, Real::min)
}

/// Wind along a sheet makes it flutter: m z̈ = C (uₙ − ż − u·∇z) has the roots m λ² + C λ + i C u·k = 0, one of which
/// grows. So an oblique wind magnifies any rounding, in every solver; one that blows straight at the sheet does not.
#[test]
fn only_wind_along_a_sheet_makes_it_flutter() {
    let (straight, oblique) =
        (spread_of_heights(Vec3::Z * 3.0), spread_of_heights(Vec3::new(1.0, -2.0, 3.0)));
    assert!(straight < 1e-11, "{straight:e} m");
    assert!(oblique > 100.0 * straight, "{oblique:e} m against {straight:e} m");
}
