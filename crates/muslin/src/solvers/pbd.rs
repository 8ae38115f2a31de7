//! Position-based dynamics [Müller et al. 2007], the whole loop.
//!
//! ```text
//! v  ← v + h w f_ext                                outer forces; elements are constraints, not forces
//! v  ← v + k_damp ((v_cm + ω × r) − v)              towards the rigid motion of each body
//! p  = x + h v
//! generate collision constraints for x → p
//! repeat n times: for each constraint C
//!     Δpᵢ = −k′ s wᵢ ∇ᵢC,  s = C / Σⱼ wⱼ |∇ⱼC|²      (15), (16)
//! v⁺ = (p − x)/h,  x⁺ = p
//! velocities of particles that met a solid: restitution and friction
//! ```
//!
//! A spring is the constraint C = l − L: an equality, or an inequality where the spring acts on one side only; other elements
//! offer their own. Their stiffness is k of the settings and not theirs in N/m; rods have k = 1. With k′ = 1 − (1 − k)^(1/n)
//! what n iterations leave of an error is 1 − k, whatever n; `as_printed` takes k itself. With k = 1 the sheet still stiffens
//! with each iteration, as corrections travel an element at a time.
//!
//! First order, stable at any step. What it converges to as h → 0 is the motion of rigid elements, not of springs: a mass
//! under a spring hangs (1 − k)/k · g h² below its length. Dampers of springs do nothing; damp with k_damp.

use crate::contact::particle_laws::constraints::Collisions;
use crate::elements::{Element, ElementVisitor};
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::parts::bodies::{Bodies, Inertia};
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};
use std::f64::consts::PI;

/// Settings of position-based dynamics.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct PbdConfig {
    /// n: sweeps over all constraints a step.
    pub iterations: u32,
    /// k: part of its error that n iterations take from a constraint alone, 0 to 1.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::solvers::part"))]
    pub stiffness: Real,
    /// `k_damp`: part of the motion within a body that a step takes away, 0 to 1; 1 leaves rigid bodies.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::solvers::part"))]
    pub damping: Real,
    /// Takes k for k′: the stiffness then depends on the iterations.
    pub as_printed: bool,
}

impl Default for PbdConfig {
    fn default() -> Self {
        Self { iterations: 20, stiffness: 1.0, damping: 0.0, as_printed: false }
    }
}

impl PbdConfig {
    /// The solver with these settings.
    pub fn build(self) -> Pbd {
        Pbd { config: self, ..Pbd::default() }
    }

    /// k′, or k as printed.
    fn stiffness_an_iteration(&self) -> Real {
        if self.as_printed {
            self.stiffness
        } else {
            1.0 - (1.0 - self.stiffness).powf(1.0 / Real::from(self.iterations.max(1)))
        }
    }
}

/// Position-based dynamics.
#[derive(Clone, Debug, Default)]
pub struct Pbd {
    config: PbdConfig,
    bodies: Bodies,
    collisions: Collisions,
    start: Vec<Vec3>,
    forces: Vec<Vec3>,
    normals: Vec<Vec3>,
}

impl Solver for Pbd {
    fn prepare(&mut self, model: &Model) {
        self.bodies = Bodies::of(model);
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let dt = input.dt;
        self.start.clone_from(&state.positions);
        self.apply_outer_forces(model, state, dt);
        self.damp(model, state);
        for (x, v) in state.positions.iter_mut().zip(&state.velocities) {
            *x += *v * dt;
        }
        model.script.pose(state.time + dt, &state.pin_clocks, &mut state.positions, &mut state.velocities);
        self.collisions.detect(model, &self.start, state, dt);
        let stiffness = self.config.stiffness_an_iteration();
        for _ in 0..self.config.iterations {
            project(model, stiffness, &mut state.positions);
            project_volumes(model, &mut self.forces, &mut state.positions);
            self.collisions.project(&mut state.positions);
        }
        for ((v, x), start) in state.velocities.iter_mut().zip(&state.positions).zip(&self.start) {
            *v = (*x - *start) / dt;
        }
        self.collisions.respond(model, state, dt);
        StepReport { iterations: self.config.iterations, ..StepReport::default() }
    }
}

impl Pbd {
    fn apply_outer_forces(&mut self, model: &Model, state: &mut State, dt: Real) {
        self.forces.clear();
        self.forces.resize(model.len(), Vec3::ZERO);
        let (x, v) = (&state.positions, &state.velocities);
        model.forces.add(state.time, &model.faces, x, v, &mut self.normals, &mut self.forces);
        for pressure in model.elements.pressures.iter().filter(|p| p.sought_volume().is_none()) {
            pressure.add_forces(x, &mut self.forces);
        }
        for (i, v) in state.velocities.iter_mut().enumerate() {
            let w = model.inverse_masses[i];
            *v = if w == 0.0 { Vec3::ZERO } else { *v + (self.forces[i] * w + model.forces.gravity) * dt };
        }
    }

    /// Takes each body's velocities nearer to its rigid motion, which has the same momentum and angular momentum.
    fn damp(&self, model: &Model, state: &mut State) {
        if self.config.damping == 0.0 {
            return;
        }
        for body in self.bodies.iter() {
            let free = body.iter().map(|&p| p as usize).filter(|&p| !model.is_held(p));
            let Some(inertia) = Inertia::of(model, free.clone(), &state.positions) else { continue };
            let (mut momentum, mut angular) = (Vec3::ZERO, Vec3::ZERO);
            for p in free.clone() {
                let impulse = state.velocities[p] * model.masses[p];
                momentum += impulse;
                angular += (state.positions[p] - inertia.center).cross(impulse);
            }
            let (mean, omega) = (momentum / inertia.mass, inertia.angular_velocity(angular));
            for p in free {
                let rigid = mean + omega.cross(state.positions[p] - inertia.center);
                let v = &mut state.velocities[p];
                *v += (rigid - *v) * self.config.damping;
            }
        }
    }
}

/// One sweep over all elements: rods last and with k = 1.
fn project(model: &Model, stiffness: Real, positions: &mut [Vec3]) {
    let mut sweep = Sweep { inverse_masses: &model.inverse_masses, stiffness, positions };
    model.elements.accept_elastic(&mut sweep);
    sweep.stiffness = 1.0;
    sweep.visit(&model.elements.rods);
}

/// The volumes that closed surfaces seek: C = V − V*, with k = 1 (E004-5). Pressures by other laws are outer forces.
///
/// Where a surface is crumpled, ∇V all but vanishes and the linear step to V* would be without bounds: no particle moves by more
/// than the radius of a ball of volume V*.
fn project_volumes(model: &Model, gradient: &mut [Vec3], positions: &mut [Vec3]) {
    for pressure in &model.elements.pressures {
        let Some(sought) = pressure.sought_volume() else { continue };
        pressure.gradient(positions, gradient);
        let weights = gradient.iter().zip(&model.inverse_masses);
        let weight: Real = weights.map(|(g, w)| w * g.length_squared()).sum();
        if weight == 0.0 {
            continue; // every particle held, or no area left
        }
        let longest =
            gradient.iter().zip(&model.inverse_masses).map(|(g, w)| w * g.length()).fold(0.0, Real::max);
        let bound = (0.75 / PI * sought.abs()).cbrt() / longest;
        let step = ((pressure.volume(positions) - sought) / weight).clamp(-bound, bound);
        for ((x, g), w) in positions.iter_mut().zip(&*gradient).zip(&model.inverse_masses) {
            *x -= *g * (step * w);
        }
    }
}

struct Sweep<'a> {
    inverse_masses: &'a [Real],
    stiffness: Real,
    positions: &'a mut [Vec3],
}

impl ElementVisitor for Sweep<'_> {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        for element in elements {
            let Some((value, gradient)) = element.constraint(&element.strain(self.positions)) else {
                continue;
            };
            let (particles, gradients) = (element.particles(), element.transpose(&gradient));
            let mut weight = 0.0;
            for (&p, gradient) in particles.iter().zip(&gradients) {
                weight += self.inverse_masses[p] * gradient.length_squared();
            }
            if weight == 0.0 {
                continue; // every particle held
            }
            let step = self.stiffness * value / weight;
            let step = if N > 2 { step * self.part_to_trust(&particles, &gradients, step) } else { step };
            for (&p, gradient) in particles.iter().zip(&gradients) {
                self.positions[p] -= *gradient * (step * self.inverse_masses[p]);
            }
        }
    }
}

impl Sweep<'_> {
    /// The part of a step in which the linear constraint can be trusted: no particle moves by more than half of the size of the
    /// element. Hinges of crumpled cloth would throw each other ever farther otherwise.
    fn part_to_trust<const N: usize>(
        &self,
        particles: &[usize; N],
        gradients: &[Vec3; N],
        step: Real,
    ) -> Real {
        let (mut size, mut longest): (Real, Real) = (0.0, 0.0);
        for (&p, gradient) in particles.iter().zip(gradients) {
            size = size.max(self.positions[p].distance_squared(self.positions[particles[0]]));
            longest = longest.max((*gradient * self.inverse_masses[p]).length_squared());
        }
        let (bound, way) = (0.5 * size.sqrt(), step.abs() * longest.sqrt());
        if way > bound { bound / way } else { 1.0 }
    }
}
