//! Rigid bodies in constraints of contacts.
//!
//! An impulse p on a body at arm r from its centre displaces its point at arm s:
//!
//! ```text
//! shift += p/M      turn += I⁻¹ (r × p)      displacement at s = shift + turn × s
//! ```
//!
//! A constraint acts on the body at the cloth's point of contact, so that cloth and body get equal and opposite impulses on one line:
//! linear and angular momentum of both together are kept to rounding. The point is that of the start of the step, x₀: with
//! x = x₀ + h v, an impulse that adds δ to v and h δ to x adds (x + h δ) × (v + δ) − x × v = x₀ × δ.

use crate::body::{Pose, RigidBody};
use crate::contact::closest_points::ClosestPoints;
use crate::contact::mesh::collision_mesh::{CLOTH, CollisionMesh};
use crate::math::{Mat3, Real, Vec3};

/// Displacement of a body by constraints; or, for impulses in place of multipliers, the change of its velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyDelta {
    /// Its centre, from which arms count [m].
    pub center: Vec3,
    inverse_mass: Real,
    inverse_inertia: Mat3,
    /// [m], or of velocities [m/s].
    pub shift: Vec3,
    /// [rad], or of velocities [rad/s].
    pub turn: Vec3,
}

impl BodyDelta {
    /// A body at a pose, not moved so far; arms count from `center` [m].
    pub fn new(body: &RigidBody, pose: &Pose, center: Vec3) -> Self {
        Self {
            center,
            inverse_mass: 1.0 / body.mass,
            inverse_inertia: body.inverse_inertia_at(pose.rotation),
            shift: Vec3::ZERO,
            turn: Vec3::ZERO,
        }
    }

    /// Gives it an impulse at an arm.
    #[inline]
    pub fn push(&mut self, arm: Vec3, impulse: Vec3) {
        self.shift += impulse * self.inverse_mass;
        self.turn += self.inverse_inertia * arm.cross(impulse);
    }

    /// Displacement of its point at an arm.
    #[inline]
    pub fn at(&self, arm: Vec3) -> Vec3 {
        self.shift + self.turn.cross(arm)
    }

    /// Inverse masses at an arm, along a unit vector n and, an upper bound, across it [1/kg].
    fn inverse_masses(&self, arm: Vec3, n: Vec3) -> [Real; 2] {
        let along = |axis: Vec3| {
            let torque = arm.cross(axis);
            torque.dot(self.inverse_inertia * torque)
        };
        let normal = along(n);
        let all: Real = Vec3::AXES.into_iter().map(along).sum();
        [self.inverse_mass + normal, self.inverse_mass + (all - normal)]
    }
}

/// Where a constraint acts on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyAnchor {
    /// Which body.
    pub body: u32,
    /// 1 if the body is the first feature of the pair, −1 if it is the second.
    pub sign: Real,
    /// From the body's centre to the point of contact [m].
    pub arm: Vec3,
}

impl BodyAnchor {
    /// The anchor of a pair on a body, at positions of all vertices at which the bodies are where `bodies` has them. `numbers`
    /// are the rigid bodies of solids, if any.
    pub fn of(
        closest: &ClosestPoints,
        surface: &CollisionMesh,
        numbers: &[Option<u32>],
        bodies: &[BodyDelta],
        x: &[Vec3],
    ) -> Option<Self> {
        if bodies.is_empty() || closest.stencil.is_at_wall() {
            return None;
        }
        let number = |v: u32| match surface.bodies[v as usize] {
            CLOTH => None,
            solid => numbers[solid as usize - 1],
        };
        let (first, second) = (number(closest.stencil.vertices[0]), number(closest.stencil.vertices[3]));
        let (body, sign) = first.map(|body| (body, 1.0)).or(second.map(|body| (body, -1.0)))?;
        Some(Self { body, sign, arm: cloth_point(closest, sign, x) - bodies[body as usize].center })
    }

    /// Inverse masses of the body, along a unit vector n and across it [1/kg].
    pub fn inverse_masses(&self, n: Vec3, bodies: &[BodyDelta]) -> [Real; 2] {
        bodies[self.body as usize].inverse_masses(self.arm, n)
    }
}

/// The point of contact on the cloth's feature of a pair, of which a body with this sign is the other [m].
fn cloth_point(closest: &ClosestPoints, sign: Real, x: &[Vec3]) -> Vec3 {
    let cloth = if sign > 0.0 { closest.stencil.first()..4 } else { 0..closest.stencil.first() };
    cloth.map(|k| x[closest.stencil.vertices[k] as usize] * (closest.weights[k] * -sign)).sum()
}

/// How far a body's vertices in a pair move, less how far its surface at the point of contact does, in a step from `start` to
/// `target` [m]; signed as in the pair. A ball turns under its vertex, the centre.
pub fn slip(
    closest: &ClosestPoints,
    anchor: &BodyAnchor,
    [start, target]: [&[Vec3]; 2],
    [from, to]: [&Pose; 2],
) -> Vec3 {
    let body = if anchor.sign > 0.0 { 0..closest.stencil.first() } else { closest.stencil.first()..4 };
    let vertices: Vec3 = body
        .map(|k| {
            let v = closest.stencil.vertices[k] as usize;
            (target[v] - start[v]) * closest.weights[k]
        })
        .sum();
    let point = cloth_point(closest, anchor.sign, start);
    let carried = to.center + to.rotation * (from.rotation.inverse() * (point - from.center));
    vertices - (carried - point) * anchor.sign
}
