//! A particle that falls from rest: −½ g t², and each method's error by theory.

use crate::support::{DOWN, G, every_solver, net, run, scheme};
use muslin::math::{Real, Vec3};
use muslin::parts::backward_difference::Scheme;
use muslin::solver::SolverConfig;

/// Height and velocity minus the exact ones after n steps of h [m, m/s].
fn error_by_theory(config: &SolverConfig, h: Real, n: i32) -> (Real, Real) {
    let t = h * Real::from(n);
    match config {
        config if scheme(config) == Some(Scheme::ImplicitEuler) => (-0.5 * G * h * t, 0.0),
        config if scheme(config) == Some(Scheme::Bdf2) => {
            (-0.75 * G * h * h * (1.0 - Real::powi(3.0, -n)), 0.0)
        }
        // x gains h v with the old velocity, which is that of half a step ago on average.
        SolverConfig::ExplicitEuler(_) => (0.5 * G * h * t, 0.0),
        // … with the new velocity: half a step ahead.
        SolverConfig::SymplecticEuler(_) | SolverConfig::ImplicitEuler(_) => (-0.5 * G * h * t, 0.0),
        // Exact for parabolas but for the start by implicit Euler, which leaves e₁ = −g h²/2 after the first step;
        // e⁺ = (4 e − e⁻)/3 takes that to 3/2 e₁.
        SolverConfig::Bdf2(_) => (-0.75 * G * h * h * (1.0 - Real::powi(3.0, -n)), 0.0),
        // (4.19) is the velocity of half a step ago.
        SolverConfig::ImprovedVerlet(_) => (0.0, 0.5 * G * h),
        // Exact for parabolas.
        _ => (0.0, 0.0),
    }
}

#[test]
fn every_solver_falls_freely() {
    let (model, state) = net(vec![Vec3::ZERO], &[], &[], DOWN);
    let (h, n) = (0.01, 100);
    for (label, config) in every_solver() {
        let world = run(&model, &state, &config, h, h * Real::from(n));
        let (in_height, in_velocity) = error_by_theory(&config, h, n);
        let t = world.state.time;
        // Rounding of numbers around 5 over 100 steps; a two-step recursion sums it up twice: 100² · 1e-16.
        let rounding = 1e-11;
        let height = world.state.positions[0].z;
        crate::assert_close!(height, -0.5 * G * t * t + in_height, rounding, "{label}: height");
        let velocity = world.state.velocities[0].z;
        crate::assert_close!(velocity, -G * t + in_velocity, rounding, "{label}: velocity");
        assert_eq!(world.state.positions[0].truncate(), Vec3::ZERO.truncate(), "{label}: straight down");
    }
}
