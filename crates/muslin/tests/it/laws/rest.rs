//! What is in equilibrium stays there, and every solver finds the same equilibrium.

use crate::support::{DOWN, every_solver, max_distance, run, scheme, small_sheet, small_sheet_rounding};
use muslin::math::{Real, Vec3};
use muslin::measure::Energy;
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::solvers::ImplicitEulerConfig;
use muslin::state::State;

#[test]
fn a_sheet_at_rest_stays_at_rest() {
    let (model, state) = small_sheet(false, 0.02, Vec3::ZERO);
    for (label, config) in every_solver() {
        let world = run(&model, &state, &config, 1e-2, 1.0);
        // Rest lengths are the distances at the start: every force is zero, and stays so, to the bit.
        assert_eq!(world.state.positions, state.positions, "{label}");
        assert_eq!(world.state.velocities, state.velocities, "{label}");
    }
}

/// The sheet hung by two corners in air that slows it: C/m = 4/s, near the critical damping of its swing, 2 √(g/1 m).
fn hung_in_air() -> (Model, State) {
    let (mut model, state) = small_sheet(true, 0.02, DOWN);
    model.forces.drag.fill(0.2);
    (model, state)
}

/// Long steps of implicit Euler, solved to the end, lead straight to the equilibrium.
fn equilibrium(model: &Model, state: &State) -> State {
    let newton = ImplicitEulerConfig { newton_iterations: 50, newton_tolerance: 1e-13, ..Default::default() };
    let mut state = run(model, state, &SolverConfig::ImplicitEuler(newton), 0.05, 20.0).state;
    state.velocities.fill(Vec3::ZERO);
    State { time: 0.0, ..state }
}

#[test]
fn a_hanging_sheet_in_equilibrium_stays_there() {
    let (model, state) = hung_in_air();
    let hanging = equilibrium(&model, &state);
    for (label, config) in every_solver() {
        let world = run(&model, &hanging, &config, 1e-3, 0.2);
        let way = max_distance(&world.state.positions, &hanging.positions);
        // The equilibrium is known to some roundings.
        let allowed = 1e-14 + small_sheet_rounding(&config, 1e-3);
        assert!(way <= allowed, "{label}: moved by {way:e} m");
    }
}

#[test]
fn every_solver_finds_the_same_static_energy() {
    let (model, state) = hung_in_air();
    let potential = |state: &State| {
        let energy = Energy::of(&model, state);
        energy.elastic + energy.gravity
    };
    let expected = potential(&equilibrium(&model, &state));
    for (label, config) in every_solver() {
        let implicit = scheme(&config).is_some()
            || matches!(
                config,
                SolverConfig::ImplicitEuler(_) | SolverConfig::ImplicitMidpoint(_) | SolverConfig::Bdf2(_)
            );
        let dt: Real = if implicit { 1e-2 } else { 2e-3 };
        let world = run(&model, &state, &config, dt, 8.0);
        let energy = potential(&world.state);
        // Amplitudes decay as exp(−C t/2m) = 1e-7 of a metre in 8 s, and the energy above the minimum as its square.
        // What rounding moves, it lifts by half the stiffness times the square of the way.
        let stiffness: Real = model.elements.springs.iter().map(|spring| spring.stiffness).sum();
        let lifted = 0.5 * stiffness * small_sheet_rounding(&config, dt).powi(2);
        crate::assert_close!(energy, expected, 1e-12 * expected.abs() + lifted, "{label}: potential energy");
    }
}
