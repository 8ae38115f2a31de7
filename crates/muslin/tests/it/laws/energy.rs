//! Without damping nothing may be lost or won.

use crate::support::{DOWN, noise, small_sheet};
use muslin::math::{Real, Vec3};
use muslin::measure::Energy;
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::state::State;
use muslin::world::World;

const DT: Real = 1e-3;
const STEPS: usize = 10_000;

/// An undamped sheet at two corners, shaken.
fn swinging_sheet() -> (Model, State) {
    let (model, mut state) = small_sheet(true, 0.0, DOWN);
    for i in (0..model.len()).filter(|&i| !model.is_held(i)) {
        state.velocities[i] = noise(2, i) * 0.2;
    }
    (model, state)
}

/// Largest |E − E₀| of each of `parts` equal parts of the run [J].
fn energy_errors(config: &SolverConfig, parts: usize) -> Vec<Real> {
    let (model, state) = swinging_sheet();
    let start = Energy::of(&model, &state).total();
    let mut world = World::new(model, state, config, DT);
    let mut errors = Vec::new();
    for _ in 0..parts {
        let mut worst: Real = 0.0;
        for _ in 0..STEPS / parts {
            if world.step().is_err() {
                return vec![Real::INFINITY; parts];
            }
            worst = worst.max((Energy::of(&world.model, &world.state).total() - start).abs());
        }
        errors.push(worst);
    }
    errors
}

#[test]
fn symplectic_methods_keep_the_energy_over_ten_thousand_steps() {
    // Energy that swings to and fro: the fall by some decimetres of 1 kg.
    let exchanged = 3.0;
    // Largest |E − E₀| as a part of it: (ωh)/2 for Euler, (ωh)²/8 for the others, ω up to 90/s; what swings fast
    // holds only a part of the energy.
    for (name, allowed) in [
        ("symplectic-euler", 0.05),
        ("position-verlet", 0.005),
        ("time-corrected-verlet", 0.005),
        ("velocity-verlet", 0.005),
        ("beeman", 0.005),
        ("implicit-midpoint", 0.005),
    ] {
        let errors = energy_errors(&SolverConfig::named(name).unwrap(), 2);
        println!("{name}: {errors:?}");
        assert!(errors[0] <= allowed * exchanged, "{name}: energy off by {} J", errors[0]);
        // No drift: the maximum over the second half is a sample of the same fluctuation as over the first.
        assert!(errors[1] <= 1.3 * errors[0], "{name}: {} J, then {} J", errors[0], errors[1]);
    }
}

#[test]
fn explicit_euler_gains_energy_without_end() {
    let errors = energy_errors(&SolverConfig::named("explicit-euler").unwrap(), 10);
    println!("{errors:?}");
    assert!(errors.windows(2).all(|pair| pair[1] >= pair[0]), "{errors:?}");
    assert!(errors[9] > 3.0, "more than was there: {errors:?}");
    let _ = Vec3::ZERO;
}
