//! Descriptions of cloth: sheets, surfaces of any shape, balls and pillows.

use super::description::Cloth;
use super::solid::check_center;
use crate::build_error::{BuildError, positive, refuse};
use crate::cloth_description;
use crate::elements::PressureLaw;
use crate::math::{Real, Rotation, Vec3};
use crate::mesh::{Grid, Mesh};

cloth_description! {
    /// A rectangular sheet of cloth.
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
    pub struct Sheet {
        /// Lengths of the first side (index i) and of the second (index j) [m].
        pub size: [Real; 2] = [1.0, 1.0],
        /// How finely it is divided.
        pub resolution: Resolution = Resolution::default(),
        /// Position of particle (0, 0) [m].
        pub origin: Vec3 = Vec3::ZERO,
        /// Directions of the two sides; any length but zero.
        pub axes: [Vec3; 2] = [Vec3::X, Vec3::Y],
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

cloth_description! {
    /// A surface of any shape.
    pub struct Surface {
        /// Its vertices and faces; every edge becomes a structural spring, or every face one or two membranes.
        pub mesh: Mesh = Mesh::default(),
        /// What presses from inside, if anything; the surface must be closed then.
        pub pressure: Option<PressureLaw> = None,
    }
}

impl Surface {
    /// A surface of this shape, of the cloth of another description.
    pub fn new(mesh: Mesh, cloth: Cloth) -> Self {
        Self {
            mesh,
            pressure: None,
            fabric: cloth.fabric.clone(),
            mass: cloth.mass,
            drag: cloth.drag,
            pins: cloth.pins.to_vec(),
            tether: cloth.tether,
            attach: cloth.attach.to_vec(),
            cuts: cloth.cuts.to_vec(),
            velocity: cloth.velocity,
            angular_velocity: cloth.angular_velocity,
        }
    }
}

cloth_description! {
    /// A sphere of cloth.
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
    pub struct Ball {
        /// Its middle [m].
        pub center: Vec3 = Vec3::ZERO,
        /// Its radius [m].
        pub radius: Real = 0.5,
        /// How often the triangles of an icosahedron are divided into four: 10 · 4ⁿ + 2 particles.
        pub subdivisions: u32 = 3,
        /// What presses from inside, if anything.
        pub pressure: Option<PressureLaw> = None,
    }
}

impl Ball {
    /// The mesh of its particles.
    pub(super) fn mesh(&self) -> Result<Mesh, BuildError> {
        positive("radius", self.radius, "greater than 0 m")?;
        if self.subdivisions > 8 {
            return refuse("subdivisions", self.subdivisions, "at most 8, or 655362 particles");
        }
        check_center(self.center, self.radius)?;
        let mut mesh = Mesh::ball(self.radius, self.subdivisions);
        for x in &mut mesh.positions {
            *x += self.center;
        }
        Ok(mesh)
    }
}

cloth_description! {
    /// Two discs of cloth sewn together along their rims.
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
    pub struct Pillow {
        /// Its middle [m].
        pub center: Vec3 = Vec3::ZERO,
        /// Direction across it; any length but zero.
        pub normal: Vec3 = Vec3::Z,
        /// Radius of the discs [m].
        pub radius: Real = 0.5,
        /// Rings of triangles a disc: 6 · rings² + 2 particles.
        pub rings: u32 = 12,
        /// Height of the middle of each disc at the start, as a part of the radius. What it is at the start it is at rest.
        pub bulge: Real = 0.02,
        /// What presses from inside, if anything.
        pub pressure: Option<PressureLaw> = None,
    }
}

impl Pillow {
    /// The mesh of its particles.
    pub(super) fn mesh(&self) -> Result<Mesh, BuildError> {
        positive("radius", self.radius, "greater than 0 m")?;
        if !(1..=500).contains(&self.rings) {
            return refuse("rings", self.rings, "from 1 to 500");
        }
        if !(self.bulge > 0.0 && self.bulge <= 1.0) {
            return refuse("bulge", self.bulge, "more than 0 and at most 1");
        }
        check_center(self.center, self.radius)?;
        let Some(normal) = self.normal.try_normalize() else {
            return refuse("normal", self.normal, "a finite vector that is not zero");
        };
        let turn = Rotation::from_rotation_arc(Vec3::Z, normal);
        let mut mesh = Mesh::pillow(self.radius, self.rings, self.bulge * self.radius);
        for x in &mut mesh.positions {
            *x = self.center + turn * *x;
        }
        Ok(mesh)
    }
}
