//! Why a command was not carried out.

use crate::build_error::BuildError;
use crate::math::Vec3;
use crate::model::EditError;

/// Why a command was not carried out; nothing has changed then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CommandError {
    /// There is nothing with this number.
    #[error("there is no {what} {number}, only {count}")]
    Missing {
        /// What was asked for.
        what: &'static str,
        /// Its number.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// A pinned particle was asked for.
    #[error("particle {0} is not pinned")]
    NotPinned(u32),
    /// A particle was given two targets.
    #[error("particle {0} is given twice")]
    Twice(u32),
    /// A grabbed particle was asked for.
    #[error("particle {0} is not grabbed")]
    NotGrabbed(u32),
    /// There are not as many targets as particles.
    #[error("{particles} particles cannot go to {targets} targets")]
    Unequal {
        /// How many particles.
        particles: usize,
        /// How many targets.
        targets: usize,
    },
    /// A number that cannot be.
    #[error("`{what}` is {value}, but must be {allowed}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: String,
        /// What would be right.
        allowed: &'static str,
    },
    /// A description that cannot be.
    #[error(transparent)]
    Description(#[from] BuildError),
    /// It would stand in the cloth.
    #[error("it would intersect the cloth at ({:.4}, {:.4}, {:.4}) m", .0.x, .0.y, .0.z)]
    Intersects(Vec3),
    /// Cloth cannot be cut so.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The law of contact has no friction.
    #[error("this law of contact has no friction")]
    NoFriction,
}
