//! The constant filter of Desbrun, Schröder and Barr [1999], corrected.
//!
//! ```text
//! F  = f(t, x, v) − h K v            forces, and the viscosity k h Σ (vⱼ − vᵢ) that the filter asks for   (22)
//! Δv = h (M + h² K)⁻¹ F              W = (I + h² K M⁻¹)⁻¹ is the filter, constant for one h               (23), (26)
//! v⁺ = v + Δv + r × q                torque correction of free bodies                                     (28), (29)
//! x⁺ = x + h v⁺                      then the world's strain limit, Provot's post-step
//!
//! K: stiffness of the elements without their directions, Kᵢⱼ = −kᵢⱼ, Kᵢᵢ = Σ kᵢⱼ: one matrix for all three coordinates
//! r = J⁻¹ Σ q × (M Δv − h f_outer),  J the inertia tensor,  q = x − x_G
//! ```
//!
//! K is at or above the true stiffness, as the force of a spring turns less than it grows: the step is one of descent on the
//! energy of implicit Euler, and stable at any h and k. First order. What the viscosity does wrong, braking rotation,
//! the torque correction mends: a free body keeps its angular momentum.
//!
//! Held particles are eliminated before the inversion, and outer forces pass the filter like the others: both as implicit
//! Euler has it, so that a hanging sheet stretches as its springs say. `as_printed_pins` inverts with held particles as if
//! free, and leaves outer forces unfiltered; `as_printed_torque` corrects with 1/m in place of J⁻¹, which is no correction at
//! all or far too much, depending on the size of the body.
//!
//! The dense W costs n³ once and n² a step, the sparse factor nearly n; both are the same filter. A new h needs a new one.

use crate::elements::{Element, ElementVisitor};
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::parts::bodies::{Bodies, Inertia};
use crate::parts::force_pass::ForcePass;
use crate::parts::sparse::{DenseInverse, ScalarCholesky, ScalarMatrix};
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};

/// Settings of Desbrun's filter.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct DesbrunConfig {
    /// How the filter is applied.
    pub filter: Filter,
    /// Torque correction without inertia tensor.
    pub as_printed_torque: bool,
    /// Filter without elimination of held particles.
    pub as_printed_pins: bool,
}

/// How the filter is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Filter {
    /// By a sparse factor.
    #[default]
    Sparse,
    /// By the inverse matrix itself, as published: n² numbers.
    Dense,
}

impl DesbrunConfig {
    /// The solver with these settings.
    pub fn build(self) -> Desbrun {
        Desbrun { config: self, ..Desbrun::default() }
    }
}

/// Desbrun's filter.
#[derive(Clone, Debug, Default)]
pub struct Desbrun {
    config: DesbrunConfig,
    pass: ForcePass,
    bodies: Bodies,
    /// Row of each particle in the matrix; none if it was eliminated.
    rows: Vec<Option<usize>>,
    factor: Option<Factor>,
    /// h of the factor [s].
    factor_dt: Real,
    /// All forces but gravity [N].
    forces: Vec<Vec3>,
    /// Outer forces, gravity included [N].
    outer: Vec<Vec3>,
    normals: Vec<Vec3>,
    /// h F [kg·m/s].
    impulses: Vec<Vec3>,
    /// Δv [m/s].
    changes: Vec<Vec3>,
    /// Positions and velocities of held particles at the end of the step.
    posed: [Vec<Vec3>; 2],
}

#[derive(Clone, Debug)]
enum Factor {
    Sparse(ScalarCholesky),
    Dense(DenseInverse),
}

impl Solver for Desbrun {
    fn prepare(&mut self, model: &Model) {
        self.bodies = Bodies::of(model);
        let mut count = 0;
        let row = |particle| {
            let kept = self.config.as_printed_pins || !model.is_held(particle);
            count += usize::from(kept);
            kept.then(|| count - 1)
        };
        self.rows = (0..model.len()).map(row).collect();
        self.factor = None;
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        if self.factor.is_none() || self.factor_dt != dt {
            self.invert(model, dt);
        }
        self.collect_forces(model, state, dt);
        self.filter(model, dt);
        self.correct_torque(model, state, dt);
        for i in (0..model.len()).filter(|&i| !model.is_held(i)) {
            state.velocities[i] += self.changes[i];
            state.positions[i] += state.velocities[i] * dt;
        }
        StepReport { iterations: 1, ..StepReport::default() }
    }
}

impl Desbrun {
    /// (M + h² K)⁻¹; dampers and the air count in h C.
    fn invert(&mut self, model: &Model, dt: Real) {
        let mut stiffness = Stiffness { rows: &self.rows, dt, matrix: ScalarMatrix::default() };
        for (particle, row) in self.rows.iter().enumerate() {
            if let Some(row) = *row {
                stiffness.matrix.add(row, row, model.masses[particle] + dt * self.air(model, particle));
            }
        }
        model.elements.accept(&mut stiffness);
        let matrix = &stiffness.matrix;
        self.factor = match self.config.filter {
            Filter::Sparse => ScalarCholesky::of(matrix).map(Factor::Sparse),
            Filter::Dense => DenseInverse::of(matrix).map(Factor::Dense),
        };
        self.factor_dt = dt;
    }

    /// How strongly the air slows a particle at the most [kg/s]; it passes the filter only with all outer forces.
    fn air(&self, model: &Model, particle: usize) -> Real {
        if self.config.as_printed_pins {
            return 0.0;
        }
        let drag = model.forces.drag.get(particle).copied().unwrap_or(0.0);
        drag + model.forces.wind.as_ref().map_or(0.0, |wind| wind.coefficients[particle])
    }

    /// Forces, outer forces, and the impulses h (f − h K v) of both.
    fn collect_forces(&mut self, model: &Model, state: &State, dt: Real) {
        let (x, v) = (&state.positions, &state.velocities);
        self.pass.forces(model, state.time, x, v, &mut self.forces);
        self.outer.clear();
        self.outer.extend(model.masses.iter().map(|m| model.forces.gravity * *m));
        model.forces.add(state.time, &model.faces, x, v, &mut self.normals, &mut self.outer);

        let [posed_x, posed_v] = &mut self.posed;
        posed_x.clone_from(x);
        posed_v.clone_from(v);
        model.script.pose(state.time + dt, &state.pin_clocks, posed_x, posed_v);
        for i in (0..model.len()).filter(|&i| model.is_held(i)) {
            posed_v[i] = (posed_x[i] - x[i]) / dt; // what a held particle really moves by
        }
        self.impulses.clear();
        let gravity = model.forces.gravity;
        self.impulses.extend(self.forces.iter().zip(&model.masses).map(|(f, m)| (*f + gravity * *m) * dt));
        model.elements.accept(&mut Viscosity {
            velocities: posed_v,
            factor: dt * dt,
            impulses: &mut self.impulses,
        });
    }

    /// Δv of every particle.
    fn filter(&mut self, model: &Model, dt: Real) {
        if self.config.as_printed_pins {
            for (impulse, outer) in self.impulses.iter_mut().zip(&self.outer) {
                *impulse -= *outer * dt;
            }
        }
        self.changes.clear();
        self.changes.resize(model.len(), Vec3::ZERO);
        match &mut self.factor {
            Some(Factor::Sparse(factor)) => factor.solve(&self.rows, &self.impulses, &mut self.changes),
            Some(Factor::Dense(inverse)) => inverse.solve(&self.rows, &self.impulses, &mut self.changes),
            // Not positive definite only where numbers overflow: the world says so at the end of the step.
            None => self.changes.fill(Vec3::NAN),
        }
        if self.config.as_printed_pins {
            for ((change, outer), w) in self.changes.iter_mut().zip(&self.outer).zip(&model.inverse_masses) {
                *change += *outer * (w * dt);
            }
        }
    }

    /// Gives bodies without held particles the angular momentum back that the filter took or added.
    fn correct_torque(&mut self, model: &Model, state: &State, dt: Real) {
        for body in self.bodies.iter() {
            let body = body.iter().map(|&p| p as usize);
            if body.clone().any(|p| model.is_held(p)) {
                continue;
            }
            let Some(inertia) = Inertia::of(model, body.clone(), &state.positions) else { continue };
            let mut gained = Vec3::ZERO;
            for p in body.clone() {
                let inner =
                    self.changes[p] * (model.masses[p] + dt * self.air(model, p)) - self.outer[p] * dt;
                gained += (state.positions[p] - inertia.center).cross(inner);
            }
            let turn = if self.config.as_printed_torque {
                gained * (body.len() as Real / inertia.mass)
            } else {
                inertia.angular_velocity(gained)
            };
            for p in body {
                self.changes[p] -= turn.cross(state.positions[p] - inertia.center);
            }
        }
    }
}

/// Adds the elements' h² K and h C to a matrix, lower triangle.
struct Stiffness<'a> {
    rows: &'a [Option<usize>],
    dt: Real,
    matrix: ScalarMatrix,
}

impl ElementVisitor for Stiffness<'_> {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        for element in elements {
            let (operator, rows) = (element.operator(), element.particles().map(|p| self.rows[p]));
            let (elastic, viscous) = (element.weights(), element.viscous_weights(self.dt));
            for m in 0..M {
                let weight = self.dt * self.dt * (elastic[m] + viscous[m]);
                for (i, row) in rows.iter().enumerate() {
                    for (j, column) in rows.iter().enumerate() {
                        if let (Some(row), Some(column)) = (*row, *column)
                            && row >= column
                        {
                            self.matrix.add(row, column, weight * operator[m][i] * operator[m][j]);
                        }
                    }
                }
            }
        }
    }
}

/// Subtracts `factor` K v from impulses.
struct Viscosity<'a> {
    velocities: &'a [Vec3],
    factor: Real,
    impulses: &'a mut [Vec3],
}

impl ElementVisitor for Viscosity<'_> {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        for element in elements {
            let (rate, weights) = (element.strain(self.velocities), element.weights());
            let stress: [Vec3; M] = std::array::from_fn(|m| rate[m] * (weights[m] * self.factor));
            for (p, impulse) in element.particles().into_iter().zip(element.transpose(&stress)) {
                self.impulses[p] -= impulse;
            }
        }
    }
}
