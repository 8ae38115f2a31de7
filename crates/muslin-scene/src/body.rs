//! Rigid bodies as a scene file describes them.

use crate::collider::{ColliderEntry, Cuboid, Hull, MeshFile, RoundRod, Sphere};
use crate::compile::Files;
use muslin::body::BodyLoad;
use muslin::builder::{BodyDescription, BodyMass, BuildError};
use muslin::math::{Real, Vec3};
use muslin::profile::Profile;

/// A rigid body: exactly one of the shapes, what it weighs, and how it moves at the start.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BodyEntry {
    /// A ball.
    pub sphere: Option<Sphere>,
    /// A rod with round ends.
    pub capsule: Option<RoundRod>,
    /// A rod with flat ends.
    pub cylinder: Option<RoundRod>,
    /// A box.
    pub cuboid: Option<Cuboid>,
    /// The smallest convex solid around points.
    pub hull: Option<Hull>,
    /// A closed surface read from a file.
    pub mesh: Option<MeshFile>,
    /// Layer around the shape that counts as solid, too, but weighs nothing [m].
    pub thickness: Real,
    /// Mass [kg]; this or the density.
    pub mass: Option<Real>,
    /// Mass by volume [kg/m³].
    pub density: Option<Real>,
    /// Velocity of the centre at the start [m/s].
    pub velocity: Vec3,
    /// Angular velocity at the start [rad/s].
    pub angular_velocity: Vec3,
    /// Force on the centre at full strength [N].
    pub force: Vec3,
    /// Strength of the force over time.
    pub profile: Profile,
    /// C of the force −C v that still air puts on the centre [kg/s].
    pub drag: Real,
}

impl BodyEntry {
    /// The body; reads the file of a mesh, and says what is odd about it.
    pub(crate) fn read(
        self,
        files: &Files,
        warnings: &mut Vec<String>,
    ) -> Result<BodyDescription, BuildError> {
        let mass = match (self.mass, self.density) {
            (Some(mass), None) => BodyMass::Total(mass),
            (None, Some(density)) => BodyMass::Density(density),
            (mass, _) => {
                let found = if mass.is_some() { "both a `mass` and a `density`" } else { "no `mass`" };
                let message = format!("has {found}, but must have either a `mass` or a `density`");
                return Err(BuildError { path: String::new(), message });
            }
        };
        let shape = ColliderEntry {
            sphere: self.sphere,
            capsule: self.capsule,
            cylinder: self.cylinder,
            cuboid: self.cuboid,
            hull: self.hull,
            mesh: self.mesh,
            ..ColliderEntry::default()
        };
        Ok(BodyDescription {
            shape: shape.read(files, warnings)?.shape,
            thickness: self.thickness,
            mass,
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
            load: BodyLoad { force: self.force, profile: self.profile, drag: self.drag },
        })
    }
}
