//! Newton's method with projection before it, and with its first iteration alone.

use super::SOURCE;
use super::step::{STEP, Step, cloth, newton, set_up};
use crate::report::{Block, Cell, Claim, Column, Outcome, Section, Table};
use muslin::math::Real;
use muslin::measure::Stretch;
use muslin::solver::SolverConfig;
use muslin::solvers::{Hessian, ImplicitEulerConfig};
use muslin::world::World;
use muslin_scene::watch_steps;

pub fn warm_start_section(side: usize, repeats: u32) -> anyhow::Result<Section> {
    let step = Step::after(0.3, side, 1e4)?;
    let mut rows = Vec::new();
    let mut counts = Vec::new();
    for warm_start in [0, 1, 5, 20, 50] {
        let mut world = World::new(
            step.model.clone(),
            step.start.clone(),
            &newton(100, Hessian::Adaptive, warm_start),
            STEP,
        );
        let iterations = world.step()?.iterations;
        let (_, seconds) = step.take(&newton(100, Hessian::Adaptive, warm_start), repeats)?;
        rows.push(vec![
            Cell::count(warm_start as usize),
            Cell::count(iterations as usize),
            Cell::number(1e3 * seconds).digits(3),
        ]);
        counts.push((warm_start, iterations, seconds));
    }
    let best = counts.iter().min_by(|a, b| a.2.total_cmp(&b.2)).expect("five rows");
    let gain = counts[0].2 / best.2;
    Ok(Section {
        title: "Projection as a warm start of Newton's method".to_owned(),
        blocks: vec![
            Block::Table(Table {
                name: "warm-start".to_owned(),
                caption: "Newton iterations to 1e-12 m after so many of projection, at 10,000 N/m."
                    .to_owned(),
                columns: vec![
                    Column::plain("projections"),
                    Column::measured("Newton iterations"),
                    Column::measured("time").unit("ms"),
                ],
                rows,
            }),
            Block::Verdict(
                Claim::new("As a start for Newton's method projection makes it faster.", SOURCE)
                    .under(set_up(side).assumed("stiffness", "10,000 N/m").assumed("moment", "after 0.3 s of fall"))
                    .judged(
                        if gain > 1.05 { Outcome::Holds } else { Outcome::Partly },
                        format!(
                            "The fastest is {} projections first: {gain:.2} times the speed of none, {} Newton iterations in place of {}.",
                            best.0, best.1, counts[0].1
                        ),
                    ),
            ),
        ],
    })
}

pub fn linearised_section(side: usize) -> Section {
    let mut rows = Vec::new();
    let mut worst = Vec::new();
    for rate in [120_u32, 60, 30] {
        let (model, state) = cloth(side, 1e3, 0.0);
        let config = SolverConfig::ImplicitEuler(ImplicitEulerConfig::default());
        let mut world = World::new(model, state, &config, 1.0 / Real::from(rate));
        let mut largest: Real = 0.0;
        let mut ended = "runs";
        let run = watch_steps(&mut world, 2 * u64::from(rate), |world, _| {
            largest = largest.max(Stretch::of(&world.model, &world.state.positions).max);
        });
        if run.is_err() {
            ended = "diverges";
            largest = Real::INFINITY;
        }
        rows.push(vec![
            Cell::text(format!("1/{rate}")),
            Cell::text(ended),
            Cell::number(100.0 * largest).digits(3),
        ]);
        worst.push(largest);
    }
    Section {
        title: "The linearised step of Baraff and Witkin".to_owned(),
        blocks: vec![
            Block::Table(Table {
                name: "linearised".to_owned(),
                caption: "One Newton iteration a step, over 2 s of fall: largest stretch on the way."
                    .to_owned(),
                columns: vec![
                    Column::plain("step").unit("s"),
                    Column::measured("run"),
                    Column::measured("largest stretch").unit("%"),
                ],
                rows,
            }),
            Block::Verdict(
                Claim::new(
                    "The linearised step works at 1/120 and 1/60 s, but at 1/30 s its system may not be solved.",
                    format!("{SOURCE} on Baraff and Witkin 1998"),
                )
                .not_tested(format!(
                    "The source names no cloth for it, and takes the stiffness as it is (6); here its negative part is raised to zero, and every system has a solution. \
                     So run, the largest stretch at 1/120, 1/60 and 1/30 s is {:.1} %, {:.1} % and {:.1} %.",
                    100.0 * worst[0],
                    100.0 * worst[1],
                    100.0 * worst[2]
                )),
            ),
        ],
    }
}
