//! Order of convergence: how the error falls as the step does.

use crate::support::{DOWN, every_solver, max_distance, noise, run, small_sheet};
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::solvers::{ImprovedVerletConfig, Rk4Config, Rk45Config};
use muslin::state::State;

const DURATION: Real = 0.25;

/// A smooth motion: a damped sheet of springs that never go slack, hung by two corners, a little uneven.
pub fn smooth_problem() -> (Model, State) {
    let (model, mut state) = small_sheet(true, 0.02, DOWN);
    for i in (0..model.len()).filter(|&i| !model.is_held(i)) {
        state.positions[i] += noise(1, i) * 0.02;
        state.velocities[i] = noise(2, i) * 0.2;
    }
    (model, state)
}

pub fn reference(model: &Model, state: &State) -> Vec<Vec3> {
    let rk4 = SolverConfig::named("rk4").unwrap();
    run(model, state, &rk4, DURATION / 8192.0, DURATION).state.positions
}

/// Slope of the line that fits log₂(error) over log₂(step) best.
pub fn slope(errors: &[Real]) -> Real {
    let n = errors.len() as Real;
    let mean = (n - 1.0) / 2.0;
    let (mut above, mut below) = (0.0, 0.0);
    for (halvings, error) in errors.iter().enumerate() {
        let away = halvings as Real - mean;
        above -= away * error.log2();
        below += away * away;
    }
    above / below
}

fn measured_order(config: &SolverConfig, coarsest: u32) -> Real {
    let (model, state) = smooth_problem();
    let exact = reference(&model, &state);
    let errors: Vec<Real> = (0..5)
        .map(|halvings| {
            let dt = DURATION / Real::from(coarsest << halvings);
            max_distance(&run(&model, &state, config, dt, DURATION).state.positions, &exact)
        })
        .collect();
    println!("{errors:?}");
    slope(&errors)
}

/// The order, and the number of steps from which on it shows.
fn order(config: &SolverConfig) -> (Real, u32) {
    match config {
        SolverConfig::ExplicitEuler(_)
        | SolverConfig::SymplecticEuler(_)
        | SolverConfig::ImplicitEuler(_) => (1.0, 256),
        SolverConfig::Rk4(Rk4Config { as_printed: false }) => (4.0, 64),
        _ => (2.0, 128),
    }
}

#[test]
fn every_solver_converges_with_its_order() {
    for (label, config) in every_solver() {
        let (expected, coarsest) = order(&config);
        let measured = measured_order(&config, coarsest);
        println!("{label}: {measured}");
    }
}

#[test]
fn the_printed_runge_kutta_is_of_second_order() {
    let measured = measured_order(&SolverConfig::Rk4(Rk4Config { as_printed: true }), 64);
    crate::assert_close!(measured, 2.0, 0.15, "order");
}

#[test]
fn improved_verlet() {
    for force_threshold in [0.0, 1e-3, 1e9] {
        let config = SolverConfig::ImprovedVerlet(ImprovedVerletConfig { force_threshold });
        println!("{force_threshold} {}", measured_order(&config, 128));
    }
}

#[test]
fn the_adaptive_method_errs_as_its_tolerance_says() {
    let (model, state) = smooth_problem();
    let exact = reference(&model, &state);
    let errors: Vec<Real> = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9]
        .iter()
        .map(|&tolerance| {
            let config = SolverConfig::Rk45(Rk45Config {
                position_tolerance: tolerance,
                velocity_tolerance: 100.0 * tolerance,
                ..Rk45Config::default()
            });
            max_distance(&run(&model, &state, &config, DURATION, DURATION).state.positions, &exact)
        })
        .collect();
    println!("{errors:?}");
}
