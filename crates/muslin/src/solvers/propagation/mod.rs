//! Forces that spread only through what moves [D. D. B. Carvalho, MSc, UFSC 2007, Alg. 2 to 9], corrected.
//!
//! ```text
//! x⁺ = x + h v + h²/2 a               of what the last step visited, what is loaded and what moves
//! visit  loaded particles, then every particle with |v| > ε_v or |v + h a| > ε_v, and from each the particles of all
//!        elements strained beyond ε                                                              (Alg. 7, 9)
//! a⁺ = F(x⁺)/m of the visited, from these elements and the loads; 0 of the others                (Alg. 6)
//! v⁺ = v + h/2 (a + a⁺)                                                                          (4.5h)
//! ```
//!
//! A spring within ε L of its length L carries no force and does not pass the walk on. An element without a length counts as
//! strained where it accelerates one of its particles by more than ε_a. Every strained element acts once, on all its particles, so that
//! momentum is kept. What is visited is what can be reached, in whatever order, and each particle sums its forces in the order of
//! the elements: the order of the walk changes no bit. Pinned particles do not pass it on unless they move. Gravity, wind, pressure
//! and attachments are loads: under gravity all is visited, and the method is velocity Verlet with a dead zone ε.
//!
//! What was moved from outside counts as moving, so the first step visits all. |v + h a| keeps what turns back awake: by |v| alone, as
//! printed, an oscillation ends where a step happens to hit its turning point.
//!
//! Second order and symplectic where ε, ε_v and ε_a are 0 or all is strained; a force that sets in at ε is felt to first order.
//! One evaluation per step: damping of springs takes the predicted velocity v + h a, drag the new one, as in velocity Verlet.

mod printed;
mod walk;

use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};
use printed::PrintedWalk;
use walk::{Thresholds, Walk};

/// Settings of force propagation.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct PropagationConfig {
    /// ε: a spring within this part of its length carries no force and passes none on, 0 to 1.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "super::part"))]
    pub strain_threshold: Real,
    /// ε_v: what is slower and unloaded starts no walk [m/s].
    pub speed_threshold: Real,
    /// ε_a: an element without a length acts where it accelerates a particle by more [m/s²].
    pub acceleration_threshold: Real,
    /// Which form.
    pub form: PropagationForm,
}

/// The forms of force propagation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum PropagationForm {
    /// Each spring once, in any order; velocity Verlet.
    #[default]
    Corrected,
    /// Marks, recursion and update of Alg. 7 to 9 as printed, but for the force passed on: the spring's, in place of the incoming one.
    AsPrinted,
    /// As printed to the letter: the incoming force is passed on, reversed.
    Literal,
}

impl Default for PropagationConfig {
    fn default() -> Self {
        Self {
            strain_threshold: 1e-3,
            speed_threshold: 1e-4,
            acceleration_threshold: 1e-2,
            form: PropagationForm::default(),
        }
    }
}

impl PropagationConfig {
    /// The solver with these settings.
    pub fn build(self) -> Propagation {
        Propagation { config: self, ..Propagation::default() }
    }
}

/// Force propagation.
#[derive(Clone, Debug, Default)]
pub struct Propagation {
    config: PropagationConfig,
    walk: Walk,
    printed: PrintedWalk,
    outside: Loads,
    /// Total accelerations at the start of the step, zero where nothing moves [m/s²].
    a: Vec<Vec3>,
    predicted: Vec<Vec3>,
    /// What is moved in this step, and what starts a walk.
    movers: Vec<u32>,
    roots: Vec<u32>,
}

impl Solver for Propagation {
    fn prepare(&mut self, model: &Model) {
        self.walk.prepare(model);
        self.outside.prepare(model);
        if self.config.form != PropagationForm::Corrected {
            self.printed.prepare(model);
        }
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        match self.config.form {
            PropagationForm::Corrected => self.advance(model, state, input.dt),
            PropagationForm::AsPrinted => self.printed.step(model, state, input.dt, &self.config, false),
            PropagationForm::Literal => self.printed.step(model, state, input.dt, &self.config, true),
        }
    }
}

impl Propagation {
    fn advance(&mut self, model: &Model, state: &mut State, dt: Real) -> StepReport {
        let thresholds = Thresholds {
            strain: self.config.strain_threshold,
            acceleration: self.config.acceleration_threshold,
        };
        if state.history.is_empty() {
            self.begin(model, state, &thresholds);
        }
        self.outside.gather(model, state.time, &state.positions, &state.velocities);
        self.move_particles(model, state, dt);
        let time = state.time + dt;
        model.script.pose(time, &state.pin_clocks, &mut state.positions, &mut self.predicted);
        self.outside.gather(model, time, &state.positions, &self.predicted);
        self.walk.start();
        let field = [&state.positions[..], &self.predicted];
        let loaded = self.outside.loaded.iter().filter(|&&p| !model.is_held(p as usize));
        for &root in loaded.chain(&self.roots) {
            self.walk.spread(model, field, &thresholds, root);
        }
        self.update_velocities(model, state, dt);
        state.record_end();
        StepReport {
            visited_particles: self.walk.visited_free(model),
            visited_elements: self.walk.strained,
            ..StepReport::default()
        }
    }

    /// The element accelerations of a state without a past: all is looked at.
    fn begin(&mut self, model: &Model, state: &mut State, thresholds: &Thresholds) {
        let n = model.len();
        self.walk.start();
        for p in 0..n as u32 {
            self.walk.spread(model, [&state.positions, &state.velocities], thresholds, p);
        }
        state.history.accelerations.clear();
        let sums = (0..n).map(|p| self.walk.force(model, p) * model.inverse_masses[p]);
        state.history.accelerations.extend(sums);
        state.history.visited.clear();
        state.history.visited.resize(n, true);
        self.a.clear();
        self.a.resize(n, Vec3::ZERO);
    }

    /// Moves what moves to the end of the step, and finds out what starts a walk there.
    fn move_particles(&mut self, model: &Model, state: &mut State, dt: Real) {
        self.a.resize(model.len(), Vec3::ZERO);
        self.predicted.clone_from(&state.velocities);
        self.movers.clear();
        self.roots.clear();
        let slow = self.config.speed_threshold * self.config.speed_threshold;
        for p in 0..model.len() {
            let v = state.velocities[p];
            let mut is_roused = v.length_squared() > slow || state.was_moved(p);
            if !model.is_held(p) && (is_roused || state.history.visited[p] || self.outside.is_loaded[p]) {
                let a = state.history.accelerations[p]
                    + (self.outside.forces[p] - v * drag(model, p)) * model.inverse_masses[p]
                    + model.forces.gravity;
                state.positions[p] += v * dt + a * (0.5 * dt * dt);
                self.predicted[p] = v + a * dt;
                self.a[p] = a;
                self.movers.push(p as u32);
                is_roused |= self.predicted[p].length_squared() > slow;
            }
            if is_roused {
                self.roots.push(p as u32);
            }
        }
    }

    /// v⁺ and a⁺, which is zero of what is not visited: it falls asleep. Half the drag acts on the velocity to be found.
    fn update_velocities(&mut self, model: &Model, state: &mut State, dt: Real) {
        let Self { walk, outside, a, movers, .. } = self;
        let (velocities, history) = (&mut state.velocities, &mut state.history);
        let dragged = |p: usize, v: Vec3| v / (1.0 + 0.5 * dt * drag(model, p) * model.inverse_masses[p]);
        for &p in movers.iter() {
            let p = p as usize;
            if !walk.visited[p] {
                velocities[p] = dragged(p, velocities[p] + a[p] * (0.5 * dt));
                history.accelerations[p] = Vec3::ZERO;
                history.visited[p] = false;
            }
        }
        for &p in &walk.order {
            let p = p as usize;
            if model.is_held(p) {
                continue;
            }
            let by_elements = walk.force(model, p) * model.inverse_masses[p];
            let next = by_elements + outside.forces[p] * model.inverse_masses[p] + model.forces.gravity;
            velocities[p] = dragged(p, velocities[p] + (a[p] + next) * (0.5 * dt));
            history.accelerations[p] = by_elements;
            history.visited[p] = true;
        }
        for &p in movers.iter() {
            a[p as usize] = Vec3::ZERO;
        }
    }
}

fn drag(model: &Model, particle: usize) -> Real {
    model.forces.drag.get(particle).copied().unwrap_or(0.0)
}

/// What acts from outside, drag and gravity apart.
#[derive(Clone, Debug, Default)]
struct Loads {
    /// Loads, wind and pressure on each particle [N].
    forces: Vec<Vec3>,
    is_loaded: Vec<bool>,
    /// In the order of their numbers, if gravity, wind or pressure acts; else those of attachments first. Some may come twice.
    loaded: Vec<u32>,
    normals: Vec<Vec3>,
}

impl Loads {
    fn prepare(&mut self, model: &Model) {
        self.forces.clear();
        self.forces.resize(model.len(), Vec3::ZERO);
        self.is_loaded.clear();
        self.is_loaded.resize(model.len(), false);
        self.loaded.clear();
    }

    /// Collects what acts at `time` [s]; costs as many particles as it acts on.
    fn gather(&mut self, model: &Model, time: Real, x: &[Vec3], v: &[Vec3]) {
        for p in self.loaded.drain(..) {
            self.forces[p as usize] = Vec3::ZERO;
            self.is_loaded[p as usize] = false;
        }
        if model.forces.wind.is_some() || !model.elements.pressures.is_empty() {
            model.forces.add(time, &model.faces, x, v, &mut self.normals, &mut self.forces);
            self.forces.iter_mut().zip(v).enumerate().for_each(|(p, (f, v))| *f += *v * drag(model, p));
            model.elements.add_pressures(x, &mut self.forces);
            self.load_all(model.len());
            return;
        }
        let attached = model.elements.attachments.iter().map(|attachment| attachment.particle);
        self.loaded.extend(attached);
        for load in &model.forces.loads {
            let force = load.force * load.profile.at(time);
            if force != Vec3::ZERO {
                load.particles.iter().for_each(|&p| self.forces[p as usize] += force);
                self.loaded.extend(&load.particles);
            }
        }
        if model.forces.gravity == Vec3::ZERO {
            self.loaded.iter().for_each(|&p| self.is_loaded[p as usize] = true);
        } else {
            self.load_all(model.len());
        }
    }

    fn load_all(&mut self, particles: usize) {
        self.loaded.clear();
        self.loaded.extend(0..particles as u32);
        self.is_loaded.fill(true);
    }
}
