//! Coulomb's law of friction: the tangential impulse opposes slip, and is at most μ times the normal impulse [Moreau 1966].
//!
//! ```text
//! cone        |τ| ≤ μ λ
//! surfaces    τ ← τ − m u, scaled back to the cone       u: slip so far;  m: effective mass;  τ and λ add up over sweeps
//! particles   u ← u (1 − μ λ/|u|), or 0 if negative      one impact, per mass: τ = −u, scaled back to the cone
//! ```
//!
//! All contact laws with friction call these functions, with vectors of their own kind.

use crate::math::{Real, Vec3};
use crate::simd::Quad;

/// A tangential vector.
pub trait Tangent: Copy {
    /// |v|².
    fn squared(self) -> Real;
    /// v − w t.
    fn minus(self, w: Self, t: Real) -> Self;
    /// v of this length, scaled to another one.
    fn scaled(self, length: Real, to: Real) -> Self;
}

/// The radius of Coulomb's cone, μ λ.
#[inline(always)]
fn radius(friction: Real, normal_impulse: Real) -> Real {
    friction * normal_impulse
}

/// A tangential impulse, scaled back to Coulomb's cone.
#[inline(always)]
pub fn clamped<V: Tangent>(impulse: V, friction: Real, normal_impulse: Real) -> V {
    let (squared, most) = (impulse.squared(), radius(friction, normal_impulse));
    if squared > most * most { impulse.scaled(squared.sqrt(), most) } else { impulse }
}

/// The accumulated tangential impulse of a contact after one more sweep, in which it slips by `slip`.
#[inline(always)]
pub fn accumulated<V: Tangent>(
    impulse: V,
    slip: V,
    effective_mass: Real,
    friction: Real,
    normal_impulse: Real,
) -> V {
    clamped(impulse.minus(slip, effective_mass), friction, normal_impulse)
}

/// Whether an impact stops a slip [m/s]; the impulse is per mass.
#[inline]
pub fn sticks(slip: Real, friction: Real, normal_impulse: Real) -> bool {
    slip <= radius(friction, normal_impulse)
}

/// The fraction of a slip [m/s] that an impact leaves; the impulse is per mass.
#[inline]
pub fn kept_slip(slip: Real, friction: Real, normal_impulse: Real) -> Real {
    if slip > 0.0 { (1.0 - radius(friction, normal_impulse) / slip).max(0.0) } else { 0.0 }
}

impl Tangent for Vec3 {
    #[inline(always)]
    fn squared(self) -> Real {
        self.length_squared()
    }

    #[inline(always)]
    fn minus(self, w: Self, t: Real) -> Self {
        self - w * t
    }

    #[inline(always)]
    fn scaled(self, length: Real, to: Real) -> Self {
        self / length * to
    }
}

/// The last component is zero.
impl Tangent for Quad<f64> {
    #[inline(always)]
    fn squared(self) -> Real {
        self[0] * self[0] + self[1] * self[1] + self[2] * self[2]
    }

    #[inline(always)]
    fn minus(self, w: Self, t: Real) -> Self {
        [self[0] - w[0] * t, self[1] - w[1] * t, self[2] - w[2] * t, self[3] - w[3] * t]
    }

    #[inline(always)]
    fn scaled(self, length: Real, to: Real) -> Self {
        self.map(|component| component * (to / length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impulses_stay_in_the_cone_and_keep_their_direction() {
        let inside = Vec3::new(0.3, -0.4, 0.0);
        assert_eq!(clamped(inside, 0.5, 1.0), inside);
        let outside = clamped(inside, 0.5, 0.2);
        assert!((outside - inside * 0.2).length() < 1e-15, "{outside}");
        assert_eq!(clamped(inside, 0.5, 0.0), Vec3::ZERO);
        assert_eq!(clamped([0.3, -0.4, 0.0, 0.0], 0.5, 1.0), [0.3, -0.4, 0.0, 0.0]);
    }

    /// The sum of both components of an impact: what is left of the slip, and what its clamped impulse took.
    #[test]
    fn both_forms_are_one_law() {
        let slip = Vec3::new(3.0, 4.0, 0.0);
        for normal_impulse in [0.0, 1.0, 7.5, 12.0] {
            let impulse = accumulated(Vec3::ZERO, slip, 1.0, 0.5, normal_impulse);
            let kept = slip * kept_slip(slip.length(), 0.5, normal_impulse);
            assert!((slip + impulse - kept).length() < 1e-14, "{normal_impulse}");
            assert_eq!(sticks(slip.length(), 0.5, normal_impulse), kept == Vec3::ZERO);
        }
    }
}
