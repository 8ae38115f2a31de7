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

use crate::elements::Tangent;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::parts::backward_difference::Scheme;
use crate::parts::block_matrix::{BlockMatrix, Linearization};
use crate::parts::descent::{Descent, Minimiser, Settings, descent_settings};
use crate::parts::global_step::{FactorUse, GlobalStep};
use crate::parts::objective::Objective;
use crate::parts::sparse::SparseCholesky;
use crate::parts::vectors::{dot, reset};
use crate::simd::Quad;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

descent_settings! {
    /// Settings of Newton's method.
    pub struct NewtonConfig {
        iterations = 50,
        tolerance = 1e-9,
        /// Order in time.
        pub scheme: Scheme = Scheme::ImplicitEuler,
        /// Which second derivatives.
        pub hessian: Hessian = Hessian::Adaptive,
        /// Whether steps that do not descend are shortened.
        pub line_search: bool = true,
        /// Iterations of spring projection before the first one of Newton's.
        pub warm_start: u32 = 0,
    }
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

impl NewtonConfig {
    /// The solver with these settings.
    pub fn build(self) -> Newton {
        let settings = self.settings(self.scheme);
        Newton(Minimiser::new(settings, NewtonDescent { config: self, ..NewtonDescent::default() }))
    }
}

/// Newton's method.
#[derive(Clone, Debug)]
pub struct Newton(Minimiser<NewtonDescent, f64, f64>);

impl Solver for Newton {
    fn prepare(&mut self, model: &Model) {
        self.0.prepare(model);
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        self.0.step(model, state, input)
    }
}

#[derive(Clone, Debug, Default)]
struct NewtonDescent {
    config: NewtonConfig,
    gradient: Vec<Quad<f64>>,
    direction: Vec<Quad<f64>>,
    system: NewtonSystem,
}

impl Descent<f64, f64> for NewtonDescent {
    fn factor_use(&self) -> FactorUse {
        // A warm start is projection, and that is its matrix; without one the factor gives the order of places only.
        if self.config.warm_start > 0 { FactorUse::Exact } else { FactorUse::Order }
    }

    fn prepare(&mut self, model: &Model) {
        self.system.prepare(model);
    }

    /// The warm start: x ← x − P⁻¹ ∇G.
    fn begin(&mut self, model: &Model, step: &mut GlobalStep<f64, f64>) {
        reset([&mut self.gradient, &mut self.direction], step.x.len());
        let free = step.len();
        for _ in 0..self.config.warm_start {
            step.gradient(model, &mut self.direction);
            step.apply_inverse(&mut self.direction[..free]);
            step.advance(-1.0, &self.direction);
        }
    }

    fn iterate(&mut self, model: &Model, step: &mut GlobalStep<f64, f64>) -> Option<Real> {
        let Self { config, gradient, direction, system } = self;
        step.gradient(model, gradient);
        let gamma = step.gamma();
        let objective = &step.objective;
        let exact_serves = config.hessian != Hessian::Clamped
            && system.solve(model, objective, &step.x, gradient, gamma, Tangent::Exact, direction)
            && (config.hessian == Hessian::Raw || dot(gradient, direction) < 0.0);
        if !exact_serves
            && !system.solve(model, objective, &step.x, gradient, gamma, Tangent::Positive, direction)
        {
            return Some(Real::INFINITY); // numbers that are no numbers; the world will find them
        }
        if !config.line_search {
            return Some(step.advance(1.0, direction));
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
        Some(largest)
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
