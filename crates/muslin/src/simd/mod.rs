//! Wide registers: the only place that knows of them.
//!
//! What the processor has is found at run time; nobody needs to set a flag. A [`Kernel`] is written once over registers of
//! eight numbers, and compiled for wide ones and for plain arrays. Both do the same operations in the same order, fused
//! where the code says so, and give the same bits.
#![allow(unsafe_code, reason = "instructions of registers that were found to exist")]

#[cfg(target_arch = "x86_64")]
mod avx;
pub mod constraints;
mod gather;
mod plain;
pub mod vector;

pub use gather::Gather;
pub use half::f16;
pub use plain::Plain;

/// Numbers a register.
pub const LANES: usize = 8;

/// Three coordinates of a particle and a fourth number, as registers like them.
pub type Quad<T> = [T; 4];

/// Eight numbers at once.
pub trait Register<T>: Copy {
    /// The same number eight times.
    fn splat(value: T) -> Self;
    /// Eight numbers from memory.
    fn load(from: &[T; LANES]) -> Self;
    /// Eight numbers of half precision from memory.
    fn load_half(from: &[f16; LANES]) -> Self;
    /// The eight numbers.
    fn store(self) -> [T; LANES];
    /// self · a + b, rounded once.
    #[must_use]
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Sum.
    #[must_use]
    fn add(self, other: Self) -> Self;
    /// Difference.
    #[must_use]
    fn sub(self, other: Self) -> Self;
    /// Product.
    #[must_use]
    fn mul(self, other: Self) -> Self;
    /// Quotient.
    #[must_use]
    fn div(self, other: Self) -> Self;
    /// Square root.
    #[must_use]
    fn sqrt(self) -> Self;
    /// The larger of the two, lane by lane; the other one where self is not a number.
    #[must_use]
    fn max(self, other: Self) -> Self;
    /// The smaller of the two, lane by lane; the other one where self is not a number.
    #[must_use]
    fn min(self, other: Self) -> Self;
    /// One where self < other, else zero.
    #[must_use]
    fn less(self, other: Self) -> Self;
    /// Lane by lane, `then` where self < other, else `otherwise`.
    #[must_use]
    fn if_less(self, other: Self, then: Self, otherwise: Self) -> Self;
    /// The first three coordinates of eight rows.
    fn columns(rows: [&Quad<T>; LANES]) -> [Self; 3];
    /// The first three coordinates of to − from, of eight pairs of rows, subtracted in double precision.
    fn differences(from: [&Quad<f64>; LANES], to: [&Quad<f64>; LANES]) -> [Self; 3];
    /// Eight rows of three coordinates and a zero.
    fn rows(columns: [Self; 3]) -> [Quad<T>; LANES];
    /// The sum of the eight numbers: halves, then quarters, then pairs.
    fn sum(self) -> T;
    /// The sums of three registers, and a zero: pairs, then quarters, then halves.
    fn sums(registers: [Self; 3]) -> Quad<T>;
}

/// What registers there are.
pub trait Width {
    /// Of single precision.
    type F32: Register<f32>;
    /// Of double precision.
    type F64: Register<f64>;
}

/// A number that registers hold.
pub trait Scalar: Copy + Default + Send + Sync + std::fmt::Debug + PartialEq + 'static {
    /// The register for it.
    type Lanes<W: Width>: Register<Self>;
    /// Difference.
    #[must_use]
    fn minus(self, other: Self) -> Self;
    /// Sum.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// Product.
    #[must_use]
    fn times(self, other: Self) -> Self;
    /// Rounded from double precision.
    fn rounded(value: f64) -> Self;
    /// In double precision.
    fn widened(self) -> f64;
    /// Difference of four.
    #[inline(always)]
    #[must_use]
    fn quad_minus(a: Quad<Self>, b: Quad<Self>) -> Quad<Self> {
        [a[0].minus(b[0]), a[1].minus(b[1]), a[2].minus(b[2]), a[3].minus(b[3])]
    }
    /// The numbers themselves, if they are of single precision; else nothing.
    fn as_single(numbers: &[Quad<Self>]) -> &[Quad<f32>];
    /// The same to write to.
    fn as_single_mut(numbers: &mut [Quad<Self>]) -> &mut [Quad<f32>];
}

macro_rules! scalar {
    ($type:ty, $lanes:ident, $single:expr, $single_mut:expr) => {
        impl Scalar for $type {
            type Lanes<W: Width> = W::$lanes;
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn rounded(value: f64) -> Self {
                value as Self
            }
            #[inline(always)]
            fn widened(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn as_single(numbers: &[Quad<Self>]) -> &[Quad<f32>] {
                let single: fn(&[Quad<Self>]) -> &[Quad<f32>] = $single;
                single(numbers)
            }
            #[inline(always)]
            fn as_single_mut(numbers: &mut [Quad<Self>]) -> &mut [Quad<f32>] {
                let single: fn(&mut [Quad<Self>]) -> &mut [Quad<f32>] = $single_mut;
                single(numbers)
            }
        }
    };
}
scalar!(f32, F32, |numbers| numbers, |numbers| numbers);
scalar!(f64, F64, |_| &[], |_| &mut []);

/// How numbers are kept in memory to compute with in the precision of T.
pub trait Kept<T: Scalar>: Copy + Default + Send + Sync + std::fmt::Debug + 'static {
    /// Rounded to the nearest.
    fn rounded(value: f64) -> Self;
    /// Eight of them.
    fn load<W: Width>(from: &[Self; LANES]) -> T::Lanes<W>;
}

macro_rules! kept {
    ($type:ty, $as:ty, $round:expr, $load:ident) => {
        impl Kept<$type> for $as {
            #[inline(always)]
            fn rounded(value: f64) -> Self {
                $round(value)
            }
            #[inline(always)]
            fn load<W: Width>(from: &[Self; LANES]) -> <$type as Scalar>::Lanes<W> {
                <$type as Scalar>::Lanes::<W>::$load(from)
            }
        }
    };
}
kept!(f32, f32, |value| value as f32, load);
kept!(f32, f16, f16::from_f64_const, load_half);
kept!(f64, f64, |value| value, load);

/// Code worth compiling for wide registers. Mark `run` with `#[inline(always)]`, and all that it calls.
pub trait Kernel {
    /// What it computes.
    type Output;
    /// Computes it.
    fn run<W: Width>(self) -> Self::Output;
}

/// Runs a kernel with the widest registers at hand.
#[inline]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if is_wide() {
        // SAFETY: the processor has AVX2, FMA and F16C, as just found.
        return unsafe { avx::run(kernel) };
    }
    kernel.run::<Plain>()
}

/// Whether eight single-precision numbers fit a register of this processor.
#[inline]
pub fn is_wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("f16c");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation once, on numbers that round.
    struct Everything;

    impl Kernel for Everything {
        type Output = Vec<u32>;
        #[inline(always)]
        fn run<W: Width>(self) -> Vec<u32> {
            let quad = |k: usize| -> Quad<f32> { std::array::from_fn(|c| ((k * 4 + c) as f32 * 0.7).sin()) };
            let fine = |k: usize| -> Quad<f64> { std::array::from_fn(|c| ((k * 4 + c) as f64 * 0.3).cos()) };
            let quads: [Quad<f32>; LANES] = std::array::from_fn(quad);
            let (from, to): ([Quad<f64>; LANES], [Quad<f64>; LANES]) =
                (std::array::from_fn(fine), std::array::from_fn(|k| fine(k + 9)));
            // The largest, the smallest, one that is below the normal ones, both zeros, and some that round.
            let halves = [65504.0, 6.1e-5, 3e-7, 0.0, -0.0, -1.0 / 3.0, 1e-3, 7.7].map(f16::from_f64_const);
            let [x, y, z] = W::F32::columns(quads.each_ref());
            let [dx, dy, dz] = W::F32::differences(from.each_ref(), to.each_ref());
            let length = dx.mul_add(dx, dy.mul_add(dy, dz.mul(dz))).sqrt();
            let mixed = x
                .add(y)
                .sub(z)
                .div(length)
                .max(W::F32::splat(0.1))
                .min(W::F32::splat(0.6))
                .mul(x.less(y).add(length))
                .add(x.if_less(y, z, length));
            let mut out: Vec<f32> = mixed.store().to_vec();
            out.extend(W::F32::rows([x, length, mixed]).iter().flatten());
            out.push(mixed.sum());
            out.extend(W::F32::sums([x, mixed, length]));
            out.extend(W::F32::load_half(&halves).store());
            out.extend(W::F32::load(&mixed.store()).store());
            out.into_iter().map(f32::to_bits).collect()
        }
    }

    #[test]
    fn wide_and_plain_registers_give_the_same_bits() {
        assert_eq!(run(Everything), Everything.run::<Plain>());
    }
}
