//! Convex hulls of points as a user writes them.

use super::parry;
use crate::math::{Real, Vec3};
use crate::mesh::bounds;

/// Triangles over points.
pub type Triangles = (Vec<Vec3>, Vec<[u32; 3]>);

/// Flatter than this part of their extent, points have no hull that can be trusted.
const FLAT: Real = 1e-9;

/// The convex hull of points, its triangles outward; or what is wrong with the points.
pub fn convex_hull(points: &[Vec3]) -> Result<Triangles, String> {
    if points.len() < 4 {
        return Err(format!("has {} points, but must have at least 4", points.len()));
    }
    if let Some((k, point)) = points.iter().enumerate().find(|(_, point)| !point.is_finite()) {
        return Err(format!("has {point} as point {k}, but coordinates must be finite numbers"));
    }
    let [low, high] = bounds(points);
    let size = (high - low).length();
    if thinnest_extent(points) <= FLAT * size {
        return Err("has all its points in one plane, but must have a volume".to_owned());
    }
    // In units of its own size, so that the absolute tolerances of quickhull fit.
    let middle = 0.5 * (low + high);
    let mut scaled: Vec<Vec3> = points.iter().map(|&point| (point - middle) / size).collect();
    scaled.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
    scaled.dedup();
    let (positions, triangles) = parry::quickhull(&scaled)?;
    let holds = |&[a, b, c]: &[u32; 3]| {
        let [a, b, c] = [a, b, c].map(|corner| positions[corner as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        scaled.iter().all(|&point| (point - a).dot(normal) <= 1e-6)
    };
    if triangles.len() < 4 || !triangles.iter().all(holds) {
        return Err("has points that are too close to one plane to find their hull".to_owned());
    }
    Ok((positions.into_iter().map(|point| middle + point * size).collect(), triangles))
}

/// How far points reach out of the plane that three of them, far apart, lie in [m].
fn thinnest_extent(points: &[Vec3]) -> Real {
    let farthest = |measure: &dyn Fn(Vec3) -> Real| {
        points.iter().copied().max_by(|&a, &b| measure(a).total_cmp(&measure(b))).unwrap_or_default()
    };
    let a = points[0];
    let b = farthest(&|point| point.distance_squared(a));
    let Some(along) = (b - a).try_normalize() else { return 0.0 };
    let c = farthest(&|point| (point - a).reject_from_normalized(along).length_squared());
    let Some(normal) = along.cross(c - a).try_normalize() else { return 0.0 };
    let d = farthest(&|point| (point - a).dot(normal).abs());
    (d - a).dot(normal).abs().min((c - a).reject_from_normalized(along).length())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> Vec<Vec3> {
        (0..8).map(|k| Vec3::new((k & 1) as Real, (k >> 1 & 1) as Real, (k >> 2) as Real)).collect()
    }

    #[test]
    fn the_hull_of_a_cube_with_points_inside_and_twice_is_the_cube() {
        let mut points = cube();
        points.extend([Vec3::splat(0.5), Vec3::ONE, Vec3::new(0.5, 0.5, 1.0)]);
        for scale in [1e-3, 1.0, 1e3] {
            let scaled: Vec<Vec3> = points.iter().map(|&point| point * scale + Vec3::X * 7.0).collect();
            let (positions, triangles) = convex_hull(&scaled).unwrap();
            let volume: Real = triangles
                .iter()
                .map(|triangle| {
                    let [a, b, c] = triangle.map(|corner| positions[corner as usize] - scaled[0]);
                    a.dot(b.cross(c)) / 6.0
                })
                .sum();
            assert!((volume / scale.powi(3) - 1.0).abs() < 1e-9, "{volume} at {scale}");
        }
    }

    #[test]
    fn points_without_a_hull_are_told_why() {
        let flat = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0), Vec3::new(0.3, 0.3, 0.0)];
        let line = [0.0, 1.0, 2.0, 5.0].map(Vec3::splat);
        for (points, word) in [
            (&flat[..3], "at least 4"),
            (&flat[..], "one plane"),
            (&line[..], "one plane"),
            (&[Vec3::ONE; 6][..], "one plane"),
            (&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::NAN][..], "finite"),
        ] {
            let message = convex_hull(points).unwrap_err();
            assert!(message.contains(word), "{message}");
        }
    }
}
