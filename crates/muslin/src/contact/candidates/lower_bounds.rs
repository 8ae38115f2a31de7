//! Lower bounds of the distances of pairs, eight at a time.
//!
//! The gap of two convex features along any direction n is a lower bound of their distance. One between points that are nearly closest
//! is nearly the distance, and may be found in single precision:
//!
//! ```text
//! distance ≥ min n·x (first feature) − max n·x (second feature)        |n| = 1
//! ```
//!
//! For two edges n is that of one pair of points; for a vertex and a triangle the best of four, towards its plane and its sides. Bounds
//! of patches: see `patch_lower_bounds.rs`.

use crate::math::Vec3;
use crate::mesh::bounds;
use crate::simd::vector::{Vector, along, cross, dot, minus};
use crate::simd::{self, Kernel, LANES, Quad, Register, Width};
use crate::stencil::Stencil;

/// Bound of the rounding error of single precision, as a fraction of the largest coordinate.
const ROUNDING: f32 = 2e-6;
/// Added to squares that something is divided by [m²].
pub const TINY: f32 = 1e-30;
/// Fraction of the squares of two edges' lengths below which their directions count as parallel.
const PARALLEL: f32 = 1e-6;

/// Positions to measure between.
#[derive(Clone, Debug, Default)]
pub struct Points {
    /// Seen from the middle of all [m].
    pub quads: Vec<Quad<f32>>,
    /// What rounding may add to a bound [m].
    pub rounding: f32,
}

impl Points {
    /// Takes over positions, of which the first `middle` tell where they are seen from [m]; those which do not count need not be
    /// measured well.
    pub fn set(&mut self, x: &[Vec3], middle: usize, counts: impl Fn(usize) -> bool) {
        let [low, high] = bounds(&x[..middle]);
        let middle = (low + high) * 0.5;
        let mut farthest = Vec3::ZERO;
        self.quads.clear();
        self.quads.extend(x.iter().enumerate().map(|(v, x)| {
            let seen = *x - middle;
            if counts(v) {
                farthest = farthest.max(seen.abs());
            }
            let [x, y, z] = seen.to_array();
            [x as f32, y as f32, z as f32, 0.0]
        }));
        self.rounding = 2.0 * farthest.max_element() as f32 * ROUNDING;
    }

    /// Lower bounds of the distances of pairs, all of a kind.
    pub fn at_least(&self, pairs: &[Stencil], kind: Features, out: &mut Vec<LowerBound>) {
        out.clear();
        out.resize(pairs.len().next_multiple_of(LANES), LowerBound::default());
        let pairs = Pairs { points: self, all: pairs, out };
        match kind {
            Features::VertexTriangle => simd::run(VertexTriangle(pairs)),
            Features::EdgeEdge => simd::run(EdgeEdge(pairs)),
        }
    }
}

/// A lower bound of the distance of two features.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LowerBound {
    /// The distance, or less [m]; not a number where coordinates are too large to tell.
    pub distance: f32,
    /// n: from the second feature to the first, of any length.
    pub direction: Quad<f32>,
}

/// What the pairs of a batch consist of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Features {
    /// A vertex and a triangle.
    VertexTriangle,
    /// Two edges.
    EdgeEdge,
}

#[cfg(test)]
impl Features {
    /// How many of the four vertices are the first feature's.
    pub fn first(self) -> usize {
        if self == Self::VertexTriangle { 1 } else { 2 }
    }
}

/// Between 0 and 1; 0 if it is not a number.
#[inline(always)]
fn clamped<R: Register<f32>>(t: R) -> R {
    t.max(R::splat(0.0)).min(R::splat(1.0))
}

/// The positions of a vertex of eight.
#[inline(always)]
pub fn columns<W: Width>(quads: &[Quad<f32>], [a, b, c, d, e, f, g, h]: [u32; LANES]) -> Vector<W::F32> {
    W::F32::columns([
        &quads[a as usize],
        &quads[b as usize],
        &quads[c as usize],
        &quads[d as usize],
        &quads[e as usize],
        &quads[f as usize],
        &quads[g as usize],
        &quads[h as usize],
    ])
}

/// Some pairs.
struct Pairs<'a> {
    points: &'a Points,
    all: &'a [Stencil],
    out: &'a mut Vec<LowerBound>,
}

impl Pairs<'_> {
    /// Eight by eight, distance and direction of four vertices each, of which the last three are seen from the first.
    #[inline(always)]
    fn each<W: Width>(self, bound: impl Fn([Vector<W::F32>; 3]) -> (W::F32, Vector<W::F32>)) {
        let Self { points, all, out } = self;
        let (quads, rounding) = (&points.quads[..], W::F32::splat(points.rounding));
        let (out, _) = out.as_chunks_mut::<LANES>();
        for (eight, out) in all.chunks(LANES).zip(out) {
            let mut vertices = [[0; LANES]; 4];
            for l in 0..LANES {
                let pair = eight[if l < eight.len() { l } else { 0 }].vertices;
                for k in 0..4 {
                    vertices[k][l] = pair[k];
                }
            }
            let first = columns::<W>(quads, vertices[0]);
            let second = minus(columns::<W>(quads, vertices[1]), first);
            let third = minus(columns::<W>(quads, vertices[2]), first);
            let fourth = minus(columns::<W>(quads, vertices[3]), first);
            let (distance, direction) = bound([second, third, fourth]);
            let (distances, directions) = (distance.sub(rounding).store(), W::F32::rows(direction));
            for l in 0..LANES {
                out[l] = LowerBound { distance: distances[l], direction: directions[l] };
            }
        }
    }
}

struct VertexTriangle<'a>(Pairs<'a>);

impl Kernel for VertexTriangle<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Width>(self) {
        self.0.each::<W>(vertex_triangle);
    }
}

/// A bound for a vertex and a triangle, whose corners are seen from the vertex, and its direction.
#[inline(always)]
pub fn vertex_triangle<R: Register<f32>>(corners: [Vector<R>; 3]) -> (R, Vector<R>) {
    let [a, b, c] = corners;
    let zero = [R::splat(0.0); 3];
    let normal = cross(minus(b, a), minus(c, a));
    // From the triangle to the vertex.
    let mut best = better(corners, (bound(corners, normal), normal), minus(zero, normal));
    best = better(corners, best, minus(zero, nearest(a, b)));
    best = better(corners, best, minus(zero, nearest(b, c)));
    better(corners, best, minus(zero, nearest(c, a)))
}

/// The better of a bound with its direction and another direction.
#[inline(always)]
fn better<R: Register<f32>>(
    corners: [Vector<R>; 3],
    (least, best): (R, Vector<R>),
    other: Vector<R>,
) -> (R, Vector<R>) {
    let more = bound(corners, other);
    let pick = [
        least.if_less(more, other[0], best[0]),
        least.if_less(more, other[1], best[1]),
        least.if_less(more, other[2], best[2]),
    ];
    (more.max(least), pick)
}

/// The point between a and b that is nearest to the origin.
#[inline(always)]
fn nearest<R: Register<f32>>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    let side = minus(b, a);
    let t = R::splat(0.0).sub(dot(a, side)).div(dot(side, side).add(R::splat(TINY)));
    along(a, side, clamped(t))
}

/// How far against a direction the corners are from the origin, at least.
#[inline(always)]
fn bound<R: Register<f32>>([a, b, c]: [Vector<R>; 3], direction: Vector<R>) -> R {
    let most = dot(direction, a).max(dot(direction, b)).max(dot(direction, c));
    R::splat(0.0).sub(most).div(dot(direction, direction).add(R::splat(TINY)).sqrt())
}

struct EdgeEdge<'a>(Pairs<'a>);

impl Kernel for EdgeEdge<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Width>(self) {
        self.0.each::<W>(edge_edge);
    }
}

/// A bound for two edges, and its direction. Seen from its start, the first goes to d, the second from r to end.
#[inline(always)]
pub fn edge_edge<R: Register<f32>>([d, r, end]: [Vector<R>; 3]) -> (R, Vector<R>) {
    let (zero, tiny) = (R::splat(0.0), R::splat(TINY));
    let e = minus(end, r);
    let (dd, ee) = (dot(d, d).add(tiny), dot(e, e).add(tiny));
    let (de, dr, er) = (dot(d, e), dot(d, r), dot(e, r));
    let determinant = dd.mul(ee).sub(de.mul(de)).max(dd.mul(ee).mul(R::splat(PARALLEL)));
    let s = clamped(dr.mul(ee).sub(de.mul(er)).div(determinant));
    let t = clamped(de.mul(s).sub(er).div(ee));
    let s = clamped(de.mul(t).add(dr).div(dd));
    // From the second edge to the first.
    let arm = minus(along([zero; 3], d, s), along(r, e, t));
    let gap = dot(arm, d).min(zero).sub(dot(arm, r).max(dot(arm, end)));
    (gap.div(dot(arm, arm).add(tiny).sqrt()), arm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::closest_points::ClosestPoints;
    use crate::math::Real;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vec3> {
        let grid =
            (-2i8..=2, -2i8..=2, -2i8..=2).prop_map(|(x, y, z)| Vec3::new(x.into(), y.into(), z.into()));
        let free = (-2.0..2.0, -2.0..2.0, -2.0..2.0).prop_map(|(x, y, z)| Vec3::new(x, y, z));
        prop_oneof![grid, free]
    }

    /// Distances of vertices 4k … 4k + 3 as pairs, with their bounds.
    fn bounds(x: &[Vec3], kind: Features) -> Vec<[Real; 2]> {
        let vertices = |k: u32| [4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3];
        let count = x.len() as u32 / 4;
        let stencil = |k: u32| Stencil::of_first(vertices(k), kind.first());
        let pairs: Vec<Stencil> = (0..count).map(stencil).collect();
        let (mut points, mut out) = (Points::default(), Vec::new());
        points.set(x, x.len(), |_| true);
        points.at_least(&pairs, kind, &mut out);
        let exact = |k: u32| ClosestPoints::of(stencil(k), x).distance;
        (0..count).zip(out).map(|(k, bound)| [exact(k), bound.distance.into()]).collect()
    }

    /// Smaller than the distance, though not by more than a fraction of the size of the pair; where features all but cross, the
    /// direction from one to the other is only rounding.
    fn check(x: &[Vec3], kind: Features, fraction: Real) {
        let size = x.iter().map(|p| p.length()).fold(0.0, Real::max);
        for [distance, bound] in bounds(x, kind) {
            assert!(bound <= distance, "{bound} > {distance}");
            assert!(bound >= distance - fraction * size || distance < 1e-3 * size, "{bound}, {distance}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn vertices_and_triangles(x in prop::collection::vec(point(), 4..=40), far in point()) {
            let x: Vec<Vec3> = x[..x.len() / 4 * 4].iter().map(|x| *x + far * 1e3).collect();
            for [distance, bound] in bounds(&x, Features::VertexTriangle) {
                prop_assert!(bound <= distance, "{bound} > {distance}");
                // Coordinates up to 2, so that points are up to 7 apart: ends of an arm that are off by a rounding each turn it by
                // that over its length, and what lies beside it seems nearer by as much.
                let tilt = Real::from(f32::EPSILON) * 7.0 * 7.0 / distance.max(1e-9);
                prop_assert!(bound >= distance - 3e-5 - tilt, "{bound}, {distance}");
            }
        }

        #[test]
        fn edges(x in prop::collection::vec(point(), 4..=40), far in point()) {
            let x: Vec<Vec3> = x[..x.len() / 4 * 4].iter().map(|x| *x + far * 1e3).collect();
            for [distance, bound] in bounds(&x, Features::EdgeEdge) {
                prop_assert!(bound <= distance, "{bound} > {distance}");
            }
        }

        /// As they are on cloth: no longer than twice each other, at an angle of 20 degrees or more.
        #[test]
        fn ordinary_edges(middles in [point(), point()], turn in 0.35..2.8, half in 0.5..1.0, tilt in -1.0..1.0) {
            let (sin, cos) = Real::sin_cos(turn);
            let arms = [Vec3::X * half, Vec3::new(cos, sin, tilt)];
            let x = [middles[0] - arms[0], middles[0] + arms[0], middles[1] - arms[1], middles[1] + arms[1]];
            check(&x, Features::EdgeEdge, 1e-4);
        }
    }

    /// It all but touches an edge of a needle: found at random.
    #[test]
    fn bounds_of_near_features_are_tight_up_to_rounding() {
        let x = [
            Vec3::new(0.666_895_753_292_254, -1.169_397_777_806_349_6, -0.830_858_631_234_183_6),
            Vec3::new(-1.0, -2.0, 0.0),
            Vec3::new(1.0, -1.0, -1.0),
            Vec3::Y,
        ];
        check(&x, Features::VertexTriangle, 1e-4);
    }

    #[test]
    fn degenerate_features_have_bounds() {
        for kind in [Features::VertexTriangle, Features::EdgeEdge] {
            check(&[Vec3::X; 4], kind, 1e-5);
            check(&[Vec3::X, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO], kind, 1e-5);
            check(&[Vec3::X, Vec3::X, Vec3::Y, Vec3::Y], kind, 1e-5);
            check(&[Vec3::Z, Vec3::Z, Vec3::X, -Vec3::X], kind, 1e-5);
        }
    }
}
