//! Impulses between bodies, and between bodies and solids: the only file that names rapier.
//!
//! Bodies fly by themselves; rapier gets the same start and the velocities that gravity has changed already. Where it finds that
//! a body goes another way than in free flight, its answer counts. Solids follow their scripts, whatever hits them.

use crate::body::{BodyState, Pose, RigidBody};
use crate::contact_law::ContactLaw;
use crate::math::{Mat3, Real, Rotation, Vec3};
use crate::model::Model;
use crate::shape::{Collider, Core, Shape};
use crate::state::State;
use rapier3d_f64::prelude as rapier;
use std::fmt;

/// Speeds up to this part of the body's own are rounding.
const ROUNDING: Real = 1e-9;

/// What bodies do to each other, from step to step.
#[derive(Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Collisions {
    /// Revisions of the model's elements and of its solids.
    prepared: Option<[u32; 2]>,
    world: rapier::PhysicsWorld,
    bodies: Vec<rapier::RigidBodyHandle>,
    /// None for what has no shape here.
    solids: Vec<Option<rapier::RigidBodyHandle>>,
}

impl Clone for Collisions {
    /// With all that is remembered from step to step; pipelines hold nothing but space.
    fn clone(&self) -> Self {
        let world = &self.world;
        let world = rapier::PhysicsWorld {
            gravity: world.gravity,
            integration_parameters: world.integration_parameters,
            islands: world.islands.clone(),
            broad_phase: world.broad_phase.clone(),
            narrow_phase: world.narrow_phase.clone(),
            bodies: world.bodies.clone(),
            colliders: world.colliders.clone(),
            impulse_joints: world.impulse_joints.clone(),
            multibody_joints: world.multibody_joints.clone(),
            soft_bodies: world.soft_bodies.clone(),
            ..rapier::PhysicsWorld::default()
        };
        Self { world, prepared: self.prepared, bodies: self.bodies.clone(), solids: self.solids.clone() }
    }
}

impl fmt::Debug for Collisions {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Self { prepared, bodies, solids, .. } = self;
        formatter
            .debug_struct("Collisions")
            .field("prepared", prepared)
            .field("bodies", bodies)
            .field("solids", solids)
            .finish_non_exhaustive()
    }
}

impl Collisions {
    /// After a free flight of h [s] from `start`: puts bodies that hit something where they go instead.
    pub fn act(&mut self, model: &Model, start: &[BodyState], state: &mut State, h: Real) {
        if model.bodies.len() + model.colliders.len() < 2 {
            return;
        }
        self.prepare(model, state);
        for ((&handle, start), flown) in self.bodies.iter().zip(start).zip(&state.bodies) {
            if let Some(body) = self.world.bodies.get_mut(handle) {
                body.set_position(pose(start.pose), true);
                body.set_linvel(there(flown.velocity), true);
                body.set_angvel(there(flown.spin), true);
            }
        }
        for (handle, collider) in self.solids.iter().zip(&model.colliders) {
            if let Some(solid) = handle.and_then(|handle| self.world.bodies.get_mut(handle)) {
                let place = solid_pose(collider, state.time + h);
                solid.set_next_kinematic_position(place);
            }
        }
        self.world.integration_parameters.dt = h;
        self.world.step();
        for (k, &handle) in self.bodies.iter().enumerate() {
            let Some(body) = self.world.bodies.get(handle) else { continue };
            let found = BodyState {
                pose: Pose { center: back(body.translation()), rotation: turn(*body.rotation()) },
                velocity: back(body.linvel()),
                spin: back(body.angvel()),
            };
            if was_hit(&model.bodies[k], &start[k], &state.bodies[k], &found, h) {
                state.bodies[k] = found;
            }
        }
    }

    fn prepare(&mut self, model: &Model, state: &State) {
        let revisions = [model.revisions().solids, model.revisions().law];
        if self.prepared == Some(revisions) {
            return;
        }
        *self = Self { prepared: Some(revisions), ..Self::default() };
        self.world.gravity = rapier::Vector::ZERO;
        let (friction, restitution) = match model.contact {
            ContactLaw::Surface(law) => (law.friction, law.restitution),
            ContactLaw::Projection { friction, restitution } => (friction, restitution),
            ContactLaw::Reflection { restitution, .. } => (0.0, restitution),
            ContactLaw::EnergySharing | ContactLaw::Mirror { .. } => (0.0, 1.0),
        };
        let finish = |(shape, place): (rapier::SharedShape, rapier::Pose), center: Vec3, thickness: Real| {
            rapier::ColliderBuilder::new(shape)
                .density(0.0)
                .friction(friction)
                .restitution(restitution)
                .contact_skin(thickness)
                .position(place.append_translation(there(-center)))
        };
        for (body, now) in model.bodies.iter().zip(&state.bodies) {
            let handle = self.world.insert_body(dynamic(body, now));
            if let Some(shape) = shape_of(&body.shape, true) {
                let collider = finish(shape, body.center, body.thickness);
                self.world.insert_collider(collider, Some(handle));
            }
            self.bodies.push(handle);
        }
        for collider in &model.colliders {
            let handle = shape_of(&collider.shape, false).map(|shape| {
                let place = solid_pose(collider, state.time);
                let body = rapier::RigidBodyBuilder::kinematic_position_based().pose(place);
                let handle = self.world.insert_body(body);
                self.world.insert_collider(finish(shape, Vec3::ZERO, collider.thickness), Some(handle));
                handle
            });
            self.solids.push(handle);
        }
    }
}

fn dynamic(body: &RigidBody, now: &BodyState) -> rapier::RigidBodyBuilder {
    let masses =
        rapier::MassProperties::with_inertia_matrix(rapier::Vector::ZERO, body.mass, matrix(body.inertia));
    rapier::RigidBodyBuilder::dynamic()
        .pose(pose(now.pose))
        .additional_mass_properties(masses)
        .can_sleep(false)
        .ccd_enabled(true)
}

/// Whether a body ended elsewhere than free flight brings it, or faster or slower.
fn was_hit(body: &RigidBody, start: &BodyState, flown: &BodyState, found: &BodyState, h: Real) -> bool {
    // Radius of gyration, to compare turns with ways.
    let size =
        (body.inertia.x_axis.x.max(body.inertia.y_axis.y).max(body.inertia.z_axis.z) / body.mass).sqrt();
    let off = flown.velocity.distance(found.velocity)
        + size * flown.spin.distance(found.spin)
        + (start.pose.center + flown.velocity * h).distance(found.pose.center) / h;
    let least = flown.velocity.length() + size * flown.spin.length() + start.pose.center.length() / h * 1e-6;
    off > ROUNDING * least
}

/// A shape as rapier knows it, and where it is. Of a body that is a mesh, its hull: what moves has to be convex there.
fn shape_of(shape: &Shape, is_body: bool) -> Option<(rapier::SharedShape, rapier::Pose)> {
    let at = |center: Vec3| pose(Pose { center, rotation: Rotation::IDENTITY });
    if let Shape::Cuboid { center, size, rotation } = *shape {
        let cuboid = rapier::SharedShape::cuboid(0.5 * size.x, 0.5 * size.y, 0.5 * size.z);
        return Some((cuboid, pose(Pose { center, rotation: Rotation::from_scaled_axis(rotation) })));
    }
    let found = match Collider::from(shape.clone()).core() {
        Core::HalfSpace { point, normal } => {
            return Some((rapier::SharedShape::halfspace(there(normal)), at(point)));
        }
        Core::Round { ends: [a, b], radius } if a == b => {
            return Some((rapier::SharedShape::ball(radius), at(a)));
        }
        Core::Round { ends: [a, b], radius } => {
            Some(rapier::SharedShape::capsule(there(a), there(b), radius))
        }
        Core::Faces { positions, .. } if is_body && matches!(shape, Shape::Mesh(_)) => {
            return shape_of(&Shape::Hull { points: positions }, true);
        }
        Core::Faces { positions, triangles } => {
            let points: Vec<_> = positions.into_iter().map(there).collect();
            if matches!(shape, Shape::Mesh(_) | Shape::HeightField { .. }) {
                rapier::SharedShape::trimesh(points, triangles).ok()
            } else {
                rapier::SharedShape::convex_mesh(points, &triangles)
            }
        }
    };
    found.map(|found| (found, at(Vec3::ZERO)))
}

fn solid_pose(collider: &Collider, time: Real) -> rapier::Pose {
    let frame = collider.motion.frame(time);
    pose(Pose { center: frame.place(Vec3::ZERO), rotation: frame.rotation })
}

fn pose(pose: Pose) -> rapier::Pose {
    let Rotation { x, y, z, w } = pose.rotation;
    rapier::Pose::from_parts(there(pose.center), rapier::Rotation::from_xyzw(x, y, z, w))
}

fn turn(rotation: rapier::Rotation) -> Rotation {
    Rotation::from_xyzw(rotation.x, rotation.y, rotation.z, rotation.w).normalize()
}

fn matrix(m: Mat3) -> rapier::Matrix {
    rapier::Matrix::from_cols(there(m.x_axis), there(m.y_axis), there(m.z_axis))
}

fn there(v: Vec3) -> rapier::Vector {
    rapier::Vector::new(v.x, v.y, v.z)
}

fn back(v: rapier::Vector) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}
