//! Rigid bodies: their masses, and where they are. How they move is told in [`rigid`](crate::rigid).

use crate::math::{Mat3, Real, Rotation, Vec3};
use crate::profile::Profile;
use crate::script::Frame;
use crate::shape::{Shape, mass_properties};

/// A rigid body: what of it does not change.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RigidBody {
    /// Its shape at the start.
    pub shape: Shape,
    /// Layer around the shape that counts as solid, too, but weighs nothing [m]; 0 or more.
    pub thickness: Real,
    /// M [kg].
    pub mass: Real,
    /// Its centre of mass at the start [m].
    pub center: Vec3,
    /// I₀ about the centre, with the axes of the start [kg·m²].
    pub inertia: Mat3,
    /// I₀⁻¹ [1/(kg·m²)].
    pub inverse_inertia: Mat3,
    /// What acts on its centre from outside, besides gravity.
    pub load: BodyLoad,
}

/// A force on the centre of a body: F p(t) − C v.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyLoad {
    /// F at full strength [N].
    pub force: Vec3,
    /// p: strength over time, 1 being full.
    pub profile: Profile,
    /// C of the still air [kg/s].
    pub drag: Real,
}

/// Where a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// c: the centre of mass [m].
    pub center: Vec3,
    /// R: the turn since the start.
    pub rotation: Rotation,
}

/// A rigid body: what of it changes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyState {
    /// Where it is.
    pub pose: Pose,
    /// v: the velocity of its centre [m/s].
    pub velocity: Vec3,
    /// ω [rad/s].
    pub spin: Vec3,
}

impl RigidBody {
    /// A body of a mass [kg], spread evenly; none if the shape has no finite volume.
    pub fn new(shape: Shape, mass: Real) -> Option<Self> {
        let properties = mass_properties(&shape)?;
        let inertia = properties.inertia * (mass / properties.volume);
        let inverse_inertia = inertia.inverse();
        let is_sound = mass > 0.0 && inertia.is_finite() && inverse_inertia.is_finite();
        is_sound.then_some(Self {
            shape,
            thickness: 0.0,
            mass,
            center: properties.center,
            inertia,
            inverse_inertia,
            load: BodyLoad::default(),
        })
    }

    /// At rest where the shape says.
    pub fn at_start(&self) -> BodyState {
        let pose = Pose { center: self.center, rotation: Rotation::IDENTITY };
        BodyState { pose, velocity: Vec3::ZERO, spin: Vec3::ZERO }
    }

    /// I of a turned body [kg·m²].
    pub fn inertia_at(&self, rotation: Rotation) -> Mat3 {
        turned(self.inertia, rotation)
    }

    /// I⁻¹ of a turned body [1/(kg·m²)].
    pub fn inverse_inertia_at(&self, rotation: Rotation) -> Mat3 {
        turned(self.inverse_inertia, rotation)
    }
}

fn turned(matrix: Mat3, rotation: Rotation) -> Mat3 {
    let r = Mat3::from_quat(rotation);
    r * matrix * r.transpose()
}

impl Pose {
    /// Where a point is whose arm from the centre was `arm` at the start [m].
    pub fn place(&self, arm: Vec3) -> Vec3 {
        self.center + self.rotation * arm
    }

    /// Shifted, and turned about the centre by a vector, axis times angle [m, rad].
    #[must_use]
    pub fn moved(&self, shift: Vec3, turn: Vec3) -> Self {
        let rotation = (Rotation::from_scaled_axis(turn) * self.rotation).normalize();
        Self { center: self.center + shift, rotation }
    }

    /// A part of the way to another pose, straight and evenly, turning the shorter way round.
    #[must_use]
    pub fn towards(&self, other: &Self, part: Real) -> Self {
        if part >= 1.0 {
            return *other;
        }
        let turn = other.rotation * self.rotation.inverse();
        let turn = if turn.w < 0.0 { -turn } else { turn }.to_scaled_axis();
        self.moved((other.center - self.center) * part, turn * part)
    }
}

impl BodyState {
    /// Velocity of the body's matter at a point [m/s].
    pub fn velocity_at(&self, x: Vec3) -> Vec3 {
        self.velocity + self.spin.cross(x - self.pose.center)
    }

    /// The movement since the start, as that of a solid.
    pub fn frame(&self, body: &RigidBody) -> Frame {
        Frame {
            center: body.center,
            rotation: self.pose.rotation,
            translation: self.pose.center - body.center,
            velocity: self.velocity,
            spin: self.spin,
        }
    }

    /// L about the centre [kg·m²/s].
    pub fn angular_momentum(&self, body: &RigidBody) -> Vec3 {
        body.inertia_at(self.pose.rotation) * self.spin
    }

    /// ½ M v² + ½ ω·I ω [J].
    pub fn kinetic_energy(&self, body: &RigidBody) -> Real {
        0.5 * (body.mass * self.velocity.length_squared() + self.spin.dot(self.angular_momentum(body)))
    }

    /// Free flight of h [s] from a time [s] on, under gravity [m/s²] and the body's own load.
    pub fn fly(&mut self, body: &RigidBody, gravity: Vec3, time: Real, h: Real) {
        let BodyLoad { force, profile, drag } = &body.load;
        let force = *force * profile.at(time) - self.velocity * *drag;
        self.velocity += (gravity + force / body.mass) * h;
        let momentum = self.angular_momentum(body);
        let middle = self.pose.moved(Vec3::ZERO, self.spin * (0.5 * h));
        let turn = body.inverse_inertia_at(middle.rotation) * momentum * h;
        self.pose = self.pose.moved(self.velocity * h, turn);
        self.spin = body.inverse_inertia_at(self.pose.rotation) * momentum;
    }

    /// Whether every number is one.
    pub fn is_finite(&self) -> bool {
        self.pose.center.is_finite()
            && self.pose.rotation.is_finite()
            && self.velocity.is_finite()
            && self.spin.is_finite()
    }
}

/// Power that still air takes out of the motion of bodies [W].
pub fn dissipation(bodies: &[RigidBody], states: &[BodyState]) -> Real {
    bodies.iter().zip(states).map(|(body, now)| body.load.drag * now.velocity.length_squared()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brick() -> RigidBody {
        let shape = Shape::Cuboid {
            center: Vec3::new(1.0, 2.0, 3.0),
            size: Vec3::new(1.0, 2.0, 3.0),
            rotation: Vec3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2),
        };
        RigidBody::new(shape, 12.0).unwrap()
    }

    #[test]
    fn a_turned_brick_has_its_inertia_about_turned_axes() {
        let brick = brick();
        // M/12 (a² + b²) with edges 2, 1, 3 along x, y, z.
        let expected = Mat3::from_diagonal(Vec3::new(10.0, 13.0, 5.0));
        assert!(brick.inertia.abs_diff_eq(expected, 1e-12), "{}", brick.inertia);
        assert!(brick.center.distance(Vec3::new(1.0, 2.0, 3.0)) < 1e-15);
    }

    #[test]
    fn a_plane_is_no_body() {
        assert_eq!(RigidBody::new(Shape::Plane { point: Vec3::ZERO, normal: Vec3::Z }, 1.0), None);
    }

    #[test]
    fn poses_meet_half_way() {
        let start = Pose { center: Vec3::ZERO, rotation: Rotation::IDENTITY };
        let end = start.moved(Vec3::X, Vec3::Z);
        let middle = start.towards(&end, 0.5);
        assert!(middle.center.distance(Vec3::X * 0.5) < 1e-15);
        assert!(middle.place(Vec3::X).distance(Vec3::new(0.5 + 0.5_f64.cos(), 0.5_f64.sin(), 0.0)) < 1e-15);
        assert_eq!(start.towards(&end, 1.0), end);
    }
}
