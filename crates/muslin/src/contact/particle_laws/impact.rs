//! A particle that hits a solid: restitution and Coulomb friction on its velocity.

use crate::contact::friction;
use crate::math::{Real, Vec3};

/// The velocity of a particle relative to a surface in the frame of the world [m/s]; the same bits if the surface does not move.
pub(crate) fn to_world(surface_velocity: Vec3, relative: Vec3) -> Vec3 {
    if surface_velocity == Vec3::ZERO { relative } else { surface_velocity + relative }
}

/// Whether an impact leaves no velocity along the surface.
pub(crate) fn sticks(v: Vec3, n: Vec3, restitution: Real, friction: Real) -> bool {
    let approach = v.dot(n);
    approach < 0.0 && friction::sticks((v - n * approach).length(), friction, impulse(approach, restitution))
}

/// The normal impulse of an impact at a velocity `approach` < 0 along the normal, per mass [m/s].
fn impulse(approach: Real, restitution: Real) -> Real {
    -(1.0 + restitution) * approach
}

/// The velocity after an impact on a surface with normal `n`: an impulse along n, and friction of at most μ times it.
pub(crate) fn bounce(v: Vec3, n: Vec3, restitution: Real, friction: Real) -> Vec3 {
    let approach = v.dot(n);
    if approach >= 0.0 {
        return v;
    }
    let tangential = v - n * approach;
    let kept = friction::kept_slip(tangential.length(), friction, impulse(approach, restitution));
    tangential * kept - n * (restitution * approach)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bounce_keeps_the_fraction_of_restitution() {
        let v = bounce(Vec3::new(3.0, 0.0, -2.0), Vec3::Z, 0.5, 0.0);
        assert_eq!(v, Vec3::new(3.0, 0.0, 1.0));
        assert_eq!(bounce(v, Vec3::Z, 0.5, 0.0), v, "it moves away already");
    }

    #[test]
    fn friction_slows_by_mu_times_the_impulse_and_then_stops() {
        let v = bounce(Vec3::new(3.0, 0.0, -2.0), Vec3::Z, 0.0, 0.25);
        assert!((v - Vec3::new(2.5, 0.0, 0.0)).length() < 1e-15);
        assert_eq!(bounce(Vec3::new(3.0, 0.0, -2.0), Vec3::Z, 0.0, 2.0), Vec3::ZERO);
    }
}
