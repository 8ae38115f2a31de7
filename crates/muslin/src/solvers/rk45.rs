//! Runge–Kutta of orders 5 and 4 with error control [Dormand & Prince 1980].
//!
//! Seven slopes give a solution of order 5 and, with other weights, one of order 4; their difference estimates the
//! error. A try is accepted if the error of every particle is within the tolerances, and the next step is
//! 0.9 h (tolerance/error)^(1/5), within a fifth and five times h. One call covers `dt` by as many accepted tries as
//! needed, so the method cannot blow up at a large `dt`; it only gets slow.

use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::parts::force_pass::ForcePass;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of the adaptive Runge–Kutta method.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Rk45Config {
    /// Largest error of a position in one inner step [m].
    pub position_tolerance: Real,
    /// Largest error of a velocity in one inner step [m/s].
    pub velocity_tolerance: Real,
    /// Inner steps a call may take before it goes on with the smallest one, whatever the error.
    pub max_inner_steps: u32,
}

impl Default for Rk45Config {
    fn default() -> Self {
        Self { position_tolerance: 1e-7, velocity_tolerance: 1e-5, max_inner_steps: 100_000 }
    }
}

impl Rk45Config {
    /// The solver with these settings.
    pub fn build(self) -> Rk45 {
        Rk45 { config: self, ..Rk45::default() }
    }
}

const STAGES: usize = 7;
/// Times of the stages, as parts of the step.
const NODES: [Real; STAGES] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
/// Weights of earlier slopes in each stage; the last row is the solution of order 5.
const WEIGHTS: [[Real; 6]; STAGES] = [
    [0.0; 6],
    [0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// Order 5 minus order 4.
const ERROR_WEIGHTS: [Real; STAGES] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339_200.0, 22.0 / 525.0, -1.0 / 40.0];

/// Dormand's and Prince's adaptive method.
#[derive(Clone, Debug, Default)]
pub struct Rk45 {
    config: Rk45Config,
    pass: ForcePass,
    stage: State,
    slopes_x: [Vec<Vec3>; STAGES],
    slopes_v: [Vec<Vec3>; STAGES],
}

impl Solver for Rk45 {
    fn prepare(&mut self, _: &Model) {}

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        let end = state.time + dt;
        let start = state.time;
        let smallest = dt / Real::from(self.config.max_inner_steps.max(1));
        let mut tries = 0;
        let mut residual = 0.0;
        // The step to try next goes on from call to call.
        let mut next = if state.history.dt > 0.0 { state.history.dt } else { dt };
        while end - state.time > 1e-12 * dt {
            let remaining = end - state.time;
            let h = next.max(smallest).min(remaining);
            let error = self.attempt(model, state, h);
            tries += 1;
            let accepted = error <= 1.0 || h <= smallest || tries > self.config.max_inner_steps;
            let wanted = h * (0.9 * error.max(1e-10).powf(-0.2)).clamp(0.2, 5.0);
            if accepted {
                std::mem::swap(&mut state.positions, &mut self.stage.positions);
                std::mem::swap(&mut state.velocities, &mut self.stage.velocities);
                state.time += h;
                residual = error;
            }
            // A last piece cut short by the end of the call says nothing against larger steps.
            if !accepted || h < remaining || wanted > next {
                next = wanted;
            }
            if !error.is_finite() && h <= smallest {
                break; // the state is lost; the world will report it
            }
        }
        state.time = start;
        state.history.dt = next;
        StepReport { iterations: tries, residual, ..StepReport::default() }
    }
}

impl Rk45 {
    /// Tries one inner step; leaves the new state in `stage` and returns the error in units of the tolerances.
    fn attempt(&mut self, model: &Model, state: &State, h: Real) -> Real {
        for stage in 0..STAGES {
            self.enter(model, state, h, stage);
            let slope = &mut self.slopes_v[stage];
            self.pass.accelerations(
                model,
                self.stage.time,
                &self.stage.positions,
                &self.stage.velocities,
                slope,
            );
            self.slopes_x[stage].clone_from(&self.stage.velocities);
        }
        let mut worst = 0.0;
        for i in 0..model.len() {
            let (mut dx, mut dv) = (Vec3::ZERO, Vec3::ZERO);
            for (stage, weight) in ERROR_WEIGHTS.iter().enumerate() {
                dx += self.slopes_x[stage][i] * *weight;
                dv += self.slopes_v[stage][i] * *weight;
            }
            let error = (dx.length() / self.config.position_tolerance)
                .max(dv.length() / self.config.velocity_tolerance);
            if !(dx.is_finite() && dv.is_finite()) {
                return Real::INFINITY;
            }
            if !model.is_held(i) {
                worst = Real::max(worst, error * h);
            }
        }
        worst
    }

    /// Puts the state at which slope `stage` is taken into `self.stage`; for the last that is the new solution.
    fn enter(&mut self, model: &Model, state: &State, h: Real, stage: usize) {
        self.stage.positions.clone_from(&state.positions);
        self.stage.velocities.clone_from(&state.velocities);
        self.stage.time = state.time + NODES[stage] * h;
        for (earlier, weight) in
            WEIGHTS[stage].iter().enumerate().take(stage).filter(|(_, weight)| **weight != 0.0)
        {
            for i in 0..model.len() {
                self.stage.positions[i] += self.slopes_x[earlier][i] * (weight * h);
                self.stage.velocities[i] += self.slopes_v[earlier][i] * (weight * h);
            }
        }
        model.script.pose(
            self.stage.time,
            &state.pin_clocks,
            &mut self.stage.positions,
            &mut self.stage.velocities,
        );
    }
}
