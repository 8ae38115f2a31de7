//! What a step reads.

use crate::body::RigidBody;
use crate::contact_law::ContactLaw;
use crate::elements::{Attachment, Element, ElementVisitor, Elements, SpringFamily};
use crate::forces::Forces;
use crate::math::{Real, Vec3};
use crate::mesh::Face;
use crate::script::Script;
use crate::shape::{Collider, Obstacle};
use crate::strain_limit::StrainLimit;
use std::borrow::Cow;
use std::ops::Range;

/// Everything a time step only reads.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Model {
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
    /// The particles of each sheet, rope or other part that was added; see [`Model::particles`].
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
    /// The solids made ready for questions; see [`Model::obstacles`].
    #[cfg_attr(feature = "serde", serde(skip))]
    pub obstacles: Obstacles,
    /// Which element forces meet at each particle; see [`Model::connect`].
    #[cfg_attr(feature = "serde", serde(skip))]
    pub incidence: Incidence,
    /// Counts the changes of topology and of elements, so that solvers know when to prepare anew.
    pub revision: u32,
    /// Counts how often colliders or bodies were added or removed.
    pub solids_revision: u32,
    /// How many of the attachments, the last ones, are grabs by [`Command::Grab`](crate::command::Command::Grab).
    pub grabs: usize,
}

/// A sheet, rope or other part of a model, by the order in which they were added to the builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PartId(pub usize);

/// Colliders, and the same made ready for questions.
#[derive(Clone, Debug, Default)]
pub struct Obstacles {
    made_of: Vec<Collider>,
    ready: Vec<Obstacle>,
    /// Counts how often they were made anew.
    pub(crate) version: u32,
}

impl PartialEq for Obstacles {
    /// What they are made of tells all.
    fn eq(&self, other: &Self) -> bool {
        self.made_of == other.made_of
    }
}

impl Model {
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

    /// The spring by which a particle is grabbed, if it is.
    pub(crate) fn grab_mut(&mut self, particle: u32) -> Option<&mut Attachment> {
        let first = self.elements.attachments.len() - self.grabs;
        self.elements.attachments[first..].iter_mut().find(|grab| grab.particle == particle)
    }

    /// Grabs a particle that is not grabbed.
    pub(crate) fn add_grab(&mut self, grab: Attachment) {
        self.elements.attachments.push(grab);
        self.grabs += 1;
        self.reconnect();
    }

    /// Lets a grabbed particle go; whether it was grabbed.
    pub(crate) fn drop_grab(&mut self, particle: u32) -> bool {
        let attachments = &mut self.elements.attachments;
        let first = attachments.len() - self.grabs;
        let Some(k) = attachments[first..].iter().position(|grab| grab.particle == particle) else {
            return false;
        };
        attachments.remove(first + k);
        self.grabs -= 1;
        self.reconnect();
        true
    }

    /// The elements have changed: rebuilds what is derived from them, and tells solvers to prepare anew.
    pub(crate) fn reconnect(&mut self) {
        self.incidence = Incidence::of(&self.elements, self.masses.len());
        self.revision += 1;
    }

    /// Whether a particle is held.
    #[inline]
    pub fn is_held(&self, particle: usize) -> bool {
        self.inverse_masses[particle] == 0.0
    }

    /// Rebuilds what is derived from the elements, and tells solvers to prepare anew.
    #[must_use]
    pub fn connect(mut self) -> Self {
        self.reconnect();
        self.prepare_obstacles();
        self
    }

    /// Rebuilds what is derived from the elements and the colliders.
    #[cfg(feature = "checkpoint")]
    #[must_use]
    pub(crate) fn derive(mut self) -> Self {
        self.incidence = Incidence::of(&self.elements, self.masses.len());
        self.prepare_obstacles();
        self
    }

    /// The solids made ready for questions: those that were prepared, or new ones if the colliders were changed since.
    pub fn obstacles(&self) -> Cow<'_, [Obstacle]> {
        if same_colliders(&self.obstacles.made_of, &self.colliders) {
            Cow::Borrowed(&self.obstacles.ready)
        } else {
            // What only moves otherwise keeps its trees.
            let known = self.obstacles.made_of.iter().zip(&self.obstacles.ready);
            let mut known = known.map(Some).chain(std::iter::repeat(None));
            let ready = |collider: &Collider| match known.next().flatten() {
                Some((made_of, ready)) if made_of.has_shape_of(collider) => {
                    ready.with_motion(collider.motion.clone())
                }
                _ => Obstacle::new(collider),
            };
            Cow::Owned(self.colliders.iter().map(ready).collect())
        }
    }

    /// Prepares the solids anew if the colliders were changed.
    pub fn prepare_obstacles(&mut self) {
        if let Cow::Owned(ready) = self.obstacles() {
            let version = self.obstacles.version + 1;
            self.obstacles = Obstacles { made_of: self.colliders.clone(), ready, version };
        }
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

/// Whether colliders are the same; a mesh that they share is not looked at.
fn same_colliders(ones: &[Collider], others: &[Collider]) -> bool {
    ones.len() == others.len() && ones.iter().zip(others).all(|(one, other)| one.is_same(other))
}

/// An edge and its length at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RestEdge {
    /// Its two particles.
    pub ends: [u32; 2],
    /// L [m].
    pub rest_length: Real,
}

impl RestEdge {
    /// l/L − 1.
    pub fn stretch(&self, positions: &[Vec3]) -> Real {
        let [a, b] = self.ends.map(|end| positions[end as usize]);
        a.distance(b) / self.rest_length - 1.0
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
