//! What has torn so far, a part of the state, and cuts still to be made, a part of the model.

use crate::math::Real;

/// What tearing has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TearReport {
    /// Edges that were opened.
    pub edges: u64,
    /// How often a tear had to wait, since there was no room to separate its lips.
    pub deferred: u64,
    /// Elastic energy that went with the elements across tears [J].
    pub released: Real,
}

/// A cut that is made at a time.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TimedCut {
    /// When [s].
    pub time: Real,
    /// Along edges, from particle to particle.
    pub path: Vec<u32>,
}
