//! Order of convergence: how the error falls as the step does.

use crate::support::{
    DOWN, G, every_solver, is_single, max_distance, noise, run, scheme, small_sheet, small_sheet_rounding,
};
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::solvers::Scheme;
use muslin::solvers::{ImprovedVerletConfig, PncgConfig, Precision, Rk4Config, Rk45Config, XpbdConfig};
use muslin::state::State;

/// Length of the run [s].
pub const DURATION: Real = 0.25;

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

/// Errors of the end positions with `coarsest` steps, twice as many, and so on.
fn errors(config: &SolverConfig, coarsest: u32) -> Vec<Real> {
    let (model, state) = smooth_problem();
    let exact = reference(&model, &state);
    let error = |halvings| {
        let dt = DURATION / Real::from(coarsest << halvings);
        max_distance(&run(&model, &state, config, dt, DURATION).state.positions, &exact)
    };
    (0..5).map(error).collect()
}

/// The order, and the number of steps from which on it shows.
fn order(config: &SolverConfig) -> (Real, u32) {
    match config {
        config if scheme(config) == Some(Scheme::ImplicitEuler) => (1.0, 256),
        // Below half a millisecond single precision rounds more than the method errs; see below.
        config if is_single(config) => (2.0, 32),
        SolverConfig::ExplicitEuler(_)
        | SolverConfig::SymplecticEuler(_)
        | SolverConfig::ImplicitEuler(_)
        | SolverConfig::Xpbd(_)
        | SolverConfig::Rods(_)
        | SolverConfig::Desbrun(_) => (1.0, 256),
        // Springs of k = 1 are rods: it converges, but not to the motion of springs.
        SolverConfig::Pbd(_) => (0.0, 256),
        SolverConfig::Rk4(Rk4Config { as_printed: false }) => (4.0, 64),
        // All quiet: velocities are those of half a step ago, and so is the damping.
        SolverConfig::ImprovedVerlet(config) if config.force_threshold > 0.0 => (1.0, 256),
        _ => (2.0, 128),
    }
}

fn improved_verlet(force_threshold: Real) -> SolverConfig {
    SolverConfig::ImprovedVerlet(ImprovedVerletConfig { force_threshold })
}

#[test]
fn every_solver_converges_with_its_order() {
    let mut solvers = every_solver();
    // These have no order in this sense; see below.
    solvers
        .retain(|(label, _)| !["rk45", "improved-verlet", "xpbd", "propagation"].contains(&label.as_str()));
    solvers.push(("improved-verlet/busy".to_owned(), improved_verlet(0.0)));
    solvers.push(("improved-verlet/quiet".to_owned(), improved_verlet(Real::INFINITY)));
    let as_printed = SolverConfig::Rk4(Rk4Config { as_printed: true });
    solvers.push(("rk4/as-printed".to_owned(), as_printed));
    for (label, config) in solvers {
        let (expected, coarsest) = order(&config);
        let measured = slope(&errors(&config, coarsest));
        crate::assert_close!(measured, expected, 0.15, "{label}: order");
    }
}

/// What single precision costs: rounding, and no more, at any step.
#[test]
fn single_precision_errs_as_double_does_but_for_rounding() {
    let (model, state) = smooth_problem();
    let double = PncgConfig { precision: Precision::Double, ..PncgConfig::default() };
    let (single, double) = (SolverConfig::Pncg(PncgConfig::default()), SolverConfig::Pncg(double));
    for steps in [32, 128, 512, 2048] {
        let dt = DURATION / Real::from(steps);
        let end = |config: &SolverConfig| run(&model, &state, config, dt, DURATION).state.positions;
        let apart = max_distance(&end(&single), &end(&double));
        // Each may stop a step at 1e-4 of what its weight does, γ² g.
        let unsolved = 2e-4 * Real::from(steps) * (2.0 / 3.0 * dt).powi(2) * G;
        let allowed = unsolved + small_sheet_rounding(&single, dt);
        assert!(apart <= allowed, "steps of {dt} s: {apart:e} m apart, allowed {allowed:e}");
    }
}

/// Between all busy and all quiet there is no order: each time a particle turns busy it takes the velocity of half a step
/// ago for the present one and loses a h/2, and at the threshold it may turn every few steps. As |f − f⁻| falls with h,
/// everything is quiet in the end, and then the order is 1.
#[test]
fn the_improved_verlet_converges_only_where_all_is_quiet() {
    let config = SolverConfig::named("improved-verlet").unwrap();
    let coarse = errors(&config, 128);
    assert!(coarse[4] > coarse[0], "a sixteenth of the step, and no better: {coarse:?}");
    assert!(coarse.iter().all(|&error| error < 0.03), "{coarse:?}");
    // With a threshold twenty times the default that end is reached at twenty times the step.
    let fine = errors(&improved_verlet(0.02), 4096);
    crate::assert_close!(slope(&fine), 1.0, 0.15, "order where all is quiet");
}

/// With its threshold it converges to the motion of springs that carry nothing within ε, of which rk4 knows nothing: 1e-3 of lengths of
/// 0.25 m, of five in a row, are 1.25 mm, at any step.
#[test]
fn propagation_errs_by_its_band_at_any_step() {
    let found = errors(&SolverConfig::named("propagation").unwrap(), 128);
    assert!(found.iter().all(|error| (1e-6..1.25e-3).contains(error)), "{found:?}");
    assert!(slope(&found).abs() < 0.15, "no smaller in smaller steps: {found:?}");
}

#[test]
fn the_adaptive_method_errs_as_its_tolerance_says() {
    let (model, state) = smooth_problem();
    let exact = reference(&model, &state);
    let errors: Vec<Real> = (0..5)
        .map(|k| {
            let tolerance = 1e-5 * Real::powi(0.1, k);
            let config = SolverConfig::Rk45(Rk45Config {
                position_tolerance: tolerance,
                velocity_tolerance: 100.0 * tolerance,
                ..Rk45Config::default()
            });
            let end = run(&model, &state, &config, DURATION, DURATION).state.positions;
            let error = max_distance(&end, &exact);
            assert!(error <= tolerance, "{error:e} m off, tolerance {tolerance:e} m");
            error
        })
        .collect();
    // The estimate is of order h⁵ a step, and so is the error at the end: proportional.
    crate::assert_close!(slope(&errors) / Real::log2(10.0), 1.0, 0.15, "error over tolerance");
}

/// Single precision follows double precision down to its noise. A correction is rounded at the last bit of the displacement
/// since the start of the step, v dt 2⁻²⁴, which over a substep is a velocity of n v 2⁻²⁴ with n substeps: 3e-7 m/s for n = 10 and
/// v = 0.5 m/s. A dozen springs in each of 1280 substeps walk 120 times as far at random, 4e-5 m/s, and in 0.25 s 1e-5 m; four times
/// the steps, twice that. With substeps counted as steps of the world n is 1, and the noise a tenth and less.
#[test]
fn single_precision_follows_double_precision_down_to_its_noise() {
    let (model, state) = smooth_problem();
    for (substeps, steps, noise) in [(10, 128, 2e-5), (10, 512, 4e-5), (1, 128, 5e-7), (1, 512, 1e-6)] {
        let end = |precision| {
            let config = SolverConfig::Xpbd(XpbdConfig { precision, substeps, ..Default::default() });
            run(&model, &state, &config, DURATION / Real::from(steps), DURATION).state.positions
        };
        let distance = max_distance(&end(Precision::Single), &end(Precision::Double));
        assert!(distance < noise, "{steps} steps of {substeps}: {distance:e} m apart");
    }
}
