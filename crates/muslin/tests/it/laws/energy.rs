//! Without damping nothing may be lost or won.

use crate::support::{DOWN, noise, run, small_sheet};
use muslin::math::Real;
use muslin::measure::Energy;
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::state::State;
use muslin::world::World;

const DT: Real = 1e-3;
const STEPS: usize = 10_000;
/// Potential energy of this sheet when it hangs still, by `rest` [J].
const AT_REST: Real = -5.322;

/// An undamped sheet at two corners, shaken.
fn swinging_sheet() -> (Model, State) {
    let (model, mut state) = small_sheet(true, 0.0, DOWN);
    for i in (0..model.len()).filter(|&i| !model.is_held(i)) {
        state.velocities[i] = noise(2, i) * 0.2;
    }
    (model, state)
}

/// The same after 40 s of accurate motion, when the energy has spread over all modes: from then on its fluctuation is the
/// same at all times.
fn thermal_sheet() -> (Model, State) {
    let (model, state) = swinging_sheet();
    let state = run(&model, &state, &SolverConfig::named("velocity-verlet").unwrap(), DT, 40.0).state;
    (model, State { time: 0.0, ..state })
}

fn energy_after_step(world: &mut World) -> Real {
    world.step().unwrap();
    Energy::of(&world.model, &world.state).total()
}

#[test]
fn symplectic_methods_keep_the_energy_over_ten_thousand_steps() {
    let (model, state) = thermal_sheet();
    let start = Energy::of(&model, &state);
    let swinging = start.total() - AT_REST;
    for (name, allowed) in [
        // (ωh)/2 of what swings with ω, and no ω is above 90/s.
        ("symplectic-euler", 0.045),
        // Velocities v⁺ = (x⁺ − x)/h + h a/2 are off by h²/3 ȧ: (ωh)²/3.
        ("position-verlet", 0.0027),
        ("time-corrected-verlet", 0.0027),
        // (ωh)²/8.
        ("velocity-verlet", 0.001),
        ("beeman", 0.001),
        ("implicit-midpoint", 0.001),
    ] {
        let config = SolverConfig::named(name).unwrap();
        let mut world = World::new(model.clone(), state.clone(), &config, DT);
        let mut half = || {
            let worst = |worst: Real, error: Real| worst.max(error.abs());
            (0..STEPS / 2).map(|_| energy_after_step(&mut world) - start.total()).fold(0.0, worst)
        };
        let (first, second) = (half(), half());
        assert!(first <= allowed * swinging, "{name}: energy off by {first} J");
        // No drift: the largest of 5000 samples of a fluctuation, and of the next 5000. Over eight times as many steps
        // such maxima scatter by a factor of 1.65, in no order, and not less with Newton's method solved to 1e-13.
        assert!(second <= 1.7 * first, "{name}: {first} J, then {second} J");
    }
}

#[test]
fn explicit_euler_gains_energy_without_end() {
    let (model, state) = thermal_sheet();
    let start = Energy::of(&model, &state);
    let mut world = World::new(model, state, &SolverConfig::named("explicit-euler").unwrap(), DT);
    let mut last = start.total();
    for _ in 0..10 {
        let energy = (0..100).map(|_| energy_after_step(&mut world)).last().unwrap();
        assert!(energy > last, "{energy} J after {last} J");
        last = energy;
    }
    assert!(last - start.total() > 2.0 * (start.total() - AT_REST), "{last} J");
}
