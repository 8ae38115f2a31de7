//! The soft shadow on the floor.
//!
//! Everything in a shadow map stands above the floor, so what hides the lamp from a point of the floor is the
//! blurred outline of the map, the wider the higher it is. The outline is blurred in advance, from level to level
//! of a pyramid: shadows of any width then come smooth and at the same small cost.

use super::shadow::{ShadowMap, disk, floor};
use muslin::math::{Real, Vec3};

/// A cell of the pyramid: the part of it that is covered, and that part times the height above the floor [cells].
type Cover = [f32; 2];

/// The shadow that a lamp throws on the floor.
pub(super) struct FloorShadow<'a> {
    map: &'a ShadowMap,
    /// From the finest to a single cell, each side half of the one before.
    levels: Vec<Level>,
    /// Greatest height above the floor, measured along the light [cells].
    highest: f32,
    disk: Vec<[f32; 2]>,
}

struct Level {
    side: i32,
    covers: Vec<Cover>,
}

/// Looks into the pyramid for one answer.
const LOOKS: usize = 10;

impl<'a> FloorShadow<'a> {
    /// For a floor at a height [m] along the unit vector `up`.
    pub fn new(map: &'a ShadowMap, up: Vec3, height: Real) -> Self {
        let side = map.lamp.resolution as usize;
        // The floor's height along the light, linear over the map.
        let steepness = map.lamp.direction.dot(up).max(1e-3);
        let [du, dv] = map.across.map(|axis| -axis.dot(up) / steepness);
        let [u, v] = map.corner.map(|value| value + 0.5 * map.cell);
        let start = height / steepness + du * u + dv * v;
        let mut finest = Level { side: map.lamp.resolution, covers: vec![[0.0; 2]; side * side] };
        let mut highest: f32 = 0.0;
        for row in 0..side {
            let at_row = start + dv * row as Real * map.cell;
            for column in 0..side {
                let height = map.heights[row * side + column];
                let above = (Real::from(height) - (at_row + du * column as Real * map.cell)) / map.cell;
                if above > 0.0 && above < 1e6 {
                    finest.covers[row * side + column] = [1.0, above as f32];
                    highest = highest.max(above as f32);
                }
            }
        }
        let mut levels = vec![finest];
        while let Some(coarser) = levels.last().and_then(Level::coarser) {
            levels.push(coarser);
        }
        Self { map, levels, highest, disk: disk(LOOKS) }
    }

    /// The part of the lamp that is seen from a point of the floor, 0 to 1.
    pub fn light_at(&self, point: Vec3) -> Real {
        let [x, y] = self.map.cell_at(point).map(|value| value as f32);
        let spread = self.map.lamp.spread as f32;
        // Nothing reaches farther than the penumbra of the highest point.
        let mut radius = (spread * self.highest).max(1.0);
        if self.is_clear([x, y], radius) {
            return 1.0;
        }
        // Near the foot of something high only its lower part matters: narrow the search down to it.
        for _ in 0..2 {
            let found = self.mean([x, y], radius, radius.log2() as usize);
            if found[0] <= 0.0 {
                break;
            }
            // A trace of cover says little about its height: trust it by its amount.
            let trust = (4.0 * found[0]).min(1.0);
            let wanted = (spread * found[1] / found[0]).max(0.8);
            radius += trust * (wanted.min(radius) - radius);
        }
        // Cells as large as the distance of the looks, so that nothing is left out between them.
        let level = (0.62 * radius).log2().max(0.0);
        let blend = level - level.floor();
        let [finer, coarser] = [0, 1].map(|step| self.mean([x, y], radius, level as usize + step)[0]);
        1.0 - Real::from((finer + (coarser - finer) * blend).min(1.0))
    }

    /// Whether nothing at all lies within a radius of a place (or the place is nowhere).
    fn is_clear(&self, [x, y]: [f32; 2], radius: f32) -> bool {
        // Between four cells of twice the radius no point within the radius is missed.
        let number = (2.0 * radius).log2().ceil() as usize;
        let Some(level) = self.levels.get(number) else {
            let (far, side) = (radius + 1.0, self.map.lamp.resolution as f32);
            return [x, y].iter().any(|&value| !(value > -far && value < side + far));
        };
        let scale = 1.0 / (1_u32 << number) as f32;
        let (left, top) = (floor(x * scale - 0.5), floor(y * scale - 0.5));
        level.pair(left, top, 0.5)[0] + level.pair(left, top.saturating_add(1), 0.5)[0] <= 0.0
    }

    /// The mean cover in a disk, from one level.
    fn mean(&self, [x, y]: [f32; 2], radius: f32, level: usize) -> Cover {
        let level = level.min(self.levels.len() - 1);
        let scale = 1.0 / (1_u32 << level) as f32;
        let mut sum = [0.0; 2];
        for &[dx, dy] in &self.disk {
            let found = self.levels[level].at((x + radius * dx) * scale, (y + radius * dy) * scale);
            sum[0] += found[0];
            sum[1] += found[1];
        }
        sum.map(|value| value / LOOKS as f32)
    }
}

impl Level {
    /// The next level: means of 2 × 2 cells.
    fn coarser(&self) -> Option<Self> {
        let (width, side) = (self.side as usize, self.side as usize / 2);
        (side > 0).then(|| {
            let mut covers = Vec::with_capacity(side * side);
            for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
                let first = 2 * row * width + 2 * column;
                let four = [0, 1, width, width + 1].map(|step| self.covers[first + step]);
                covers.push([0, 1].map(|k| 0.25 * (four[0][k] + four[1][k] + four[2][k] + four[3][k])));
            }
            Self { side: self.side / 2, covers }
        })
    }

    /// The cover at a place, linear between the middles of cells; nothing is outside.
    #[inline]
    fn at(&self, x: f32, y: f32) -> Cover {
        let (x, y) = (x - 0.5, y - 0.5);
        let (column, row) = (floor(x), floor(y));
        let (s, t) = (x - column as f32, y - row as f32);
        let [a, b] = self.pair(column, row, s);
        let [c, d] = self.pair(column, row.saturating_add(1), s);
        [a + (c - a) * t, b + (d - b) * t]
    }

    /// Two neighbours in a row, mixed.
    #[inline]
    fn pair(&self, column: i32, row: i32, s: f32) -> Cover {
        let side = self.side;
        if row < 0 || row >= side {
            return [0.0; 2];
        }
        let cover = |column: i32| {
            if column >= 0 && column < side { self.covers[(row * side + column) as usize] } else { [0.0; 2] }
        };
        let ([a, b], [c, d]) = (cover(column), cover(column.saturating_add(1)));
        [a + (c - a) * s, b + (d - b) * s]
    }
}

/// Numbers at every few pixels of a picture, linear between.
pub(super) struct Lattice {
    /// 1 / step.
    per_pixel: Real,
    columns: usize,
    values: Vec<f32>,
}

impl Lattice {
    /// Asks at the crossings of every `step`-th row and column [pixels].
    pub fn new([width, height]: [u32; 2], step: usize, value: impl Fn([Real; 2]) -> Real) -> Self {
        let [columns, rows] = [width, height].map(|side| side as usize / step + 2);
        let place = |k: usize| [k % columns * step, k / columns * step].map(|value| value as Real);
        let values = (0..columns * rows).map(|k| value(place(k)) as f32).collect();
        Self { per_pixel: 1.0 / step as Real, columns, values }
    }

    /// The value at a place inside the picture [pixels].
    pub fn at(&self, place: [Real; 2]) -> Real {
        let [x, y] = place.map(|value| value * self.per_pixel);
        let (column, row) = (x as i32, y as i32);
        let (s, t) = (x - Real::from(column), y - Real::from(row));
        let first = row as usize * self.columns + column as usize;
        let pair = |first: usize| {
            let [a, b] = [0, 1].map(|step| Real::from(self.values[first + step]));
            a + (b - a) * s
        };
        let (upper, lower) = (pair(first), pair(first + self.columns));
        upper + (lower - upper) * t
    }
}

#[cfg(test)]
mod tests {
    use super::super::shadow::Lamp;
    use super::super::tessellation::Geometry;
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

    #[test]
    fn the_shadow_lies_where_geometry_says() {
        // A square with sides of 1 m, 0.8 m above the origin of a floor at 0.3 m.
        let positions =
            [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(|[x, z]| Vec3::new(x, 1.1, z));
        let faces = [Face::quad(0, 1, 2, 3)];
        let square = Body::Surface { positions: &positions, faces: &faces, color: Color::LINEN };
        let map = ShadowMap::new(&Geometry::of(&[square]), LAMP);
        let shadow = FloorShadow::new(&map, Vec3::Y, 0.3);
        let light = |x: Real, z: Real| shadow.light_at(Vec3::new(x, 0.3, z));
        // Light falls 0.6 to the left on 0.8 down: the shadow is the square moved by −0.6.
        for (x, z) in [(0.0, 0.0), (0.39, 0.39), (-0.39, -0.39)] {
            assert!(light(x - 0.6, z) < 0.01, "({x}, {z}) gets {}", light(x - 0.6, z));
        }
        for (x, z) in [(0.65, 0.0), (-0.65, 0.0), (0.0, 0.62), (0.0, -0.62), (9.0, 0.0)] {
            assert!(light(x - 0.6, z) > 0.99, "({x}, {z}) gets {}", light(x - 0.6, z));
        }
        for (x, z) in [(0.5, 0.0), (-0.5, 0.0), (0.0, 0.5), (0.0, -0.5)] {
            let edge = light(x - 0.6, z);
            assert!((edge - 0.5).abs() < 0.1, "half the lamp is hidden by the edge, not {edge}");
        }
        // The penumbra is as wide as the lamp seen past the edge 1 m away: ± 0.05 m.
        assert!((0.55..0.97).contains(&light(-0.6, 0.53)));
        assert!((0.03..0.45).contains(&light(-0.6, 0.47)));
    }

    #[test]
    fn a_lattice_keeps_what_is_linear() {
        let linear = |[x, y]: [Real; 2]| 1.0 + 2.0 * x - 0.5 * y;
        let lattice = Lattice::new([13, 7], 4, linear);
        for place in [[0.5, 0.5], [12.5, 6.5], [4.0, 4.0], [7.3, 2.9]] {
            assert!((lattice.at(place) - linear(place)).abs() < 1e-5);
        }
    }

    #[test]
    fn an_empty_map_throws_no_shadow() {
        let map = ShadowMap::new(&Geometry::default(), LAMP);
        let shadow = FloorShadow::new(&map, Vec3::Y, 0.0);
        assert_eq!(shadow.light_at(Vec3::ZERO), 1.0);
        assert_eq!(shadow.light_at(Vec3::NAN), 1.0);
    }
}
