//! Faces that meet at an edge, laid out in one plane where their shapes at rest do not fit together.

use crate::math::Vec3;

/// Where a point `w` of a second face is as seen from a first one, with an edge at `[p, q]` there and at `[u, v]` here [m]. The same
/// where both agree on the edge. Else, as along a seam, both lie in one plane, the point across the edge from the first face's `r`.
pub fn beyond([p, q]: [Vec3; 2], r: Vec3, [u, v]: [Vec3; 2], w: Vec3) -> Vec3 {
    if p == u && q == v {
        return w;
    }
    let (Some(along), Some(here)) = ((q - p).try_normalize(), (v - u).try_normalize()) else { return w };
    let Some(inward) = (r - p - along * (r - p).dot(along)).try_normalize() else { return w };
    // As far along the edge, in parts of its length, and as far from it.
    let part = (w - u).dot(here) / u.distance(v);
    let height = (w - u - here * (w - u).dot(here)).length();
    p + (q - p) * part - inward * height
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_face_elsewhere_is_laid_out_beside_the_edge() {
        let (p, q, r) = (Vec3::ZERO, Vec3::X * 2.0, Vec3::new(1.0, 1.0, 0.0));
        let turned = |x: Vec3| Vec3::new(x.y, x.z, x.x) + Vec3::splat(7.0);
        let [u, v, w] = [Vec3::ZERO, Vec3::X * 2.0, Vec3::new(0.5, -3.0, 0.0)].map(turned);
        assert!(beyond([p, q], r, [u, v], w).distance(Vec3::new(0.5, -3.0, 0.0)) < 1e-14);
        assert_eq!(beyond([p, q], r, [p, q], w), w);
    }
}
