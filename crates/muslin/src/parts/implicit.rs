//! One implicit stage, solved by Newton's method: what backward Euler, the midpoint rule and BDF2 share.
//!
//! ```text
//! x = x̂ + γ v,   M (v − v̂) = γ f(τ, x, v)
//! ```
//!
//! with γ = h, x̂ = x, v̂ = v for Euler; γ = h/2 and the same for the midpoint; γ = 2h/3 and weighted pasts for BDF2. At an
//! iterate (xₖ, vₖ) the linearised stage is (4.25) of Carvalho 2012, generalised:
//!
//! ```text
//! (M − γ² K − γ D) Δv = γ f + γ K (x̂ + γ vₖ − xₖ) + M (v̂ − vₖ)       K = ∂f/∂x,  D = ∂f/∂v
//! ```
//!
//! The first iterate is the state at the start of the step, which makes one iteration of Euler the method of Baraff and Witkin.

use super::block_matrix::Linearization;
use super::force_pass::ForcePass;
use super::linear::{LinearConfig, LinearSystem};
use crate::math::{Real, Vec3};
use crate::mesh::vertex_normals;
use crate::model::Model;
use crate::state::State;
use crate::step::StepReport;

/// How a stage is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageSettings {
    /// Newton iterations at the most.
    pub newton_iterations: u32,
    /// Largest change of a velocity at which the iteration ends [m/s].
    pub newton_tolerance: Real,
    /// The linear solver.
    pub linear: LinearConfig,
    /// Reads the published sweeps literally.
    pub as_printed: bool,
}

/// The stage to solve: x = base_x + γ v, M (v − base_v) = γ f(time, x, v).
#[derive(Clone, Copy, Debug)]
pub struct Stage<'a> {
    /// x̂ [m].
    pub base_x: &'a [Vec3],
    /// v̂ [m/s].
    pub base_v: &'a [Vec3],
    /// γ [s].
    pub gamma: Real,
    /// τ [s].
    pub time: Real,
}

/// Solves stages; its positions and velocities hold the last solution.
#[derive(Clone, Debug, Default)]
pub struct StageSolver {
    /// x at the stage [m].
    pub x: Vec<Vec3>,
    /// v at the stage [m/s].
    pub v: Vec<Vec3>,
    system: LinearSystem,
    pass: ForcePass,
    normals: Vec<Vec3>,
    forces: Vec<Vec3>,
    offset: Vec<Vec3>,
}

impl StageSolver {
    /// Takes over the pattern of a model.
    pub fn prepare(&mut self, model: &Model, settings: &StageSettings) {
        self.system.prepare(model, &settings.linear.fit_for(model));
    }

    /// Solves the stage, starting the iteration at `state`.
    pub fn solve(
        &mut self,
        model: &Model,
        state: &State,
        stage: &Stage,
        settings: &StageSettings,
    ) -> StepReport {
        self.x.clone_from(&state.positions);
        self.v.clone_from(&state.velocities);
        model.script.pose(stage.time, &state.pin_clocks, &mut self.x, &mut self.v);
        let settings = &StageSettings { linear: settings.linear.fit_for(model), ..*settings };
        let mut report = StepReport::default();
        for _ in 0..settings.newton_iterations.max(1) {
            self.linearize(model, stage, settings);
            let printed_step = settings.as_printed.then_some(stage.gamma);
            let outcome = self.system.solve(&settings.linear, printed_step);
            report.iterations += outcome.iterations;
            report.residual = outcome.residual;
            let change = self.update(model, stage);
            if change <= settings.newton_tolerance {
                break;
            }
        }
        report
    }

    /// Sets up (M − γ² K − γ D) Δv = γ f + γ K (x̂ + γ v − x) + M (v̂ − v).
    fn linearize(&mut self, model: &Model, stage: &Stage, settings: &StageSettings) {
        let gamma = stage.gamma;
        if model.forces.wind.is_some() {
            self.normals.resize(model.len(), Vec3::ZERO);
            vertex_normals(&model.faces, &self.x, &mut self.normals);
        }
        let at = Linearization { x: &self.x, v: &self.v, tangent: settings.linear.tangent() };
        self.system.assemble(model, &at, &self.normals, gamma);

        self.offset.clear();
        self.offset.extend((0..model.len()).map(|i| {
            if model.is_held(i) { Vec3::ZERO } else { stage.base_x[i] + self.v[i] * gamma - self.x[i] }
        }));
        self.pass.forces(model, stage.time, &self.x, &self.v, &mut self.forces);
        // Zero but in the first iteration: later ones start on x = x̂ + γ v.
        if self.offset.iter().any(|offset| *offset != Vec3::ZERO) {
            at.add_stiffness_product(&model.elements, &self.offset, &mut self.forces);
        }
        for i in 0..model.len() {
            let drift = stage.base_v[i] - self.v[i] + model.forces.gravity * gamma;
            self.system.right[i] = self.forces[i] * gamma + drift * model.masses[i];
        }
    }

    /// Applies Δv; returns its largest length [m/s].
    fn update(&mut self, model: &Model, stage: &Stage) -> Real {
        let mut change: Real = 0.0;
        for i in (0..model.len()).filter(|&i| !model.is_held(i)) {
            let delta = self.system.solution[i];
            self.v[i] += delta;
            self.x[i] = stage.base_x[i] + self.v[i] * stage.gamma;
            change = change.max(delta.length());
        }
        change
    }
}
