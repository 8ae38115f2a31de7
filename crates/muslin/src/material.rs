//! Fabrics in SI units: what cloth is made of, and the one place where that becomes springs and masses.

use crate::elements::{Spring, SpringFamily, SpringLaw};
use crate::math::Real;

/// A woven fabric, as a net of springs.
///
/// Stiffnesses are those of single springs. On a square grid a structural spring of k [N/m] stands for a membrane of about k
/// [N/m] (modulus times thickness), whatever the size of the cells.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(from = "FabricText"))]
pub struct Fabric {
    /// Mass of the material by volume [kg/m³].
    pub density: Real,
    /// Thickness [m].
    pub thickness: Real,
    /// Along the threads.
    pub structural: Link,
    /// Across the cells.
    pub shear: Link,
    /// Between particles two apart.
    pub flexion: Link,
    /// Whether diagonal neighbours two apart have flexion springs, too.
    pub flexion_diagonals: bool,
    /// Whether springs damp even while they carry no force.
    pub damping_when_slack: bool,
}

/// What the springs of one family have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Link {
    /// k [N/m]; 0 for no springs.
    pub stiffness: Real,
    /// c [N·s/m].
    pub damping: Real,
    /// When they act.
    pub law: SpringLaw,
    /// Rods in place of springs: held rigid by methods that can, stiff springs to the others.
    pub rigid: bool,
}

/// The fabrics that have names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum FabricName {
    /// A light plain weave, 150 g/m².
    #[default]
    Cotton,
    /// A fine fluid weave, 60 g/m².
    Silk,
    /// A heavy stiff twill, 400 g/m².
    Denim,
    /// The cloth of Carvalho's comparative study [2012, Table 5.1], 205 g/m².
    Study,
}

impl FabricName {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Cotton, Self::Silk, Self::Denim, Self::Study];

    /// The name, as in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cotton => "cotton",
            Self::Silk => "silk",
            Self::Denim => "denim",
            Self::Study => "study",
        }
    }

    /// The fabric. The woven ones have weights of real cloth; their stiffnesses are typical, not measured.
    pub fn fabric(self) -> Fabric {
        let link = |stiffness, damping| Link { stiffness, damping, ..Link::default() };
        match self {
            Self::Cotton => {
                Fabric::woven([500.0, 3.0e-4], link(800.0, 0.05), link(60.0, 0.02), link(0.02, 2e-4))
            }
            Self::Silk => {
                Fabric::woven([600.0, 1.0e-4], link(500.0, 0.02), link(20.0, 0.01), link(0.003, 5e-5))
            }
            Self::Denim => {
                Fabric::woven([500.0, 8.0e-4], link(3000.0, 0.2), link(400.0, 0.1), link(0.5, 2e-3))
            }
            Self::Study => {
                let law = |stiffness, damping, law| Link { stiffness, damping, law, rigid: false };
                Fabric {
                    density: 2050.0,
                    thickness: 1e-4,
                    structural: law(2000.0, 2.0, SpringLaw::TensionOnly),
                    shear: law(100.0, 1.0, SpringLaw::TensionOnly),
                    flexion: law(1e-3, 1e-3, SpringLaw::CompressionOnly),
                    flexion_diagonals: true,
                    damping_when_slack: true,
                }
            }
        }
    }
}

impl Default for Fabric {
    fn default() -> Self {
        FabricName::default().fabric()
    }
}

impl Fabric {
    fn woven([density, thickness]: [Real; 2], structural: Link, shear: Link, flexion: Link) -> Self {
        Self {
            density,
            thickness,
            structural,
            shear,
            flexion,
            flexion_diagonals: false,
            damping_when_slack: true,
        }
    }

    /// Mass by area [kg/m²].
    pub fn area_density(&self) -> Real {
        self.density * self.thickness
    }

    /// What the springs of a family are like.
    pub fn link(&self, family: SpringFamily) -> Link {
        match family {
            SpringFamily::Structural => self.structural,
            SpringFamily::Shear => self.shear,
            SpringFamily::Flexion => self.flexion,
        }
    }

    /// A spring of this fabric; none if its family has neither stiffness nor damping.
    pub fn spring(&self, family: SpringFamily, ends: [u32; 2], rest_length: Real) -> Option<Spring> {
        self.link(family).spring(family, ends, rest_length, self.damping_when_slack)
    }
}

impl Link {
    /// A spring of this kind; none if it has neither stiffness nor damping.
    pub fn spring(
        self,
        family: SpringFamily,
        ends: [u32; 2],
        rest_length: Real,
        damps_when_slack: bool,
    ) -> Option<Spring> {
        (self.stiffness != 0.0 || self.damping != 0.0).then(|| Spring {
            ends,
            rest_length,
            stiffness: self.stiffness,
            damping: self.damping,
            slack: self.law.slack(rest_length),
            damps_when_slack,
            family,
        })
    }
}

/// A fabric as written: a named one, and what differs from it.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct FabricText {
    #[serde(default)]
    base: FabricName,
    density: Option<Real>,
    thickness: Option<Real>,
    structural: Option<Link>,
    shear: Option<Link>,
    flexion: Option<Link>,
    flexion_diagonals: Option<bool>,
    damping_when_slack: Option<bool>,
}

#[cfg(feature = "serde")]
impl From<FabricText> for Fabric {
    fn from(text: FabricText) -> Self {
        let base = text.base.fabric();
        Self {
            density: text.density.unwrap_or(base.density),
            thickness: text.thickness.unwrap_or(base.thickness),
            structural: text.structural.unwrap_or(base.structural),
            shear: text.shear.unwrap_or(base.shear),
            flexion: text.flexion.unwrap_or(base.flexion),
            flexion_diagonals: text.flexion_diagonals.unwrap_or(base.flexion_diagonals),
            damping_when_slack: text.damping_when_slack.unwrap_or(base.damping_when_slack),
        }
    }
}
