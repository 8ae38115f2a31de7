//! Descriptions of soft solids.

use super::description::{Attach, Drag, Mass, Pin};
use crate::build_error::{BuildError, positive, refuse};
use crate::material::SolidMaterial;
use crate::math::{Real, Rotation, Vec3};
use crate::mesh::box_tets;

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
    /// Velocity of its centre of mass at the start [m/s]. Pinned particles do not take part.
    pub velocity: Vec3,
    /// ω at the start, about its centre of mass [rad/s].
    pub angular_velocity: Vec3,
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
    /// Velocity of its centre of mass at the start [m/s]. Pinned particles do not take part.
    pub velocity: Vec3,
    /// ω at the start, about its centre of mass [rad/s].
    pub angular_velocity: Vec3,
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
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
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
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
        })
    }
}

/// Refuses places whose coordinates are too coarse for a body of this radius [m].
pub(super) fn check_center(center: Vec3, radius: Real) -> Result<(), BuildError> {
    if center.is_finite() && center.abs().max_element() * 1e-9 <= radius * 1e-2 {
        Ok(())
    } else {
        refuse("center", center, "finite, and nearer to the origin than 10⁷ radii")
    }
}
