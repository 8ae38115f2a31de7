//! Time that a step may take. The library reads no clock of its own.

use crate::math::Real;

/// Seconds since some fixed moment.
pub type Clock = fn() -> Real;

/// Time that a step may take.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget {
    /// The clock, and when the time is up by it [s]; none if the time is not limited.
    end: Option<(Clock, Real)>,
}

impl Budget {
    /// Starts to count by a clock: the time is up `seconds` from now [s]. Without a clock, or without a finite number of seconds, it
    /// never is.
    pub fn begin(&mut self, clock: Option<Clock>, seconds: Option<Real>) {
        let seconds = seconds.filter(|seconds| seconds.is_finite());
        self.end = clock.zip(seconds).map(|(clock, seconds)| (clock, clock() + seconds));
    }

    /// Whether the time is up.
    pub fn is_spent(&self) -> bool {
        self.end.is_some_and(|(clock, end)| clock() >= end)
    }
}

/// A time budget as a setting in scene files: a number of seconds, infinite if there is no limit. A setting without a value would have
/// no key there.
#[cfg(feature = "serde")]
pub(crate) mod as_number {
    use crate::math::Real;
    use serde::{Deserialize, Deserializer, Serializer};

    #[allow(clippy::ref_option, reason = "serde calls it like this")]
    pub fn serialize<S: Serializer>(budget: &Option<Real>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(budget.unwrap_or(Real::INFINITY))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Real>, D::Error> {
        let seconds = Option::<Real>::deserialize(deserializer)?;
        Ok(seconds.filter(|seconds| seconds.is_finite()))
    }
}
