//! What is wrong with the results of a run: one line each, with the likely cause and what would help.

use crate::summary::Outcome;
use muslin::contact::ContactReport;
use muslin::math::Real;
use muslin::script::Motion;
use muslin::solver::SolverConfig;
use muslin_scene::Setup;

/// Stretch beyond which cloth is hardly meant to go.
const STRETCH: Real = 0.25;
/// Part of all motion that contact may cut off unnoticed.
const MOTION_LOST: Real = 0.01;
/// Lag of a solid, as a part of a time step, that is more than rounding.
const LAG: Real = 1e-3;
/// Depth of a particle in a solid that is more than rounding [m].
const PENETRATION: Real = 1e-6;

/// All that there is to warn of.
pub fn of(setup: &Setup, outcome: &Outcome) -> Vec<String> {
    let mut warnings = Vec::new();
    if outcome.worst_stretch > STRETCH {
        warnings.push(stretch(setup, outcome.worst_stretch));
    }
    if let Some(contact) = &outcome.contact {
        of_contact(setup, outcome, contact, &mut warnings);
    }
    if outcome.max_penetration > PENETRATION {
        let depth = outcome.max_penetration;
        warnings.push(format!(
            "the cloth reached {depth:.2e} m into a collider: it moved too far in a step; try {}",
            shorter_steps(setup)
        ));
    }
    if let Some(count @ 1..) = outcome.intersections {
        let was_tangled = outcome.untangled.is_some_and(|report| report.remaining > 0);
        let help = match outcome.contact {
            None => "only `contact = { surface = {} }` keeps surfaces apart",
            Some(_) if was_tangled => "what intersected at the start was kept so",
            Some(_) => {
                "contact should have kept them apart, so this is a fault of muslin: please report the scene"
            }
        };
        warnings.push(format!("{count} pairs of triangles intersect at the end: {help}"));
    }
    if outcome.refused_seams > 0 {
        let count = outcome.refused_seams;
        warnings.push(format!(
            "{count} seams could not begin: their borders had torn, or their cloth cannot be divided"
        ));
    }
    if outcome.waiting_partners > 0 {
        let count = outcome.waiting_partners;
        warnings.push(format!(
            "{count} pairs of particles of seams are not joined at the end: there was no time, no room, or something between them"
        ));
    }
    if outcome.out_of_time > 0 {
        let count = outcome.out_of_time;
        warnings.push(format!(
            "{count} steps ended when their time budget was spent, with what they had by then; raise `time_budget`"
        ));
    }
    warnings
}

fn stretch(setup: &Setup, worst: Real) -> String {
    let better = better_method(setup);
    let cause = match (&setup.solver, &better) {
        (SolverConfig::Xpbd(config), _) => {
            format!("{} substeps of xpbd leave it softer than its fabric", config.substeps)
        }
        (other, Some(_)) => {
            format!("it is pushed out of what it meets only after whole steps of {}", other.name())
        }
        (other, None) => format!("steps of {} s are long for {}", step(setup), other.name()),
    };
    let help = better.unwrap_or_else(|| shorter_steps(setup));
    format!(
        "the cloth stretched by up to {:.0} %: likely {cause}; try {help}, or, if the fabric itself is that soft, strain_limit = {{ limit = 0.1 }}",
        100.0 * worst
    )
}

fn of_contact(setup: &Setup, outcome: &Outcome, contact: &ContactReport, warnings: &mut Vec<String>) {
    let help = better_method(setup).unwrap_or_else(|| shorter_steps(setup));
    let lost = contact.lost / contact.wanted.max(Real::MIN_POSITIVE);
    if lost > MOTION_LOST {
        warnings.push(format!(
            "contact cut off {:.1} % of all motion to keep surfaces apart: the cloth moves too far in a step, or is pressed from two sides; try {help}",
            100.0 * lost
        ));
    }
    if contact.largest_lag > LAG * setup.dt {
        warnings.push(format!(
            "{} were up to {:.3} s behind their scripts: cloth was in their way and could not give way in time; move them more slowly, {}pin less of the cloth, or try {help}",
            what_moves(setup),
            contact.largest_lag,
            if has_moving_pins(setup) { "a little out of the plane of a cloth that they press together, " } else { "" },
        ));
    }
    if contact.slowed > 0 {
        warnings.push(format!(
            "cloth was slowed down {} times: too many of its parts could have met at once; try {help}, or a smaller contact.surface.thickness",
            contact.slowed
        ));
    }
    if contact.too_fast > 0 {
        warnings.push(format!(
            "{} of {} steps were too fast for contact, which slowed them down; try {help}",
            contact.too_fast, outcome.steps
        ));
    }
}

/// What moves by a script.
fn what_moves(setup: &Setup) -> &'static str {
    let solids = setup.model.colliders.iter().any(|collider| collider.motion != Motion::Still);
    match (has_moving_pins(setup), solids) {
        (true, false) => "pins",
        (true, true) => "pins or solids",
        _ => "solids",
    }
}

fn has_moving_pins(setup: &Setup) -> bool {
    setup.model.script.moves.iter().any(|group| group.motion != Motion::Still)
}

/// The options that take another method, where the rule for scenes that name none would.
fn better_method(setup: &Setup) -> Option<String> {
    let has_contact = setup.model.colliders.len() + setup.model.bodies.len() > 0
        || matches!(setup.model.contact, muslin::contact::ContactLaw::Surface(_));
    match setup.choose_solver().solver {
        SolverConfig::Xpbd(config) if has_contact && setup.solver.name() != "xpbd" => {
            Some(format!("--solver xpbd --set solver.substeps={}", config.substeps))
        }
        _ => None,
    }
}

/// The option that makes steps half as long.
fn shorter_steps(setup: &Setup) -> String {
    match &setup.solver {
        SolverConfig::Xpbd(config) => format!("--set solver.substeps={}", 2 * config.substeps),
        _ => format!("--substeps {}", 2 * setup.substeps),
    }
}

/// Length of a solver step [s].
fn step(setup: &Setup) -> Real {
    setup.dt / Real::from(setup.substeps)
}
