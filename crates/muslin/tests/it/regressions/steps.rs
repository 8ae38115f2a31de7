//! Steps that are none.

use crate::support::{DOWN, every_solver, small_sheet};
use muslin::builder::{Builder, Pin, Place, Resolution, Sheet, Surroundings};
use muslin::math::{Real, Vec3};
use muslin::solver::SolverConfig;
use muslin::world::{StepError, World};

/// Four of five methods took steps back in time, and a time that is no number returned without an error.
#[test]
fn steps_that_are_none_are_refused_and_change_nothing() {
    let (model, state) = small_sheet(true, 0.02, DOWN);
    for (name, config) in every_solver() {
        for dt in [-0.01, 0.0, -0.0, Real::NAN, Real::INFINITY] {
            let mut world = World::new(model.clone(), state.clone(), &config, dt);
            assert!(matches!(world.step(), Err(StepError::NoStep { .. })), "{name}, {dt} s");
            assert!(matches!(world.step_by(dt), Err(StepError::NoStep { .. })), "{name}, {dt} s");
            assert_eq!(world.state, state, "{name}, {dt} s");
        }
        for time in [Real::NAN, Real::INFINITY, Real::NEG_INFINITY] {
            let mut world = World::new(model.clone(), state.clone(), &config, 1e-3);
            world.state.time = time;
            assert!(matches!(world.step(), Err(StepError::NoStep { .. })), "{name}, at {time} s");
        }
    }
}

/// With nothing free to move, BDF2 took a past that it did not have for granted.
#[test]
fn cloth_that_is_held_everywhere_stays() {
    let mut builder = Builder::default();
    let (resolution, pins) = (Resolution::Cells([1, 1]), vec![Pin::at(Place::Border)]);
    builder.add_sheet(&Sheet { resolution, pins, ..Sheet::default() }).unwrap();
    let (model, state) = builder.finish(&Surroundings::default()).unwrap();
    for (name, config) in every_solver() {
        let mut world = World::new(model.clone(), state.clone(), &config, 0.01);
        for _ in 0..3 {
            world.step().unwrap();
        }
        assert_eq!(world.state.positions, state.positions, "{name}");
    }
}

/// Contact keeps an explosion in its place, where nobody looked at its speed.
#[test]
fn what_is_faster_than_light_has_diverged() {
    let (model, state) = small_sheet(true, 0.02, DOWN);
    let mut world = World::new(model, state, &SolverConfig::named("symplectic-euler").unwrap(), 1e-9);
    world.state.velocities[7] = Vec3::X * 4e8;
    let error = world.step().unwrap_err();
    assert!(matches!(error, StepError::Diverged(diverged) if diverged.particle == 7), "{error}");
}
