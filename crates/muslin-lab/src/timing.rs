//! Wall times of steps.

use muslin::math::Real;
use muslin::step::StepReport;
use muslin::world::{StepError, World};
use std::time::Instant;

/// Advances a world by one time step: how long that took [s], and its report.
pub fn timed_step(world: &mut World) -> Result<(Real, StepReport), StepError> {
    let clock = Instant::now();
    let report = world.step()?;
    Ok((clock.elapsed().as_secs_f64(), report))
}

/// Advances a world by so many time steps: how long each took [s].
pub fn timed_steps(world: &mut World, steps: usize) -> Result<Vec<Real>, StepError> {
    (0..steps).map(|_| timed_step(world).map(|(seconds, _)| seconds)).collect()
}
