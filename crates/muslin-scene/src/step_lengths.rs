//! Time steps that are not all of one length.
//!
//! Each length follows from the number of its step, so that a run can go on anywhere. Random ones are
//! from + (to − from) u with u from splitmix64 [Steele, Lea, Flood 2014], the same on every machine.

use muslin::builder::BuildError;
use muslin::math::Real;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Steps at the most: where each ends has to be summed up.
pub(crate) const MOST_VARIED_STEPS: u64 = 100_000_000;

/// The lengths of the time steps of a run, positive and finite.
#[derive(Clone, Debug, PartialEq)]
pub struct StepLengths(StepsEntry);

impl StepLengths {
    /// Length of a time step [s], counted from 0.
    pub fn length(&self, step: u64) -> Real {
        match &self.0 {
            StepsEntry::List(lengths) => lengths[(step % lengths.len() as u64) as usize],
            StepsEntry::Random(RandomSteps { from, to, seed }) => from + (to - from) * uniform(*seed, step),
        }
    }

    /// A bound from below and one from above [s].
    pub fn bounds(&self) -> [Real; 2] {
        match &self.0 {
            StepsEntry::List(lengths) => [
                lengths.iter().copied().fold(Real::INFINITY, Real::min),
                lengths.iter().copied().fold(0.0, Real::max),
            ],
            StepsEntry::Random(RandomSteps { from, to, .. }) => [*from, *to],
        }
    }

    /// The mean length [s].
    pub(crate) fn mean(&self) -> Real {
        match &self.0 {
            StepsEntry::List(lengths) => lengths.iter().map(|length| length / lengths.len() as Real).sum(),
            StepsEntry::Random(RandomSteps { from, to, .. }) => 0.5 * from + 0.5 * to,
        }
    }

    /// After which step a run is nearest to each of some times [s], which ascend.
    pub(crate) fn nearest_steps(&self, times: impl IntoIterator<Item = Real>) -> Vec<u64> {
        let (mut step, mut time) = (0, 0.0);
        let nearest = |target: Real| {
            loop {
                let next = time + self.length(step);
                if target < next || step == MOST_VARIED_STEPS {
                    return if target - time < next - target { step } else { step + 1 };
                }
                (step, time) = (step + 1, next);
            }
        };
        times.into_iter().map(nearest).collect()
    }
}

impl fmt::Display for StepLengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [shortest, longest] = self.bounds();
        match &self.0 {
            StepsEntry::List(lengths) if lengths.len() == 1 => write!(f, "{longest} s"),
            StepsEntry::List(lengths) => {
                write!(f, "{shortest} to {longest} s, by a list of {}", lengths.len())
            }
            StepsEntry::Random(random) => {
                write!(f, "{shortest} to {longest} s, random by seed {}", random.seed)
            }
        }
    }
}

/// The lengths of the time steps as a scene has them.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepsEntry {
    /// Random ones.
    Random(RandomSteps),
    /// One after the other [s], then from the first on again.
    #[serde(untagged)]
    List(Vec<Real>),
}

/// Random lengths of time steps, evenly spread.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomSteps {
    /// The shortest [s].
    pub from: Real,
    /// No step is longer [s].
    pub to: Real,
    /// Another seed, other steps.
    pub seed: u64,
}

impl StepsEntry {
    /// The lengths, if they are ones.
    pub(crate) fn read(self) -> Result<StepLengths, BuildError> {
        let refuse = |path: String, value: Real, allowed: &str| {
            Err(BuildError { path, message: format!("is {value} s, but must be {allowed}") })
        };
        let is_length = |length: Real| length > 0.0 && length.is_finite();
        let allowed = "greater than 0 s and finite";
        match &self {
            Self::List(lengths) => {
                if lengths.is_empty() {
                    let message = "is an empty list, but must have at least one length of a step".to_owned();
                    return Err(BuildError { path: "steps".to_owned(), message });
                }
                if let Some(k) = lengths.iter().position(|&length| !is_length(length)) {
                    return refuse(format!("steps[{k}]"), lengths[k], allowed);
                }
            }
            Self::Random(RandomSteps { from, to, .. }) => {
                for (name, length) in [("from", *from), ("to", *to)] {
                    if !is_length(length) {
                        return refuse(format!("steps.random.{name}"), length, allowed);
                    }
                }
                if from > to {
                    let allowed = format!("at most `to`, {to} s");
                    return refuse("steps.random.from".to_owned(), *from, &allowed);
                }
            }
        }
        Ok(StepLengths(self))
    }
}

/// A list, or a table of one entry. By hand: the errors of derived choices between them do not say what is wrong.
impl<'de> Deserialize<'de> for StepsEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListOrTable;

        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            random: RandomSteps,
        }

        impl<'de> Visitor<'de> for ListOrTable {
            type Value = StepsEntry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of lengths, or `{ random = { from = …, to = …, seed = … } }`")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(StepsEntry::List)
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Self::Value, A::Error> {
                Table::deserialize(MapAccessDeserializer::new(table))
                    .map(|table| StepsEntry::Random(table.random))
            }
        }

        deserializer.deserialize_any(ListOrTable)
    }
}

/// A number from 0 to below 1, by the place in the sequence of a seed.
fn uniform(seed: u64, place: u64) -> Real {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15; // 2⁶⁴ over the golden ratio
    let mut z = seed.wrapping_add(place.wrapping_add(1).wrapping_mul(GOLDEN));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    (z >> 11) as Real / (1_u64 << 53) as Real
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(lengths: &[Real]) -> StepLengths {
        StepsEntry::List(lengths.to_vec()).read().unwrap()
    }

    /// The first numbers of splitmix64 of seed 1234567, as published with its reference implementation.
    #[test]
    fn the_generator_is_splitmix64() {
        let published: [u64; 3] =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        for (place, number) in published.into_iter().enumerate() {
            assert_eq!(uniform(1_234_567, place as u64), (number >> 11) as Real / (1_u64 << 53) as Real);
        }
    }

    #[test]
    fn random_steps_fill_their_range_evenly() {
        let random = RandomSteps { from: 0.005, to: 0.02, seed: 1 };
        let steps = StepsEntry::Random(random).read().unwrap();
        let lengths: Vec<Real> = (0..10_000).map(|step| steps.length(step)).collect();
        assert!(lengths.iter().all(|length| (0.005..0.02).contains(length)));
        // A tenth of the range holds 1000 on average, with a standard deviation of 30: five of them.
        for part in 0..10 {
            let from = 0.005 + 0.0015 * Real::from(part);
            let count = lengths.iter().filter(|&&length| length >= from && length < from + 0.0015).count();
            assert!(count.abs_diff(1000) < 150, "{count} from {from} on");
        }
        let other = StepsEntry::Random(RandomSteps { seed: 2, ..random }).read().unwrap();
        assert!((0..100).all(|step| steps.length(step) != other.length(step)));
    }

    #[test]
    fn lists_begin_anew_at_their_end() {
        let steps = list(&[0.1, 0.2, 0.4]);
        let lengths: Vec<Real> = (0..7).map(|step| steps.length(step)).collect();
        assert_eq!(lengths, [0.1, 0.2, 0.4, 0.1, 0.2, 0.4, 0.1]);
        assert_eq!(steps.bounds(), [0.1, 0.4]);
    }

    #[test]
    fn times_fall_on_the_nearest_step() {
        // Steps end at 1, 3, 4, 6, 7, 9, …
        let steps = list(&[1.0, 2.0]);
        assert_eq!(steps.nearest_steps([0.0, 0.4, 0.5, 1.9, 2.0, 3.1, 5.5]), [0, 0, 1, 1, 2, 2, 4]);
        assert_eq!(steps.nearest_steps([4.0, 4.0, 300.0]), [3, 3, 200]);
    }
}
