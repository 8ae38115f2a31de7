//! How much of a net propagation visits, and what that costs beside a method that moves all of it.

use super::net::{Net, Threads, let_go, propagation, random_step, velocity_verlet};
use crate::report::{
    Axis, Block, Cell, Claim, Column, Figure, Outcome, Section, Series, SetUp, Style, Table, Verdict,
};
use crate::studies::equilibrium::{LOADED, OBSERVED};
use crate::study::Context;
use muslin::prelude::*;
use muslin::solvers::PropagationForm;
use muslin::step::StepReport;
use muslin::threads;
use std::time::Instant;

const SOURCE: &str = "Carvalho 2007, section 6.2";

/// Experiments 1 to 3, in which forces act for long.
const EXPERIMENTS: [usize; 3] = [1, 2, 3];

/// An experiment by propagation and by velocity Verlet.
pub struct Experiment {
    number: usize,
    free: usize,
    springs: usize,
    /// Step, and the part of the free particles that it visited.
    visited: Vec<[Real; 2]>,
    /// Mean parts of particles and springs visited, under load and after it.
    parts: [[Real; 2]; 2],
    /// Mean time of a step by propagation and by velocity Verlet [s].
    times: [Real; 2],
    /// Depth at the end of the load by both [m].
    depths: [Real; 2],
}

/// A load on the middle of a net of so many particles, whose deflection spreads.
pub struct Sheet {
    free: usize,
    /// Particles visited and time of a step [s].
    steps: Vec<[Real; 2]>,
    /// Time of a step of velocity Verlet [s].
    verlet: Real,
}

/// What was measured.
pub struct Visits {
    experiments: Vec<Experiment>,
    sheets: Vec<Sheet>,
}

/// Particles per side of the growing sheets.
fn sides(quick: bool) -> &'static [usize] {
    if quick { &[41, 81] } else { &[41, 81, 161, 321] }
}

/// How many parts of work there are.
pub fn count(quick: bool) -> usize {
    EXPERIMENTS.len() + sides(quick).len()
}

impl Visits {
    /// Runs all.
    pub fn of(context: &Context) -> anyhow::Result<Self> {
        let [loaded, observed] = if context.quick { [500, 1000] } else { [LOADED, OBSERVED] };
        let mut visits = Self { experiments: Vec::new(), sheets: Vec::new() };
        for number in EXPERIMENTS {
            visits.experiments.push(threads::with_count(1, || Experiment::of(number, loaded, observed))?);
            context.advance(1);
        }
        let quick = context.quick;
        for &side in sides(quick) {
            visits.sheets.push(threads::with_count(1, || Sheet::of(side, quick))?);
            context.advance(1);
        }
        Ok(visits)
    }

    /// Mean part of the springs visited under load, in experiments 1 and 2.
    pub fn springs_visited(&self) -> [Real; 2] {
        [0, 1].map(|k| self.experiments[k].parts[0][1])
    }

    /// Of the largest sheet at the first mark: free particles, those visited, and how many times longer a step of velocity Verlet
    /// takes than that one.
    pub fn saved(&self) -> [Real; 3] {
        let Some(sheet) = self.sheets.last() else { return [Real::NAN; 3] };
        let [visited, time] = sheet.steps[0];
        [sheet.free as Real, visited, sheet.verlet / time]
    }

    /// What a step takes per free particle and per visited one [s], by least squares of the relative errors over all sheets.
    fn prices(&self) -> [Real; 2] {
        let (mut matrix, mut right) = ([[0.0; 2]; 2], [0.0; 2]);
        for sheet in &self.sheets {
            for [visited, time] in &sheet.steps {
                let row = [sheet.free as Real / time, visited / time];
                for i in 0..2 {
                    right[i] += row[i];
                    for j in 0..2 {
                        matrix[i][j] += row[i] * row[j];
                    }
                }
            }
        }
        let [[a, b], [c, d]] = matrix;
        let determinant = a * d - b * c;
        [(d * right[0] - b * right[1]) / determinant, (a * right[1] - c * right[0]) / determinant]
    }
}

impl Experiment {
    fn of(number: usize, loaded: u64, observed: u64) -> anyhow::Result<Self> {
        let net = Net::of(number, Threads::Quads);
        let force = Vec3::Z * 0.15;
        let loads = match number {
            3 => vec![(net.at(5, 10), force), (net.at(15, 10), -force)],
            _ => vec![(net.at(10, 10), force)],
        };
        let mut ours = net.world(&propagation(PropagationForm::Corrected), &loads)?;
        let mut theirs = net.world(&velocity_verlet(), &loads)?;
        // Threads between held particles take no part.
        let springs = ours.model.elements.springs.iter();
        let springs =
            springs.filter(|spring| spring.ends.iter().any(|&end| !ours.model.is_held(end as usize))).count();
        let mut experiment = Self {
            number,
            free: net.free(),
            springs,
            visited: Vec::new(),
            parts: [[0.0; 2]; 2],
            times: [0.0; 2],
            depths: [0.0; 2],
        };
        for step in 0..observed {
            if step == loaded {
                experiment.depths = [&ours, &theirs].map(deepest);
                let_go(&mut ours);
                let_go(&mut theirs);
            }
            let clock = Instant::now();
            let report = random_step(&mut ours, step)?;
            let middle = Instant::now();
            random_step(&mut theirs, step)?;
            experiment.times[0] += (middle - clock).as_secs_f64() / observed as Real;
            experiment.times[1] += middle.elapsed().as_secs_f64() / observed as Real;
            experiment.note(step, &report, loaded, observed);
        }
        Ok(experiment)
    }

    fn note(&mut self, step: u64, report: &StepReport, loaded: u64, observed: u64) {
        let parts = [
            Real::from(report.visited_particles) / self.free as Real,
            Real::from(report.visited_elements) / self.springs as Real,
        ];
        let (phase, steps) = if step < loaded { (0, loaded) } else { (1, observed - loaded) };
        for k in 0..2 {
            self.parts[phase][k] += parts[k] / steps as Real;
        }
        if step.is_multiple_of((observed / 400).max(1)) {
            self.visited.push([step as Real, 100.0 * parts[0]]);
        }
    }
}

fn deepest(world: &World) -> Real {
    world.state.positions.iter().map(|x| x.z.abs()).fold(0.0, Real::max)
}

impl Sheet {
    fn of(side: usize, quick: bool) -> anyhow::Result<Self> {
        // Less drag and more force than published, so that the deflection spreads.
        let net = Net { side, drag: 0.05, ..Net::of(1, Threads::Quads) };
        let loads = [(net.at(side / 2, side / 2), Vec3::Z * 3.0)];
        let mut world = net.world(&propagation(PropagationForm::Corrected), &loads)?;
        world.step()?; // looks at all
        let last: Real = if quick { 300.0 } else { 2500.0 };
        let mut sheet = Self { free: net.free(), steps: Vec::new(), verlet: Real::INFINITY };
        let mut step = 0;
        for mark in 0..24 {
            let until = (20.0 * (last / 20.0).powf(Real::from(mark) / 23.0)) as u64;
            while step < until {
                world.step()?;
                step += 1;
            }
            // The least of some steps: what else the machine does only adds.
            let mut least = [Real::INFINITY; 2];
            for _ in 0..9 {
                let clock = Instant::now();
                let report = world.step()?;
                let time = clock.elapsed().as_secs_f64();
                if time < least[1] {
                    least = [Real::from(report.visited_particles), time];
                }
                step += 1;
            }
            sheet.steps.push(least);
        }
        let mut all = net.world(&velocity_verlet(), &loads)?;
        for _ in 0..if quick { 20 } else { 60 } {
            let clock = Instant::now();
            all.step()?;
            sheet.verlet = sheet.verlet.min(clock.elapsed().as_secs_f64());
        }
        Ok(sheet)
    }
}

pub fn section(visits: &Visits) -> Section {
    Section {
        title: "What propagation visits".to_owned(),
        blocks: vec![
            Block::Verdict(stiffer(visits)),
            Block::Verdict(follows(visits)),
            Block::Figure(visited_figure(visits)),
            Block::Table(experiment_table(visits)),
            Block::Figure(cost_figure(visits)),
            Block::Table(sheet_table(visits)),
        ],
    }
}

fn stiffer(visits: &Visits) -> Verdict {
    let [soft, stiff] = visits.springs_visited();
    Claim::new("A stiffer and lighter net deforms less and spreads the load over fewer springs.", SOURCE)
        .under(
            SetUp::default()
                .stated("particles", 21 * 21, Net::of(1, Threads::Quads).side.pow(2))
                .stated("steps", OBSERVED, OBSERVED)
                .assumed("springs", "along the threads")
                .assumed("form of propagation", "corrected"),
        )
        .judged(
            if stiff < soft && visits.experiments[1].depths[0] < visits.experiments[0].depths[0] {
                Outcome::Holds
            } else {
                Outcome::Overturned
            },
            format!(
                "Under load {:.1} % of the springs are visited in experiment 1 and {:.1} % in experiment 2, {:.1} and {:.1} % after it; depths {:.3} and {:.3} m.",
                100.0 * soft,
                100.0 * stiff,
                100.0 * visits.experiments[0].parts[1][1],
                100.0 * visits.experiments[1].parts[1][1],
                visits.experiments[0].depths[0],
                visits.experiments[1].depths[0]
            ),
        )
}

fn follows(visits: &Visits) -> Verdict {
    let [particles, visited, times] = visits.saved();
    let [look, visit] = visits.prices();
    let verlet = visits.sheets.last().map_or(Real::NAN, |sheet| sheet.verlet / sheet.free as Real);
    Claim::new("The cost of a step follows the disturbed region, not the size of the net.", "goal of this project")
        .under(
            SetUp::default()
                .stated("particles, up to", 103_041, visits.sheets.last().map_or(0, |sheet| (sheet.free as Real).sqrt() as usize + 2).pow(2))
                .assumed("net", "cells and threads of experiment 1, drag 0.05 kg/s, 3 N on the middle"),
        )
        .judged(
            // It follows what moves alone if a look at what rests costs nothing beside it.
            if look < 0.01 * visit { Outcome::Holds } else { Outcome::Partly },
            format!(
                "A step takes {:.0} ns per visited particle and {:.0} ns per free one, at rest or not; velocity Verlet takes {:.0} ns per particle. So cost grows in proportion to the \
                 disturbed region, from a floor that goes with the net. Where {visited:.0} of {particles:.0} particles move, a step takes a part of 1/{times:.1} of its time; where most \
                 move, more than it.",
                1e9 * visit,
                1e9 * look,
                1e9 * verlet
            ),
        )
}

fn visited_figure(visits: &Visits) -> Figure {
    let series = |experiment: &Experiment| Series {
        name: format!("experiment {}", experiment.number),
        points: experiment.visited.clone(),
        ..Series::default()
    };
    Figure {
        name: "visited".to_owned(),
        caption:
            "Particles visited in a step, of those that are free; the load is taken off after a quarter."
                .to_owned(),
        x: Axis::linear("step"),
        y: Axis { range: Some([0.0, 105.0]), ..Axis::linear("visited").unit("%") },
        series: visits.experiments.iter().map(series).collect(),
        guides: Vec::new(),
    }
}

fn experiment_table(visits: &Visits) -> Table {
    let row = |experiment: &Experiment| {
        let percent = |part: Real| Cell::number(100.0 * part).digits(3);
        let [loaded, free] = experiment.parts;
        vec![
            Cell::count(experiment.number),
            percent(loaded[0]),
            percent(loaded[1]),
            percent(free[0]),
            percent(free[1]),
            Cell::number(1e6 * experiment.times[0]).digits(3),
            Cell::number(1e6 * experiment.times[1]).digits(3),
            Cell::number(experiment.depths[0]).digits(4),
            Cell::number(experiment.depths[1]).digits(4),
        ]
    };
    Table {
        name: "visits".to_owned(),
        caption: "Mean parts of the free particles and of the springs visited per step, under load and after it; mean time of a step by propagation and by velocity Verlet, on one \
                  thread; depth at the end of the load by both."
            .to_owned(),
        columns: vec![
            Column::plain("experiment"),
            Column::measured("particles, loaded").unit("%"),
            Column::measured("springs, loaded").unit("%"),
            Column::measured("particles, let go").unit("%"),
            Column::measured("springs, let go").unit("%"),
            Column::measured("propagation").unit("µs"),
            Column::measured("velocity Verlet").unit("µs"),
            Column::measured("depth").unit("m"),
            Column::measured("depth, Verlet").unit("m"),
        ],
        rows: visits.experiments.iter().map(row).collect(),
    }
}

fn cost_figure(visits: &Visits) -> Figure {
    let mut series = Vec::new();
    for (color, sheet) in visits.sheets.iter().enumerate() {
        let micros = |&[visited, time]: &[Real; 2]| [visited, 1e6 * time];
        series.push(Series {
            name: format!("propagation, {} free", sheet.free),
            points: sheet.steps.iter().map(micros).collect(),
            style: Style::LinePoints,
            color: Some(color),
            ..Series::default()
        });
    }
    for (color, sheet) in visits.sheets.iter().enumerate() {
        series.push(Series {
            name: format!("velocity Verlet, {}", sheet.free),
            points: [sheet.steps[0][0], sheet.free as Real].map(|x| [x, 1e6 * sheet.verlet]).to_vec(),
            style: Style::Dashed,
            color: Some(color),
            ..Series::default()
        });
    }
    Figure {
        name: "cost".to_owned(),
        caption: "Time of a step over the particles that it visits, in sheets of four sizes; dashed, a method that moves all of them.".to_owned(),
        x: Axis::log("particles visited"),
        y: Axis::log("a step").unit("µs"),
        series,
        guides: Vec::new(),
    }
}

fn sheet_table(visits: &Visits) -> Table {
    let row = |sheet: &Sheet| {
        let step = |k: usize| {
            let [visited, time] = sheet.steps[k * (sheet.steps.len() - 1) / 2];
            [Cell::count(visited as usize), Cell::number(1e6 * time).digits(3)]
        };
        let [a, b, c] = [step(0), step(1), step(2)];
        [
            vec![Cell::count(sheet.free)],
            a.into(),
            b.into(),
            c.into(),
            vec![Cell::number(1e6 * sheet.verlet).digits(3)],
        ]
        .concat()
    };
    Table {
        name: "cost".to_owned(),
        caption: "Particles visited and time of a step of the growing sheets: at the first, the middle and the last of the marks; and the time of a step of velocity Verlet.".to_owned(),
        columns: vec![
            Column::plain("free particles"),
            Column::measured("visited first"),
            Column::measured("time").unit("µs"),
            Column::measured("visited midway"),
            Column::measured("time").unit("µs"),
            Column::measured("visited last"),
            Column::measured("time").unit("µs"),
            Column::measured("velocity Verlet").unit("µs"),
        ],
        rows: visits.sheets.iter().map(row).collect(),
    }
}
