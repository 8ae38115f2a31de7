//! The descriptions: what a scene file says, as data.

use super::error::{BuildError, not_negative, positive, refuse};
use crate::elements::{PressureLaw, Spring, SpringFamily};
use crate::material::{Fabric, Link};
use crate::math::{Real, Vec3};
use crate::mesh::{Grid, Mesh};
use crate::script::Motion;

/// A rectangular sheet of cloth.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Sheet {
    /// Lengths of the first side (index i) and of the second (index j) [m].
    pub size: [Real; 2],
    /// How finely it is divided.
    pub resolution: Resolution,
    /// Position of particle (0, 0) [m].
    pub origin: Vec3,
    /// Directions of the two sides; any length but zero.
    pub axes: [Vec3; 2],
    /// What it is made of.
    pub fabric: Fabric,
    /// What it weighs.
    pub mass: Mass,
    /// How the air slows it.
    pub drag: Drag,
    /// Where it is held.
    pub pins: Vec<Pin>,
    /// Long threads from the pins to every particle, if wanted.
    pub tether: Option<Tether>,
    /// Where it is tied.
    pub attach: Vec<Attach>,
}

impl Default for Sheet {
    fn default() -> Self {
        Self {
            size: [1.0, 1.0],
            resolution: Resolution::default(),
            origin: Vec3::ZERO,
            axes: [Vec3::X, Vec3::Y],
            fabric: Fabric::default(),
            mass: Mass::default(),
            drag: Drag::default(),
            pins: Vec::new(),
            tether: None,
            attach: Vec::new(),
        }
    }
}

/// How finely a sheet is divided.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Resolution {
    /// Particles along the two sides.
    Particles([usize; 2]),
    /// Cells along the two sides: one less than particles.
    Cells([usize; 2]),
    /// Length of a cell, rounded so that whole cells fit [m].
    CellSize(Real),
}

impl Default for Resolution {
    fn default() -> Self {
        Self::Cells([20, 20])
    }
}

impl Sheet {
    /// The grid of particles.
    pub(super) fn grid(&self) -> Result<Grid, BuildError> {
        for k in 0..2 {
            positive(&format!("size[{k}]"), self.size[k], "greater than 0 m")?;
        }
        let (path, counts) = match self.resolution {
            Resolution::Particles(counts) => ("resolution.particles", counts),
            Resolution::Cells(cells) => ("resolution.cells", cells.map(|n| n.saturating_add(1))),
            Resolution::CellSize(length) => {
                positive("resolution.cell-size", length, "greater than 0 m")?;
                ("resolution.cell-size", self.size.map(|side| (side / length).round().max(1.0) as usize + 1))
            }
        };
        let [rows, columns] = counts;
        if rows < 2 || columns < 2 {
            return refuse(path, format!("{:?}", self.resolution), "at least 2 particles, or 1 cell, a side");
        }
        Ok(Grid { rows, columns })
    }

    /// Unit vectors along the two sides.
    pub(super) fn directions(&self) -> Result<[Vec3; 2], BuildError> {
        if !self.origin.is_finite() {
            return refuse("origin", self.origin, "finite");
        }
        let [Some(u), Some(v)] = self.axes.map(Vec3::try_normalize) else {
            return refuse("axes", format!("{:?}", self.axes), "two finite vectors that are not zero");
        };
        if u.cross(v).length() < 1e-6 {
            return refuse("axes", format!("{:?}", self.axes), "two vectors in different directions");
        }
        Ok([u, v])
    }
}

/// A surface of any shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Its vertices and faces; every edge becomes a structural spring, or every face one or two membranes.
    pub mesh: Mesh,
    /// What it is made of.
    pub fabric: Fabric,
    /// What it weighs.
    pub mass: Mass,
    /// How the air slows it.
    pub drag: Drag,
    /// Where it is held.
    pub pins: Vec<Pin>,
    /// Long threads from the pins to every particle, if wanted.
    pub tether: Option<Tether>,
    /// Where it is tied.
    pub attach: Vec<Attach>,
    /// What presses from inside, if anything; the surface must be closed then.
    pub pressure: Option<PressureLaw>,
}

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
        }
    }
}

/// Long threads that keep every particle as near to the pins as the cloth between them allows; see
/// [`SpringFamily::Tether`].
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
        super::surface::check_link(family, &self.link).map_err(|error| error.under("link"))?;
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
