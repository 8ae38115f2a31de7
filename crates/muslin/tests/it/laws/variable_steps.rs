//! Steps of changing length, and steps backwards.

use super::convergence::{reference, slope, smooth_problem};
use crate::support::{DOWN, max_distance, noise, run, small_sheet};
use muslin::math::Real;
use muslin::solver::SolverConfig;
use muslin::solvers::{TimeCorrectedVerletConfig, VerletWeight};
use muslin::state::State;
use muslin::world::World;

/// Lengths of steps that change at random, up to threefold; their mean is 1. The same eight over and over.
fn rhythm() -> [Real; 8] {
    let raw: [Real; 8] = std::array::from_fn(|k| 0.5 + muslin::profile::uniform(11, k as u64));
    let mean = raw.iter().sum::<Real>() / 8.0;
    raw.map(|length| length / mean)
}

fn measured_order(config: &SolverConfig) -> Real {
    let (model, state) = smooth_problem();
    let exact = reference(&model, &state);
    let errors: Vec<Real> = (0..5)
        .map(|halvings| {
            let steps = 128 << halvings;
            let mut world = World::new(model.clone(), state.clone(), config, 0.0);
            for k in 0..steps {
                world.step_by(rhythm()[k % 8] * 0.25 / steps as Real).unwrap();
            }
            max_distance(&world.state.positions, &exact)
        })
        .collect();
    println!("{errors:?}");
    slope(&errors)
}

#[test]
fn methods_for_changing_steps_keep_their_order() {
    for name in SolverConfig::NAMES {
        println!("{name}: {}", measured_order(&SolverConfig::named(name).unwrap()));
    }
    let printed = TimeCorrectedVerletConfig { weight: VerletWeight::AsPrinted };
    println!("printed: {}", measured_order(&SolverConfig::TimeCorrectedVerlet(printed)));
}

#[test]
fn symmetric_methods_run_backwards_to_where_they_came_from() {
    let (model, mut state) = small_sheet(true, 0.0, DOWN);
    for i in (0..model.len()).filter(|&i| !model.is_held(i)) {
        state.velocities[i] = noise(2, i) * 0.2;
    }
    // Rounding, resp. what Newton's method leaves (1e-9 m/s a step), grown by the sheet's own instabilities.
    for (name, allowed) in [("velocity-verlet", 1e-10), ("implicit-midpoint", 1e-6)] {
        let config = SolverConfig::named(name).unwrap();
        let mut turned = run(&model, &state, &config, 1e-3, 0.3).state;
        turned.velocities.iter_mut().for_each(|v| *v = -*v);
        let back = run(&model, &State { time: 0.0, ..turned }, &config, 1e-3, 0.3).state;
        let distance = max_distance(&back.positions, &state.positions);
        println!("{name}: {distance:e}");
        assert!(distance <= allowed, "{name}: {distance:e} m off");
    }
}
