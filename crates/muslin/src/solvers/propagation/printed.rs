//! Algorithms 6 to 9 as printed, but for what would make a run meaningless.
//!
//! ```text
//! propagate(p, F):  f[p] += F                                                                    (Alg. 7)
//!                   for each end e of p:  mark e;  if the other end is not marked:
//!                       R = k Δl (x_q − x_p)/l, if |Δl| > ε;  if R ≠ 0:  f[p] += R;  propagate(q, −R)
//! step:             propagate(p, load) of the loaded p, with f[p] = 0 before;                    (Alg. 9)
//!                   propagate(p, 0) of every p not visited yet with v_x + v_y + v_z > ε_v
//!                   of the visited:  x⁺ = x + h v + h²/2 s;  s⁺ = s + (f − c v)/m;  v⁺ = h/2 s⁺    (Alg. 8)
//! ```
//!
//! Printed is propagate(q, −F), which the literal form has. R points the way that lets springs pull, f starts from zero everywhere in
//! each step, and pinned particles do not move; the print has neither. The recursion is an explicit stack, ends come in the order of
//! the elements.
//!
//! A mark keeps the *other* end from answering, not this end from asking again. A particle that is reached a second time, before
//! the walk has come to the other end of one of its springs, adds that spring again, and its neighbour once more. So forces depend on the order
//! of the ends, and where three ends ask one another around a triangle the recursion never returns: it is cut off after
//! [`MOST_CALLS`] calls per end. Elements other than springs count as loads.

use super::{PropagationConfig, drag};
use crate::elements::{Element, Elements, Spring};
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::state::State;
use crate::step::StepReport;

/// Calls per end of a spring, at the most, in a step.
const MOST_CALLS: usize = 64;

/// What the printed algorithms work with.
#[derive(Clone, Debug, Default)]
pub struct PrintedWalk {
    /// Everything but springs.
    others: Elements,
    /// Ends of springs at each particle: those of particle p from `starts[p]` to `starts[p + 1]`.
    starts: Vec<usize>,
    ends: Vec<u32>,
    marks: Vec<bool>,
    visited: Vec<bool>,
    forces: Vec<Vec3>,
    loads: Vec<Vec3>,
    normals: Vec<Vec3>,
    stack: Vec<Call>,
    calls: usize,
    strained: u32,
}

/// A call of propagate that has not returned.
#[derive(Clone, Copy, Debug)]
struct Call {
    particle: usize,
    /// F [N].
    incoming: Vec3,
    /// The next of its ends.
    next: usize,
}

impl PrintedWalk {
    pub fn prepare(&mut self, model: &Model) {
        self.others = Elements { springs: Vec::new(), ..model.elements.clone() };
        let springs = &model.elements.springs;
        let at = |p: usize| {
            let slots = model.incidence().slots(p).iter().copied();
            slots.take_while(|&slot| (slot as usize) < 2 * springs.len())
        };
        self.ends = (0..model.len()).flat_map(at).collect();
        self.starts = vec![0];
        for p in 0..model.len() {
            self.starts.push(self.starts[p] + at(p).count());
        }
    }

    pub fn step(
        &mut self,
        model: &Model,
        state: &mut State,
        dt: Real,
        config: &PropagationConfig,
        is_literal: bool,
    ) -> StepReport {
        self.clear(model.len());
        self.gather_loads(model, state);
        let strain = config.strain_threshold;
        for p in 0..model.len() {
            if self.loads[p] != Vec3::ZERO {
                self.forces[p] = Vec3::ZERO;
                self.propagate(&model.elements.springs, &state.positions, p, strain, is_literal);
            }
        }
        for p in 0..model.len() {
            let v = state.velocities[p];
            if !self.visited[p] && v.x + v.y + v.z > config.speed_threshold {
                self.propagate(&model.elements.springs, &state.positions, p, strain, is_literal);
            }
        }
        let State { positions, velocities, history, .. } = state;
        history.resize(model.len());
        let mut visited_particles = 0;
        for p in (0..model.len()).filter(|&p| self.visited[p] && !model.is_held(p)) {
            let (v, sum) = (velocities[p], &mut history.accelerations[p]);
            positions[p] += v * dt + *sum * (0.5 * dt * dt);
            *sum += (self.forces[p] - v * drag(model, p)) * model.inverse_masses[p];
            velocities[p] = *sum * (0.5 * dt);
            visited_particles += 1;
        }
        StepReport {
            iterations: self.calls as u32,
            visited_particles,
            visited_elements: self.strained,
            ..StepReport::default()
        }
    }

    fn clear(&mut self, particles: usize) {
        for list in [&mut self.forces, &mut self.loads] {
            list.clear();
            list.resize(particles, Vec3::ZERO);
        }
        self.visited.clear();
        self.visited.resize(particles, false);
        self.marks.clear();
        self.marks.resize(self.ends.len(), false);
        (self.calls, self.strained) = (0, 0);
    }

    /// Weight, loads, wind, and the forces of all that is no spring [N].
    fn gather_loads(&mut self, model: &Model, state: &State) {
        let State { positions: x, velocities: v, time, .. } = state;
        model.forces.add(*time, &model.faces, x, v, &mut self.normals, &mut self.loads);
        self.others.add_forces(x, v, &mut self.loads);
        for (p, load) in self.loads.iter_mut().enumerate() {
            *load += v[p] * drag(model, p) + model.forces.gravity * model.masses[p];
        }
    }

    /// The recursion from a particle, with its load.
    fn propagate(&mut self, springs: &[Spring], x: &[Vec3], root: usize, strain: Real, is_literal: bool) {
        self.call(root, self.loads[root]);
        while let Some(call) = self.stack.last_mut() {
            let p = call.particle;
            let Some(&end) = self.ends[self.starts[p]..self.starts[p + 1]].get(call.next) else {
                self.stack.pop();
                continue;
            };
            call.next += 1;
            let incoming = call.incoming;
            self.marks[end as usize] = true;
            if self.marks[end as usize ^ 1] {
                continue;
            }
            let spring = &springs[end as usize / 2];
            let q = spring.particles()[1 - end as usize % 2];
            let elongation = x[p].distance(x[q]) - spring.rest_length;
            let Some(toward) = (x[q] - x[p]).try_normalize() else { continue };
            if elongation.abs() <= strain * spring.rest_length {
                continue;
            }
            let reaction = toward * (spring.stiffness * elongation);
            self.forces[p] += reaction;
            self.strained += 1;
            if self.calls >= MOST_CALLS * self.ends.len() {
                self.stack.clear();
                return;
            }
            self.call(q, if is_literal { -incoming } else { -reaction });
        }
    }

    fn call(&mut self, particle: usize, incoming: Vec3) {
        self.forces[particle] += incoming;
        self.visited[particle] = true;
        self.calls += 1;
        self.stack.push(Call { particle, incoming, next: 0 });
    }
}
