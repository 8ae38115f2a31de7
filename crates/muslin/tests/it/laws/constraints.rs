//! What holds particles by rule, whatever the solver: strain limits and scripted pins.

use crate::support::{DOWN, every_solver, max_distance, run, scheme, small_sheet};
use muslin::math::{Real, Vec3};
use muslin::measure::Stretch;
use muslin::script::{Motion, PinMove};
use muslin::solver::SolverConfig;
use muslin::solvers::Scheme;
use muslin::strain_limit::StrainLimit;

#[test]
fn a_strain_limit_holds_with_every_solver() {
    let (mut model, state) = small_sheet(true, 0.02, DOWN);
    model.change_forces(|forces| forces.drag.fill(0.2));
    let reference = run(&model, &state, &SolverConfig::named("rk4").unwrap(), 1e-3, 2.0);
    let unlimited = Stretch::of(&model, &reference.state.positions).max;
    assert!(unlimited > 0.15, "the weight stretches the sheet well beyond the limit: {unlimited}");
    model.change(|data| data.strain_limit = Some(StrainLimit { limit: 0.05, sweeps: 30 }));
    for (label, config) in every_solver() {
        let world = run(&model, &state, &config, 1e-3, 2.0);
        let stretch = Stretch::of(&model, &world.state.positions).max;
        // Thirty sweeps bring back nearly all of what a step of 1 ms adds, some g h² = 1e-5 m of 0.25 m.
        // With k = 1 the springs of position-based dynamics hardly stretch.
        let stretches = !matches!(config, SolverConfig::Pbd(_));
        assert_eq!(stretch > 0.049, stretches, "{label}: whether the weight reaches the limit, {stretch}");
        assert!(stretch <= 0.05 + 1e-6, "{label}: stretched by {stretch}");
    }
}

#[test]
fn scripted_pins_are_where_the_script_says() {
    let (mut model, state) = small_sheet(true, 0.02, DOWN);
    let motions = [
        (0, Motion::Translate { velocity: Vec3::new(0.5, 0.0, 1.0), from: 0.05, until: 0.15 }),
        (
            3,
            Motion::Rotate {
                center: Vec3::new(0.1, 0.2, 0.3),
                axis: Vec3::new(1.0, 1.0, 0.0),
                turns_per_second: 0.7,
                from: 0.0,
                until: 1.0,
            },
        ),
    ];
    for (particle, motion) in &motions {
        let start = vec![state.positions[*particle]];
        let moved = PinMove { particles: vec![*particle as u32], start, motion: motion.clone() };
        model.change(|data| data.script.moves.push(moved));
    }
    for (label, config) in every_solver() {
        for duration in [0.1, 0.2] {
            let world = run(&model, &state, &config, 2e-3, duration);
            for (particle, motion) in &motions {
                let (x, v) = motion.at(world.state.time, state.positions[*particle]);
                assert_eq!(world.state.positions[*particle], x, "{label}");
                assert_eq!(world.state.velocities[*particle], v, "{label}");
            }
        }
    }
}

/// Inner stages see the pins where they are at their time, or a method of higher order would fall to the first.
#[test]
fn moving_pins_cost_no_order() {
    let (mut model, state) = small_sheet(true, 0.02, Vec3::ZERO);
    let motion = Motion::Oscillate { amplitude: Vec3::Z * 0.1, frequency: 2.0 };
    let (particles, start) = (vec![0, 3], vec![state.positions[0], state.positions[3]]);
    model.change(|data| data.script.moves.push(PinMove { particles, start, motion }));
    let reference = run(&model, &state, &SolverConfig::named("rk4").unwrap(), 2.5e-4, 0.5);
    for (label, config) in every_solver() {
        let error = |dt: Real| {
            let world = run(&model, &state, &config, dt, 0.5);
            max_distance(&world.state.positions, &reference.state.positions)
        };
        // The filter's viscosity k h brakes turning, too: it takes smaller steps until the error falls as h.
        let dt = if matches!(config, SolverConfig::Desbrun(_)) { 2.5e-4 } else { 2e-3 };
        let (coarse, fine) = (error(dt), error(0.5 * dt));
        let order = (coarse / fine).log2();
        match &config {
            // Held to its tolerance, 1e-7 m, by far.
            SolverConfig::Rk45(_) => assert!(coarse < 1e-9, "{label}: {coarse:e} m off"),
            // Without order between quiet and busy; see `convergence`.
            SolverConfig::ImprovedVerlet(_) => assert!(coarse < 0.02, "{label}: {coarse:e} m off"),
            // Springs within ε of their length carry nothing: ε L of each of five in a row; without ε of second order.
            SolverConfig::Propagation(config) if config.strain_threshold > 0.0 => {
                assert!(coarse < 5.0 * 0.25 * config.strain_threshold, "{label}: {coarse:e} m off");
            }
            SolverConfig::ExplicitEuler(_)
            | SolverConfig::SymplecticEuler(_)
            | SolverConfig::ImplicitEuler(_)
            | SolverConfig::Xpbd(_)
            | SolverConfig::Rods(_)
            | SolverConfig::Desbrun(_) => crate::assert_close!(order, 1.0, 0.15, "{label}: order"),
            // Springs of k = 1 are rods, at any step.
            SolverConfig::Pbd(_) => crate::assert_close!(order, 0.0, 0.15, "{label}: order"),
            config if scheme(config) == Some(Scheme::ImplicitEuler) => {
                crate::assert_close!(order, 1.0, 0.15, "{label}: order");
            }
            SolverConfig::Rk4(_) => crate::assert_close!(order, 4.0, 0.15, "{label}: order"),
            _ => crate::assert_close!(order, 2.0, 0.15, "{label}: order"),
        }
    }
}
