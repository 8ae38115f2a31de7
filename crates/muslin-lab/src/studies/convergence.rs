//! Error against a reference over the step: the slope is the order.

use crate::report::{Axis, Block, Cell, Column, Figure, Guide, Report, Section, Series, Style, Table};
use crate::statistics::log_log_slope;
use crate::study::Context;
use muslin::builder::{Builder, Mass, Pin, Place, Resolution, Sheet, Surroundings};
use muslin::material::{Fabric, Link};
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::solvers::{ImprovedVerletConfig, Precision, PropagationConfig, Rk4Config, XpbdConfig};
use muslin::state::State;
use muslin::world::World;
use muslin_scene::run_steps;

/// The end of the run at which errors are taken [s].
const DURATION: Real = 0.32;

/// A method, its label, and the order that theory gives its positions.
pub struct Candidate {
    /// What it is called.
    pub name: String,
    /// The solver.
    pub config: SolverConfig,
    /// The order in theory; none for methods that have none.
    pub order: Option<Real>,
}

/// Every solver; the two halves of the improved Verlet by themselves; RK4 as printed; and XPBD in double precision.
pub fn candidates() -> Vec<Candidate> {
    let order = |name: &str| match name {
        "explicit-euler" | "symplectic-euler" | "implicit-euler" | "projective" | "newton" | "rods"
        | "desbrun" => Some(1.0),
        // One chooses its own steps, one switches between two methods from step to step, one ends at the noise of single
        // precision before its order shows, one holds springs rigid, and one leaves out what they carry within its threshold.
        "rk45" | "improved-verlet" | "xpbd" | "pbd" | "propagation" => None,
        "rk4" => Some(4.0),
        _ => Some(2.0),
    };
    let mut all: Vec<Candidate> = SolverConfig::NAMES
        .iter()
        .map(|name| Candidate {
            name: (*name).to_owned(),
            config: SolverConfig::named(name).expect("listed"),
            order: order(name),
        })
        .collect();
    let halves = |force_threshold| SolverConfig::ImprovedVerlet(ImprovedVerletConfig { force_threshold });
    let double = XpbdConfig { precision: Precision::Double, ..XpbdConfig::default() };
    let unbound = PropagationConfig {
        strain_threshold: 0.0,
        speed_threshold: 0.0,
        acceleration_threshold: 0.0,
        ..PropagationConfig::default()
    };
    let forms = [
        ("improved-verlet, all busy", halves(-1.0), 2.0),
        ("improved-verlet, all quiet", halves(Real::INFINITY), 1.0),
        ("rk4 as printed", SolverConfig::Rk4(Rk4Config { as_printed: true }), 2.0),
        ("propagation without thresholds", SolverConfig::Propagation(unbound), 2.0),
        ("xpbd in double precision", SolverConfig::Xpbd(double), 1.0),
    ];
    all.extend(forms.map(|(name, config, order)| Candidate {
        name: name.to_owned(),
        config,
        order: Some(order),
    }));
    all
}

/// A smooth problem: a small sheet of two-sided, damped springs swings down from the horizontal, held at two corners.
pub fn problem() -> (Model, State) {
    let link = |stiffness| Link { stiffness, damping: 0.004 * stiffness, ..Link::default() };
    let sheet = Sheet {
        size: [1.0, 0.75],
        resolution: Resolution::Particles([5, 4]),
        fabric: Fabric { structural: link(50.0), shear: link(20.0), flexion: link(5.0), ..Fabric::default() },
        mass: Mass::Each(0.05),
        pins: vec![Pin::at(Place::Grid(vec![[0, 0], [0, 3]]))],
        ..Sheet::default()
    };
    let mut builder = Builder::default();
    builder.add_sheet(&sheet).expect("a sound sheet");
    builder
        .finish(&Surroundings { gravity: Vec3::new(0.0, 0.0, -9.81), ..Surroundings::default() })
        .expect("a sound model")
}

/// Positions after [`DURATION`] in `steps` steps.
fn positions(model: &Model, state: &State, config: &SolverConfig, steps: u32) -> anyhow::Result<Vec<Vec3>> {
    let mut world = World::new(model.clone(), state.clone(), config, DURATION / Real::from(steps));
    run_steps(&mut world, u64::from(steps))?;
    Ok(world.state.positions)
}

/// The positions that all others are compared with: RK4 with steps of 5 µs.
pub fn reference(model: &Model, state: &State) -> anyhow::Result<Vec<Vec3>> {
    positions(model, state, &SolverConfig::named("rk4").expect("listed"), 64_000)
}

/// Step and largest error of position, over halvings of the step.
pub fn errors(
    candidate: &Candidate,
    model: &Model,
    state: &State,
    reference: &[Vec3],
) -> anyhow::Result<Vec<[Real; 2]>> {
    // Methods of order 4, and those in single precision, reach the noise floor soon: they start with larger steps.
    let first = if candidate.order == Some(4.0) || candidate.name == "pncg" { 40 } else { 160 };
    (0..6)
        .map(|halving| {
            let steps = first << halving;
            let found = positions(model, state, &candidate.config, steps)?;
            let error = found.iter().zip(reference).map(|(a, b)| a.distance(*b)).fold(0.0, Real::max);
            Ok([DURATION / Real::from(steps), error])
        })
        .collect()
}

/// The slope of the last three halvings.
pub fn slope(errors: &[[Real; 2]]) -> Real {
    log_log_slope(&errors[errors.len() - 4..]).unwrap_or(Real::NAN)
}

/// Runs the study.
pub fn run(context: &Context) -> anyhow::Result<Report> {
    let candidates = candidates();
    context.expect(candidates.len() as u64 + 2);
    let (model, state) = problem();
    let reference = reference(&model, &state)?;
    context.advance(2);
    let mut series = Vec::new();
    let mut rows = Vec::new();
    for candidate in &candidates {
        let errors = errors(candidate, &model, &state, &reference)?;
        let measured = slope(&errors);
        let cell = match candidate.order {
            Some(order) if (measured - order).abs() <= 0.15 => Cell::number(measured).digits(3).good(),
            Some(_) => Cell::number(measured).digits(3).bad(),
            None => Cell::text("none"),
        };
        rows.push(vec![
            Cell::text(candidate.name.clone()),
            candidate.order.map_or_else(Cell::missing, |order| Cell::number(order).digits(1)),
            cell,
            Cell::number(errors[2][0]).digits(3),
            Cell::number(errors[2][1]).digits(3),
        ]);
        series.push(Series {
            name: candidate.name.clone(),
            points: errors,
            style: Style::LinePoints,
            ..Series::default()
        });
        context.advance(1);
    }
    let table = Table {
        name: "orders".to_owned(),
        caption: "Order of each method: the slope of the error over three halvings of the step; beside it one step and its error, to compare.".to_owned(),
        columns: vec![
            Column::plain("solver"),
            Column::plain("theory"),
            Column::measured("slope"),
            Column::plain("step").unit("s"),
            Column::measured("error").unit("m"),
        ],
        rows,
    };
    let figure = Figure {
        name: "convergence".to_owned(),
        caption: format!("Largest error of a position after {DURATION} s, over the step."),
        x: Axis::log("step").unit("s"),
        y: Axis::log("error").unit("m"),
        series,
        guides: vec![
            Guide::Slope { from: [3e-4, 4e-5], to: 1e-3, slope: 1.0, label: "1".to_owned() },
            Guide::Slope { from: [3e-4, 2e-8], to: 1e-3, slope: 2.0, label: "2".to_owned() },
            Guide::Slope { from: [2e-3, 5e-10], to: 5e-3, slope: 4.0, label: "4".to_owned() },
        ],
    };
    let lead = "A small sheet of two-sided, damped springs swings down for 0.32 s; no spring switches on or off, so the motion is smooth and a method shows its order. The reference is RK4 \
                with steps of 5 µs. rk45 chooses its own steps: its error follows its tolerance, not the step it is asked for. The improved Verlet has no order: \
                it switches from step to step between a method of order 2 (busy particles) and one of order 1 (quiet ones), shown by themselves.";
    Ok(Report {
        title: "Order of convergence".to_owned(),
        lead: lead.to_owned(),
        sections: vec![Section {
            title: "Orders".to_owned(),
            blocks: vec![Block::Figure(figure), Block::Table(table)],
        }],
        ..Report::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_its_order() {
        let (model, state) = problem();
        let reference = reference(&model, &state).unwrap();
        for candidate in candidates() {
            let errors = errors(&candidate, &model, &state, &reference).unwrap();
            match candidate.order {
                Some(order) => {
                    let measured = slope(&errors);
                    assert!((measured - order).abs() <= 0.15, "{}: {measured}, {errors:?}", candidate.name);
                }
                // Ten inner steps within 1e-7 m each, and some amplification, whatever the outer step.
                None if candidate.name == "rk45" => {
                    assert!(errors.iter().all(|[_, error]| *error < 1e-5), "{}: {errors:?}", candidate.name);
                }
                // It holds springs rigid: what they would have stretched remains, whatever the step.
                None if candidate.name == "pbd" => {
                    assert!(slope(&errors).abs() <= 0.15, "{}: {errors:?}", candidate.name);
                }
                // Between its two halves the error goes up and down with the particles that switch; it stays small.
                None => {
                    assert!(errors.iter().all(|[_, error]| *error < 5e-3), "{}: {errors:?}", candidate.name);
                }
            }
        }
    }
}
