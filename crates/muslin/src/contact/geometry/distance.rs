//! Where points, segments and triangles are nearest.
//!
//! ```text
//! point–triangle    n = e₁ × e₂;  weights n·(r × e₂)/n², n·(e₁ × r)/n²;  regions as in [Ericson 2005, §5.1.5]
//! segment–segment   n = d₁ × d₂;  s = n·(r × d₂)/n² clamped, then t, then s again [Ericson 2005, §5.1.9]
//! ```
//!
//! Cross products lose eps/h of their value for an angle h, the usual quotient of dot products eps/h². Below
//! `THIN` that is too much still: a second branch then compares all candidates by their distance. It also
//! takes what has no length and what would overflow, so that finite coordinates never give NaN.

use crate::math::{Real, Vec3};

/// sin² of the angle under which triangles and pairs of segments take the careful branch.
const THIN: Real = 1e-4;

/// Squared lengths [m²] whose products neither overflow nor lose digits to underflow.
const MODERATE: std::ops::Range<Real> = 1e-60..1e60;

/// Where a point and a triangle are nearest: weights of the corners (sum 1, each ≥ 0).
#[inline(always)]
pub fn point_triangle(p: Vec3, triangle: [Vec3; 3]) -> [Real; 3] {
    let [a, b, c] = triangle;
    let (ab, ac, ap, bp, cp) = (b - a, c - a, p - a, p - b, p - c);
    // Corners first: a sign of a dot product each, right for any triangle.
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let n = ab.cross(ac);
    let n2 = n.length_squared();
    // |ab|², |ac|²; the third edge is no longer than both together.
    let size = (d1 - d3).max(d2 - d6);
    if !(n2 > THIN * size * size && MODERATE.contains(&size) && ap.length_squared() < MODERATE.end) {
        return point_needle(p, [a, b, c]);
    }
    let (wb, wc) = (n.dot(ap.cross(ac)), n.dot(ab.cross(ap)));
    let wa = n2 - wb - wc;
    if wa >= 0.0 && wb >= 0.0 && wc >= 0.0 {
        let (wb, wc) = (wb / n2, wc / n2);
        return [(1.0 - wb - wc).max(0.0), wb, wc];
    }
    // Beyond an edge, and between its ends.
    if wc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        return [1.0 - t, t, 0.0];
    }
    if wb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return [1.0 - t, 0.0, t];
    }
    let (e4, e5) = (d4 - d3, d5 - d6);
    if wa <= 0.0 && e4 >= 0.0 && e5 >= 0.0 && e4 + e5 > 0.0 {
        let t = e4 / (e4 + e5);
        return [0.0, 1.0 - t, t];
    }
    // Only rounding leads here.
    point_needle(p, [a, b, c])
}

/// Where two segments are nearest: parameters s, t in [0, 1].
#[inline(always)]
pub fn segment_segment(a: [Vec3; 2], b: [Vec3; 2]) -> [Real; 2] {
    let ([a0, a1], [b0, b1]) = (a, b);
    let (d, e, r) = (a1 - a0, b1 - b0, b0 - a0);
    let n = d.cross(e);
    let (n2, dd, ee) = (n.length_squared(), d.length_squared(), e.length_squared());
    let moderate = MODERATE.contains(&dd) && MODERATE.contains(&ee) && r.length_squared() < MODERATE.end;
    if !(n2 > THIN * dd * ee && moderate) {
        return segment_segment_parallel([a0, a1], [b0, b1]);
    }
    // Where t is clamped s must follow; where it is not, it stays. Products first, so that little waits.
    let (de, dr, er) = (d.dot(e), d.dot(r), e.dot(r));
    let s = (n.dot(r.cross(e)) / n2).clamp(0.0, 1.0);
    let t = ((de * s - er) * (1.0 / ee)).clamp(0.0, 1.0);
    let s = ((de * t + dr) * (1.0 / dd)).clamp(0.0, 1.0);
    [s, t]
}

/// Where a segment and a triangle are nearest: parameter of the segment and weights of the corners (any pair
/// of touching points if they intersect).
#[inline]
pub fn segment_triangle(segment: [Vec3; 2], triangle: [Vec3; 3]) -> (Real, [Real; 3]) {
    let [p, q] = segment;
    let mut best = (0.0, [1.0, 0.0, 0.0]);
    let mut least = Real::INFINITY;
    let mut offer = |s: Real, weights: [Real; 3]| {
        let d2 = (p.lerp(q, s) - blend(triangle, weights)).length_squared();
        if d2 < least {
            (best, least) = ((s, weights), d2);
        }
    };
    // If neither end nor edge is nearest, the segment pierces the face.
    let n = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
    let (above, below) = (n.dot(p - triangle[0]), n.dot(q - triangle[0]));
    if (above > 0.0 && below < 0.0) || (above < 0.0 && below > 0.0) {
        let s = (above / (above - below)).clamp(0.0, 1.0);
        if s.is_finite() {
            offer(s, point_triangle(p.lerp(q, s), triangle));
        }
    }
    offer(0.0, point_triangle(p, triangle));
    offer(1.0, point_triangle(q, triangle));
    for k in 0..3 {
        let (i, j) = (k, (k + 1) % 3);
        let [s, t] = segment_segment(segment, [triangle[i], triangle[j]]);
        let mut weights = [0.0; 3];
        (weights[i], weights[j]) = (1.0 - t, t);
        offer(s, weights);
    }
    best
}

/// The point of a triangle with these weights of its corners.
#[inline]
pub fn blend(triangle: [Vec3; 3], weights: [Real; 3]) -> Vec3 {
    triangle[0] + (triangle[1] - triangle[0]) * weights[1] + (triangle[2] - triangle[0]) * weights[2]
}

/// The parameter in [0, 1] at which the segment 0–d is nearest to r.
#[inline]
fn along(r: Vec3, d: Vec3) -> Real {
    let d2 = d.length_squared();
    if d2 > 0.0 { (r.dot(d) / d2).clamp(0.0, 1.0) } else { 0.0 }
}

/// [`point_triangle`] for triangles that are thin, points, tiny or huge.
#[cold]
#[inline(never)]
fn point_needle(p: Vec3, triangle: [Vec3; 3]) -> [Real; 3] {
    let [p, a, b, c] = moderated([p, triangle[0], triangle[1], triangle[2]]);
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let mut best = ([1.0, 0.0, 0.0], ap.length_squared());
    let mut offer = |weights: [Real; 3]| {
        let d2 = (p - blend([a, b, c], weights)).length_squared();
        if d2 < best.1 {
            best = (weights, d2);
        }
    };
    let (s, t, u) = (along(ap, ab), along(ap, ac), along(p - b, c - b));
    offer([1.0 - s, s, 0.0]);
    offer([1.0 - t, 0.0, t]);
    offer([0.0, 1.0 - u, u]);
    let n = ab.cross(ac);
    let n2 = n.length_squared();
    if n2 > 0.0 {
        let (mut wb, mut wc) = (0.0, 0.0);
        // Each iteration leaves the fraction eps/h of the error in the plane.
        for _ in 0..4 {
            let r = ap - ab * wb - ac * wc;
            wb += n.dot(r.cross(ac)) / n2;
            wc += n.dot(ab.cross(r)) / n2;
        }
        // Not so if NaN, out of a normal that underflows.
        if wb >= 0.0 && wc >= 0.0 && wb + wc <= 1.0 {
            offer([(1.0 - wb - wc).max(0.0), wb, wc]);
        }
    }
    best.0
}

/// [`segment_segment`] for segments that are nearly parallel, points, tiny or huge.
#[cold]
#[inline(never)]
fn segment_segment_parallel(a: [Vec3; 2], b: [Vec3; 2]) -> [Real; 2] {
    let [a0, a1, b0, b1] = moderated([a[0], a[1], b[0], b[1]]);
    let (d, e, r) = (a1 - a0, b1 - b0, b0 - a0);
    let mut best = ([0.0, 0.0], Real::INFINITY);
    let mut offer = |s: Real, t: Real| {
        let d2 = (r + e * t - d * s).length_squared();
        if d2 < best.1 {
            best = ([s, t], d2);
        }
    };
    offer(0.0, along(-r, e));
    offer(1.0, along(d - r, e));
    offer(along(r, d), 0.0);
    offer(along(r + e, d), 1.0);
    let n = d.cross(e);
    let s = n.dot(r.cross(e)) / n.length_squared();
    // Not so if NaN. An error of s costs only the fraction sin(angle), as t is the best for this s.
    if (0.0..=1.0).contains(&s) {
        offer(s, along(d * s - r, e));
    }
    best.0
}

/// The points, all scaled by one power of two if their coordinates are too large or too small to be squared.
fn moderated<const N: usize>(points: [Vec3; N]) -> [Vec3; N] {
    let largest = points.iter().map(|p| p.abs().max_element()).fold(0.0, Real::max);
    if largest == 0.0 || (1e-30..1e30).contains(&largest) {
        return points;
    }
    let scale = Real::exp2(-largest.log2().floor().clamp(-1000.0, 1000.0));
    points.map(|p| p * scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Checks that no corner xᵢ of the difference of two convex sets lies nearer along q than q itself, which
    /// makes q its closest point to the origin: |q|² is too large by 2 maxᵢ q·(q − xᵢ) at the most. Where q is
    /// small that says little, so then `known` is a distance that some points have. Along a needle q may be off by more where
    /// no point towards a corner is nearer by more than rounding can tell.
    fn check(q: Vec3, corners: impl Iterator<Item = Vec3>, size: Real, known: Real) {
        for x in corners {
            let (gap, squared) = (q.dot(q - x), (q - x).length_squared());
            let fraction = (gap / squared).min(1.0);
            let shorter = fraction * (2.0 * gap - fraction * squared) / (2.0 * q.length());
            let allowed = 1e-13 * size * size + 2e-15 * size;
            assert!(gap <= allowed || shorter <= Real::EPSILON * size, "{gap}, {shorter}, size {size}");
        }
        assert!(q.length() <= known + 2e-13 * size + 4e-15, "{} > {known}, size {size}", q.length());
    }

    fn size(points: &[Vec3]) -> Real {
        points.iter().map(|p| (*p - points[0]).length()).fold(0.0, Real::max)
    }

    fn check_point_triangle(p: Vec3, triangle: [Vec3; 3], known: Real) {
        let weights = point_triangle(p, triangle);
        assert!(weights.iter().all(|&w| (0.0..=1.0).contains(&w)), "{weights:?}");
        assert!((weights.iter().sum::<Real>() - 1.0).abs() < 1e-15, "{weights:?}");
        let q = p - blend(triangle, weights);
        check(q, triangle.iter().map(|&x| p - x), size(&[p, triangle[0], triangle[1], triangle[2]]), known);
    }

    fn check_segment_segment(a: [Vec3; 2], b: [Vec3; 2], known: Real) {
        let [s, t] = segment_segment(a, b);
        assert!((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t), "{s} {t}");
        let q = (b[0] - a[0]) + (b[1] - b[0]) * t - (a[1] - a[0]) * s;
        let corners = a.iter().flat_map(|&x| b.iter().map(move |&y| y - x));
        check(q, corners, size(&[a[0], a[1], b[0], b[1]]), known);
    }

    fn check_segment_triangle(segment: [Vec3; 2], triangle: [Vec3; 3], known: Real) {
        let (s, weights) = segment_triangle(segment, triangle);
        assert!((0.0..=1.0).contains(&s) && weights.iter().all(|&w| (0.0..=1.0).contains(&w)));
        let q = segment[0].lerp(segment[1], s) - blend(triangle, weights);
        let corners = segment.iter().flat_map(|&x| triangle.iter().map(move |&y| x - y));
        let size = size(&[segment[0], segment[1], triangle[0], triangle[1], triangle[2]]);
        check(q, corners, size, known);
    }

    fn point() -> impl Strategy<Value = Vec3> {
        let grid =
            (-2i8..=2, -2i8..=2, -2i8..=2).prop_map(|(x, y, z)| Vec3::new(x.into(), y.into(), z.into()));
        let free = (-2.0..2.0, -2.0..2.0, -2.0..2.0).prop_map(|(x, y, z)| Vec3::new(x, y, z));
        prop_oneof![grid, free]
    }

    /// Nearly or quite zero.
    fn tiny() -> impl Strategy<Value = Real> {
        prop_oneof![Just(0.0), (-18.0..-1.0f64).prop_map(|e| 10f64.powf(e))]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn point_and_triangle(p in point(), a in point(), b in point(), c in point()) {
            check_point_triangle(p, [a, b, c], Real::INFINITY);
        }

        #[test]
        fn point_and_needle(a in point(), b in point(), k in -1.0..2.0, off in point(), h in tiny(), w in -1.0..2.0, v in -1.0..2.0, d in tiny(), up in point()) {
            let c = a.lerp(b, k) + off * h;
            let p = blend([a, b, c], [1.0 - v - w, v, w]) + up * d;
            let inside = v >= 0.0 && w >= 0.0 && v + w <= 1.0;
            let known = if inside { (up * d).length() } else { Real::INFINITY };
            for corners in [[a, b, c], [c, a, b], [b, c, a]] {
                check_point_triangle(p, corners, known);
            }
        }

        #[test]
        fn segments(a in point(), b in point(), c in point(), d in point()) {
            check_segment_segment([a, b], [c, d], Real::INFINITY);
        }

        #[test]
        fn nearly_parallel_segments(a in point(), b in point(), s in -2.0..2.0, t in -2.0..2.0, off in point(), h in tiny(), up in point(), d in tiny()) {
            let c = a.lerp(b, s) + up * d;
            let known = if (0.0..=1.0).contains(&s) { (up * d).length() } else { Real::INFINITY };
            check_segment_segment([a, b], [c, c + (b - a) * t + off * h], known);
        }

        #[test]
        fn segment_and_triangle(p in point(), q in point(), a in point(), b in point(), c in point()) {
            check_segment_triangle([p, q], [a, b, c], Real::INFINITY);
        }

        #[test]
        fn finite_in_finite_out(x in prop::collection::vec((-320.0..308.0f64, -1.0..1.0f64), 15)) {
            let v: Vec<Real> = x.iter().map(|&(e, m)| m * 10f64.powf(e)).collect();
            let p: Vec<Vec3> = v.chunks(3).map(Vec3::from_slice).collect();
            prop_assert!(point_triangle(p[0], [p[1], p[2], p[3]]).iter().all(|w| (0.0..=1.0).contains(w)));
            prop_assert!(segment_segment([p[0], p[1]], [p[2], p[3]]).iter().all(|w| (0.0..=1.0).contains(w)));
            let (s, weights) = segment_triangle([p[0], p[1]], [p[2], p[3], p[4]]);
            prop_assert!((0.0..=1.0).contains(&s) && weights.iter().all(|w| (0.0..=1.0).contains(w)));
        }

        #[test]
        fn no_sample_is_nearer(p in point(), q in point(), a in point(), b in point(), c in point()) {
            let nearest = (p - blend([a, b, c], point_triangle(p, [a, b, c]))).length();
            let [s, t] = segment_segment([p, q], [a, b]);
            let between = (p.lerp(q, s) - a.lerp(b, t)).length();
            for i in 0..=8 {
                for j in 0..=8 {
                    let (v, w) = (i as Real / 8.0, j as Real / 8.0);
                    prop_assert!((p.lerp(q, v) - a.lerp(b, w)).length() >= between - 1e-12);
                    if i + j <= 8 {
                        prop_assert!((p - blend([a, b, c], [1.0 - v - w, v, w])).length() >= nearest - 1e-12);
                    }
                }
            }
        }
    }

    #[test]
    fn closed_forms() {
        let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
        assert_eq!(point_triangle(Vec3::new(0.25, 0.25, 3.0), triangle), [0.5, 0.25, 0.25]);
        assert_eq!(point_triangle(Vec3::new(1.0, 1.0, 0.0), triangle), [0.0, 0.5, 0.5]);
        assert_eq!(point_triangle(Vec3::splat(5.0), [Vec3::X; 3]), [1.0, 0.0, 0.0]);
        assert_eq!(
            segment_segment([-Vec3::X, Vec3::X], [Vec3::new(0.0, -1.0, 2.0), Vec3::new(0.0, 3.0, 2.0)]),
            [0.5, 0.25]
        );
        let (s, weights) =
            segment_triangle([Vec3::new(0.25, 0.25, -1.0), Vec3::new(0.25, 0.25, 3.0)], triangle);
        assert_eq!((s, weights), (0.25, [0.5, 0.25, 0.25]));
    }

    /// The nearest point is off by 5e-10 along the needle, the distance by nothing.
    #[test]
    fn a_needle_with_three_edges_that_are_as_near() {
        let (a, b) = (Vec3::new(0.0, 2.0, 1.0), Vec3::new(2.0, 2.0, -1.0));
        let c = a.lerp(b, -0.844_217_616_747_025_8) + Vec3::new(0.0, 2.0, 2.0) * 2.361_264_724_498_014_7e-9;
        let (v, w) = (0.518_445_112_653_286, 0.391_648_526_657_051_5);
        let p = blend([a, b, c], [1.0 - v - w, v, w]) + Vec3::new(-2.0, 1.0, 0.0) * 0.009_237_583_551_928_314;
        for corners in [[a, b, c], [c, a, b], [b, c, a]] {
            check_point_triangle(p, corners, Real::INFINITY);
        }
    }
}
