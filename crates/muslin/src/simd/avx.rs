//! Registers of AVX2 with fused multiplication and numbers of half precision.
//!
//! Values of [`Avx`] exist only within [`run`], which is called only where the processor has these instructions. That is
//! what makes every block below sound; loads and stores go through references to arrays of the right size.

use super::{Kernel, LANES, Quad, Register, Width};
use half::f16;
#[allow(clippy::wildcard_imports, reason = "their names say where they come from")]
use std::arch::x86_64::*;

/// Runs a kernel with AVX2.
#[target_feature(enable = "avx2,fma,f16c")]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}

pub struct Avx2;

impl Width for Avx2 {
    type F32 = Avx;
    type F64 = [f64; LANES];
}

#[derive(Clone, Copy)]
pub struct Avx(__m256);

/// One instruction on registers.
macro_rules! instruction {
    ($call:expr) => {
        // SAFETY: the processor has AVX2, FMA and F16C; see the head of the file.
        Self(unsafe { $call })
    };
}

impl Register<f32> for Avx {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        instruction!(_mm256_set1_ps(value))
    }
    #[inline(always)]
    fn load(from: &[f32; LANES]) -> Self {
        // SAFETY: eight numbers are read from an array of eight.
        instruction!(_mm256_loadu_ps(from.as_ptr()))
    }
    #[inline(always)]
    fn load_half(from: &[f16; LANES]) -> Self {
        // SAFETY: eight numbers are read from an array of eight, whose type is that of their bits.
        instruction!(_mm256_cvtph_ps(_mm_loadu_si128(from.as_ptr().cast())))
    }
    #[inline(always)]
    fn store(self) -> [f32; LANES] {
        let mut to = [0.0; LANES];
        // SAFETY: eight numbers are written to an array of eight.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) };
        to
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        instruction!(_mm256_fmadd_ps(self.0, a.0, b.0))
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        instruction!(_mm256_add_ps(self.0, other.0))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        instruction!(_mm256_sub_ps(self.0, other.0))
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        instruction!(_mm256_mul_ps(self.0, other.0))
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        instruction!(_mm256_div_ps(self.0, other.0))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        instruction!(_mm256_sqrt_ps(self.0))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        instruction!(_mm256_max_ps(self.0, other.0))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        instruction!(_mm256_min_ps(self.0, other.0))
    }
    #[inline(always)]
    fn less(self, other: Self) -> Self {
        instruction!(_mm256_and_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0), _mm256_set1_ps(1.0)))
    }
    #[inline(always)]
    fn if_less(self, other: Self, then: Self, otherwise: Self) -> Self {
        instruction!(_mm256_blendv_ps(otherwise.0, then.0, _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn columns(rows: [&Quad<f32>; LANES]) -> [Self; 3] {
        // SAFETY: four numbers are read from arrays of four; the rest works on registers.
        transpose(rows.map(|row| unsafe { _mm_loadu_ps(row.as_ptr()) }))
    }

    #[inline(always)]
    fn differences(from: [&Quad<f64>; LANES], to: [&Quad<f64>; LANES]) -> [Self; 3] {
        transpose(std::array::from_fn(|l| {
            // SAFETY: four numbers are read from arrays of four; the rest works on registers.
            unsafe {
                let (from, to) = (_mm256_loadu_pd(from[l].as_ptr()), _mm256_loadu_pd(to[l].as_ptr()));
                _mm256_cvtpd_ps(_mm256_sub_pd(to, from))
            }
        }))
    }

    #[inline(always)]
    fn rows(columns: [Self; 3]) -> [Quad<f32>; LANES] {
        let mut to = [[0.0; 4]; LANES];
        // SAFETY: four numbers are written to each array of four; the rest works on registers.
        unsafe {
            let zero = _mm256_setzero_ps();
            let [x, y, z] = columns.map(|column| column.0);
            let (xy_low, xy_high) = (_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
            let (z_low, z_high) = (_mm256_unpacklo_ps(z, zero), _mm256_unpackhi_ps(z, zero));
            let pairs = [
                _mm256_shuffle_ps::<0b01_00_01_00>(xy_low, z_low),
                _mm256_shuffle_ps::<0b11_10_11_10>(xy_low, z_low),
                _mm256_shuffle_ps::<0b01_00_01_00>(xy_high, z_high),
                _mm256_shuffle_ps::<0b11_10_11_10>(xy_high, z_high),
            ];
            for (l, pair) in pairs.into_iter().enumerate() {
                _mm_storeu_ps(to[l].as_mut_ptr(), _mm256_castps256_ps128(pair));
                _mm_storeu_ps(to[l + 4].as_mut_ptr(), _mm256_extractf128_ps::<1>(pair));
            }
        }
        to
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        // SAFETY: the processor has AVX2; see the head of the file.
        unsafe {
            let four = _mm_add_ps(_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
        }
    }

    #[inline(always)]
    fn sums(registers: [Self; 3]) -> Quad<f32> {
        let [x, y, z] = registers.map(|register| register.0);
        let mut to = [0.0; 4];
        // SAFETY: four numbers are written to an array of four; the rest works on registers.
        unsafe {
            let pairs = _mm256_hadd_ps(_mm256_hadd_ps(x, y), _mm256_hadd_ps(z, _mm256_setzero_ps()));
            let four = _mm_add_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps::<1>(pairs));
            _mm_storeu_ps(to.as_mut_ptr(), four);
        }
        to
    }
}

/// The first three columns of eight rows of four.
#[inline(always)]
fn transpose(rows: [__m128; LANES]) -> [Avx; 3] {
    // SAFETY: the processor has AVX2; see the head of the file.
    unsafe {
        let pair = |l: usize| _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(rows[l]), rows[l + 4]);
        let (a, b, c, d) = (pair(0), pair(1), pair(2), pair(3));
        let (ab_low, cd_low) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
        let (ab_high, cd_high) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
        [
            Avx(_mm256_shuffle_ps::<0b01_00_01_00>(ab_low, cd_low)),
            Avx(_mm256_shuffle_ps::<0b11_10_11_10>(ab_low, cd_low)),
            Avx(_mm256_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high)),
        ]
    }
}
