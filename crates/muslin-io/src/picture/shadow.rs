//! Soft shadows: a depth map seen from the light, asked over a disk.
//!
//! The disk grows with the distance to what casts the shadow, as the penumbra of a round lamp does: a shadow is
//! sharp where things touch and soft far away (percentage-closer soft shadows).

use super::rasterizer::Footprint;
use super::tessellation::Geometry;
use muslin::math::{Real, Vec3};

/// A distant round lamp.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lamp {
    /// Unit vector towards the lamp.
    pub direction: Vec3,
    /// Tangent of the angle that the lamp's radius is seen under.
    pub spread: Real,
    /// Cells along one side of the map.
    pub resolution: u32,
    /// Looks taken into the map for one answer: the search for what casts the shadow, and the shadow itself.
    pub looks: [usize; 2],
    /// Largest penumbra radius, as a part of the map's side.
    pub widest: Real,
}

/// Where the light of a lamp reaches.
pub(super) struct ShadowMap {
    lamp: Lamp,
    /// Axes across the light.
    across: [Vec3; 2],
    /// The corner of the map, as coordinates along `across`.
    corner: [Real; 2],
    /// Side of a cell [m].
    cell: Real,
    /// Height along the light of what it meets first in each cell [m].
    heights: Vec<f32>,
    /// Points of the unit disk at which the map is asked.
    disks: [Vec<[f32; 2]>; 2],
}

impl ShadowMap {
    pub fn new(geometry: &Geometry, lamp: Lamp) -> Self {
        let (u, v) = lamp.direction.any_orthonormal_pair();
        let flat = |p: Vec3| [p.dot(u), p.dot(v)];
        let (mut low, mut high) = ([Real::INFINITY; 2], [Real::NEG_INFINITY; 2]);
        for p in geometry.triangles.iter().flat_map(|triangle| geometry.corners(triangle)).map(flat) {
            for axis in 0..2 {
                low[axis] = low[axis].min(p[axis]);
                high[axis] = high[axis].max(p[axis]);
            }
        }
        let side = (high[0] - low[0]).max(high[1] - low[1]);
        let sound = side > 0.0 && side.is_finite();
        let resolution = if sound { lamp.resolution } else { 0 };
        // One empty cell all around, so that edges are smoothed there too.
        let cell = if sound { side / Real::from(lamp.resolution.saturating_sub(2).max(1)) } else { 1.0 };
        let corner = if sound { low.map(|value| value - cell) } else { [0.0; 2] };
        let heights = vec![f32::NEG_INFINITY; (resolution * resolution) as usize];
        let disks = lamp.looks.map(disk);
        let mut map = Self { lamp, across: [u, v], corner, cell, heights, disks };
        for triangle in &geometry.triangles {
            map.add(geometry.corners(triangle), resolution);
        }
        map
    }

    fn add(&mut self, corners: [Vec3; 3], resolution: u32) {
        let points = corners.map(|p| {
            let [x, y] = self.cell_at(p);
            Vec3::new(x, y, p.dot(self.lamp.direction))
        });
        let Some(footprint) = Footprint::new(points, [resolution; 2], 0.0) else { return };
        footprint.visit(|cell, center| {
            let height = &mut self.heights[cell];
            *height = height.max(center.value_at(&footprint, [0.0; 2]));
        });
    }

    /// Side of a cell [m].
    pub fn cell(&self) -> Real {
        self.cell
    }

    fn cell_at(&self, p: Vec3) -> [Real; 2] {
        std::array::from_fn(|axis| (p.dot(self.across[axis]) - self.corner[axis]) / self.cell)
    }

    /// The part of the lamp that is seen from a point, 0 to 1, on a surface with the given normal (towards the
    /// lamp). `lift` is the clearance [cells] that keeps a surface in the map from shading itself.
    pub fn light_at(&self, point: Vec3, normal: Vec3, lift: Real) -> Real {
        let point = point + lift * self.cell * normal;
        let [x, y] = self.cell_at(point);
        let side = Real::from(self.lamp.resolution);
        let widest = self.lamp.widest * side;
        let outside = |value: Real| !(value > -widest && value < side + widest);
        if self.heights.is_empty() || outside(x) || outside(y) {
            return 1.0;
        }
        let height = point.dot(self.lamp.direction);
        let asked = Asked { x: x as f32, y: y as f32, height: height as f32, slope: self.slope(normal) };

        let (blocked, mean_height) = self.blockers(&asked, widest as f32);
        if blocked == 0 {
            return 1.0;
        }
        let distance = (mean_height - height) / self.cell;
        let radius = (self.lamp.spread * distance).clamp(0.7, widest) as f32;
        self.open_part(&asked, radius)
    }

    /// How much a surface with this normal rises along the light from cell to cell; bounded, for a surface along
    /// the light would rise without end.
    fn slope(&self, normal: Vec3) -> [f32; 2] {
        const STEEPEST: Real = 4.0;
        let facing = normal.dot(self.lamp.direction).max(1e-3);
        let rise = self.across.map(|axis| -normal.dot(axis) / facing);
        let scale = self.cell * (STEEPEST / rise[0].hypot(rise[1])).min(1.0);
        rise.map(|value| (value * scale) as f32)
    }

    /// How many looks meet something above the surface, and its mean height. Something counts only where the
    /// lamp is wide enough to be hidden by it.
    fn blockers(&self, asked: &Asked, widest: f32) -> (usize, Real) {
        let (mut count, mut sum) = (0, 0.0);
        let per_height = (self.lamp.spread / self.cell) as f32;
        for &[dx, dy] in &self.disks[0] {
            let (dx, dy) = (widest * dx, widest * dy);
            let above = self.height(asked.x + dx, asked.y + dy) - asked.height;
            let own = asked.slope[0] * dx + asked.slope[1] * dy;
            if above > own.max(0.0) && above * per_height + 1.5 > dx.hypot(dy) {
                count += 1;
                sum += Real::from(above);
            }
        }
        (count, Real::from(asked.height) + sum / (count.max(1)) as Real)
    }

    /// The unblocked part of a disk.
    fn open_part(&self, asked: &Asked, radius: f32) -> Real {
        let open: f32 = self.disks[1]
            .iter()
            .map(|&[dx, dy]| {
                let (dx, dy) = (radius * dx, radius * dy);
                let own = asked.height + asked.slope[0] * dx + asked.slope[1] * dy;
                self.open_between_cells(asked.x + dx, asked.y + dy, own)
            })
            .sum();
        Real::from(open) / self.disks[1].len() as Real
    }

    /// Whether light reaches a height: 0 or 1 in the middle of each cell, and linear between.
    #[inline]
    fn open_between_cells(&self, x: f32, y: f32, height: f32) -> f32 {
        let (x, y) = (x - 0.5, y - 0.5);
        let (left, top) = (x.floor(), y.floor());
        let (s, t) = (x - left, y - top);
        let open = |dx: f32, dy: f32| f32::from(self.height(left + dx + 0.5, top + dy + 0.5) <= height);
        let upper = open(0.0, 0.0) * (1.0 - s) + open(1.0, 0.0) * s;
        let lower = open(0.0, 1.0) * (1.0 - s) + open(1.0, 1.0) * s;
        upper * (1.0 - t) + lower * t
    }

    #[inline]
    fn height(&self, x: f32, y: f32) -> f32 {
        let resolution = self.lamp.resolution as usize;
        if x < 0.0 || y < 0.0 {
            return f32::NEG_INFINITY;
        }
        let (column, row) = (x as usize, y as usize);
        if column < resolution && row < resolution {
            self.heights[row * resolution + column]
        } else {
            f32::NEG_INFINITY
        }
    }
}

/// A question to the map: cell coordinates, height along the light, rise of the surface from cell to cell.
struct Asked {
    x: f32,
    y: f32,
    height: f32,
    slope: [f32; 2],
}

/// Points spread evenly over the unit disk along a spiral of golden angles.
fn disk(count: usize) -> Vec<[f32; 2]> {
    let golden_angle = std::f64::consts::PI * (3.0 - Real::sqrt(5.0));
    let point = |k: usize| {
        let radius = ((k as Real + 0.5) / count as Real).sqrt();
        let (sin, cos) = (golden_angle * k as Real).sin_cos();
        [(radius * cos) as f32, (radius * sin) as f32]
    };
    (0..count).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{Body, Color};
    use muslin::mesh::Face;

    const LAMP: Lamp = Lamp {
        direction: Vec3::new(0.6, 0.8, 0.0),
        spread: 0.05,
        resolution: 512,
        looks: [32, 64],
        widest: 0.1,
    };

    /// The map of a square with sides of 1 m, 0.8 m above the origin.
    fn square() -> ShadowMap {
        let positions =
            [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(|[x, z]| Vec3::new(x, 0.8, z));
        let faces = [Face::quad(0, 1, 2, 3)];
        let square = Body::Surface { positions: &positions, faces: &faces, color: Color::LINEN };
        ShadowMap::new(&Geometry::of(&[square]), LAMP)
    }

    #[test]
    fn the_shadow_lies_where_geometry_says() {
        let map = square();
        let light = |x: Real, z: Real| map.light_at(Vec3::new(x, 0.0, z), Vec3::Y, 0.0);
        // Light falls 0.6 to the left on 0.8 down: the shadow is the square moved by −0.6.
        assert_eq!(light(-0.6, 0.0), 0.0);
        assert_eq!(light(-0.6 + 0.4, 0.4), 0.0);
        assert_eq!(light(-0.6 - 0.4, -0.4), 0.0);
        assert_eq!(light(-0.6 + 0.62, 0.0), 1.0);
        assert_eq!(light(-0.6, 0.6), 1.0);
        assert_eq!(light(3.0, 0.0), 1.0);
        for (x, z) in [(-0.6, 0.5), (-0.6, -0.5), (-0.1, 0.0), (-1.1, 0.0)] {
            assert!((light(x, z) - 0.5).abs() < 0.1, "half the lamp is hidden at the edge: {}", light(x, z));
        }
        // The penumbra is as wide as the lamp: 1 m to the square, ± 0.05 m.
        assert!(light(-0.6, 0.53) > 0.55 && light(-0.6, 0.53) < 0.95);
        assert!(light(-0.6, 0.47) < 0.45 && light(-0.6, 0.47) > 0.05);
    }

    #[test]
    fn a_surface_does_not_shade_itself_nor_what_is_above() {
        let map = square();
        for (x, z) in [(0.0, 0.0), (0.31, -0.27), (0.497, 0.0), (-0.1, 0.499)] {
            assert_eq!(map.light_at(Vec3::new(x, 0.8, z), Vec3::Y, 1.5), 1.0);
            assert_eq!(map.light_at(Vec3::new(x, 0.9, z), Vec3::Y, 0.0), 1.0);
        }
    }

    #[test]
    fn without_anything_there_is_light() {
        let map = ShadowMap::new(&Geometry::default(), LAMP);
        assert_eq!(map.light_at(Vec3::ZERO, Vec3::Y, 1.0), 1.0);
        assert_eq!(square().light_at(Vec3::NAN, Vec3::Y, 1.0), 1.0);
    }
}
