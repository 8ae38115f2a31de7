//! Soft shadows on bodies: a map of heights seen from the lamp, asked over a disk.
//!
//! The disk grows with the distance to what casts the shadow, as the penumbra of a round lamp does: a shadow is
//! sharp where things touch and soft far away (percentage-closer soft shadows).

use super::rasterizer::Footprint;
use super::tessellation::{Geometry, Triangle};
use muslin::math::{Real, Vec3};

/// A distant round lamp.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lamp {
    /// Unit vector towards the lamp.
    pub direction: Vec3,
    /// Tangent of the angle that the lamp's radius is seen under.
    pub spread: Real,
    /// Cells along one side of its map.
    pub resolution: i32,
    /// Largest penumbra radius on bodies [cells].
    pub widest: f32,
    /// Looks taken into the map: in search of what casts a shadow, and for the shadow itself.
    pub looks: [usize; 2],
}

/// Where the light of a lamp reaches.
pub(super) struct ShadowMap {
    pub lamp: Lamp,
    /// Axes across the light.
    pub across: [Vec3; 2],
    /// The corner of the map, as coordinates along `across` [m].
    pub corner: [Real; 2],
    /// Side of a cell [m].
    pub cell: Real,
    /// Height along the light of what it meets first in each cell [m]; nothing has height −∞.
    pub heights: Vec<f32>,
    /// Points of the unit disk at which the map is asked.
    disks: [Vec<[f32; 2]>; 2],
}

/// Empty cells all around the map: whoever asks outside gets the answer of the rim.
const RIM: i32 = 2;

impl ShadowMap {
    pub fn new(geometry: &Geometry, lamp: Lamp) -> Self {
        let (u, v) = lamp.direction.any_orthonormal_pair();
        // Coordinates across the light and along it.
        let turned: Vec<Vec3> = (geometry.positions.iter())
            .map(|&p| Vec3::new(p.dot(u), p.dot(v), p.dot(lamp.direction)))
            .collect();
        let corners = |triangle: &Triangle| triangle.corners.map(|corner| turned[corner as usize]);
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for p in geometry.triangles.iter().flat_map(corners) {
            (low, high) = (low.min(p), high.max(p));
        }
        let side = (high.x - low.x).max(high.y - low.y);
        let cell = side / Real::from(lamp.resolution - 2 * RIM);
        // Nothing to see, or a stage without extent or without end: all cells stay empty.
        let sound = cell > 0.0 && cell.is_finite();
        let (cell, low) = if sound { (cell, low) } else { (1.0, Vec3::ZERO) };
        let corner = [low.x, low.y].map(|value| value - Real::from(RIM) * cell);
        let heights = vec![f32::NEG_INFINITY; (lamp.resolution * lamp.resolution) as usize];
        let mut map = Self { lamp, across: [u, v], corner, cell, heights, disks: lamp.looks.map(disk) };
        if sound {
            for triangle in &geometry.triangles {
                map.add(corners(triangle));
            }
        }
        map
    }

    fn add(&mut self, corners: [Vec3; 3]) {
        let scale = 1.0 / self.cell;
        let [left, top] = self.corner;
        let points = corners.map(|p| Vec3::new((p.x - left) * scale, (p.y - top) * scale, p.z));
        let size = [self.lamp.resolution as u32; 2];
        let Some(footprint) = Footprint::new(points, size, 0.0) else { return };
        footprint.visit(|cell, center| {
            let height = &mut self.heights[cell];
            *height = height.max(center.value);
        });
    }

    /// Where a point lies on the map [cells].
    pub fn cell_at(&self, p: Vec3) -> [Real; 2] {
        std::array::from_fn(|axis| (p.dot(self.across[axis]) - self.corner[axis]) / self.cell)
    }

    /// The part of the lamp that is seen from a point of a body, 0 to 1; the normal points to the lamp's side.
    pub fn light_at(&self, point: Vec3, normal: Vec3) -> Real {
        // The clearance keeps a surface from shading itself.
        const LIFT: Real = 1.6;
        let point = point + LIFT * self.cell * normal;
        let [x, y] = self.cell_at(point).map(|value| value as f32);
        let height = point.dot(self.lamp.direction) as f32;
        let [rise_x, rise_y] = self.rise(normal);
        let reach = self.lamp.widest;

        let (mut blocked, mut distance) = (0, 0.0);
        for &[dx, dy] in &self.disks[0] {
            let (dx, dy) = (reach * dx, reach * dy);
            let above = self.heights[self.index(x + dx, y + dy)] - height;
            if above > rise_x * dx + rise_y * dy {
                blocked += 1;
                distance += above;
            }
        }
        if blocked == 0 {
            return 1.0;
        }
        let distance = distance / blocked as f32 / self.cell as f32;
        let radius = (self.lamp.spread as f32 * distance).clamp(1.0, reach);
        let open = self.disks[1].iter().map(|&[dx, dy]| {
            let (dx, dy) = (radius * dx, radius * dy);
            self.open_between_cells(x + dx, y + dy, height + rise_x * dx + rise_y * dy)
        });
        Real::from(open.sum::<f32>()) / self.disks[1].len() as Real
    }

    /// How much a surface with this normal rises along the light from cell to cell; bounded, for a surface along
    /// the light would rise without end.
    fn rise(&self, normal: Vec3) -> [f32; 2] {
        const STEEPEST: Real = 4.0;
        let facing = normal.dot(self.lamp.direction).max(1e-3);
        let rise = self.across.map(|axis| -normal.dot(axis) / facing);
        let scale = self.cell * (STEEPEST / (rise[0] * rise[0] + rise[1] * rise[1]).sqrt()).min(1.0);
        rise.map(|value| (value * scale) as f32)
    }

    /// Whether light reaches a height: 0 or 1 in the middle of each cell, and linear between.
    #[inline]
    fn open_between_cells(&self, x: f32, y: f32, height: f32) -> f32 {
        let (x, y) = (x - 0.5, y - 0.5);
        let (s, t) = (x - floor(x) as f32, y - floor(y) as f32);
        let corner = self.index(x, y);
        let open = |cell: usize| if self.heights[cell] <= height { 1.0 } else { 0.0 };
        let below = corner + self.lamp.resolution as usize;
        let upper = open(corner) * (1.0 - s) + open(corner + 1) * s;
        let lower = open(below) * (1.0 - s) + open(below + 1) * s;
        upper * (1.0 - t) + lower * t
    }

    /// The number of the cell at a place; never in the last row or column.
    #[inline]
    fn index(&self, x: f32, y: f32) -> usize {
        let last = self.lamp.resolution - 2;
        // Casts from float saturate and take what is not a number to 0.
        let [column, row] = [x as i32, y as i32].map(|value| value.clamp(0, last));
        (row * self.lamp.resolution + column) as usize
    }
}

/// The whole number below (`f32::floor` is a slow call on plain x86-64).
#[inline]
pub(super) fn floor(value: f32) -> i32 {
    let whole = value as i32;
    whole.saturating_sub(i32::from(value < whole as f32))
}

/// Points spread evenly over the unit disk along a spiral of golden angles.
pub(super) fn disk(count: usize) -> Vec<[f32; 2]> {
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
        widest: 16.0,
        looks: [16, 32],
    };

    /// The map of a horizontal square with sides of 1 m at a height of 0.8 m, above a small one at 0.7 m.
    fn squares() -> ShadowMap {
        let at = |height: Real, half: Real| {
            [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
                .map(|[x, z]| Vec3::new(half * x, height, half * z))
        };
        let positions = [at(0.8, 0.5), at(0.7, 0.1)].concat();
        let faces = [Face::quad(0, 1, 2, 3), Face::quad(4, 5, 6, 7)];
        let squares = Body::Surface { positions: &positions, faces: &faces, color: Color::LINEN };
        ShadowMap::new(&Geometry::of(&[squares]), LAMP)
    }

    #[test]
    fn a_surface_shades_what_is_below_and_neither_itself_nor_what_is_above() {
        let map = squares();
        for (x, z) in [(0.0, 0.0), (0.31, -0.27), (0.497, 0.0), (-0.1, 0.499)] {
            assert_eq!(map.light_at(Vec3::new(x, 0.8, z), Vec3::Y), 1.0);
            assert_eq!(map.light_at(Vec3::new(x, 0.9, z), Vec3::Y), 1.0);
        }
        for (x, z) in [(0.0, 0.0), (0.1, -0.1)] {
            assert_eq!(map.light_at(Vec3::new(x, 0.7, z), Vec3::Y), 0.0);
        }
        // 0.1 m down the light runs 0.075 m to the left, and the edge is soft.
        let [dark, edge, bright] = [0.40, 0.425, 0.45].map(|x| map.light_at(Vec3::new(x, 0.7, 0.0), Vec3::Y));
        assert_eq!((dark, bright), (0.0, 1.0));
        assert!(edge > 0.02 && edge < 0.98, "{edge}");
    }

    #[test]
    fn without_anything_there_is_light() {
        let map = ShadowMap::new(&Geometry::default(), LAMP);
        assert_eq!(map.light_at(Vec3::ZERO, Vec3::Y), 1.0);
        assert_eq!(squares().light_at(Vec3::NAN, Vec3::Y), 1.0);
    }
}
