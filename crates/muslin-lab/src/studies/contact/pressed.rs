//! Sheets pressed on a surface: section 6.3 of D. D. B. Carvalho (MSc, UFSC 2007).

use super::starts::pressed;
use super::trial::{End, Method, Start, Trial};
use crate::report::{Axis, Block, Cell, Column, Figure, Outcome, Section, Series, Table, Verdict};
use crate::study::Context;
use muslin::contact::{ContactLaw, Shape};
use muslin::math::{Real, Vec3};
use muslin::solver::SolverConfig;
use muslin::solvers::PncgConfig;

const SOURCE: &str = "D. D. B. Carvalho, MSc, UFSC 2007, section 6.3";

/// Force on each particle [N], and what the sheet was seen to do; having crossed it oscillated about the far side.
const PUBLISHED: [(Real, &str); 3] = [(10.0, "never crosses"), (100.0, "crosses"), (200.0, "crosses")];

/// Force of experiment 2 [N]: 9.8 m/s² with masses counted in grams.
const WEIGHT: Real = 98.0;
/// Its damping, of velocities, as the equations of the source have it [N s/m].
const DRAG: Real = 200.0;
/// Particles a side, as published.
const SIDE: usize = 20;
/// The upper side of the smaller surface, as high as the domes [m].
const TOP: Real = 0.6;

/// How many runs there are.
pub const COUNT: usize = 2 * PUBLISHED.len() + 1;

/// Experiment 1 at one force, with contact of surfaces and of particles only.
pub struct Press {
    force: Real,
    published: &'static str,
    surfaces: Trial,
    particles: Trial,
}

/// Both experiments.
pub struct Presses {
    presses: Vec<Press>,
    over_the_edge: Trial,
}

impl Presses {
    pub fn of(context: &Context) -> anyhow::Result<Self> {
        let seconds = if context.quick { 1.5 } else { 3.0 };
        let config = SolverConfig::Pncg(PncgConfig { iterations: 10, ..PncgConfig::default() });
        let method = Method { config, steps: 4, settings: "1/240 s, 10 iterations" };
        let run = |start: Start, seconds: Real| {
            let trial = Trial::of(start, &method, seconds, 25.0);
            context.advance(1);
            trial
        };
        let mut presses = Vec::new();
        for (force, published) in PUBLISHED {
            let start = pressed(SIDE, force)?;
            let mut bare = start.clone();
            bare.0.contact = ContactLaw::Projection { restitution: 0.0, friction: 0.3 };
            let [surfaces, particles] = [start, bare].map(|start| run(start, seconds));
            presses.push(Press { force, published, surfaces, particles });
        }
        Ok(Self { presses, over_the_edge: run(over_the_edge()?, if context.quick { 6.0 } else { 20.0 }) })
    }

    /// Most particles below the surface in any frame of any run of experiment 1.
    pub fn most_below(&self) -> usize {
        self.presses.iter().map(|press| below(&press.surfaces)).max().unwrap_or(0)
    }
}

/// Experiment 2: the same sheet above a plate of 2 m.
fn over_the_edge() -> anyhow::Result<Start> {
    let (mut model, state) = pressed(SIDE, WEIGHT)?;
    for spring in &mut model.elements.springs {
        spring.damping = 0.0;
    }
    model.forces.drag.fill(DRAG);
    let [center, size] = [Vec3::Z * (TOP - 0.05), Vec3::new(2.0, 2.0, 0.1)];
    model.colliders = vec![Shape::Cuboid { center, size, rotation: Vec3::ZERO }.into()];
    Ok((model, state))
}

/// Most particles below the surface in any frame.
fn below(trial: &Trial) -> usize {
    trial.frames.iter().map(|frame| frame.inside).max().unwrap_or(0)
}

/// Frames in which threads or faces cut the surface.
fn cutting(trial: &Trial) -> usize {
    trial.frames.iter().filter(|frame| frame.pairs > 0).count()
}

pub fn section(presses: &Presses) -> Section {
    Section {
        title: "Pressed on a surface (6.3)".to_owned(),
        blocks: vec![
            Block::Verdict(crossing(presses)),
            Block::Verdict(hanging(&presses.over_the_edge)),
            Block::Table(table(presses)),
            Block::Figure(energies(&presses.over_the_edge)),
        ],
    }
}

fn crossing(presses: &Presses) -> Verdict {
    let crossed: Vec<&Press> = presses.presses.iter().filter(|press| press.surfaces.faulty() > 0).collect();
    let frames: usize = presses.presses.iter().map(|press| press.surfaces.frames.len()).sum();
    let short = presses.presses.iter().filter(|press| press.surfaces.end != End::Whole).count();
    let unfinished = if short > 0 { format!(" **{short} runs were cut short.**") } else { String::new() };
    let cut: usize = presses.presses.iter().map(|press| cutting(&press.particles)).sum();
    let lost = presses.presses.iter().map(|press| press.surfaces.last().motion_lost).fold(0.0, Real::max);
    Verdict {
        outcome: if crossed.is_empty() { Outcome::Overturned } else { Outcome::Holds },
        claim: "With 10 N a particle a sheet never crosses the surface; with 100 and 200 N it does, and oscillates about the far side.".to_owned(),
        source: SOURCE.to_owned(),
        finding: format!(
            "With contact of surfaces {} of {} sheets cross it: at most {} of their {} particles are below it in any of {frames} frames, and {:.2} % of all \
             ways at the most were cut off for that. With contact of particles only, faces cut the surface in {cut} frames.{unfinished}",
            crossed.len(),
            presses.presses.len(),
            presses.most_below(),
            SIDE * SIDE,
            100.0 * lost
        ),
    }
}

fn hanging(trial: &Trial) -> Verdict {
    let lowest = trial.state.positions.iter().map(|x| x.z).fold(Real::INFINITY, Real::min);
    let calm = trial.last().kinetic / trial.most(|frame| frame.kinetic);
    let holds = trial.faulty() == 0 && calm < 0.01;
    Verdict {
        outcome: if holds { Outcome::Holds } else { Outcome::Partly },
        claim:
            "On a smaller surface the free parts hang down and stretch the springs until the forces balance."
                .to_owned(),
        source: SOURCE.to_owned(),
        finding: format!(
            "With {WEIGHT} N a particle and a plate of 2 m the corners hang {:.2} m below it after {:.1} s, springs are up to {:.2} times as long as at rest, and \
             {:.1e} of the largest kinetic energy is left. {} frames have an intersection.",
            TOP - lowest,
            trial.last().time,
            1.0 + trial.last().stretch,
            calm,
            trial.faulty()
        ),
    }
}

fn table(presses: &Presses) -> Table {
    let row = |press: &Press| {
        let [ours, bare] = [&press.surfaces, &press.particles];
        let inside = Cell::count(below(ours));
        vec![
            Cell::number(press.force).digits(3),
            Cell::text(press.published),
            if below(ours) == 0 { inside.good() } else { inside.bad() },
            if cutting(ours) == 0 { Cell::count(0).good() } else { Cell::count(cutting(ours)).bad() },
            Cell::number(100.0 * ours.last().motion_lost).digits(2),
            Cell::number(100.0 * ours.last().stretch).digits(3),
            Cell::count(below(bare)),
            Cell::count(cutting(bare)),
        ]
    };
    Table {
        name: "pressed".to_owned(),
        caption: "Experiment 1: 20 × 20 particles, 4.25 m, 1 m above a surface with domes; k = 1000, damping 200, masses counted in grams; `pncg`, 1/240 s. Most particles \
                  below the surface in any frame, frames in which faces cut it, motion lost, stretch at the end; the last two columns: with contact of particles only."
            .to_owned(),
        columns: vec![
            Column::plain("force").unit("N"),
            Column::published("outcome"),
            Column::measured("below"),
            Column::measured("cuts"),
            Column::measured("lost").unit("%"),
            Column::measured("stretch").unit("%"),
            Column::measured("below′"),
            Column::measured("cuts′"),
        ],
        rows: presses.presses.iter().map(row).collect(),
    }
}

fn energies(trial: &Trial) -> Figure {
    Figure {
        name: "over-the-edge".to_owned(),
        caption:
            "Experiment 2: kinetic energy of the sheet over a plate of 2 m, damping of velocities of 200 N s/m."
                .to_owned(),
        x: Axis::linear("time").unit("s"),
        y: Axis::log("kinetic energy").unit("J"),
        series: vec![Series {
            name: format!("{WEIGHT} N a particle"),
            points: trial.over_time(|frame| frame.kinetic),
            ..Series::default()
        }],
        guides: Vec::new(),
    }
}
