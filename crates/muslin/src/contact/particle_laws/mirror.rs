//! A particle that hits a solid is mirrored [D. D. B. Carvalho, MSc, UFSC 2007, section 5.2].
//!
//! ```text
//! hit       q, where the way of the step from x₀ to x meets the surface, from either side, at the part s of the way
//! rest      r = h (1 − s);   without acceleration  a = 0;  with it  a = 2 (v − (x − x₀)/h)/h, that of the step if it was constant
//! mirrored  w = v − a r,   w' = w_p − w_n,  w_n = n (w·n),  w_p = w − w_n                          (5.1a) to (5.1c)
//! again     x = q + r w' + r² a/2,   v = w' + r a
//! ```
//!
//! The source moves the particle again "after the velocity was corrected", and says of its experiments that "when the displacement is
//! computed from the acceleration, it goes back to the other side": that is `accelerated`. Nothing looks whether the second way meets the
//! surface again, so a particle that rests on it under a force ends below it, by r² a/2 at the most, and no rule brings back what is
//! below and stays there. Springs may cut the surface in any case.

use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::shape::Placed;
use crate::state::State;

/// Mirrors every free particle whose way in a step of h [s] meets the solid; `start` holds the positions before the step [m].
pub fn reflect(model: &Model, solid: &Placed, start: &[Vec3], state: &mut State, h: Real, accelerated: bool) {
    for p in (0..model.len()).filter(|&p| !model.is_held(p)) {
        let (from, to) = (start[p], state.positions[p]);
        let Some([point, n]) = solid.entry(from, to).or_else(|| solid.entry(to, from)) else { continue };
        // The entry of a plane is any point of it: the hit is where the way meets the tangent plane there.
        let [before, after] = [from, to].map(|x| (x - point).dot(n));
        if before * after >= 0.0 && !(before == 0.0 && after < 0.0) {
            continue;
        }
        let part = before / (before - after);
        let (hit, rest) = (from + (to - from) * part, h * (1.0 - part));
        let v = state.velocities[p];
        let a = if accelerated { (v - (to - from) / h) * (2.0 / h) } else { Vec3::ZERO };
        let surface = solid.velocity(hit);
        let relative = v - a * rest - surface;
        let mirrored = surface + relative - n * (2.0 * relative.dot(n));
        state.positions[p] = hit + mirrored * rest + a * (0.5 * rest * rest);
        state.velocities[p] = mirrored + a * rest;
    }
}
