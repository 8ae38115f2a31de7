//! What a step writes.

use crate::body::BodyState;
use crate::contact_memory::ContactMemory;
use crate::history::History;
use crate::math::{Real, Vec3};
use crate::remap::Remap;
use crate::script::PinClocks;
use crate::seam::SewingReport;
use crate::sleep_memory::SleepMemory;
use crate::torn::TearReport;

/// The moving part of a simulation.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct State {
    /// Positions of the particles [m].
    pub positions: Vec<Vec3>,
    /// Velocities of the particles [m/s].
    pub velocities: Vec<Vec3>,
    /// The rigid bodies.
    pub bodies: Vec<BodyState>,
    /// Time since the start [s].
    pub time: Real,
    /// Solver steps done.
    pub steps: u64,
    /// Heat produced so far by springs and air [J]; counted if [`World::heat_interval`](crate::world::World::heat_interval) is set.
    pub dissipated: Real,
    /// What has torn so far.
    pub torn: TearReport,
    /// What has been sewn so far.
    pub sewn: SewingReport,
    /// Time since heat was last counted [s].
    pub uncounted: Real,
    /// The clocks of pins that lag behind their script.
    pub pin_clocks: PinClocks,
    /// What the method remembers of the steps before.
    pub history: History,
    /// What contact of surfaces remembers of the steps before.
    pub contact: ContactMemory,
    /// What sleeps, if anything may.
    pub sleep: SleepMemory,
}

impl State {
    /// Particles at rest at time 0, and no bodies.
    pub fn at_rest(positions: Vec<Vec3>) -> Self {
        Self { velocities: vec![Vec3::ZERO; positions.len()], positions, ..Self::default() }
    }

    /// Forgets all earlier steps; what particles and bodies do stays, and so does the time.
    pub fn forget(&mut self) {
        (self.steps, self.dissipated, self.uncounted) = (0, 0.0, 0.0);
        self.pin_clocks = PinClocks::default();
        (self.torn, self.sewn) = (TearReport::default(), SewingReport::default());
        self.history.clear();
        self.contact = ContactMemory::default();
        self.sleep = SleepMemory::default();
    }

    /// Follows an edit of the topology, in which particles were split.
    pub(crate) fn follow(&mut self, map: &Remap) {
        self.sleep.end(&mut self.contact.contacts);
        map.follow(&mut self.positions);
        map.follow(&mut self.velocities);
        self.history.follow(map);
        self.contact.follow(map);
    }

    /// Whether this particle is not where, or not as fast as, the last step of the method left it.
    #[inline]
    pub fn was_moved(&self, particle: usize) -> bool {
        self.history.is_empty()
            || self.history.end_positions[particle] != self.positions[particle]
            || self.history.end_velocities[particle] != self.velocities[particle]
    }

    /// Remembers how a step of the method ends.
    pub(crate) fn record_end(&mut self) {
        self.history.end_positions.clone_from(&self.positions);
        self.history.end_velocities.clone_from(&self.velocities);
    }
}
