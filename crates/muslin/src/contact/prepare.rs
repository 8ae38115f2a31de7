//! What contact derives from a model and a law, and when it does so again.

use super::Owner;
use super::contacts::Contacts;
use super::friction;
use super::mesh::collision_mesh::CollisionMesh;
use super::mesh::solids::Solids;
use super::settings::REST_DISTANCE;
use crate::body::RigidBody;
use crate::contact_law::SurfaceContact;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::parts::bodies::Bodies;
use crate::shape::{Collider, Shape};
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

/// What of a model and a law contact was prepared for.
#[derive(Clone, Debug)]
struct Source {
    revision: u32,
    /// See [`Obstacles`](crate::model::Obstacles).
    version: u32,
    colliders: Vec<Collider>,
    bodies: Vec<(Shape, Real)>,
    thickness: Option<Real>,
    friction: Real,
}

impl Source {
    fn of(model: &Model, law: &SurfaceContact) -> Self {
        Self {
            revision: model.revision,
            version: model.obstacles.version,
            colliders: model.colliders.clone(),
            bodies: model.bodies.iter().map(|body| (body.shape.clone(), body.thickness)).collect(),
            thickness: law.thickness,
            friction: law.friction,
        }
    }

    /// Whether the surfaces of cloth, solids and bodies are still those of a model.
    fn has_surfaces_of(&self, model: &Model) -> bool {
        let same = |((shape, thickness), body): (&(Shape, Real), &RigidBody)| {
            *thickness == body.thickness && shape.is_same(&body.shape)
        };
        let colliders = || {
            let mut pairs = self.colliders.iter().zip(&model.colliders);
            self.colliders.len() == model.colliders.len()
                && pairs
                    .all(|(one, other)| one.thickness == other.thickness && one.shape.is_same(&other.shape))
        };
        self.revision == model.revision
            && self.bodies.len() == model.bodies.len()
            && self.bodies.iter().zip(&model.bodies).all(same)
            && (self.version == model.obstacles.version || colliders())
    }
}

impl Contacts {
    /// Takes over a model and a law, as far as they differ from what was prepared before; and from the state where the solids
    /// stand.
    pub fn prepare(&mut self, model: &Model, law: &SurfaceContact, state: &mut State) {
        let known = self.prepared.source.as_ref();
        let has_surfaces = known.is_some_and(|known| known.has_surfaces_of(model));
        let has_motions = known.is_some_and(|known| known.version == model.obstacles.version);
        let has_friction_of_law = known.is_none_or(|known| known.friction == law.friction);
        let has_thickness_of_law =
            has_surfaces && known.is_some_and(|known| known.thickness == law.thickness);
        if !has_surfaces {
            self.take_meshes(model, state);
        } else if !has_motions {
            self.solids.take_motions(&model.colliders);
            self.candidates.clear();
        }
        if !has_thickness_of_law {
            self.prepared.thickness = law.thickness.unwrap_or(0.1 * self.prepared.mean_edge);
            self.prepare_candidates();
        }
        let contacts = &mut state.contact.contacts;
        if self.prepared.source.is_some() && !has_thickness_of_law {
            contacts.clear();
        }
        if !has_friction_of_law {
            // Within the cone of the new coefficient.
            for contact in contacts {
                contact.friction = friction::clamped(contact.friction, law.friction, contact.force);
            }
        }
        if !has_motions || !has_thickness_of_law || !has_friction_of_law {
            self.prepared.source = Some(Source::of(model, law));
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
    fn take_meshes(&mut self, model: &Model, state: &mut State) {
        // Colliders that lag keep their clocks; new ones start at the world's time.
        if let Some(known) = &self.prepared.source {
            let times = &mut state.contact.collider_times;
            times.resize(model.colliders.len(), state.time);
            for (k, collider) in model.colliders.iter().enumerate() {
                if !known.colliders.get(k).is_some_and(|known| known.is_same(collider)) {
                    times[k] = state.time;
                }
            }
        }
        self.solids = Solids::new(model, 0.0);
        let prepared = &mut self.prepared;
        prepared.surface = CollisionMesh::of(model, &self.solids.surfaces());
        prepared.rest.clone_from(&model.rest_positions);
        prepared.rest.extend(self.solids.positions());
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
