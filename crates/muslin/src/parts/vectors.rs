//! Long vectors, three coordinates a place: products, sums and steps along them.
//!
//! Chunks are of fixed size and added in their order, so that results do not depend on threads.

use crate::math::Real;
use crate::par;
use crate::simd::{self, Kernel, LANES, Quad, Register, Scalar, Width};

/// Places a chunk: some 5 µs.
pub const PLACES: usize = 2048;

/// Makes vectors of so many places zero.
pub fn reset<T: Scalar, const N: usize>(vectors: [&mut Vec<Quad<T>>; N], places: usize) {
    for vector in vectors {
        vector.clear();
        vector.resize(places, [T::default(); 4]);
    }
}

/// a · b in double precision.
pub fn dot<T: Scalar>(a: &[Quad<T>], b: &[Quad<T>]) -> Real {
    let [sum] = par::sum_chunks(a.len(), PLACES, |places| {
        let (a, b) = (&a[places.clone()], &b[places]);
        [simd::run(Dot { a, b })]
    });
    sum
}

/// g · z, g⁻ · z and g · p in one pass, in double precision.
pub fn dots<T: Scalar>(g: &[Quad<T>], z: &[Quad<T>], last_g: &[Quad<T>], p: &[Quad<T>]) -> [Real; 3] {
    par::sum_chunks(g.len(), PLACES, |places| {
        let (g, z) = (&g[places.clone()], &z[places.clone()]);
        simd::run(Dots { g, z, last_g: &last_g[places.clone()], p: &p[places] })
    })
}

struct Dot<'a, T> {
    a: &'a [Quad<T>],
    b: &'a [Quad<T>],
}

impl<T: Scalar> Kernel for Dot<'_, T> {
    type Output = Real;
    #[inline(always)]
    fn run<W: Width>(self) -> Real {
        let mut sum = 0.0;
        for (a, b) in self.a.chunks(BLOCK).zip(self.b.chunks(BLOCK)) {
            sum += Block::of(a).times::<W>(&Block::of(b));
        }
        sum
    }
}

struct Dots<'a, T> {
    g: &'a [Quad<T>],
    z: &'a [Quad<T>],
    last_g: &'a [Quad<T>],
    p: &'a [Quad<T>],
}

impl<T: Scalar> Kernel for Dots<'_, T> {
    type Output = [Real; 3];
    #[inline(always)]
    fn run<W: Width>(self) -> [Real; 3] {
        let mut sums = [0.0; 3];
        let vectors = self.g.chunks(BLOCK).zip(self.z.chunks(BLOCK));
        let lasts = self.last_g.chunks(BLOCK).zip(self.p.chunks(BLOCK));
        for ((g, z), (last_g, p)) in vectors.zip(lasts) {
            let (g, z) = (Block::of(g), Block::of(z));
            sums[0] += g.times::<W>(&z);
            sums[1] += Block::of(last_g).times::<W>(&z);
            sums[2] += g.times::<W>(&Block::of(p));
        }
        sums
    }
}

/// Places whose products are added in the precision of the vectors, before they go to a sum in double precision.
const BLOCK: usize = 64;

/// Numbers of some places, eight at a time.
struct Block<'a, T> {
    eights: &'a [[T; LANES]],
    rest: &'a [T],
}

impl<'a, T: Scalar> Block<'a, T> {
    #[inline(always)]
    fn of(places: &'a [Quad<T>]) -> Self {
        let (eights, rest) = places.as_flattened().as_chunks();
        Self { eights, rest }
    }

    #[inline(always)]
    fn times<W: Width>(&self, other: &Self) -> Real {
        let mut sums = T::Lanes::<W>::splat(T::default());
        for (a, b) in self.eights.iter().zip(other.eights) {
            sums = T::Lanes::<W>::load(a).mul_add(T::Lanes::<W>::load(b), sums);
        }
        let mut sum = sums.sum().widened();
        for (a, b) in self.rest.iter().zip(other.rest) {
            sum += a.widened() * b.widened();
        }
        sum
    }
}

/// p ← β p − z.
pub fn turn<T: Scalar>(direction: &mut [Quad<T>], beta: Real, conditioned: &[Quad<T>]) {
    par::fill_chunks(direction, PLACES, |chunk, direction| {
        let conditioned = &conditioned[chunk * PLACES..][..direction.len()];
        simd::run(Turn { direction, beta: T::rounded(beta), conditioned });
    });
}

struct Turn<'a, T> {
    direction: &'a mut [Quad<T>],
    beta: T,
    conditioned: &'a [Quad<T>],
}

impl<T: Scalar> Kernel for Turn<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<W: Width>(self) {
        for (p, z) in self.direction.iter_mut().zip(self.conditioned) {
            for c in 0..4 {
                p[c] = self.beta.times(p[c]).minus(z[c]);
            }
        }
    }
}

/// x += s p; the farthest that a place moved [m].
pub fn advance<T: Scalar>(x: &mut [Quad<f64>], step: Real, p: &[Quad<T>]) -> Real {
    let [farthest] = par::max_chunks(x, PLACES, |chunk, x| {
        [simd::run(Advance { p: &p[chunk * PLACES..][..x.len()], x, step })]
    });
    farthest.sqrt()
}

struct Advance<'a, T> {
    x: &'a mut [Quad<f64>],
    step: Real,
    p: &'a [Quad<T>],
}

impl<T: Scalar> Kernel for Advance<'_, T> {
    /// The square of the farthest way [m²].
    type Output = Real;
    #[inline(always)]
    fn run<W: Width>(self) -> Real {
        const CHAINS: usize = 4;
        let mut farthest = [0.0; CHAINS];
        let ((x, x_rest), (p, p_rest)) = (self.x.as_chunks_mut::<CHAINS>(), self.p.as_chunks::<CHAINS>());
        for (x, p) in x.iter_mut().zip(p) {
            let mut ways = [0.0; CHAINS];
            for k in 0..CHAINS {
                ways[k] = move_along(&mut x[k], self.step, &p[k]);
            }
            for k in 0..CHAINS {
                farthest[k] = if ways[k] > farthest[k] { ways[k] } else { farthest[k] };
            }
        }
        for (x, p) in x_rest.iter_mut().zip(p_rest) {
            farthest[0] = farthest[0].max(move_along(x, self.step, p));
        }
        farthest.into_iter().fold(0.0, Real::max)
    }
}

/// x += s p; the square of the way [m²].
#[inline(always)]
fn move_along<T: Scalar>(x: &mut Quad<f64>, step: Real, p: &Quad<T>) -> Real {
    let mut way = [0.0; 4];
    for c in 0..4 {
        way[c] = step * p[c].widened();
        x[c] += way[c];
    }
    way[0] * way[0] + way[1] * way[1] + way[2] * way[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Longer than a few chunks, and no multiple of anything.
    const COUNT: usize = 20_011;

    fn vector(seed: usize) -> Vec<Quad<f32>> {
        let number = |i: usize, c: usize| ((seed + 4 * i + c) as f32).sin();
        (0..COUNT).map(|i| [number(i, 0), number(i, 1), number(i, 2), 0.0]).collect()
    }

    #[test]
    fn dots_are_those_of_a_plain_sum() {
        let (a, b, c) = (vector(1), vector(5), vector(9));
        let products = |a: &[Quad<f32>], b: &[Quad<f32>]| -> Vec<Real> {
            let pairs = a.as_flattened().iter().zip(b.as_flattened());
            pairs.map(|(a, b)| f64::from(*a) * f64::from(*b)).collect()
        };
        let [ab, cb, ac] = dots(&a, &b, &c, &c);
        for (found, products) in [
            (ab, products(&a, &b)),
            (cb, products(&c, &b)),
            (ac, products(&a, &c)),
            (dot(&a, &b), products(&a, &b)),
        ] {
            // In single precision a lane adds up the products of half the places of a block.
            let allowed = BLOCK as Real / 2.0 * 6e-8 * products.iter().map(|p| p.abs()).sum::<Real>();
            let exact: Real = products.iter().sum();
            assert!((found - exact).abs() < allowed, "{found} is not {exact}");
        }
    }

    #[test]
    fn places_move_along_and_the_farthest_is_told() {
        let (mut p, start) = (vector(2), vector(3).iter().map(|x| x.map(f64::from)).collect::<Vec<_>>());
        p[COUNT - 1] = [3.0, 0.0, -4.0, 0.0];
        let mut x = start.clone();
        assert_eq!(advance(&mut x, 0.5, &p), 2.5);
        assert!(x.iter().zip(&start).zip(&p).all(|((x, from), p)| x[1] == from[1] + 0.5 * f64::from(p[1])));
        let before = p.clone();
        turn(&mut p, -2.0, &vector(4));
        assert_eq!(p[7_000][2], -2.0 * before[7_000][2] - vector(4)[7_000][2]);
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let results = |threads| {
            par::with_threads(threads, || {
                let (a, b, mut x) = (vector(1), vector(2), vec![[0.1; 4]; COUNT]);
                (dot(&a, &b).to_bits(), advance(&mut x, 0.3, &a).to_bits(), x)
            })
        };
        let alone = results(1);
        assert!([2, 3, 8].into_iter().all(|threads| results(threads) == alone));
    }
}
