//! The largest stable step, found as the document did: 0.1 ms, 0.2 ms, … until a run fails.

use super::methods::Scan;
use muslin::math::Real;
use muslin::measure::Energy;
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::step::StepReport;
use muslin::world::World;
use muslin_scene::{Setup, run_while, watch_steps};
use std::time::Instant;

/// The document's first step and increment [s].
pub const INCREMENT: Real = 1e-4;

/// Steps beyond this are not tried [s].
pub const LARGEST: Real = 0.05;

/// A structural edge longer than this many rest lengths makes a run unstable (criterion A).
pub const LONGEST_EDGE: Real = 1.5;

/// A whole run at one step.
pub struct Run {
    /// Wall time of the steps [s].
    pub seconds: Real,
    /// Iterations a step, on average.
    pub iterations: Real,
    /// Time and kinetic energy, some hundred times over the run.
    pub kinetic: Vec<[Real; 2]>,
}

/// The steps to try, in order [s].
fn steps(scan: Scan) -> impl Iterator<Item = Real> {
    let (fine_until, coarse_from) = match scan {
        Scan::Document => (500, 51),
        Scan::Mixed => (60, 7),
        Scan::Milliseconds => (0, 1),
    };
    let fine = (1..=fine_until).map(|k| INCREMENT * Real::from(k));
    let coarse = (coarse_from..=50).map(|k| 1e-3 * Real::from(k));
    fine.chain(coarse)
}

/// The largest step before the first that fails [s]; 0 if even the first fails, the largest tried, 50 ms, if none does.
pub fn largest_stable_step(setup: &Setup, config: &SolverConfig, scan: Scan) -> Real {
    steps(scan).take_while(|&dt| is_stable(setup, config, dt)).last().unwrap_or(0.0)
}

/// Criterion A: no number is lost, and every structural edge stays under 1.5 L at every step of the whole run.
pub fn is_stable(setup: &Setup, config: &SolverConfig, dt: Real) -> bool {
    let mut world = with(setup, config, dt).world();
    let steps = (setup.duration / dt).round() as u64;
    let mut holds = true;
    let run = run_while(&mut world, steps, |world, _| {
        holds = edges_hold(&world.model, &world.state.positions);
        holds
    });
    run.is_ok() && holds
}

fn edges_hold(model: &Model, positions: &[muslin::math::Vec3]) -> bool {
    model.stretches(positions).all(|stretch| stretch < LONGEST_EDGE - 1.0)
}

/// Runs the scene at one step, timing the steps and noting the kinetic energy; none if it diverges.
pub fn timed_run(setup: &Setup, config: &SolverConfig, dt: Real) -> Option<Run> {
    let mut world = with(setup, config, dt).world();
    let steps = (setup.duration / dt).round() as u64;
    let mut run = Run { seconds: 0.0, iterations: 0.0, kinetic: Vec::new() };
    let batch = (steps / 200).max(1);
    let mut done = 0;
    while done < steps {
        let clock = Instant::now();
        let count = |_: &World, report: &StepReport| {
            run.iterations += Real::from(report.iterations) / steps as Real;
        };
        watch_steps(&mut world, batch.min(steps - done), count).ok()?;
        run.seconds += clock.elapsed().as_secs_f64();
        done += batch.min(steps - done);
        run.kinetic.push([world.state.time, Energy::of(&world.model, &world.state).kinetic]);
    }
    Some(run)
}

/// The scene with another method and step.
pub fn with(setup: &Setup, config: &SolverConfig, dt: Real) -> Setup {
    Setup { solver: config.clone(), dt, substeps: 1, ..setup.clone() }
}
