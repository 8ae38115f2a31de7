//! The methods, one per file. Files do not know one another; what they share is in `parts`.

mod bdf2;
mod beeman;
mod desbrun;
mod explicit_euler;
mod implicit_euler;
mod implicit_midpoint;
mod improved_verlet;
mod midpoint;
mod newton;
mod pbd;
mod pncg;
mod position_verlet;
mod projective;
mod propagation;
mod rk4;
mod rk45;
mod rods;
mod symplectic_euler;
mod time_corrected_verlet;
mod velocity_verlet;
mod xpbd;

pub use crate::parts::backward_difference::Scheme;
pub use crate::parts::global_step::Precision;
pub use crate::parts::linear::{LinearConfig, LinearSolver};
pub use bdf2::{Bdf2, Bdf2Config};
pub use beeman::{Beeman, BeemanConfig};
pub use desbrun::{Desbrun, DesbrunConfig, Filter};
pub use explicit_euler::{ExplicitEuler, ExplicitEulerConfig};
pub use implicit_euler::{ImplicitEuler, ImplicitEulerConfig};
pub use implicit_midpoint::{ImplicitMidpoint, ImplicitMidpointConfig};
pub use improved_verlet::{ImprovedVerlet, ImprovedVerletConfig};
pub use midpoint::{Midpoint, MidpointConfig};
pub use newton::{Hessian, Newton, NewtonConfig};
pub use pbd::{Pbd, PbdConfig};
pub use pncg::{Pncg, PncgConfig};
pub use position_verlet::{PositionVerlet, PositionVerletConfig};
pub use projective::{Projective, ProjectiveConfig};
pub use propagation::{Propagation, PropagationConfig, PropagationForm};
pub use rk4::{Rk4, Rk4Config};
pub use rk45::{Rk45, Rk45Config};
pub use rods::{Rods, RodsConfig};
pub use symplectic_euler::{SymplecticEuler, SymplecticEulerConfig};
pub use time_corrected_verlet::{TimeCorrectedVerlet, TimeCorrectedVerletConfig, VerletWeight};
pub use velocity_verlet::{VelocityVerlet, VelocityVerletConfig, VelocityVerletVariant};
pub use xpbd::{Xpbd, XpbdConfig};

/// Reads a setting from 0 to 1.
#[cfg(feature = "serde")]
fn part<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<crate::math::Real, D::Error> {
    let value = <crate::math::Real as serde::Deserialize>::deserialize(deserializer)?;
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(serde::de::Error::custom("must be from 0 to 1"))
    }
}
