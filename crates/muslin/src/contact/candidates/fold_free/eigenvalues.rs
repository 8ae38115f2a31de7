//! The least λ of regions, eight at a time.

use super::layout::{Layout, MOST};
use crate::math::{Real, Vec3};
use crate::par;
use crate::simd::vector::{blend, dot, sum};
use crate::simd::{self, Kernel, LANES, Quad, Register, Width};

/// More than single precision takes from a λ of cloth that is stretched less than `LARGE` times.
const ROUNDING: Real = 1e-3;
const LARGE: f32 = 100.0;
/// Eights of regions in a chunk: some 5 µs of work.
const CHUNK: usize = 16;

/// Gradients over the layouts of regions.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Eigenvalues {
    /// A triangle of each of eight regions; as many for eight as the one with most has.
    slots: Vec<Slot>,
    /// Where the slots of each eight regions end.
    ends: Vec<u32>,
    /// Edges of all triangles [m].
    #[cfg_attr(feature = "serde", serde(skip))]
    edges: Vec<[Quad<f32>; 2]>,
}

/// A triangle of each of eight regions.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Slot {
    triangles: [u32; LANES],
    /// See [`Layout::inverses`].
    inverses: [[f32; LANES]; 4],
}

impl Eigenvalues {
    /// Of regions with these layouts.
    pub fn of(layouts: &[&Layout]) -> Self {
        let mut all = Self::default();
        for eight in layouts.chunks(LANES) {
            let most = eight.iter().map(|layout| layout.triangles.len()).max().unwrap_or(0);
            for slot in 0..most {
                // Where there is none, one that there is again.
                let lane = |l: usize| {
                    let layout = eight[l.min(eight.len() - 1)];
                    let leaf = slot.min(layout.triangles.len() - 1);
                    (layout.triangles[leaf], layout.inverses[leaf])
                };
                all.slots.push(Slot {
                    triangles: std::array::from_fn(|l| lane(l).0),
                    inverses: std::array::from_fn(|k| std::array::from_fn(|l| lane(l).1[k] as f32)),
                });
            }
            all.ends.push(all.slots.len() as u32);
        }
        all
    }

    /// The least λ of each region where its triangles have these edges [m], or less by rounding, with a Q that fits them on
    /// the average; NaN or minus infinity where it cannot be told.
    pub fn least(&mut self, edges: impl Iterator<Item = [Vec3; 2]>, out: &mut Vec<Real>, count: usize) {
        self.edges.clear();
        self.edges.extend(edges.map(|edges| {
            edges.map(|edge| {
                let [x, y, z] = edge.to_array().map(|x| x as f32);
                [x, y, z, 0.0]
            })
        }));
        out.clear();
        out.resize(self.ends.len() * LANES, 0.0);
        par::fill_chunks(out, CHUNK * LANES, |chunk, out| {
            for (k, out) in out.chunks_mut(LANES).enumerate().map(|(k, out)| (chunk * CHUNK + k, out)) {
                let start = if k > 0 { self.ends[k - 1] } else { 0 };
                let slots = &self.slots[start as usize..self.ends[k] as usize];
                let least = simd::run(Least { slots, edges: &self.edges });
                out.copy_from_slice(&least.map(|least| Real::from(least) - ROUNDING));
            }
        });
        out.truncate(count);
    }
}

struct Least<'a> {
    slots: &'a [Slot],
    edges: &'a [[Quad<f32>; 2]],
}

impl Kernel for Least<'_> {
    type Output = [f32; LANES];

    #[inline(always)]
    fn run<W: Width>(self) -> [f32; LANES] {
        let zero = W::F32::splat(0.0);
        let mut gradients = [[[zero; 3]; 2]; MOST];
        let [mut m, mut n] = [[zero; 3]; 2];
        for (slot, gradient) in self.slots.iter().zip(&mut gradients) {
            let edges = slot.triangles.map(|t| &self.edges[t as usize]);
            let d = W::F32::columns(edges.map(|edges| &edges[0]));
            let e = W::F32::columns(edges.map(|edges| &edges[1]));
            let [p, q, r, s] = &slot.inverses;
            let (p, q, r, s) = (W::F32::load(p), W::F32::load(q), W::F32::load(r), W::F32::load(s));
            *gradient = [blend(d, p, e, r), blend(d, q, e, s)];
            (m, n) = (sum(m, gradient[0]), sum(n, gradient[1]));
        }
        // The two orthonormal vectors nearest to m and n, by the root of the matrix of their products.
        let one = W::F32::splat(1.0);
        let (a, b, c) = (dot(m, m), dot(n, n), dot(m, n));
        let root = a.mul(b).sub(c.mul(c)).sqrt();
        let scale = one.div(root.mul(a.add(b).add(root.add(root)).sqrt()));
        let minus = zero.sub(c).mul(scale);
        let q = blend(m, b.add(root).mul(scale), n, minus);
        let r = blend(n, a.add(root).mul(scale), m, minus);
        let mut worst = W::F32::splat(f32::NEG_INFINITY);
        let mut size = zero;
        for [j, k] in &gradients[..self.slots.len()] {
            let (a, b) = (dot(q, *j), dot(r, *k));
            let (c, d) = (dot(q, *k).add(dot(r, *j)), a.sub(b));
            worst = d.mul_add(d, c.mul(c)).sqrt().sub(a).sub(b).max(worst);
            size = dot(*j, *j).add(dot(*k, *k)).max(size);
        }
        // Nothing comes of a Q that is no number, and nothing good of what is too large for the precision.
        let void = dot([zero; 3], q).add(dot([zero; 3], r));
        let too_large = W::F32::splat(LARGE * LARGE).less(size).mul(W::F32::splat(2.0 * LARGE));
        let half = W::F32::splat(-0.5);
        worst.mul_add(half, void).sub(too_large).store()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A right triangle, laid out as it is, under the gradient [u, v].
    fn least(gradients: &[[Vec3; 2]]) -> Real {
        let layout = Layout {
            triangles: (0..gradients.len() as u32).collect(),
            inverses: vec![[1.0, 0.0, 0.0, 1.0]; gradients.len()],
            altitude: 1.0,
            lift: 1.0,
        };
        let mut out = Vec::new();
        Eigenvalues::of(&[&layout]).least(gradients.iter().copied(), &mut out, 1);
        out[0] + ROUNDING
    }

    #[test]
    fn eigenvalues_are_those_of_the_symmetric_part() {
        // Flat, stretched by 2 and 3, sheared: λ of [[2, ½], [½, 3]].
        let is = |found: Real, expected: Real| assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        is(least(&[[Vec3::X, Vec3::Y]]), 1.0);
        is(least(&[[Vec3::X * 2.0, Vec3::Y * 3.0]]), 2.0);
        is(least(&[[Vec3::new(2.0, 0.5, 0.0), Vec3::new(0.5, 3.0, 0.0)]]), 2.5 - 0.5f64.sqrt());
        // Two halves of a fold by 60° to each side: seen in the middle, each has half its width.
        let (sin, cos) = 60f64.to_radians().sin_cos();
        is(least(&[[Vec3::new(cos, 0.0, sin), Vec3::Y], [Vec3::new(cos, 0.0, -sin), Vec3::Y]]), 0.5);
        // One of three is turned over.
        is(least(&[[Vec3::X, Vec3::Y], [Vec3::X, Vec3::Y], [-Vec3::X, Vec3::Y]]), -1.0);
    }

    fn is_bad(least: Real) -> bool {
        least.is_nan() || least < -1.0
    }

    #[test]
    fn degenerate_or_huge_regions_are_not_certified() {
        assert!(is_bad(least(&[[Vec3::X, Vec3::X]])));
        assert!(is_bad(least(&[[Vec3::ZERO, Vec3::ZERO]])));
        assert!(is_bad(least(&[[Vec3::X, Vec3::Y], [-Vec3::X, -Vec3::Y]])));
        assert!(is_bad(least(&[[Vec3::X * 101.0, Vec3::Y]])));
        assert!(is_bad(least(&[[Vec3::X * 1e30, Vec3::Y]])));
    }
}
