//! Draws a [`Figure`] as svg.
//!
//! Text and axes are drawn in `currentColor`, so that a figure inside a page is readable on light and dark
//! paper. Each series stands in a group of class `s0`, `s1`, … that sets `color`, which a page may override.

mod labels;
mod scale;
mod thin;

use super::text::{escape, plain};
use super::{Axis, Figure, Guide, Scale, Series, Style};
use labels::Labels;
use scale::{Domain, Ticks};

/// Size of every figure [px]; a legend underneath adds to the height.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 430.0;

/// Told apart with every common kind of colour blindness, after Okabe and Ito; darker where white paper asks it.
const PALETTE: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#b8508f", "#c48a00", "#3b9fdc", "#6b6b6b"];

impl Figure {
    /// A file of its own, dark on white.
    pub(super) fn svg(&self) -> String {
        let root = "xmlns=\"http://www.w3.org/2000/svg\" style=\"background:#fff;color:#222\" ";
        Plot::new(self).draw(root, 12.0) + "\n"
    }

    /// A part of a page, in the page's colours.
    pub(super) fn inline_svg(&self) -> String {
        Plot::new(self).draw("", 0.0)
    }
}

/// A figure with everything laid out [px].
struct Plot<'a> {
    figure: &'a Figure,
    x: Domain,
    y: Domain,
    x_ticks: Ticks,
    y_ticks: Ticks,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    labels: Labels,
}

impl<'a> Plot<'a> {
    fn new(figure: &'a Figure) -> Self {
        let x = Domain::new(&figure.x, drawable(figure, 0));
        let y = Domain::new(&figure.y, drawable(figure, 1));
        let (x_ticks, y_ticks) = (x.ticks(7), y.ticks(6));
        let widest = y_ticks.major.iter().map(|tick| labels::width(&tick.label)).fold(0.0, f64::max);
        let labels = Labels::new(figure);
        let mut plot = Self {
            figure,
            x,
            y,
            x_ticks,
            y_ticks,
            left: widest + 12.0,
            right: WIDTH - labels.margin() - 14.0,
            top: 36.0,
            bottom: HEIGHT - 50.0,
            labels,
        };
        let ends: Vec<f64> = figure.series.iter().map(|series| plot.right_end(series)).collect();
        plot.labels.arrange(&ends, [plot.top + 4.0, plot.bottom - 4.0]);
        plot
    }

    /// The whole figure, with so much empty margin [px].
    fn draw(&self, root: &str, margin: f64) -> String {
        let width = WIDTH + 2.0 * margin;
        let height = HEIGHT + self.labels.height() + 2.0 * margin;
        let mut svg = format!(
            "<svg {root}viewBox=\"{x} {x} {width} {height}\" role=\"img\" aria-label=\"{}\" font-size=\"12\" \
             font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif\" fill=\"none\">\n",
            escape(&plain(&self.figure.caption)),
            x = 0.0 - margin,
        );
        svg += &self.draw_axes();
        let guides = self.figure.guides.iter().map(|guide| self.draw_guide(guide));
        let (shapes, notes): (Vec<String>, Vec<String>) = guides.unzip();
        svg += &shapes.concat();
        svg += &self.draw_all_series();
        svg += &notes.concat();
        svg += &self.labels.draw(self.figure, self.right + 10.0, HEIGHT + 14.0);
        svg + "</svg>"
    }

    /// The place of a point [px], far ones moved to where no rounding shows; `None` if it has none.
    fn place(&self, [x, y]: [f64; 2]) -> Option<[f64; 2]> {
        let x = self.left + self.x.fraction(x)? * (self.right - self.left);
        let y = self.bottom - self.y.fraction(y)? * (self.bottom - self.top);
        Some([x.clamp(-1e4, 1e4), y.clamp(-1e4, 1e4)])
    }

    /// How high the rightmost point of a series stands [px]; the bottom if it has none.
    fn right_end(&self, series: &Series) -> f64 {
        let places = series.points.iter().filter_map(|&point| self.place(point));
        places.max_by(|a, b| a[0].total_cmp(&b[0])).map_or(self.bottom, |[_, y]| y)
    }

    fn across(&self, x: f64) -> f64 {
        self.left + self.x.fraction(x).unwrap_or(0.0) * (self.right - self.left)
    }

    fn upward(&self, y: f64) -> f64 {
        self.bottom - self.y.fraction(y).unwrap_or(0.0) * (self.bottom - self.top)
    }

    fn draw_axes(&self) -> String {
        let Self { left, right, top, bottom, .. } = *self;
        let upright = |x: f64| format!("M{} {}V{}", short(x), short(top), short(bottom));
        let level = |y: f64| format!("M{} {}H{}", short(left), short(y), short(right));
        let minor: String = (self.x_ticks.minor.iter().map(|&x| upright(self.across(x))))
            .chain(self.y_ticks.minor.iter().map(|&y| level(self.upward(y))))
            .collect();
        let major: String = (self.x_ticks.major.iter().map(|tick| upright(self.across(tick.value))))
            .chain(self.y_ticks.major.iter().map(|tick| level(self.upward(tick.value))))
            .collect();
        let mut svg = format!("<g stroke=\"currentColor\"><path d=\"{minor}\" stroke-opacity=\".07\"/>");
        svg += &format!("<path d=\"{major}\" stroke-opacity=\".16\"/>");
        svg += &format!("<path d=\"{}\" stroke-opacity=\".7\"/></g>\n", level(bottom));
        svg += "<g fill=\"currentColor\" fill-opacity=\".8\">\n";
        for tick in &self.x_ticks.major {
            svg += &text([self.across(tick.value), bottom + 18.0], "middle", &tick.label);
        }
        for tick in &self.y_ticks.major {
            svg += &text([left - 8.0, self.upward(tick.value) + 4.0], "end", &tick.label);
        }
        svg += "</g>\n<g fill=\"currentColor\" font-size=\"13\" font-weight=\"600\">\n";
        let middle = f64::midpoint(left, right);
        svg += &text([middle, bottom + 40.0], "middle", &title(&self.figure.x, &self.x_ticks));
        svg += &text([0.0, 18.0], "start", &title(&self.figure.y, &self.y_ticks));
        svg + "</g>\n"
    }

    /// The shape, which belongs under the series, and the words, which belong on top.
    fn draw_guide(&self, guide: &Guide) -> (String, String) {
        let Self { left, right, top, bottom, .. } = *self;
        let line =
            "stroke=\"currentColor\" stroke-opacity=\".65\" stroke-dasharray=\"2 4\" stroke-width=\"1.4\"";
        let inside = |fraction: Option<f64>| fraction.is_some_and(|f| (0.0..=1.0).contains(&f));
        match guide {
            Guide::Horizontal { at, label } if inside(self.y.fraction(*at)) => {
                let y = self.upward(*at);
                let path = format!("M{} {}H{}", short(left), short(y), short(right));
                (format!("<path d=\"{path}\" {line}/>\n"), note([left + 8.0, y - 6.0], "start", label))
            }
            Guide::Vertical { at, label } if inside(self.x.fraction(*at)) => {
                let x = self.across(*at);
                let path = format!("M{} {}V{}", short(x), short(top), short(bottom));
                let flip = x > left + 0.75 * (right - left);
                let (x, anchor) = if flip { (x - 6.0, "end") } else { (x + 6.0, "start") };
                (format!("<path d=\"{path}\" {line}/>\n"), note([x, top + 12.0], anchor, label))
            }
            Guide::Slope { from, to, slope, label } => self.draw_slope(*from, *to, *slope, label),
            Guide::Horizontal { .. } | Guide::Vertical { .. } => Default::default(),
        }
    }

    fn draw_slope(&self, from: [f64; 2], to: f64, slope: f64, label: &str) -> (String, String) {
        let end = slope_end(self.figure, from, to, slope);
        let (Some([x0, y0]), Some([x1, y1])) = (self.place(from), self.place([to, end])) else {
            return Default::default();
        };
        let path = format!("M{} {}L{} {}V{}Z", short(x0), short(y0), short(x1), short(y1), short(y0));
        let anchor = if x1 < x0 { "end" } else { "start" };
        let x = if x1 < x0 { x1 - 6.0 } else { x1 + 6.0 };
        let fill =
            "fill=\"currentColor\" fill-opacity=\".06\" stroke=\"currentColor\" stroke-opacity=\".55\"";
        let words = note([x, f64::midpoint(y0, y1) + 4.0], anchor, label);
        (format!("<path d=\"{path}\" {fill}/>\n"), words)
    }

    fn draw_all_series(&self) -> String {
        let clips = self.figure.x.range.is_some() || self.figure.y.range.is_some();
        let (mut svg, id) = (String::new(), escape(&self.figure.name));
        if clips {
            let [x, y] = [short(self.left - 1.0), short(self.top - 1.0)];
            let [w, h] = [short(self.right - self.left + 2.0), short(self.bottom - self.top + 2.0)];
            let window = format!("<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/>");
            svg += &format!(
                "<clipPath id=\"clip-{id}\">{window}</clipPath>\n<g clip-path=\"url(#clip-{id})\">\n"
            );
        }
        // The strong ones come last and so on top.
        for strong in [false, true] {
            for (index, series) in self.figure.series.iter().enumerate() {
                if series.emphasis == strong {
                    svg += &self.draw_series(index, series);
                }
            }
        }
        let empty =
            !self.figure.series.iter().flat_map(|s| &s.points).any(|&point| self.place(point).is_some());
        svg += if clips { "</g>\n" } else { "" };
        if empty {
            let middle = [f64::midpoint(self.left, self.right), f64::midpoint(self.top, self.bottom)];
            svg += &note(middle, "middle", "no data");
        }
        svg
    }

    fn draw_series(&self, index: usize, series: &Series) -> String {
        let runs = thin::runs(series.points.iter().map(|&point| self.place(point)));
        let mut svg = open_series(index, series);
        if series.style != Style::Points {
            let path: String = runs.iter().map(|run| polyline(&thin::line(run))).collect();
            svg += &stroke(series, &path);
        }
        let places = match series.style {
            Style::Points => thin::marks(&runs.concat(), 2.0),
            Style::LinePoints => thin::marks(&runs.concat(), 9.0),
            // A line needs two points; a lone one would be invisible.
            Style::Line | Style::Dashed => {
                runs.iter().filter(|run| run.len() == 1).map(|run| run[0]).collect()
            }
        };
        svg += &marks(index, series, &places);
        svg + "</g>\n"
    }
}

/// The coordinates along one axis of every point that has a place, and of the guides.
fn drawable(figure: &Figure, axis: usize) -> impl Iterator<Item = f64> {
    let has_place = |point: &[f64; 2]| {
        scale::is_drawable(figure.x.scale, point[0]) && scale::is_drawable(figure.y.scale, point[1])
    };
    let points = figure.series.iter().flat_map(|series| series.points.iter().copied());
    let guides = figure.guides.iter().flat_map(move |guide| match *guide {
        Guide::Horizontal { at, .. } if axis == 1 => vec![at],
        Guide::Vertical { at, .. } if axis == 0 => vec![at],
        Guide::Slope { from, to, slope, .. } => {
            vec![from[axis], if axis == 0 { to } else { slope_end(figure, from, to, slope) }]
        }
        Guide::Horizontal { .. } | Guide::Vertical { .. } => vec![],
    });
    points.filter(has_place).map(move |point| point[axis]).chain(guides)
}

/// The y at which a line of this slope through `from` arrives at x = `to`.
fn slope_end(figure: &Figure, [x, y]: [f64; 2], to: f64, slope: f64) -> f64 {
    let run = if figure.x.scale == Scale::Log { (to / x).log10() } else { to - x };
    if figure.y.scale == Scale::Log { y * 10_f64.powf(slope * run) } else { y + slope * run }
}

fn open_series(index: usize, series: &Series) -> String {
    let color = series.color.unwrap_or(index) % PALETTE.len();
    let name = escape(&series.name);
    format!("<g class=\"s{color}\" color=\"{}\"><title>{name}</title>", PALETTE[color])
}

/// A path in the series' colour and style.
fn stroke(series: &Series, path: &str) -> String {
    let width = if series.emphasis { "2.8" } else { "1.7" };
    let dashes = if series.style == Style::Dashed { " stroke-dasharray=\"7 4\"" } else { "" };
    format!(
        "<path d=\"{path}\" stroke=\"currentColor\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{dashes}/>"
    )
}

fn polyline(places: &[[f64; 2]]) -> String {
    let mut path = String::new();
    for (index, [x, y]) in places.iter().enumerate() {
        path += &format!("{}{} {}", if index == 0 { "M" } else { "L" }, short(*x), short(*y));
    }
    path
}

/// Marks at the given places: a shape as well as a colour tells the series apart.
fn marks(index: usize, series: &Series, places: &[[f64; 2]]) -> String {
    const SHAPES: [&str; 5] = [
        "m-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0z",
        "m-3 -3h6v6h-6z",
        "m0 -4l3.8 6.6h-7.6z",
        "m0 -4.3l4.3 4.3l-4.3 4.3l-4.3 -4.3z",
        "m0 4l3.8 -6.6h-7.6z",
    ];
    if places.is_empty() {
        return String::new();
    }
    let shape = match places.len() {
        0..=400 => SHAPES[series.color.unwrap_or(index) % SHAPES.len()],
        _ => "m-1.6 0a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0 -3.2 0z", // a cloud: dots show where it is dense
    };
    let path: String = places.iter().map(|[x, y]| format!("M{} {}{shape}", short(*x), short(*y))).collect();
    format!("<path d=\"{path}\" fill=\"currentColor\"/>")
}

fn title(axis: &Axis, ticks: &Ticks) -> String {
    if ticks.exponent == 0 {
        return axis.heading();
    }
    let unit = axis.unit.as_ref().map_or(String::new(), |unit| format!(" {unit}"));
    format!("{} [{}{unit}]", axis.label, super::number::power_of_ten(ticks.exponent))
}

fn text([x, y]: [f64; 2], anchor: &str, content: &str) -> String {
    format!(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>\n",
        short(x),
        short(y),
        escape(content)
    )
}

/// A word beside a guide, with a halo so that it can be read on top of lines.
fn note([x, y]: [f64; 2], anchor: &str, content: &str) -> String {
    if content.is_empty() {
        return String::new();
    }
    format!(
        "<text class=\"halo\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\" font-style=\"italic\" \
         fill=\"currentColor\" stroke=\"#fff\" stroke-width=\"4\" stroke-linejoin=\"round\" \
         paint-order=\"stroke\">{}</text>\n",
        short(x),
        short(y),
        escape(content)
    )
}

/// A coordinate to a tenth of a pixel, without an idle `.0` or `-0`.
fn short(coordinate: f64) -> String {
    let tenths = (coordinate * 10.0).round() as i64;
    if tenths % 10 == 0 { (tenths / 10).to_string() } else { format!("{:.1}", tenths as f64 / 10.0) }
}

#[cfg(test)]
mod tests;
