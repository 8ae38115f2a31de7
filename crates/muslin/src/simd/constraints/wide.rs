//! Eight constraints at a time.
//!
//! Gathers are slow: each end is one load of 128 bits. Differences are taken before the transpose and inverse masses are
//! spread after it, so that one transpose each way serves both ends.

use super::{Block, Details, Lane, Particle, WIDTH};
#[allow(clippy::wildcard_imports, reason = "instructions name themselves")]
use std::arch::x86_64::*;

/// Halves of a block: constraints k and k + 4 share a register.
const HALF: usize = WIDTH / 2;

/// See [`Kernel`](super::Kernel); AVX2 and FMA must be there.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn project<const ANCHORED: bool, const BOUNDED: bool, const ACCUMULATE: bool>(
    blocks: &[Block],
    details: &mut [Details],
    particles: *mut Particle,
) {
    for (block, details) in blocks.iter().zip(details) {
        // SAFETY: by the contract of `Kernel`.
        let (first, second) =
            unsafe { (gather(&block.ends[0], particles), gather(&block.ends[1], particles)) };
        let geometry = Geometry::of(block, first, second);
        let Geometry { d, length, lengths, product } = geometry;
        let mut excess = load(&block.excess);
        if ACCUMULATE {
            excess = _mm256_fmadd_ps(load(&details.compliance), load(&details.multiplier), excess);
        }
        let numerator = _mm256_fmadd_ps(excess, lengths, product);
        let denominator = _mm256_mul_ps(_mm256_mul_ps(lengths, length), load(&block.resistance));
        let directed = _mm256_cmp_ps::<_CMP_GT_OQ>(denominator, _mm256_setzero_ps());
        let mut pull = _mm256_and_ps(_mm256_div_ps(numerator, denominator), directed);
        if BOUNDED && !ACCUMULATE {
            pull = _mm256_min_ps(pull, negate(load(&details.lowest)));
            pull = _mm256_max_ps(pull, negate(load(&details.highest)));
        }
        if ACCUMULATE {
            let before = load(&details.multiplier);
            let mut after = _mm256_fnmadd_ps(pull, length, before);
            if BOUNDED {
                after = _mm256_max_ps(after, load(&details.lowest));
                after = _mm256_min_ps(after, load(&details.highest));
                let change = _mm256_div_ps(_mm256_sub_ps(before, after), length);
                pull = _mm256_and_ps(change, directed);
            }
            store(&mut details.multiplier, after);
        }
        let ways = rows([_mm256_mul_ps(pull, d[0]), _mm256_mul_ps(pull, d[1]), _mm256_mul_ps(pull, d[2])]);
        for k in 0..HALF {
            let second = _mm256_fnmadd_ps(inverse_masses(second[k]), ways[k], second[k]);
            // SAFETY: by the contract of `Kernel`.
            unsafe { scatter(second, &block.ends[1], k, particles) };
            if !ANCHORED {
                let first = _mm256_fmadd_ps(inverse_masses(first[k]), ways[k], first[k]);
                // SAFETY: by the contract of `Kernel`.
                unsafe { scatter(first, &block.ends[0], k, particles) };
            }
        }
    }
}

/// See [`Batch::damp`](super::Batch::damp); AVX2 and FMA must be there, and the particles of the blocks.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn damp(blocks: &mut [Block], details: &[Details], particles: *const Particle) {
    for (block, details) in blocks.iter_mut().zip(details) {
        // SAFETY: by the contract above.
        let (first, second) =
            unsafe { (gather(&block.ends[0], particles), gather(&block.ends[1], particles)) };
        let Geometry { lengths, product, .. } = Geometry::of(block, first, second);
        let directed = _mm256_cmp_ps::<_CMP_GT_OQ>(lengths, _mm256_setzero_ps());
        let growth = _mm256_and_ps(_mm256_div_ps(product, lengths), directed);
        let excess = _mm256_fnmadd_ps(load(&details.viscous), growth, load(&details.elastic));
        store(&mut block.excess, excess);
    }
}

/// d, l, l + l̂ and δ·(d + d̂).
struct Geometry {
    d: [__m256; 3],
    length: __m256,
    lengths: __m256,
    product: __m256,
}

impl Geometry {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn of(block: &Block, first: [__m256; HALF], second: [__m256; HALF]) -> Self {
        let delta = columns([
            _mm256_sub_ps(second[0], first[0]),
            _mm256_sub_ps(second[1], first[1]),
            _mm256_sub_ps(second[2], first[2]),
            _mm256_sub_ps(second[3], first[3]),
        ]);
        let [x, y, z] = [load(&block.reference[0]), load(&block.reference[1]), load(&block.reference[2])];
        let d = [_mm256_add_ps(x, delta[0]), _mm256_add_ps(y, delta[1]), _mm256_add_ps(z, delta[2])];
        let sum = [_mm256_add_ps(x, d[0]), _mm256_add_ps(y, d[1]), _mm256_add_ps(z, d[2])];
        let length = _mm256_sqrt_ps(dot(d, d));
        let lengths = _mm256_add_ps(length, load(&block.length));
        Self { d, length, lengths, product: dot(delta, sum) }
    }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn load(lane: &Lane) -> __m256 {
    // SAFETY: eight numbers are there to be read.
    unsafe { _mm256_loadu_ps(lane.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn store(lane: &mut Lane, values: __m256) {
    // SAFETY: eight numbers are there to be written.
    unsafe { _mm256_storeu_ps(lane.as_mut_ptr(), values) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn negate(values: __m256) -> __m256 {
    _mm256_xor_ps(values, _mm256_set1_ps(-0.0))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn dot(a: [__m256; 3], b: [__m256; 3]) -> __m256 {
    _mm256_fmadd_ps(a[0], b[0], _mm256_fmadd_ps(a[1], b[1], _mm256_mul_ps(a[2], b[2])))
}

/// The particles k and k + 4 side by side, for k = 0 to 3.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn gather(ends: &[u32; WIDTH], particles: *const Particle) -> [__m256; HALF] {
    // SAFETY: the caller's promise: the particles are there; `Particle` is aligned to 16 bytes.
    let one = |end: u32| unsafe { _mm_load_ps(particles.add(end as usize).cast::<f32>()) };
    std::array::from_fn(|k| _mm256_set_m128(one(ends[k + HALF]), one(ends[k])))
}

/// Writes back what `gather` read, one k.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn scatter(pair: __m256, ends: &[u32; WIDTH], k: usize, particles: *mut Particle) {
    // SAFETY: as in `gather`, and nobody else uses these particles.
    unsafe {
        _mm_store_ps(particles.add(ends[k] as usize).cast::<f32>(), _mm256_castps256_ps128(pair));
        _mm_store_ps(particles.add(ends[k + HALF] as usize).cast::<f32>(), _mm256_extractf128_ps::<1>(pair));
    }
}

/// The fourth number of each half, four times.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn inverse_masses(pair: __m256) -> __m256 {
    _mm256_permute_ps::<0xFF>(pair)
}

/// From particles side by side to their x, y and z in the order of the constraints.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn columns(rows: [__m256; HALF]) -> [__m256; 3] {
    let (low, high) = (_mm256_unpacklo_ps(rows[0], rows[1]), _mm256_unpacklo_ps(rows[2], rows[3]));
    let (low_z, high_z) = (_mm256_unpackhi_ps(rows[0], rows[1]), _mm256_unpackhi_ps(rows[2], rows[3]));
    [
        _mm256_shuffle_ps::<0x44>(low, high),
        _mm256_shuffle_ps::<0xEE>(low, high),
        _mm256_shuffle_ps::<0x44>(low_z, high_z),
    ]
}

/// And back, with 0 in the fourth place.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn rows([x, y, z]: [__m256; 3]) -> [__m256; HALF] {
    let zero = _mm256_setzero_ps();
    let (low, high) = (_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
    let (low_z, high_z) = (_mm256_unpacklo_ps(z, zero), _mm256_unpackhi_ps(z, zero));
    [
        _mm256_shuffle_ps::<0x44>(low, low_z),
        _mm256_shuffle_ps::<0xEE>(low, low_z),
        _mm256_shuffle_ps::<0x44>(high, high_z),
        _mm256_shuffle_ps::<0xEE>(high, high_z),
    ]
}
