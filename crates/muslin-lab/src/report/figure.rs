//! Figures as data; [`plot`](super::plot) draws them.

use super::table::{csv_record, full_precision};

/// Curves and points over two axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// File stem, of `a-z`, `0-9`, `-` and `_`.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// What is drawn, in the order of the colours.
    pub series: Vec<Series>,
    /// What it is compared with.
    pub guides: Vec<Guide>,
}

/// A quantity and how it is laid out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Name of the quantity.
    pub label: String,
    /// Its unit, without brackets.
    pub unit: Option<String>,
    /// How values become places.
    pub scale: Scale,
    /// From and to; whatever holds all points if `None` or not drawable.
    pub range: Option<[f64; 2]>,
}

/// How values become places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally far.
    #[default]
    Linear,
    /// Equal ratios are equally far; values that are not positive leave a gap.
    Log,
}

/// Points that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Its label.
    pub name: String,
    /// In drawing order; a point that is not finite leaves a gap.
    pub points: Vec<[f64; 2]>,
    /// How it is drawn.
    pub style: Style,
    /// Whether it is drawn stronger than the others.
    pub emphasis: bool,
    /// A colour of the palette to share with another series; its own if `None`.
    pub color: Option<usize>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// A line.
    #[default]
    Line,
    /// Marks.
    Points,
    /// A line with marks.
    LinePoints,
    /// A dashed line, for theory and for published curves.
    Dashed,
}

/// Something to compare the series with.
#[derive(Clone, Debug, PartialEq)]
pub enum Guide {
    /// A level line.
    Horizontal {
        /// On the y axis.
        at: f64,
        /// May be empty.
        label: String,
    },
    /// An upright line.
    Vertical {
        /// On the x axis.
        at: f64,
        /// May be empty.
        label: String,
    },
    /// A triangle whose long side has a known slope; on two log axes, the exponent of a power law.
    Slope {
        /// Where the long side starts.
        from: [f64; 2],
        /// The x at which it ends.
        to: f64,
        /// dy/dx, or d log y / d log x on log axes.
        slope: f64,
        /// May be empty.
        label: String,
    },
}

impl Axis {
    /// An axis with equal steps.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// An axis in powers of ten.
    pub fn log(label: impl Into<String>) -> Self {
        Self { scale: Scale::Log, ..Self::linear(label) }
    }

    /// The same axis with a unit.
    #[must_use]
    pub fn unit(self, unit: impl Into<String>) -> Self {
        Self { unit: Some(unit.into()), ..self }
    }

    /// `stretch [%]`.
    pub(super) fn heading(&self) -> String {
        self.unit.as_ref().map_or_else(|| self.label.clone(), |unit| format!("{} [{unit}]", self.label))
    }
}

impl Figure {
    /// Every point of every series in full precision, one a row.
    pub(super) fn csv(&self) -> String {
        let mut csv = csv_record(["series".into(), self.x.heading(), self.y.heading()].into_iter());
        for series in &self.series {
            for &[x, y] in &series.points {
                csv += &csv_record([series.name.clone(), full_precision(x), full_precision(y)].into_iter());
            }
        }
        csv
    }
}
