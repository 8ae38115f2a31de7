//! What a method is, and the list of all of them.

use crate::math::Real;
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
}

/// What a step has to say about itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Inner steps or iterations, summed over everything nested.
    pub iterations: u32,
    /// What the last iteration left unsolved, in the measure of the solver (0 for explicit ones).
    pub residual: Real,
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
    "explicit-euler": "x⁺ = x + h v, v⁺ = v + h a." => ExplicitEuler(ExplicitEulerConfig),
    "symplectic-euler": "v⁺ = v + h a, x⁺ = x + h v⁺." => SymplecticEuler(SymplecticEulerConfig),
    "midpoint": "The second-order Runge–Kutta method." => Midpoint(MidpointConfig),
    "rk4": "The classical fourth-order Runge–Kutta method." => Rk4(Rk4Config),
    "rk45": "Dormand and Prince's pair of orders 5 and 4, with error control." => Rk45(Rk45Config),
    "position-verlet": "Störmer's and Verlet's method in positions." => PositionVerlet(PositionVerletConfig),
    "time-corrected-verlet": "The same for steps of changing length." => TimeCorrectedVerlet(TimeCorrectedVerletConfig),
    "velocity-verlet": "Verlet's method with velocities at the same times." => VelocityVerlet(VelocityVerletConfig),
    "beeman": "Beeman's method with predicted velocities." => Beeman(BeemanConfig),
    "improved-verlet": "Jiang and Wang's mixture of Verlet and Beeman." => ImprovedVerlet(ImprovedVerletConfig),
    "implicit-euler": "Backward Euler with a choice of linear solvers." => ImplicitEuler(ImplicitEulerConfig),
    "implicit-midpoint": "The implicit midpoint rule." => ImplicitMidpoint(ImplicitMidpointConfig),
    "bdf2": "The second-order backward differentiation formula." => Bdf2(Bdf2Config),
}
