//! Whether triangles intersect, exactly.
//!
//! ```text
//! A ∩ B ≠ ∅  ⇔  an edge of A meets B, or an edge of B meets A     (also if flat, contained or degenerate)
//! segment across a plane:   pq meets abc  ⇔  no two of [pqab], [pqbc], [pqca] have opposite signs
//! segment within a plane:   the same question for the shadows on a coordinate plane where abc keeps an area
//! ```
//!
//! Signs come from Shewchuk's adaptive predicates [1997], hence hold for any coordinates that neither overflow
//! nor underflow in them (1e-90 to 1e90 m). Sets are closed: touching is intersecting.
//!
//! Triangles with a common edge are not tested. They always meet in it, and meet elsewhere only if folded flat
//! onto each other, which no motion does but for an instant.

use super::distance;
use crate::math::{Real, Vec3};
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Whether two triangles have a point in common.
pub fn triangles_intersect(a: [Vec3; 3], b: [Vec3; 3]) -> bool {
    if boxes_apart(&a, &b) {
        return false;
    }
    let sides_of_a = sides(b, a);
    if sides_of_a == [1; 3] || sides_of_a == [-1; 3] {
        return false;
    }
    let sides_of_b = sides(a, b);
    if sides_of_b == [1; 3] || sides_of_b == [-1; 3] {
        return false;
    }
    EDGES.iter().any(|&[i, j]| {
        segment_meets_triangle([a[i], a[j]], [sides_of_a[i], sides_of_a[j]], b)
            || segment_meets_triangle([b[i], b[j]], [sides_of_b[i], sides_of_b[j]], a)
    })
}

/// Whether the triangles `shared`–`a` and `shared`–`b` meet anywhere but at their common vertex.
///
/// Then they share a segment from there on, up to the far edge of one of them, which meets the other one.
pub fn triangles_sharing_a_vertex_intersect(shared: Vec3, a: [Vec3; 2], b: [Vec3; 2]) -> bool {
    // Both on one side of the other's plane: quick, and nearly always so.
    let apart = |sides: [i8; 2]| sides[0] * sides[1] > 0;
    if apart(sides([shared, b[0], b[1]], a)) || apart(sides([shared, a[0], a[1]], b)) {
        return false;
    }
    let meets = |far: [Vec3; 2], other: [Vec3; 2]| {
        let triangle = [shared, other[0], other[1]];
        segment_meets_triangle(far, sides(triangle, far), triangle)
    };
    far_edges(shared, a).any(|a| far_edges(shared, b).any(|b| meets(a, b) || meets(b, a)))
}

/// Where a segment meets a triangle, if it does: the decision is exact, the point is rounded [m].
pub fn segment_triangle_intersection(segment: [Vec3; 2], triangle: [Vec3; 3]) -> Option<Vec3> {
    segment_meets_triangle(segment, sides(triangle, segment), triangle).then(|| {
        let (s, _) = distance::segment_triangle(segment, triangle);
        segment[0].lerp(segment[1], s)
    })
}

const EDGES: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];

/// The edge opposite to the shared vertex; of a triangle without area, the ends of its two spokes, since the
/// edge itself could pass through the vertex.
fn far_edges(shared: Vec3, [p, q]: [Vec3; 2]) -> impl Iterator<Item = [Vec3; 2]> {
    let flat = shadow_with_area([shared, p, q]).is_none();
    let edges = if flat { [[p, p], [q, q]] } else { [[p, q], [shared; 2]] };
    edges.into_iter().filter(move |&[from, _]| from != shared)
}

/// Whether bounding boxes are apart.
#[inline]
fn boxes_apart(a: &[Vec3; 3], b: &[Vec3; 3]) -> bool {
    let (a_low, a_high) = (a[0].min(a[1]).min(a[2]), a[0].max(a[1]).max(a[2]));
    let (b_low, b_high) = (b[0].min(b[1]).min(b[2]), b[0].max(b[1]).max(b[2]));
    a_low.cmpgt(b_high).any() || b_low.cmpgt(a_high).any()
}

/// The sides of a triangle's plane that points lie on: 1 where (b − a) × (c − a) points to, −1, or 0 on it and
/// for triangles without area.
///
/// Rounded arithmetic decides what it can, with one normal for all; the exact predicate takes the rest.
#[inline(always)]
fn sides<const N: usize>([a, b, c]: [Vec3; 3], points: [Vec3; N]) -> [i8; N] {
    // 7 + 56 eps half ulps of the sum of the terms' magnitudes [Shewchuk 1997, §4.3], rounded up.
    const BOUND: Real = 1e-15;
    let (u, v) = (b - a, c - a);
    let left = Vec3::new(u.y * v.z, u.z * v.x, u.x * v.y);
    let right = Vec3::new(u.z * v.y, u.x * v.z, u.y * v.x);
    let (normal, magnitude) = (left - right, left.abs() + right.abs());
    let mut sides = [0; N];
    for i in 0..N {
        let r = points[i] - a;
        let (height, bound) = (normal.dot(r), BOUND * magnitude.dot(r.abs()));
        sides[i] = if height > bound {
            1
        } else if height < -bound {
            -1
        } else {
            exact_side(a, b, c, points[i])
        };
    }
    sides
}

#[cold]
#[inline(never)]
fn exact_side(a: Vec3, b: Vec3, c: Vec3, x: Vec3) -> i8 {
    let coord = |p: Vec3| Coord3D { x: p.x, y: p.y, z: p.z };
    // The predicate counts the other side as positive.
    -sign(orient3d(coord(a), coord(b), coord(c), coord(x)))
}

/// Whether a segment meets a triangle, given the sides of its ends.
fn segment_meets_triangle([p, q]: [Vec3; 2], ends: [i8; 2], triangle: [Vec3; 3]) -> bool {
    if ends[0] * ends[1] > 0 {
        return false;
    }
    if ends == [0, 0] {
        return segment_meets_coplanar_triangle([p, q], triangle);
    }
    // Ends on different sides (or one on the plane): the line crosses the plane in one point, and the triangle
    // has an area.
    let [a, b, c] = triangle;
    let [[ab], [bc], [ca]] = [sides([p, q, a], [b]), sides([p, q, b], [c]), sides([p, q, c], [a])];
    let turns = [ab, bc, ca];
    !(turns.contains(&1) && turns.contains(&-1))
}

fn segment_meets_coplanar_triangle(segment: [Vec3; 2], triangle: [Vec3; 3]) -> bool {
    let Some(axis) = shadow_with_area(triangle) else {
        // Without an area the triangle is its edges.
        return EDGES.iter().any(|&[i, j]| segments_meet(segment, [triangle[i], triangle[j]]));
    };
    let (segment, triangle) = (segment.map(|x| shadow(x, axis)), triangle.map(|x| shadow(x, axis)));
    let turns = EDGES.map(|[i, j]| turn(triangle[i], triangle[j], segment[0]));
    let inside = !(turns.contains(&1) && turns.contains(&-1));
    inside || EDGES.iter().any(|&[i, j]| shadows_meet(segment, [triangle[i], triangle[j]]))
}

fn segments_meet(a: [Vec3; 2], b: [Vec3; 2]) -> bool {
    if sides([a[0], a[1], b[0]], [b[1]]) != [0] {
        return false;
    }
    // Coplanar: any three of the points that span the plane name a coordinate plane to look from.
    let spanning = [[a[0], a[1], b[0]], [a[0], a[1], b[1]], [b[0], b[1], a[0]], [b[0], b[1], a[1]]];
    match spanning.into_iter().find_map(shadow_with_area) {
        Some(axis) => shadows_meet(a.map(|x| shadow(x, axis)), b.map(|x| shadow(x, axis))),
        // All on one line, along which every coordinate is monotone.
        None => a[0].min(a[1]).cmple(b[0].max(b[1])).all() && b[0].min(b[1]).cmple(a[0].max(a[1])).all(),
    }
}

/// The first axis along which the triangle's shadow has an area; none if the triangle has none.
fn shadow_with_area([a, b, c]: [Vec3; 3]) -> Option<usize> {
    (0..3).find(|&axis| turn(shadow(a, axis), shadow(b, axis), shadow(c, axis)) != 0)
}

fn shadow(x: Vec3, axis: usize) -> Coord<Real> {
    Coord { x: x[(axis + 1) % 3], y: x[(axis + 2) % 3] }
}

fn turn(a: Coord<Real>, b: Coord<Real>, c: Coord<Real>) -> i8 {
    sign(orient2d(a, b, c))
}

/// Whether two segments in a plane meet.
fn shadows_meet([p, q]: [Coord<Real>; 2], [r, s]: [Coord<Real>; 2]) -> bool {
    let turns = [turn(p, q, r), turn(p, q, s), turn(r, s, p), turn(r, s, q)];
    if turns == [0; 4] {
        let overlap = |a: Real, b: Real, c: Real, d: Real| a.min(b) <= c.max(d) && c.min(d) <= a.max(b);
        return overlap(p.x, q.x, r.x, s.x) && overlap(p.y, q.y, r.y, s.y);
    }
    turns[0] * turns[1] <= 0 && turns[2] * turns[3] <= 0
}

fn sign(x: Real) -> i8 {
    (x > 0.0) as i8 - (x < 0.0) as i8
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Int = [i64; 3];

    fn sub(a: Int, b: Int) -> Int {
        [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
    }

    fn dot(a: Int, b: Int) -> i64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    fn cross(a: Int, b: Int) -> Int {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    fn real(x: Int) -> Vec3 {
        Vec3::new(x[0] as Real, x[1] as Real, x[2] as Real)
    }

    /// Whether x = α u + β v with α, β ≥ 0, in integers.
    fn in_cone(x: Int, u: Int, v: Int) -> bool {
        let n = cross(u, v);
        if n == [0; 3] {
            return [u, v].iter().any(|&ray| cross(x, ray) == [0; 3] && dot(x, ray) > 0);
        }
        dot(n, x) == 0 && dot(n, cross(x, v)) >= 0 && dot(n, cross(u, x)) >= 0
    }

    /// Whether 0 lies in the hull of the points: in that of at most four of them [Carathéodory].
    fn hull_has_origin(points: &[Int]) -> bool {
        let n = points.len();
        (0..n).any(|i| {
            let p = points[i];
            let opposite = sub([0; 3], p);
            p == [0; 3]
                || (i + 1..n).any(|j| {
                    let q = points[j];
                    // 0 in the hull of p and others: −p is in the cone of the others.
                    (cross(p, q) == [0; 3] && dot(p, q) < 0)
                        || (j + 1..n).any(|k| {
                            let r = points[k];
                            (cross(q, r) != [0; 3] && in_cone(opposite, q, r))
                                || (k + 1..n).any(|l| {
                                    let s = points[l];
                                    let volume = dot(q, cross(r, s));
                                    let terms = [
                                        dot(opposite, cross(r, s)),
                                        dot(q, cross(opposite, s)),
                                        dot(q, cross(r, opposite)),
                                    ];
                                    volume != 0 && terms.iter().all(|term| term * volume >= 0)
                                })
                        })
                })
        })
    }

    fn intersect_in_integers(a: [Int; 3], b: [Int; 3]) -> bool {
        let differences: Vec<Int> = a.iter().flat_map(|&x| b.iter().map(move |&y| sub(x, y))).collect();
        hull_has_origin(&differences)
    }

    /// Rays of the one cone in the other, or a ray inside both.
    fn cones_meet_in_integers(a: [Int; 2], b: [Int; 2]) -> bool {
        let d = cross(cross(a[0], a[1]), cross(b[0], b[1]));
        let rays = [a[0], a[1], b[0], b[1], d, sub([0; 3], d)];
        rays.iter().any(|&x| x != [0; 3] && in_cone(x, a[0], a[1]) && in_cone(x, b[0], b[1]))
    }

    fn grid(range: i64) -> impl Strategy<Value = Int> {
        prop::array::uniform3(-range..=range)
    }

    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

    fn check(a: [Int; 3], b: [Int; 3]) -> Result<(), TestCaseError> {
        let expected = intersect_in_integers(a, b);
        for order in ORDERS {
            let (c, d) = (a.map(real), order.map(|i| real(b[i])));
            prop_assert_eq!(triangles_intersect(c, d), expected);
            prop_assert_eq!(triangles_intersect(d, c), expected);
            let (c, d) = (order.map(|i| real(a[i])), b.map(real));
            prop_assert_eq!(triangles_intersect(c, d), expected);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(15_000))]

        #[test]
        fn agrees_with_integers(a in prop::array::uniform3(grid(3)), b in prop::array::uniform3(grid(3))) {
            check(a, b)?;
        }

        #[test]
        fn agrees_with_integers_when_degenerate(a in prop::array::uniform3(grid(1)), b in prop::array::uniform3(grid(1))) {
            check(a, b)?;
        }

        #[test]
        fn agrees_with_integers_in_one_plane(mut a in prop::array::uniform3(grid(3)), mut b in prop::array::uniform3(grid(3)), u in grid(2), v in grid(2)) {
            for x in a.iter_mut().chain(&mut b) {
                *x = [0, 1, 2].map(|k| x[0] * u[k] + x[1] * v[k]);
            }
            check(a, b)?;
        }

        #[test]
        fn shared_vertices_agree_with_integers(s in grid(2), a in prop::array::uniform2(grid(2)), b in prop::array::uniform2(grid(2))) {
            let expected = cones_meet_in_integers(a.map(|x| sub(x, s)), b.map(|x| sub(x, s)));
            let (s, c, d) = (real(s), a.map(real), b.map(real));
            for (c, d) in [(c, d), (d, c), ([c[1], c[0]], d), (c, [d[1], d[0]]), ([d[1], d[0]], [c[1], c[0]])] {
                prop_assert_eq!(triangles_sharing_a_vertex_intersect(s, c, d), expected);
            }
        }

        #[test]
        fn segments_agree_with_integers(s in prop::array::uniform2(grid(2)), t in prop::array::uniform3(grid(2))) {
            let expected = intersect_in_integers([s[0], s[1], s[1]], t);
            let point = segment_triangle_intersection(s.map(real), t.map(real));
            prop_assert_eq!(point.is_some(), expected);
            if let Some(x) = point {
                let t = t.map(real);
                let nearest = distance::blend(t, distance::point_triangle(x, t));
                prop_assert!(nearest.distance(x) < 1e-14);
            }
        }
    }

    /// A corner a rounding above or below a plane that no rounded determinant can tell apart.
    #[test]
    fn the_last_bit_decides() {
        let floor = [Vec3::new(0.1, 0.1, 0.1), Vec3::new(24.0, 24.1, 24.1), Vec3::new(12.3, -7.0, 12.3)];
        let touching = floor[0].midpoint(floor[0]);
        let above =
            |z: Real| [touching.with_z(z), touching.with_z(z + 1.0), touching + Vec3::new(0.1, 0.0, 2.0)];
        assert!(triangles_intersect(floor, above(0.1)));
        assert!(!triangles_intersect(floor, above(0.1f64.next_up())));
    }
}
