//! What has torn so far, a part of the state; cuts still to be made and blades, parts of the model.

use crate::math::{Real, Vec3};

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
    /// Elastic energy that the cloth around released as cracks went on by `toughness`, Σ G Δa [J]. It becomes motion and heat: an
    /// edge that opens takes none.
    pub fracture: Real,
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

/// The edge of a blade moves from one segment to another [m]: it sweeps the triangles `from[0]`, `from[1]`, `to[1]` and `from[0]`,
/// `to[1]`, `to[0]`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Sweep {
    /// Where it starts.
    pub from: [Vec3; 2],
    /// Where it ends.
    pub to: [Vec3; 2],
}

/// A blade without thickness: its edge moves straight from one segment to another, and cuts the cloth that it sweeps through.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Blade {
    /// The ends of its edge at the start [m].
    pub from: [Vec3; 2],
    /// Where these are at the end [m].
    pub to: [Vec3; 2],
    /// When it starts [s].
    #[cfg_attr(feature = "serde", serde(default))]
    pub time: Real,
    /// How long it moves [s].
    pub duration: Real,
}

impl Blade {
    /// What it sweeps between two times [s], and over a `reach` before that [m]; nothing while it does not move.
    pub(crate) fn sweep(&self, [from, to]: [Real; 2], reach: Real) -> Option<Sweep> {
        let part = |time: Real| ((time - self.time) / self.duration).clamp(0.0, 1.0);
        let (start, end) = (part(from), part(to));
        let way = self.from[0].distance(self.to[0]).min(self.from[1].distance(self.to[1]));
        let start = if way > 0.0 { (start - reach / way).max(0.0) } else { 0.0 };
        let at = |s: Real| [0, 1].map(|k| self.from[k].lerp(self.to[k], s));
        (part(from) < end).then(|| Sweep { from: at(start), to: at(end) })
    }
}

/// Why a blade cuts nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BladeError {
    /// It crosses no edge of the cloth.
    #[error("the blade misses: it crosses no edge of cloth that may be cut")]
    Misses,
    /// It crosses edges, but no face from side to side.
    #[error("the blade crosses no face from side to side; it must go on to the next edge of cloth")]
    TooShort,
    /// Not every number is finite.
    #[error("the blade must move between points with finite coordinates")]
    NotFinite,
}
