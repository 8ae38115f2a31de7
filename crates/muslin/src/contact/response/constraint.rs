//! The response: contacts push apart and rub.
//!
//! A constraint keeps the distance of a pair at the end of the step, along its normal at the start. Constraints are solved one after the
//! other, in Gauss–Seidel sweeps, with accumulated multipliers [Macklin et al. 2016; Coulomb's cone as in Moreau 1966]:
//!
//! ```text
//! C = n·Σ wᵢ yᵢ − d          λ ← max(0, λ − C/W)          y ← y + w/m n Δλ          W = Σ wᵢ²/mᵢ
//! u = tangential component of Σ wᵢ (yᵢ − xᵢ)                   τ ← τ − u/W, clamped to μ λ: see `friction.rs`
//! ```
//!
//! A rigid body in a pair counts with the inverse mass that it has at the point of contact, and moves and turns; see `bodies.rs`.
//!
//! λ/h² is a force. Warm start: the force of a pair in each of the last two steps is likely to act in the next one, too. It is given to
//! the particles before the step, as an acceleration, so that the solver includes it, and λ starts there. Without this, an elastic step
//! would press resting cloth into the solid every time, and contact would push it out again and stretch it.

use super::bodies::{BodyAnchor, BodyDelta};
use super::sweeps::Contact;
use crate::contact::closest_points::ClosestPoints;
use crate::contact::friction;
use crate::contact::settings::LEVER;
use crate::contact_memory::WarmStart;
use crate::math::{Real, Vec3};
use crate::simd::vector::quad;
use crate::stencil::{Kind, Stencil};

/// A contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactConstraint {
    /// The features, their weights and the normal. For a half-space, the same vertex four times.
    pub closest: ClosestPoints,
    /// Least n·Σ w y [m].
    pub min_distance: Real,
    /// d: what it has to be at the end of this step [m].
    distance: Real,
    /// How much farther than the vertices of the pair the other side's surface moves at the contact in the step [m]: a wall has no
    /// vertices, and the surfaces of balls and capsules turn about their axes.
    pub surface_displacement: Vec3,
    /// The rigid body in the pair, if there is one.
    pub anchor: Option<BodyAnchor>,
    /// Σ w y without any slip [m].
    no_slip: Vec3,
    /// Coulomb's coefficient μ.
    friction: Real,
    /// 1/W [kg].
    mass: Real,
    /// 1/W across the normal, or a lower bound of it [kg].
    friction_mass: Real,
    /// λ [kg m].
    pub normal_impulse: Real,
    /// τ [kg m].
    pub friction_impulse: Vec3,
    /// n·Σ w v before the step [m/s].
    pub approach: Real,
    /// Forces of the steps before.
    past_forces: PastForces,
}

impl ContactConstraint {
    /// A contact without impulses; none if nothing of it can move, or hardly.
    pub fn new(
        closest: ClosestPoints,
        inverse_masses: &[Real],
        (anchor, bodies): (Option<BodyAnchor>, &[BodyDelta]),
        min_distance: Real,
        friction: Real,
    ) -> Option<Self> {
        let mut constraint = Self { anchor, ..Self::without_mass(closest, min_distance, friction) };
        constraint.find_effective_mass(inverse_masses, bodies);
        constraint.can_move().then_some(constraint)
    }

    /// A contact without impulses and effective mass.
    fn without_mass(closest: ClosestPoints, min_distance: Real, friction: Real) -> Self {
        Self {
            closest,
            min_distance,
            distance: min_distance,
            surface_displacement: Vec3::ZERO,
            no_slip: Vec3::ZERO,
            anchor: None,
            friction,
            mass: 0.0,
            friction_mass: 0.0,
            normal_impulse: 0.0,
            friction_impulse: Vec3::ZERO,
            approach: 0.0,
            past_forces: PastForces::default(),
        }
    }

    /// Whether enough of it can move.
    pub fn can_move(&self) -> bool {
        self.mass.is_finite()
    }

    /// Finds 1/W; it is infinite if nothing can move, or hardly.
    pub fn find_effective_mass(&mut self, inverse_masses: &[Real], bodies: &[BodyDelta]) {
        let closest = &self.closest;
        let w: Real = (0..4)
            .map(|k| {
                closest.weights[k] * closest.weights[k] * inverse_masses[closest.stencil.vertices[k] as usize]
            })
            .sum();
        let [along, across] =
            self.anchor.map_or([0.0; 2], |anchor| anchor.inverse_masses(closest.normal, bodies));
        (self.mass, self.friction_mass) = (1.0 / (w + along), 1.0 / (w + across));
        // The farthest that the constraint moves a vertex for each metre of the contact point.
        let moves =
            (0..4).map(|k| closest.weights[k].abs() * inverse_masses[closest.stencil.vertices[k] as usize]);
        if moves.fold(0.0, Real::max) * self.mass > LEVER {
            self.mass = Real::INFINITY;
        }
    }

    /// The pair.
    pub fn stencil(&self) -> Stencil {
        self.closest.stencil
    }

    /// Whether it is a contact with this wall.
    pub fn is_at_wall(&self, wall: u32) -> bool {
        self.closest.stencil.kind == Kind::VertexWall { wall }
    }

    /// Σ w y of any quantity y of the vertices, with the displacement of a body.
    #[inline]
    fn difference(&self, y: &[Vec3], bodies: &[BodyDelta]) -> Vec3 {
        let difference = self.closest.difference(y);
        self.anchor.map_or(difference, |anchor| {
            difference + bodies[anchor.body as usize].at(anchor.arm) * anchor.sign
        })
    }

    #[inline]
    fn push(&self, impulse: Vec3, inverse_masses: &[Real], y: &mut [Vec3], bodies: &mut [BodyDelta]) {
        for k in 0..4 {
            let v = self.closest.stencil.vertices[k] as usize;
            if v < y.len() {
                y[v] += impulse * (self.closest.weights[k] * inverse_masses[v]);
            }
        }
        if let Some(anchor) = self.anchor {
            bodies[anchor.body as usize].push(anchor.arm, impulse * anchor.sign);
        }
    }

    /// Packed for sweeps without bodies, with its vertices at these places.
    pub fn packed(&self, places: [u32; 4], inverse_masses: &[Real]) -> Contact {
        let ClosestPoints { stencil: Stencil { vertices, .. }, weights, normal, .. } = self.closest;
        Contact {
            places,
            weights,
            shares: std::array::from_fn(|k| weights[k] * inverse_masses[vertices[k] as usize]),
            normal: quad(normal),
            no_slip: quad(self.no_slip),
            no_slip_height: normal.dot(self.no_slip),
            distance: self.distance,
            mass: self.mass,
            friction_mass: self.friction_mass,
            mobility: 1.0 / self.mass,
            friction: self.friction,
            normal_impulse: self.normal_impulse,
            friction_impulse: quad(self.friction_impulse),
        }
    }

    /// Takes over the impulses after sweeps.
    pub fn take(&mut self, contact: &Contact) {
        let [x, y, z, _] = contact.friction_impulse;
        (self.normal_impulse, self.friction_impulse) = (contact.normal_impulse, Vec3::new(x, y, z));
    }

    /// One sweep; how far it moved the contact [m].
    #[inline]
    fn solve(&mut self, inverse_masses: &[Real], y: &mut [Vec3], bodies: &mut [BodyDelta]) -> Real {
        let n = self.closest.normal;
        let difference = self.difference(y, bodies);
        let excess = n.dot(difference) - self.distance;
        if excess > 0.0 && self.normal_impulse == 0.0 {
            return 0.0;
        }
        let normal_impulse = (self.normal_impulse - excess * self.mass).max(0.0);
        let change = normal_impulse - self.normal_impulse;
        self.normal_impulse = normal_impulse;
        let mut impulse = n * change;
        if self.friction > 0.0 {
            let displacement = difference - self.no_slip;
            let slip = displacement - n * n.dot(displacement);
            let friction_impulse = friction::accumulated(
                self.friction_impulse,
                slip,
                self.friction_mass,
                self.friction,
                normal_impulse,
            );
            impulse += friction_impulse - self.friction_impulse;
            self.friction_impulse = friction_impulse;
        }
        self.push(impulse, inverse_masses, y, bodies);
        impulse.length() / self.mass
    }

    /// Before a step: starts with the force that acted in each of the last two steps, and adds it to accelerations [m/s²]. A force moves
    /// a mass by `span` [s²] times its acceleration in the step.
    pub fn warm_start(
        &mut self,
        inverse_masses: &[Real],
        accelerations: &mut [Vec3],
        bodies: &mut [BodyDelta],
        span: Real,
    ) {
        self.normal_impulse = self.past_forces.force * span;
        self.friction_impulse = self.past_forces.friction * span;
        let force = self.closest.normal * self.past_forces.force + self.past_forces.friction;
        self.push(force, inverse_masses, accelerations, bodies);
    }

    /// After a step of h [s]: removes from velocities what the correction of positions does not remove of a warm start that turned out
    /// larger than needed. It displaced by `span` [s²] times its acceleration, less than h times the velocity it added.
    pub fn remove_unused_warm_start(&self, on: &mut Acted, span: Real, h: Real) {
        let fraction = self.normal_impulse / span / self.past_forces.force;
        if fraction < 1.0 {
            let force = self.closest.normal * self.past_forces.force + self.past_forces.friction;
            self.push(force * ((fraction - 1.0) * (h - span / h)), on.inverse_masses, on.y, on.bodies);
        }
    }

    /// After a step: its forces in this one and in the one before.
    pub fn warm_start_of_next_step(&self, span: Real) -> WarmStart {
        let force = self.normal_impulse / span;
        let lesser = force.min(self.past_forces.past);
        let fraction = if force > 0.0 { lesser / force } else { 0.0 };
        WarmStart {
            stencil: self.closest.stencil,
            normal: self.closest.normal,
            min_distance: self.min_distance,
            force: lesser,
            friction: self.friction_impulse * (fraction / span),
            past: force,
        }
    }

    /// A contact of the last step, with the vertices at x [m] now.
    pub fn remembered(warm_start: &WarmStart, x: &[Vec3], friction: Real) -> Self {
        let WarmStart { stencil, normal, min_distance, .. } = *warm_start;
        let closest = match stencil.kind {
            Kind::VertexWall { wall } => ClosestPoints::wall(stencil.vertices[0], wall, normal),
            _ => ClosestPoints::of(stencil, x),
        };
        Self {
            past_forces: PastForces::of(warm_start),
            ..Self::without_mass(closest, min_distance, friction)
        }
    }
}

/// Forces of a contact in the steps before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct PastForces {
    /// The lesser of the normal forces of the last two steps [N].
    force: Real,
    /// Friction, in the same proportion [N].
    friction: Vec3,
    /// The normal force of the last step [N].
    past: Real,
}

impl PastForces {
    fn of(warm_start: &WarmStart) -> Self {
        let WarmStart { force, friction, past, .. } = *warm_start;
        Self { force, friction, past }
    }
}

/// What constraints act on.
#[derive(Debug)]
pub struct Acted<'a> {
    /// Of all vertices; 0 for those of solids and bodies [1/kg].
    pub inverse_masses: &'a [Real],
    /// Positions [m] or velocities [m/s] of all vertices; those of bodies as if no constraint had acted.
    pub y: &'a mut [Vec3],
    /// Displacements of the bodies by constraints.
    pub bodies: &'a mut [BodyDelta],
}

/// Prepares constraints for sweeps from these positions [m]. A pair that starts too near recovers by `recovery` at the most [m]: pushed
/// apart all at once it would fly, and between pins it cannot get apart at all.
pub fn begin(constraints: &mut [ContactConstraint], start: &[Vec3], recovery: Real) {
    for constraint in constraints.iter_mut() {
        constraint.no_slip = constraint.closest.difference(start) + constraint.surface_displacement;
        let at_start = if constraint.closest.stencil.is_at_wall() {
            constraint.no_slip
        } else {
            constraint.closest.difference(start)
        };
        constraint.distance = constraint.min_distance.min(constraint.closest.normal.dot(at_start) + recovery);
    }
}

/// Solves all constraints in sweeps, until none moves by more than `tolerance` [m], or `sweeps` are done.
pub fn solve(constraints: &mut [ContactConstraint], on: &mut Acted, tolerance: Real, sweeps: u32) {
    for _ in 0..sweeps {
        let mut largest: Real = 0.0;
        for constraint in constraints.iter_mut() {
            largest = largest.max(constraint.solve(on.inverse_masses, on.y, on.bodies));
        }
        if largest <= tolerance {
            return;
        }
    }
}

/// Restitution: gives back a fraction of the approach speed at contacts that are new in this step; `least` is the smallest speed that
/// counts as an impact [m/s].
pub fn bounce(
    constraints: &[ContactConstraint],
    on: &mut Acted,
    restitution: Real,
    least: Real,
    sweeps: u32,
) {
    for _ in 0..sweeps {
        for constraint in constraints.iter().filter(|constraint| {
            constraint.normal_impulse > 0.0
                && constraint.past_forces.past == 0.0
                && constraint.approach < -least
        }) {
            let speed = constraint.closest.normal.dot(constraint.difference(on.y, on.bodies));
            let wanted = -restitution * constraint.approach;
            if speed < wanted {
                let impulse = constraint.closest.normal * ((wanted - speed) * constraint.mass);
                constraint.push(impulse, on.inverse_masses, on.y, on.bodies);
            }
        }
    }
}
