//! Distances, from above: every distance is that of two points of the two sets, so rounding aside none is too small.

use super::exact::{Triangle, edges, segment_meets_triangle};
use muslin::math::{Real, Vec3};

/// The point of a segment nearest to a point.
fn nearest_on_segment(x: Vec3, [a, b]: [Vec3; 2]) -> Vec3 {
    let way = b - a;
    let square = way.length_squared();
    let part = if square > 0.0 { ((x - a).dot(way) / square).clamp(0.0, 1.0) } else { 0.0 };
    a + way * part
}

/// The point of a triangle nearest to a point.
pub fn nearest_on_triangle(x: Vec3, triangle: Triangle) -> Vec3 {
    let [a, b, c] = triangle;
    let (u, v) = (b - a, c - a);
    let normal = u.cross(v);
    let square = normal.length_squared();
    if square > 0.0 {
        let w = x - a;
        let (of_b, of_c) = (w.cross(v).dot(normal) / square, u.cross(w).dot(normal) / square);
        if of_b >= 0.0 && of_c >= 0.0 && of_b + of_c <= 1.0 {
            return a + u * of_b + v * of_c;
        }
    }
    let on_edges = edges(triangle).map(|edge| nearest_on_segment(x, edge));
    nearest(x, on_edges)
}

fn nearest<const N: usize>(x: Vec3, points: [Vec3; N]) -> Vec3 {
    points.into_iter().min_by(|p, q| p.distance_squared(x).total_cmp(&q.distance_squared(x))).unwrap_or(x)
}

/// Points of two segments nearest to each other.
pub fn nearest_of_segments(first: [Vec3; 2], second: [Vec3; 2]) -> [Vec3; 2] {
    let (u, v, w) = (first[1] - first[0], second[1] - second[0], first[0] - second[0]);
    let normal = u.cross(v);
    let square = normal.length_squared();
    let mut best = [first[0], nearest_on_segment(first[0], second)];
    let mut offer = |pair: [Vec3; 2]| {
        if pair[0].distance_squared(pair[1]) < best[0].distance_squared(best[1]) {
            best = pair;
        }
    };
    offer([first[1], nearest_on_segment(first[1], second)]);
    for end in second {
        offer([nearest_on_segment(end, first), end]);
    }
    if square > 0.0 {
        let (s, t) = (v.cross(w).dot(normal) / square, u.cross(w).dot(normal) / square);
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            offer([first[0] + u * s, second[0] + v * t]);
        }
    }
    best
}

/// Distance of a segment and a triangle [m].
pub fn segment_triangle(segment: [Vec3; 2], triangle: Triangle) -> Real {
    if segment_meets_triangle(segment, triangle) {
        return 0.0;
    }
    let of_ends = segment.map(|end| end.distance(nearest_on_triangle(end, triangle)));
    let of_edges = edges(triangle).map(|edge| {
        let [p, q] = nearest_of_segments(segment, edge);
        p.distance(q)
    });
    of_ends.into_iter().chain(of_edges).fold(Real::INFINITY, Real::min)
}

/// Distance of two triangles [m].
pub fn triangle_triangle(s: Triangle, t: Triangle) -> Real {
    let of_s = edges(s).map(|edge| segment_triangle(edge, t));
    let of_t = edges(t).map(|edge| segment_triangle(edge, s));
    of_s.into_iter().chain(of_t).fold(Real::INFINITY, Real::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// No pair of sampled points is nearer than what is found, and some pair is nearly as near.
    #[test]
    fn distances_of_random_parts() {
        let mut random = Random::new(5);
        for _ in 0..200 {
            let mut point = || random.in_cube();
            let (triangle, segment) = ([point(), point(), point()], [point(), point()]);
            let found = segment_triangle(segment, triangle);
            let mut sampled = Real::INFINITY;
            for i in 0..=40 {
                let x = segment[0].lerp(segment[1], Real::from(i) / 40.0);
                for j in 0..=40 {
                    for k in 0..=40 - j {
                        let (b, c) = (Real::from(j) / 40.0, Real::from(k) / 40.0);
                        let y = triangle[0] * (1.0 - b - c) + triangle[1] * b + triangle[2] * c;
                        sampled = sampled.min(x.distance(y));
                    }
                }
            }
            assert!(found <= sampled + 1e-12 && sampled < found + 0.15, "{found} {sampled}");
        }
    }

    #[test]
    fn parallel_segments_and_flat_triangles() {
        let [p, q] =
            nearest_of_segments([Vec3::ZERO, Vec3::X], [Vec3::new(2.0, 1.0, 0.0), Vec3::new(0.5, 1.0, 0.0)]);
        assert!((p.distance(q) - 1.0).abs() < 1e-15);
        let line = [Vec3::ZERO, Vec3::X, Vec3::X * 2.0];
        assert!((segment_triangle([Vec3::Y, Vec3::new(3.0, 1.0, 0.0)], line) - 1.0).abs() < 1e-15);
        let far = [Vec3::Z, Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.0, 1.0, 1.0)];
        assert!((triangle_triangle(line, far) - 1.0).abs() < 1e-15);
    }
}
