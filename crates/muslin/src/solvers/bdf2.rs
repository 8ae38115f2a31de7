//! The second-order backward differentiation formula [Curtiss & Hirschfelder 1952; Choi & Ko 2002 for cloth].
//!
//! With r = h/h⁻, h the step to come and h⁻ the one before:
//!
//! ```text
//! x⁺ = α x − β x⁻ + γ v⁺            α = (1 + r)²/(1 + 2r)
//! v⁺ = α v − β v⁻ + γ M⁻¹ f⁺        β = r²/(1 + 2r),   γ = h (1 + r)/(1 + 2r)
//! ```
//!
//! For r = 1: 4/3, 1/3 and 2h/3. Second order, stable at any step, damps less than implicit Euler. Starts, and starts anew
//! where a free particle was moved, with a step of implicit Euler for all: two pasts of which one has a jump in it are worse
//! than none.

use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::parts::history::History;
use crate::parts::implicit::{Stage, StageSettings, StageSolver};
use crate::parts::linear::LinearConfig;
use crate::solver::{Solver, StepReport};
use crate::state::State;

/// Settings of BDF2.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Bdf2Config {
    /// Newton iterations at the most.
    pub newton_iterations: u32,
    /// Largest change of a velocity at which the iteration ends [m/s].
    pub newton_tolerance: Real,
    /// The linear solver.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub linear: LinearConfig,
}

impl Default for Bdf2Config {
    fn default() -> Self {
        Self { newton_iterations: 5, newton_tolerance: 1e-6, linear: LinearConfig::default() }
    }
}

impl Bdf2Config {
    /// The solver with these settings.
    pub fn build(self) -> Bdf2 {
        let settings = StageSettings {
            newton_iterations: self.newton_iterations,
            newton_tolerance: self.newton_tolerance,
            linear: self.linear,
            as_printed: false,
        };
        Bdf2::new(settings)
    }
}

/// The second-order backward differentiation formula.
#[derive(Clone, Debug)]
pub struct Bdf2 {
    settings: StageSettings,
    stage: StageSolver,
    history: History,
    last_x: Vec<Vec3>,
    last_v: Vec<Vec3>,
    last_dt: Real,
    base_x: Vec<Vec3>,
    base_v: Vec<Vec3>,
}

impl Bdf2 {
    fn new(settings: StageSettings) -> Self {
        Self {
            settings,
            stage: StageSolver::default(),
            history: History::default(),
            last_x: Vec::new(),
            last_v: Vec::new(),
            last_dt: 0.0,
            base_x: Vec::new(),
            base_v: Vec::new(),
        }
    }

    /// Whether all free particles are as the last step left them, so that it can serve as their past.
    fn has_past(&self, model: &Model, state: &State) -> bool {
        !(0..model.len()).any(|i| !model.is_held(i) && self.history.was_moved(i, state))
    }
}

impl Solver for Bdf2 {
    fn prepare(&mut self, model: &Model) {
        self.stage.prepare(model, &self.settings);
        self.history.clear();
        for vector in [&mut self.last_x, &mut self.last_v, &mut self.base_x, &mut self.base_v] {
            vector.resize(model.len(), Vec3::ZERO);
        }
    }

    fn step(&mut self, model: &Model, state: &mut State, dt: Real) -> StepReport {
        // r = 0 is implicit Euler: α = 1, β = 0, γ = h.
        let r = if self.has_past(model, state) { dt / self.last_dt } else { 0.0 };
        let (alpha, beta) = ((1.0 + r) * (1.0 + r) / (1.0 + 2.0 * r), r * r / (1.0 + 2.0 * r));
        for i in 0..model.len() {
            self.base_x[i] = state.positions[i] * alpha - self.last_x[i] * beta;
            self.base_v[i] = state.velocities[i] * alpha - self.last_v[i] * beta;
        }
        let gamma = dt * (1.0 + r) / (1.0 + 2.0 * r);
        let stage = Stage { base_x: &self.base_x, base_v: &self.base_v, gamma, time: state.time + dt };
        let report = self.stage.solve(model, state, &stage, &self.settings);
        // The present becomes the past, the stage the present.
        std::mem::swap(&mut self.last_x, &mut state.positions);
        std::mem::swap(&mut self.last_v, &mut state.velocities);
        std::mem::swap(&mut state.positions, &mut self.stage.x);
        std::mem::swap(&mut state.velocities, &mut self.stage.v);
        self.last_dt = dt;
        self.history.record(state);
        report
    }
}
