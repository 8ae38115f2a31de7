//! Why a description cannot be built.

use crate::math::Real;
use std::fmt::Display;

/// What is wrong with a description, and where in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", if path.is_empty() { String::new() } else { format!("`{path}` ") })]
pub struct BuildError {
    /// The key, as in a scene file, from the description down: `fabric.density`.
    pub path: String,
    /// What it is and what would be right.
    pub message: String,
}

impl BuildError {
    /// The same, seen from one level further up.
    #[must_use]
    pub fn under(self, parent: &str) -> Self {
        let path = match self.path.as_str() {
            "" => parent.to_owned(),
            path if path.starts_with('[') => format!("{parent}{path}"),
            path => format!("{parent}.{path}"),
        };
        Self { path, ..self }
    }
}

/// An error at a path.
pub(crate) fn at(path: &str, message: String) -> BuildError {
    BuildError { path: path.to_owned(), message }
}

/// An error that says what a value is and what it must be.
pub(crate) fn refuse<T>(path: &str, value: impl Display, allowed: impl Display) -> Result<T, BuildError> {
    Err(at(path, format!("is {value}, but must be {allowed}")))
}

/// Refuses what is not a positive finite number, or so large that its powers are none.
pub(crate) fn positive(path: &str, value: Real, allowed: &str) -> Result<(), BuildError> {
    if value.is_finite() && value > LARGEST {
        return refuse(path, format!("{value:e}"), format!("at most {LARGEST:e}"));
    }
    if value > 0.0 && value.is_finite() { Ok(()) } else { refuse(path, value, allowed) }
}

/// Products of three coordinates, and squares of those, are finite.
pub(crate) const LARGEST: Real = 1e60;

/// Refuses what is negative or not finite.
pub(crate) fn not_negative(path: &str, value: Real, allowed: &str) -> Result<(), BuildError> {
    if value >= 0.0 && value.is_finite() { Ok(()) } else { refuse(path, value, allowed) }
}
