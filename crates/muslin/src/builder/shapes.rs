//! Descriptions of balls, pillows and solids: shapes that need no file.

use super::description::{Attach, Drag, Mass, Pin, Surface};
use super::error::{BuildError, positive, refuse};
use crate::elements::PressureLaw;
use crate::material::{Fabric, SolidMaterial};
use crate::math::{Real, Rotation, Vec3};
use crate::mesh::{Mesh, box_tets};

/// A sphere of cloth.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Ball {
    /// Its middle [m].
    pub center: Vec3,
    /// Its radius [m].
    pub radius: Real,
    /// How often the triangles of an icosahedron are divided into four: 10 · 4ⁿ + 2 particles.
    pub subdivisions: u32,
    /// What it is made of.
    pub fabric: Fabric,
    /// What it weighs.
    pub mass: Mass,
    /// How the air slows it.
    pub drag: Drag,
    /// Where it is held.
    pub pins: Vec<Pin>,
    /// Where it is tied.
    pub attach: Vec<Attach>,
    /// What presses from inside, if anything.
    pub pressure: Option<PressureLaw>,
}

impl Default for Ball {
    fn default() -> Self {
        Self {
            center: Vec3::ZERO,
            radius: 0.5,
            subdivisions: 3,
            fabric: Fabric::default(),
            mass: Mass::default(),
            drag: Drag::default(),
            pins: Vec::new(),
            attach: Vec::new(),
            pressure: None,
        }
    }
}

impl Ball {
    pub(super) fn surface(&self) -> Result<Surface, BuildError> {
        positive("radius", self.radius, "greater than 0 m")?;
        if self.subdivisions > 8 {
            return refuse("subdivisions", self.subdivisions, "at most 8, or 655362 particles");
        }
        check_center(self.center, self.radius)?;
        let mut mesh = Mesh::ball(self.radius, self.subdivisions);
        for x in &mut mesh.positions {
            *x += self.center;
        }
        Ok(Surface {
            tether: None,
            mesh,
            fabric: self.fabric.clone(),
            mass: self.mass,
            drag: self.drag,
            pins: self.pins.clone(),
            attach: self.attach.clone(),
            pressure: self.pressure,
        })
    }
}

/// Two discs of cloth sewn together along their rims.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Pillow {
    /// Its middle [m].
    pub center: Vec3,
    /// Direction across it; any length but zero.
    pub normal: Vec3,
    /// Radius of the discs [m].
    pub radius: Real,
    /// Rings of triangles a disc: 6 · rings² + 2 particles.
    pub rings: u32,
    /// Height of the middle of each disc at the start, as a part of the radius. What it is at the start it is at rest.
    pub bulge: Real,
    /// What it is made of.
    pub fabric: Fabric,
    /// What it weighs.
    pub mass: Mass,
    /// How the air slows it.
    pub drag: Drag,
    /// Where it is held.
    pub pins: Vec<Pin>,
    /// Where it is tied.
    pub attach: Vec<Attach>,
    /// What presses from inside, if anything.
    pub pressure: Option<PressureLaw>,
}

impl Default for Pillow {
    fn default() -> Self {
        Self {
            center: Vec3::ZERO,
            normal: Vec3::Z,
            radius: 0.5,
            rings: 12,
            bulge: 0.02,
            fabric: Fabric::default(),
            mass: Mass::default(),
            drag: Drag::default(),
            pins: Vec::new(),
            attach: Vec::new(),
            pressure: None,
        }
    }
}

impl Pillow {
    pub(super) fn surface(&self) -> Result<Surface, BuildError> {
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
        Ok(Surface {
            tether: None,
            mesh,
            fabric: self.fabric.clone(),
            mass: self.mass,
            drag: self.drag,
            pins: self.pins.clone(),
            attach: self.attach.clone(),
            pressure: self.pressure,
        })
    }
}

fn check_center(center: Vec3, radius: Real) -> Result<(), BuildError> {
    if center.is_finite() && center.abs().max_element() * 1e-9 <= radius * 1e-2 {
        Ok(())
    } else {
        refuse("center", center, "finite, and nearer to the origin than 10⁷ radii")
    }
}

/// A soft solid of tetrahedra.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Solid {
    /// Positions at rest and at the start [m].
    pub particles: Vec<Vec3>,
    /// Numbers of the four corners of each tetrahedron, counted from 0 in this body; seen from the fourth, the first three run
    /// counter-clockwise.
    pub tets: Vec<[u32; 4]>,
    /// What it is made of.
    pub material: SolidMaterial,
    /// What it weighs.
    pub mass: Mass,
    /// How the air slows it.
    pub drag: Drag,
    /// Where it is held.
    pub pins: Vec<Pin>,
    /// Where it is tied.
    pub attach: Vec<Attach>,
}

/// A box of a soft solid.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Block {
    /// Its middle [m].
    pub center: Vec3,
    /// Lengths of its sides [m].
    pub size: [Real; 3],
    /// Cells along its sides, of five tetrahedra each.
    pub cells: [usize; 3],
    /// Axis to turn it about, through its middle.
    pub turn_axis: Vec3,
    /// Angle to turn it by [degrees].
    pub turn_degrees: Real,
    /// What it is made of.
    pub material: SolidMaterial,
    /// What it weighs.
    pub mass: Mass,
    /// How the air slows it.
    pub drag: Drag,
    /// Where it is held.
    pub pins: Vec<Pin>,
    /// Where it is tied.
    pub attach: Vec<Attach>,
}

impl Default for Block {
    fn default() -> Self {
        Self {
            center: Vec3::ZERO,
            size: [1.0; 3],
            cells: [6; 3],
            turn_axis: Vec3::Z,
            turn_degrees: 0.0,
            material: SolidMaterial::default(),
            mass: Mass::default(),
            drag: Drag::default(),
            pins: Vec::new(),
            attach: Vec::new(),
        }
    }
}

impl Block {
    /// Number of particles, as far as it can be counted.
    pub(super) fn particles(&self) -> usize {
        self.cells.iter().fold(1, |product: usize, count| product.saturating_mul(count.saturating_add(1)))
    }

    pub(super) fn solid(&self) -> Result<Solid, BuildError> {
        for (k, &side) in self.size.iter().enumerate() {
            positive(&format!("size[{k}]"), side, "greater than 0 m")?;
        }
        if let Some(k) = self.cells.iter().position(|&count| count == 0) {
            return refuse(&format!("cells[{k}]"), 0, "at least 1");
        }
        check_center(self.center, self.size.into_iter().fold(Real::INFINITY, Real::min))?;
        let axis = self.turn_axis.try_normalize().filter(|_| self.turn_degrees.is_finite());
        let Some(axis) = axis else {
            return refuse("turn_axis", self.turn_axis, "a finite direction, with a finite angle");
        };
        let turn = Rotation::from_axis_angle(axis, self.turn_degrees.to_radians());
        let [rows, columns, layers] = self.cells.map(|count| count + 1);
        let place = |axis: usize, k: usize| self.size[axis] * (k as Real / self.cells[axis] as Real - 0.5);
        let mut particles = Vec::with_capacity(rows * columns * layers);
        for i in 0..rows {
            for j in 0..columns {
                for k in 0..layers {
                    particles.push(self.center + turn * Vec3::new(place(0, i), place(1, j), place(2, k)));
                }
            }
        }
        Ok(Solid {
            particles,
            tets: box_tets(self.cells),
            material: self.material,
            mass: self.mass,
            drag: self.drag,
            pins: self.pins.clone(),
            attach: self.attach.clone(),
        })
    }
}
