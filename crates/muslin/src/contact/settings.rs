//! The tuning of contact of surfaces: every number that is a choice, with its unit, its reason, and what breaks without it.
//!
//! Bounds on rounding and sizes of tables are no choices; they stand beside the formulas that need them.

use crate::math::Real;

// How often contact acts (pace.rs).

/// Largest displacement in a contact step, where a step can be divided [mean edges]. Beyond it folds are detected too late, and cloth is
/// left stretched; less costs time.
pub const STEP_DISPLACEMENT: Real = 0.3;
/// Longest contact step, where a step can be divided [s]. With longer ones resting folds creep.
pub const LONGEST_STEP: Real = 1.0 / 480.0;
/// Largest displacement of a rigid body near the cloth in a contact step, with any method [mean edges]. A body that pushes cloth ahead of
/// itself by many edges at once would stretch it out of nothing.
pub const BODY_DISPLACEMENT: Real = 0.25;
/// How fast a script that lags catches up at most [seconds of script per second]. All at once, it would hit the cloth like a hammer.
pub const CATCH_UP: Real = 1.5;

// Candidates.

/// Margin of boxes beyond what a step needs, so that they serve for several steps [mean edges]. Larger ones overlap more, smaller ones
/// are rebuilt in every step.
pub const SKIN: Real = 0.2;
/// Steps for which boxes look ahead; and how far at the most, [`SKINS_AHEAD`] [skins].
pub const STEPS_AHEAD: Real = 16.0;
/// See [`STEPS_AHEAD`].
pub const SKINS_AHEAD: Real = 4.0;
/// Overlaps of moving patches, per patch, that are too many to look at: in a dense pile there are ten. Without a bound an explosion
/// takes all memory.
pub const MOST_OVERLAPS: Real = 32.0;
/// Displacements shorter than this are not halved again where there are too many overlaps, but set to zero [mean edges].
pub const LEAST_DISPLACEMENT: Real = 1e-3;
/// Largest first displacement of a solid that meets too many patches to count [mean edges]: more cannot be followed within a step anyway.
pub const COUNTABLE_SWEEP: Real = 64.0;
/// Least λ − ε of regions that are certified fold-free: those with less would be revoked soon.
pub const LEAST_SLACK: Real = 0.1;

// Response.

/// How far neighbours on the same cloth are kept apart at the most [their distances at rest]. With 0.8, cloth as thick as its edges
/// are long fights its own solver.
pub const REST_DISTANCE: Real = 0.5;
/// Gauss–Seidel sweeps over the constraints; and where rigid bodies are involved, whose constraints all couple at the body.
pub const SWEEPS: u32 = 12;
/// See [`SWEEPS`].
pub const SWEEPS_WITH_BODIES: u32 = 200;
/// By how much sweeps may miss the thickness, without and with bodies [thicknesses].
pub const TOLERANCE: Real = 1e-2;
/// See [`TOLERANCE`].
pub const TOLERANCE_WITH_BODIES: Real = 1e-9;
/// By how much a constraint has to move its vertices for their other constraints to be solved again [tolerances]. With 1, what
/// sticks by friction would creep by as much in every step.
pub const WAKE: Real = 0.25;
/// How fast what is too near recovers [thicknesses per second], and by how much in a step at the least [thicknesses]: more than the
/// response may miss. All at once it would fly.
pub const RECOVERY: Real = 10.0;
/// See [`RECOVERY`].
pub const LEAST_RECOVERY: Real = 0.05;
/// How many times as far as the contact point a constraint may move a vertex. Beyond that nearly all of the pair is pinned: there the
/// guard alone keeps it separated, which adds no velocity.
pub const LEVER: Real = 4.0;
/// How much of a loss of energy is remembered from step to step, and may be made up for: contact takes energy at one moment and gives
/// it back a few steps later.
pub const REMEMBERED_LOSS: Real = 0.9;

// Guard.

/// Longest displacement of a vertex in a piece of a step [mean edges]: beyond that, neighbours would block it.
pub const PIECE: Real = 0.4;
/// The same of a solid [thicknesses]: it gets as far as the gap in front of it, which yielding cloth opens piece by piece.
pub const SOLID_PIECE: Real = 0.25;
/// Pieces of a step at the most; what is farther is not reached in this step.
pub const MOST_PIECES: u32 = 16;
/// Candidates looked at in all pieces, per vertex, beyond which there are fewer pieces: a pile has some 50 per piece, a solid of many
/// faces that sweeps across a whole small cloth thousands, and would take minutes.
pub const MOST_WORK: usize = 1024;
/// How far cloth can go in a step [mean edges].
pub const FARTHEST: Real = 0.999 * PIECE * MOST_PIECES as Real;
/// How near features may come [thicknesses]: exact predicates need some gap to see.
pub const LEAST_GAP: Real = 1e-3;
/// Fraction of a gap that may be used up in one piece; the rest remains.
pub const GAP_SHARE: Real = 0.9;
/// Attempts of a step that relies on certified fold-free regions; then one that uses none.
pub const TRIES: u32 = 3;
/// Passes over its half-spaces in which a vertex slides before its move is shortened.
pub const SLIDES: u32 = 2;
/// Passes that check whether pairs are still separated; then all of them get half-spaces.
pub const PASSES: u32 = 16;
