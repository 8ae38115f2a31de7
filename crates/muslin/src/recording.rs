//! Recordings: commands with the steps before which they were given.

use crate::command::{Command, CommandError};
use crate::world::World;

/// A list of commands with the steps before which they were given; to do the same again.
///
/// ```
/// use muslin::prelude::*;
///
/// let mut builder = Builder::default();
/// builder.add_sheet(&Sheet { pins: vec![Pin::at(Place::Corners)], ..Sheet::default() })?;
/// let (model, state) = builder.finish(&Surroundings::default())?;
/// let mut world = World::new(model, state, &SolverConfig::default(), 1.0 / 60.0);
/// let mut again = world.clone();
/// let mut recording = Recording::default();
/// for frame in 0..6 {
///     if frame == 3 {
///         recording.apply(&mut world, Command::Unpin(vec![0]))?;
///     }
///     world.step()?;
/// }
/// for _ in 0..6 {
///     recording.replay(&mut again)?; // in every frame: most have nothing to do
///     again.step()?;
/// }
/// assert_eq!(world.state, again.state);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Recording {
    /// The number of [`World::steps`] done before, and the command, in order.
    pub commands: Vec<(u64, Command)>,
}

impl Recording {
    /// Carries out a command and, if it could be, adds it.
    pub fn apply(&mut self, world: &mut World, command: Command) -> Result<(), CommandError> {
        world.apply(&command)?;
        self.commands.push((world.steps(), command));
        Ok(())
    }

    /// Carries out what was given before the next step of a world.
    pub fn replay(&self, world: &mut World) -> Result<(), CommandError> {
        let now = world.steps();
        let first = self.commands.partition_point(|(step, _)| *step < now);
        let due = self.commands[first..].iter().take_while(|(step, _)| *step == now);
        due.map(|(_, command)| command).try_for_each(|command| world.apply(command))
    }
}
