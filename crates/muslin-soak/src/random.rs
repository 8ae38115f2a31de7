//! Random numbers: SplitMix64 [Steele, Lea, Flood 2014], the same on every machine.

use muslin::math::{Real, Vec3};

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> Real {
        (self.bits() >> 11) as Real * (0.5 as Real).powi(53)
    }

    /// Uniform between two numbers.
    pub fn between(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * self.unit()
    }

    /// Uniform in the logarithm, between two positive numbers.
    pub fn log(&mut self, low: Real, high: Real) -> Real {
        (self.between(low.ln(), high.ln())).exp()
    }

    /// A whole number from `low` to `high`, both included.
    pub fn whole(&mut self, low: u32, high: u32) -> u32 {
        low + (self.bits() % u64::from(high - low + 1)) as u32
    }

    /// True with a probability.
    pub fn chance(&mut self, probability: Real) -> bool {
        self.unit() < probability
    }

    /// One of a list.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[(self.bits() % list.len() as u64) as usize]
    }

    /// A unit vector, uniform on the sphere.
    pub fn direction(&mut self) -> Vec3 {
        let (z, angle) = (self.between(-1.0, 1.0), self.between(0.0, std::f64::consts::TAU));
        let across = (1.0 - z * z).max(0.0).sqrt();
        Vec3::new(across * angle.cos(), across * angle.sin(), z)
    }

    /// A direction: one of the axes half of the time, any otherwise.
    pub fn axis_or_direction(&mut self) -> Vec3 {
        if self.chance(0.5) {
            self.pick(&[Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z])
        } else {
            self.direction()
        }
    }

    /// A vector with coordinates between −1 and 1.
    pub fn in_cube(&mut self) -> Vec3 {
        Vec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }

    /// A stream of its own.
    pub fn child(&mut self) -> Self {
        Self(self.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs of the reference implementation for the seed 1234567.
    #[test]
    fn the_published_sequence() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn numbers_stay_in_their_ranges() {
        let mut random = Random::new(1);
        for _ in 0..1000 {
            assert!((0.0..1.0).contains(&random.unit()));
            assert!((3..=5).contains(&random.whole(3, 5)));
            assert!((random.direction().length() - 1.0).abs() < 1e-12);
            let x = random.log(1e-6, 10.0);
            assert!((1e-6..10.0 * (1.0 + 1e-12)).contains(&x));
        }
    }
}
