//! The methods, one a file. Files do not know one another; what they share is in [`parts`](crate::parts).

mod bdf2;
mod beeman;
mod explicit_euler;
mod implicit_euler;
mod implicit_midpoint;
mod improved_verlet;
mod midpoint;
mod newton;
mod pncg;
mod position_verlet;
mod projective;
mod rk4;
mod rk45;
mod symplectic_euler;
mod time_corrected_verlet;
mod velocity_verlet;
mod xpbd;

pub use bdf2::{Bdf2, Bdf2Config};
pub use beeman::{Beeman, BeemanConfig};
pub use explicit_euler::{ExplicitEuler, ExplicitEulerConfig};
pub use implicit_euler::{ImplicitEuler, ImplicitEulerConfig};
pub use implicit_midpoint::{ImplicitMidpoint, ImplicitMidpointConfig};
pub use improved_verlet::{ImprovedVerlet, ImprovedVerletConfig};
pub use midpoint::{Midpoint, MidpointConfig};
pub use newton::{Hessian, Newton, NewtonConfig};
pub use pncg::{Pncg, PncgConfig};
pub use position_verlet::{PositionVerlet, PositionVerletConfig};
pub use projective::{Projective, ProjectiveConfig};
pub use rk4::{Rk4, Rk4Config};
pub use rk45::{Rk45, Rk45Config};
pub use symplectic_euler::{SymplecticEuler, SymplecticEulerConfig};
pub use time_corrected_verlet::{TimeCorrectedVerlet, TimeCorrectedVerletConfig, VerletWeight};
pub use velocity_verlet::{VelocityVerlet, VelocityVerletConfig, VelocityVerletVariant};
pub use xpbd::{Precision, Xpbd, XpbdConfig};
