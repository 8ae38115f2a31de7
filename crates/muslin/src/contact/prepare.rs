//! What contact derives from a model and a law, and when it does so again.

use super::Owner;
use super::contacts::Contacts;
use super::friction;
use super::mesh::collision_mesh::CollisionMesh;
use super::mesh::solids::Solids;
use super::settings::REST_DISTANCE;
use crate::contact_law::SurfaceContact;
use crate::math::{Real, Vec3};
use crate::model::{Model, Revisions};
use crate::parts::bodies::Bodies;
use crate::state::State;

/// What follows from a model and a law.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// What it was derived from.
    source: Option<Source>,
    /// The surface: of cloth first, then of solids and bodies.
    pub surface: CollisionMesh,
    /// Distance that cloth keeps from cloth [m].
    pub thickness: Real,
    /// Mean length of the cloth's edges at rest [m].
    pub mean_edge: Real,
    /// Positions at rest of all vertices [m].
    pub rest: Vec<Vec3>,
    /// Of all vertices; 0 for those of solids [1/kg].
    pub inverse_masses: Vec<Real>,
    /// Which piece of cloth each particle belongs to, by one of its particles.
    pub pieces: Vec<u32>,
}

/// What contact was prepared for.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Source {
    revisions: Revisions,
    thickness: Option<Real>,
    friction: Real,
}

impl Source {
    fn of(model: &Model, law: &SurfaceContact) -> Self {
        Self { revisions: *model.revisions(), thickness: law.thickness, friction: law.friction }
    }
}

impl Contacts {
    /// Whether they were prepared for any model.
    #[cfg(feature = "checkpoint")]
    pub fn is_prepared(&self) -> bool {
        self.prepared.source.is_some()
    }

    /// Whether they are as a model and a law have them.
    #[cfg(feature = "checkpoint")]
    pub fn is_prepared_for(&self, model: &Model, law: &SurfaceContact) -> bool {
        self.prepared.source == Some(Source::of(model, law))
    }

    /// Contacts to prepare for the model after an edit of its surface, while these still serve for the one before.
    #[must_use]
    pub fn for_edit(&self) -> Self {
        let prepared = Prepared { source: self.prepared.source, ..Prepared::default() };
        Self { prepared, candidates: self.candidates.for_edit(), ..Self::default() }
    }

    /// Takes over a model and a law, as far as they differ from what was prepared before; and from the state where the solids
    /// stand.
    pub fn prepare(&mut self, model: &Model, law: &SurfaceContact, state: &mut State) {
        let source = Source::of(model, law);
        let known = self.prepared.source.replace(source);
        let has = |revision: fn(&Revisions) -> u32| {
            known.is_some_and(|known| revision(&known.revisions) == revision(&source.revisions))
        };
        let has_solids = has(|revisions| revisions.solids);
        let has_surfaces = has_solids && has(|revisions| revisions.surface);
        if !has_surfaces {
            self.take_meshes(model);
        } else if !has(|revisions| revisions.motions) {
            self.solids.take_motions(&model.colliders);
            self.candidates.clear();
        }
        let has_thickness = known.is_some_and(|known| known.thickness == law.thickness);
        if !has_surfaces || !has_thickness {
            self.prepared.thickness = law.thickness.unwrap_or(0.1 * self.prepared.mean_edge);
            self.prepare_candidates();
        }
        if let Some(known) = known {
            let contacts = &mut state.contact.contacts;
            if !has_solids || !has_thickness {
                contacts.clear();
            }
            if known.friction != law.friction {
                // Within the cone of the new coefficient.
                for contact in contacts {
                    contact.friction = friction::clamped(contact.friction, law.friction, contact.force);
                }
            }
        }
        // Effective masses of constraints are found anew in every step.
        self.prepared.inverse_masses[..model.len()].copy_from_slice(&model.inverse_masses);
        let times = &mut state.contact.collider_times;
        times.resize(model.colliders.len(), state.time);
        for (k, time) in times.iter().enumerate() {
            self.solids.set_clock(Owner::Collider(k), *time);
        }
    }

    /// Takes over the surfaces of the cloth, the solids and the bodies of a model.
    fn take_meshes(&mut self, model: &Model) {
        self.solids = Solids::new(model, 0.0);
        let prepared = &mut self.prepared;
        prepared.surface = CollisionMesh::of(model, &self.solids.surfaces());
        prepared.rest.clone_from(&model.rest_positions);
        prepared.rest.extend(self.solids.rest_positions());
        prepared.mean_edge = prepared.surface.mean_edge(&prepared.rest);
        prepared.pieces.resize(model.len(), 0);
        for piece in Bodies::of(model).iter() {
            for &p in piece {
                prepared.pieces[p as usize] = piece[0];
            }
        }
        prepared.inverse_masses.clone_from(&model.inverse_masses);
        prepared.inverse_masses.resize(prepared.rest.len(), 0.0);
    }

    /// Patches and fold-free regions of the surface at rest.
    pub(in crate::contact) fn prepare_candidates(&mut self) {
        let Prepared { surface, rest, thickness, .. } = &self.prepared;
        self.candidates.prepare(surface, rest, *thickness, REST_DISTANCE);
    }
}
