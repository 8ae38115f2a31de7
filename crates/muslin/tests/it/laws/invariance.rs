//! Physics knows no direction of the axes and no units.

use crate::support::{DOWN, every_solver, max_distance, noise, run, small_sheet, small_sheet_rounding};
use muslin::forces::Wind;
use muslin::math::{Real, Rotation, Vec3};
use muslin::model::Model;
use muslin::profile::Profile;
use muslin::solver::SolverConfig;
use muslin::solvers::LinearSolver;
use muslin::state::State;

/// A sheet held at two corners with all that acts: gravity, drag, wind and damping.
fn windy_sheet() -> (Model, State) {
    let (mut model, mut state) = small_sheet(true, 0.02, DOWN);
    model.change_forces(|forces| forces.drag.fill(0.05));
    model.change(|data| {
        data.forces.wind = Some(Wind {
            velocity: Vec3::new(1.0, 2.0, 0.5),
            profile: Profile::Constant,
            coefficients: vec![0.02; data.len()],
        });
    });
    for i in (0..model.len()).filter(|&i| !model.is_held(i)) {
        state.positions[i] += noise(1, i) * 0.03;
        state.velocities[i] = noise(2, i) * 0.5;
    }
    (model, state)
}

#[test]
fn results_rotate_with_the_scene() {
    let (model, state) = windy_sheet();
    let rotation = Rotation::from_scaled_axis(Vec3::new(0.3, -1.1, 0.7));
    let (mut turned_model, mut turned) = (model.clone(), state.clone());
    turned_model.change_forces(|forces| {
        forces.gravity = rotation * forces.gravity;
        let wind = forces.wind.as_mut().unwrap();
        wind.velocity = rotation * wind.velocity;
    });
    for vector in turned.positions.iter_mut().chain(&mut turned.velocities) {
        *vector = rotation * *vector;
    }
    for (label, config) in every_solver() {
        let plain = run(&model, &state, &config, 1e-3, 0.3);
        let rotated = run(&turned_model, &turned, &config, 1e-3, 0.3);
        let expected: Vec<Vec3> = plain.state.positions.iter().map(|x| rotation * *x).collect();
        let distance = max_distance(&rotated.state.positions, &expected);
        // Rounding of numbers around 1 over 300 steps of a motion that is not chaotic; two-step recursions sum it up
        // twice.
        // Of XPBD in single precision: its noise, see `convergence`.
        let allowed = if label == "xpbd" { 5e-5 } else { 1e-11 + small_sheet_rounding(&config, 1e-3) };
        assert!(distance <= allowed, "{label}: {distance:e} m off");
    }
}

/// Factors of the units: powers of two, which scale floating-point numbers without rounding.
const LENGTH: Real = 8.0;
const MASS: Real = 0.25;
const TIME: Real = 2.0;
const VELOCITY: Real = LENGTH / TIME;
const FORCE: Real = MASS * LENGTH / (TIME * TIME);

fn in_other_units(model: &Model, state: &State) -> (Model, State) {
    let (mut model, mut state) = (model.clone(), state.clone());
    model.change(|data| data.masses.iter_mut().for_each(|m| *m *= MASS));
    model.change(|data| data.inverse_masses.iter_mut().for_each(|w| *w /= MASS));
    model.change(|data| {
        for spring in &mut data.elements.springs {
            spring.rest_length *= LENGTH;
            spring.slack = spring.slack.map(|elongation| elongation * LENGTH);
            spring.stiffness *= FORCE / LENGTH;
            spring.damping *= FORCE / VELOCITY;
        }
    });
    model.change(|data| {
        for rod in &mut data.elements.rods {
            rod.length *= LENGTH;
            rod.stiffness *= FORCE / LENGTH;
        }
    });
    model.change_forces(|forces| forces.gravity *= VELOCITY / TIME);
    model.change_forces(|forces| forces.drag.iter_mut().for_each(|c| *c *= FORCE / VELOCITY));
    model.change_forces(|forces| {
        let wind = forces.wind.as_mut().unwrap();
        wind.velocity *= VELOCITY;
        wind.coefficients.iter_mut().for_each(|c| *c *= FORCE / VELOCITY);
    });
    state.positions.iter_mut().for_each(|x| *x *= LENGTH);
    state.velocities.iter_mut().for_each(|v| *v *= VELOCITY);
    (model, state)
}

/// The settings that are not pure numbers, in the other units.
fn settings_in_other_units(config: &SolverConfig) -> SolverConfig {
    let mut config = config.clone();
    match &mut config {
        SolverConfig::Rk45(rk45) => {
            rk45.position_tolerance *= LENGTH;
            rk45.velocity_tolerance *= VELOCITY;
        }
        SolverConfig::Propagation(propagation) => {
            propagation.speed_threshold *= VELOCITY;
            propagation.acceleration_threshold *= VELOCITY / TIME;
        }
        SolverConfig::ImprovedVerlet(verlet) => verlet.force_threshold *= FORCE,
        SolverConfig::ImplicitEuler(euler) => {
            euler.newton_tolerance *= VELOCITY;
            // The tolerance of conjugate gradients is a ratio, that of sweeps a velocity.
            if matches!(euler.linear.linear_solver, LinearSolver::Jacobi | LinearSolver::Sor) {
                euler.linear.tolerance *= VELOCITY;
            }
        }
        SolverConfig::Rods(rods) => rods.reference_step *= TIME,
        SolverConfig::ImplicitMidpoint(midpoint) => midpoint.newton_tolerance *= VELOCITY,
        SolverConfig::Bdf2(bdf2) => bdf2.newton_tolerance *= VELOCITY,
        _ => {}
    }
    config
}

#[test]
fn results_do_not_depend_on_the_units_to_the_bit() {
    let (model, state) = windy_sheet();
    let (scaled_model, scaled) = in_other_units(&model, &state);
    for (label, config) in every_solver() {
        let plain = run(&model, &state, &config, 1e-3, 0.3);
        let other = settings_in_other_units(&config);
        let other = run(&scaled_model, &scaled, &other, 1e-3 * TIME, 0.3 * TIME);
        let expected: Vec<Vec3> = plain.state.positions.iter().map(|x| *x * LENGTH).collect();
        assert_eq!(other.state.positions, expected, "{label}: positions");
        let expected: Vec<Vec3> = plain.state.velocities.iter().map(|v| *v * VELOCITY).collect();
        assert_eq!(other.state.velocities, expected, "{label}: velocities");
    }
}
