//! What acts from outside: gravity, drag, wind and loads, as functions of time.
//!
//! ```text
//! gravity  m g                                        (4.4) of Carvalho 2012
//! drag     −C v                                       (4.5)
//! wind     C [n·(u − v)] n,  n the surface normal     (4.6)
//! load     F p(t)
//! ```

use crate::math::{Mat3, Real, Vec3, outer};
use crate::mesh::{Face, vertex_normals};
use crate::profile::Profile;

/// The outer forces on a model.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Forces {
    /// g [m/s²].
    pub gravity: Vec3,
    /// C of the still air, a particle [kg/s].
    pub drag: Vec<Real>,
    /// The wind, if any blows.
    pub wind: Option<Wind>,
    /// Forces on single particles.
    pub loads: Vec<PointLoad>,
}

/// Moving air that presses on a surface.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Wind {
    /// u at full strength [m/s].
    pub velocity: Vec3,
    /// Strength over time, 1 being full.
    pub profile: Profile,
    /// C, a particle [kg/s].
    pub coefficients: Vec<Real>,
}

/// A force on some particles.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PointLoad {
    /// The particles; each feels the whole force.
    pub particles: Vec<u32>,
    /// F at full strength [N].
    pub force: Vec3,
    /// Strength over time, 1 being full.
    pub profile: Profile,
}

impl Forces {
    /// Adds drag, wind and loads to `forces` [N]; gravity is an acceleration and is added by the caller.
    /// `normals` is scratch space, used when wind blows.
    pub fn add(
        &self,
        time: Real,
        faces: &[Face],
        x: &[Vec3],
        v: &[Vec3],
        normals: &mut Vec<Vec3>,
        forces: &mut [Vec3],
    ) {
        for ((force, &c), &v) in forces.iter_mut().zip(&self.drag).zip(v) {
            *force -= v * c;
        }
        if let Some(wind) = &self.wind {
            normals.resize(x.len(), Vec3::ZERO);
            vertex_normals(faces, x, normals);
            let air = wind.velocity * wind.profile.at(time);
            for (((force, &c), &n), &v) in
                forces.iter_mut().zip(&wind.coefficients).zip(normals.iter()).zip(v)
            {
                *force += n * (c * n.dot(air - v));
            }
        }
        for load in &self.loads {
            let force = load.force * load.profile.at(time);
            for &particle in &load.particles {
                forces[particle as usize] += force;
            }
        }
    }

    /// −∂F/∂v of drag and wind at one particle [kg/s], the surface normal `n` held fixed (4.36).
    pub fn damping_tangent(&self, particle: usize, n: Vec3) -> Mat3 {
        let drag = self.drag.get(particle).copied().unwrap_or(0.0);
        let wind = self.wind.as_ref().map_or(0.0, |wind| wind.coefficients[particle]);
        Mat3::IDENTITY * drag + outer(n, n) * wind
    }

    /// Power that still air takes out of the motion [W].
    pub fn dissipation(&self, velocities: &[Vec3]) -> Real {
        self.drag.iter().zip(velocities).map(|(c, v)| c * v.length_squared()).sum()
    }
}
