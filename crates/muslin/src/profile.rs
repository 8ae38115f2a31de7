//! Strength over time: what wind and loads do as time passes.

use crate::math::Real;
use std::f64::consts::{PI, TAU};

/// A dimensionless function of time; 1 is full strength.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
pub enum Profile {
    /// Always 1.
    #[default]
    Constant,
    /// 1 from the first time [s] up to, and without, the second; 0 outside.
    Window {
        /// Start [s].
        from: Real,
        /// End [s].
        until: Real,
    },
    /// sin(π (t − from) / duration) while that lasts, 0 outside: a burst.
    HalfSine {
        /// Start [s].
        from: Real,
        /// Length [s].
        duration: Real,
    },
    /// sin(2π · frequency · t + phase).
    Sine {
        /// Frequency [Hz].
        frequency: Real,
        /// Phase [rad].
        phase: Real,
    },
    /// Wind that comes and goes: 1 on average, smooth, never the same, and the same for the same seed.
    Gusts {
        /// Typical time from one gust to the next [s].
        period: Real,
        /// How far the strength leaves 1: 0 is steady, 1 swings from calm to double.
        depth: Real,
        /// Which gusts.
        seed: u64,
    },
    /// c₀ + c₁ t + c₂ t² + …
    Polynomial(Vec<Real>),
}

impl Profile {
    /// The strength at `time` [s].
    pub fn at(&self, time: Real) -> Real {
        match *self {
            Self::Constant => 1.0,
            Self::Window { from, until } => Real::from(from <= time && time < until),
            Self::HalfSine { from, duration } => {
                let part = (time - from) / duration;
                if (0.0..=1.0).contains(&part) { (PI * part).sin() } else { 0.0 }
            }
            Self::Sine { frequency, phase } => (TAU * frequency * time + phase).sin(),
            Self::Gusts { period, depth, seed } => 1.0 + depth * gust(time / period, seed),
            Self::Polynomial(ref coefficients) => {
                coefficients.iter().rev().fold(0.0, |sum, &coefficient| sum * time + coefficient)
            }
        }
    }
}

/// Five sines of incommensurable frequencies around 1 and phases from the seed; stays within ±1.
fn gust(cycles: Real, seed: u64) -> Real {
    const FREQUENCIES: [Real; 5] = [0.618_034, 0.786_151, 1.0, 1.272_02, 1.618_034];
    let mut sum = 0.0;
    for (k, frequency) in FREQUENCIES.iter().enumerate() {
        let phase = TAU * uniform(seed, k as u64);
        sum += (TAU * frequency * cycles + phase).sin();
    }
    sum / FREQUENCIES.len() as Real
}

/// A number in [0, 1) that looks random: the `index`-th of the stream `seed` (SplitMix64).
pub fn uniform(seed: u64, index: u64) -> Real {
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as Real / (1u64 << 53) as Real
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_at_telling_times() {
        let window = Profile::Window { from: 1.0, until: 2.0 };
        assert_eq!([0.5, 1.0, 1.5, 2.0].map(|t| window.at(t)), [0.0, 1.0, 1.0, 0.0]);
        let burst = Profile::HalfSine { from: 0.0, duration: 3.0 };
        assert_eq!(burst.at(1.5), 1.0);
        assert_eq!(burst.at(3.1), 0.0);
        assert_eq!(Profile::Polynomial(vec![-14.0, 12.0]).at(2.0), 10.0);
    }

    #[test]
    fn gusts_average_to_one_and_repeat() {
        let gusts = |seed| Profile::Gusts { period: 1.0, depth: 0.5, seed };
        let mean = (0..10_000).map(|k| gusts(7).at(Real::from(k) * 0.1)).sum::<Real>() / 10_000.0;
        assert!((mean - 1.0).abs() < 0.01, "{mean}");
        assert!((0..1000).all(|k| (0.5..=1.5).contains(&gusts(7).at(Real::from(k) * 0.13))));
        assert_ne!(gusts(7).at(0.3), gusts(8).at(0.3));
    }
}
