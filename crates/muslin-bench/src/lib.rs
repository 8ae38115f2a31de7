//! The same cloths run by muslin and by other engines, in one run, as a table of ratios.
//!
//! An engine is a file in `engines` that implements [`Engine`], and a line in [`engines::all`]. Qualities, frames and timing are those
//! of [`muslin_lab::quality`]: one measure for all.

pub mod drape;
pub mod engines;
mod yardstick;

pub use yardstick::{Row, compare, markdown};

use muslin_lab::quality::{Bound, Setting, Trial};

/// A simulator of cloth.
pub trait Engine {
    /// What it is called.
    fn name(&self) -> String;

    /// What to try for a bound on this trial, the cheapest first.
    fn settings(&self, trial: &Trial, bound: &Bound) -> Vec<Setting>;
}
