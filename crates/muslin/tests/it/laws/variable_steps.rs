//! Steps of changing length, and steps backwards.

use super::convergence::{DURATION, reference, slope, smooth_problem};
use crate::support::{DOWN, every_solver, is_single, max_distance, noise, run, scheme, small_sheet};
use muslin::math::Real;
use muslin::solver::SolverConfig;
use muslin::solvers::Scheme;
use muslin::state::State;
use muslin::world::World;

/// Lengths of steps that change at random, up to threefold; their mean is 1. The same eight over and over.
fn rhythm() -> [Real; 8] {
    let raw: [Real; 8] = std::array::from_fn(|k| 0.5 + muslin::profile::uniform(11, k as u64));
    let mean = raw.iter().sum::<Real>() / 8.0;
    raw.map(|length| length / mean)
}

fn errors(config: &SolverConfig) -> Vec<Real> {
    let (model, state) = smooth_problem();
    let exact = reference(&model, &state);
    let error = |halvings: usize| {
        // Single precision shows second order down to half a millisecond; see `convergence`.
        let steps = if is_single(config) { 32 } else { 128 } << halvings;
        let mut world = World::new(model.clone(), state.clone(), config, 0.0);
        for k in 0..steps {
            world.step_by(rhythm()[k % 8] * DURATION / steps as Real).unwrap();
        }
        max_distance(&world.state.positions, &exact)
    };
    (0..5).map(error).collect()
}

/// What becomes of the order when the steps change.
fn order(label: &str, config: &SolverConfig) -> Real {
    match label {
        _ if scheme(config) == Some(Scheme::ImplicitEuler) => 1.0,
        // x − x⁻ is the way of another step than the next: an error that does not fall with h.
        "position-verlet" => 0.0,
        "explicit-euler" | "symplectic-euler" => 1.0,
        _ if label.starts_with("implicit-euler") || label.starts_with("xpbd") => 1.0,
        // The velocity remembers x − x⁻ in any step, which is why the order holds.
        _ if label.starts_with("rods") || label.starts_with("desbrun") => 1.0,
        // Rods in place of springs, in any step.
        "pbd" => 0.0,
        // A change of h is a new start with (4.18), x + h v + h²/2 a and v + h a: Euler's velocities. And the printed
        // weight h² of the other is off by h (h − h⁻)/2 · a a step.
        "improved-verlet" | "time-corrected-verlet/as-printed" => 1.0,
        "rk4" => 4.0,
        _ => 2.0,
    }
}

#[test]
fn changing_steps_do_to_every_solver_what_theory_says() {
    let mut solvers = every_solver();
    // The adaptive method chooses its own steps; single precision ends at its noise before the order shows.
    solvers.retain(|(label, _)| label != "rk45" && label != "xpbd");
    // Springs that carry nothing within ε are others than the reference has, in steps of any length; see `convergence`.
    solvers.retain(|(label, _)| label != "propagation");
    for (label, config) in solvers {
        let measured = slope(&errors(&config));
        crate::assert_close!(measured, order(&label, &config), 0.15, "{label}: order");
    }
}

#[test]
fn symmetric_methods_run_backwards_to_where_they_came_from() {
    let (model, mut state) = small_sheet(true, 0.0, DOWN);
    for i in (0..model.len()).filter(|&i| !model.is_held(i)) {
        state.velocities[i] = noise(2, i) * 0.2;
    }
    // Rounding; and what Newton's method leaves, 1e-9 m/s a step at the most.
    for (name, allowed) in [("velocity-verlet", 1e-13), ("implicit-midpoint", 1e-9)] {
        let config = SolverConfig::named(name).unwrap();
        let mut turned = run(&model, &state, &config, 1e-3, 0.3).state;
        turned.velocities.iter_mut().for_each(|v| *v = -*v);
        let back = run(&model, &State { time: 0.0, ..turned }, &config, 1e-3, 0.3).state;
        let distance = max_distance(&back.positions, &state.positions);
        assert!(distance <= allowed, "{name}: {distance:e} m off");
    }
}
