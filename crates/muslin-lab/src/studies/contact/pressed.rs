//! Sheets pressed on a surface: section 6.3 of D. D. B. Carvalho (MSc, UFSC 2007).

use super::reflected::{self, RULE, Reflected, STEPS, Update};
use super::starts::pressed;
use super::trial::{Method, Start, Trial};
use crate::report::{
    Axis, Block, Cell, Claim, Column, Figure, Outcome, Section, Series, SetUp, Table, Verdict,
};
use crate::study::Context;
use muslin::contact::ContactLaw;
use muslin::math::{Real, Vec3};
use muslin::shape::Shape;
use muslin::solver::SolverConfig;
use muslin::solvers::PncgConfig;

const SOURCE: &str = "D. D. B. Carvalho, MSc, UFSC 2007, section 6.3";

/// Force on each particle [N], and whether the sheet was seen to cross the surface; having crossed it oscillated about the far side.
const PUBLISHED: [(Real, bool); 3] = [(10.0, false), (100.0, true), (200.0, true)];

/// Force of experiment 2 [N]: 9.8 m/s² with masses counted in grams.
const WEIGHT: Real = 98.0;
/// Its damping, of velocities, as the equations of the source have it [N s/m].
const DRAG: Real = 200.0;
/// Particles a side, as published.
const SIDE: usize = 20;
/// The upper side of the smaller surface, as high as the domes [m].
const TOP: Real = 0.6;

/// How many runs there are.
pub const COUNT: usize = 4 * PUBLISHED.len() + 3;

/// Experiment 1 at one force: by the published rule in both readings, with contact of surfaces and of particles only.
pub struct Press {
    force: Real,
    crosses: bool,
    rule: [Reflected; 2],
    surfaces: Trial,
    particles: Trial,
}

/// Both experiments.
pub struct Presses {
    by_force: Vec<Press>,
    hanging: [Reflected; 2],
    over_the_edge: Trial,
}

/// The sheet as published, with its damping of velocities; what it is pressed on stays.
fn as_published(force: Real) -> anyhow::Result<Start> {
    let (mut model, state) = pressed(SIDE, force)?;
    model.change(|data| {
        for spring in &mut data.elements.springs {
            spring.damping = 0.0;
        }
    });
    model.change_forces(|forces| forces.drag.fill(DRAG));
    Ok((model, state))
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
        let mut by_force = Vec::new();
        let by_the_rule = |start: Start, seconds: Real| -> anyhow::Result<[Reflected; 2]> {
            let [velocity, acceleration] = Update::ALL.map(|update| {
                context.advance(1);
                reflected::run(start.clone(), update, seconds)
            });
            Ok([velocity?, acceleration?])
        };
        for (force, crosses) in PUBLISHED {
            let rule = by_the_rule(as_published(force)?, seconds)?;
            let start = pressed(SIDE, force)?;
            let mut bare = start.clone();
            bare.0.set_contact(ContactLaw::Projection { restitution: 0.0, friction: 0.3 });
            let [surfaces, particles] = [start, bare].map(|start| run(start, seconds));
            by_force.push(Press { force, crosses, rule, surfaces, particles });
        }
        let long = if context.quick { 6.0 } else { 20.0 };
        let hanging = by_the_rule(over_the_edge()?, long)?;
        Ok(Self { by_force, hanging, over_the_edge: run(over_the_edge()?, long) })
    }

    /// The same by the published rule, in either reading.
    pub fn most_below_by_the_rule(&self) -> usize {
        self.by_force.iter().flat_map(|press| press.rule).map(|found| found.most_below).max().unwrap_or(0)
    }

    /// Most particles below the surface in any frame of any run of experiment 1.
    pub fn most_below(&self) -> usize {
        self.by_force.iter().map(|press| below(&press.surfaces)).max().unwrap_or(0)
    }
}

/// Experiment 2: the same sheet above a plate of 2 m.
fn over_the_edge() -> anyhow::Result<Start> {
    let (mut model, state) = as_published(WEIGHT)?;
    let [center, size] = [Vec3::Z * (TOP - 0.05), Vec3::new(2.0, 2.0, 0.1)];
    model.change(|data| data.colliders = vec![Shape::Cuboid { center, size, rotation: Vec3::ZERO }.into()]);
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
    let cut: usize = presses.by_force.iter().map(|press| cutting(&press.particles)).sum();
    let lost = presses.by_force.iter().map(|press| press.surfaces.last().motion_lost).fold(0.0, Real::max);
    let frames: usize = presses.by_force.iter().map(|press| press.surfaces.frames.len()).sum();
    let ours = format!(
        "With contact of surfaces at most {} of the {} particles are below the surface in any of {frames} frames, and {:.2} % of all ways at the most were cut off for that. With \
         contact of particles only, faces cut it in {cut} frames.",
        presses.most_below(),
        SIDE * SIDE,
        100.0 * lost
    );
    Section {
        title: "Pressed on a surface (6.3)".to_owned(),
        blocks: vec![
            Block::Verdict(crossing(presses)),
            Block::Verdict(hanging(presses)),
            Block::Table(rule_table(presses)),
            Block::Text(ours),
            Block::Table(table(presses)),
            Block::Figure(energies(&presses.over_the_edge)),
        ],
    }
}

/// What section 6.3 says of its set-up, and what was run.
fn set_up() -> SetUp {
    SetUp::default()
        .stated("rule", "reflection of particles, (5.1)", RULE)
        .stated("particles", 400, SIDE * SIDE)
        .stated("damping of velocities", 200.0, DRAG)
        .assumed("units", "masses counted in grams")
        .assumed("springs", "along the threads")
        .assumed("steps", format!("random, 1/{:.0} to 1/{:.0} s", 1.0 / STEPS[0], 1.0 / STEPS[1]))
}

/// Whether a reading of the rule crosses where the source says so, and only there.
fn is_as_published(presses: &Presses, reading: usize) -> bool {
    presses.by_force.iter().all(|press| (press.rule[reading].most_below > 0) == press.crosses)
}

fn crossing(presses: &Presses) -> Verdict {
    let alike = [0, 1].map(|reading| is_as_published(presses, reading));
    let list =
        |value: &dyn Fn(&Press) -> String| presses.by_force.iter().map(value).collect::<Vec<_>>().join(", ");
    let below = |reading: usize| list(&|press| press.rule[reading].most_below.to_string());
    let deepest = |reading: usize| list(&|press| format!("{:.2}", 1e3 * press.rule[reading].deepest));
    Claim::new(
        "With 10 N a particle a sheet never crosses the surface; with 100 and 200 N it does, and oscillates about the far side, near it.",
        SOURCE,
    )
    .under(set_up().assumed("surface", "with domes, as in the scene `pressed-on-surface`"))
    .judged(
        match alike {
            [true, true] => Outcome::Holds,
            [false, false] => Outcome::Overturned,
            _ => Outcome::Partly,
        },
        format!(
            "With 10, 100 and 200 N, {} particles at the most are below the surface at the end of a step if positions are updated by the reflected velocity, and {} if by its \
             acceleration, too; at the most {} and {} mm deep.",
            below(0),
            below(1),
            deepest(0),
            deepest(1)
        ),
    )
}

fn hanging(presses: &Presses) -> Verdict {
    // Still, to the eye: nothing moves by a hundredth of the sheet's side within a second.
    let still = |found: &Reflected| found.lowest < TOP && found.unrest < 0.01 * 4.25;
    let holds = presses.hanging.each_ref().map(still);
    let words = presses.hanging.each_ref().map(|found| {
        format!(
            "the corners hang {:.2} m below the plate, springs are up to {:.2} times as long as at rest, no particle moves by more than {:.1} mm in the last second, and {} particles \
             at the most were inside the plate",
            TOP - found.lowest,
            found.longest,
            1e3 * found.unrest,
            found.most_below
        )
    });
    Claim::new(
        "On a smaller surface the free parts hang down and stretch the springs until the forces balance.",
        SOURCE,
    )
    .under(
        set_up()
            .stated("force on each particle", "98 N", &format!("{WEIGHT} N"))
            .assumed("surface", "a plate of 2 m"),
    )
    .judged(
        match holds {
            [true, true] => Outcome::Holds,
            [false, false] => Outcome::Overturned,
            _ => Outcome::Partly,
        },
        format!(
            "Updated by the reflected velocity, {}. Updated by its acceleration, too, {}.",
            words[0], words[1]
        ),
    )
}

fn rule_table(presses: &Presses) -> Table {
    let row = |press: &Press| {
        let mut row = vec![
            Cell::number(press.force).digits(3),
            Cell::text(if press.crosses { "crosses" } else { "never crosses" }),
        ];
        for found in &press.rule {
            row.extend([
                Cell::count(found.most_below),
                Cell::number(100.0 * found.steps[1] as Real / found.steps[0] as Real).digits(3),
                Cell::number(1e3 * found.deepest).digits(3),
            ]);
        }
        row
    };
    let mut columns = vec![Column::plain("force").unit("N"), Column::published("outcome")];
    for reading in ["", "′"] {
        columns.extend([
            Column::measured(format!("below{reading}")),
            Column::measured(format!("steps{reading}")).unit("%"),
            Column::measured(format!("deepest{reading}")).unit("mm"),
        ]);
    }
    Table {
        name: "reflected".to_owned(),
        caption: "Experiment 1 by the published rule, a reflection of particles whose way meets the surface: most particles below it at the end of a step, steps that end so, and the deepest. The \
                  last three columns: positions updated after a reflection by velocity and acceleration of the step's start, as velocity Verlet has it; before, by the velocity of its end alone."
            .to_owned(),
        columns,
        rows: presses.by_force.iter().map(row).collect(),
    }
}

fn table(presses: &Presses) -> Table {
    let row = |press: &Press| {
        let [ours, bare] = [&press.surfaces, &press.particles];
        let inside = Cell::count(below(ours));
        vec![
            Cell::number(press.force).digits(3),
            ours.judged(),
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
        caption: "The same sheets with contact of surfaces, damping 200 along the springs; `pncg`, 1/240 s. Frames judged, most particles below the surface in any frame, frames in which faces \
                  cut it, motion lost, stretch at the end; the last two columns: with contact of particles only."
            .to_owned(),
        columns: vec![
            Column::plain("force").unit("N"),
            Column::measured("frames"),
            Column::measured("below"),
            Column::measured("cuts"),
            Column::measured("lost").unit("%"),
            Column::measured("stretch").unit("%"),
            Column::measured("below′"),
            Column::measured("cuts′"),
        ],
        rows: presses.by_force.iter().map(row).collect(),
    }
}

fn energies(trial: &Trial) -> Figure {
    Figure {
        name: "over-the-edge".to_owned(),
        caption:
            "Experiment 2 with contact of surfaces: kinetic energy of the sheet over a plate of 2 m, damping of velocities of 200 N s/m."
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
