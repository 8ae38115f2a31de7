//! When cloth at rest falls asleep, as a model has it; what then is stepped says `world/sleep`.

use crate::math::Real;

/// When cloth at rest falls asleep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Sleep {
    /// v_max: the speed up to which a particle rests [m/s]. What lies on a floor trembles: by `xpbd` with some mm/s, to and fro.
    pub speed: Real,
    /// d: how far a particle that rests may stray [m].
    pub distance: Real,
    /// T: how long it has to rest [s].
    pub after: Real,
}

impl Default for Sleep {
    fn default() -> Self {
        Self { speed: 5e-3, distance: 5e-5, after: 0.5 }
    }
}
