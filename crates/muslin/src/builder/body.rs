//! Rigid bodies by description, and what of them cannot be.

use super::surroundings::finite;
use crate::body::{BodyLoad, BodyState, RigidBody};
use crate::build_error::{BuildError, at, not_negative, positive, refuse};
use crate::math::{Real, Vec3};
use crate::shape::{Collider, Shape, mass_properties};

/// A rigid body.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyDescription {
    /// Its shape and place at the start; one with a volume.
    pub shape: Shape,
    /// Layer around the shape that counts as solid, too [m].
    pub thickness: Real,
    /// What it weighs.
    pub mass: BodyMass,
    /// Velocity of its centre at the start [m/s].
    pub velocity: Vec3,
    /// ω at the start [rad/s].
    pub angular_velocity: Vec3,
    /// What acts on its centre from outside, besides gravity.
    pub load: BodyLoad,
}

/// What a body weighs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BodyMass {
    /// In all [kg].
    Total(Real),
    /// By volume [kg/m³].
    Density(Real),
}

impl BodyDescription {
    /// At rest, of a mass [kg].
    pub fn new(shape: Shape, mass: Real) -> Self {
        Self {
            shape,
            thickness: 0.0,
            mass: BodyMass::Total(mass),
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            load: BodyLoad::default(),
        }
    }

    /// The body and its state at time 0.
    pub(crate) fn build(&self) -> Result<(RigidBody, BodyState), BuildError> {
        let solid = Collider { thickness: self.thickness, ..self.shape.clone().into() };
        solid.check()?;
        not_negative("thickness", self.thickness, "0 m or more")?;
        finite("velocity", self.velocity)?;
        finite("angular_velocity", self.angular_velocity)?;
        finite("force", self.load.force)?;
        self.load.profile.check().map_err(|error| error.under("profile"))?;
        not_negative("drag", self.load.drag, "0 kg/s or more")?;
        let name = self.shape.name();
        let Some(properties) = mass_properties(&self.shape) else {
            return Err(at("", format!("is a {name} without a volume, but a body must have one")));
        };
        let mass = match self.mass {
            BodyMass::Total(mass) => positive("mass", mass, "greater than 0 kg").map(|()| mass)?,
            BodyMass::Density(density) => {
                positive("density", density, "greater than 0 kg/m³").map(|()| density * properties.volume)?
            }
        };
        let Some(body) = RigidBody::new(self.shape.clone(), mass) else {
            return refuse("mass", mass, "one with a finite inertia");
        };
        let state = BodyState { velocity: self.velocity, spin: self.angular_velocity, ..body.at_start() };
        Ok((RigidBody { thickness: self.thickness, load: self.load.clone(), ..body }, state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_that_cannot_be() {
        let plane = Shape::Plane { point: Vec3::ZERO, normal: Vec3::Z };
        let ball = |radius: Real| Shape::Sphere { center: Vec3::ZERO, radius };
        for (body, words) in [
            (BodyDescription::new(plane, 1.0), "without a volume"),
            (BodyDescription::new(ball(1.0), 0.0), "`mass`"),
            (BodyDescription::new(ball(-1.0), 1.0), "`sphere.radius`"),
            (BodyDescription { velocity: Vec3::NAN, ..BodyDescription::new(ball(1.0), 1.0) }, "`velocity`"),
            (
                BodyDescription { mass: BodyMass::Density(-1.0), ..BodyDescription::new(ball(1.0), 1.0) },
                "`density`",
            ),
        ] {
            let message = body.build().unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
    }

    #[test]
    fn density_times_volume() {
        let shape = Shape::Cuboid { center: Vec3::ONE, size: Vec3::splat(0.1), rotation: Vec3::ONE };
        let body = BodyDescription { mass: BodyMass::Density(500.0), ..BodyDescription::new(shape, 1.0) };
        assert!((body.build().unwrap().0.mass - 0.5).abs() < 1e-15);
    }
}
