//! A convex region of the cloth, laid out flat.
//!
//! Some triangles are seen along their mean normal. Around them the cloth is followed from triangle to triangle until it covers
//! the convex hull of what is seen, once and without gap; where it has a border, a slit, a fold or a branch within the hull,
//! there is no layout.

use crate::contact::mesh::adjacency::Adjacency;
use crate::contact::mesh::collision_mesh::CollisionMesh;
use crate::math::{Real, Vec2, Vec3};
use std::f64::consts::TAU;

/// Triangles of a layout at the most.
pub const MOST: usize = 24;
/// Least cosine between the normals of triangles and the direction in which they are seen.
const UPRIGHT: Real = 0.3;
/// Fraction of the size of a hull by which borders may bulge into it.
const BULGE: Real = 1e-6;

/// A convex region, laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Triangles that cover it.
    pub triangles: Vec<u32>,
    /// The matrix [a − c, b − c]⁻¹ of each, by rows, of its corners a, b, c in the layout [1/m].
    pub inverses: Vec<[Real; 4]>,
    /// The least altitude of a triangle [m].
    pub altitude: Real,
    /// How much longer than in the layout a path on the cloth can be.
    pub lift: Real,
}

/// What layouts are made of.
#[derive(Debug)]
pub struct Plan<'a> {
    pub surface: &'a CollisionMesh,
    /// Its vertices [m].
    pub x: &'a [Vec3],
    /// The triangles at its edges.
    pub at_edges: Adjacency,
}

impl<'a> Plan<'a> {
    /// Layouts of a surface with its vertices at x [m].
    pub fn new(surface: &'a CollisionMesh, x: &'a [Vec3]) -> Self {
        Self { surface, x, at_edges: surface.triangles_at_edges() }
    }

    /// The layout of the convex hull of some triangles. Appends all triangles that it, or its absence, depends on.
    pub fn around(&self, core: &[u32], seen: &mut Vec<u32>) -> Option<Layout> {
        seen.extend_from_slice(core);
        let view = self.view(core)?;
        let hull = Hull::of(core.iter().flat_map(|&t| self.seen(view, t)).collect())?;
        let mut triangles = vec![core[0]];
        let mut done = 0;
        while done < triangles.len() {
            let t = triangles[done];
            done += 1;
            let corners = self.seen(view, t);
            for (k, side) in self.surface.sides(t).into_iter().enumerate() {
                let ends = [corners[(k + 1) % 3], corners[(k + 2) % 3]];
                if !hull.is_crossed(ends) {
                    continue;
                }
                let [a, b] = *self.at_edges.of(side as usize) else { return None };
                let next = if a == t { b } else { a };
                if !seen.contains(&next) {
                    seen.push(next);
                }
                if !self.is_beyond(view, next, ends, corners[k]) {
                    return None;
                }
                if !triangles.contains(&next) {
                    triangles.push(next);
                }
            }
            if triangles.len() > MOST {
                return None;
            }
        }
        let is_whole =
            core.iter().all(|t| triangles.contains(t)) && self.has_no_branch(view, &hull, &triangles);
        if is_whole { self.laid_out(view, triangles) } else { None }
    }

    /// Three directions: two that span the layout and the one in which it is seen.
    fn view(&self, core: &[u32]) -> Option<[Vec3; 3]> {
        let first = self.normal(*core.first()?);
        let normals = core.iter().map(|&t| self.normal(t));
        let sum: Vec3 = normals.map(|n| if n.dot(first) < 0.0 { -n } else { n }).sum();
        let along = sum.try_normalize()?;
        let (first, second) = along.any_orthonormal_pair();
        Some([first, second, along])
    }

    /// Of a triangle, as long as twice its area.
    fn normal(&self, triangle: u32) -> Vec3 {
        let [a, b, c] = self.surface.triangles[triangle as usize].map(|v| self.x[v as usize]);
        (b - a).cross(c - a)
    }

    fn seen(&self, view: [Vec3; 3], triangle: u32) -> [Vec2; 3] {
        self.surface.triangles[triangle as usize].map(|v| {
            let x = self.x[v as usize];
            Vec2::new(view[0].dot(x), view[1].dot(x))
        })
    }

    /// Whether a triangle lies on the other side of one of its edges than `corner`.
    fn is_beyond(&self, view: [Vec3; 3], triangle: u32, ends: [Vec2; 2], corner: Vec2) -> bool {
        let side = |p: Vec2| (ends[1] - ends[0]).perp_dot(p - ends[0]);
        let third = self.seen(view, triangle).into_iter().find(|p| !ends.contains(p));
        third.is_some_and(|third| side(third) * side(corner) < 0.0)
    }

    /// Whether the cloth goes around every vertex in the hull once.
    fn has_no_branch(&self, view: [Vec3; 3], hull: &Hull, triangles: &[u32]) -> bool {
        let mut angles: Vec<(u32, Real)> = Vec::new();
        for &t in triangles {
            let (vertices, seen) = (self.surface.triangles[t as usize], self.seen(view, t));
            for k in 0..3 {
                if hull.contains(seen[k]) {
                    let angle = (seen[(k + 1) % 3] - seen[k]).angle_to(seen[(k + 2) % 3] - seen[k]).abs();
                    match angles.iter_mut().find(|(v, _)| *v == vertices[k]) {
                        Some((_, sum)) => *sum += angle,
                        None => angles.push((vertices[k], angle)),
                    }
                }
            }
        }
        angles.iter().all(|(_, sum)| (sum - TAU).abs() < 1e-3)
    }

    fn laid_out(&self, view: [Vec3; 3], triangles: Vec<u32>) -> Option<Layout> {
        let (mut altitude, mut upright) = (Real::INFINITY, Real::INFINITY);
        let mut inverses = Vec::new();
        for &t in &triangles {
            let normal = self.normal(t);
            upright = upright.min(normal.dot(view[2]).abs() / normal.length());
            let [a, b, c] = self.seen(view, t);
            let (d, e) = (a - c, b - c);
            let area = d.perp_dot(e);
            let longest = d.length().max(e.length()).max(d.distance(e));
            altitude = altitude.min(area.abs() / longest);
            inverses.push([e.y, -e.x, -d.y, d.x].map(|entry| entry / area));
        }
        let is_sound = upright >= UPRIGHT && altitude > 0.0;
        is_sound.then(|| Layout { triangles, inverses, altitude, lift: 1.0 / upright })
    }
}

/// A convex polygon.
#[derive(Debug)]
struct Hull {
    /// Corners and inner unit normals of the edges behind them, counterclockwise.
    sides: Vec<(Vec2, Vec2)>,
    /// How far inside a point has to be to count [m].
    bulge: Real,
}

impl Hull {
    /// The hull of some points, if they do not all lie on a line.
    fn of(mut points: Vec<Vec2>) -> Option<Self> {
        points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        points.dedup();
        let half = |points: &mut dyn Iterator<Item = Vec2>| {
            let mut chain: Vec<Vec2> = Vec::new();
            for p in points {
                while let [.., a, b] = chain[..]
                    && (b - a).perp_dot(p - a) <= 0.0
                {
                    chain.pop();
                }
                chain.push(p);
            }
            chain.pop();
            chain
        };
        let mut corners = half(&mut points.iter().copied());
        corners.extend(half(&mut points.iter().rev().copied()));
        if corners.len() < 3 {
            return None;
        }
        let size = points.iter().map(|p| p.distance(points[0])).fold(0.0, Real::max);
        let next = corners.iter().cycle().skip(1);
        let sides =
            corners.iter().zip(next).map(|(&a, &b)| (a, (b - a).normalize_or_zero().perp())).collect();
        Some(Self { sides, bulge: BULGE * size })
    }

    fn contains(&self, p: Vec2) -> bool {
        self.sides.iter().all(|(corner, normal)| normal.dot(p - *corner) > self.bulge)
    }

    /// Whether some of a segment lies inside.
    fn is_crossed(&self, [a, b]: [Vec2; 2]) -> bool {
        let (mut from, mut to): (Real, Real) = (0.0, 1.0);
        for (corner, normal) in &self.sides {
            let (at_a, at_b) = (normal.dot(a - *corner) - self.bulge, normal.dot(b - *corner) - self.bulge);
            if at_a <= 0.0 && at_b <= 0.0 {
                return false;
            }
            let crossing = at_a / (at_a - at_b);
            if at_a < 0.0 {
                from = from.max(crossing);
            } else if at_b < 0.0 {
                to = to.min(crossing);
            }
        }
        from < to
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::mesh::collision_mesh::SolidSurface;
    use crate::model::Model;

    /// The layout around the first triangles of a mesh, some `core` of them.
    fn layout(points: &[[Real; 2]], triangles: &[[u32; 3]], core: usize) -> Option<Layout> {
        let x: Vec<Vec3> = points.iter().map(|p| Vec3::new(p[0], p[1], 0.0)).collect();
        let solid =
            SolidSurface { positions: x.clone(), triangles: triangles.to_vec(), ..SolidSurface::default() };
        let surface = CollisionMesh::of(&Model::default(), &[solid]);
        let core: Vec<u32> = (0..core as u32).collect();
        Plan::new(&surface, &x).around(&core, &mut Vec::new())
    }

    /// A fan of `count` triangles around the origin, each of an angle [rad].
    fn fan(count: u32, angle: Real) -> (Vec<[Real; 2]>, Vec<[u32; 3]>) {
        let mut points = vec![[0.0, 0.0]];
        points.extend((0..count).map(|k| (angle * Real::from(k)).sin_cos()).map(|(sin, cos)| [cos, sin]));
        (points, (0..count).map(|k| [0, 1 + k, 1 + (k + 1) % count]).collect())
    }

    #[test]
    fn a_convex_fan_is_its_own_layout() {
        let (points, triangles) = fan(6, TAU / 6.0);
        let found = layout(&points, &triangles, 6).unwrap();
        assert_eq!(found.triangles.len(), 6);
        assert!((found.altitude - 0.75f64.sqrt()).abs() < 1e-12 && (found.lift - 1.0).abs() < 1e-12);
        for (t, inverse) in found.triangles.iter().zip(&found.inverses) {
            // Gradients of positions over the layout are those of a rotation here.
            let [a, b, c] = triangles[*t as usize].map(|v| Vec2::from(points[v as usize]));
            let (d, e, [p, q, r, s]) = (a - c, b - c, *inverse);
            let (j, k) = (d * p + e * r, d * q + e * s);
            assert!(
                (j.length() - 1.0).abs() < 1e-12
                    && (k.length() - 1.0).abs() < 1e-12
                    && j.dot(k).abs() < 1e-12
            );
        }
    }

    #[test]
    fn the_cloth_around_fills_the_hull() {
        // Two opposite triangles of a fan: the hull takes in the others.
        let (points, mut triangles) = fan(6, TAU / 6.0);
        triangles.swap(1, 3);
        assert_eq!(layout(&points, &triangles, 2).unwrap().triangles.len(), 6);
        // Without one of those there is a gap.
        triangles.remove(4);
        assert_eq!(layout(&points, &triangles, 2), None);
    }

    #[test]
    fn overlapping_or_disconnected_triangles_have_no_layout() {
        // Twelve triangles wind around their centre twice.
        let (points, triangles) = fan(12, TAU / 6.0);
        assert_eq!(layout(&points, &triangles, 12), None);
        // Two triangles lie on each other.
        let points = [[0.0, 0.0], [1.0, 0.0], [0.5, 1.0], [0.4, 0.9]];
        assert_eq!(layout(&points, &[[0, 1, 2], [1, 0, 3]], 2), None);
        // Two triangles have but a corner in common.
        let points = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-1.0, -1.0]];
        assert_eq!(layout(&points, &[[0, 1, 2], [0, 3, 4]], 2), None);
        // Nothing has an area.
        assert_eq!(layout(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], &[[0, 1, 2]], 1), None);
    }

    #[test]
    fn a_slit_is_a_border() {
        // A square of four quads, cut open from the middle of a side (1 and 9) to its centre.
        let points = [
            [0., 0.],
            [1., 0.],
            [2., 0.],
            [0., 1.],
            [1., 1.],
            [2., 1.],
            [0., 2.],
            [1., 2.],
            [2., 2.],
            [1., 0.],
        ];
        let whole = [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [3, 4, 7], [3, 7, 6], [4, 5, 8], [4, 8, 7]];
        assert_eq!(layout(&points[..9], &whole, 8).unwrap().triangles.len(), 8);
        let mut cut = whole;
        cut[0] = [0, 9, 4];
        assert_eq!(layout(&points, &cut, 8), None);
    }
}
