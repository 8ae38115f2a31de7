//! Counters of changes: what was derived from a model is derived again when the one that it depends on goes up.

/// Counts the changes of a model, by what has to be derived again after them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Revisions {
    /// Of particles, elements, masses and pins: what matrices are made of.
    pub matrices: u32,
    /// Of particles and faces.
    pub surface: u32,
    /// Of the colliders and bodies that there are, and of their shapes.
    pub solids: u32,
    /// Of how colliders move.
    pub motions: u32,
    /// Of the law of contact.
    pub law: u32,
}
