//! Random numbers: SplitMix64 [Steele, Lea, Flood 2014].

use muslin::prelude::*;

#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn between(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * ((self.bits() >> 11) as Real * (0.5 as Real).powi(53))
    }

    /// Uniform in the logarithm.
    pub fn log(&mut self, low: Real, high: Real) -> Real {
        self.between(low.ln(), high.ln()).exp()
    }

    /// Less than `count`; 0 if that is 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count.max(1) as u64) as usize
    }

    pub fn chance(&mut self, probability: Real) -> bool {
        self.between(0.0, 1.0) < probability
    }

    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    pub fn in_cube(&mut self, half: Real) -> Vec3 {
        Vec3::new(self.between(-half, half), self.between(-half, half), self.between(-half, half))
    }

    pub fn rotation(&mut self, angle: Real) -> Rotation {
        Rotation::from_scaled_axis(self.in_cube(angle))
    }
}
