//! A free sheet without outer forces keeps its momentum, and its angular momentum where the method does.

use crate::support::{every_solver, noise, run, small_sheet};
use muslin::math::{Real, Vec3};
use muslin::measure::{angular_momentum, momentum};
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::state::State;

/// A free, damped sheet, bent and in motion.
fn thrown_sheet() -> (Model, State) {
    let (model, mut state) = small_sheet(false, 0.02, Vec3::ZERO);
    for i in 0..model.len() {
        state.positions[i] += noise(1, i) * 0.03;
        state.velocities[i] =
            noise(2, i) + Vec3::new(0.3, -0.2, 0.1) + Vec3::Z.cross(state.positions[i]) * 2.0;
    }
    (model, state)
}

/// Largest change of the momentum of some 0.4 kg·m/s over 500 steps [kg·m/s].
fn allowed_momentum_error(config: &SolverConfig) -> Real {
    match config {
        // What conjugate gradients leave unsolved (1e-9 of the right-hand side) need not sum to zero.
        SolverConfig::ImplicitEuler(_) | SolverConfig::ImplicitMidpoint(_) | SolverConfig::Bdf2(_) => 1e-9,
        // x⁺ − x of numbers around 1 is rounded at 1e-16, over h = 1e-3; once a step and particle.
        SolverConfig::PositionVerlet(_)
        | SolverConfig::TimeCorrectedVerlet(_)
        | SolverConfig::ImprovedVerlet(_) => 1e-11,
        // Forces come in opposite pairs: only sums round.
        _ => 1e-14,
    }
}

#[test]
fn every_solver_keeps_linear_momentum() {
    let (model, state) = thrown_sheet();
    let start = momentum(&model, &state);
    for (label, config) in every_solver() {
        let world = run(&model, &state, &config, 1e-3, 0.5);
        let error = momentum(&model, &world.state).distance(start);
        println!("{label}: {error:e}");
        assert!(error <= allowed_momentum_error(&config), "{label}: momentum changed by {error:e}");
    }
}

/// How much angular momentum a method loses.
enum Loss {
    /// Rounding, or what an iteration leaves unsolved.
    Nothing(Real),
    /// As h to this power.
    Order(Real),
}

/// Springs pull along the line between their ends, so the exact motion loses nothing. What methods make of that:
fn loss(config: &SolverConfig) -> Loss {
    match config {
        // x⁺ × v⁺ = x × v + h x × a, and the torques x × a sum to zero.
        SolverConfig::SymplecticEuler(_) => Loss::Nothing(1e-13),
        // The same in two halves: a kick at x, a drift, a kick at x⁺.
        SolverConfig::VelocityVerlet(_) => Loss::Nothing(1e-13),
        // Conserves every quadratic invariant, as well as Newton's method is converged.
        SolverConfig::ImplicitMidpoint(_) => Loss::Nothing(1e-8),
        // h² v × a a step.
        SolverConfig::ExplicitEuler(_) | SolverConfig::ImplicitEuler(_) => Loss::Order(1.0),
        SolverConfig::Rk4(_) => Loss::Order(4.0),
        SolverConfig::Rk45(_) => Loss::Nothing(1e-5),
        _ => Loss::Order(2.0),
    }
}

#[test]
fn every_solver_keeps_angular_momentum_as_its_theory_says() {
    let (model, state) = thrown_sheet();
    let start = angular_momentum(&model, &state);
    for (label, config) in every_solver() {
        let error = |dt: Real| {
            let world = run(&model, &state, &config, dt, 0.25);
            angular_momentum(&model, &world.state).distance(start) / start.length()
        };
        let (coarse, fine) = (error(1e-3), error(5e-4));
        println!("{label}: {coarse:e} {fine:e} {}", (coarse / fine).log2());
    }
}
