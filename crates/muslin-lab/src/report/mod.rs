//! What a study leaves behind: a page to read, and its numbers to use.
//!
//! A study fills in a [`Report`], which is pure data, and [`Report::write`] makes a folder of it:
//!
//! | file | holds |
//! |---|---|
//! | `report.html` | everything, in one file that needs no network |
//! | `summary.md` | lead, verdicts and tables, for a README or an issue |
//! | `<table>.csv` | a table in full precision |
//! | `<figure>.svg`, `<figure>.points.csv` | a figure, and every point in it |
//! | `<picture>.png` | a picture |
//! | `manifest.json` | how to get the same report again |
//!
//! The same `Report` always gives the same bytes. A report of a quick run prints no verdict.
//!
//! ```
//! use muslin_lab::report::{Block, Cell, Column, Report, Section, Table};
//!
//! let table = Table {
//!     name: "stretch".into(),
//!     caption: "Largest stretch of a hanging sheet.".into(),
//!     columns: vec![
//!         Column::plain("method"),
//!         Column::published("stretch").unit("%"),
//!         Column::measured("stretch").unit("%"),
//!     ],
//!     rows: vec![
//!         vec!["xpbd".into(), Cell::number(4.1), Cell::number(4.07).good()],
//!         vec!["pbd".into(), Cell::missing(), Cell::number(11.3).digits(2)],
//!     ],
//! };
//! let report = Report {
//!     study: "hanging-sheet".into(),
//!     title: "How far does a hanging sheet stretch?".into(),
//!     lead: "Two methods, one sheet.".into(),
//!     sections: vec![Section { title: "Results".into(), blocks: vec![Block::Table(table)] }],
//!     ..Report::default()
//! };
//! let folder = tempfile::tempdir()?;
//! let files = report.write(&folder.path().join("hanging-sheet"))?;
//! assert_eq!(files.len(), 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![allow(
    clippy::format_collect,
    clippy::format_push_string,
    reason = "a page is small, and `page += &format!(…)` reads in the order of the page"
)]

mod figure;
mod html;
mod manifest;
mod markdown;
mod number;
mod plot;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod verdict;
mod write;

pub use figure::{Axis, Figure, Guide, Scale, Series, Style};
pub use manifest::{Machine, Manifest};
pub use table::{Cell, Column, ColumnKind, Mark, Table, Value};
pub use verdict::{Claim, Outcome, SetUp, Trial, Verdict};
pub use write::ReportError;

use std::borrow::Cow;

/// A finished study.
///
/// Paragraphs, captions, claims and findings may hold `` `code` ``, `*emphasis*` and `**strong**`; all other
/// text stands for itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The study's name on the command line, such as `time-step`.
    pub study: String,
    /// The headline.
    pub title: String,
    /// What was asked and what came out, in two to four sentences.
    pub lead: String,
    /// The body.
    pub sections: Vec<Section>,
    /// How to get the same report again.
    pub manifest: Manifest,
}

/// A part of a report, with an entry in the table of contents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// What stands under it, in order.
    pub blocks: Vec<Block>,
}

/// One thing in a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A published claim and what became of it.
    Verdict(Verdict),
    /// Numbers to read.
    Table(Table),
    /// Numbers to see.
    Figure(Figure),
    /// A rendered image.
    Picture(Picture),
}

/// A rendered image.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// File stem, of `a-z`, `0-9`, `-` and `_`.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// The bytes of a png file.
    pub png: Vec<u8>,
}

impl Report {
    /// Every published claim of the report, in order, and what became of it: nothing if the run was a quick one.
    pub fn verdicts(&self) -> impl Iterator<Item = Cow<'_, Verdict>> {
        self.blocks().filter_map(|block| match block {
            Block::Verdict(verdict) => Some(self.shown(verdict)),
            _ => None,
        })
    }

    /// A verdict as the report may print it.
    fn shown<'a>(&self, verdict: &'a Verdict) -> Cow<'a, Verdict> {
        if self.manifest.quick { Cow::Owned(verdict.withheld()) } else { Cow::Borrowed(verdict) }
    }

    fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.sections.iter().flat_map(|section| &section.blocks)
    }
}

impl Picture {
    /// Width and height [px] as the file's head states them; `None` if it is no png file.
    fn size(&self) -> Option<[u32; 2]> {
        let head = self.png.get(..24).filter(|head| head.starts_with(b"\x89PNG\r\n\x1a\n"))?;
        let number = |at: usize| head[at..at + 4].iter().fold(0, |n, &byte| n << 8 | u32::from(byte));
        Some([number(16), number(20)])
    }
}
