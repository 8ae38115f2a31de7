//! What descriptions of bodies share: the fields of cloth, masses, drag, pins, places, tethers.

use super::cut::Cut;
use crate::build_error::{BuildError, not_negative, positive, refuse};
use crate::material::Fabric;
use crate::math::{Real, Vec3};
use crate::mesh::Grid;
use crate::script::Motion;

/// Declares the description of a piece of cloth: a struct of its own fields, with their defaults, and of those that all cloth has,
/// and a view of the latter. Whether it can be read and written is said by the caller.
#[doc(hidden)]
#[macro_export]
macro_rules! cloth_description {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident {
            $($(#[$about:meta])* pub $field:ident: $type:ty = $default:expr,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$about])* pub $field: $type,)*
            /// What it is made of.
            pub fabric: $crate::material::Fabric,
            /// What it weighs.
            pub mass: $crate::builder::Mass,
            /// How the air slows it.
            pub drag: $crate::builder::Drag,
            /// Where it is held.
            pub pins: Vec<$crate::builder::Pin>,
            /// Long threads from the pins to every particle, if wanted.
            pub tether: Option<$crate::builder::Tether>,
            /// Where it is tied.
            pub attach: Vec<$crate::builder::Attach>,
            /// Where and when it is cut.
            pub cuts: Vec<$crate::builder::Cut>,
            /// Velocity of its centre of mass at the start [m/s]. Pinned particles do not take part.
            pub velocity: $crate::math::Vec3,
            /// ω at the start, about its centre of mass [rad/s].
            pub angular_velocity: $crate::math::Vec3,
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    $($field: $default,)*
                    fabric: Default::default(),
                    mass: Default::default(),
                    drag: Default::default(),
                    pins: Vec::new(),
                    tether: None,
                    attach: Vec::new(),
                    cuts: Vec::new(),
                    velocity: $crate::math::Vec3::ZERO,
                    angular_velocity: $crate::math::Vec3::ZERO,
                }
            }
        }

        impl $name {
            /// What it has in common with other cloth.
            pub fn cloth(&self) -> $crate::builder::Cloth<'_> {
                $crate::builder::Cloth {
                    fabric: &self.fabric,
                    mass: self.mass,
                    drag: self.drag,
                    pins: &self.pins,
                    tether: self.tether,
                    attach: &self.attach,
                    cuts: &self.cuts,
                    velocity: self.velocity,
                    angular_velocity: self.angular_velocity,
                }
            }
        }
    };
}

/// What all descriptions of cloth have in common, borrowed from one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cloth<'a> {
    /// What it is made of.
    pub fabric: &'a Fabric,
    /// What it weighs.
    pub mass: Mass,
    /// How the air slows it.
    pub drag: Drag,
    /// Where it is held.
    pub pins: &'a [Pin],
    /// Long threads from the pins to every particle, if wanted.
    pub tether: Option<Tether>,
    /// Where it is tied.
    pub attach: &'a [Attach],
    /// Where and when it is cut.
    pub cuts: &'a [Cut],
    /// Velocity of its centre of mass at the start [m/s].
    pub velocity: Vec3,
    /// ω at the start, about its centre of mass [rad/s].
    pub angular_velocity: Vec3,
}

/// What a body weighs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Mass {
    /// By its material: influence area × thickness × density, or length × mass by length.
    #[default]
    Material,
    /// This much in all, spread like the material [kg].
    Total(Real),
    /// This much a particle [kg].
    Each(Real),
}

impl Mass {
    /// Masses of particles that stand for these parts (areas or lengths) of a material of this density.
    pub(super) fn spread(self, parts: &[Real], density: Real) -> Result<Vec<Real>, BuildError> {
        let sum: Real = parts.iter().sum();
        let masses: Vec<Real> = match self {
            Self::Material if density > 0.0 && density.is_finite() => {
                parts.iter().map(|part| part * density).collect()
            }
            Self::Material => return refuse("mass", "by material without a density", "`each` or `total`"),
            Self::Total(mass) => {
                positive("mass.total", mass, "greater than 0 kg")?;
                parts.iter().map(|part| mass * part / sum).collect()
            }
            Self::Each(mass) => {
                positive("mass.each", mass, "greater than 0 kg")?;
                vec![mass; parts.len()]
            }
        };
        if let Some(mass) = masses.iter().find(|mass| !(1.0 / **mass).is_finite() && **mass > 0.0) {
            return refuse("mass", mass, "large enough to divide by");
        }
        // A vertex without faces has no area; it falls like dust, a thousandth of the mean.
        let dust = 1e-3 * masses.iter().sum::<Real>() / masses.len() as Real;
        Ok(masses.into_iter().map(|mass| if mass > 0.0 { mass } else { dust }).collect())
    }
}

/// How the air slows a body: C of the force −C v at each particle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
pub enum Drag {
    /// Not at all.
    #[default]
    None,
    /// C of each particle [kg/s].
    Each(Real),
    /// By influence area [kg/(s·m²)].
    Area(Real),
    /// By the place in a sheet [kg/s].
    Places {
        /// C at the four corners.
        corner: Real,
        /// C along the sides.
        edge: Real,
        /// C inside.
        interior: Real,
    },
}

impl Drag {
    pub(super) fn spread(self, parts: &[Real], grid: Option<Grid>) -> Result<Vec<Real>, BuildError> {
        match self {
            Self::None => Ok(vec![0.0; parts.len()]),
            Self::Each(c) => not_negative("drag.each", c, "0 kg/s or more").map(|()| vec![c; parts.len()]),
            Self::Area(c) => {
                not_negative("drag.area", c, "0 kg/(s·m²) or more")?;
                Ok(parts.iter().map(|part| c * part).collect())
            }
            Self::Places { corner, edge, interior } => {
                for (name, c) in [("corner", corner), ("edge", edge), ("interior", interior)] {
                    not_negative(&format!("drag.places.{name}"), c, "0 kg/s or more")?;
                }
                let Some(grid) = grid else {
                    return refuse(
                        "drag",
                        "by `places`",
                        "`each` or `area`: only sheets have corners and edges",
                    );
                };
                let corners = grid.corners();
                let place = |(i, j)| match (corners.contains(&grid.index(i, j)), grid.on_border(i, j)) {
                    (true, _) => corner,
                    (false, true) => edge,
                    (false, false) => interior,
                };
                Ok(grid.vertices().map(place).collect())
            }
        }
    }
}

/// Particles that are held, still or moving by a script.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Pin {
    /// Which particles.
    pub at: Place,
    /// How they move.
    #[cfg_attr(feature = "serde", serde(default))]
    pub motion: Motion,
}

impl Pin {
    /// Particles held still.
    pub fn at(place: Place) -> Self {
        Self { at: place, motion: Motion::Still }
    }
}

/// Particles tied to where they start by springs without length.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Attach {
    /// Which particles.
    pub at: Place,
    /// k of each spring [N/m].
    pub stiffness: Real,
    /// c of each spring [N·s/m].
    #[cfg_attr(feature = "serde", serde(default))]
    pub damping: Real,
    /// How the other ends move.
    #[cfg_attr(feature = "serde", serde(default))]
    pub motion: Motion,
}

/// Some particles of a body.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
pub enum Place {
    /// The four corners of a sheet, the two ends of a rope.
    Corners,
    /// A whole side of a sheet.
    Side(Side),
    /// The whole border of a surface.
    Border,
    /// Places (i, j) of a sheet.
    Grid(Vec<[usize; 2]>),
    /// Numbers of particles, counted from 0 in this body.
    Particles(Vec<u32>),
    /// All particles inside a box at the start.
    Region {
        /// Lowest corner [m].
        min: Vec3,
        /// Highest corner [m].
        max: Vec3,
    },
}

/// A side of a sheet, by the index that is constant along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Side {
    /// i = 0.
    IMin,
    /// i at its largest.
    IMax,
    /// j = 0.
    JMin,
    /// j at its largest.
    JMax,
}

/// Long threads that keep every particle as near to the pins as the cloth between them allows; see
/// [`SpringFamily::Tether`](crate::elements::SpringFamily::Tether).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Tether {
    /// k of each thread [N/m].
    pub stiffness: Real,
    /// How much longer than the cloth they are, as a part of its length.
    #[cfg_attr(feature = "serde", serde(default))]
    pub allowance: Real,
    /// What counts as the length of the cloth.
    #[cfg_attr(feature = "serde", serde(default))]
    pub along: TetherWay,
}

/// How far a particle is from its pin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum TetherWay {
    /// As far as along structural springs: cloth whose threads do not stretch never gets there, even sheared flat.
    #[default]
    Threads,
    /// As far as at the start, straight: tighter, and right for flat cloth that hardly shears; resists shear, too.
    Straight,
}
