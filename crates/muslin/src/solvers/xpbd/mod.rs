//! Extended position-based dynamics [Macklin, Müller, Chentanez 2016], in small steps [Macklin and others 2019].
//!
//! ```text
//! h = dt/substeps;  in each substep:
//!   v* = (m v + h (m g + f))/(m + h c),   x* = x + h v*              prediction, λ = 0
//!   Δλ = −(C + α̃ λ)/(Σ w |∇C|² + α̃),   Δx = w ∇C Δλ,  λ += Δλ       (18), (17), constraint after constraint, `iterations` times
//!   v⁺ = (x⁺ − x)/h
//! α̃ = α/h²,  ψ = C²/2α;   of a spring C = l − L and α = 1/k
//! ```
//!
//! Iterated to the end this is implicit Euler, with its order 1 and its damping, at the substep h, but for the directions ∇C of
//! springs, which are those of the iterates. One iteration and many substeps is the better bargain. The multipliers make the stiffness that of the spring, whatever the number of iterations:
//! a hanging weight elongates a chain by f/k + h² Σ w f', the sum over the springs at the same particles that come
//! later in the sweep, so the error falls with h², and with the iterations ([`apparent_stiffness`](crate::apparent_stiffness)).
//!
//! - Springs and rods (α = 0) are rows of one scalar C. Elements with more than one strain are not: √(2ψ) as a constraint overshoots
//!   the stiff strain where weak ones dominate. They are solved for all their strains at once, from stress and positive
//!   stiffness alone (`local.rs`), damping included, colour after colour. Few sweeps over crushed or inverted elements can drive
//!   each other apart; a substep never ends with more kinetic energy than all that it began with (`others.rs`).
//! - Damping over a step is a potential: a spring k with damper c that starts the substep at length l̂ is a spring of stiffness
//!   k + c/h and rest length L + c/(kh + c) (l̂ − L). Where the spring acts on one side only, λ is bounded by 0 and the damper is a
//!   constraint of its own; if it rests with a slack spring, it is asked at each iteration whether it acts.
//! - Drag −c v is implicit: it adds h c to the mass, in the constraints, too, so that a sheet at rest has its full weight.
//!   Wind adds its h C likewise; its normals are those of the start of the substep.
//! - Contacts are resolved at the end of each substep.
//! - `precision = "single"` solves springs eight at a time ([`simd::constraints`](crate::simd::constraints)) on displacements
//!   within the step; the state stays in double precision, and feels single precision only through the corrections.

mod double;
mod local;
mod motion;
mod others;
mod rows;
mod single;

use crate::contact;
use crate::contact_law::ContactLaw;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::parts::global_step::Precision;
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};
use double::DoubleSprings;
use motion::Motion;
use others::Others;
use single::SingleSprings;

/// Settings of extended position-based dynamics.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct XpbdConfig {
    /// Substeps a step.
    pub substeps: u32,
    /// Sweeps over all constraints a substep.
    pub iterations: u32,
    /// The numbers that springs are solved in.
    pub precision: Precision,
}

impl Default for XpbdConfig {
    fn default() -> Self {
        Self { substeps: 10, iterations: 1, precision: Precision::default() }
    }
}

impl XpbdConfig {
    /// The solver with these settings.
    pub fn build(self) -> Xpbd {
        let springs = match self.precision {
            Precision::Single => Springs::Single(SingleSprings::default()),
            Precision::Double => Springs::Double(DoubleSprings::default()),
        };
        Xpbd {
            config: self,
            springs,
            others: Others::default(),
            motion: Motion::default(),
            start: Vec::new(),
        }
    }
}

/// Extended position-based dynamics.
#[derive(Clone, Debug)]
pub struct Xpbd {
    config: XpbdConfig,
    springs: Springs,
    others: Others,
    motion: Motion,
    start: Vec<Vec3>,
}

#[derive(Clone, Debug)]
enum Springs {
    Single(SingleSprings),
    Double(DoubleSprings),
}

impl Solver for Xpbd {
    fn prepare(&mut self, model: &Model) {
        let (colors, rest) = rows::of(model);
        self.others.prepare(model, rest);
        self.motion = Motion::default();
        match &mut self.springs {
            Springs::Single(springs) => springs.prepare(&colors, model.len()),
            Springs::Double(springs) => springs.prepare(&colors),
        }
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let (substeps, iterations) = (input.inner_steps, self.config.iterations);
        let h = input.dt / Real::from(substeps);
        self.motion.begin(model, h);
        self.others.begin(model);
        self.springs.begin(&self.motion, &state.positions, iterations, input.goes_on);
        for substep in 1..=substeps {
            self.remember_start(model, state);
            self.springs.damp(&state.positions);
            let time = state.time + h * Real::from(substep);
            for (v, acceleration) in state.velocities.iter_mut().zip(input.accelerations) {
                *v += *acceleration * h;
            }
            self.motion.predict(model, state, time);
            self.springs.enter(&state.positions);
            self.others.enter(&self.motion.inverse_masses, &state.velocities);
            for _ in 0..iterations {
                self.springs.project(&self.motion, &mut state.positions);
                self.project_others(&mut state.positions, h);
            }
            self.springs.leave(state, h);
            self.others.bound_energy(model, &self.motion.inverse_masses, &self.start, state, h);
            contact::resolve(model, &self.start, state, time, h);
        }
        StepReport { iterations: substeps * iterations, ..StepReport::default() }
    }
}

impl Xpbd {
    /// Keeps the positions at the start of a substep for those who ask: solids, and elements that are no plain springs.
    fn remember_start(&mut self, model: &Model, state: &State) {
        let has_solids = !model.colliders.is_empty() || !model.bodies.is_empty();
        let asks = !matches!(model.contact, ContactLaw::Surface(_)) && has_solids;
        if asks || !self.others.is_empty() {
            self.start.clone_from(&state.positions);
        }
    }

    /// One sweep over what is not a plain spring, always in double precision.
    fn project_others(&mut self, positions: &mut [Vec3], h: Real) {
        if self.others.is_empty() {
            return;
        }
        let Self { springs, others, motion, start, .. } = self;
        match springs {
            Springs::Single(springs) => {
                springs.in_double(|x| others.project(&motion.inverse_masses, start, x, h));
            }
            Springs::Double(_) => others.project(&motion.inverse_masses, start, positions, h),
        }
    }
}

impl Springs {
    /// A step begins, with these masses and here.
    fn begin(&mut self, motion: &Motion, positions: &[Vec3], iterations: u32, goes_on: bool) {
        match self {
            Self::Single(springs) => springs.begin(motion, positions, iterations, goes_on),
            Self::Double(springs) => springs.begin(motion),
        }
    }

    /// A substep begins here: dampers take their lengths.
    fn damp(&mut self, positions: &[Vec3]) {
        match self {
            Self::Single(springs) => springs.damp(),
            Self::Double(springs) => springs.damp(positions),
        }
    }

    /// Takes over the predicted positions; λ = 0.
    fn enter(&mut self, positions: &[Vec3]) {
        match self {
            Self::Single(springs) => springs.enter(positions),
            Self::Double(springs) => springs.enter(positions),
        }
    }

    /// One sweep.
    fn project(&mut self, motion: &Motion, positions: &mut [Vec3]) {
        match self {
            Self::Single(springs) => springs.project(),
            Self::Double(springs) => springs.project(&motion.inverse_masses, positions),
        }
    }

    /// Positions at the end of the substep, and the velocities that lead there.
    fn leave(&mut self, state: &mut State, h: Real) {
        match self {
            Self::Single(springs) => springs.leave(state, h),
            Self::Double(springs) => springs.leave(state, h),
        }
    }
}
