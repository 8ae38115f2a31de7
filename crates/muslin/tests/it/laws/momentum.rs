//! A free sheet without outer forces keeps its momentum, and its angular momentum where the method does.

use crate::support::{every_solver, noise, run, scheme, small_sheet};
use muslin::math::{Real, Vec3};
use muslin::measure::{angular_momentum, momentum};
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::solvers::Scheme;
use muslin::solvers::{ImplicitEulerConfig, ImprovedVerletConfig, Precision, XpbdConfig};
use muslin::solvers::{LinearConfig, LinearSolver};
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

/// The solvers, and both halves of the improved Verlet.
fn solvers() -> Vec<(String, SolverConfig)> {
    let mut all = every_solver();
    for (label, force_threshold) in [("improved-verlet/busy", 0.0), ("improved-verlet/quiet", Real::INFINITY)]
    {
        let config = ImprovedVerletConfig { force_threshold };
        all.push((label.to_owned(), SolverConfig::ImprovedVerlet(config)));
    }
    all
}

/// Largest change of the momentum of some 0.4 kg·m/s over 500 steps [kg·m/s].
fn allowed_momentum_error(label: &str, config: &SolverConfig) -> Real {
    match config {
        // A particle that turns from quiet to busy takes the velocity of half a step ago for the present one and loses
        // m a h/2; its neighbours, if they do not turn with it, do not give that back.
        SolverConfig::ImprovedVerlet(_) if label == "improved-verlet" => 5e-3,
        // What sweeps leave unsolved need not sum to zero.
        SolverConfig::ImplicitEuler(ImplicitEulerConfig { linear, .. }) if is_swept(linear) => {
            linear.tolerance.max(1e-11)
        }
        // Free bodies are balanced as a whole, whatever the tolerance: only sums of forces of some 2.5 N round, by 1e-15 N in
        // each of 500 steps of 1 ms.
        SolverConfig::ImplicitEuler(_) | SolverConfig::ImplicitMidpoint(_) | SolverConfig::Bdf2(_) => 1e-13,
        // Each correction is rounded at the last bit of a displacement within the step, some 3 mm: by 1e-10 m, over a
        // substep of 1e-4 s and times 0.05 kg 5e-8 kg·m/s; 60 springs in 5000 substeps walk 700 times as far at random.
        SolverConfig::Xpbd(XpbdConfig { precision: Precision::Single, .. }) => 1e-4,
        // Free bodies are balanced as a whole, in double precision whatever the inner one; for the rest as the following.
        config if scheme(config).is_some() => 1e-11,
        // x⁺ − x of numbers around 1 is rounded at 1e-16, over h = 1e-3; once a step and particle. A factorisation rounds, too.
        SolverConfig::PositionVerlet(_)
        | SolverConfig::TimeCorrectedVerlet(_)
        | SolverConfig::Rods(_)
        | SolverConfig::Desbrun(_)
        | SolverConfig::Pbd(_)
        | SolverConfig::ImprovedVerlet(_) => 1e-11,
        // The same in ten substeps of 1e-4 s.
        SolverConfig::Xpbd(_) => 1e-10,
        // Forces come in opposite pairs: only sums round.
        _ => 1e-14,
    }
}

fn is_swept(linear: &LinearConfig) -> bool {
    matches!(linear.linear_solver, LinearSolver::Jacobi | LinearSolver::Sor)
}

#[test]
fn every_solver_keeps_linear_momentum() {
    let (model, state) = thrown_sheet();
    let start = momentum(&model, &state);
    for (label, config) in solvers() {
        let world = run(&model, &state, &config, 1e-3, 0.5);
        let error = momentum(&model, &world.state).distance(start);
        assert!(error <= allowed_momentum_error(&label, &config), "{label}: momentum changed by {error:e}");
    }
}

/// How much angular momentum a method loses.
#[derive(Clone, Copy)]
enum Loss {
    /// At most this part: rounding, or what an iteration leaves unsolved.
    AtMost(Real),
    /// As h to this power.
    Order(Real),
}

/// Springs pull along the line between their ends, so the exact motion loses nothing. What methods make of that:
fn loss(label: &str, config: &SolverConfig) -> Loss {
    match config {
        // x⁺ × v⁺ = x × v + h x × a, and the torques x × a sum to zero. Velocity Verlet: the same in two halves, a kick
        // at x and a kick at x⁺.
        SolverConfig::SymplecticEuler(_) | SolverConfig::VelocityVerlet(_) | SolverConfig::Propagation(_) => {
            Loss::AtMost(1e-14)
        }
        // Without rods, symplectic Euler; (x⁺ − x)/h rounds at 1e-13 a step. The torque correction of the filter keeps all but
        // rounding.
        SolverConfig::Rods(_) | SolverConfig::Desbrun(_) => Loss::AtMost(1e-11),
        // Springs that start Δ off their lengths are taken back in the first step, by impulses m Δ/h on arms that are Δ
        // off themselves: a motion of rods loses as h does (`closed_forms::rods`), a start that is none as 1/h.
        SolverConfig::Pbd(_) => Loss::Order(-1.0),
        // Conserves every quadratic invariant, as well as Newton's method is converged: 1e-9 m/s a step.
        SolverConfig::ImplicitMidpoint(_) => Loss::AtMost(1e-9),
        // h² v × a a step.
        SolverConfig::ExplicitEuler(_) | SolverConfig::ImplicitEuler(_) | SolverConfig::Xpbd(_) => {
            Loss::Order(1.0)
        }
        config if scheme(config) == Some(Scheme::ImplicitEuler) => Loss::Order(1.0),
        SolverConfig::Rk4(_) => Loss::Order(4.0),
        // Order 5; at steps of 1 ms the tolerance of 1e-7 m is not even felt.
        SolverConfig::Rk45(_) => Loss::AtMost(1e-10),
        // As with linear momentum: m a h/2 whenever a particle turns busy.
        SolverConfig::ImprovedVerlet(_) if label == "improved-verlet" => Loss::AtMost(5e-3),
        // All quiet, x × x⁺ is kept, but the velocity is that of half a step ago.
        SolverConfig::ImprovedVerlet(_) if label == "improved-verlet/quiet" => Loss::AtMost(1e-12),
        _ => Loss::Order(2.0),
    }
}

#[test]
fn every_solver_keeps_angular_momentum_as_its_theory_says() {
    let (model, state) = thrown_sheet();
    let start = angular_momentum(&model, &state);
    for (label, config) in solvers() {
        let error = |dt: Real| {
            let world = run(&model, &state, &config, dt, 0.25);
            angular_momentum(&model, &world.state).distance(start) / start.length()
        };
        let (coarse, fine) = (error(1e-3), error(5e-4));
        match loss(&label, &config) {
            Loss::AtMost(allowed) => {
                assert!(coarse.max(fine) <= allowed, "{label}: loses {coarse:e} and {fine:e}");
            }
            // The next order adds some ωh of 0.1 to the slope, halved once.
            Loss::Order(order) => {
                crate::assert_close!((coarse / fine).log2(), order, 0.1, "{label}: order of the loss");
            }
        }
    }
}
