//! What `projective`, `pncg` and `newton` share: the step as a minimum, and the constant matrix factored once.

use super::backward_difference::{BackwardDifference, Scheme};
use super::block_factor::BlockFactor;
use super::constant_matrix::{Bending, ConstantMatrix};
use super::lagged_factor::Correction;
use super::nested_dissection::Dissection;
use super::objective::{Objective, StepStart};
use super::vectors::{self, PLACES};
use crate::history::History;
use crate::lagged::{FactoredMatrix, LaggedMatrix};
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::par;
use crate::simd::vector::quad;
use crate::simd::{Kept, LANES, Quad, Scalar};
use crate::state::State;
use std::sync::Arc;

/// In which precision a method works inside; states are always double.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Precision {
    /// Forces, directions and factors in single precision, eight numbers at a time; a factor that only guides in half.
    #[default]
    Single,
    /// Everything in double precision.
    Double,
}

/// Which matrix is factored, and when the factor of another γ may serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorUse {
    /// The whole matrix, and no other γ: the matrix is the method.
    Exact,
    /// The sparser bound; in steps between others any γ not too far off: the matrix only guides.
    Guide,
    /// Always: only the order of places is wanted.
    Order,
}

/// Factors that are kept: a method of second order has two.
const MOST_FACTORS: usize = 2;

/// A step being minimised, in the precision of T; the factor is kept as numbers K.
#[derive(Clone, Debug, Default)]
pub struct GlobalStep<T, K> {
    /// G.
    pub objective: Objective,
    /// The iterate, by places: free particles first [m].
    pub x: Vec<Quad<f64>>,
    pasts: BackwardDifference,
    /// Factors with their matrices, the last used first; entries are kept of those that only guide.
    factors: Vec<(Arc<FactoredMatrix>, BlockFactor<T, K>)>,
    /// What edits add to the first of them, if it is that of the matrix before these.
    correction: Option<Correction<T>>,
    /// The revision of the model for which there are places.
    laid_out: Option<u32>,
    /// Factors made in this step.
    pub factorizations: u32,
    /// The order of elimination of all factors.
    dissection: Dissection,
    next_x: Vec<Vec3>,
    next_v: Vec<Vec3>,
    /// Largest move of a particle by constant forces alone, or in the first iteration [m].
    scale: Real,
    has_moved: bool,
    /// Moves below this are lost in the rounding of positions [m].
    resolution: Real,
}

impl<T: Scalar, K: Kept<T>> GlobalStep<T, K> {
    /// Forgets what belongs to another topology.
    pub fn prepare(&mut self) {
        self.factors.clear();
        self.correction = None;
    }

    /// Has the factor at hand serve on after an edit of the topology. The model is the one before the edit; a factor that is not at hand
    /// any more is made again.
    pub fn prepare_for_edit(&mut self, model: &Model, history: &mut History) {
        if history.lagged.is_some() {
            return;
        }
        let Some(&gamma) = history.factored.first() else { return };
        history.factored.truncate(1);
        self.use_factor(model, gamma, FactorUse::Guide);
        let owners = self.objective.free.clone();
        history.lagged = Some(LaggedMatrix::of(&self.factors[0].0, owners));
    }

    /// Sets up G for a step of h [s], with the iterate at x̂ + γ v̂, where inertia alone leads; free bodies also follow the outer
    /// forces, as a whole.
    pub fn begin(&mut self, model: &Model, state: &mut State, h: Real, scheme: Scheme, wanted: FactorUse) {
        self.pasts.begin(scheme, model, state, h);
        self.factorizations = 0;
        self.provide_factor(model, &mut state.history, scheme.gamma(h), wanted);
        let start = StepStart {
            base_x: &self.pasts.base_x,
            base_v: &self.pasts.base_v,
            gamma: self.pasts.gamma,
            time: state.time + h,
            past: [&state.positions, &state.history.positions],
            beta: self.pasts.beta,
        };
        self.objective.begin(model, &start);

        // Where held particles go; the free ones follow at the end.
        self.next_x.resize(model.len(), Vec3::ZERO);
        self.next_v.resize(model.len(), Vec3::ZERO);
        for &particle in &self.objective.held {
            let p = particle as usize;
            (self.next_x[p], self.next_v[p]) = (state.positions[p], state.velocities[p]);
        }
        model.script.pose(state.time + h, &state.pin_clocks, &mut self.next_x, &mut self.next_v);
        self.x.clear();
        self.x.resize(self.objective.free.len().next_multiple_of(LANES), [0.0; 4]);
        let Self { objective, pasts, x, .. } = self;
        let [pushed, farthest] = par::max_chunks(&mut x[..objective.free.len()], PLACES, |chunk, x| {
            let places = chunk * PLACES..chunk * PLACES + x.len();
            let (mut pushed, mut farthest): (Real, Real) = (0.0, 0.0);
            let particles = objective.free[places.clone()].iter().zip(&objective.targets[places]);
            for (x, (&particle, y)) in x.iter_mut().zip(particles) {
                let p = particle as usize;
                // Not at y: what hangs still is then in its place from the start, however few the iterations.
                let start = pasts.base_x[p] + pasts.base_v[p] * pasts.gamma;
                pushed = pushed.max(start.distance_squared(Vec3::from_slice(y)));
                farthest = farthest.max(start.abs().max_element());
                *x = quad(start);
            }
            [pushed, farthest]
        });
        self.x.extend(self.objective.held.iter().map(|&particle| quad(self.next_x[particle as usize])));
        self.scale = pushed.sqrt();
        self.objective.balance(&mut self.x);
        self.has_moved = false;
        self.resolution = Real::EPSILON * farthest;
    }

    /// Factors the constant matrix if none at hand will do. Which one serves depends on the history alone: a factor that is not at
    /// hand any more is made again.  `running` is the γ of further steps like this one [s].
    fn provide_factor(&mut self, model: &Model, history: &mut History, running: Real, wanted: FactorUse) {
        let gamma = self.pasts.gamma;
        let History { factored, gamma: last_gamma, .. } = history;
        let goes_on = is_near(gamma, *last_gamma);
        *last_gamma = gamma;
        let fits = |factored: Real| match wanted {
            FactorUse::Exact => factored == gamma,
            // With a factor of 1.5 γ the modes that inertia rules would be 2.25 times as stiff as it says.
            FactorUse::Guide if goes_on => is_near(gamma, factored),
            FactorUse::Guide => (0.6..1.7).contains(&(gamma / factored)),
            FactorUse::Order => true,
        };
        let distance = |factored: &Real| (gamma / factored).ln().abs();
        let nearest = factored.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let chosen = if factored.is_empty() && wanted == FactorUse::Guide {
            // A start, perhaps by a shorter scheme: the factor of the steps to come guides it, too.
            running
        } else {
            nearest.filter(|&nearest| fits(nearest)).unwrap_or(gamma)
        };
        factored.retain(|other| *other != chosen);
        factored.insert(0, chosen);
        factored.truncate(MOST_FACTORS);
        let serves =
            |lagged: &LaggedMatrix| lagged.matrix().gamma == chosen && lagged.serves(&model.inverse_masses);
        history.lagged = history.lagged.take().filter(serves);
        match &history.lagged {
            Some(lagged) => self.use_lagged(model, lagged),
            None => self.use_factor(model, chosen, wanted),
        }
    }

    /// Has the factor of a γ as the first one.
    fn use_factor(&mut self, model: &Model, gamma: Real, wanted: FactorUse) {
        if self.correction.take().is_some() || self.laid_out != Some(model.revisions().matrices) {
            self.factors.clear();
        }
        match self.factors.iter().position(|(matrix, _)| matrix.gamma == gamma) {
            Some(known) => self.factors[..=known].rotate_right(1),
            None => self.factor(model, gamma, wanted),
        }
    }

    /// Has the factor of a matrix from before edits as the only one, and places for the particles as they are now.
    fn use_lagged(&mut self, model: &Model, lagged: &LaggedMatrix) {
        let matrix = lagged.matrix();
        self.factors.retain(|(factored, _)| Arc::ptr_eq(factored, matrix));
        if self.factors.is_empty() {
            let again = ConstantMatrix::again(matrix);
            self.dissection = Dissection::of(&again.graph, &matrix.positions);
            self.add_factor(Arc::clone(matrix), &again);
            self.correction = None;
        }
        if self.correction.is_none() || self.laid_out != Some(model.revisions().matrices) {
            self.lay_out(model, lagged.places(&model.inverse_masses));
            self.correction = Some(Correction::of(lagged, model, &self.objective.place_of));
        }
    }

    /// Factors the constant matrix of a γ; the first factor also gives the order of places.
    fn factor(&mut self, model: &Model, gamma: Real, wanted: FactorUse) {
        let bending = if wanted == FactorUse::Exact { Bending::Whole } else { Bending::Bounded };
        let matrix = ConstantMatrix::of(model, gamma, bending);
        let positions: Vec<Vec3> = matrix.free.iter().map(|&p| model.rest_positions[p as usize]).collect();
        if self.factors.is_empty() {
            self.dissection = Dissection::of(&matrix.graph, &positions);
            self.lay_out(model, self.dissection.order.iter().map(|&row| matrix.free[row as usize]).collect());
        }
        let mut factored = FactoredMatrix { gamma, ..FactoredMatrix::default() };
        if wanted == FactorUse::Guide {
            let (diagonal, lower) = (matrix.diagonal.clone(), matrix.lower.clone());
            factored = FactoredMatrix { gamma, positions, diagonal, lower };
        }
        self.add_factor(Arc::new(factored), &matrix);
    }

    fn add_factor(&mut self, factored: Arc<FactoredMatrix>, matrix: &ConstantMatrix) {
        self.factorizations += 1;
        self.factors.truncate(MOST_FACTORS - 1);
        // A matrix that has no factor holds numbers that are no numbers; the world will find them.
        let factor = BlockFactor::of(matrix, &self.dissection).unwrap_or_default();
        self.factors.insert(0, (factored, factor));
    }

    fn lay_out(&mut self, model: &Model, free: Vec<u32>) {
        let single = size_of::<T>() == size_of::<f32>();
        self.objective.prepare(model, free, single);
        self.laid_out = Some(model.revisions().matrices);
    }

    /// Replaces a vector at the free places by the inverse of the constant matrix times it.
    pub fn apply_inverse(&mut self, vector: &mut [Quad<T>]) {
        let factor = &mut self.factors[0].1;
        match &mut self.correction {
            Some(correction) => correction.solve(factor, vector),
            None => factor.solve(vector),
        }
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

    /// Makes the iterate the new state, free bodies in balance: x, and v = (x − x̂)/γ.
    pub fn finish(&mut self, scheme: Scheme, state: &mut State) {
        self.objective.balance(&mut self.x);
        let reciprocal = 1.0 / self.pasts.gamma;
        let Self { objective, pasts, x, next_x, next_v, .. } = self;
        let free = objective.free.len();
        par::share_pairs(
            next_x,
            next_v,
            PLACES,
            free >= par::ENOUGH_CHUNKS * PLACES,
            |first, next_x, next_v| {
                for (k, (next_x, next_v)) in next_x.iter_mut().zip(next_v).enumerate() {
                    let place = objective.place_of[first + k] as usize;
                    if place < free {
                        *next_x = Vec3::from_slice(&x[place]);
                        *next_v = (*next_x - pasts.base_x[first + k]) * reciprocal;
                    }
                }
            },
        );
        BackwardDifference::finish(scheme, state, &mut self.next_x, &mut self.next_v);
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
        let largest = vectors::advance(&mut self.x[..free], step, &p[..free]);
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

/// Whether a factor of one γ is as good as one of the other.
fn is_near(gamma: Real, other: Real) -> bool {
    (gamma - other).abs() <= 0.05 * gamma
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
