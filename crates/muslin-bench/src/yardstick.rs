//! Every engine on every cloth, and the table.

use crate::Engine;
use muslin_lab::quality::{Bound, FRAMES, Found, Search, Trial};
use std::fmt::Write as _;
use std::time::Duration;

/// What an engine needs for a quality on one cloth.
pub struct Row {
    /// The cloth.
    pub trial: String,
    /// The engine.
    pub engine: String,
    /// The quality.
    pub bound: Bound,
    /// Its cheapest setting, or the nearest tried; none if there is nothing to try.
    pub found: Option<Found>,
}

/// Finds the cheapest settings of all engines on a cloth, on one thread, then times them `rounds` times in turn, so that what
/// else the machine does hits all alike; each frame keeps its least time.
pub fn compare(
    engines: &[Box<dyn Engine>],
    trial: &Trial,
    bounds: &[Bound],
    patience: Duration,
    rounds: usize,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for engine in engines {
        let mut search = Search::new(trial, patience);
        for bound in bounds {
            let found = search.cheapest(engine.settings(trial, bound), bound);
            rows.push(Row { trial: trial.name.clone(), engine: engine.name(), bound: *bound, found });
        }
        for (label, outcome) in search.tried() {
            let percent = |part: Option<f64>| part.map_or(f64::NAN, |part| 100.0 * part);
            eprintln!(
                "{}, {}, {label}: {:.2} ms, stretch {:.2} %, motion {:.2} % {}",
                trial.name,
                engine.name(),
                outcome.milliseconds(),
                percent(outcome.stretch),
                percent(outcome.motion),
                outcome.failure.as_deref().unwrap_or_default()
            );
        }
    }
    for _ in 0..rounds {
        time_again(&mut rows, trial);
    }
    rows
}

/// Runs each setting once more; rows of an engine that share a setting share its times.
fn time_again(rows: &mut [Row], trial: &Trial) {
    for k in 0..rows.len() {
        let (before, rest) = rows.split_at_mut(k);
        let row = &mut rest[0];
        let Some(found) = row.found.as_mut().filter(|found| found.outcome.failure.is_none()) else {
            continue;
        };
        let same = |other: &&Row| {
            let label = other.found.as_ref().map(|found| &found.setting.label);
            other.engine == row.engine && label == Some(&found.setting.label)
        };
        let again = match before.iter().find(same).and_then(|other| other.found.as_ref()) {
            Some(known) => known.outcome.clone(),
            None => trial.time((found.setting.start)(trial).as_mut(), FRAMES),
        };
        found.outcome.keep_lesser_times(&again);
    }
}

/// The rows as a Markdown table a quality and cloth; speeds are ratios to the first engine, whose nearest setting stands in
/// where it meets no bound.
pub fn markdown(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut rest = rows;
    while let Some(first) = rest.first() {
        let of_trial = rest.iter().take_while(|row| row.trial == first.trial).count();
        let (rows, others) = rest.split_at(of_trial);
        rest = others;
        let mut bounds: Vec<Bound> = Vec::new();
        for row in rows {
            if !bounds.contains(&row.bound) {
                bounds.push(row.bound);
            }
        }
        for bound in bounds {
            let rows: Vec<&Row> = rows.iter().filter(|row| row.bound == bound).collect();
            section(&mut text, &rows);
        }
    }
    text
}

fn section(text: &mut String, rows: &[&Row]) {
    let (first, bound) = (rows[0], rows[0].bound);
    let _ = writeln!(text, "## {}, {bound}\n", first.trial);
    let _ = writeln!(
        text,
        "| engine | ms a frame | times {} | stretch % | motion % | meets | setting |",
        first.engine
    );
    let _ = writeln!(text, "|---|---|---|---|---|---|---|");
    let ended = |row: &Row| {
        row.found.as_ref().filter(|f| f.outcome.failure.is_none()).map(|f| f.outcome.milliseconds())
    };
    let yardstick = ended(first);
    for row in rows {
        let Some(found) = &row.found else {
            let _ = writeln!(text, "| {} | – | – | – | – | no | nothing to try |", row.engine);
            continue;
        };
        let percent =
            |part: Option<f64>| part.map_or("–".to_owned(), |part| format!("{:.2}", 100.0 * part));
        let ratio = match (yardstick, ended(row)) {
            (Some(yardstick), Some(own)) if found.meets => format!("{:.1}", yardstick / own),
            _ => "–".to_owned(),
        };
        let meets = match (&found.outcome.failure, found.meets) {
            (Some(failure), _) => failure,
            (None, true) => "yes",
            (None, false) => "no",
        };
        let outcome = &found.outcome;
        let _ = writeln!(
            text,
            "| {} | {:.3} | {ratio} | {} | {} | {meets} | {} |",
            row.engine,
            outcome.milliseconds(),
            percent(outcome.stretch),
            percent(outcome.motion),
            found.setting.label
        );
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use muslin_lab::quality::{Outcome, Setting};

    fn row(engine: &str, milliseconds: f64, meets: bool) -> Row {
        let outcome = Outcome {
            frame_seconds: vec![1e-3 * milliseconds; FRAMES],
            stretch: Some(0.0123),
            motion: Some(0.004),
            failure: None,
        };
        let setting = Setting { label: "7 sweeps".to_owned(), start: Box::new(|_| unreachable!("not run")) };
        let found = Some(Found { setting, outcome, meets });
        Row { trial: "hang-9".to_owned(), engine: engine.to_owned(), bound: Bound::ALL[1], found }
    }

    #[test]
    fn ratios_are_to_the_first_engine() {
        let rows = [row("tortoise", 30.0, false), row("hare", 1.5, true), row("snail", 90.0, false)];
        let text = markdown(&rows);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "## hang-9, stretch 2 %");
        assert_eq!(lines[4], "| tortoise | 30.000 | – | 1.23 | 0.40 | no | 7 sweeps |");
        assert_eq!(lines[5], "| hare | 1.500 | 20.0 | 1.23 | 0.40 | yes | 7 sweeps |");
        assert_eq!(lines[6], "| snail | 90.000 | – | 1.23 | 0.40 | no | 7 sweeps |");
    }
}
