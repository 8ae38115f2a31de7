//! Whether triangles meet, by exact predicates.
//!
//! ```text
//! segment pq, triangle abc, not in one plane:  p and q not on one side of abc, and no two of [pqab], [pqbc], [pqca] of opposite sign
//! in one plane:                                the shadows meet on all three coordinate planes, since on one of them nothing is lost
//! triangle without area:                       one of its edges meets pq: they lie in one plane, and so on
//! ```
//!
//! All sets are closed: touching is meeting. Written apart from the library's own predicates, to judge them as well.

use muslin::math::{Real, Vec3};
use robust::{Coord, Coord3D, orient2d, orient3d};

/// A triangle by its corners.
pub type Triangle = [Vec3; 3];

fn sign(x: Real) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

/// The side of the plane abc that d lies on: the sign of the volume.
pub fn side(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> i8 {
    let coord = |p: Vec3| Coord3D { x: p.x, y: p.y, z: p.z };
    sign(orient3d(coord(a), coord(b), coord(c), coord(d)))
}

/// A point seen along a coordinate axis.
fn shadow(p: Vec3, axis: usize) -> Coord<Real> {
    let (i, j) = [(1, 2), (2, 0), (0, 1)][axis];
    Coord { x: p[i], y: p[j] }
}

fn turn(a: Coord<Real>, b: Coord<Real>, c: Coord<Real>) -> i8 {
    sign(orient2d(a, b, c))
}

/// Whether two segments of a plane meet.
fn shadows_of_segments_meet([p, q]: [Coord<Real>; 2], [a, b]: [Coord<Real>; 2]) -> bool {
    let overlap = |p: Real, q: Real, a: Real, b: Real| p.min(q) <= a.max(b) && a.min(b) <= p.max(q);
    overlap(p.x, q.x, a.x, b.x)
        && overlap(p.y, q.y, a.y, b.y)
        && turn(p, q, a) * turn(p, q, b) <= 0
        && turn(a, b, p) * turn(a, b, q) <= 0
}

fn shadow_of_segment_meets([p, q]: [Coord<Real>; 2], [a, b, c]: [Coord<Real>; 3]) -> bool {
    let on_border = [[a, b], [b, c], [c, a]].into_iter().any(|edge| shadows_of_segments_meet([p, q], edge));
    let whole = turn(a, b, c);
    on_border
        || whole != 0
            && [turn(a, b, p), turn(b, c, p), turn(c, a, p)].into_iter().all(|turn| turn * whole >= 0)
}

/// Whether two segments have a point in common.
fn segments_meet([p, q]: [Vec3; 2], [a, b]: [Vec3; 2]) -> bool {
    let meets_along = |axis: usize| {
        let flat = |p: Vec3| shadow(p, axis);
        shadows_of_segments_meet([flat(p), flat(q)], [flat(a), flat(b)])
    };
    side(p, q, a, b) == 0 && (0..3).all(meets_along)
}

/// Whether a triangle has no area.
fn is_flat([a, b, c]: Triangle) -> bool {
    (0..3).all(|axis| turn(shadow(a, axis), shadow(b, axis), shadow(c, axis)) == 0)
}

/// Whether a segment and a triangle have a point in common.
pub fn segment_meets_triangle([p, q]: [Vec3; 2], [a, b, c]: Triangle) -> bool {
    let sides = [side(a, b, c, p), side(a, b, c, q)];
    if sides[0] * sides[1] > 0 {
        return false;
    }
    if sides == [0, 0] {
        // Everything lies in the plane of a triangle without area.
        return if is_flat([a, b, c]) {
            edges([a, b, c]).into_iter().any(|edge| segments_meet([p, q], edge))
        } else {
            (0..3).all(|axis| {
                let flat = |p: Vec3| shadow(p, axis);
                shadow_of_segment_meets([flat(p), flat(q)], [flat(a), flat(b), flat(c)])
            })
        };
    }
    let turns = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    !(turns.contains(&1) && turns.contains(&-1))
}

/// Whether two triangles without a common corner have a point in common.
pub fn triangles_meet(s: Triangle, t: Triangle) -> bool {
    let apart = |s: Triangle, t: Triangle| {
        let sides = s.map(|p| side(t[0], t[1], t[2], p));
        sides == [1; 3] || sides == [-1; 3]
    };
    if boxes_apart(&s, &t) || apart(s, t) || apart(t, s) {
        return false;
    }
    edges(s).into_iter().any(|edge| segment_meets_triangle(edge, t))
        || edges(t).into_iter().any(|edge| segment_meets_triangle(edge, s))
}

/// Whether the triangles v–s and v–t meet anywhere but in their common corner v: then the far edge of one meets the other.
pub fn fans_meet(v: Vec3, s: [Vec3; 2], t: [Vec3; 2]) -> bool {
    let meets = |far: [Vec3; 2], other: [Vec3; 2]| {
        let triangle = [v, other[0], other[1]];
        // The far edge of a triangle without area may pass through v itself: its ends speak for it.
        if is_flat([v, far[0], far[1]]) {
            far.into_iter().any(|p| p != v && segment_meets_triangle([p, p], triangle))
        } else {
            segment_meets_triangle(far, triangle)
        }
    };
    meets(s, t) || meets(t, s)
}

/// The three edges.
pub fn edges([a, b, c]: Triangle) -> [[Vec3; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

fn boxes_apart(s: &Triangle, t: &Triangle) -> bool {
    let low = |t: &Triangle| t[0].min(t[1]).min(t[2]);
    let high = |t: &Triangle| t[0].max(t[1]).max(t[2]);
    low(s).cmpgt(high(t)).any() || low(t).cmpgt(high(s)).any()
}

/// Whether a point lies inside of a closed surface: whether a segment to a point beyond it crosses an odd number of triangles. A
/// segment that runs through an edge or along a triangle says nothing; then another is asked.
pub fn is_inside(p: Vec3, triangles: &[Triangle]) -> bool {
    let low = triangles.iter().flatten().fold(Vec3::INFINITY, |low, &x| low.min(x));
    let high = triangles.iter().flatten().fold(Vec3::NEG_INFINITY, |high, &x| high.max(x));
    if p.cmplt(low).any() || p.cmpgt(high).any() {
        return false;
    }
    let size = (high - low).max_element();
    for k in 0..16 {
        let turn = Real::from(k) * 2.399_963 + 0.1;
        let q = high + Vec3::new(1.3 + turn.sin(), 0.9 + turn.cos(), 1.1 + (1.7 * turn).sin()) * size;
        if let Some(crossings) = crossings([p, q], triangles) {
            return crossings % 2 == 1;
        }
    }
    false // p lies on the surface, which the triangles of the cloth tell
}

/// How many triangles a segment crosses; none if it touches a border or a plane of one.
fn crossings([p, q]: [Vec3; 2], triangles: &[Triangle]) -> Option<u32> {
    let mut count = 0;
    for &[a, b, c] in triangles {
        let sides = [side(a, b, c, p), side(a, b, c, q)];
        if sides[0] * sides[1] > 0 {
            continue;
        }
        let turns = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
        if turns.contains(&1) && turns.contains(&-1) {
            continue;
        }
        if turns.contains(&0) || sides.contains(&0) {
            return None;
        }
        count += 1;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: Triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];

    fn at(x: Real, y: Real, z: Real) -> Vec3 {
        Vec3::new(x, y, z)
    }

    #[test]
    fn segments_and_triangles() {
        let meets = |p, q| segment_meets_triangle([p, q], FLAT);
        assert!(meets(at(0.2, 0.2, -1.0), at(0.2, 0.2, 1.0)), "through");
        assert!(!meets(at(0.8, 0.8, -1.0), at(0.8, 0.8, 1.0)), "beside");
        assert!(meets(at(0.2, 0.2, 0.0), at(0.2, 0.2, 1.0)), "an end on it");
        assert!(!meets(at(0.2, 0.2, 1e-300), at(0.2, 0.2, 1.0)), "just above");
        assert!(meets(at(0.5, 0.5, -1.0), at(0.5, 0.5, 1.0)), "through an edge");
        assert!(meets(at(-1.0, 0.2, 0.0), at(2.0, 0.2, 0.0)), "across, within the plane");
        assert!(meets(at(0.1, 0.1, 0.0), at(0.2, 0.2, 0.0)), "all within");
        assert!(!meets(at(1.0, 0.2, 0.0), at(2.0, 0.2, 0.0)), "beside, within the plane");
        assert!(!meets(at(2.0, 0.0, 0.0), at(3.0, 0.0, 0.0)), "in line with an edge");
    }

    #[test]
    fn a_triangle_without_area_is_a_segment() {
        let line = [Vec3::ZERO, Vec3::X, Vec3::X * 0.5];
        assert!(segment_meets_triangle([at(0.7, -1.0, 0.0), at(0.7, 1.0, 0.0)], line));
        assert!(!segment_meets_triangle([at(1.7, -1.0, 0.0), at(1.7, 1.0, 0.0)], line));
        assert!(!segment_meets_triangle([at(0.7, -1.0, 1e-9), at(0.7, 1.0, 1e-9)], line));
        assert!(!segment_meets_triangle([at(2.0, 0.0, 0.0), at(3.0, 0.0, 0.0)], line));
        // Skew, though the shadows cross along every axis.
        let (long, other) =
            ([at(-1.0, -1.0, -1.0), at(1.0, 1.0, 1.0)], [at(-1.0, 1.0, 0.3), at(1.0, -1.0, -0.2)]);
        assert!(!segment_meets_triangle(other, [long[0], long[1], long[1]]));
        assert!(!triangles_meet([long[0], long[1], long[1]], [other[0], other[1], at(3.0, -4.0, 0.0)]));
    }

    #[test]
    fn triangles() {
        let upright = |x: Real| [at(x, 0.2, -1.0), at(x, 0.2, 1.0), at(x, 5.0, 0.1)];
        assert!(triangles_meet(FLAT, upright(0.3)));
        assert!(!triangles_meet(FLAT, upright(0.9)));
        assert!(triangles_meet(FLAT, FLAT.map(|p| p * 0.1 + at(0.2, 0.2, 0.0))), "within one plane");
        assert!(!triangles_meet(FLAT, FLAT.map(|p| p + at(0.0, 0.0, 1e-300))), "parallel");
        assert!(triangles_meet(FLAT, FLAT.map(|p| p + at(0.5, 0.0, 0.0))), "overlapping in one plane");
    }

    #[test]
    fn triangles_at_a_common_corner() {
        let fan = |t: [Vec3; 2]| fans_meet(Vec3::ZERO, [Vec3::X, Vec3::Y], t);
        assert!(fan([at(0.2, 0.2, -0.1), at(0.2, 0.2, 0.3)]), "through");
        assert!(!fan([at(0.2, 0.2, 0.1), at(0.2, 0.2, 0.3)]), "above");
        assert!(!fan([at(-0.2, -0.2, -0.1), at(-0.2, -0.2, 0.3)]), "on the other side of the corner");
        assert!(fan([at(2.0, 2.0, -0.1), at(2.0, 2.0, 0.3)]), "its far edge misses, mine does not");
        assert!(fan([at(0.5, 0.1, 0.0), at(0.1, 0.5, 0.0)]), "within one plane");
        assert!(!fan([at(-0.5, 0.1, 0.0), at(-0.1, -0.5, 0.0)]), "beside, within one plane");
        assert!(!fan([at(0.0, 0.0, 1.0), at(0.0, 0.0, -1.0)]), "a spike through the corner only");
    }

    #[test]
    fn inside_a_tetrahedron() {
        let [o, x, y, z] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let tet = [[o, y, x], [o, x, z], [o, z, y], [x, y, z]];
        assert!(is_inside(at(0.1, 0.1, 0.1), &tet));
        assert!(is_inside(at(1e-12, 1e-12, 1e-12), &tet));
        assert!(!is_inside(at(0.4, 0.4, 0.4), &tet));
        assert!(!is_inside(at(-1e-12, 0.1, 0.1), &tet));
        assert!(!is_inside(at(0.1, 0.1, 9.0), &tet));
    }
}
