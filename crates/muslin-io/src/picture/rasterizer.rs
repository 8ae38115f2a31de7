//! Which triangle is seen at every sample of the picture.
//!
//! Every pixel has [`SAMPLES`] samples, and every sample keeps the nearest triangle. Colours are found later,
//! once for each triangle in a pixel, so that smooth edges cost no extra shading.

use super::camera::View;
use super::tessellation::Geometry;
use muslin::math::{Real, Vec3};

/// Samples in a pixel.
pub(super) const SAMPLES: usize = 8;

/// Where the samples of a pixel lie, measured from its middle [pixels]: each alone in its row and column of
/// an 8 × 8 board, which smooths edges that are nearly level or upright best.
pub(super) const OFFSETS: [[f32; 2]; SAMPLES] = [
    [-0.4375, -0.0625],
    [-0.3125, 0.3125],
    [-0.1875, -0.3125],
    [-0.0625, 0.1875],
    [0.0625, -0.4375],
    [0.1875, 0.0625],
    [0.3125, -0.1875],
    [0.4375, 0.4375],
];

/// Stands for "no triangle": the ground or the backdrop.
pub(super) const NOTHING: u32 = u32::MAX;

/// The nearest triangles, pixel by pixel.
pub(super) struct Visible {
    /// Number of the triangle at each sample, or [`NOTHING`].
    pub triangles: Vec<[u32; SAMPLES]>,
    /// 1 / depth at each sample [1/m]; 0 at infinity.
    pub closeness: Vec<[f32; SAMPLES]>,
    size: [u32; 2],
}

impl Visible {
    /// Draws every triangle of the geometry.
    pub fn find(geometry: &Geometry, view: &View, size: [u32; 2]) -> Self {
        let mut visible = Self::empty(size);
        let from_eye: Vec<Vec3> = geometry.positions.iter().map(|&p| view.seen_from_eye(p)).collect();
        for (number, triangle) in geometry.triangles.iter().enumerate() {
            let corners = triangle.corners.map(|corner| from_eye[corner as usize]);
            visible.add(corners, number as u32, view);
        }
        visible
    }

    fn empty(size: [u32; 2]) -> Self {
        let count = size[0] as usize * size[1] as usize;
        Self { triangles: vec![[NOTHING; SAMPLES]; count], closeness: vec![[0.0; SAMPLES]; count], size }
    }

    /// Draws one triangle, given by its corners' coordinates from the eye.
    #[allow(
        clippy::needless_bitwise_bool,
        reason = "branches would keep the samples from being compared at once"
    )]
    fn add(&mut self, corners: [Vec3; 3], number: u32, view: &View) {
        let (polygon, count) = clip(corners, view.near);
        for k in 2..count {
            let points = [polygon[0], polygon[k - 1], polygon[k]].map(|p| {
                let [x, y] = view.project(p);
                Vec3::new(x, y, 1.0 / p.z)
            });
            let Some(footprint) = Footprint::new(points, self.size, 0.5) else { continue };
            let offsets = footprint.offsets(&OFFSETS);
            footprint.visit(|pixel, center| {
                let triangles = &mut self.triangles[pixel];
                let closeness = &mut self.closeness[pixel];
                for sample in 0..SAMPLES {
                    let [a, b, c, value] = center.moved(&offsets, sample);
                    let inside = (a >= -TOLERANCE) & (b >= -TOLERANCE) & (c >= -TOLERANCE);
                    let seen = inside & (value > closeness[sample]);
                    closeness[sample] = if seen { value } else { closeness[sample] };
                    triangles[sample] = if seen { number } else { triangles[sample] };
                }
            });
        }
    }
}

/// Cuts off what lies nearer than `near`: three or four corners remain, or none.
fn clip(corners: [Vec3; 3], near: Real) -> ([Vec3; 4], usize) {
    let mut polygon = [Vec3::ZERO; 4];
    let mut count = 0;
    let mut push = |p: Vec3| {
        polygon[count] = p;
        count += 1;
    };
    for k in 0..3 {
        let (here, next) = (corners[k], corners[(k + 1) % 3]);
        if here.z >= near {
            push(here);
        }
        if (here.z >= near) != (next.z >= near) {
            push(here + (next - here) * ((near - here.z) / (next.z - here.z)));
        }
    }
    (polygon, count)
}

/// A triangle on a board of square cells, ready to be asked where it lies.
///
/// Three signed distances to the sides, positive inside, and a value, all linear in x and y.
pub(super) struct Footprint {
    /// Value at the origin and slopes of each distance [cells].
    sides: [[Real; 3]; 3],
    value: [Real; 3],
    columns: [usize; 2],
    rows: [usize; 2],
    board_width: usize,
    reach: f32,
}

/// The distances and the value in the middle of one cell.
pub(super) struct CellCenter {
    distances: [f32; 3],
    pub value: f32,
}

/// Samples so little outside count as inside [cells]: no crack can open between neighbours by rounding, and
/// where both cover a sample the depth decides.
const TOLERANCE: f32 = 1e-3;

impl Footprint {
    /// From the corners (x, y, value). `reach` is how far from a cell's middle samples are taken [cells].
    pub fn new(points: [Vec3; 3], [width, height]: [u32; 2], reach: Real) -> Option<Self> {
        let [a, b, c] = points;
        let doubled_area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
        if !(doubled_area.abs() > 1e-9 && doubled_area.is_finite()) {
            return None; // seen edge-on, or without area
        }
        // Cell k has its middle at k + ½. Casts from float saturate at 0.
        let range = |values: [Real; 3], end: u32| {
            let low = values[0].min(values[1]).min(values[2]) - 0.5 - reach;
            let high = values[0].max(values[1]).max(values[2]) - 0.5 + reach;
            [low.ceil() as usize, ((high + 1.0).floor().max(0.0) as usize).min(end as usize)]
        };
        let columns = range(points.map(|p| p.x), width);
        let rows = range(points.map(|p| p.y), height);
        if columns[0] >= columns[1] || rows[0] >= rows[1] {
            return None; // outside, or between the samples
        }
        let orientation = doubled_area.signum();
        let sides = [[b, c], [c, a], [a, b]].map(|[p, q]| {
            let (x, y) = (q.x - p.x, q.y - p.y);
            let scale = orientation / (x * x + y * y).sqrt();
            let (dx, dy) = (-y * scale, x * scale);
            [-(p.x * dx + p.y * dy), dx, dy]
        });
        let slope = |along: fn(Vec3) -> Real| {
            let (u, v) = (b.z - a.z, c.z - a.z);
            (u * along(c - a) - v * along(b - a)) / doubled_area
        };
        let (dx, dy) = (slope(|p| p.y), -slope(|p| p.x));
        let value = [a.z - a.x * dx - a.y * dy, dx, dy];
        if !(sides.as_flattened().iter().chain(&value).all(|number| number.is_finite())) {
            return None;
        }
        let (board_width, reach) = (width as usize, std::f32::consts::SQRT_2 * reach as f32);
        Some(Self { sides, value, columns, rows, board_width, reach })
    }

    /// Calls `draw` with the number of every cell that the triangle may touch.
    #[inline]
    pub fn visit(&self, mut draw: impl FnMut(usize, CellCenter)) {
        for row in self.rows[0]..self.rows[1] {
            let y = row as Real + 0.5;
            let at_row = self.sides.map(|[c, _, dy]| c + dy * y);
            let value_at_row = self.value[0] + self.value[2] * y;
            for column in self.columns[0]..self.columns[1] {
                let x = column as Real + 0.5;
                let distances: [f32; 3] = std::array::from_fn(|k| (at_row[k] + self.sides[k][1] * x) as f32);
                if distances.iter().all(|&distance| distance > -self.reach - TOLERANCE) {
                    let value = (value_at_row + self.value[1] * x) as f32;
                    draw(row * self.board_width + column, CellCenter { distances, value });
                }
            }
        }
    }
}

/// How the three distances and the value differ from the middle of a cell to each sample.
struct Offsets([[f32; SAMPLES]; 4]);

impl Footprint {
    fn offsets(&self, samples: &[[f32; 2]; SAMPLES]) -> Offsets {
        let [a, b, c] = self.sides;
        Offsets([a, b, c, self.value].map(|[_, dx, dy]| samples.map(|[x, y]| dx as f32 * x + dy as f32 * y)))
    }
}

impl CellCenter {
    /// The three distances and the value at a sample.
    #[inline]
    fn moved(&self, offsets: &Offsets, sample: usize) -> [f32; 4] {
        let [a, b, c] = self.distances;
        [
            a + offsets.0[0][sample],
            b + offsets.0[1][sample],
            c + offsets.0[2][sample],
            self.value + offsets.0[3][sample],
        ]
    }
}

/// Weights of a triangle's corners in the point that a ray from the eye hits, the corners measured from the eye;
/// correct in perspective, and also for triangles that reach behind the eye. `None` if the ray runs along the
/// triangle.
pub(super) fn weights([a, b, c]: [Vec3; 3], ray: Vec3) -> Option<[Real; 3]> {
    // The volumes of the three tetrahedra between the ray and a side, each with its apex in the eye.
    let volumes = [ray.dot(b.cross(c)), ray.dot(c.cross(a)), ray.dot(a.cross(b))];
    let scale = 1.0 / (volumes[0] + volumes[1] + volumes[2]);
    let weights = volumes.map(|volume| volume * scale);
    weights.iter().all(|weight| weight.is_finite()).then_some(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Camera;

    const SIZE: [u32; 2] = [200, 200];

    /// From the origin along −z, ±1 m at a depth of 1 m.
    fn view() -> View {
        let camera = Camera { eye: Vec3::ZERO, target: Vec3::NEG_Z, up: Vec3::Y, field_of_view: 90.0 };
        View::new(&camera, SIZE)
    }

    fn covered(visible: &Visible, number: u32) -> Real {
        let hits = visible.triangles.as_flattened().iter().filter(|&&n| n == number).count();
        hits as Real / SAMPLES as Real
    }

    #[test]
    fn a_triangle_covers_its_area() {
        let mut visible = Visible::empty(SIZE);
        // At depth 2 one metre is 50 pixels: corners (25, 150), (175, 125), (75, 25).
        let corners = [Vec3::new(-1.5, -1.0, 2.0), Vec3::new(1.5, -0.5, 2.0), Vec3::new(-0.5, 1.5, 2.0)];
        visible.add(corners, 7, &view());
        let area = 0.5 * 50.0 * 50.0 * (3.0 * 2.5 - 0.5 * 1.0);
        let found = covered(&visible, 7);
        assert!((found / area - 1.0).abs() < 0.01, "{found} pixels, not {area}");
        assert_eq!(visible.triangles[(100 * 200) + 90], [7; SAMPLES]);
        assert_eq!(visible.triangles[(40 * 200) + 40], [NOTHING; SAMPLES]);
    }

    #[test]
    fn the_nearer_hides_the_farther_in_either_order() {
        let at =
            |depth: Real| [[-0.5, -0.5], [0.5, -0.5], [0.0, 0.5]].map(|[x, y]| Vec3::new(x, y, 1.0) * depth);
        for order in [[0, 1], [1, 0]] {
            let mut visible = Visible::empty(SIZE);
            for number in order {
                visible.add(at(2.0 + Real::from(number)), number, &view());
            }
            assert!(covered(&visible, 0) > 4900.0);
            assert_eq!(covered(&visible, 1), 0.0);
        }
    }

    #[test]
    fn crossing_triangles_hide_each_other_along_their_intersection() {
        let mut visible = Visible::empty(SIZE);
        // One square falls away to the right, one to the left; in perspective they cross in the middle.
        for (number, tilt) in [(0, 0.5), (1, -0.5)] {
            let p = |x: Real, y: Real| Vec3::new(x, y, 2.0 + tilt * x);
            visible.add([p(-1.0, -1.0), p(1.0, -1.0), p(1.0, 1.0)], number, &view());
            visible.add([p(-1.0, -1.0), p(1.0, 1.0), p(-1.0, 1.0)], number, &view());
        }
        assert_eq!(visible.triangles[100 * 200 + 90], [0; SAMPLES]);
        assert_eq!(visible.triangles[100 * 200 + 110], [1; SAMPLES]);
    }

    #[test]
    fn a_triangle_through_the_near_plane_is_cut() {
        let mut view = view();
        view.near = 1.0;
        // Two corners 1 m behind the near plane: what remains is a triangle from depth 1 to its tip at 2.
        let (polygon, count) = clip(
            [Vec3::new(0.0, -1.0, 2.0), Vec3::new(-1.0, -1.0, 0.0), Vec3::new(1.0, -1.0, 0.0)],
            view.near,
        );
        assert_eq!(count, 3);
        assert_eq!(polygon[1], Vec3::new(-0.5, -1.0, 1.0));
        assert_eq!(polygon[2], Vec3::new(0.5, -1.0, 1.0));

        // On screen: tip at (100, 150), cut edge from (50, 200) to (150, 200): ½ · 100 · 50 pixels.
        let mut visible = Visible::empty(SIZE);
        visible.add(
            [Vec3::new(0.0, -1.0, 2.0), Vec3::new(-1.0, -1.0, 0.0), Vec3::new(1.0, -1.0, 0.0)],
            0,
            &view,
        );
        assert!((covered(&visible, 0) / 2500.0 - 1.0).abs() < 0.01, "{}", covered(&visible, 0));

        // One corner behind leaves four; all behind leave none.
        assert_eq!(clip([Vec3::Z * 2.0, Vec3::new(1.0, 0.0, 2.0), Vec3::ZERO], 1.0).1, 4);
        assert_eq!(clip([Vec3::ZERO, Vec3::X, Vec3::Y], 1.0).1, 0);
    }

    #[test]
    fn weights_are_correct_in_perspective() {
        // Halfway along the picture of an edge from depth 1 to depth 3 lies a quarter of the edge.
        let corners = [Vec3::new(0.0, 0.0, 1.0), Vec3::new(3.0, 0.0, 3.0), Vec3::new(0.0, 1.0, 1.0)];
        let [a, b, c] = weights(corners, Vec3::new(0.5, 0.0, 1.0)).unwrap();
        assert!((a - 0.75).abs() < 1e-12 && (b - 0.25).abs() < 1e-12 && c.abs() < 1e-12);
        assert_eq!(weights([Vec3::X; 3], Vec3::Z), None);
    }

    #[test]
    fn neighbours_leave_no_crack() {
        let mut visible = Visible::empty(SIZE);
        let view = view();
        let p = |i: usize, j: usize| {
            let (x, y) = (i as Real / 37.0 - 0.5, j as Real / 37.0 - 0.5);
            Vec3::new(2.4 * x + 0.3 * y, 2.4 * y - 0.2 * x, 1.1 + 0.05 * (9.0 * x).sin())
        };
        for (i, j) in (0..37).flat_map(|i| (0..37).map(move |j| (i, j))) {
            visible.add([p(i, j), p(i + 1, j), p(i + 1, j + 1)], 0, &view);
            visible.add([p(i, j), p(i + 1, j + 1), p(i, j + 1)], 0, &view);
        }
        let middle = (60..140).flat_map(|y| (60..140).map(move |x| y * 200 + x));
        assert!(middle.into_iter().all(|pixel| visible.triangles[pixel] == [0; SAMPLES]));
    }

    #[test]
    fn what_has_no_shape_is_not_drawn() {
        let mut visible = Visible::empty(SIZE);
        let huge = Vec3::new(1e300, -1e300, 1e300);
        for corners in [
            [Vec3::Z; 3],
            [Vec3::Z, Vec3::NAN, Vec3::X],
            [Vec3::Z, Vec3::ZERO, -Vec3::Z],
            [huge, -huge, Vec3::INFINITY],
            [Vec3::Z, Vec3::Z * 2.0, Vec3::Z * 3.0],
        ] {
            visible.add(corners, 0, &view());
        }
        assert_eq!(covered(&visible, 0), 0.0);
    }
}
