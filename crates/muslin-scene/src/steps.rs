//! Plain loops over the steps of a world, for measurements that want no frames. Steps are of the world's own length: those of a
//! scene that vary are made by a [`Runner`](crate::Runner).

use muslin::step::StepReport;
use muslin::world::{StepError, World};

/// Advances a world by so many time steps.
pub fn run_steps(world: &mut World, steps: u64) -> Result<(), StepError> {
    watch_steps(world, steps, |_, _| ())
}

/// Advances a world by so many time steps, and shows it to `watch` after each, with the step's report.
pub fn watch_steps(
    world: &mut World,
    steps: u64,
    mut watch: impl FnMut(&World, &StepReport),
) -> Result<(), StepError> {
    for _ in 0..steps {
        let report = world.step()?;
        watch(world, &report);
    }
    Ok(())
}

/// Advances a world as long as `goes_on` says so after a step, by at most so many time steps; the number of steps done.
pub fn run_while(
    world: &mut World,
    most: u64,
    mut goes_on: impl FnMut(&World, &StepReport) -> bool,
) -> Result<u64, StepError> {
    for step in 1..=most {
        let report = world.step()?;
        if !goes_on(world, &report) {
            return Ok(step);
        }
    }
    Ok(most)
}
