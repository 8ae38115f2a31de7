//! What happens where surfaces, particles and solids meet: the laws that a model can have. [`contact`](crate::contact) acts by them.

use crate::math::Real;

/// What happens where a particle meets a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
pub enum ContactLaw {
    /// Moved to the surface; bounces and rubs.
    Projection {
        /// Part of the normal speed that a bounce keeps, 0 to 1.
        restitution: Real,
        /// Coulomb's coefficient μ.
        friction: Real,
    },
    /// Thrown back from where it is, as in the published drape over a sphere.
    Reflection {
        /// k of (5.1): part of the normal speed that is given back.
        restitution: Real,
        /// Also throws back particles that are on their way out already, as the equations say literally.
        as_printed: bool,
    },
    /// Put where it hit, its velocity mirrored, and moved again for the rest of the step, as published; from either side.
    Mirror {
        /// Whether the acceleration of the step moves it, too, after the hit: then a force can push it through.
        accelerated: bool,
    },
    /// Bodies share their energy among the particles that they hit, as published: for comparison only.
    EnergySharing,
    /// Whole surfaces keep their distance, rub and bounce; nothing ever passes through anything.
    Surface(SurfaceContact),
}

/// Contact of surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct SurfaceContact {
    /// Distance that cloth keeps from cloth, and half of which it keeps from solids [m]; without one, a tenth of the mean
    /// edge.
    pub thickness: Option<Real>,
    /// Coulomb's coefficient μ.
    pub friction: Real,
    /// Part of the normal speed that a bounce keeps, 0 to 1.
    pub restitution: Real,
    /// Whether cloth touches itself.
    pub self_contact: bool,
    /// How pairs that could meet are found.
    pub broad_phase: BroadPhase,
    /// Time that a step of the world may take, all in all [s]; without one, as long as it takes. When it is spent, what is left of
    /// the step is left out, and the world is late: a violent pile goes on in slow motion. Needs a clock, see
    /// [`World::use_clock`](crate::world::World::use_clock); runs with a budget do not repeat.
    pub time_budget: Option<Real>,
}

impl Default for SurfaceContact {
    fn default() -> Self {
        Self {
            thickness: None,
            friction: 0.3,
            restitution: 0.0,
            self_contact: true,
            broad_phase: BroadPhase::default(),
            time_budget: None,
        }
    }
}

impl Default for ContactLaw {
    fn default() -> Self {
        Self::Projection { restitution: 0.0, friction: 0.3 }
    }
}

/// How overlapping boxes are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum BroadPhase {
    /// Every box against every other.
    BruteForce,
    /// A grid of cells as large as the median box.
    SpatialHash,
    /// A binary tree of boxes.
    Tree,
    /// Blocks of eight boxes along a Morton curve: the fastest.
    #[default]
    SortedBlocks,
}
