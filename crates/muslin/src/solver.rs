//! The list of all methods.

#[allow(clippy::wildcard_imports, reason = "the list below names every one of them")]
use crate::solvers::*;

pub use crate::budget::{Budget, Clock};
pub use crate::step::{Solver, StepInput, StepReport};

macro_rules! solvers {
    ($($name:literal: $about:literal => $variant:ident($config:ty),)*) => {
        /// A method and its settings.
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

        $(impl From<$config> for SolverConfig {
            fn from(config: $config) -> Self {
                Self::$variant(config)
            }
        })*

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
    /// Whether the method takes forces from where things are, not from where they go: it is stable in short steps only.
    pub fn is_explicit(&self) -> bool {
        matches!(
            self,
            Self::ExplicitEuler(_)
                | Self::SymplecticEuler(_)
                | Self::Midpoint(_)
                | Self::Rk4(_)
                | Self::Rk45(_)
                | Self::PositionVerlet(_)
                | Self::TimeCorrectedVerlet(_)
                | Self::VelocityVerlet(_)
                | Self::Beeman(_)
                | Self::ImprovedVerlet(_)
                | Self::Rods(_)
                | Self::Propagation(_)
        )
    }
}

/// The fastest method, with its own defaults.
impl Default for SolverConfig {
    fn default() -> Self {
        Self::Pncg(PncgConfig::default())
    }
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
    "propagation": "Velocity Verlet of what moves alone: forces spread through strained springs, the rest sleeps." => Propagation(PropagationConfig),
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
