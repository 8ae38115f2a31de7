//! The balance of forces on free bodies, kept at any number of iterations.
//!
//! Elements act between the particles of a body, so that moving a free one as a whole by t changes neither E nor Φ. What is
//! left of G is a square, and its least place is found without iterations, in double precision:
//!
//! ```text
//! (Σ a I + Σ b n nᵀ) t = −Σ a (x − y) − Σ b n n·(x − w)            over the particles of the body
//! ```
//!
//! There ∂G/∂t = 0, which is Σ m (v − v̂) = γ Σ f over the outer forces f alone. Iterations leave a part of every motion
//! unsolved, and rounded forces of elements do not quite cancel; without this the momentum of a free body would leak by both.

use super::objective::Objective;
use super::vectors::PLACES;
use crate::math::{Mat3, Real, Vec3, outer};
use crate::par;
use crate::simd::Quad;

impl Objective {
    /// Moves every free body as a whole to where G is least.
    pub fn balance(&self, x: &mut [Quad<f64>]) {
        for body in self.bodies.iter() {
            let way = self.way_to_balance(body, x);
            for &place in body {
                let x = &mut x[place as usize];
                *x = [x[0] + way.x, x[1] + way.y, x[2] + way.z, x[3]];
            }
        }
    }

    /// t [m].
    fn way_to_balance(&self, body: &[u32], x: &[Quad<f64>]) -> Vec3 {
        let [inertia, gx, gy, gz] = par::sum_chunks(body.len(), PLACES, |range| {
            let mut sums = [0.0; 4];
            for &place in &body[range] {
                let (x, y, a) =
                    (&x[place as usize], &self.targets[place as usize], self.inertia[place as usize]);
                sums[0] += a;
                for c in 0..3 {
                    sums[1 + c] += a * (x[c] - y[c]);
                }
            }
            sums
        });
        let gradient = Vec3::new(gx, gy, gz);
        if self.wind.is_empty() {
            return gradient * (-1.0 / inertia);
        }
        let (mut stiffness, mut gradient) = (Mat3::from_diagonal(Vec3::splat(inertia)), gradient);
        for &place in body {
            let (b, n, w): (Real, Vec3, Vec3) = self.wind[place as usize];
            stiffness += outer(n, n) * b;
            gradient += n * (b * n.dot(Vec3::from_slice(&x[place as usize]) - w));
        }
        -(stiffness.inverse() * gradient)
    }
}
