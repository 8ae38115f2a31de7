//! The method of a scene that names none: the one place where it is chosen, by measurement (see the book, Scene files).
//!
//! ```text
//! springs and rods, nothing to touch     pncg
//! springs and rods, solids or contact    xpbd        n a h²/L ≤ 1/500, h ≤ 1/1200 s
//! membranes, hinges, tets, pressure      implicit-euler, with tets by five Newton iterations; under contact of surfaces
//!                                        h ≤ 0.06 √(L/a)
//! ```
//!
//! L is the mean length of the threads, a the acceleration by gravity and wind. A sweep of xpbd leaves a spring too long by h² w f;
//! the spring that bears n particles carries f = n m a, which makes n a h²/L of its length. n is the number of free particles for
//! each that is held, or, of cloth that nothing holds, of those in a row; rigid bodies add to it by their weight.

use crate::parts::Part;
use muslin::contact::ContactLaw;
use muslin::elements::SpringFamily;
use muslin::math::Real;
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::solvers::{ImplicitEulerConfig, PncgConfig, XpbdConfig};

/// A method for a scene, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct SolverChoice {
    /// The method and its settings.
    pub solver: SolverConfig,
    /// Solver steps per time step.
    pub substeps: u32,
    /// What it was chosen for, in a few words.
    pub reason: &'static str,
}

/// Largest part of its length by which a sweep of xpbd may leave a spring too long.
const TOO_LONG: Real = 1.0 / 500.0;
/// Longest substep of xpbd [s], and the shortest: below it, single precision is too coarse.
const SUBSTEP: [Real; 2] = [2e-5, 1.0 / 1200.0];
/// Longest step of implicit Euler under contact of surfaces, as a part of √(L/a): pushed out after longer ones, cloth stretches.
const CONTACT_STEP: Real = 0.06;
/// Steps that a time step is divided into at the most.
const MOST_SUBSTEPS: Real = 64.0;

/// Chooses a method for a model whose time steps are dt [s] long, in `substeps` if the scene says so.
pub fn choose(model: &Model, parts: &[Part], dt: Real, substeps: Option<u32>) -> SolverChoice {
    let elements = &model.elements;
    let is_surface = matches!(model.contact, ContactLaw::Surface(_));
    let only_springs = elements.membranes.is_empty()
        && elements.corotated_membranes.is_empty()
        && elements.hinges.is_empty()
        && elements.quadratic_hinges.is_empty()
        && elements.tets.is_empty()
        && elements.pressures.is_empty();
    let (length, acceleration) = (mean_length(model), acceleration(model));
    let given = substeps.unwrap_or(1);
    if !only_springs {
        // One linearised step of a block that hits the floor stretches it by 107 %, where five iterations agree with the
        // converged 33 %; for cloth, one is enough.
        let config = if elements.tets.is_empty() {
            ImplicitEulerConfig::default()
        } else {
            ImplicitEulerConfig { newton_iterations: 5, newton_tolerance: 1e-3, ..Default::default() }
        };
        let longest = if is_surface { CONTACT_STEP * (length / acceleration).sqrt() } else { Real::INFINITY };
        let divided = (dt / longest).ceil().clamp(1.0, MOST_SUBSTEPS) as u32;
        let reason = if is_surface {
            "membranes or solids with contact of surfaces"
        } else {
            "membranes, solids or pressure"
        };
        let solver = SolverConfig::ImplicitEuler(config);
        return SolverChoice { solver, substeps: substeps.unwrap_or(divided), reason };
    }
    let reason = match (is_surface, model.colliders.is_empty(), elements.rods.is_empty()) {
        (true, ..) => "contact of surfaces",
        (_, false, _) => "solids to touch",
        (_, _, false) => "rods",
        _ => {
            let solver = SolverConfig::Pncg(PncgConfig::default());
            return SolverChoice { solver, substeps: given, reason: "springs with nothing to touch" };
        }
    };
    let [shortest, longest] = SUBSTEP;
    let wanted = (TOO_LONG * length / (acceleration * borne(model, parts))).sqrt().clamp(shortest, longest);
    let substeps = (dt / Real::from(given) / wanted).ceil().clamp(1.0, 1e6) as u32;
    let solver = SolverConfig::Xpbd(XpbdConfig { substeps, ..Default::default() });
    SolverChoice { solver, substeps: given, reason }
}

/// Mean length at rest of what measures of stretch look at [m]; 1 if there is nothing.
fn mean_length(model: &Model) -> Real {
    let springs = model.elements.springs.iter().filter(|spring| spring.family == SpringFamily::Structural);
    let rods = model.elements.rods.iter().map(|rod| rod.length);
    let edges = model.edges.iter().map(|edge| edge.rest_length);
    let lengths = springs.map(|spring| spring.rest_length).chain(rods).chain(edges).filter(|l| *l > 0.0);
    let (sum, count) = lengths.fold((0.0, 0u32), |(sum, count), length| (sum + length, count + 1));
    if count == 0 { 1.0 } else { sum / Real::from(count) }
}

/// By gravity and full wind [m/s²]; a little in any case.
fn acceleration(model: &Model) -> Real {
    let mass: Real = model.masses.iter().sum();
    let wind = model.forces.wind.as_ref().map_or(0.0, |wind| {
        wind.velocity.length() * wind.coefficients.iter().sum::<Real>() / mass.max(Real::MIN_POSITIVE)
    });
    (model.forces.gravity.length() + wind).max(1e-3)
}

/// How many particles' weight the most loaded spring bears.
fn borne(model: &Model, parts: &[Part]) -> Real {
    let mass: Real = model.masses.iter().sum();
    let of_bodies: Real = model.bodies.iter().map(|body| body.mass).sum();
    let of_part = |part: &Part| {
        let count = part.particles.len();
        let held = part.particles.clone().filter(|&p| model.is_held(p)).count();
        if held == 0 { (count as Real).sqrt() } else { (count - held) as Real / held as Real }
    };
    let most = parts.iter().map(of_part).fold(1.0, Real::max);
    most * (1.0 + of_bodies / mass.max(Real::MIN_POSITIVE))
}
