//! Implicit Euler, or BDF2, as a minimum, found by Newton's method to the end: the reference.
//!
//! ```text
//! H p = −∇G(x)      x ← x + s p      s = 1, ½, ¼ … until G falls by 1e-4 of what the slope promises   [Armijo 1966]
//! ```
//!
//! G is the step as a minimum ([`objective`](crate::parts::objective)). H is its true second derivative where that is
//! positive definite, and else the one with the negative parts of every element raised to zero, which always leads
//! downhill; so the end is quadratic. `warm_start` iterations of spring projection with the constant matrix may lead
//! the way (proposed in Wan et al. 2020).

use crate::budget::Budget;
use crate::elements::Tangent;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::parts::backward_difference::Scheme;
use crate::parts::block_matrix::{BlockMatrix, Linearization};
#[cfg(feature = "serde")]
use crate::parts::global_step::part_of_one;
use crate::parts::global_step::{FactorUse, GlobalStep};
use crate::parts::objective::Objective;
use crate::parts::sparse::SparseCholesky;
use crate::parts::vectors::dot;
use crate::simd::Quad;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of Newton's method.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct NewtonConfig {
    /// Iterations a step at the most.
    pub iterations: u32,
    /// The step is done when the largest move of a particle in an iteration is this part of that in the first one, or of
    /// what constant forces alone would do.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "part_of_one"))]
    pub tolerance: Real,
    /// Order in time.
    pub scheme: Scheme,
    /// Which second derivatives.
    pub hessian: Hessian,
    /// Whether steps that do not descend are shortened.
    pub line_search: bool,
    /// Iterations of spring projection before the first one of Newton's.
    pub warm_start: u32,
    /// Time that a step may take [s]; what is reached by then counts. Runs with a budget do not repeat.
    pub time_budget: Real,
}

/// Second derivatives of the energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Hessian {
    /// The true ones where they are positive definite, else the clamped ones.
    #[default]
    Adaptive,
    /// Negative eigenvalues of every element raised to zero.
    Clamped,
    /// The true ones, come what may.
    Raw,
}

impl Default for NewtonConfig {
    fn default() -> Self {
        Self {
            iterations: 50,
            tolerance: 1e-9,
            scheme: Scheme::ImplicitEuler,
            hessian: Hessian::Adaptive,
            line_search: true,
            warm_start: 0,
            time_budget: Real::INFINITY,
        }
    }
}

impl NewtonConfig {
    /// The solver with these settings.
    pub fn build(self) -> Newton {
        Newton {
            config: self,
            budget: Budget::default(),
            step: GlobalStep::default(),
            gradient: Vec::new(),
            direction: Vec::new(),
            system: NewtonSystem::default(),
        }
    }
}

/// Newton's method.
#[derive(Clone, Debug)]
pub struct Newton {
    config: NewtonConfig,
    budget: Budget,
    step: GlobalStep<f64, f64>,
    gradient: Vec<Quad<f64>>,
    direction: Vec<Quad<f64>>,
    system: NewtonSystem,
}

impl Solver for Newton {
    fn prepare(&mut self, model: &Model) {
        self.step.prepare();
        self.system.prepare(model);
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        let Self { config, budget, step, .. } = self;
        budget.begin(input.clock, config.time_budget);
        // A warm start is projection, and that is its matrix; without one the factor gives the order of places only.
        let wanted = if config.warm_start > 0 { FactorUse::Exact } else { FactorUse::Order };
        step.begin(model, state, dt, config.scheme, wanted);
        for vector in [&mut self.gradient, &mut self.direction] {
            vector.clear();
            vector.resize(step.x.len(), [0.0; 4]);
        }
        self.project(model);
        let mut report = StepReport::default();
        while report.iterations < self.config.iterations {
            report.residual = self.iterate(model);
            report.iterations += 1;
            if self.step.is_done(report.residual, self.config.tolerance) {
                break;
            }
            if self.budget.is_spent() {
                report.out_of_time = u32::from(report.iterations < self.config.iterations);
                break;
            }
        }
        self.step.finish(self.config.scheme, state);
        report
    }
}

impl Newton {
    /// The warm start: x ← x − P⁻¹ ∇G.
    fn project(&mut self, model: &Model) {
        let free = self.step.len();
        for _ in 0..self.config.warm_start {
            self.step.gradient(model, &mut self.direction);
            self.step.apply_inverse(&mut self.direction[..free]);
            self.step.advance(-1.0, &self.direction);
        }
    }

    /// One iteration; the largest move of a particle [m].
    fn iterate(&mut self, model: &Model) -> Real {
        let Self { config, step, gradient, direction, system, .. } = self;
        step.gradient(model, gradient);
        let gamma = step.gamma();
        let objective = &step.objective;
        let exact_serves = config.hessian != Hessian::Clamped
            && system.solve(model, objective, &step.x, gradient, gamma, Tangent::Exact, direction)
            && (config.hessian == Hessian::Raw || dot(gradient, direction) < 0.0);
        if !exact_serves
            && !system.solve(model, objective, &step.x, gradient, gamma, Tangent::Positive, direction)
        {
            return Real::INFINITY; // numbers that are no numbers; the world will find them
        }
        if !config.line_search {
            return step.advance(1.0, direction);
        }
        let (start, slope) = (step.value(model), dot(gradient, direction));
        let mut length = 1.0;
        let mut largest = step.advance(length, direction);
        // Below the rounding of G there is nothing to search for.
        let noise = 1e-14 * start.abs();
        for _ in 0..40 {
            if step.value(model) <= start + 1e-4 * length * slope + noise {
                break;
            }
            step.advance(-0.5 * length, direction);
            length *= 0.5;
            largest *= 0.5;
        }
        largest
    }
}

/// H in 3 × 3 blocks and its factor, in the order of the model.
#[derive(Clone, Default)]
struct NewtonSystem {
    matrix: BlockMatrix,
    cholesky: Option<SparseCholesky>,
    positions: Vec<Vec3>,
    still: Vec<Vec3>,
    right: Vec<Vec3>,
    solution: Vec<Vec3>,
}

impl std::fmt::Debug for NewtonSystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewtonSystem").field("rows", &self.matrix.rows()).finish_non_exhaustive()
    }
}

impl NewtonSystem {
    fn prepare(&mut self, model: &Model) {
        self.matrix = BlockMatrix::with_pattern(&model.elements, model.len());
        let free: Vec<bool> = (0..model.len()).map(|p| !model.is_held(p)).collect();
        self.cholesky = Some(SparseCholesky::with_pattern(&self.matrix, &free));
        for vector in [&mut self.positions, &mut self.still, &mut self.right, &mut self.solution] {
            vector.clear();
            vector.resize(model.len(), Vec3::ZERO);
        }
    }

    /// H p = −∇G; whether H is positive definite. The matrix is γ² H.
    #[allow(clippy::too_many_arguments, reason = "one call, all of it needed")]
    fn solve(
        &mut self,
        model: &Model,
        objective: &Objective,
        x: &[Quad<f64>],
        gradient: &[Quad<f64>],
        gamma: Real,
        tangent: Tangent,
        direction: &mut [Quad<f64>],
    ) -> bool {
        for particle in 0..model.len() {
            let place = objective.place_of[particle] as usize;
            self.positions[particle] = Vec3::from_slice(&x[place]);
            let held = model.is_held(particle);
            let g = if held { Vec3::ZERO } else { Vec3::from_slice(&gradient[place]) };
            self.right[particle] = -g * (gamma * gamma);
        }
        // At rest, so that the derivative of the damping by position, which is not symmetric, stays out.
        let at = Linearization { x: &self.positions, v: &self.still, tangent };
        self.matrix.assemble(model, &at, objective.normals(), gamma);
        let cholesky = self.cholesky.as_mut().expect("prepare made it");
        if !cholesky.solve(&self.matrix, &self.right, &mut self.solution) {
            return false;
        }
        for particle in (0..model.len()).filter(|&p| !model.is_held(p)) {
            let p = self.solution[particle];
            direction[objective.place_of[particle] as usize] = [p.x, p.y, p.z, 0.0];
        }
        true
    }
}
