//! Landscapes: all the space below heights over a rectangle.

use super::Touch;
use super::hull::Triangles;
use super::parry::TriangleTree;
use crate::math::{Real, Vec3};

/// A height field made ready for questions.
#[derive(Clone, Debug)]
pub struct Terrain {
    corner: Vec3,
    /// Distances between neighbours along x and y [m].
    cell: [Real; 2],
    heights: Vec<Vec<Real>>,
    ground: TriangleTree,
}

impl Terrain {
    /// None if there is no cell.
    pub fn new(corner: Vec3, size: [Real; 2], heights: &[Vec<Real>]) -> Option<Self> {
        let (positions, triangles) = Self::triangles(corner, size, heights);
        let ground = TriangleTree::new(&positions, &triangles)?;
        Some(Self { corner, cell: cells(size, heights)?, heights: heights.to_vec(), ground })
    }

    /// The ground: each cell is cut from its lowest corner to its highest, in x and y.
    pub fn triangles(corner: Vec3, size: [Real; 2], heights: &[Vec<Real>]) -> Triangles {
        let Some(cell) = cells(size, heights) else { return Triangles::default() };
        let (rows, columns) = (heights.len() as u32, heights[0].len() as u32);
        let place = |(i, j, height): (usize, usize, Real)| {
            corner + Vec3::new(i as Real * cell[0], j as Real * cell[1], height)
        };
        let numbered = heights.iter().enumerate();
        let positions = numbered
            .flat_map(|(i, row)| row.iter().enumerate().map(move |(j, &height)| (i, j, height)))
            .map(place)
            .collect();
        let mut triangles = Vec::new();
        for i in 0..rows - 1 {
            for j in 0..columns - 1 {
                let a = i * columns + j;
                triangles.extend([[a, a + columns, a + columns + 1], [a, a + columns + 1, a + 1]]);
            }
        }
        (positions, triangles)
    }

    /// Lowest and highest corner of the box around the solid, which has no bottom [m].
    pub fn bounds(&self) -> [Vec3; 2] {
        let [low, high] = self.ground.bounds();
        [low.with_z(Real::NEG_INFINITY), high]
    }

    /// The surface nearest to a point: the ground, or one of the four walls below its border.
    pub fn closest(&self, point: Vec3) -> Touch {
        let [low, high] = self.ground.bounds();
        let ground = self.ground.nearest(point);
        let inside_border = point.clamp(low.with_z(point.z), high.with_z(point.z));
        let below = point.z < self.height(inside_border);
        let mut touch = Touch { normal: ground.away, distance: ground.distance };
        if inside_border == point && !below && touch.normal.z < 0.0 {
            touch.normal = -touch.normal; // on the ground but for rounding
        }
        if inside_border != point {
            let way = point - inside_border;
            if below && way.length() < touch.distance {
                touch = Touch { normal: way.normalize_or_zero(), distance: way.length() };
            }
        } else if below {
            let normal = if ground.behind { -ground.away } else { ground.away };
            touch = Touch { normal, distance: -ground.distance };
            for (depth, normal) in [
                (point.x - low.x, -Vec3::X),
                (high.x - point.x, Vec3::X),
                (point.y - low.y, -Vec3::Y),
                (high.y - point.y, Vec3::Y),
            ] {
                if -depth > touch.distance {
                    touch = Touch { normal, distance: -depth };
                }
            }
        }
        touch
    }

    /// Height of the ground at a place inside its border [m].
    fn height(&self, place: Vec3) -> Real {
        let (i, u) = part(place.x - self.corner.x, self.cell[0], self.heights.len());
        let (j, v) = part(place.y - self.corner.y, self.cell[1], self.heights[0].len());
        let [a, b] = [self.heights[i][j], self.heights[i + 1][j + 1]];
        let rise = if u > v {
            let corner = self.heights[i + 1][j];
            u * (corner - a) + v * (b - corner)
        } else {
            let corner = self.heights[i][j + 1];
            v * (corner - a) + u * (b - corner)
        };
        self.corner.z + a + rise
    }
}

/// The cell of a coordinate, and which part of it lies before the place.
fn part(way: Real, cell: Real, count: usize) -> (usize, Real) {
    let place = way / cell;
    let number = (place.max(0.0) as usize).min(count - 2);
    (number, place - number as Real)
}

/// Size of a cell [m]; none if there is none, or if rows have different lengths.
fn cells(size: [Real; 2], heights: &[Vec<Real>]) -> Option<[Real; 2]> {
    let (rows, columns) = (heights.len(), heights.first()?.len());
    let sound = rows >= 2 && columns >= 2 && heights.iter().all(|row| row.len() == columns);
    sound.then(|| [size[0] / (rows - 1) as Real, size[1] / (columns - 1) as Real])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slope z = x/2 + 1 over 0 ≤ x ≤ 4, 0 ≤ y ≤ 2.
    fn slope() -> Terrain {
        let heights = vec![vec![0.0; 3], vec![1.0; 3], vec![2.0; 3]];
        Terrain::new(Vec3::Z, [4.0, 2.0], &heights).unwrap()
    }

    #[test]
    fn distances_to_a_slope() {
        let normal = Vec3::new(-1.0, 0.0, 2.0).normalize();
        let foot = Vec3::new(2.0, 0.9, 2.0);
        for distance in [0.5, 1e-3, -1e-3, -0.3] {
            let touch = slope().closest(foot + normal * distance);
            assert!((touch.distance - distance).abs() < 1e-14, "{touch:?} for {distance}");
            assert!(touch.normal.distance(normal) < 1e-11, "{touch:?} for {distance}");
        }
    }

    #[test]
    fn deep_below_and_beside_it_there_are_walls() {
        let near = |point: Vec3, normal: Vec3, distance: Real| {
            let touch = slope().closest(point);
            assert!((touch.distance - distance).abs() < 1e-14, "{touch:?} at {point}");
            assert!(touch.normal.distance(normal) < 1e-14, "{touch:?} at {point}");
        };
        near(Vec3::new(2.0, 0.25, -50.0), -Vec3::Y, -0.25);
        near(Vec3::new(3.9, 1.0, -7.0), Vec3::X, -0.1);
        near(Vec3::new(6.0, 1.0, -7.0), Vec3::X, 2.0);
        near(Vec3::new(7.0, 6.0, 0.0), Vec3::new(0.6, 0.8, 0.0), 5.0);
    }

    #[test]
    fn ragged_rows_make_no_landscape() {
        assert!(Terrain::new(Vec3::ZERO, [1.0; 2], &[vec![0.0; 2], vec![0.0; 3]]).is_none());
        assert!(Terrain::new(Vec3::ZERO, [1.0; 2], &[vec![0.0; 2]]).is_none());
        assert!(Terrain::new(Vec3::ZERO, [1.0; 2], &[]).is_none());
    }
}
