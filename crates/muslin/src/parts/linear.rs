//! Linear solvers for A Δv = b, held particles left out.
//!
//! ```text
//! jacobi    pᵢ = Aᵢᵢ⁻¹ bᵢ;  up to n sweeps of  Δvᵢ = Aᵢᵢ⁻¹ (bᵢ − Σ_{j≠i} Aᵢⱼ pⱼ)       n = 1: [Kang & Cho 2004], (4.31)
//! sor       Δvᵢ += ω Aᵢᵢ⁻¹ (bᵢ − Σⱼ Aᵢⱼ Δvⱼ)  in order, until the change is small   [Zhou et al. 2005], (4.32)
//! pcg       conjugate gradients preconditioned by the diagonal blocks              [Baraff & Witkin 1998]
//! cholesky  sparse factorisation
//! ```
//!
//! A pressure adds γ² ψ'' ∂V ∂Vᵀ, of one rank and over all particles of its surface: `pcg` multiplies by it without making it a
//! matrix, and takes the place of the other three where there is one.
//!
//! Elements act between the particles of a body: their columns of A sum to zero over a free one. What is left,
//!
//! ```text
//! Σ (m I + γ D) (Δv + t) = Σ b          over the particles of the body, D of air and wind
//! ```
//!
//! is the balance of outer forces on it, of three unknowns: `pcg` starts with it and ends with it, so that no momentum leaks by
//! its tolerance, and `cholesky` ends with it.
//!
//! As printed, (4.31) multiplies the neighbours' blocks by pᵢ in place of pⱼ, and (4.32) leaves out the diagonal term and
//! multiplies both sums by h².

use super::block_matrix::{BlockMatrix, Linearization};
use super::bodies::Bodies;
use super::sparse::SparseCholesky;
use crate::elements::Tangent;
use crate::math::{Mat3, Real, Vec3};
use crate::model::Model;

/// How linear systems are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum LinearSolver {
    /// Simultaneous relaxation, a fixed number of sweeps.
    Jacobi,
    /// Successive over-relaxation.
    Sor,
    /// Preconditioned conjugate gradients.
    #[default]
    Pcg,
    /// A direct factorisation.
    Cholesky,
}

/// Settings of the linear solver.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinearConfig {
    /// Which one.
    pub linear_solver: LinearSolver,
    /// Largest number of sweeps of `jacobi` (1: Kang & Cho) and `sor`, and of iterations of `pcg`.
    pub sweeps: u32,
    /// When to stop: largest change of a velocity [m/s] for `jacobi` and `sor`, residual over right-hand side for `pcg`.
    pub tolerance: Real,
    /// ω of `sor`.
    pub relaxation: Real,
}

impl Default for LinearConfig {
    fn default() -> Self {
        Self { linear_solver: LinearSolver::Pcg, sweeps: 1000, tolerance: 1e-6, relaxation: 1.0 }
    }
}

impl LinearConfig {
    /// What solves for a model: these settings, or `pcg` where a pressure joins all particles of a surface to one another.
    #[must_use]
    pub fn fit_for(&self, model: &Model) -> Self {
        match self.linear_solver {
            LinearSolver::Pcg => *self,
            _ if model.elements.pressures.is_empty() => *self,
            // As exact as a factorisation, but for rounding.
            LinearSolver::Cholesky => Self { tolerance: 1e-12, sweeps: 10_000, ..Self::default() },
            LinearSolver::Jacobi | LinearSolver::Sor => Self::default(),
        }
    }

    /// The derivatives this solver can work with.
    pub fn tangent(&self) -> Tangent {
        match self.linear_solver {
            LinearSolver::Jacobi | LinearSolver::Sor => Tangent::Exact,
            LinearSolver::Pcg | LinearSolver::Cholesky => Tangent::Positive,
        }
    }
}

/// A linear system and what its solvers need.
#[derive(Clone, Debug, Default)]
pub struct LinearSystem {
    /// A.
    pub matrix: BlockMatrix,
    /// b.
    pub right: Vec<Vec3>,
    /// Δv, after a solve.
    pub solution: Vec<Vec3>,
    free: Vec<bool>,
    inverse_diagonal: Vec<Mat3>,
    rank_ones: Vec<RankOne>,
    /// Those that nothing holds.
    bodies: Bodies,
    /// m I + γ D of each particle, if any body is free [kg].
    outer: Vec<Mat3>,
    cholesky: Option<SparseCholesky>,
    residual: Vec<Vec3>,
    direction: Vec<Vec3>,
    product: Vec<Vec3>,
}

/// A term factor · g gᵀ of A.
#[derive(Clone, Debug, Default)]
struct RankOne {
    factor: Real,
    gradient: Vec<Vec3>,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// Sweeps or iterations.
    pub iterations: u32,
    /// The last change or the residual, in the measure of the tolerance.
    pub residual: Real,
}

impl LinearSystem {
    /// Takes over the pattern of a model.
    pub fn prepare(&mut self, model: &Model, config: &LinearConfig) {
        self.matrix = BlockMatrix::with_pattern(&model.elements, model.len());
        self.free = (0..model.len()).map(|p| !model.is_held(p)).collect();
        self.inverse_diagonal = vec![Mat3::ZERO; model.len()];
        for vector in
            [&mut self.right, &mut self.solution, &mut self.residual, &mut self.direction, &mut self.product]
        {
            vector.clear();
            vector.resize(model.len(), Vec3::ZERO);
        }
        let term = RankOne { factor: 0.0, gradient: vec![Vec3::ZERO; model.len()] };
        self.rank_ones = vec![term; model.elements.pressures.len()];
        self.bodies = Bodies::free(model);
        let has_free_bodies = self.bodies.iter().next().is_some();
        self.outer = vec![Mat3::ZERO; if has_free_bodies { model.len() } else { 0 }];
        self.cholesky = (config.linear_solver == LinearSolver::Cholesky)
            .then(|| SparseCholesky::with_pattern(&self.matrix, &self.free));
    }

    /// Fills in A at a linearisation, pressures included: M − γ² ∂f/∂x − γ ∂f/∂v.
    pub fn assemble(&mut self, model: &Model, at: &Linearization, normals: &[Vec3], gamma: Real) {
        self.matrix.assemble(model, at, normals, gamma);
        for (particle, outer) in self.outer.iter_mut().enumerate() {
            *outer = BlockMatrix::outer_inertia(model, particle, normals, gamma);
        }
        for (term, pressure) in self.rank_ones.iter_mut().zip(&model.elements.pressures) {
            pressure.gradient(at.x, &mut term.gradient);
            for (share, &free) in term.gradient.iter_mut().zip(&self.free) {
                *share = if free { *share } else { Vec3::ZERO };
            }
            term.factor = gamma * gamma * pressure.bulk(pressure.volume(at.x));
        }
    }

    /// A u into `product`, of `direction` or of `solution`.
    fn multiply(&mut self, which: fn(&Self) -> &Vec<Vec3>) {
        let mut product = std::mem::take(&mut self.product);
        let u = which(self);
        self.matrix.times(&self.free, u, &mut product);
        for term in &self.rank_ones {
            let along = term.factor * dot(&term.gradient, u);
            for (p, g) in product.iter_mut().zip(&term.gradient) {
                *p += *g * along;
            }
        }
        self.product = product;
    }

    /// Solves A Δv = b. `printed_step` is the time step of a literal reading of the published sweeps [s].
    pub fn solve(&mut self, config: &LinearConfig, printed_step: Option<Real>) -> Outcome {
        for particle in 0..self.free.len() {
            if !self.free[particle] {
                self.right[particle] = Vec3::ZERO;
            }
        }
        match config.linear_solver {
            LinearSolver::Jacobi => self.jacobi(config, printed_step.is_some()),
            LinearSolver::Sor => self.sor(config, printed_step),
            LinearSolver::Pcg => self.conjugate_gradients(config),
            LinearSolver::Cholesky => self.direct(),
        }
    }

    /// Adds to Δv of every free body what it lacks as a whole.
    fn balance(&mut self) {
        for body in self.bodies.iter() {
            let (mut inertia, mut lacking) = (Mat3::ZERO, Vec3::ZERO);
            for &particle in body {
                let p = particle as usize;
                inertia += self.outer[p];
                lacking += self.right[p] - self.outer[p] * self.solution[p];
            }
            let t = inertia.inverse() * lacking;
            for &particle in body {
                self.solution[particle as usize] += t;
            }
        }
    }

    /// Δvᵢ = Aᵢᵢ⁻¹ bᵢ.
    fn start_from_diagonal(&mut self) {
        for i in 0..self.free.len() {
            self.inverse_diagonal[i] =
                if self.free[i] { self.matrix.diagonal(i).inverse() } else { Mat3::ZERO };
            self.solution[i] = self.inverse_diagonal[i] * self.right[i];
        }
    }

    fn jacobi(&mut self, config: &LinearConfig, as_printed: bool) -> Outcome {
        self.start_from_diagonal();
        let mut outcome = Outcome::default();
        while outcome.iterations < config.sweeps {
            let mut change: Real = 0.0;
            std::mem::swap(&mut self.solution, &mut self.direction); // direction: p of the last sweep
            for i in (0..self.free.len()).filter(|&i| self.free[i]) {
                let p = &self.direction;
                let mut sum = self.right[i];
                for (j, block) in self.matrix.row(i).filter(|(j, _)| *j != i) {
                    sum -= *block * if as_printed { p[i] } else { p[j] };
                }
                self.solution[i] = self.inverse_diagonal[i] * sum;
                change = change.max((self.solution[i] - p[i]).length());
            }
            outcome = Outcome { iterations: outcome.iterations + 1, residual: change };
            if change <= config.tolerance {
                break;
            }
        }
        outcome
    }

    fn sor(&mut self, config: &LinearConfig, printed_step: Option<Real>) -> Outcome {
        self.start_from_diagonal();
        let mut outcome = Outcome::default();
        while outcome.iterations < config.sweeps {
            let mut change: Real = 0.0;
            for i in (0..self.free.len()).filter(|&i| self.free[i]) {
                let unsolved = match printed_step {
                    None => self.right[i] - self.matrix.row_times(i, &self.solution),
                    Some(h) => self.right[i] - self.matrix.neighbours_times(i, &self.solution) * (h * h),
                };
                let delta = self.inverse_diagonal[i] * unsolved * config.relaxation;
                self.solution[i] += delta;
                change = change.max(delta.length_squared());
            }
            outcome = Outcome { iterations: outcome.iterations + 1, residual: change.sqrt() };
            if outcome.residual <= config.tolerance {
                break;
            }
        }
        outcome
    }

    fn conjugate_gradients(&mut self, config: &LinearConfig) -> Outcome {
        self.start_from_diagonal();
        self.balance();
        let n = self.free.len();
        self.multiply(|system| &system.solution);
        for i in 0..n {
            self.residual[i] = self.right[i] - self.product[i];
            self.direction[i] = self.inverse_diagonal[i] * self.residual[i];
        }
        let scale = dot(&self.right, &self.right).sqrt().max(Real::MIN_POSITIVE);
        let mut energy = dot(&self.residual, &self.direction);
        let mut outcome =
            Outcome { iterations: 0, residual: dot(&self.residual, &self.residual).sqrt() / scale };
        while outcome.residual > config.tolerance && outcome.iterations < config.sweeps {
            self.multiply(|system| &system.direction);
            let alpha = energy / dot(&self.direction, &self.product);
            if !alpha.is_finite() {
                break;
            }
            for i in 0..n {
                self.solution[i] += self.direction[i] * alpha;
                self.residual[i] -= self.product[i] * alpha;
                self.product[i] = self.inverse_diagonal[i] * self.residual[i];
            }
            let next = dot(&self.residual, &self.product);
            for i in 0..n {
                self.direction[i] = self.product[i] + self.direction[i] * (next / energy);
            }
            energy = next;
            outcome.iterations += 1;
            outcome.residual = dot(&self.residual, &self.residual).sqrt() / scale;
        }
        self.balance();
        outcome
    }

    fn direct(&mut self) -> Outcome {
        let cholesky = self.cholesky.as_mut().expect("prepare made it");
        if cholesky.solve(&self.matrix, &self.right, &mut self.solution) {
            self.balance();
            Outcome { iterations: 1, residual: 0.0 }
        } else {
            // Not positive definite: only numbers that are no numbers do that here. The world will find them.
            self.start_from_diagonal();
            Outcome { iterations: 1, residual: Real::INFINITY }
        }
    }
}

fn dot(a: &[Vec3], b: &[Vec3]) -> Real {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}
