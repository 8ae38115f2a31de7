//! Cost of contact over N: a sheet drapes over a ball.

use super::trial::{FRAME, Method, Start, scene};
use crate::report::{
    Axis, Block, Cell, Claim, Column, Figure, Guide, Outcome, Section, Series, SetUp, Style, Table, Verdict,
};
use crate::statistics::{log_log_slope, mean};
use crate::study::Context;
use crate::timing::{timed_step, timed_steps};
use muslin::math::Real;
use muslin::threads;
use muslin::world::World;
use std::time::Instant;

/// The exponent of N that is asked for at the most.
const ASKED: Real = 1.2;
/// When frames begin and cease to be timed [s]: the sheet lies on the ball and falls into folds.
const TIMED: [Real; 2] = [0.3, 0.5];

/// What a frame of a drape costs.
pub struct Drape {
    particles: usize,
    /// Mean time of a frame with contact [s].
    with: Real,
    /// Of a frame from the same state without contact and without the solids [s].
    without: Real,
    /// Pairs that touched in the last step, in the mean over the timed frames.
    touching: Real,
    /// Whether the last frame has an intersection.
    intersects: bool,
    /// Frames timed with contact, and how many were planned.
    frames: [usize; 2],
}

/// Particles a side of the sheets.
pub fn sides(quick: bool) -> &'static [usize] {
    if quick { &[20, 30, 40, 50] } else { &[50, 75, 100, 150, 200] }
}

/// Times every sheet.
pub fn drapes(context: &Context) -> anyhow::Result<Vec<Drape>> {
    let mut drapes = Vec::new();
    // Work that a sheet may take [s].
    let allowance = if context.quick { 5.0 } else { 90.0 };
    for &side in sides(context.quick) {
        drapes.push(threads::with_count(1, || Drape::of(side, allowance))?);
        context.advance(1);
    }
    Ok(drapes)
}

impl Drape {
    fn of(side: usize, allowance: Real) -> anyhow::Result<Self> {
        let cells = ("sheet.0.resolution.cells", format!("[{0}, {0}]", side - 1));
        let mut world = world(scene("drape", std::slice::from_ref(&cells))?);
        let clock = Instant::now();
        let planned = TIMED.map(|time| (time / FRAME).round() as usize);
        let (mut with, mut touching) = (Vec::new(), Vec::new());
        for frame in 0..planned[1] {
            let (time, _) = timed_step(&mut world)?;
            if frame >= planned[0] {
                with.push(time);
                touching.push(world.contact_report().map_or(0.0, |report| report.touching as Real));
            }
            if clock.elapsed().as_secs_f64() > allowance {
                break;
            }
        }
        let bare = [
            cells,
            ("contact", "{ projection = { restitution = 0.0, friction = 0.3 } }".to_owned()),
            ("collider", "[]".to_owned()),
        ];
        let (model, _) = scene("drape", &bare)?;
        let intersects = !world.intersections().is_empty();
        let mut alone = self::world((model, world.state));
        alone.step()?; // the first frame also prepares the method
        let without = timed_steps(&mut alone, 4)?;
        let mean = |times: &[Real]| mean(times).unwrap_or(Real::NAN);
        Ok(Self {
            particles: side * side,
            with: mean(&with),
            without: mean(&without),
            touching: mean(&touching),
            intersects,
            frames: [with.len(), planned[1] - planned[0]],
        })
    }
}

fn world((model, state): Start) -> World {
    let method = Method::xpbd();
    let mut world = World::new(model, state, &method.config, FRAME);
    world.substeps = method.steps;
    world
}

/// A time of the drapes over their particles, in ms; of those that got to the frames that are timed.
fn curve(drapes: &[Drape], time: impl Fn(&Drape) -> Real) -> Vec<[Real; 2]> {
    drapes
        .iter()
        .filter(|drape| drape.frames[0] > 0)
        .map(|drape| [drape.particles as Real, 1e3 * time(drape)])
        .collect()
}

/// The exponent of N in the cost of a frame with contact.
pub fn exponent(drapes: &[Drape]) -> Real {
    log_log_slope(&curve(drapes, |drape| drape.with)).unwrap_or(Real::NAN)
}

pub fn section(drapes: &[Drape]) -> Section {
    Section {
        title: "Cost of self-contact over N".to_owned(),
        blocks: vec![
            Block::Verdict(verdict(drapes)),
            Block::Figure(figure(drapes)),
            Block::Table(table(drapes)),
        ],
    }
}

fn verdict(drapes: &[Drape]) -> Verdict {
    // The question is about large sheets: on small ones the folds themselves grow with N.
    let largest = drapes.iter().map(|drape| drape.particles).max().unwrap_or(0);
    let whole = drapes.iter().all(|drape| drape.frames[0] == drape.frames[1]);
    Claim::new(
        format!("The cost of a frame with contact grows as N to the power {ASKED} at the most."),
        "goal of this project",
    )
    .under(SetUp::default().stated("particles, up to", 40_000, largest).stated(
        "frames",
        "whole",
        if whole { "whole" } else { "cut" },
    ))
    .judged(if exponent(drapes) <= ASKED { Outcome::Holds } else { Outcome::Overturned }, finding(drapes))
}

fn finding(drapes: &[Drape]) -> String {
    let slope = |time: fn(&Drape) -> Real| log_log_slope(&curve(drapes, time)).unwrap_or(Real::NAN);
    let tangled = drapes.iter().filter(|drape| drape.intersects).count();
    let share = |drape: &Drape| 1.0 - drape.without / drape.with;
    format!(
        "A frame with contact grows as N to the power {:.2} from {} to {} particles; contact alone {:.2}, the solver alone {:.2}. Contact takes {:.1} to {:.1} % of a frame. \
         {tangled} of {} sheets end with an intersection.",
        exponent(drapes),
        drapes.first().map_or(0, |drape| drape.particles),
        drapes.last().map_or(0, |drape| drape.particles),
        slope(|drape| drape.with - drape.without),
        slope(|drape| drape.without),
        100.0 * drapes.iter().map(share).fold(1.0, Real::min),
        100.0 * drapes.iter().map(share).fold(0.0, Real::max),
        drapes.len()
    )
}

fn figure(drapes: &[Drape]) -> Figure {
    let series = |name: &str, time: fn(&Drape) -> Real| {
        let points = curve(drapes, time);
        let slope = log_log_slope(&points).unwrap_or(Real::NAN);
        Series { name: format!("{name}, {slope:.2}"), points, style: Style::LinePoints, ..Series::default() }
    };
    let from = drapes.first().map_or([1.0, 1.0], |drape| [drape.particles as Real, 1.3e3 * drape.with]);
    let to = drapes.last().map_or(1.0, |drape| drape.particles as Real);
    let asked = Guide::Slope { from, to, slope: ASKED, label: format!("N to the {ASKED}") };
    Figure {
        name: "growth".to_owned(),
        caption: "Time of a frame of a sheet that drapes over a ball, over its particles; the exponent of N beside each name.".to_owned(),
        x: Axis::log("particles"),
        y: Axis::log("a frame").unit("ms"),
        series: vec![series("with contact", |drape| drape.with), series("without", |drape| drape.without)],
        guides: vec![asked],
    }
}

fn table(drapes: &[Drape]) -> Table {
    let row = |drape: &Drape| {
        vec![
            Cell::count(drape.particles),
            if drape.frames[0] == drape.frames[1] {
                Cell::count(drape.frames[0])
            } else {
                Cell::text(format!("{} of {}, cut", drape.frames[0], drape.frames[1])).bad()
            },
            Cell::number(1e3 * drape.with).digits(3),
            Cell::number(1e3 * drape.without).digits(3),
            Cell::number(100.0 * (1.0 - drape.without / drape.with)).digits(2),
            Cell::count(drape.touching.round() as usize),
        ]
    };
    Table {
        name: "growth".to_owned(),
        caption: format!(
            "The scene `drape` by `xpbd` with 16 substeps a frame, on one thread: mean over the frames from {} s to {} s. Without: the same sheets from where they are then, \
             with nothing to touch. Contact: its part of a frame. Touching: pairs at the ends of the frames, in the mean.",
            TIMED[0], TIMED[1]
        ),
        columns: vec![
            Column::plain("particles"),
            Column::measured("frames"),
            Column::measured("with contact").unit("ms"),
            Column::measured("without").unit("ms"),
            Column::measured("contact").unit("%"),
            Column::measured("touching"),
        ],
        rows: drapes.iter().map(row).collect(),
    }
}
