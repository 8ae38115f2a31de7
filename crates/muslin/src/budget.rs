//! Time that a step may take. The library reads no clock of its own.

use crate::math::Real;

/// Seconds since some fixed moment.
pub type Clock = fn() -> Real;

/// Time that a step may take.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget {
    clock: Option<Clock>,
    end: Real,
}

impl Budget {
    /// Starts to count by a clock, if there is one: the time is up `seconds` from now.
    pub fn begin(&mut self, clock: Option<Clock>, seconds: Real) {
        self.clock = clock;
        self.end = clock.map_or(Real::INFINITY, |clock| clock() + seconds);
    }

    /// Whether the time is up.
    pub fn is_spent(&self) -> bool {
        self.end.is_finite() && self.clock.is_some_and(|clock| clock() >= self.end)
    }
}
