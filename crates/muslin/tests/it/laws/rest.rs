//! What is in equilibrium stays there, and every solver finds the same equilibrium.

use crate::support::{
    DOWN, G, every_solver, is_single, max_distance, run, scheme, small_sheet, small_sheet_rounding,
};
use muslin::math::{Real, Vec3};
use muslin::measure::{Energy, Stretch};
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::solvers::{ImplicitEulerConfig, XpbdConfig};
use muslin::state::State;

#[test]
fn a_sheet_at_rest_stays_at_rest() {
    let (model, state) = small_sheet(false, 0.02, Vec3::ZERO);
    for (label, config) in every_solver() {
        let world = run(&model, &state, &config, 1e-2, 1.0);
        if is_single(&config) {
            // Inverse roots in single precision are off by 1.2e-7 at the most, twice a rounding.
            let way = max_distance(&world.state.positions, &state.positions);
            assert!(way <= 2.0 * small_sheet_rounding(&config, 1e-2), "{label}: moved by {way:e} m");
            continue;
        }
        // Rest lengths are the distances at the start: every force is zero, and stays so, to the bit.
        assert_eq!(world.state.positions, state.positions, "{label}");
        assert_eq!(world.state.velocities, state.velocities, "{label}");
    }
}

/// The sheet hung by two corners in air that slows it: C/m = 4/s, near the critical damping of its swing, 2 √(g/1 m).
fn hung_in_air() -> (Model, State) {
    let (mut model, state) = small_sheet(true, 0.02, DOWN);
    model.change_forces(|forces| forces.drag.fill(0.2));
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
        let allowed = match &config {
            // One sweep a substep elongates a spring by h (h + c/k) Σ w f' (see the solver): 1e-4 s · 0.02 s · 20/kg and some
            // 2 N make 8e-5 m, on each of a few springs in a row.
            SolverConfig::Xpbd(XpbdConfig { iterations: 1, .. }) => 3e-4,
            // The direction of a correction is that of its iterate, g h² = 1e-5 m away: an angle of 4e-5 on springs that
            // are 0.1 m longer than at rest.
            SolverConfig::Xpbd(_) => 4e-6,
            // Springs of k = 1 take back their stretch, at most along two sides of the sheet, 1 m and 0.75 m.
            SolverConfig::Pbd(_) => 1.75 * Stretch::of(&model, &hanging.positions).max,
            // The filter's factorisation rounds the zero that is left of force and weight.
            SolverConfig::Desbrun(_) => 1e-13,
            // Springs strained by less than ε carry nothing: ε L of each of five in a row.
            SolverConfig::Propagation(config) => 1e-14 + 5.0 * 0.25 * config.strain_threshold,
            // The equilibrium is known to some roundings.
            _ => 1e-14 + small_sheet_rounding(&config, 1e-3),
        };
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
            )
            || label == "xpbd/converged";
        let dt: Real = if implicit { 1e-2 } else { 2e-3 };
        let world = run(&model, &state, &config, dt, 8.0);
        let energy = potential(&world.state);
        if matches!(config, SolverConfig::Pbd(_)) {
            // The flat sheet of 1 kg and 1 m, its springs as long as at rest; the sweeps leave some of the last step's
            // fall, g h².
            crate::assert_close!(energy, -0.5 * G, G * G * dt * dt, "{label}: potential energy");
            continue;
        }
        let allowed = match &config {
            // Elongations of h (h + c/k) Σ w f' too much, twice those above: ½ k e² of 31 structural springs and e = 2.5e-4 m.
            SolverConfig::Xpbd(XpbdConfig { iterations: 1, .. }) => 1e-5,
            // Iterates up to g h² = 1 mm away: all particles within 4e-4 m, k of that squared 1e-6 of all.
            SolverConfig::Xpbd(_) => 1e-6,
            // Amplitudes decay as exp(−C t/2m) = 1e-7 of a metre in 8 s, and the energy above the minimum as its square.
            _ => 1e-12,
        };
        // What springs strained by less than ε would carry.
        let band = match &config {
            SolverConfig::Propagation(config) => {
                let springs = model.elements.springs.iter();
                let stored =
                    springs.map(|s| 0.5 * s.stiffness * (config.strain_threshold * s.rest_length).powi(2));
                stored.sum::<Real>()
            }
            _ => 0.0,
        };
        // What rounding moves, it lifts by half the stiffness times the square of the way.
        let stiffness: Real = model.elements.springs.iter().map(|spring| spring.stiffness).sum();
        let lifted = 0.5 * stiffness * small_sheet_rounding(&config, dt).powi(2);
        crate::assert_close!(
            energy,
            expected,
            allowed * expected.abs() + lifted + band,
            "{label}: potential energy"
        );
    }
}
