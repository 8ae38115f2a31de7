//! What contact of surfaces remembers between steps, as part of the state.

use crate::body::Pose;
use crate::math::{Real, Vec3};
use crate::remap::Remap;
use crate::stencil::Stencil;

/// What the next step of contact depends on, besides the model, positions and velocities.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactMemory {
    /// What has been done so far.
    pub report: ContactReport,
    /// The moment of its script at which each collider of the model stands [s]; none before the first step.
    pub collider_times: Vec<Real>,
    /// Pairs with a contact force in the last step.
    pub(crate) contacts: Vec<WarmStart>,
    /// The largest acceleration that cloth in contact with rigid bodies got from contacts [m/s²].
    pub(crate) body_acceleration: Real,
    /// Energy that contact has added so far, less what was taken back [J].
    pub(crate) added_energy: Real,
    /// Where the last step left particles [m] and rigid bodies: others may have moved them since.
    pub(crate) end_positions: Vec<Vec3>,
    pub(crate) end_poses: Vec<Pose>,
}

/// A pair with a contact force, from which the next step starts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct WarmStart {
    /// The pair.
    pub stencil: Stencil,
    /// The normal; that of a wall stays.
    pub normal: Vec3,
    /// The distance to keep [m]; of a wall the height above the origin.
    pub min_distance: Real,
    /// The lesser of the normal forces of the last two steps [N].
    pub force: Real,
    /// Friction, in the same proportion [N].
    pub friction: Vec3,
    /// The normal force of the last step [N].
    pub past: Real,
}

/// What contact has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactReport {
    /// Σ m |displacement| that particles wanted, so far [kg m].
    pub wanted: Real,
    /// Σ m |displacement| that the guarantee kept them from, so far [kg m].
    pub lost: Real,
    /// Pairs that touched in the last step.
    pub touching: usize,
    /// Pairs that could have met in the last step.
    pub candidates: usize,
    /// Straight pieces of the last step of the world.
    pub pieces: u32,
    /// Steps so far in which particles were too fast for the pieces there may be.
    pub too_fast: u64,
    /// How often so far all displacements were halved, because too many pairs could have met on them.
    pub slowed: u64,
    /// How far the slowest solid, or the slowest pins, lag behind their script [s].
    pub lag: Real,
    /// The largest lag so far [s].
    pub largest_lag: Real,
}

impl ContactMemory {
    /// The same without what it remembers of particles.
    pub(crate) fn without_particles(&self) -> Self {
        Self {
            report: self.report,
            collider_times: self.collider_times.clone(),
            contacts: Vec::new(),
            body_acceleration: self.body_acceleration,
            added_energy: self.added_energy,
            end_positions: Vec::new(),
            end_poses: self.end_poses.clone(),
        }
    }

    /// Follows an edit of the topology: the vertices of solids and bodies come behind the particles. Contacts of vertices with
    /// other edges and faces around them start anew.
    pub(crate) fn follow(&mut self, map: &Remap) {
        map.follow(&mut self.end_positions);
        let (old, new) = (map.old_count() as u32, map.new_count() as u32);
        let is_changed = |vertex: u32| vertex < old && map.is_changed(vertex);
        self.contacts.retain(|contact| !contact.stencil.vertices.into_iter().any(is_changed));
        for vertex in self.contacts.iter_mut().flat_map(|contact| &mut contact.stencil.vertices) {
            *vertex = if *vertex < old { map.place(*vertex) } else { *vertex - old + new };
        }
    }
}

impl ContactReport {
    /// Counts a lag of something else in this step [s].
    pub(crate) fn count_lag(&mut self, lag: Real) {
        self.lag = self.lag.max(lag);
        self.largest_lag = self.largest_lag.max(lag);
    }
}
