//! A run with a thousand tears beside the same run without.

use super::edits::{FRAME, METHODS, hanging, law};
use crate::report::{Block, Cell, Claim, Column, Outcome, Section, SetUp, Table, Verdict};
use crate::study::Context;
use muslin::prelude::*;
use muslin::profile::uniform;
use muslin::threads;
use std::time::Instant;

/// How much longer the run with tears may take.
const ASKED: Real = 2.0;
const TEARS: usize = 1000;
/// Simulated time [s].
const DURATION: Real = 10.0;
const SIDE: usize = 100;

/// A method and a law of contact, with and without tears.
struct Pair {
    method: &'static str,
    touches: bool,
    tears: usize,
    frames: usize,
    /// Wall times of the whole run and of the torn one [s].
    whole: Real,
    torn: Real,
}

/// All of them.
pub struct Thousand(Vec<Pair>);

/// How many runs there are.
pub const COUNT: usize = METHODS.len() * 2;

impl Thousand {
    /// Times all.
    pub fn of(context: &Context) -> anyhow::Result<Self> {
        let (mut pairs, quick) = (Vec::new(), context.quick);
        for method in METHODS {
            for touches in [false, true] {
                pairs.push(threads::with_count(1, || Pair::of(method, touches, quick))?);
                context.advance(1);
            }
        }
        Ok(Self(pairs))
    }

    /// The largest ratio of a run with tears to that without.
    pub fn dearest(&self) -> Real {
        self.0.iter().map(Pair::ratio).fold(Real::NAN, Real::max)
    }
}

impl Pair {
    fn of(method: &'static str, touches: bool, quick: bool) -> anyhow::Result<Self> {
        let (side, frames, tears) =
            if quick { (20, 30, 50) } else { (SIDE, (DURATION / FRAME).round() as usize, TEARS) };
        let whole = run(method, touches, side, frames, 0)?;
        let torn = run(method, touches, side, frames, tears)?;
        Ok(Self { method, touches, tears, frames, whole, torn })
    }

    fn ratio(&self) -> Real {
        self.torn / self.whole
    }
}

/// The wall time of a run in which so many inner vertices, chosen at random, are torn one after another, each by an edit of its own [s].
fn run(method: &str, touches: bool, side: usize, frames: usize, tears: usize) -> anyhow::Result<Real> {
    let mut world = hanging(method, touches, side)?;
    let place = |n: u64| 2 + (uniform(1, n) * (side - 4) as Real) as usize;
    let (clock, mut done, mut tried) = (Instant::now(), 0, 0);
    for frame in 0..frames {
        while done < tears * (frame + 1) / frames {
            let vertex = place(2 * tried) * side + place(2 * tried + 1);
            tried += 1;
            let next = if tried % 2 == 0 { 1 } else { side };
            // One that is open already, or has no room, counts as none.
            done += usize::from(world.cut(&[vertex - next, vertex, vertex + next].map(|p| p as u32)).is_ok());
        }
        world.step()?;
    }
    Ok(clock.elapsed().as_secs_f64())
}

pub fn section(thousand: &Thousand) -> Section {
    let text = format!(
        "The sheet of {} particles once more, for {DURATION} s: with {TEARS} tears of one inner vertex each, spread evenly over the run, and without. Every tear is an edit of its own.",
        SIDE * SIDE
    );
    Section {
        title: "A thousand tears".to_owned(),
        blocks: vec![Block::Verdict(verdict(thousand)), Block::Text(text), Block::Table(table(thousand))],
    }
}

fn verdict(thousand: &Thousand) -> Verdict {
    let tears = thousand.0.iter().map(|pair| pair.tears).max().unwrap_or(0);
    let words: Vec<String> = thousand
        .0
        .iter()
        .map(|pair| format!("{} with {} {:.2}", pair.method, law(pair.touches), pair.ratio()))
        .collect();
    Claim::new(
        format!("A run with {TEARS} tears takes no more than {ASKED} times the run without."),
        "goal of this project",
    )
    .under(
        SetUp::default()
            .stated("tears", TEARS, tears)
            .assumed("cloth", "cotton, falling from two corners, 10 s"),
    )
    .judged(
        if thousand.dearest() <= ASKED { Outcome::Holds } else { Outcome::Overturned },
        format!("Times of the torn run by those of the whole one: {}.", words.join(", ")),
    )
}

fn table(thousand: &Thousand) -> Table {
    let row = |pair: &Pair| {
        let ratio = Cell::number(pair.ratio()).digits(3);
        vec![
            Cell::text(pair.method),
            Cell::text(law(pair.touches)),
            Cell::count(pair.frames),
            Cell::count(pair.tears),
            Cell::number(pair.whole).digits(3),
            Cell::number(pair.torn).digits(3),
            if pair.ratio() <= ASKED { ratio.good() } else { ratio.bad() },
        ]
    };
    Table {
        name: "thousand-tears".to_owned(),
        caption: "Wall times of whole runs on one thread.".to_owned(),
        columns: vec![
            Column::plain("method"),
            Column::plain("contact"),
            Column::plain("frames"),
            Column::plain("tears"),
            Column::measured("without tears").unit("s"),
            Column::measured("with tears").unit("s"),
            Column::measured("ratio"),
        ],
        rows: thousand.0.iter().map(row).collect(),
    }
}
