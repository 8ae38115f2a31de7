//! What surrounds the bodies: gravity, wind, loads, solids; and what of it cannot be.

use super::body::BodyDescription;
use super::description::Place;
use super::seam::SeamDescription;
use crate::build_error::{BuildError, LARGEST, not_negative, positive, refuse};
use crate::contact::ContactLaw;
use crate::math::{Real, Vec3};
use crate::profile::Profile;
use crate::script::Motion;
use crate::shape::Collider;
use crate::sleep::Sleep;
use crate::strain_limit::StrainLimit;
use crate::torn::Blade;

/// What surrounds the bodies; by default the earth's gravity and nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Surroundings {
    /// g [m/s²]: [`EARTH_GRAVITY`] by default.
    pub gravity: Vec3,
    /// Moving air.
    pub wind: Option<WindDescription>,
    /// Forces on single particles.
    pub loads: Vec<Load>,
    /// Solids.
    pub colliders: Vec<Collider>,
    /// Rigid bodies; they need [`ContactLaw::Surface`] or [`ContactLaw::EnergySharing`].
    pub bodies: Vec<BodyDescription>,
    /// What happens at their surfaces.
    pub contact: ContactLaw,
    /// How far springs may stretch.
    pub strain_limit: Option<StrainLimit>,
    /// Seams between borders of bodies.
    pub seams: Vec<SeamDescription>,
    /// Blades that cut cloth.
    pub blades: Vec<Blade>,
    /// When cloth at rest falls asleep; without it, never.
    pub sleep: Option<Sleep>,
}

/// g at the surface of the earth [m/s²]; z points up.
pub const EARTH_GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

impl Default for Surroundings {
    fn default() -> Self {
        Self {
            gravity: EARTH_GRAVITY,
            wind: None,
            loads: Vec::new(),
            colliders: Vec::new(),
            bodies: Vec::new(),
            contact: ContactLaw::default(),
            strain_limit: None,
            seams: Vec::new(),
            blades: Vec::new(),
            sleep: None,
        }
    }
}

/// Moving air that presses on the surfaces.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct WindDescription {
    /// u at full strength [m/s].
    pub velocity: Vec3,
    /// Strength over time.
    #[cfg_attr(feature = "serde", serde(default))]
    pub profile: Profile,
    /// How strongly the cloth feels it.
    pub coefficient: WindCoefficient,
}

/// C of the wind's force C [n·(u − v)] n.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum WindCoefficient {
    /// The same at every particle, whatever its area [kg/s].
    Particle(Real),
    /// By influence area: does not depend on the resolution [kg/(s·m²)].
    Area(Real),
}

/// A force on some particles.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Load {
    /// Which body, in the order in which they were added: 0 is the first. (Scene files add sheets, surfaces, ropes, nets.)
    #[cfg_attr(feature = "serde", serde(default))]
    pub body: usize,
    /// Which of its particles; each feels the whole force.
    pub at: Place,
    /// Force at full strength [N].
    pub force: Vec3,
    /// Strength over time.
    #[cfg_attr(feature = "serde", serde(default))]
    pub profile: Profile,
}

impl Surroundings {
    pub(super) fn check(&self) -> Result<(), BuildError> {
        finite("gravity", self.gravity)?;
        if let Some(wind) = &self.wind {
            finite("wind.velocity", wind.velocity)?;
            let (name, c) = match wind.coefficient {
                WindCoefficient::Particle(c) => ("wind.coefficient.particle", c),
                WindCoefficient::Area(c) => ("wind.coefficient.area", c),
            };
            not_negative(name, c, "0 or more")?;
            wind.profile.check().map_err(|error| error.under("wind.profile"))?;
        }
        for (k, load) in self.loads.iter().enumerate() {
            finite(&format!("load[{k}].force"), load.force)?;
            load.profile.check().map_err(|error| error.under(&format!("load[{k}].profile")))?;
        }
        for (k, blade) in self.blades.iter().enumerate() {
            check_blade(blade).map_err(|error| error.under(&format!("blade[{k}]")))?;
        }
        for (k, collider) in self.colliders.iter().enumerate() {
            collider.check().map_err(|error| error.under(&format!("collider[{k}]")))?;
        }
        if let Some(k) = self.colliders.iter().position(|collider| collider.edge.is_some())
            && !matches!(self.contact, ContactLaw::Surface(_))
        {
            return refuse(
                &format!("collider[{k}].edge"),
                "given",
                "left out, unless `contact` is `surface`",
            );
        }
        check_solids(&self.contact, !self.colliders.is_empty(), !self.bodies.is_empty())?;
        match self.contact {
            ContactLaw::EnergySharing | ContactLaw::Mirror { .. } => {}
            ContactLaw::Projection { restitution, friction } => {
                unit("contact.projection.restitution", restitution)?;
                not_negative("contact.projection.friction", friction, "0 or more")?;
            }
            ContactLaw::Reflection { restitution, .. } => {
                unit("contact.reflection.restitution", restitution)?;
            }
            ContactLaw::Surface(law) => {
                for (k, collider) in self.colliders.iter().enumerate() {
                    collider.check_tilt().map_err(|error| error.under(&format!("collider[{k}]")))?;
                }
                if let Some(thickness) = law.thickness {
                    positive("contact.surface.thickness", thickness, "greater than 0 m")?;
                }
                if let Some(time) = law.time_budget {
                    positive("contact.surface.time_budget", time, "greater than 0 s")?;
                }
                unit("contact.surface.restitution", law.restitution)?;
                not_negative("contact.surface.friction", law.friction, "0 or more")?;
            }
        }
        if let Some(sleep) = self.sleep {
            positive("sleep.speed", sleep.speed, "greater than 0 m/s")?;
            positive("sleep.distance", sleep.distance, "greater than 0 m")?;
            positive("sleep.after", sleep.after, "greater than 0 s")?;
        }
        match self.strain_limit {
            Some(limit) if limit.sweeps > 10_000 => {
                refuse("strain_limit.sweeps", limit.sweeps, "at most 10000")
            }
            Some(limit) => not_negative("strain_limit.limit", limit.limit, "0 or more"),
            None => Ok(()),
        }
    }
}

fn check_blade(blade: &Blade) -> Result<(), BuildError> {
    for (key, ends) in [("from", blade.from), ("to", blade.to)] {
        ends.iter().try_for_each(|end| finite(key, *end))?;
        if ends[0] == ends[1] {
            return refuse(key, "a single point", "two different ends of the blade's edge");
        }
    }
    if !blade.time.is_finite() {
        return refuse("time", blade.time, "a finite time in s");
    }
    positive("duration", blade.duration, "greater than 0 s")
}

/// Refuses a law of contact that cannot deal with colliders or bodies.
pub(crate) fn check_solids(
    contact: &ContactLaw,
    has_colliders: bool,
    has_bodies: bool,
) -> Result<(), BuildError> {
    let for_bodies = matches!(contact, ContactLaw::Surface(_) | ContactLaw::EnergySharing);
    if has_bodies && !for_bodies {
        return refuse("contact", "for particles only", "`surface`, if there are bodies");
    }
    if has_colliders && matches!(contact, ContactLaw::EnergySharing) {
        return refuse("contact", "for bodies only", "`surface`, if there are solids, too");
    }
    Ok(())
}

impl Profile {
    pub(super) fn check(&self) -> Result<(), BuildError> {
        match self {
            Self::Constant => Ok(()),
            Self::Window { from, until } => number("window.from", *from).and(number("window.until", *until)),
            Self::HalfSine { from, duration } => {
                number("half-sine.from", *from)?;
                positive("half-sine.duration", *duration, "greater than 0 s")
            }
            Self::Sine { frequency, phase } => {
                number("sine.frequency", *frequency).and(number("sine.phase", *phase))
            }
            Self::Gusts { period, depth, .. } => {
                positive("gusts.period", *period, "greater than 0 s")?;
                not_negative("gusts.depth", *depth, "0 or more")
            }
            Self::Polynomial(coefficients) => {
                coefficients.iter().enumerate().try_for_each(|(k, &c)| number(&format!("polynomial[{k}]"), c))
            }
        }
    }
}

impl Motion {
    pub(super) fn check(&self) -> Result<(), BuildError> {
        match *self {
            Self::Still => Ok(()),
            Self::Translate { velocity, from, until } => {
                finite("translate.velocity", velocity)?;
                number("translate.from", from).and(number("translate.until", until))
            }
            Self::Rotate { center, axis, turns_per_second, from, until } => {
                finite("rotate.center", center)?;
                positive("rotate.axis", axis.length(), "a finite vector that is not zero")?;
                number("rotate.turns_per_second", turns_per_second)?;
                number("rotate.from", from).and(number("rotate.until", until))
            }
            Self::Oscillate { amplitude, frequency } => {
                finite("oscillate.amplitude", amplitude)?;
                number("oscillate.frequency", frequency)
            }
            Self::Keyframes { ref times, ref positions, ref rotations, center } => finite("center", center)
                .and_then(|()| check_keyframes(times, positions, rotations))
                .map_err(|error| error.under("keyframes")),
        }
    }
}

fn check_keyframes(times: &[Real], positions: &[Vec3], rotations: &[Vec3]) -> Result<(), BuildError> {
    if times.is_empty() {
        return refuse("times", "empty", "a list of at least one time");
    }
    for (k, &time) in times.iter().enumerate() {
        number(&format!("times[{k}]"), time)?;
    }
    if let Some(k) = (1..times.len()).find(|&k| times[k] <= times[k - 1]) {
        return refuse(
            &format!("times[{k}]"),
            times[k],
            format!("after the time before it, {}", times[k - 1]),
        );
    }
    for (name, list) in [("positions", positions), ("rotations", rotations)] {
        let count = list.len();
        if count != 0 && count != times.len() {
            return refuse(name, format!("a list of {count}"), format!("of {}, one a time", times.len()));
        }
        for (k, &vector) in list.iter().enumerate() {
            finite(&format!("{name}[{k}]"), vector)?;
        }
    }
    if positions.is_empty() && rotations.is_empty() {
        return refuse("positions", "empty", "a list of one a time, if there are no `rotations`");
    }
    Ok(())
}

/// Refuses vectors with numbers that are not finite, or whose products would not be.
pub(super) fn finite(path: &str, vector: Vec3) -> Result<(), BuildError> {
    let allowed = "three finite numbers up to 1e60";
    if !vector.is_finite() {
        return refuse(path, vector, allowed);
    }
    if vector.abs().max_element() > LARGEST {
        let [x, y, z] = vector.to_array();
        return refuse(path, format!("[{x:e}, {y:e}, {z:e}]"), allowed);
    }
    Ok(())
}

pub(super) fn number(path: &str, value: Real) -> Result<(), BuildError> {
    if value.is_finite() { Ok(()) } else { refuse(path, value, "a finite number") }
}

fn unit(path: &str, value: Real) -> Result<(), BuildError> {
    if (0.0..=1.0).contains(&value) { Ok(()) } else { refuse(path, value, "from 0 to 1") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;

    #[test]
    fn the_rule_for_bodies_knows_no_solids() {
        let ball = Shape::Sphere { center: Vec3::ZERO, radius: 1.0 };
        let bodies = vec![BodyDescription::new(ball.clone(), 1.0)];
        let alone = Surroundings { contact: ContactLaw::EnergySharing, bodies, ..Surroundings::default() };
        assert!(alone.check().is_ok());
        let message = Surroundings { colliders: vec![ball.into()], ..alone }.check().unwrap_err().to_string();
        assert!(message.contains("`contact` is for bodies only"), "{message}");
    }
}
