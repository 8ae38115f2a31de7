//! One cloth without any damping, every method at the same step: what a run costs, and what becomes of the energy.
#![allow(clippy::disallowed_methods, reason = "an example that measures time")]

use muslin::builder::{Builder, Mass, Pin, Place, Resolution, Sheet, Surroundings};
use muslin::material::{Fabric, Link};
use muslin::math::{Real, Vec3};
use muslin::measure::Energy;
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::state::State;
use muslin::world::{StepError, World};
use std::time::Instant;

/// Length of a step [s], and number of steps.
const DT: Real = 5e-4;
const STEPS: u32 = 1000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (model, state) = cloth()?;
    println!("{STEPS} steps of {DT} s, {} springs", model.elements.springs.len());
    println!("method                    time, ms   energy won or lost, J");
    for name in SolverConfig::NAMES {
        let config = SolverConfig::named(name).ok_or("no such solver")?;
        let clock = Instant::now();
        let outcome = energy_change(&model, &state, &config);
        let milliseconds = 1e3 * clock.elapsed().as_secs_f64();
        match &outcome {
            Ok(change) => println!("{name:24} {milliseconds:9.1} {change:+23.6}"),
            Err(diverged) => println!("{name:24} {milliseconds:9.1}   {diverged}"),
        }
        check(name, outcome);
    }
    Ok(())
}

/// A sheet of springs that only store energy, held at two corners of one side.
fn cloth() -> Result<(Model, State), Box<dyn std::error::Error>> {
    let link = |stiffness| Link { stiffness, ..Link::default() };
    let sheet = Sheet {
        resolution: Resolution::Cells([8, 8]),
        fabric: Fabric {
            structural: link(200.0),
            shear: link(80.0),
            flexion: link(2.0),
            ..Fabric::default()
        },
        mass: Mass::Each(0.005),
        pins: vec![Pin::at(Place::Grid(vec![[0, 0], [0, 8]]))],
        ..Sheet::default()
    };
    let mut builder = Builder::default();
    builder.add_sheet(&sheet)?;
    Ok(builder.finish(&Surroundings { gravity: Vec3::Z * -9.81, ..Surroundings::default() })?)
}

/// Total energy at the end minus that at the start [J]: 0 if nothing is won or lost.
fn energy_change(model: &Model, state: &State, config: &SolverConfig) -> Result<Real, StepError> {
    let mut world = World::new(model.clone(), state.clone(), config, DT);
    for _ in 0..STEPS {
        world.step()?;
    }
    Ok(Energy::of(model, &world.state).total() - Energy::of(model, state).total())
}

/// Falling half a metre turns some 2 J: methods that keep energy stay within a hundredth of that, the others err on
/// their own side.
fn check(name: &str, outcome: Result<Real, StepError>) {
    let change = outcome.unwrap_or(Real::INFINITY);
    match name {
        "explicit-euler" => assert!(change > 0.1, "{name}: {change} J"),
        "implicit-euler" => assert!(change < -0.01, "{name}: {change} J"),
        "rk4" | "rk45" | "velocity-verlet" | "beeman" | "implicit-midpoint" => {
            assert!(change.abs() < 0.02, "{name}: {change} J");
        }
        _ => assert!(change.is_finite(), "{name} diverged"),
    }
}
