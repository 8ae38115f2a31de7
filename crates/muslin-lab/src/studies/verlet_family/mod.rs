//! Verlet's relatives in one dimension: section 6.1 of D. D. B. Carvalho, MSc, UFSC 2007.
//!
//! One particle moves under an acceleration that is known for all times; the published tables compare four methods with
//! the exact motion, row by row. The methods run here are the library's own solvers on a model of one particle.

mod experiment;

pub use experiment::{Columns, EXPERIMENTS, Experiment, Trajectory};

use crate::report::{
    Axis, Block, Cell, Claim, Column, Figure, Outcome, Report, Section, Series, SetUp, Style, Table, Verdict,
};
use crate::study::Context;
use muslin::math::Real;

/// Half a unit of the last printed digit, and a little for numbers that lie on the edge of rounding.
pub const ROUNDING: Real = 0.0051;

/// Runs the study.
pub fn run(context: &Context) -> anyhow::Result<Report> {
    context.expect(4);
    let runs: Vec<(&Experiment, Columns)> = EXPERIMENTS
        .iter()
        .map(|experiment| {
            let columns = experiment.run();
            context.advance(1);
            (experiment, columns)
        })
        .collect();
    let textbook: Vec<[Real; 6]> = runs.iter().map(|(_, columns)| columns.standard_deviations()).collect();
    let lead = format!(
        "One particle, a known acceleration, four methods: every entry of Tables 10 to 13 and 2 to 5 comes out as printed, to \
         rounding. But the printed velocity Verlet is not the textbook's: its position update uses the *next* acceleration. With \
         the textbook's form experiment 3 gives {:.3} m against Euler's {:.3} m.",
        textbook[3][4], textbook[3][2]
    );
    let mut sections = vec![deviations(&runs), verdicts(&runs)];
    sections.extend(runs.iter().map(|(experiment, columns)| rows(experiment, columns)));
    Ok(Report { title: "The Verlet family in one dimension".to_owned(), lead, sections, ..Report::default() })
}

fn deviations(runs: &[(&Experiment, Columns)]) -> Section {
    let mut table = Table {
        name: "standard-deviations".to_owned(),
        caption: "Tables 2 to 5: sample standard deviation of the absolute errors of position over 26 rows. The last two methods are not \
                  in the document."
            .to_owned(),
        columns: vec![Column::plain("method")],
        rows: Vec::new(),
    };
    for (experiment, _) in runs {
        table
            .columns
            .push(Column::published(format!("T{} exp. {}", experiment.tables[1], experiment.name)).unit("m"));
        table.columns.push(Column::measured(format!("exp. {}", experiment.name)).unit("m"));
    }
    let measured: Vec<[Real; 6]> = runs.iter().map(|(_, columns)| columns.standard_deviations()).collect();
    for method in 0..6 {
        let mut row = vec![Cell::text(runs[0].1.methods[method].method)];
        for ((experiment, _), measured) in runs.iter().zip(&measured) {
            row.push(
                experiment
                    .published
                    .get(method)
                    .map_or_else(Cell::missing, |&value| Cell::number(value).digits(4)),
            );
            // Rounding noise of a sum is no deviation.
            let value = if measured[method] < 1e-9 { 0.0 } else { measured[method] };
            row.push(Cell::number(value).digits(4));
        }
        table.rows.push(row);
    }
    let how = "The rules behind the printed numbers, found by recomputation: g = 9.806 m/s² and v₀ = 6.25 g (printed as 9.81 and 61.29); the \
               first two rows of the Verlets and of Euler are exact; Euler is the semi-implicit form; steps lie within the rounding of the \
               printed ones.";
    Section {
        title: "Errors of position".to_owned(),
        blocks: vec![Block::Text(how.to_owned()), Block::Table(table)],
    }
}

fn verdicts(runs: &[(&Experiment, Columns)]) -> Section {
    let source = "Carvalho 2007, section 6.1";
    let worst_printed = largest_of(runs, Experiment::deviation_from_printed);
    let worst_recomputed = largest_of(runs, Experiment::deviation_from_recomputed);
    let deviations: Vec<[Real; 6]> = runs.iter().map(|(_, columns)| columns.standard_deviations()).collect();
    let matched = worst_printed.0 <= ROUNDING;
    let claim = |text: &str| {
        let rows: usize = runs.iter().map(|(_, columns)| columns.t.len()).sum();
        let set_up = SetUp::default().stated("experiments", 4, runs.len()).stated("rows", 4 * 26, rows);
        Claim::new(text, source).under(set_up.assumed("g", "9.806 m/s², as the tables need"))
    };
    let [plain, corrected] = [0, 1].map(|method| deviations[1][method]);
    // Least error of all four methods, or as good to the printed digits.
    let is_best = |method: usize| {
        deviations.iter().all(|found| {
            let others = (0..3).map(|other| found[other]);
            others.fold(Real::INFINITY, Real::min) >= found[method] - ROUNDING
        })
    };
    let [by_the_table, by_the_book] = [3, 4].map(is_best);
    let blocks: [Verdict; 3] = [
        claim("Tables 10 to 13, every entry.").judged(
            if matched { Outcome::Holds } else { Outcome::Overturned },
            format!(
                "Largest distance to a printed entry {:.4} (column {} of experiment {}), rounding being 0.005; to an independent \
                 recomputation in full precision {:.1e}.",
                worst_printed.0, worst_printed.1, worst_printed.2, worst_recomputed.0
            ),
        ),
        claim("Positional Verlet breaks down when the step changes; the time correction repairs most of it.").judged(
            // Most of it: nine tenths.
            match (plain > 10.0, corrected < 0.1 * plain) {
                (true, true) => Outcome::Holds,
                (true, false) => Outcome::Partly,
                _ => Outcome::Overturned,
            },
            format!(
                "Experiment 1b: {plain:.2} m without, {corrected:.2} m with the printed correction, {:.2} m with the exact weight h (h + h⁻)/2.",
                deviations[1][5]
            ),
        ),
        claim("Velocity Verlet is the best method in all four experiments.").judged(
            match (by_the_table, by_the_book) {
                (true, true) => Outcome::Holds,
                (false, false) => Outcome::Overturned,
                _ => Outcome::Partly,
            },
            format!(
                "So it is in the tables, whose variant uses the next acceleration to move the position, against the document's own (4.5g). By (4.5g) it has {:.3} m in \
                 experiment 2 and {:.3} m in experiment 3, where Euler's {:.3} m is better; the time-corrected Verlet with the exact weight beats it in both \
                 ({:.3} and {:.3} m).",
                deviations[2][4], deviations[3][4], deviations[3][2], deviations[2][5], deviations[3][5]
            ),
        ),
    ];
    Section { title: "What holds".to_owned(), blocks: blocks.into_iter().map(Block::Verdict).collect() }
}

fn largest_of(
    runs: &[(&Experiment, Columns)],
    deviation: fn(&Experiment, &Columns) -> (Real, &'static str),
) -> (Real, &'static str, &'static str) {
    runs.iter()
        .map(|(experiment, columns)| {
            let (distance, column) = deviation(experiment, columns);
            (distance, column, experiment.name)
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .unwrap_or((0.0, "", ""))
}

/// All rows of one experiment, and its picture.
fn rows(experiment: &Experiment, columns: &Columns) -> Section {
    let printed = |name: &str| experiment.printed(name);
    let [verlet, corrected, euler, velocity, textbook, _] = &columns.methods;
    let pairs = [("X_verlet", verlet), ("X_tcv", corrected), ("X_euler", euler), ("X_vv", velocity)];
    let mut table = Table {
        name: format!("table-{}", experiment.tables[0]),
        caption: format!("Table {}: positions as printed and as measured.", experiment.tables[0]),
        columns: vec![Column::plain("t").unit("s"), Column::plain("exact").unit("m")],
        rows: Vec::new(),
    };
    for (_, method) in &pairs {
        table.columns.push(Column::published(method.method).unit("m"));
        table.columns.push(Column::measured(method.method).unit("m"));
    }
    table.columns.push(Column::measured(textbook.method).unit("m"));
    for row in 0..columns.t.len() {
        let mut cells =
            vec![Cell::number(columns.t[row]).digits(4), Cell::number(columns.exact.x[row]).digits(5)];
        for (name, method) in &pairs {
            cells.push(Cell::number(printed(name)[row]).digits(5));
            cells.push(Cell::number(method.x[row]).digits(5));
        }
        cells.push(Cell::number(textbook.x[row]).digits(5));
        table.rows.push(cells);
    }
    let series = columns.methods.iter().map(|method| Series {
        name: method.method.to_owned(),
        points: columns
            .t
            .iter()
            .zip(method.x.iter().zip(&columns.exact.x))
            .map(|(&t, (x, exact))| [t, x - exact])
            .collect(),
        style: Style::LinePoints,
        ..Series::default()
    });
    let figure = Figure {
        name: format!("errors-{}", experiment.name),
        caption: format!("Error of position, experiment {}.", experiment.name),
        x: Axis::linear("time").unit("s"),
        y: Axis::linear("error of position").unit("m"),
        series: series.collect(),
        ..Figure::default()
    };
    Section {
        title: format!("Experiment {}: {}", experiment.name, experiment.motion),
        blocks: vec![Block::Figure(figure), Block::Table(table)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printed_entry_is_matched_to_rounding() {
        for experiment in &EXPERIMENTS {
            let columns = experiment.run();
            let (distance, column) = experiment.deviation_from_printed(&columns);
            assert!(distance <= ROUNDING, "experiment {}, {column}: {distance}", experiment.name);
            let (distance, column) = experiment.deviation_from_recomputed(&columns);
            assert!(distance <= 1e-9, "experiment {}, {column}: {distance:e}", experiment.name);
        }
    }

    #[test]
    fn the_published_standard_deviations_come_out() {
        for experiment in &EXPERIMENTS {
            let measured = experiment.run().standard_deviations();
            for (published, measured) in experiment.published.iter().zip(measured) {
                assert!(
                    (published - measured).abs() <= ROUNDING,
                    "experiment {}: {published} {measured}",
                    experiment.name
                );
            }
        }
    }

    #[test]
    fn textbook_velocity_verlet_is_not_always_best() {
        let deviations = EXPERIMENTS.each_ref().map(|experiment| experiment.run().standard_deviations());
        assert!((deviations[2][4] - 0.2665).abs() < 1e-4);
        assert!((deviations[3][4] - 0.3322).abs() < 1e-4);
        assert!(deviations[3][2] < deviations[3][4], "Euler is better in experiment 3");
        assert!(deviations[1][5] < 1e-11, "the exact weight has no error in experiment 1b");
    }
}
