//! What one tear costs beside one frame.

use crate::report::{
    Axis, Block, Cell, Claim, Column, Figure, Guide, Outcome, Section, Series, SetUp, Style, Table, Verdict,
};
use crate::study::Context;
use crate::timing::timed_step;
use muslin::prelude::*;
use muslin::threads;
use std::time::Instant;

/// Time of a frame [s].
pub const FRAME: Real = 1.0 / 60.0;
/// What a tear may cost at the most, in frames, with so many particles.
const ASKED: Real = 5.0;
const AT: usize = 10_000;
/// Tears timed in each sheet.
const TEARS: usize = 9;

/// A method and a law of contact on a sheet.
struct Edit {
    method: &'static str,
    touches: bool,
    particles: usize,
    /// Least times of a frame before the tears, of a tear, and of the frame after one [s]: what else the machine does only adds.
    frame: Real,
    tear: Real,
    next: Real,
}

/// All of them.
pub struct Edits(Vec<Edit>);

pub const METHODS: [&str; 2] = ["pncg", "xpbd"];

/// Particles per side; with contact of surfaces, frames of 40,000 would take most of the study's time.
fn sides(quick: bool, touches: bool) -> &'static [usize] {
    match (quick, touches) {
        (true, _) => &[20, 30],
        (false, true) => &[50, 100],
        (false, false) => &[50, 100, 200],
    }
}

/// How many runs there are.
pub fn count(quick: bool) -> usize {
    METHODS.len() * (sides(quick, false).len() + sides(quick, true).len())
}

impl Edits {
    /// Times all.
    pub fn of(context: &Context) -> anyhow::Result<Self> {
        let mut edits = Vec::new();
        for method in METHODS {
            for touches in [false, true] {
                for &side in sides(context.quick, touches) {
                    edits.push(threads::with_count(1, || Edit::of(method, touches, side))?);
                    context.advance(1);
                }
            }
        }
        Ok(Self(edits))
    }

    /// The dearest tear in sheets of 10,000 particles [frames].
    pub fn dearest(&self) -> Real {
        let of_size = self.0.iter().filter(|edit| edit.particles == AT);
        of_size.map(Edit::frames).fold(Real::NAN, Real::max)
    }
}

impl Edit {
    fn of(method: &'static str, touches: bool, side: usize) -> anyhow::Result<Self> {
        let mut world = hanging(method, touches, side)?;
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        for frame in 0..10 {
            let (time, _) = timed_step(&mut world)?;
            // The first ones also prepare the method.
            if frame >= 3 {
                times[0].push(time);
            }
        }
        for k in 0..TEARS {
            // From the border opposite the pins, one edge; particles before the twins keep their numbers.
            let i = (k + 1) * side / (TEARS + 1);
            let edge = [i * side + side - 1, i * side + side - 2].map(|p| p as u32);
            let clock = Instant::now();
            world.cut(&edge)?;
            times[1].push(clock.elapsed().as_secs_f64());
            times[2].push(timed_step(&mut world)?.0);
            for _ in 0..2 {
                timed_step(&mut world)?;
            }
        }
        let [frame, tear, next] = times.map(|times| times.into_iter().fold(Real::INFINITY, Real::min));
        Ok(Self { method, touches, particles: side * side, frame, tear, next })
    }

    /// What a tear costs, with what it makes the next frame dearer [frames].
    fn frames(&self) -> Real {
        (self.tear + (self.next - self.frame).max(0.0)) / self.frame
    }
}

/// A sheet of 2 m by 2 m that falls from two corners of one side.
pub fn hanging(method: &str, touches: bool, side: usize) -> anyhow::Result<World> {
    let mut builder = Builder::default();
    builder.add_sheet(&Sheet {
        size: [2.0, 2.0],
        resolution: Resolution::Particles([side, side]),
        pins: vec![Pin::at(Place::Grid(vec![[0, 0], [side - 1, 0]]))],
        ..Sheet::default()
    })?;
    let contact =
        if touches { ContactLaw::Surface(SurfaceContact::default()) } else { ContactLaw::default() };
    let (model, state) = builder.finish(&Surroundings { contact, ..Surroundings::default() })?;
    let config = SolverConfig::named(method).expect("listed");
    let mut world = World::new(model, state, &config, FRAME);
    if method == "pncg" {
        world.substeps = 2;
    }
    Ok(world)
}

pub fn law(touches: bool) -> &'static str {
    if touches { "contact of surfaces" } else { "no contact" }
}

pub fn section(edits: &Edits) -> Section {
    let text = "A sheet of 2 m × 2 m falls from two of its corners, in frames of 1/60 s: two steps of pncg, or ten substeps of xpbd, on one thread. Nine times one edge of its \
                lower border is torn, three frames apart. The cost of a tear is the time of the edit itself, with the copies of model and state from which a refused one is undone, \
                and what the next frame takes longer since the method prepares anew.";
    Section {
        title: "What a tear costs".to_owned(),
        blocks: vec![
            Block::Verdict(verdict(edits)),
            Block::Text(text.to_owned()),
            Block::Figure(figure(edits)),
            Block::Table(table(edits)),
        ],
    }
}

fn verdict(edits: &Edits) -> Verdict {
    let words: Vec<String> = edits
        .0
        .iter()
        .filter(|edit| edit.particles == AT)
        .map(|edit| format!("{} with {} {:.2} frames", edit.method, law(edit.touches), edit.frames()))
        .collect();
    let most = edits.0.iter().map(|edit| edit.particles).filter(|&n| n <= AT).max().unwrap_or(0);
    Claim::new(
        format!("A tear costs less than {ASKED} frames at 10,000 particles, with pncg, too."),
        "goal of this project",
    )
    .under(
        SetUp::default().stated("particles", AT, most).assumed("cloth", "cotton, falling from two corners"),
    )
    .judged(
        if edits.dearest() < ASKED { Outcome::Holds } else { Outcome::Overturned },
        format!("At 10,000 particles: {}.", words.join(", ")),
    )
}

fn figure(edits: &Edits) -> Figure {
    let mut series = Vec::new();
    for method in METHODS {
        for touches in [false, true] {
            let points = edits.0.iter().filter(|edit| edit.method == method && edit.touches == touches);
            series.push(Series {
                name: format!("{method}, {}", law(touches)),
                points: points.map(|edit| [edit.particles as Real, edit.frames()]).collect(),
                style: Style::LinePoints,
                ..Series::default()
            });
        }
    }
    Figure {
        name: "tear-cost".to_owned(),
        caption: "Cost of a tear in frames of the same sheet, over its particles.".to_owned(),
        x: Axis::log("particles"),
        y: Axis::log("a tear").unit("frames"),
        series,
        guides: vec![Guide::Horizontal { at: ASKED, label: "asked for at 10,000".to_owned() }],
    }
}

fn table(edits: &Edits) -> Table {
    let row = |edit: &Edit| {
        let ms = |time: Real| Cell::number(1e3 * time).digits(3);
        let frames = Cell::number(edit.frames()).digits(3);
        vec![
            Cell::text(edit.method),
            Cell::text(law(edit.touches)),
            Cell::count(edit.particles),
            ms(edit.frame),
            ms(edit.tear),
            ms(edit.next),
            if edit.frames() < ASKED { frames.good() } else { frames.bad() },
        ]
    };
    Table {
        name: "tear-cost".to_owned(),
        caption: "Least times: a frame before the tears, the tear, the frame after it; and the tear with what it adds to that frame, in frames.".to_owned(),
        columns: vec![
            Column::plain("method"),
            Column::plain("contact"),
            Column::plain("particles"),
            Column::measured("frame").unit("ms"),
            Column::measured("tear").unit("ms"),
            Column::measured("frame after").unit("ms"),
            Column::measured("cost").unit("frames"),
        ],
        rows: edits.0.iter().map(row).collect(),
    }
}
