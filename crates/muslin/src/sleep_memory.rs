//! What sleep remembers from step to step, as part of the state.

use crate::contact_memory::WarmStart;
use crate::math::{Real, Vec3};
use crate::revisions::Revisions;

/// Which patches of the cloth rest and sleep; empty where nothing may sleep.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SleepMemory {
    /// The patch of each particle; none before the first step.
    pub(crate) patch_of: Vec<u32>,
    /// The patches.
    pub(crate) patches: Vec<PatchRest>,
    /// a: where each particle was when the rest of its patch began [m].
    pub(crate) anchors: Vec<Vec3>,
    /// Contacts of sleeping particles with each other and with solids, as they were when these fell asleep.
    pub(crate) contacts: Vec<WarmStart>,
    /// The surroundings that were known to the sleepers.
    pub(crate) seen: Seen,
}

/// The rest of a patch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PatchRest {
    /// How long it has rested [s].
    pub rested: Real,
    /// Whether it sleeps.
    pub phase: Phase,
}

/// What of a patch is stepped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Phase {
    /// All of it.
    #[default]
    Awake,
    /// Nothing, but awake cloth could touch it.
    Near,
    /// Nothing.
    Asleep,
}

/// What acts on all particles.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Seen {
    /// The model.
    pub revisions: Revisions,
    /// g [m/s²].
    pub gravity: Vec3,
    /// The wind [m/s].
    pub air: Vec3,
    /// The loads [N].
    pub loads: Vec<Vec3>,
}

impl SleepMemory {
    /// Whether anything sleeps.
    pub fn is_any_asleep(&self) -> bool {
        self.patches.iter().any(|patch| patch.phase != Phase::Awake)
    }

    /// Particles that sleep.
    pub(crate) fn particles_asleep(&self) -> usize {
        let asleep = |&&k: &&u32| self.patches[k as usize].phase != Phase::Awake;
        if self.is_any_asleep() { self.patch_of.iter().filter(asleep).count() } else { 0 }
    }

    /// Whether it belongs to so many particles.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn fits(&self, particles: usize) -> bool {
        let has_patch = |&k: &u32| (k as usize) < self.patches.len();
        self.patch_of.is_empty() && self.patches.is_empty()
            || [self.patch_of.len(), self.anchors.len()] == [particles; 2]
                && self.patch_of.iter().all(has_patch)
                && self.patch_of.iter().max().is_none_or(|&last| last as usize + 1 == self.patches.len())
    }

    /// Whether a particle sleeps.
    pub fn is_asleep(&self, particle: usize) -> bool {
        self.patch_of.get(particle).is_some_and(|&k| self.patches[k as usize].phase != Phase::Awake)
    }

    /// Wakes everything and forgets the patches; the contacts of the sleepers go to these.
    pub(crate) fn end(&mut self, contacts: &mut Vec<WarmStart>) {
        merge(contacts, &mut self.contacts);
        *self = Self::default();
    }
}

/// Moves contacts to others, in their order.
pub(crate) fn merge(contacts: &mut Vec<WarmStart>, others: &mut Vec<WarmStart>) {
    if !others.is_empty() {
        contacts.append(others);
        contacts.sort_by_key(|contact| contact.stencil);
    }
}
