//! Registers for processors without wide ones: arrays.

use super::{LANES, Quad, Register, Width};
use half::f16;

/// No wide registers.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Width for Plain {
    type F32 = [f32; LANES];
    type F64 = [f64; LANES];
}

macro_rules! register {
    ($type:ty) => {
        impl Register<$type> for [$type; LANES] {
            #[inline(always)]
            fn splat(value: $type) -> Self {
                [value; LANES]
            }
            #[inline(always)]
            fn load(from: &[$type; LANES]) -> Self {
                *from
            }
            #[inline(always)]
            fn load_half(from: &[f16; LANES]) -> Self {
                from.map(|number| number.to_f32_const().into())
            }
            #[inline(always)]
            fn store(self) -> [$type; LANES] {
                self
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                std::array::from_fn(|l| self[l].mul_add(a[l], b[l]))
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                std::array::from_fn(|l| self[l] + other[l])
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                std::array::from_fn(|l| self[l] - other[l])
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                std::array::from_fn(|l| self[l] * other[l])
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                std::array::from_fn(|l| self[l] / other[l])
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.map(<$type>::sqrt)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                std::array::from_fn(|l| if self[l] > other[l] { self[l] } else { other[l] })
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                std::array::from_fn(|l| if self[l] < other[l] { self[l] } else { other[l] })
            }
            #[inline(always)]
            fn less(self, other: Self) -> Self {
                std::array::from_fn(|l| if self[l] < other[l] { 1.0 } else { 0.0 })
            }
            #[inline(always)]
            fn if_less(self, other: Self, then: Self, otherwise: Self) -> Self {
                std::array::from_fn(|l| if self[l] < other[l] { then[l] } else { otherwise[l] })
            }
            #[inline(always)]
            fn columns(rows: [&Quad<$type>; LANES]) -> [Self; 3] {
                std::array::from_fn(|c| rows.map(|row| row[c]))
            }
            #[inline(always)]
            fn differences(from: [&Quad<f64>; LANES], to: [&Quad<f64>; LANES]) -> [Self; 3] {
                std::array::from_fn(|c| std::array::from_fn(|l| (to[l][c] - from[l][c]) as $type))
            }
            #[inline(always)]
            fn rows(columns: [Self; 3]) -> [Quad<$type>; LANES] {
                std::array::from_fn(|l| [columns[0][l], columns[1][l], columns[2][l], 0.0])
            }
            #[inline(always)]
            fn sum(self) -> $type {
                let four: [$type; 4] = std::array::from_fn(|l| self[l] + self[l + 4]);
                let two = [four[0] + four[2], four[1] + four[3]];
                two[0] + two[1]
            }
            #[inline(always)]
            fn sums(registers: [Self; 3]) -> Quad<$type> {
                let [x, y, z] = registers.map(|r| {
                    let (low, high) = ((r[0] + r[1]) + (r[2] + r[3]), (r[4] + r[5]) + (r[6] + r[7]));
                    low + high
                });
                [x, y, z, 0.0]
            }
        }
    };
}
register!(f32);
register!(f64);
