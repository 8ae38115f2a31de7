//! Lower bounds of the distances of two patches and of their features, of eight pairs of patches at a time: see `lower_bounds.rs`.
//!
//! For two patches n is the best of three: from middle to middle, and along the normals of both.
//!
//! Two patches of two triangles each have eight corners, which are loaded once for all their features. Which vertices and edges are a
//! patch's own differs from patch to patch: those of any of the eight are measured for all. No closures here: wide registers would not
//! get through them.

use super::lower_bounds::{Features, Points, TINY, columns, edge_edge, vertex_triangle};
use crate::contact::mesh::patches::{EDGES, Patches, TRIANGLES};
use crate::simd::vector::{Vector, cross, dot, minus, sum};
use crate::simd::{self, Kernel, LANES, Quad, Register, Width};

/// Pairs of features of two patches at the most: four vertices of each with two triangles, and five edges of each.
const MOST: usize = 2 * 4 * 2 + 5 * 5;

/// A pair of features of two patches.
#[derive(Clone, Copy, Debug)]
pub struct FeaturePair {
    /// A vertex and a triangle, or two edges.
    pub kind: Features,
    /// Which of the patches has the first feature.
    pub side: usize,
    /// A corner or an edge of that one.
    pub first: usize,
    /// A triangle or an edge of the other.
    pub second: usize,
}

/// Bounds of all features of eight pairs of patches.
#[derive(Debug)]
pub struct Eight {
    features: Vec<FeaturePair>,
    /// Lower bounds of distances [m].
    distances: Vec<[f32; LANES]>,
    /// From the second feature to the first, of any length, by coordinates.
    directions: Vec<[[f32; LANES]; 3]>,
    /// The least of the distances [m], and how many are large enough.
    least: [f32; LANES],
    large: [f32; LANES],
}

impl Eight {
    /// All pairs of features of one of the eight, with a bound of their distance [m].
    #[inline]
    pub fn of(&self, lane: usize) -> impl Iterator<Item = (usize, FeaturePair, f32)> + '_ {
        let features = self.features.iter().zip(&self.distances).enumerate();
        features.map(move |(k, (pair, distances))| (k, *pair, distances[lane]))
    }

    /// The least distance of all features of one of the eight [m], if none is of interest.
    #[inline]
    pub fn least_if_large(&self, lane: usize) -> Option<f32> {
        (self.large[lane] == self.features.len() as f32).then_some(self.least[lane])
    }

    /// The direction of the bound of a pair of features, by its number.
    #[inline]
    pub fn direction(&self, pair: usize, lane: usize) -> [f32; 3] {
        self.directions[pair].map(|coordinate| coordinate[lane])
    }

    #[inline(always)]
    fn push<R: Register<f32>>(&mut self, features: FeaturePair, distance: R, direction: Vector<R>) {
        self.features.push(features);
        self.distances.push(distance.store());
        self.directions.push([direction[0].store(), direction[1].store(), direction[2].store()]);
    }
}

/// Measures the features of pairs of patches, all of two triangles, and calls `each` with the number of the first of every eight pairs.
/// Of each pair, `enough` is a distance beyond which features are of no interest [m].
pub fn measure(
    points: &Points,
    patches: &Patches,
    pairs: &[[u32; 2]],
    enough: &[f32],
    each: impl FnMut(usize, &Eight),
) {
    simd::run(Measure { points, patches, pairs, enough, each });
}

struct Measure<'a, F> {
    points: &'a Points,
    patches: &'a Patches,
    pairs: &'a [[u32; 2]],
    enough: &'a [f32],
    each: F,
}

impl<F: FnMut(usize, &Eight)> Kernel for Measure<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<W: Width>(self) {
        let Self { points, patches, pairs, enough, mut each } = self;
        let rounding = W::F32::splat(points.rounding);
        let mut eight = Eight {
            features: Vec::with_capacity(MOST),
            distances: Vec::with_capacity(MOST),
            directions: Vec::with_capacity(MOST),
            least: [0.0; LANES],
            large: [0.0; LANES],
        };
        for (block, pairs) in pairs.chunks(LANES).enumerate() {
            let (mut corners, mut own) = ([[[0; LANES]; 4]; 2], [0; 2]);
            let mut enough_of = [0.0; LANES];
            for l in 0..LANES {
                let place = if l < pairs.len() { l } else { 0 };
                enough_of[l] = enough[block * LANES + place];
                let pair = [pairs[place][0] as usize, pairs[place][1] as usize];
                for side in 0..2 {
                    own[side] |= patches.own[pair[side]].features;
                    for k in 0..4 {
                        corners[side][k][l] = patches.corners[pair[side]][k];
                    }
                }
            }
            let x = [patch::<W>(&points.quads, &corners[0]), patch::<W>(&points.quads, &corners[1])];
            eight.features.clear();
            eight.distances.clear();
            eight.directions.clear();
            let enough = W::F32::load(&enough_of);
            let (mut least, mut large) = (W::F32::splat(f32::INFINITY), W::F32::splat(0.0));
            for side in 0..2 {
                for first in (0..4).filter(|corner| own[side] >> corner & 1 == 1) {
                    let (vertex, other) = (x[side][first], &x[1 - side]);
                    for (second, &[a, b, c]) in TRIANGLES.iter().enumerate() {
                        let seen =
                            [minus(other[a], vertex), minus(other[b], vertex), minus(other[c], vertex)];
                        let features = FeaturePair { kind: Features::VertexTriangle, side, first, second };
                        let (bound, direction) = vertex_triangle(seen);
                        let distance = bound.sub(rounding);
                        least = distance.min(least);
                        large = large.add(enough.less(distance));
                        eight.push(features, distance, direction);
                    }
                }
            }
            for first in (0..5).filter(|edge| own[0] >> (4 + edge) & 1 == 1) {
                let [a, b] = EDGES[first];
                let (start, along) = (x[0][a], minus(x[0][b], x[0][a]));
                for second in (0..5).filter(|edge| own[1] >> (4 + edge) & 1 == 1) {
                    let [c, d] = EDGES[second];
                    let seen = [along, minus(x[1][c], start), minus(x[1][d], start)];
                    let features = FeaturePair { kind: Features::EdgeEdge, side: 0, first, second };
                    let (bound, direction) = edge_edge(seen);
                    let distance = bound.sub(rounding);
                    least = distance.min(least);
                    large = large.add(enough.less(distance));
                    eight.push(features, distance, direction);
                }
            }
            (eight.least, eight.large) = (least.store(), large.store());
            each(block * LANES, &eight);
        }
    }
}

impl Points {
    /// Lower bounds of the distances of patches with these corners, by their numbers [m].
    pub fn patches_at_least(&self, corners: &[[u32; 4]], pairs: &[[u32; 2]], out: &mut Vec<f32>) {
        out.clear();
        out.resize(pairs.len().next_multiple_of(LANES), 0.0);
        simd::run(TwoPatches { points: self, corners, pairs, out });
    }
}

struct TwoPatches<'a> {
    points: &'a Points,
    corners: &'a [[u32; 4]],
    pairs: &'a [[u32; 2]],
    out: &'a mut Vec<f32>,
}

impl Kernel for TwoPatches<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Width>(self) {
        let Self { points, corners, pairs, out } = self;
        let (quads, rounding) = (&points.quads[..], W::F32::splat(points.rounding));
        let (out, _) = out.as_chunks_mut::<LANES>();
        for (eight, out) in pairs.chunks(LANES).zip(out) {
            let mut vertices = [[[0; LANES]; 4]; 2];
            for l in 0..LANES {
                let pair = eight[if l < eight.len() { l } else { 0 }];
                for side in 0..2 {
                    let corners = corners[pair[side] as usize];
                    for k in 0..4 {
                        vertices[side][k][l] = corners[k];
                    }
                }
            }
            let (a, b) = (patch::<W>(quads, &vertices[0]), patch::<W>(quads, &vertices[1]));
            let across = minus(middle(a), middle(b));
            let mut least = between(a, b, across);
            least = least.max(between(a, b, normal(a)));
            least = least.max(between(a, b, normal(b)));
            *out = least.sub(rounding).store();
        }
    }
}

/// The corners of eight patches.
#[inline(always)]
fn patch<W: Width>(quads: &[Quad<f32>], corners: &[[u32; LANES]; 4]) -> [Vector<W::F32>; 4] {
    [
        columns::<W>(quads, corners[0]),
        columns::<W>(quads, corners[1]),
        columns::<W>(quads, corners[2]),
        columns::<W>(quads, corners[3]),
    ]
}

/// Four times the middle of a patch.
#[inline(always)]
fn middle<R: Register<f32>>([a, b, c, d]: [Vector<R>; 4]) -> Vector<R> {
    sum(sum(a, b), sum(c, d))
}

/// The normal of a patch, by its diagonals.
#[inline(always)]
fn normal<R: Register<f32>>([a, b, c, d]: [Vector<R>; 4]) -> Vector<R> {
    cross(minus(c, a), minus(d, b))
}

/// How far along a direction, or against it, two patches are apart.
#[inline(always)]
fn between<R: Register<f32>>(a: [Vector<R>; 4], b: [Vector<R>; 4], direction: Vector<R>) -> R {
    let ([low_a, high_a], [low_b, high_b]) = (extent(a, direction), extent(b, direction));
    let gap = low_a.sub(high_b).max(low_b.sub(high_a));
    gap.div(dot(direction, direction).add(R::splat(TINY)).sqrt())
}

/// From where to where a patch reaches along a direction.
#[inline(always)]
fn extent<R: Register<f32>>([a, b, c, d]: [Vector<R>; 4], direction: Vector<R>) -> [R; 2] {
    let (a, b, c, d) = (dot(direction, a), dot(direction, b), dot(direction, c), dot(direction, d));
    [a.min(b).min(c.min(d)), a.max(b).max(c.max(d))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, Resolution, Sheet, Surroundings};
    use crate::contact::closest_points::ClosestPoints;
    use crate::contact::mesh::collision_mesh::CollisionMesh;
    use crate::math::{Real, Vec3};
    use crate::stencil::Stencil;
    use proptest::prelude::*;

    const SIDE: usize = 5;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 1 } else { 100 }))]

        /// A crumpled sheet: every feature that is a patch's own is measured with every feature of every other patch, and no bound exceeds
        /// the distance.
        #[test]
        fn bounds_cover_all_features(
            shifts in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), SIDE * SIDE),
            shake in 0.0..0.5f64,
            enough in 0.0..0.5f64,
        ) {
            let mut builder = Builder::default();
            let resolution = Resolution::Particles([SIDE; 2]);
            builder.add_sheet(&Sheet { size: [1.0; 2], resolution, ..Sheet::default() }).unwrap();
            let (model, state) = builder.finish(&Surroundings::default()).unwrap();
            let surface = CollisionMesh::of(&model, &[]);
            let patches = Patches::of(&surface, &state.positions);
            let shaken = state.positions.iter().zip(&shifts).map(|(x, shift)| *x + Vec3::from(*shift) * shake);
            let x: Vec<Vec3> = shaken.collect();
            let mut points = Points::default();
            points.set(&x, x.len(), |_| true);
            let count = patches.corners.len() as u32;
            let pairs: Vec<[u32; 2]> =
                (0..count).flat_map(|a| (0..count).filter(move |&b| a != b).map(move |b| [a, b])).collect();
            let mut seen = vec![[0; 2]; pairs.len()];
            measure(&points, &patches, &pairs, &vec![enough as f32; pairs.len()], |first, eight| {
                for (lane, [a, b]) in pairs[first..].iter().take(LANES).enumerate() {
                    let [a, b] = [a, b].map(|&patch| patch as usize);
                    let mut least = Real::INFINITY;
                    for (_, features, bound) in eight.of(lane) {
                        let [of, at] = [[a, b], [b, a]][features.side];
                        let corner = |patch: usize, k: usize| patches.corners[patch][k];
                        let (vertices, is_own) = match features.kind {
                            Features::VertexTriangle => {
                                let [i, j, k] = TRIANGLES[features.second].map(|k| corner(at, k));
                                let own = patches.own[of].has_corner(features.first);
                                ([corner(of, features.first), i, j, k], own)
                            }
                            Features::EdgeEdge => {
                                let [i, j] = EDGES[features.first].map(|k| corner(of, k));
                                let [k, l] = EDGES[features.second].map(|k| corner(at, k));
                                let own = patches.own[of].has_edge(features.first) && patches.own[at].has_edge(features.second);
                                ([i, j, k, l], own)
                            }
                        };
                        let distance = ClosestPoints::of(Stencil::of_first(vertices, features.kind.first()), &x).distance;
                        assert!(Real::from(bound) <= distance, "{bound} > {distance}");
                        least = least.min(bound.into());
                        seen[first + lane][features.kind.first() - 1] += usize::from(is_own);
                    }
                    let large = eight.least_if_large(lane);
                    assert_eq!(large.is_some(), least > Real::from(enough as f32));
                    assert!(large.is_none_or(|large| Real::from(large) == least));
                }
            });
            for ([a, b], seen) in pairs.iter().zip(seen) {
                let [a, b] = [a, b].map(|&patch| patch as usize);
                let (vertices, edges) = (|t| patches.vertices.of(t).len(), |t| patches.edges.of(t).len());
                prop_assert_eq!(seen, [2 * (vertices(a) + vertices(b)), edges(a) * edges(b)]);
            }
        }
    }
}
