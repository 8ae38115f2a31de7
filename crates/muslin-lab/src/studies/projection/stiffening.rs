//! What iterations make of a sheet that hangs at rest: figure 4.

use super::SOURCE;
use super::step::{STEP, cloth, projective, set_up};
use crate::report::{Axis, Block, Cell, Claim, Column, Figure, Outcome, Section, Series, Style, Table};
use muslin::math::Real;
use muslin::measure::Stretch;
use muslin::solver::SolverConfig;
use muslin::solvers::Scheme;
use muslin::solvers::{PbdConfig, PncgConfig, Precision, XpbdConfig};
use muslin::world::World;
use muslin_scene::watch_steps;

pub fn stiffening_section(side: usize, quick: bool) -> anyhow::Result<Section> {
    let counts: &[u32] = if quick { &[1, 4, 16] } else { &[1, 2, 4, 8, 16, 32, 64] };
    let xpbd =
        |iterations| SolverConfig::Xpbd(XpbdConfig { iterations, substeps: 1, ..XpbdConfig::default() });
    let pbd =
        |iterations| SolverConfig::Pbd(PbdConfig { iterations, stiffness: 1.0, ..PbdConfig::default() });
    let methods: [(&str, &dyn Fn(u32) -> SolverConfig); 3] =
        [("pbd", &pbd), ("xpbd", &xpbd), ("projective", &projective)];
    let hanging = hanging(side, 1e3)?;
    let mut rows = Vec::new();
    let mut series = Vec::new();
    let mut spreads = Vec::new();
    for (name, make) in methods {
        let mut points = Vec::new();
        for &count in counts {
            points.push([f64::from(count), 100.0 * hanging_stretch(&make(count), &hanging)?]);
        }
        let stretches = || points.iter().map(|point| point[1]);
        let (low, high) = (stretches().fold(Real::INFINITY, Real::min), stretches().fold(0.0, Real::max));
        spreads.push((name, high / low));
        rows.push(
            std::iter::once(Cell::text(name))
                .chain(points.iter().map(|point| Cell::number(point[1]).digits(4)))
                .collect(),
        );
        series.push(Series { name: name.to_owned(), points, style: Style::LinePoints, ..Series::default() });
    }
    let columns = std::iter::once(Column::plain("method, iterations"))
        .chain(counts.iter().map(|count| Column::measured(count.to_string()).unit("%")))
        .collect();
    let holds = spreads[2].1 < 1.001 && spreads[0].1 > 1.5;
    let told: Vec<String> =
        spreads.iter().map(|(name, spread)| format!("{name} by a factor of {spread:.5}")).collect();
    Ok(Section {
        title: "Stiffness over iterations".to_owned(),
        blocks: vec![
            Block::Figure(Figure {
                name: "stiffness".to_owned(),
                caption: format!(
                    "Largest stretch of a hanging sheet of {side} × {side} particles that hangs still, over iterations a step (figure 4 of the source)."
                ),
                x: Axis::log("iterations"),
                y: Axis::log("stretch").unit("%"),
                series,
                guides: Vec::new(),
            }),
            Block::Table(Table {
                name: "stiffness".to_owned(),
                caption: "The same in numbers.".to_owned(),
                columns,
                rows,
            }),
            Block::Verdict(
                Claim::new(
                    "PBD gets stiffer with every iteration; projection does not.",
                    format!("{SOURCE} Fig. 4"),
                )
                .under(set_up(side).assumed("stiffness", "1000 N/m").assumed("moment", "at rest"))
                .judged(
                    if holds { Outcome::Holds } else { Outcome::Partly },
                    format!("Between the iteration counts the stretch changes: {}.", told.join(", ")),
                ),
            ),
        ],
    })
}

/// A sheet hangs still when its largest stretch varies by no more than this part within a second. Speeds would not tell: those that
/// single precision leaves behind never end.
const STILL: Real = 2e-6;

/// Lets a world go on until its cloth hangs still, for three seconds at least and two minutes at most.
fn let_rest(world: &mut World) -> anyhow::Result<()> {
    let second = (1.0 / STEP).round() as u64;
    for elapsed in 1..=120 {
        let [mut low, mut high] = [Real::INFINITY, 0.0];
        watch_steps(world, second, |world, _| {
            let stretch = Stretch::of(&world.model, &world.state.positions).max;
            (low, high) = (low.min(stretch), high.max(stretch));
        })?;
        if elapsed >= 3 && high - low <= STILL * high {
            break;
        }
    }
    Ok(())
}

/// A sheet that hangs at rest, as implicit Euler solved to the end has it.
fn hanging(side: usize, stiffness: Real) -> anyhow::Result<World> {
    let (model, state) = cloth(side, stiffness, 2e-3);
    let scheme = Scheme::ImplicitEuler;
    let config =
        PncgConfig { iterations: 100, scheme, precision: Precision::Double, ..PncgConfig::default() };
    let mut world = World::new(model, state, &SolverConfig::Pncg(config), STEP);
    let_rest(&mut world)?;
    Ok(world)
}

/// Largest stretch of a hanging sheet when a method has let it come to rest again. Where the fall starts does not matter to that, but few
/// iterations fall in slow motion.
fn hanging_stretch(config: &SolverConfig, hanging: &World) -> anyhow::Result<Real> {
    let mut world = World::new(hanging.model.clone(), hanging.state.clone(), config, STEP);
    let_rest(&mut world)?;
    Ok(Stretch::of(&world.model, &world.state.positions).max)
}
