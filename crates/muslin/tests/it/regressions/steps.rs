//! Steps that are none.

use crate::support::{DOWN, every_solver, small_sheet};
use muslin::math::Real;
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
