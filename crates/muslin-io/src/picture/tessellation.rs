//! Bodies as triangles with normals.

use super::{Body, Color};
use muslin::math::{Real, Vec3};
use muslin::mesh::Face;
use std::f64::consts::{PI, TAU};

/// All triangles of a stage. Every corner is finite and in range.
#[derive(Clone, Debug, Default)]
pub(super) struct Geometry {
    /// Corner positions [m].
    pub positions: Vec<Vec3>,
    /// Unit normals at the corners; zero where the surface has none.
    pub normals: Vec<Vec3>,
    pub triangles: Vec<Triangle>,
    /// Unit normals of the triangles; zero without area.
    pub flat_normals: Vec<Vec3>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    pub corners: [u32; 3],
    /// Light that it throws back, in each channel.
    pub color: Vec3,
    pub substance: Substance,
}

/// How a body answers to light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Substance {
    Cloth,
    Rope,
    Ball,
    Solid,
}

/// Balls are drawn a little too small: a cloth lies on a ball with its vertices only, and the straight edges
/// between them would let the ball through.
const INSET: Real = 0.995;

/// Triangles of a solid that meet at more than this angle have an edge between them [rad].
const SHARP: Real = 0.7;

/// Corners around a rope.
const SIDES: usize = 14;

impl Geometry {
    pub fn of(bodies: &[Body]) -> Self {
        let mut geometry = Self::default();
        for body in bodies {
            match *body {
                Body::Surface { positions, faces, color } => geometry.add_surface(positions, faces, color),
                Body::Rope { positions, links, radius, color } if radius > 0.0 && radius.is_finite() => {
                    geometry.add_rope(positions, links, radius, color);
                }
                Body::Ball { center, radius, color } if radius > 0.0 && radius.is_finite() => {
                    let looks = Looks { color: color.linear(), substance: Substance::Ball };
                    geometry.add_ball(center, INSET * radius, [36, 72], looks);
                }
                Body::Capsule { ends, radius, color } if radius > 0.0 && radius.is_finite() => {
                    let looks = Looks { color: color.linear(), substance: Substance::Ball };
                    geometry.add_capsule(ends, INSET * radius, looks);
                }
                Body::Solid { positions, triangles, frame, color } => {
                    let placed: Vec<Vec3> = positions.iter().map(|&x| frame.place(x)).collect();
                    geometry.add_solid(&placed, triangles, color);
                }
                Body::Rope { .. } | Body::Ball { .. } | Body::Capsule { .. } => {}
            }
        }
        let flat = |triangle: &Triangle| {
            let [a, b, c] = geometry.corners(triangle);
            (b - a).cross(c - a).normalize_or_zero()
        };
        geometry.flat_normals = geometry.triangles.iter().map(flat).collect();
        geometry
    }

    /// The corners of a triangle in space.
    pub fn corners(&self, triangle: &Triangle) -> [Vec3; 3] {
        triangle.corners.map(|corner| self.positions[corner as usize])
    }

    fn add_surface(&mut self, positions: &[Vec3], faces: &[Face], color: Color) {
        let (first, light) = (self.positions.len(), color.linear());
        self.positions.extend_from_slice(positions);
        self.normals.resize(self.positions.len(), Vec3::ZERO);
        let sound = |&corner: &u32| positions.get(corner as usize).is_some_and(|p| p.is_finite());
        for face in faces {
            // The area vector of a bent quad is that of its whole loop, so that its diagonal stays invisible.
            let whole = face.corners().iter().all(sound).then(|| face.doubled_area_vector(positions));
            for corners in face.triangles().filter(|corners| corners.iter().all(sound)) {
                let [a, b, c] = corners.map(|corner| positions[corner as usize]);
                let area = whole.unwrap_or_else(|| (b - a).cross(c - a));
                let corners = corners.map(|corner| first as u32 + corner);
                for corner in corners {
                    self.normals[corner as usize] += area;
                }
                self.triangles.push(Triangle { corners, color: light, substance: Substance::Cloth });
            }
        }
        for normal in &mut self.normals[first..] {
            *normal = normal.normalize_or_zero();
        }
    }

    fn add_rope(&mut self, positions: &[Vec3], links: &[[u32; 2]], radius: Real, color: Color) {
        let looks = Looks { color: color.linear(), substance: Substance::Rope };
        let link_ends = |link: &[u32; 2]| {
            let [a, b] = link.map(|end| positions.get(end as usize).copied().filter(|p| p.is_finite()));
            Some([a?, b?])
        };
        // Where just two links meet, both end in the ring of the mean direction; elsewhere a ball joins them.
        let mut bends = vec![Bend::default(); positions.len()];
        for link in links {
            let Some([a, b]) = link_ends(link) else { continue };
            let Some(along) = (b - a).try_normalize() else { continue };
            bends[link[0] as usize].meet(along);
            bends[link[1] as usize].meet(-along);
        }
        for link in links {
            let Some([a, b]) = link_ends(link) else { continue };
            let Some(along) = (b - a).try_normalize() else { continue };
            let axes = link.map(|end| bends[end as usize].axis(along));
            self.add_tube([a, b], axes, radius, looks);
        }
        for (bend, &position) in bends.iter().zip(positions) {
            if bend.links != 0 && !bend.is_gentle() {
                self.add_ball(position, radius, [8, 14], looks);
            }
        }
    }

    /// A round tube between two points; `axes` are the normals of its end circles.
    fn add_tube(&mut self, ends: [Vec3; 2], axes: [Vec3; 2], radius: Real, looks: Looks) {
        let first = self.positions.len() as u32;
        let across = (ends[1] - ends[0]).any_orthogonal_vector();
        for (end, axis) in ends.into_iter().zip(axes) {
            let x = across.reject_from_normalized(axis).normalize_or(axis.any_orthonormal_vector());
            let y = axis.cross(x);
            for side in 0..SIDES {
                let (sin, cos) = (TAU * side as Real / SIDES as Real).sin_cos();
                let normal = cos * x + sin * y;
                self.positions.push(end + radius * normal);
                self.normals.push(normal);
            }
        }
        let sides = SIDES as u32;
        for side in 0..sides {
            let next = (side + 1) % sides;
            self.add_quad([side, next, sides + next, sides + side].map(|corner| first + corner), looks);
        }
    }

    /// A sphere by circles of latitude and longitude.
    fn add_ball(&mut self, center: Vec3, radius: Real, [rows, columns]: [u32; 2], looks: Looks) {
        if !center.is_finite() {
            return;
        }
        let first = self.positions.len() as u32;
        for row in 0..=rows {
            let (ring, height) = (PI * Real::from(row) / Real::from(rows)).sin_cos();
            for column in 0..columns {
                let (sin, cos) = (TAU * Real::from(column) / Real::from(columns)).sin_cos();
                let normal = Vec3::new(ring * cos, height, ring * sin);
                self.positions.push(center + radius * normal);
                self.normals.push(normal);
            }
        }
        for row in 0..rows {
            for column in 0..columns {
                let next = (column + 1) % columns;
                let at = |row: u32, column: u32| first + row * columns + column;
                self.add_quad(
                    [at(row, column), at(row, next), at(row + 1, next), at(row + 1, column)],
                    looks,
                );
            }
        }
    }

    /// A sphere cut in two at its equator, the halves moved apart.
    fn add_capsule(&mut self, ends: [Vec3; 2], radius: Real, looks: Looks) {
        const ROWS: u32 = 36;
        const COLUMNS: u32 = 72;
        if !ends.iter().all(|end| end.is_finite()) {
            return;
        }
        let first = self.positions.len() as u32;
        let axis = (ends[1] - ends[0]).try_normalize().unwrap_or(Vec3::Z);
        let (x, y) = axis.any_orthonormal_pair();
        // The equator is there twice, once for each half.
        let rings =
            (0..=ROWS / 2).map(|row| (row, ends[1])).chain((ROWS / 2..=ROWS).map(|row| (row, ends[0])));
        for (row, center) in rings {
            let (ring, height) = (PI * Real::from(row) / Real::from(ROWS)).sin_cos();
            for column in 0..COLUMNS {
                let (sin, cos) = (TAU * Real::from(column) / Real::from(COLUMNS)).sin_cos();
                let normal = axis * height + (x * cos + y * sin) * ring;
                self.positions.push(center + radius * normal);
                self.normals.push(normal);
            }
        }
        for row in 0..=ROWS {
            for column in 0..COLUMNS {
                let next = (column + 1) % COLUMNS;
                let at = |row: u32, column: u32| first + row * COLUMNS + column;
                self.add_quad(
                    [at(row, column), at(row, next), at(row + 1, next), at(row + 1, column)],
                    looks,
                );
            }
        }
    }

    /// Each triangle with corners of its own, whose normals are smooth over all but sharp edges.
    fn add_solid(&mut self, positions: &[Vec3], triangles: &[[u32; 3]], color: Color) {
        let sound = |&corner: &u32| positions.get(corner as usize).is_some_and(|p| p.is_finite());
        let sound: Vec<[u32; 3]> = triangles.iter().copied().filter(|t| t.iter().all(sound)).collect();
        let areas: Vec<Vec3> = sound
            .iter()
            .map(|triangle| {
                let [a, b, c] = triangle.map(|corner| positions[corner as usize]);
                (b - a).cross(c - a)
            })
            .collect();
        let mut around: Vec<Vec<usize>> = vec![Vec::new(); positions.len()];
        for (number, triangle) in sound.iter().enumerate() {
            for &corner in triangle {
                around[corner as usize].push(number);
            }
        }
        let light = color.linear();
        for (triangle, area) in sound.iter().zip(&areas) {
            let first = self.positions.len() as u32;
            for &corner in triangle {
                let smooth = |&&other: &&usize| areas[other].angle_between(*area) < SHARP;
                let normal: Vec3 = around[corner as usize].iter().filter(smooth).map(|&k| areas[k]).sum();
                self.positions.push(positions[corner as usize]);
                self.normals.push(normal.normalize_or_zero());
            }
            let corners = [first, first + 1, first + 2];
            self.triangles.push(Triangle { corners, color: light, substance: Substance::Solid });
        }
    }

    fn add_quad(&mut self, [a, b, c, d]: [u32; 4], looks: Looks) {
        let Looks { color, substance } = looks;
        self.triangles.extend([[a, b, c], [a, c, d]].map(|corners| Triangle { corners, color, substance }));
    }
}

#[derive(Clone, Copy)]
struct Looks {
    color: Vec3,
    substance: Substance,
}

/// The links that meet at a vertex of a rope.
#[derive(Clone, Copy, Default)]
struct Bend {
    links: u32,
    /// The first unit vector away from the vertex minus the second: the way through it.
    through: Vec3,
}

impl Bend {
    fn meet(&mut self, away: Vec3) {
        self.links += 1;
        self.through += if self.links == 1 { away } else { -away };
    }

    /// Whether two links meet at less than a right angle, so that one ring can end both.
    fn is_gentle(&self) -> bool {
        self.links == 2 && self.through.length_squared() > 2.0
    }

    /// The axis of the ring in which a link in direction `along` ends here.
    fn axis(&self, along: Vec3) -> Vec3 {
        let mean = self.through.normalize_or(along);
        if self.is_gentle() { mean * mean.dot(along).signum() } else { along }
    }
}
