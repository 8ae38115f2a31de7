//! Descriptions of ropes and nets.

use super::description::{Drag, Mass, Pin, Tether};
use crate::build_error::{BuildError, not_negative, positive, refuse};
use crate::elements::{Spring, SpringFamily};
use crate::material::Link;
use crate::math::{Real, Vec3};

/// A straight chain of particles.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Rope {
    /// First end [m].
    pub from: Vec3,
    /// Last end [m].
    pub to: Vec3,
    /// Number of particles, ends included.
    pub particles: usize,
    /// Mass by length [kg/m], unless `mass` says otherwise.
    pub mass_per_length: Real,
    /// What it weighs.
    pub mass: Mass,
    /// Springs from each particle to the next.
    pub structural: Link,
    /// Springs between particles two apart.
    pub flexion: Link,
    /// How the air slows it; `area` counts by length here [kg/(s·m)].
    pub drag: Drag,
    /// Where it is held; its corners are its ends.
    pub pins: Vec<Pin>,
    /// Long threads from the pins to every particle, if wanted.
    pub tether: Option<Tether>,
    /// Velocity of its centre of mass at the start [m/s]. Pinned particles do not take part.
    pub velocity: Vec3,
    /// ω at the start, about its centre of mass [rad/s].
    pub angular_velocity: Vec3,
}

impl Default for Rope {
    fn default() -> Self {
        Self {
            from: Vec3::ZERO,
            to: Vec3::X,
            particles: 21,
            mass_per_length: 0.05,
            mass: Mass::default(),
            structural: Link { stiffness: 1e4, damping: 0.1, ..Link::default() },
            flexion: Link::default(),
            drag: Drag::default(),
            pins: Vec::new(),
            tether: None,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
        }
    }
}

/// Particles and springs in any configuration.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Net {
    /// Positions [m].
    pub particles: Vec<Vec3>,
    /// The springs.
    pub springs: Vec<NetSpring>,
    /// What it weighs: `each` or `total`.
    pub mass: Mass,
    /// How the air slows it.
    pub drag: Drag,
    /// Where it is held.
    pub pins: Vec<Pin>,
    /// Velocity of its centre of mass at the start [m/s]. Pinned particles do not take part.
    pub velocity: Vec3,
    /// ω at the start, about its centre of mass [rad/s].
    pub angular_velocity: Vec3,
}

/// A spring of a net.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct NetSpring {
    /// The two particles, counted from 0 in this net.
    pub ends: [u32; 2],
    /// Stiffness, damping and law.
    pub link: Link,
    /// L [m]; the distance at the start if not given.
    #[cfg_attr(feature = "serde", serde(default))]
    pub rest_length: Option<Real>,
    /// What it is for; structural if not given.
    #[cfg_attr(feature = "serde", serde(default))]
    pub family: Option<SpringFamily>,
}

impl NetSpring {
    pub(super) fn build(&self, positions: &[Vec3]) -> Result<Spring, BuildError> {
        if let Some(k) = self.ends.iter().position(|&end| end as usize >= positions.len()) {
            return refuse(&format!("ends[{k}]"), self.ends[k], format!("at most {}", positions.len() - 1));
        }
        let [a, b] = self.ends.map(|end| positions[end as usize]);
        if self.ends[0] == self.ends[1] {
            return refuse("ends", format!("{:?}", self.ends), "two different particles");
        }
        let family = self.family.unwrap_or(SpringFamily::Structural);
        crate::discretize::springs::check_link(family, &self.link).map_err(|error| error.under("link"))?;
        let rest_length = self.rest_length.unwrap_or_else(|| a.distance(b));
        not_negative("rest_length", rest_length, "0 m or more")?;
        if self.link.rigid {
            positive("rest_length", rest_length, "greater than 0 m for a rod")?;
        }
        match self.link.spring(family, self.ends, rest_length, true) {
            Some(spring) => Ok(spring),
            None => refuse("link", "without stiffness and damping", "a spring that does something"),
        }
    }
}
