//! The names of the series: beside the ends of their lines if they fit there, else in rows underneath.

use super::super::{Figure, Style};
use super::{WIDTH, escape, marks, open_series, short, stroke};

/// Distance of two labels [px].
const LINE: f64 = 18.0;
/// Length of the little sample of a line [px].
const SAMPLE: f64 = 20.0;
/// Labels wider than this do not stand beside the plot [px].
const WIDEST: f64 = 190.0;

/// Where the labels stand.
pub(super) enum Labels {
    /// To the right, each about as high as its series ends [px].
    Beside { width: f64, heights: Vec<f64> },
    /// Underneath; x and row of each.
    Below { places: Vec<(f64, usize)> },
}

/// Estimated width of a text at the font size of figures, on the safe side [px].
pub(super) fn width(text: &str) -> f64 {
    7.0 * text.chars().count() as f64
}

impl Labels {
    pub(super) fn new(figure: &Figure) -> Self {
        let widths: Vec<f64> = figure.series.iter().map(|series| width(&series.name)).collect();
        let widest = widths.iter().copied().fold(0.0, f64::max);
        if widest <= WIDEST && widths.len() <= 16 {
            return Self::Beside {
                width: if widest > 0.0 { widest + SAMPLE + 12.0 } else { 0.0 },
                heights: vec![],
            };
        }
        let (mut x, mut row) = (24.0, 0);
        let places = widths.iter().map(|width| {
            let taken = SAMPLE + 8.0 + width + 20.0;
            if x > 24.0 && x + taken > WIDTH {
                (x, row) = (24.0, row + 1);
            }
            x += taken;
            (x - taken, row)
        });
        Self::Below { places: places.collect() }
    }

    /// Room they take at the right.
    pub(super) fn margin(&self) -> f64 {
        if let Self::Beside { width, .. } = self { *width } else { 0.0 }
    }

    /// Room they take underneath.
    pub(super) fn height(&self) -> f64 {
        let Self::Below { places } = self else { return 0.0 };
        places.last().map_or(0.0, |(_, row)| 22.0 + LINE * (*row + 1) as f64)
    }

    /// Moves labels to the given heights, and apart where they would overlap.
    pub(super) fn arrange(&mut self, wanted: &[f64], [top, bottom]: [f64; 2]) {
        let Self::Beside { heights, .. } = self else { return };
        let mut order: Vec<usize> = (0..wanted.len()).collect();
        order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
        *heights = wanted.iter().map(|height| height.clamp(top, bottom)).collect();
        for pair in 1..order.len() {
            heights[order[pair]] = heights[order[pair]].max(heights[order[pair - 1]] + LINE);
        }
        let mut limit = bottom;
        for &index in order.iter().rev() {
            heights[index] = heights[index].min(limit);
            limit = heights[index] - LINE;
        }
    }

    /// A sample of each line, and its name.
    pub(super) fn draw(&self, figure: &Figure, right: f64, below: f64) -> String {
        let mut svg = String::new();
        for (index, series) in figure.series.iter().enumerate().filter(|(_, series)| !series.name.is_empty())
        {
            let [x, y] = match self {
                Self::Beside { heights, .. } => [right, heights[index]],
                Self::Below { places } => [places[index].0, below + LINE * places[index].1 as f64],
            };
            svg += &open_series(index, series);
            if series.style != Style::Points {
                svg += &stroke(series, &format!("M{} {}h{SAMPLE}", short(x), short(y)));
            }
            if matches!(series.style, Style::Points | Style::LinePoints) {
                svg += &marks(index, series, &[[x + SAMPLE / 2.0, y]]);
            }
            let weight = if series.emphasis { " font-weight=\"600\"" } else { "" };
            svg += "</g>";
            svg += &format!(
                "<text x=\"{}\" y=\"{}\" fill=\"currentColor\"{weight}>{}</text>\n",
                short(x + SAMPLE + 6.0),
                short(y + 4.0),
                escape(&series.name)
            );
        }
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_move_apart() {
        let mut labels = Labels::Beside { width: 0.0, heights: vec![] };
        labels.arrange(&[100.0, 101.0, 99.0, 400.0, 395.0], [20.0, 400.0]);
        let Labels::Beside { mut heights, .. } = labels else { panic!("they stay beside the plot") };
        assert!(heights[2] < heights[0] && heights[0] < heights[1], "the order stays");
        heights.sort_by(f64::total_cmp);
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= LINE), "{heights:?}");
        assert!(heights.iter().all(|height| (20.0..=400.0).contains(height)), "{heights:?}");
    }
}
