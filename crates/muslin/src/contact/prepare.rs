//! What contact takes over from a model and a law, and when it does so again.

use super::Owner;
use super::mesh::collision_mesh::CollisionMesh;
use super::mesh::solids::Solids;
use super::response::constraint::ContactConstraint;
use super::step::{AT_REST, Contacts};
use crate::body::RigidBody;
use crate::contact_law::SurfaceContact;
use crate::math::Real;
use crate::model::Model;
use crate::parts::bodies::Bodies;
use crate::shape::{Collider, Shape};
use crate::state::State;

/// What of a model and a law contact was prepared for.
#[derive(Clone, Debug)]
pub struct Prepared {
    revision: u32,
    /// See [`Obstacles`](crate::model::Obstacles).
    version: u32,
    colliders: Vec<Collider>,
    bodies: Vec<(Shape, Real)>,
    thickness: Option<Real>,
    friction: Real,
}

impl Prepared {
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
    /// Takes over a model and a law, as far as they differ from what was prepared before.
    pub fn prepare(&mut self, model: &Model, law: &SurfaceContact, state: &State) {
        let known = self.prepared.as_ref();
        let has_surfaces = known.is_some_and(|known| known.has_surfaces_of(model));
        let has_motions = known.is_some_and(|known| known.version == model.obstacles.version);
        let is_as_rough = known.is_some_and(|known| known.friction == law.friction);
        let is_as_thick = has_surfaces && known.is_some_and(|known| known.thickness == law.thickness);
        if !has_surfaces {
            self.take_meshes(model, state);
        } else if !has_motions {
            self.solids.take_motions(&model.colliders);
            self.candidates.forget();
        }
        if !is_as_thick {
            self.thickness = law.thickness.unwrap_or(0.1 * self.mean_edge);
            self.constraints.clear();
            self.candidates.prepare(&self.surface, &self.rest, self.thickness, AT_REST);
        }
        if !is_as_rough {
            self.constraints.iter_mut().for_each(|constraint| constraint.set_friction(law.friction));
        }
        if !has_motions || !is_as_thick || !is_as_rough {
            self.prepared = Some(Prepared::of(model, law));
        }
        if self.inverse_masses[..model.len()] != model.inverse_masses {
            self.inverse_masses[..model.len()].copy_from_slice(&model.inverse_masses);
            self.constraints
                .iter_mut()
                .for_each(|constraint| constraint.weigh(&self.inverse_masses, &self.moved));
            self.constraints.retain(ContactConstraint::can_move);
        }
    }

    /// Takes over the surfaces of the cloth, the solids and the bodies of a model.
    fn take_meshes(&mut self, model: &Model, state: &State) {
        let before = std::mem::replace(&mut self.solids, Solids::new(model, state.time));
        // What waited goes on waiting where it is.
        let known = self.prepared.iter().flat_map(|known| &known.colliders);
        for (k, (known, collider)) in known.zip(&model.colliders).enumerate() {
            let owner = Owner::Collider(k);
            if let Some(time) = before.clock_of(owner).filter(|_| known.is_same(collider)) {
                self.solids.set_clock(owner, time);
            }
        }
        self.surface = CollisionMesh::of(model, &self.solids.surfaces());
        let has_rest = model.rest_positions.len() == model.len();
        self.rest.clone_from(if has_rest { &model.rest_positions } else { &state.positions });
        self.rest.extend(self.solids.positions());
        self.mean_edge = self.surface.mean_edge(&self.rest);
        self.pieces.resize(model.len(), 0);
        for piece in Bodies::of(model).iter() {
            for &p in piece {
                self.pieces[p as usize] = piece[0];
            }
        }
        self.inverse_masses.clone_from(&model.inverse_masses);
        self.inverse_masses.resize(self.rest.len(), 0.0);
        self.constraints.clear();
    }
}
