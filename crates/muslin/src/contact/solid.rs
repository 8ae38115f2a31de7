//! Solids as contact sees them: vertices that move together, and walls.

use super::collider::{Collider, Core};
use super::surface::SolidSurface;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::script::Motion;

/// The solids of a model.
#[derive(Clone, Debug, Default)]
pub struct Solids {
    /// Solids with vertices: body k + 1 of the surface.
    pub bodies: Vec<Solid>,
    /// Half-spaces.
    pub walls: Vec<Wall>,
}

/// A solid with vertices.
#[derive(Clone, Debug)]
pub struct Solid {
    surface: SolidSurface,
    motion: Motion,
    /// Its own clock, which lags behind the world's when cloth is in the way [s].
    pub time: Real,
}

/// All the space below a plane.
#[derive(Clone, Debug)]
pub struct Wall {
    point: Vec3,
    normal: Vec3,
    motion: Motion,
    /// Thickness of the layer above it that counts as solid [m].
    pub radius: Real,
    /// Its own clock [s].
    pub time: Real,
}

impl Solids {
    /// The solids of a model at a time [s].
    pub fn new(model: &Model, time: Real) -> Self {
        let mut solids = Self::default();
        for collider in &model.colliders {
            solids.add(collider, time);
        }
        solids
    }

    fn add(&mut self, collider: &Collider, time: Real) {
        let (motion, thickness) = (collider.motion.clone(), collider.thickness);
        let surface = match collider.core() {
            Core::HalfSpace { point, normal } => {
                self.walls.push(Wall { point, normal, motion, radius: thickness, time });
                return;
            }
            Core::Round { ends: [a, b], radius } if a == b => {
                SolidSurface { positions: vec![a], radius: radius + thickness, ..SolidSurface::default() }
            }
            Core::Round { ends, radius } => SolidSurface {
                positions: ends.to_vec(),
                edges: vec![[0, 1]],
                radius: radius + thickness,
                ..SolidSurface::default()
            },
            Core::Faces { positions, triangles } => {
                SolidSurface { positions, triangles, radius: thickness, ..SolidSurface::default() }
            }
        };
        self.bodies.push(Solid { surface, motion, time });
    }

    /// The parts of the surface.
    pub fn surfaces(&self) -> Vec<SolidSurface> {
        self.bodies.iter().map(|solid| solid.surface.clone()).collect()
    }

    /// Where all their vertices are [m], each solid by its own clock.
    pub fn positions(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.bodies.iter().flat_map(|solid| solid.positions(solid.time))
    }

    /// Where all their vertices are at a time [m].
    pub fn positions_at(&self, time: Real) -> impl Iterator<Item = Vec3> + '_ {
        self.bodies.iter().flat_map(move |solid| solid.positions(time))
    }

    /// The slowest clock [s]; that of the world if there are none.
    pub fn slowest_clock(&self, time: Real) -> Real {
        let clocks =
            self.bodies.iter().map(|solid| solid.time).chain(self.walls.iter().map(|wall| wall.time));
        clocks.fold(time, Real::min)
    }
}

impl Solid {
    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.surface.positions.len()
    }

    /// Where its vertices are at a time [m].
    pub fn positions(&self, time: Real) -> impl Iterator<Item = Vec3> + '_ {
        self.surface.positions.iter().map(move |&start| self.motion.at(time, start).0)
    }
}

impl Wall {
    /// A point of the plane at a time [m], and the normal.
    pub fn plane(&self, time: Real) -> (Vec3, Vec3) {
        let point = self.motion.at(time, self.point).0;
        let normal = self.motion.at(time, self.point + self.normal).0 - point;
        (point, normal.normalize_or(Vec3::Z))
    }

    /// Where a point that moves with the wall is at `end`, if it is at x at `start` [s].
    pub fn carried(&self, x: Vec3, start: Real, end: Real) -> Vec3 {
        if matches!(self.motion, Motion::Still) {
            return x;
        }
        x + self.motion.at(start, self.point).1 * (end - start)
    }
}
