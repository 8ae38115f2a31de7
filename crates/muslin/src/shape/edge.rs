//! Sharp edges of solids: where two faces enclose a small angle.
//!
//! ```text
//! ahead    b = (n₁ + n₂)/|n₁ + n₂|, out of the solid, from the normals of the two faces
//! strip    between the edge and the same edge moved by r b: all that is nearer than r ahead of it
//! join     at a vertex with another sharp edge the strips end in a fan from b over (b + b′)/|b + b′| to b′; where the edge
//!          bends inwards both end at the middle direction
//! ```

use super::Collider;
use super::triangulation::Core;
use crate::math::{Real, Vec3};
use std::collections::BTreeMap;

/// Edges of a solid that cut cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct CuttingEdge {
    /// Edges are sharp where the faces of the solid enclose a smaller angle than this [degrees].
    pub degrees: Real,
    /// The force of cloth on a sharp edge from which on it gives way [N]; 0: it does at a touch.
    #[cfg_attr(feature = "serde", serde(default))]
    pub resistance: Real,
    /// How far ahead of the edge the cut runs [m].
    pub reach: Real,
}

/// A sharp edge, and what lies ahead of it.
#[derive(Clone, Debug, PartialEq)]
pub struct SharpEdge {
    /// Its ends [m].
    pub ends: [Vec3; 2],
    /// What is within reach ahead of it, as quads; those of edges that meet turn the same way round [m].
    pub ahead: Vec<[Vec3; 4]>,
}

/// An edge between two faces: its ends, and the unit vector out of the solid.
struct Ridge {
    ends: [u32; 2],
    ahead: Vec3,
}

impl Collider {
    /// Its edges that cut, at time 0.
    pub(crate) fn sharp_edges(&self) -> Vec<SharpEdge> {
        self.edge.map(|edge| SharpEdge::all(&self.core(), &edge)).unwrap_or_default()
    }
}

impl SharpEdge {
    /// The sharp edges of a shape, each with the strip ahead of it.
    fn all(core: &Core, edge: &CuttingEdge) -> Vec<Self> {
        let Core::Faces { positions, triangles } = core else { return Vec::new() };
        let mut ridges = ridges(positions, triangles, edge.degrees.to_radians());
        turn_the_same_way(&mut ridges);
        let at = |v: u32| positions[v as usize];
        let of_ridge = |(number, ridge): (usize, &Ridge)| {
            let ends = ridge.ends.map(at);
            let mut tips = ends.map(|end| end + ridge.ahead * edge.reach);
            let mut ahead = Vec::new();
            for k in 0..2 {
                let Some(next) = partner(&ridges, number, ridge.ends[k]) else { continue };
                let Some(middle) = (ridge.ahead + next.ahead).try_normalize() else { continue };
                let other = if next.ends[0] == ridge.ends[k] { next.ends[1] } else { next.ends[0] };
                let middle = ends[k] + middle * edge.reach;
                if ridge.ahead.dot(at(other) - ends[k]) > 0.0 {
                    tips[k] = middle; // bends inwards
                } else if k == 0 {
                    ahead.push([ends[0], tips[0], middle, middle]);
                } else {
                    ahead.push([ends[1], middle, tips[1], tips[1]]);
                }
            }
            ahead.push([ends[0], ends[1], tips[1], tips[0]]);
            Self { ends, ahead }
        };
        ridges.iter().enumerate().map(of_ridge).collect()
    }
}

/// The edges at which faces enclose less than an angle [rad], by their ends.
fn ridges(positions: &[Vec3], triangles: &[[u32; 3]], angle: Real) -> Vec<Ridge> {
    let mut sides: BTreeMap<[u32; 2], Vec<[u32; 3]>> = BTreeMap::new();
    for &[a, b, c] in triangles {
        for [p, q, far] in [[a, b, c], [b, c, a], [c, a, b]] {
            sides.entry([p.min(q), p.max(q)]).or_default().push([p, q, far]);
        }
    }
    let at = |v: u32| positions[v as usize];
    let normal = |[p, q, far]: [u32; 3]| (at(q) - at(p)).cross(at(far) - at(p)).try_normalize();
    let ridge = |(ends, beside): (&[u32; 2], &Vec<[u32; 3]>)| {
        let [one, other] = beside.as_slice() else { return None };
        let normals = [normal(*one)?, normal(*other)?];
        let is_convex = normals[0].dot(at(other[2]) - at(one[0])) < 0.0;
        let enclosed = std::f64::consts::PI - normals[0].angle_between(normals[1]);
        let ahead = (normals[0] + normals[1]).try_normalize()?;
        (is_convex && enclosed < angle).then_some(Ridge { ends: *ends, ahead })
    };
    sides.iter().filter_map(ridge).collect()
}

/// The other ridge at a vertex, if there is exactly one.
fn partner(ridges: &[Ridge], number: usize, vertex: u32) -> Option<&Ridge> {
    let mut others =
        ridges.iter().enumerate().filter(|(k, ridge)| *k != number && ridge.ends.contains(&vertex));
    others.next().filter(|_| others.next().is_none()).map(|(_, ridge)| ridge)
}

/// Swaps ends so that where two ridges meet, one ends and the other begins.
fn turn_the_same_way(ridges: &mut [Ridge]) {
    let mut is_done = vec![false; ridges.len()];
    for first in 0..ridges.len() {
        let mut stack = vec![first];
        while let Some(k) = stack.pop() {
            if std::mem::replace(&mut is_done[k], true) {
                continue;
            }
            for (end, vertex) in ridges[k].ends.into_iter().enumerate() {
                for other in 0..ridges.len() {
                    if !is_done[other] && ridges[other].ends.contains(&vertex) {
                        if ridges[other].ends[end] == vertex {
                            ridges[other].ends.swap(0, 1);
                        }
                        stack.push(other);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;

    /// A wedge along y with its edge at the origin, upwards.
    fn wedge(half_width: Real) -> Core {
        let points = [-1.0, 1.0].into_iter().flat_map(|y| {
            [[0.0, 0.0], [-half_width, -1.0], [half_width, -1.0]].map(|[x, z]| Vec3::new(x, y, z))
        });
        Collider::from(Shape::Hull { points: points.collect() }).core()
    }

    #[test]
    fn a_wedge_has_one_sharp_edge() {
        let edge = CuttingEdge { degrees: 30.0, resistance: 0.0, reach: 0.1 };
        let found = SharpEdge::all(&wedge(0.2), &edge);
        assert_eq!(found.len(), 1, "{found:?}");
        let [a, b, c, d] = found[0].ahead[0];
        assert_eq!([a.x, a.z, b.x, b.z], [0.0; 4]);
        for (low, high) in [(a, d), (b, c)] {
            assert!(high.distance(low + Vec3::Z * 0.1) < 1e-12, "{low} {high}");
        }
        assert_eq!(SharpEdge::all(&wedge(0.6), &edge), [], "62 degrees are not sharp");
    }

    /// A point of four faces, thin along y: its two edges meet at the tip, and what lies ahead of it belongs to one of them.
    #[test]
    fn the_strips_of_two_edges_close_around_their_tip() {
        let corners =
            [[0.0, 0.0, 0.0], [0.3, 0.0, -1.0], [-0.3, 0.0, -1.0], [0.0, 0.05, -1.0], [0.0, -0.05, -1.0]];
        let core = Collider::from(Shape::Hull { points: corners.map(Vec3::from).to_vec() }).core();
        let edge = CuttingEdge { degrees: 60.0, resistance: 0.0, reach: 0.1 };
        let found = SharpEdge::all(&core, &edge);
        assert_eq!(found.len(), 2, "{found:?}");
        let area_vectors = found
            .iter()
            .flat_map(|edge| &edge.ahead)
            .map(|[a, b, c, d]| (*b - *a).cross(*c - *a) * 0.5 + (*c - *a).cross(*d - *a) * 0.5);
        let areas: Vec<Real> = area_vectors.map(|area| area.y).collect();
        assert!(areas.iter().all(|area| area * areas[0] > 0.0), "all turn one way: {areas:?}");
        // Two strips along edges of this length, and a fan of two triangles: the sine of their angle is 1/length.
        let length = (0.09_f64 + 1.0).sqrt();
        let fan = 0.1 * 0.1 / length;
        let sum: Real = areas.iter().map(|area| area.abs()).sum();
        assert!((sum - (2.0 * 0.1 * length + fan)).abs() < 1e-9, "{sum}");
    }
}
