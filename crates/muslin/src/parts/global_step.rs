//! What `projective`, `pncg` and `newton` share: the step as a minimum, and the constant matrix factored once.

use super::backward_difference::{BackwardDifference, Scheme};
use super::block_factor::BlockFactor;
use super::constant_matrix::ConstantMatrix;
use super::objective::{Objective, StepStart};
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::simd::{self, Kernel, Quad, Scalar, Width};
use crate::solver::Clock;
use crate::state::State;

/// In which precision a method works inside; states are always double.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Precision {
    /// Forces, directions and factors in single precision, eight numbers at a time.
    #[default]
    Single,
    /// Everything in double precision.
    Double,
}

/// When a factor of another γ may serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorUse {
    /// Never: the matrix is the method.
    Exact,
    /// If it is not too far off: the matrix only guides.
    Guide,
}

/// A step being minimised.
#[derive(Clone, Debug, Default)]
pub struct GlobalStep<T> {
    /// G.
    pub objective: Objective,
    /// The iterate, by places: free particles first [m].
    pub x: Vec<Quad<f64>>,
    pasts: BackwardDifference,
    /// Factors with their γ, the last used first; two, as a method of second order has two.
    factors: Vec<(Real, BlockFactor<T>)>,
    next_x: Vec<Vec3>,
    next_v: Vec<Vec3>,
    /// Largest move of a particle by constant forces alone, or in the first iteration [m].
    scale: Real,
    has_moved: bool,
    /// Moves below this are lost in the rounding of positions [m].
    resolution: Real,
}

impl<T: Scalar> GlobalStep<T> {
    /// Forgets what belongs to another topology.
    pub fn prepare(&mut self) {
        self.factors.clear();
        self.pasts.clear();
    }

    /// Sets up G for a step of h [s], with the iterate at x̂ + γ v̂: where inertia alone leads.
    pub fn begin(&mut self, model: &Model, state: &State, h: Real, scheme: Scheme, wanted: FactorUse) {
        self.pasts.begin(scheme, model, state, h);
        self.provide_factor(model, state, wanted);
        let start = StepStart {
            base_x: &self.pasts.base_x,
            base_v: &self.pasts.base_v,
            gamma: self.pasts.gamma,
            time: state.time + h,
            past: [&state.positions, &self.pasts.last_x],
            beta: self.pasts.beta,
        };
        self.objective.begin(model, &start);

        self.next_x.clone_from(&state.positions);
        self.next_v.clone_from(&state.velocities);
        model.script.pose(state.time + h, &mut self.next_x, &mut self.next_v);
        self.x.clear();
        let mut pushed: Real = 0.0;
        for (y, &particle) in self.objective.targets().zip(&self.objective.free) {
            let p = particle as usize;
            // Not at y: what hangs still is then in its place from the start, however few the iterations.
            let start = self.pasts.base_x[p] + self.pasts.base_v[p] * self.pasts.gamma;
            pushed = pushed.max(y.distance_squared(start));
            self.x.push(quad(start));
        }
        self.x.resize(self.objective.places(), [0.0; 4]);
        for particle in (0..model.len()).filter(|&p| model.is_held(p)) {
            self.x[self.objective.place_of[particle] as usize] = quad(self.next_x[particle]);
        }
        self.scale = pushed.sqrt();
        self.has_moved = false;
        let farthest = self.x.iter().flatten().fold(0.0, |farthest: Real, x| farthest.max(x.abs()));
        self.resolution = Real::EPSILON * farthest;
    }

    /// Factors the constant matrix if none at hand will do; the first one also gives the order of places.
    fn provide_factor(&mut self, model: &Model, state: &State, wanted: FactorUse) {
        let gamma = self.pasts.gamma;
        let fits = |factored: Real| match wanted {
            FactorUse::Exact => factored == gamma,
            FactorUse::Guide => (0.6..1.7).contains(&(gamma / factored)),
        };
        if let Some(at) = self.factors.iter().position(|(factored, _)| fits(*factored)) {
            return self.factors[..=at].rotate_right(1);
        }
        let is_new = self.factors.is_empty();
        self.factors.truncate(1);
        let matrix = ConstantMatrix::of(model, gamma);
        // A matrix that has no factor holds numbers that are no numbers; the world will find them.
        let factor = BlockFactor::of(&matrix, &state.positions).unwrap_or_default();
        if is_new {
            let free = factor.order.iter().map(|&row| matrix.free[row as usize]).collect();
            let single = size_of::<T>() == size_of::<f32>();
            self.objective.prepare(model, free, single);
        }
        self.factors.insert(0, (gamma, factor));
    }

    /// Replaces a vector at the free places by the inverse of the constant matrix times it.
    pub fn apply_inverse(&mut self, vector: &mut [Quad<T>]) {
        self.factors[0].1.solve(vector);
    }

    /// γ of the step [s].
    pub fn gamma(&self) -> Real {
        self.pasts.gamma
    }

    /// Number of free particles.
    pub fn len(&self) -> usize {
        self.objective.free.len()
    }

    /// Whether no particle is free.
    pub fn is_empty(&self) -> bool {
        self.objective.free.is_empty()
    }

    /// Makes the iterate the new state: x, and v = (x − x̂)/γ.
    pub fn finish(&mut self, scheme: Scheme, state: &mut State) {
        let reciprocal = 1.0 / self.pasts.gamma;
        for (x, &particle) in self.x.iter().zip(&self.objective.free) {
            let (x, particle) = (Vec3::new(x[0], x[1], x[2]), particle as usize);
            self.next_x[particle] = x;
            self.next_v[particle] = (x - self.pasts.base_x[particle]) * reciprocal;
        }
        self.pasts.finish(scheme, state, &mut self.next_x, &mut self.next_v);
    }

    /// Space for a vector at the free places, padded to whole registers.
    pub fn vector(&self) -> Vec<Quad<T>> {
        vec![[T::default(); 4]; self.objective.places()]
    }

    /// G at the iterate [J].
    pub fn value(&mut self, model: &Model) -> Real {
        self.objective.value(model, &self.x)
    }

    /// ∇G at the iterate [N].
    pub fn gradient(&mut self, model: &Model, out: &mut [Quad<T>]) {
        self.objective.gradient(model, &self.x, out);
    }

    /// pᵀ H p at the iterate.
    pub fn curvature(&mut self, model: &Model, p: &[Quad<T>]) -> Real {
        self.objective.curvature(model, &self.x, p)
    }

    /// x += s p; the largest move of a particle [m].
    pub fn advance(&mut self, step: Real, p: &[Quad<T>]) -> Real {
        let free = self.objective.free.len();
        let largest = simd::run(Advance { x: &mut self.x[..free], step, p });
        if !self.has_moved {
            self.scale = self.scale.max(largest);
            self.has_moved = true;
        }
        largest
    }

    /// Whether the step is done after a move of `largest` [m]: it is this part of what the step is about, or nothing at all.
    /// A step is about the first move, or about what weight alone would do, some γ² g, if that is more; a fixed length
    /// would end short steps too early.
    pub fn is_done(&self, largest: Real, tolerance: Real) -> bool {
        largest <= (tolerance * self.scale).max(self.resolution)
    }
}

struct Advance<'a, T> {
    x: &'a mut [Quad<f64>],
    step: Real,
    p: &'a [Quad<T>],
}

impl<T: Scalar> Kernel for Advance<'_, T> {
    type Output = Real;
    #[inline(always)]
    fn run<W: Width>(self) -> Real {
        let mut largest: Real = 0.0;
        for (x, p) in self.x.iter_mut().zip(self.p) {
            let mut way = [0.0; 4];
            for c in 0..4 {
                way[c] = self.step * p[c].widened();
                x[c] += way[c];
            }
            largest = largest.max(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
        }
        largest.sqrt()
    }
}

/// a · b in double precision, summed in a fixed order.
pub fn dot<T: Scalar>(a: &[Quad<T>], b: &[Quad<T>]) -> Real {
    simd::run(Dot { a, b })
}

struct Dot<'a, T> {
    a: &'a [Quad<T>],
    b: &'a [Quad<T>],
}

impl<T: Scalar> Kernel for Dot<'_, T> {
    type Output = Real;
    #[inline(always)]
    fn run<W: Width>(self) -> Real {
        // Several chains of sums: one alone would wait for itself.
        const CHAINS: usize = 4;
        let mut sums = [[0.0; 4]; CHAINS];
        let ((a, a_rest), (b, b_rest)) = (self.a.as_chunks::<CHAINS>(), self.b.as_chunks::<CHAINS>());
        for (a, b) in a.iter().zip(b) {
            for k in 0..CHAINS {
                for c in 0..4 {
                    sums[k][c] += a[k][c].widened() * b[k][c].widened();
                }
            }
        }
        for (a, b) in a_rest.iter().zip(b_rest) {
            for c in 0..4 {
                sums[0][c] += a[c].widened() * b[c].widened();
            }
        }
        sums.iter().flatten().sum()
    }
}

/// p ← β p − z.
pub fn turn<T: Scalar>(direction: &mut [Quad<T>], beta: Real, conditioned: &[Quad<T>]) {
    simd::run(Turn { direction, beta: T::rounded(beta), conditioned });
}

struct Turn<'a, T> {
    direction: &'a mut [Quad<T>],
    beta: T,
    conditioned: &'a [Quad<T>],
}

impl<T: Scalar> Kernel for Turn<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<W: Width>(self) {
        for (p, z) in self.direction.iter_mut().zip(self.conditioned) {
            for c in 0..4 {
                p[c] = self.beta.times(p[c]).minus(z[c]);
            }
        }
    }
}

/// Reads a number above 0 and at most 1.
#[cfg(feature = "serde")]
pub fn part_of_one<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Real, D::Error> {
    let part: Real = serde::Deserialize::deserialize(deserializer)?;
    if part > 0.0 && part <= 1.0 {
        return Ok(part);
    }
    Err(serde::de::Error::custom("must be above 0 and at most 1"))
}

/// Time that a step may take.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget {
    /// The clock, if there is one.
    pub clock: Option<Clock>,
    end: Real,
}

impl Budget {
    /// Starts to count; steps end `seconds` from now.
    pub fn begin(&mut self, seconds: Real) {
        self.end = self.clock.map_or(Real::INFINITY, |clock| clock() + seconds);
    }

    /// Whether the time is up.
    pub fn is_spent(&self) -> bool {
        self.end.is_finite() && self.clock.is_some_and(|clock| clock() >= self.end)
    }
}

fn quad(v: Vec3) -> Quad<f64> {
    [v.x, v.y, v.z, 0.0]
}
