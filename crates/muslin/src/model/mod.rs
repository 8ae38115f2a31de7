//! What a step reads. Anyone may read it, and only its submodule `edit` writes it.

mod edit;

pub use crate::discretize::{ClothPart, RestEdge};
pub use crate::revisions::Revisions;
pub(crate) use edit::Split;
pub use edit::{EditError, Remap};

use crate::body::RigidBody;
use crate::contact_law::ContactLaw;
use crate::elements::{Element, ElementVisitor, Elements, SpringFamily};
use crate::forces::Forces;
use crate::math::{Real, Vec3};
use crate::mesh::{Face, RestPlaces};
pub use crate::remesh::{DividedFace, Division};
use crate::script::Script;
use crate::seam::{ClosingSeam, Seam};
use crate::shape::{Collider, Obstacle};
use crate::sleep::Sleep;
use crate::strain_limit::StrainLimit;
use crate::torn::{Blade, TimedCut};
use std::ops::{Deref, Range};

/// Everything a time step only reads.
///
/// It reads like its [`ModelData`], and is changed through methods that keep what was derived from it true:
/// [`Model::change`] for any of it, others for what can be changed at less cost, and
/// [`Command`](crate::command::Command)s for a world that runs.
#[derive(Clone, Debug, Default)]
pub struct Model {
    data: ModelData,
    revisions: Revisions,
    obstacles: Vec<Obstacle>,
    incidence: Incidence,
}

/// What a model consists of.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ModelData {
    /// Masses of the particles [kg].
    pub masses: Vec<Real>,
    /// Reciprocal masses [1/kg]; 0 for a particle that is held.
    pub inverse_masses: Vec<Real>,
    /// Where the particles lie at rest, for contact to know what is near to what in the cloth itself [m]. If there are not as
    /// many as particles, where they are when contact first sees them.
    pub rest_positions: Vec<Vec3>,
    /// What holds the particles together.
    pub elements: Elements,
    /// What acts from outside.
    pub forces: Forces,
    /// Edges of membranes and solids, to measure how they stretch.
    pub edges: Vec<RestEdge>,
    /// The surface: for the wind, for pictures and exports.
    pub faces: Vec<Face>,
    /// What the elements of each piece of cloth are made of, to make them again near an edit.
    pub cloths: Vec<ClothPart>,
    /// The shape that cloth has at rest, face by face: faces that are sewn together need not agree on the places of their corners [m].
    pub rest_shape: Vec<RestPlaces>,
    /// The particles of each sheet, rope or other part that was added; see [`ModelData::particles`].
    pub parts: Vec<Range<u32>>,
    /// Movements of held particles.
    pub script: Script,
    /// Solids that the particles may not enter.
    pub colliders: Vec<Collider>,
    /// Rigid bodies.
    pub bodies: Vec<RigidBody>,
    /// What happens where a particle meets a solid.
    pub contact: ContactLaw,
    /// Correction of over-long springs after each step, if wanted.
    pub strain_limit: Option<StrainLimit>,
    /// When cloth at rest falls asleep, if it may.
    pub sleep: Option<Sleep>,
    /// Cuts that are still to be made, in the order in which they were described.
    pub cuts: Vec<TimedCut>,
    /// Blades that cut cloth.
    pub blades: Vec<Blade>,
    /// Edges that were halved at contacts and may become whole again, in the order in which they were.
    pub divisions: Vec<Division>,
    /// Seams that have not begun to close.
    pub seams: Vec<Seam>,
    /// Seams that close.
    pub closing: Vec<ClosingSeam>,
    /// How many of the attachments, the last ones, are grabs by [`Command::Grab`](crate::command::Command::Grab).
    pub grabs: usize,
}

impl Deref for Model {
    type Target = ModelData;

    fn deref(&self) -> &ModelData {
        &self.data
    }
}

impl PartialEq for Model {
    /// The rest follows from the data.
    fn eq(&self, other: &Self) -> bool {
        self.data == other.data
    }
}

/// A sheet, rope or other part of a model, by the order in which they were added to the builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PartId(pub usize);

impl Model {
    /// The colliders made ready for questions.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// Which element forces meet at each particle.
    pub fn incidence(&self) -> &Incidence {
        &self.incidence
    }

    /// How often it was changed, by what depends on the change.
    pub fn revisions(&self) -> &Revisions {
        &self.revisions
    }
}

impl ModelData {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.masses.len()
    }

    /// Whether there is no particle at all.
    pub fn is_empty(&self) -> bool {
        self.masses.is_empty()
    }

    /// The particles of a part.
    ///
    /// ```
    /// use muslin::prelude::*;
    ///
    /// let mut builder = Builder::default();
    /// let sheet = builder.add_sheet(&Sheet::default())?;
    /// let rope = builder.add_rope(&Rope::default())?;
    /// let (model, state) = builder.finish(&Surroundings::default())?;
    /// assert_eq!(model.particles(sheet).end, model.particles(rope).start);
    /// let positions = &state.positions[model.particles(rope)]; // m
    /// # assert!(!positions.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn particles(&self, part: PartId) -> Range<usize> {
        let Range { start, end } = self.parts[part.0];
        start as usize..end as usize
    }

    /// Whether particles and faces may change while it runs: its cloth can tear, or is to be cut.
    pub fn may_change_topology(&self) -> bool {
        let has_edge = self.colliders.iter().any(|collider| collider.edge.is_some());
        let is_edited = !self.cuts.is_empty() || !self.blades.is_empty() || has_edge;
        let is_sewn = !self.seams.is_empty() || !self.closing.is_empty();
        is_edited || is_sewn || self.may_give_way()
    }

    /// Whether steps themselves may edit cloth, by how they end: it can tear, or is divided at contacts.
    pub(crate) fn may_give_way(&self) -> bool {
        self.cloths.iter().any(|cloth| cloth.tears() || cloth.fabric.least_length.is_some())
    }

    /// Whether cloth is cut or sewn between two times [s], or may be cut by a solid.
    pub(crate) fn is_edited(&self, from: Real, to: Real) -> bool {
        let is_cut = self.cuts.iter().any(|cut| cut.time <= to);
        let is_sewn = !self.closing.is_empty() || self.seams.iter().any(|seam| seam.time <= to);
        let may_be_cut = self.colliders.iter().any(|collider| collider.edge.is_some());
        is_cut
            || is_sewn
            || may_be_cut
            || self.blades.iter().any(|blade| blade.sweep([from, to], 0.0).is_some())
    }

    /// Pairs of partners of seams that close, which are not joined yet.
    pub fn waiting_partners(&self) -> usize {
        self.closing.iter().map(|seam| seam.pairs.len()).sum()
    }

    /// The length at rest of a side or diagonal of a face of cloth [m].
    pub fn rest_length(&self, face: u32, ends: [u32; 2]) -> Real {
        let corners = self.faces[face as usize].corners();
        let place =
            |end: u32| corners.iter().position(|&c| c == end).map(|k| self.rest_shape[face as usize][k]);
        match ends.map(place) {
            [Some(a), Some(b)] => a.distance(b),
            _ => 0.0,
        }
    }

    /// Whether a particle is held.
    #[inline]
    pub fn is_held(&self, particle: usize) -> bool {
        self.inverse_masses[particle] == 0.0
    }

    /// Relative elongations l/L − 1 of the structural springs that have a length at rest, of the rods, and of the edges of
    /// membranes and solids.
    pub fn stretches<'a>(&'a self, positions: &'a [Vec3]) -> impl Iterator<Item = Real> + 'a {
        let structural = self
            .elements
            .springs
            .iter()
            .filter(|s| s.family == SpringFamily::Structural && s.rest_length > 0.0);
        let springs =
            structural.map(move |spring| spring.strain(positions)[0].length() / spring.rest_length - 1.0);
        let rods = self.elements.rods.iter().map(move |rod| rod.stretch(positions));
        springs.chain(rods).chain(self.edges.iter().map(move |edge| edge.stretch(positions)))
    }

    /// Ropes and nets: the ends of structural springs and rods with an end that belongs to no face, for pictures and exports.
    pub fn lone_links(&self) -> Vec<[u32; 2]> {
        let mut woven = vec![false; self.len()];
        for &corner in self.faces.iter().flat_map(Face::corners) {
            woven[corner as usize] = true;
        }
        let springs = self.elements.springs.iter().filter(|s| s.family == SpringFamily::Structural);
        let rods = self.elements.rods.iter().map(|rod| rod.ends);
        springs
            .map(|spring| spring.ends)
            .chain(rods)
            .filter(|ends| ends.iter().any(|&end| !woven[end as usize]))
            .collect()
    }
}

/// For each particle the slots of the element forces on it, in the order of the elements.
///
/// Slot numbers run over elements, and within an element over its particles. Adding up slots in this order
/// rounds exactly as adding element after element does, so the parallel and the plain sum agree to the bit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Incidence {
    starts: Vec<u32>,
    slots: Vec<u32>,
}

impl Incidence {
    fn of(elements: &Elements, particles: usize) -> Self {
        struct Ends(Vec<u32>);
        impl ElementVisitor for Ends {
            fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
                self.0.extend(elements.iter().flat_map(|e| e.particles().map(|p| p as u32)));
            }
        }
        let mut ends = Ends(Vec::new());
        elements.accept(&mut ends);

        let mut starts = vec![0u32; particles + 1];
        for &particle in &ends.0 {
            starts[particle as usize + 1] += 1;
        }
        for p in 0..particles {
            starts[p + 1] += starts[p];
        }
        let mut next = starts.clone();
        let mut slots = vec![0u32; ends.0.len()];
        for (slot, &particle) in ends.0.iter().enumerate() {
            slots[next[particle as usize] as usize] = slot as u32;
            next[particle as usize] += 1;
        }
        Self { starts, slots }
    }

    /// The slots at one particle.
    #[inline]
    pub fn slots(&self, particle: usize) -> &[u32] {
        &self.slots[self.starts[particle] as usize..self.starts[particle + 1] as usize]
    }

    /// Number of slots in all.
    pub fn slot_count(&self) -> usize {
        self.slots.len()
    }
}
