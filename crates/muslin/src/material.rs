//! Materials in SI units: what cloth and solids are made of, and the one place where that becomes stiffnesses and masses.

use crate::elements::{Moduli, Spring, SpringFamily, SpringLaw};
use crate::math::{Real, Vec3};

/// A woven fabric, as a net of springs; or, with `membrane`, as a surface of triangles.
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
    /// Triangles in place of all springs.
    pub membrane: Option<MembraneMaterial>,
    /// Hinges in place of flexion springs.
    pub bending: Option<Bending>,
    /// λ: it tears where threads, or sides of triangles, are longer than so many times their length at rest; more than 1.
    pub break_at: Option<Real>,
    /// It tears where the largest principal stress is greater than this: a force by width [N/m].
    pub strength: Option<Real>,
    /// G_c: cracks that there are go on where the cloth then releases more elastic energy by length than this [J/m]; the other two
    /// limits then begin cracks only.
    pub toughness: Option<Real>,
    /// Whether a tear divides faces where no edge lies across the load.
    pub tear_through_faces: bool,
    /// Fewest faces of a piece that may come off in a tear.
    pub least_piece: u32,
    /// Faces that a solid bears on with a point or an edge are divided, down to sides of this length at rest [m]; none are if it is not
    /// given.
    pub least_length: Option<Real>,
}

/// Fewest faces of a piece that comes off in a tear, unless a fabric says so.
const LEAST_PIECE: u32 = 4;

/// How a surface of triangles resists stretching.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct MembraneMaterial {
    /// Young's modulus times thickness along the warp [N/m].
    pub warp: Real,
    /// The same along the weft [N/m]; as along the warp if not given.
    pub weft: Option<Real>,
    /// Shear modulus times thickness [N/m]; that of an isotropic material, or between those of two, if not given.
    pub shear: Option<Real>,
    /// ν: a stretch ε along the warp narrows the weft by ν ε.
    pub poisson: Real,
    /// τ: time by which stresses of deformation lag behind strains [s].
    pub damping: Real,
    /// How it behaves at large strains.
    pub law: MembraneLaw,
    /// Direction of the warp, as seen in each triangle; along the first side of a sheet, or along x, if not given.
    pub direction: Option<Vec3>,
}

/// How a membrane behaves at large strains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum MembraneLaw {
    /// Linear in Green's strain.
    #[default]
    StVenantKirchhoff,
    /// The same, without resistance to compression: wrinkles too fine for the mesh. Isotropic only.
    Wrinkling,
    /// The distance to a rotation. Isotropic and without Poisson's effect only.
    Corotated,
}

/// How a surface resists bending.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Bending {
    /// B: moment by width and curvature [N·m].
    pub rigidity: Real,
    /// τ [s].
    pub damping: Real,
    /// By angle or by a constant matrix.
    pub law: BendingLaw,
}

/// How bending is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum BendingLaw {
    /// By the angle between neighbouring triangles, whatever it is at rest.
    #[default]
    Angle,
    /// By a constant matrix, for what is flat at rest.
    Quadratic,
}

/// A soft solid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct SolidMaterial {
    /// Mass by volume [kg/m³].
    pub density: Real,
    /// Young's modulus E [Pa].
    pub young: Real,
    /// Poisson's ratio ν, from 0 to less than ½.
    pub poisson: Real,
    /// τ: time by which stresses of deformation lag behind strains [s].
    pub damping: Real,
}

impl Default for SolidMaterial {
    /// A firm jelly.
    fn default() -> Self {
        Self { density: 1000.0, young: 2e4, poisson: 0.4, damping: 0.005 }
    }
}

impl MembraneMaterial {
    /// Young's moduli along warp and weft, and the shear modulus [N/m].
    pub fn moduli(&self) -> [Real; 3] {
        let weft = self.weft.unwrap_or(self.warp);
        // Huber's estimate: exact for an isotropic material.
        let mixed = (self.warp * weft).sqrt() / (2.0 * (1.0 + self.poisson * (weft / self.warp).sqrt()));
        [self.warp, weft, self.shear.unwrap_or(mixed)]
    }

    /// The elastic law; none if no material is like that.
    pub fn law(&self) -> Option<Moduli<2>> {
        let [warp, weft, shear] = self.moduli();
        Moduli::<2>::orthotropic([warp, weft], self.poisson, shear)
    }

    /// Whether it is alike in all directions, but for rounding.
    pub fn is_isotropic(&self) -> bool {
        let [warp, weft, shear] = self.moduli();
        let expected = 0.5 * warp / (1.0 + self.poisson);
        (warp - weft).abs() <= 1e-9 * warp && (shear - expected).abs() <= 1e-9 * expected
    }
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
                    membrane: None,
                    bending: None,
                    break_at: None,
                    strength: None,
                    toughness: None,
                    tear_through_faces: false,
                    least_piece: LEAST_PIECE,
                    least_length: None,
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
            membrane: None,
            bending: None,
            break_at: None,
            strength: None,
            toughness: None,
            tear_through_faces: false,
            least_piece: LEAST_PIECE,
            least_length: None,
        }
    }

    /// Whether it can tear.
    pub fn tears(&self) -> bool {
        [self.break_at, self.strength, self.toughness].iter().any(Option::is_some)
    }

    /// Mass by area [kg/m²].
    pub fn area_density(&self) -> Real {
        self.density * self.thickness
    }

    /// What the springs of a family are like; tethers and seams are not of the fabric.
    pub fn link(&self, family: SpringFamily) -> Link {
        match family {
            SpringFamily::Structural => self.structural,
            SpringFamily::Shear => self.shear,
            SpringFamily::Flexion => self.flexion,
            SpringFamily::Tether | SpringFamily::Seam => Link::default(),
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
    density: Option<Real>,
    thickness: Option<Real>,
    structural: Option<Link>,
    shear: Option<Link>,
    flexion: Option<Link>,
    flexion_diagonals: Option<bool>,
    damping_when_slack: Option<bool>,
    membrane: Option<MembraneMaterial>,
    bending: Option<Bending>,
    break_at: Option<Real>,
    strength: Option<Real>,
    toughness: Option<Real>,
    tear_through_faces: Option<bool>,
    least_piece: Option<u32>,
    least_length: Option<Real>,
    /// Last, so that a fabric written without field names is read, too.
    #[serde(default)]
    base: FabricName,
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
            membrane: text.membrane,
            bending: text.bending,
            break_at: text.break_at,
            strength: text.strength,
            toughness: text.toughness,
            tear_through_faces: text.tear_through_faces.unwrap_or(base.tear_through_faces),
            least_piece: text.least_piece.unwrap_or(base.least_piece),
            least_length: text.least_length,
        }
    }
}
