//! Motion through air.

use crate::support::{DOWN, G, build, every_solver, net, run};
use muslin::builder::{Mass, Resolution, Sheet, Surroundings, WindCoefficient, WindDescription};
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::profile::Profile;
use muslin::solver::SolverConfig;
use muslin::state::State;

#[test]
fn a_falling_particle_reaches_its_terminal_velocity() {
    let (mut model, state) = net(vec![Vec3::ZERO], &[], &[], DOWN);
    let c = 2.0;
    model.forces.drag.fill(c);
    for (label, config) in every_solver() {
        // exp(−C t/m) = 1e-17; where drag balances weight nothing accelerates any more, whatever the method. The
        // Verlet family takes velocities as differences of positions around 100 over h, 1e-14/1e-2 a step, of which
        // the last m/(C h) = 50 count.
        let world = run(&model, &state, &config, 1e-2, 20.0);
        crate::assert_close!(world.state.velocities[0].z, -G / c, 1e-10, "{label}");
    }
}

/// A flat sheet without gravity in a wind that blows at it at an angle: C/m = 4/s.
fn blown_sheet() -> (Model, State) {
    let sheet =
        Sheet { resolution: Resolution::Particles([4, 5]), mass: Mass::Each(0.05), ..Sheet::default() };
    let wind = WindDescription {
        velocity: Vec3::new(1.0, -2.0, 3.0),
        profile: Profile::Constant,
        coefficient: WindCoefficient::Particle(0.2),
    };
    build(&sheet, &Surroundings { wind: Some(wind), ..Surroundings::default() })
}

#[test]
fn a_flat_sheet_reaches_the_speed_of_the_wind_across_it() {
    let (model, state) = blown_sheet();
    for (label, config) in every_solver() {
        let world = run(&model, &state, &config, 2.5e-3, 7.5);
        // exp(−30) = 1e-13 of 3 m/s, and rounding; along its plane the sheet does not feel the wind. Conjugate gradients
        // stop at 1e-9 of the right-hand side, and the tilt of the sheet which that leaves nothing takes back.
        let iterative = matches!(
            config,
            SolverConfig::ImplicitEuler(_) | SolverConfig::ImplicitMidpoint(_) | SolverConfig::Bdf2(_)
        );
        let allowed = if iterative { 1e-8 } else { 1e-10 };
        for &v in &world.state.velocities {
            let error = v.distance(Vec3::Z * 3.0);
            assert!(error <= allowed, "{label}: {v}, off by {error:e}");
        }
    }
}

#[test]
fn it_does_so_exponentially() {
    let (model, state) = blown_sheet();
    for t in [0.1, 0.25, 0.5, 1.0] {
        let world = run(&model, &state, &SolverConfig::named("rk4").unwrap(), 2.5e-3, t);
        let expected = 3.0 * (1.0 - Real::exp(-4.0 * t));
        // RK4 at λh = 0.01: (λh)⁴/120 · λt.
        crate::assert_close!(world.state.velocities[0].z, expected, 1e-9, "after {t} s");
    }
}
