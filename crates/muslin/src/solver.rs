//! What a method is, and the list of all of them.

use crate::math::{Real, Vec3};
use crate::model::Model;
#[allow(clippy::wildcard_imports, reason = "the list below names every one of them")]
use crate::solvers::*;
use crate::state::State;

/// Advances a state in time.
pub trait Solver: Send {
    /// Rebuilds what is derived from the model: at the start, and after each change of topology.
    fn prepare(&mut self, model: &Model);

    /// Advances positions and velocities from `state.time` by `dt` [s]. The world keeps the clock: it sets
    /// `state.time`, and puts scripted particles in their place, after the step.
    fn step(&mut self, model: &Model, state: &mut State, dt: Real) -> StepReport;

    /// Gives the method a clock, for time budgets. The library reads none of its own.
    fn use_clock(&mut self, _clock: Clock) {}

    /// The next step is one of several that make up a longer one, and maybe the first of them: sets how many inner steps it has,
    /// for methods that have such.
    fn use_inner_steps(&mut self, _steps: u32, _is_first: bool) {}

    /// Accelerations to add in all inner steps of the next step [m/s²], for methods that have such.
    fn use_pushes(&mut self, _pushes: &[Vec3]) {}
}

/// Seconds since some fixed moment.
pub type Clock = fn() -> Real;

/// Time that a step may take.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget {
    /// The clock, if there is one.
    pub clock: Option<Clock>,
    end: Real,
}

impl Budget {
    /// Starts to count; steps end `seconds` from now.
    pub fn begin(&mut self, seconds: Real) {
        self.end = self.clock.map_or(Real::INFINITY, |clock| clock() + seconds);
    }

    /// Whether the time is up.
    pub fn is_spent(&self) -> bool {
        self.end.is_finite() && self.clock.is_some_and(|clock| clock() >= self.end)
    }
}

/// What a step has to say about itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Inner steps or iterations, summed over everything nested.
    pub iterations: u32,
    /// What the last iteration left unsolved, in the measure of the solver (0 for explicit ones).
    pub residual: Real,
    /// Steps that ended because their time was up, with the best state so far.
    pub out_of_time: u32,
}

macro_rules! solvers {
    ($($name:literal: $about:literal => $variant:ident($config:ty),)*) => {
        /// A method and its settings.
        #[derive(Clone, Debug, PartialEq)]
        pub enum SolverConfig {
            $(#[doc = $about] $variant($config),)*
        }

        impl SolverConfig {
            /// The names of all methods.
            pub const NAMES: &[&'static str] = &[$($name),*];

            /// The method of this name with its default settings.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant(<$config>::default())),)*
                    _ => None,
                }
            }

            /// The name, as in scene files and on the command line.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                }
            }

            /// A solver ready to prepare.
            pub fn build(&self) -> Box<dyn Solver> {
                match self {
                    $(Self::$variant(config) => Box::new(config.clone().build()),)*
                }
            }
        }

        /// What the method of this name is, in a few words; empty if there is none.
        pub fn summary(name: &str) -> &'static str {
            match name {
                $($name => $about,)*
                _ => "",
            }
        }

        #[cfg(feature = "serde")]
        impl SolverConfig {
            /// Hands the settings to `reader` as a serde value and takes back what it makes of them.
            pub fn revise<R: SettingsReviser>(&self, reviser: &R) -> Result<Self, R::Error> {
                match self {
                    $(Self::$variant(config) => reviser.revise(config).map(Self::$variant),)*
                }
            }
        }
    };
}

impl SolverConfig {
    /// How many inner steps a step is made of, between which others could act.
    pub fn inner_steps(&self) -> u32 {
        match self {
            Self::Xpbd(config) => config.substeps.max(1),
            _ => 1,
        }
    }
}

/// Reads and changes the settings of any method, whatever their type.
#[cfg(feature = "serde")]
pub trait SettingsReviser {
    /// Why it can fail.
    type Error;
    /// The settings, changed.
    fn revise<T: serde::Serialize + serde::de::DeserializeOwned>(
        &self,
        settings: &T,
    ) -> Result<T, Self::Error>;
}

solvers! {
    "explicit-euler": "Order 1: x⁺ = x + h v, v⁺ = v + h a. Grows without damping." => ExplicitEuler(ExplicitEulerConfig),
    "symplectic-euler": "Order 1, symplectic: v⁺ = v + h a, x⁺ = x + h v⁺." => SymplecticEuler(SymplecticEulerConfig),
    "midpoint": "Order 2: the explicit midpoint rule." => Midpoint(MidpointConfig),
    "rk4": "Order 4: the classical Runge–Kutta method." => Rk4(Rk4Config),
    "rk45": "Order 5 with error control: Dormand and Prince's pair; chooses its own steps." => Rk45(Rk45Config),
    "position-verlet": "Order 2, symplectic: Störmer's and Verlet's method in positions; equal steps only." => PositionVerlet(PositionVerletConfig),
    "time-corrected-verlet": "Order 2: Verlet in positions for steps of changing length." => TimeCorrectedVerlet(TimeCorrectedVerletConfig),
    "velocity-verlet": "Order 2, symplectic: Verlet with velocities at the same times." => VelocityVerlet(VelocityVerletConfig),
    "beeman": "Order 2: Verlet's positions with better velocities." => Beeman(BeemanConfig),
    "improved-verlet": "Jiang and Wang's mixture: Verlet for quiet particles, Beeman for busy ones." => ImprovedVerlet(ImprovedVerletConfig),
    "implicit-euler": "Order 1, stable at any step: jacobi, sor, pcg or cholesky as linear solver." => ImplicitEuler(ImplicitEulerConfig),
    "implicit-midpoint": "Order 2, symplectic, stable at any step, damps nothing." => ImplicitMidpoint(ImplicitMidpointConfig),
    "bdf2": "Order 2, stable at any step, damps less than implicit Euler." => Bdf2(Bdf2Config),
    "projective": "Implicit Euler by spring projection, local and global steps with a matrix factored once." => Projective(ProjectiveConfig),
    "pncg": "Implicit Euler or BDF2 as a minimum, found by conjugate gradients with a matrix factored once: the fastest." => Pncg(PncgConfig),
    "newton": "Implicit Euler or BDF2 as a minimum, by Newton's method with line search, to the end: the reference." => Newton(NewtonConfig),
    "xpbd": "Order 1, stable at any step: springs as constraints with compliance, one after the other, in small steps." => Xpbd(XpbdConfig),
    "rods": "Order 1: Verlet with rods held by relaxation sweeps; springs act as forces." => Rods(RodsConfig),
    "pbd": "Position-based dynamics: elements as constraints of stiffness k from 0 to 1; stable at any step." => Pbd(PbdConfig),
    "desbrun": "Order 1, stable at any step: one constant filter, factored once, in place of a linear solver." => Desbrun(DesbrunConfig),
}
