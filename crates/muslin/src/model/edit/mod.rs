//! THE writer of models: whatever changes one does so here, and tells what has to be derived again.
//!
//! ```text
//! matrices     particles, elements, masses, pins         solvers prepare and factor anew
//! surface      particles, faces                          contact takes over its meshes anew
//! solids       colliders and bodies come, go, deform     contact and rigid collisions take them over anew
//! motions      how colliders move                        contact takes over the motions
//! law          friction and restitution                  rigid collisions take them over anew
//! ```

mod error;
mod join;
mod merge;
mod rebuild;
mod remesh;
mod split;

pub use crate::remap::Remap;
pub use error::EditError;
pub(crate) use split::Split;

use super::{Incidence, Model, ModelData, PartId};
use crate::body::RigidBody;
use crate::contact_law::ContactLaw;
use crate::elements::{Attachment, PressureLaw, Spring, SpringFamily};
use crate::forces::Forces;
use crate::math::{Real, Vec3};
use crate::mesh::VertexFaces;
use crate::revisions::Revisions;
use crate::script::{Motion, PinClocks, PinMove};
use crate::seam::{ClosingSeam, Seam, SewnSide};
use crate::shape::{Collider, Obstacle};
use crate::torn::TimedCut;

impl From<ModelData> for Model {
    fn from(data: ModelData) -> Self {
        let incidence = Incidence::of(&data.elements, data.masses.len());
        let obstacles = data.colliders.iter().map(Obstacle::new).collect();
        Self { data, revisions: Revisions::default(), obstacles, incidence }
    }
}

impl Model {
    /// Changes anything but the number of particles; all that was derived from the model is derived again.
    ///
    /// ```
    /// use muslin::prelude::*;
    ///
    /// let mut builder = Builder::default();
    /// builder.add_sheet(&Sheet::default())?;
    /// let (mut model, _) = builder.finish(&Surroundings::default())?;
    /// model.change(|data| data.elements.springs.iter_mut().for_each(|spring| spring.damping = 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If it changes the number of particles.
    pub fn change(&mut self, change: impl FnOnce(&mut ModelData)) {
        let count = self.len();
        change(&mut self.data);
        assert_eq!(self.len(), count, "a change of a model keeps the number of its particles");
        self.renew_matrices();
        self.renew_obstacles();
        let Revisions { surface, solids, motions, law, .. } = &mut self.revisions;
        for revision in [surface, solids, motions, law] {
            *revision += 1;
        }
    }

    /// Changes what acts from outside. How air resists is in matrices: they are made anew only if that changes.
    pub fn change_forces(&mut self, change: impl FnOnce(&mut Forces)) {
        let resistance =
            |forces: &Forces| (forces.drag.clone(), forces.wind.as_ref().map(|w| w.coefficients.clone()));
        let before = resistance(&self.data.forces);
        change(&mut self.data.forces);
        self.revisions.matrices += u32::from(resistance(&self.data.forces) != before);
    }

    /// Another gravity [m/s²].
    pub fn set_gravity(&mut self, gravity: Vec3) {
        self.data.forces.gravity = gravity;
    }

    /// Another law of contact.
    pub fn set_contact(&mut self, law: ContactLaw) {
        self.data.contact = law;
        self.revisions.law += 1;
    }

    /// Another movement of a collider.
    pub fn set_collider_motion(&mut self, collider: usize, motion: Motion) {
        self.obstacles[collider] = self.obstacles[collider].with_motion(motion.clone());
        self.data.colliders[collider].motion = motion;
        self.revisions.motions += 1;
    }

    /// Another pressure in one of the surfaces that have any.
    pub(crate) fn set_pressure(&mut self, surface: usize, law: PressureLaw) {
        self.data.elements.pressures[surface].set_law(law);
    }

    /// Where the particles lie at rest [m]; contact has taken them over.
    pub(crate) fn set_rest_positions(&mut self, positions: &[Vec3]) {
        self.data.rest_positions.clear();
        self.data.rest_positions.extend_from_slice(positions);
    }

    /// Holds particles, or lets them go.
    pub(crate) fn hold(&mut self, particles: &[u32], is_held: bool) {
        for &particle in particles {
            let p = particle as usize;
            self.data.inverse_masses[p] = if is_held { 0.0 } else { 1.0 / self.data.masses[p] };
        }
        self.revisions.matrices += 1;
    }

    /// Takes particles out of the script: they stay where they are.
    pub(crate) fn stop_pins(&mut self, particles: &[u32], clocks: &mut PinClocks) {
        self.data.script.let_go(particles, clocks);
    }

    /// Another group of pins that move, by the world's time.
    pub(crate) fn add_pin_move(&mut self, group: PinMove) {
        self.data.script.moves.push(group);
    }

    /// The spring by which a particle is grabbed, if it is.
    pub(crate) fn grab(&self, particle: u32) -> Option<&Attachment> {
        self.grab_number(particle).map(|k| &self.elements.attachments[k])
    }

    /// Moves the target of a grabbed particle [m], which is in no matrix.
    pub(crate) fn move_grab(&mut self, particle: u32, target: Vec3) {
        if let Some(k) = self.grab_number(particle) {
            self.data.elements.attachments[k].point = target;
        }
    }

    /// Grabs a particle; one that is grabbed already, anew.
    pub(crate) fn add_grab(&mut self, grab: Attachment) {
        self.drop_grab(grab.particle);
        self.data.elements.attachments.push(grab);
        self.data.grabs += 1;
        self.renew_matrices();
    }

    /// Lets a grabbed particle go; whether it was grabbed.
    pub(crate) fn drop_grab(&mut self, particle: u32) -> bool {
        let Some(k) = self.grab_number(particle) else { return false };
        self.data.elements.attachments.remove(k);
        self.data.grabs -= 1;
        self.renew_matrices();
        true
    }

    fn grab_number(&self, particle: u32) -> Option<usize> {
        let attachments = &self.elements.attachments;
        (attachments.len() - self.grabs..attachments.len()).find(|&k| attachments[k].particle == particle)
    }

    /// Takes the first cut out that is due at a time [s].
    pub(crate) fn take_due_cut(&mut self, time: Real) -> Option<TimedCut> {
        let first = self.data.cuts.iter().position(|cut| cut.time <= time)?;
        Some(self.data.cuts.remove(first))
    }

    /// Puts back a cut that could not be made yet.
    pub(crate) fn add_cut(&mut self, cut: TimedCut) {
        self.data.cuts.push(cut);
    }

    /// Takes the first seam out that is due at a time [s].
    pub(crate) fn take_due_seam(&mut self, time: Real) -> Option<Seam> {
        let first = self.data.seams.iter().position(|seam| seam.time <= time)?;
        Some(self.data.seams.remove(first))
    }

    /// A seam begins to close.
    pub(crate) fn add_closing_seam(&mut self, seam: ClosingSeam) {
        let start = seam.start;
        self.data.closing.push(seam);
        self.draw_seams(start);
    }

    /// Gives the sides of faces along a seam, from partners to partners, a strength [N/m] that counts after a time [s].
    pub(crate) fn mark_seam(&mut self, line: &[[u32; 2]], strength: Real, holds_until: Real) {
        let data = &mut self.data;
        let at_vertices = VertexFaces::of(&data.faces, data.masses.len());
        for pair in line.windows(2) {
            for [a, b] in [0, 1].map(|k| [pair[0][k], pair[1][k]]) {
                for &face in at_vertices.at(a) {
                    let mut sides = data.faces[face as usize].sides();
                    let Some(number) = sides.position(|side| side == [a, b] || side == [b, a]) else {
                        continue;
                    };
                    if let Some(cloth) = data.cloths.iter_mut().find(|cloth| cloth.faces.contains(&face)) {
                        let side = [face, number as u32];
                        cloth.seams.retain(|sewn| sewn.side != side);
                        cloth.seams.push(SewnSide { side, strength, holds_until });
                    }
                }
            }
        }
    }

    /// Gives the springs of seams that close the lengths they have at a time [s].
    pub(crate) fn draw_seams(&mut self, time: Real) {
        let mut springs = Vec::new();
        for seam in &self.data.closing {
            let part = seam.part_left(time);
            springs.extend(seam.pairs.iter().zip(&seam.gaps).map(|(&ends, gap)| {
                let [stiffness, damping] = self.data.seam_spring(ends);
                Spring { family: SpringFamily::Seam, damping, ..Spring::new(ends, part * gap, stiffness) }
            }));
        }
        let elements = &mut self.data.elements;
        elements.springs.retain(|spring| spring.family != SpringFamily::Seam);
        elements.springs.extend(springs);
        elements.sort_links();
        self.renew_matrices();
    }

    /// Multiplies the stiffness of a part, and the damping with it.
    pub(crate) fn scale_stiffness(&mut self, part: PartId, factor: Real) {
        let range = self.parts[part.0].clone();
        self.data.elements.scale_stiffness(|particle| range.contains(&particle), factor);
        for cloth in self.data.cloths.iter_mut().filter(|cloth| cloth.part == part.0) {
            cloth.stiffness *= factor;
        }
        self.renew_matrices();
    }

    pub(crate) fn add_collider(&mut self, collider: Collider) {
        self.obstacles.push(Obstacle::new(&collider));
        self.data.colliders.push(collider);
        self.revisions.solids += 1;
    }

    pub(crate) fn remove_collider(&mut self, k: usize) {
        self.obstacles.remove(k);
        self.data.colliders.remove(k);
        self.revisions.solids += 1;
    }

    pub(crate) fn add_body(&mut self, body: RigidBody) {
        self.data.bodies.push(body);
        self.revisions.solids += 1;
    }

    pub(crate) fn remove_body(&mut self, k: usize) {
        self.data.bodies.remove(k);
        self.revisions.solids += 1;
    }

    /// Stands for another model, of which this is a part, and has its colliders.
    pub(crate) fn in_place_of(mut self, whole: &Self) -> Self {
        self.data.colliders.clone_from(&whole.data.colliders);
        self.obstacles.clone_from(&whole.obstacles);
        self.revisions = whole.revisions;
        self
    }

    /// Goes on counting where another copy of the model has stopped, as the one in a checkpoint.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn count_on(mut self, revisions: Revisions) -> Self {
        self.revisions = revisions;
        self
    }

    fn renew_matrices(&mut self) {
        self.incidence = Incidence::of(&self.data.elements, self.data.masses.len());
        self.revisions.matrices += 1;
    }

    fn renew_obstacles(&mut self) {
        self.obstacles = self.data.colliders.iter().map(Obstacle::new).collect();
    }
}

impl ModelData {
    /// Stiffness [N/m] and damping [N·s/m] of the spring that draws two partners together: as stiff as the stiffer cloth along a thread,
    /// and damped so that they come together without a swing.
    fn seam_spring(&self, pair: [u32; 2]) -> [Real; 2] {
        let of_cloth = |p: u32| {
            let cloth = self.cloths.iter().find(|cloth| self.parts[cloth.part].contains(&p));
            cloth.map_or(0.0, |cloth| {
                cloth.fabric.membrane.as_ref().map_or(cloth.fabric.structural.stiffness, |m| m.warp)
            })
        };
        let stiffness = pair.map(of_cloth).into_iter().fold(0.0, Real::max).max(1.0);
        let mass = pair.map(|p| self.masses[p as usize]).into_iter().fold(0.0, Real::max);
        [stiffness, 2.0 * (stiffness * mass).sqrt()]
    }
}
