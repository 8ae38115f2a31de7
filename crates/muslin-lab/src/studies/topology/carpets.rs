//! Carpets at rest of which one corner moves, with sleep and without.

use crate::report::{
    Axis, Block, Cell, Claim, Column, Figure, Guide, Outcome, Section, Series, SetUp, Style, Table, Verdict,
};
use crate::study::Context;
use crate::timing::timed_step;
use muslin::prelude::*;
use muslin::threads;
use muslin_scene::Source;

const SCENE: &str = "sleeping-carpet";
/// Length of an edge [m].
const EDGE: Real = 0.02;
/// When the corner moves [s].
const MOVES: [Real; 2] = [0.6, 1.7];
/// What sleep has to make of a step with so many particles, and how far it may change the result [m].
const ASKED: Real = 20.0;
const AT: usize = 40_000;
const WITHIN: Real = 1e-4;
/// Intersections are counted once in so many steps.
const JUDGED: usize = 6;

/// A carpet, run side by side with sleep and without.
struct Carpet {
    particles: usize,
    /// Mean times of a step while the corner moves, with sleep and without; and with all of it asleep [s].
    steps: [Real; 2],
    still: Real,
    /// Particles awake while the corner moves: their mean, and the most.
    awake: [Real; 2],
    /// The largest difference between the positions in both runs, at the end of any step [m].
    apart: Real,
    /// Intersections of both in all steps that were judged.
    faults: usize,
}

/// All of them.
pub struct Carpets(Vec<Carpet>);

/// Particles per side.
fn sides(quick: bool) -> &'static [usize] {
    if quick { &[30, 50] } else { &[50, 100, 200] }
}

/// How many runs there are.
pub fn count(quick: bool) -> usize {
    sides(quick).len()
}

impl Carpets {
    /// Runs all, on one thread.
    pub fn of(context: &Context) -> anyhow::Result<Self> {
        let mut carpets = Vec::new();
        for &side in sides(context.quick) {
            carpets.push(threads::with_count(1, || Carpet::of(side))?);
            context.advance(1);
        }
        Ok(Self(carpets))
    }

    fn asked(&self) -> Option<&Carpet> {
        self.0.iter().find(|carpet| carpet.particles == AT)
    }

    /// How many times faster a step of the largest carpet is with sleep, and its particles.
    pub fn fastest(&self) -> [Real; 2] {
        self.0.last().map_or([Real::NAN; 2], |carpet| [carpet.faster(), carpet.particles as Real])
    }
}

impl Carpet {
    fn of(side: usize) -> anyhow::Result<Self> {
        let world = |sleep: &str| -> anyhow::Result<World> {
            let mut source = Source::open(SCENE)?;
            let size = EDGE * (side - 1) as Real;
            source.set("the study", "sheet.0.size", &format!("[{size}, {size}]"));
            source.set("the study", "sheet.0.resolution", &format!("{{ particles = [{side}, {side}] }}"));
            if sleep == "false" {
                source.set("the study", "sleep", sleep);
            }
            Ok(source.load()?.world())
        };
        let (mut slept, mut waked) = (world("as it is")?, world("false")?);
        let mut carpet = Self {
            particles: side * side,
            steps: [0.0; 2],
            still: Real::INFINITY,
            awake: [0.0; 2],
            apart: 0.0,
            faults: 0,
        };
        let (mut moving, mut step) = (0, 0);
        while waked.state.time < MOVES[1] + 0.2 {
            let (with, report) = timed_step(&mut slept)?;
            let (without, _) = timed_step(&mut waked)?;
            let awake = (carpet.particles - report.sleeping_particles as usize) as Real;
            if awake == 0.0 {
                carpet.still = carpet.still.min(with);
            }
            if waked.state.time > MOVES[0] && waked.state.time < MOVES[1] {
                moving += 1;
                carpet.steps = [carpet.steps[0] + with, carpet.steps[1] + without];
                carpet.awake = [carpet.awake[0] + awake, carpet.awake[1].max(awake)];
            }
            let pairs = slept.state.positions.iter().zip(&waked.state.positions);
            carpet.apart = pairs.map(|(one, other)| one.distance(*other)).fold(carpet.apart, Real::max);
            step += 1;
            if step % JUDGED == 0 {
                carpet.faults += slept.intersections().len() + waked.intersections().len();
            }
        }
        carpet.steps = carpet.steps.map(|sum| sum / Real::from(moving));
        carpet.awake[0] /= Real::from(moving);
        Ok(carpet)
    }

    fn faster(&self) -> Real {
        self.steps[1] / self.steps[0]
    }
}

pub fn section(carpets: &Carpets) -> Section {
    let text = "The scene sleeping-carpet in several sizes: a carpet lies on the floor under contact of surfaces, and from 0.6 s to 1.7 s one corner is lifted and laid \
                back. It runs twice, with sleep and without, side by side on one thread. Times are means over all steps in which the corner moves, with what it takes to wake cloth \
                and to lay it to sleep again.";
    let mut blocks: Vec<Block> =
        carpets.asked().map(|carpet| Block::Verdict(verdict(carpet))).into_iter().collect();
    blocks.extend([
        Block::Text(text.to_owned()),
        Block::Figure(figure(carpets)),
        Block::Table(table(carpets)),
    ]);
    Section { title: "Carpets that sleep".to_owned(), blocks }
}

fn verdict(carpet: &Carpet) -> Verdict {
    Claim::new(
        format!("A carpet of {AT} particles of which one corner moves is {ASKED} times as fast with sleep, and the same within {} mm.", 1e3 * WITHIN),
        "goal of this project",
    )
    .under(SetUp::default().stated("particles", AT, carpet.particles).assumed("scene", SCENE))
    .judged(
        match (carpet.faster() >= ASKED, carpet.apart <= WITHIN && carpet.faults == 0) {
            (true, true) => Outcome::Holds,
            (false, false) => Outcome::Overturned,
            _ => Outcome::Partly,
        },
        format!(
            "A step takes {:.2} ms instead of {:.0} ms, {:.1} times less, with {:.1} % of the particles awake; positions differ by {:.3} mm at the most, and there are {} intersections.",
            1e3 * carpet.steps[0],
            1e3 * carpet.steps[1],
            carpet.faster(),
            100.0 * carpet.awake[0] / carpet.particles as Real,
            1e3 * carpet.apart,
            carpet.faults
        ),
    )
}

fn figure(carpets: &Carpets) -> Figure {
    let series = |name: &str, time: fn(&Carpet) -> Real| Series {
        name: name.to_owned(),
        points: carpets.0.iter().map(|carpet| [carpet.particles as Real, 1e3 * time(carpet)]).collect(),
        style: Style::LinePoints,
        ..Series::default()
    };
    Figure {
        name: "sleep".to_owned(),
        caption: "Time of a step while one corner moves, over the particles of the carpet.".to_owned(),
        x: Axis::log("particles"),
        y: Axis::log("a step").unit("ms"),
        series: vec![
            series("without sleep", |carpet| carpet.steps[1]),
            series("with sleep", |carpet| carpet.steps[0]),
            series("all asleep", |carpet| carpet.still),
        ],
        guides: Vec::<Guide>::new(),
    }
}

fn table(carpets: &Carpets) -> Table {
    let row = |carpet: &Carpet| {
        let ms = |time: Real| Cell::number(1e3 * time).digits(3);
        vec![
            Cell::count(carpet.particles),
            ms(carpet.steps[1]),
            ms(carpet.steps[0]),
            ms(carpet.still),
            Cell::number(carpet.faster()).digits(3),
            Cell::count(carpet.awake[0] as usize),
            Cell::count(carpet.awake[1] as usize),
            Cell::number(1e3 * carpet.apart).digits(3),
            if carpet.faults == 0 { Cell::count(0).good() } else { Cell::count(carpet.faults).bad() },
        ]
    };
    Table {
        name: "sleep".to_owned(),
        caption: "Mean time of a step while the corner moves, without sleep and with it, and least time with all of it asleep; how many times faster; particles awake, in the mean and at \
                  the most; largest difference of any position in both runs; intersections."
            .to_owned(),
        columns: vec![
            Column::plain("particles"),
            Column::measured("without").unit("ms"),
            Column::measured("with sleep").unit("ms"),
            Column::measured("all asleep").unit("ms"),
            Column::measured("times faster"),
            Column::measured("awake"),
            Column::measured("most awake"),
            Column::measured("apart").unit("mm"),
            Column::measured("intersections"),
        ],
        rows: carpets.0.iter().map(row).collect(),
    }
}
