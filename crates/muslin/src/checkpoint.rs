//! Checkpoints: a world as bytes, from which it goes on to the bit.
//!
//! ```text
//! "muslin" 0 "c" · format u32 · length u64 · hash u64 · model, state, method, candidates, collisions (MessagePack)
//! ```
//!
//! Numbers are little-endian. What follows from the model (factors, meshes of contact) is made anew. Bounds of contact that serve for
//! several steps are in it, as they can clip a displacement, and so is what rapier remembers of bodies that touch.

use crate::contact::SavedCandidates;
use crate::hash::bytes_hash;
use crate::math::Real;
use crate::model::{Model, ModelData, Revisions};
use crate::rigid::Collisions;
use crate::solver::SolverConfig;
use crate::state::State;
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

const MAGIC: [u8; 8] = *b"muslin\0c";
/// Counts the changes of what is written.
const FORMAT: u32 = 4;
const HEAD: usize = 28;

/// Why bytes are no checkpoint that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// They are something else.
    #[error("not a checkpoint of Muslin")]
    Foreign,
    /// They were written by a version with another format.
    #[error("a checkpoint of format {found}, but this version reads format {FORMAT} only")]
    OtherFormat {
        /// The format that was found.
        found: u32,
    },
    /// They were cut off or changed.
    #[error("a damaged checkpoint: {0}")]
    Damaged(String),
}

/// All of a world that the next step depends on.
#[derive(Serialize, Deserialize)]
struct Contents<'a> {
    model: Cow<'a, ModelData>,
    revisions: Revisions,
    state: Cow<'a, State>,
    config: Cow<'a, SolverConfig>,
    dt: Real,
    substeps: u32,
    heat_interval: Option<Real>,
    reach: Real,
    candidates: Option<SavedCandidates<'a>>,
    collisions: Cow<'a, Collisions>,
}

impl World {
    /// The world as bytes; [`World::restore`] goes on from there as this world does, to the bit, in this process or another one of the
    /// same version on the same kind of processor.
    ///
    /// ```
    /// use muslin::prelude::*;
    ///
    /// let mut builder = Builder::default();
    /// builder.add_sheet(&Sheet { pins: vec![Pin::at(Place::Corners)], ..Sheet::default() })?;
    /// let (model, state) = builder.finish(&Surroundings::default())?;
    /// let mut world = World::new(model, state, &SolverConfig::default(), 1.0 / 60.0);
    /// world.step()?;
    /// let bytes = world.checkpoint();
    /// let mut other = World::restore(&bytes)?;
    /// world.step()?;
    /// other.step()?;
    /// assert_eq!(world.state, other.state);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn checkpoint(&self) -> Vec<u8> {
        let world = self.settled();
        let contents = Contents {
            model: Cow::Borrowed(&world.model),
            revisions: *world.model.revisions(),
            state: Cow::Borrowed(&world.state),
            config: Cow::Borrowed(&world.config),
            dt: world.dt,
            substeps: world.substeps,
            heat_interval: world.heat_interval,
            reach: world.reach,
            candidates: world.contacts.save_candidates(),
            collisions: Cow::Borrowed(&world.collisions),
        };
        let contents = rmp_serde::to_vec(&contents).expect("memory takes any bytes");
        let mut bytes = Vec::with_capacity(HEAD + contents.len());
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        bytes.extend_from_slice(&(contents.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&bytes_hash(&contents).to_le_bytes());
        bytes.extend_from_slice(&contents);
        bytes
    }

    /// The world of a checkpoint. A clock for time budgets has to be given again: [`World::use_clock`].
    pub fn restore(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let contents: Contents = rmp_serde::from_slice(checked(bytes)?)
            .map_err(|error| CheckpointError::Damaged(error.to_string()))?;
        let model = Model::from(contents.model.into_owned()).count_on(contents.revisions);
        let state = contents.state.into_owned();
        if [state.positions.len(), state.velocities.len(), model.rest_positions.len()] != [model.len(); 3]
            || state.bodies.len() != model.bodies.len()
        {
            return Err(CheckpointError::Damaged("model and state do not belong together".to_owned()));
        }
        let mut world = Self::new(model, State::default(), &contents.config, contents.dt);
        world.state = state;
        world.substeps = contents.substeps;
        world.heat_interval = contents.heat_interval;
        world.reach = contents.reach;
        world.collisions = contents.collisions.into_owned();
        world.prepare_if_changed();
        if let Some(law) = world.surface_contact()
            && contents.candidates.is_some()
        {
            world.contacts.prepare(&world.model, &law, &mut world.state);
            world.contacts.restore_candidates(contents.candidates);
        }
        Ok(world)
    }
}

/// The contents, if the head fits them.
fn checked(bytes: &[u8]) -> Result<&[u8], CheckpointError> {
    if bytes.len() < HEAD || bytes[..8] != MAGIC {
        let is_start =
            !bytes.is_empty() && bytes.len() < HEAD && MAGIC.starts_with(&bytes[..bytes.len().min(8)]);
        return Err(if is_start {
            CheckpointError::Damaged("it ends within its head".to_owned())
        } else {
            CheckpointError::Foreign
        });
    }
    let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|k| bytes[at + k]));
    let found = u32::from_le_bytes(std::array::from_fn(|k| bytes[8 + k]));
    if found != FORMAT {
        return Err(CheckpointError::OtherFormat { found });
    }
    let (length, contents) = (number(12), &bytes[HEAD..]);
    if contents.len() as u64 != length {
        let there = contents.len();
        return Err(CheckpointError::Damaged(format!("it has {there} bytes of {length}")));
    }
    if bytes_hash(contents) != number(20) {
        return Err(CheckpointError::Damaged("its bytes were changed".to_owned()));
    }
    Ok(contents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, Sheet, Surroundings};

    fn bytes() -> Vec<u8> {
        let mut builder = Builder::default();
        builder.add_sheet(&Sheet::default()).unwrap();
        let (model, state) = builder.finish(&Surroundings::default()).unwrap();
        World::new(model, state, &SolverConfig::default(), 0.01).checkpoint()
    }

    #[test]
    fn any_change_of_any_byte_is_noticed() {
        let good = bytes();
        assert!(World::restore(&good).is_ok());
        for place in (0..HEAD).chain((HEAD..good.len()).step_by(997)) {
            let mut bad = good.clone();
            bad[place] ^= 0x40;
            assert!(World::restore(&bad).is_err(), "byte {place}");
        }
        for length in (0..HEAD + 4).chain((HEAD..good.len()).step_by(9973)) {
            assert!(World::restore(&good[..length]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        assert_eq!(
            World::restore(b"a picture, or a text of some length").unwrap_err(),
            CheckpointError::Foreign
        );
        let mut other = bytes();
        other[8] = 7;
        assert_eq!(World::restore(&other).unwrap_err(), CheckpointError::OtherFormat { found: 7 });
        let short = &bytes()[..1000];
        assert!(World::restore(short).unwrap_err().to_string().contains("has 972 bytes of"));
    }
}
