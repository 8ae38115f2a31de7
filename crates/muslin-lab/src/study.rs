//! What a study is.

use crate::report::{Outcome, Report};
use std::cell::Cell;
use std::fmt::Write;

/// A question, the runs that answer it, and the report.
#[derive(Clone, Copy)]
pub struct Study {
    /// Name on the command line and of the folder of results.
    pub name: &'static str,
    /// What it redoes, in a line.
    pub about: &'static str,
    run: fn(&Context) -> anyhow::Result<Report>,
}

impl Study {
    pub(crate) const fn new(
        name: &'static str,
        about: &'static str,
        run: fn(&Context) -> anyhow::Result<Report>,
    ) -> Self {
        Self { name, about, run }
    }

    /// Does the work.
    pub fn run(&self, context: &Context) -> anyhow::Result<Report> {
        let clock = std::time::Instant::now();
        let started = utc(std::time::SystemTime::now());
        let mut report = (self.run)(context)?;
        self.name.clone_into(&mut report.study);
        report.manifest.quick = context.quick;
        report.manifest.started = started;
        report.manifest.machine = crate::report::Machine::detect();
        report.manifest.wall_seconds = clock.elapsed().as_secs_f64();
        Ok(report)
    }
}

/// How a study is to be run, and who hears of its progress.
pub struct Context<'a> {
    /// Whether a minute must do.
    pub quick: bool,
    progress: Box<dyn Fn(u64, u64) + 'a>,
    done: Cell<u64>,
    total: Cell<u64>,
}

impl<'a> Context<'a> {
    /// A context that tells `progress` how many parts of how many are done.
    pub fn new(quick: bool, progress: impl Fn(u64, u64) + 'a) -> Self {
        Self { quick, progress: Box::new(progress), done: Cell::new(0), total: Cell::new(1) }
    }

    /// Announces how many parts of work are to come.
    pub fn expect(&self, parts: u64) {
        self.total.set(parts.max(1));
        self.advance(0);
    }

    /// Tells that some parts are done.
    pub fn advance(&self, parts: u64) {
        self.done.set((self.done.get() + parts).min(self.total.get()));
        (self.progress)(self.done.get(), self.total.get());
    }
}

/// The gist of a report for the terminal: its lead and its verdicts.
pub fn digest(report: &Report) -> String {
    let mut text = format!("{}\n{}\n", report.title, report.lead);
    if report.manifest.quick {
        text += "  A quick run: its numbers are no results, and it judges no claim.\n";
        return text;
    }
    for verdict in report.verdicts() {
        let sign = match verdict.outcome() {
            Some(Outcome::Holds) => "✓",
            Some(Outcome::Overturned) => "✗",
            Some(Outcome::Partly) => "~",
            None => "·",
        };
        let _ = writeln!(text, "  {sign} {}: {}\n    {}", verdict.word(), verdict.claim(), verdict.finding());
    }
    text
}

/// A moment as 2026-01-31T12:00:00Z.
fn utc(moment: std::time::SystemTime) -> String {
    let seconds = moment.duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (mut year, mut day) = (1970, days);
    let length = |year: u64| {
        if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) {
            366
        } else {
            365
        }
    };
    while day >= length(year) {
        day -= length(year);
        year += 1;
    }
    let february = if length(year) == 366 { 29 } else { 28 };
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}T{:02}:{:02}:{:02}Z", day + 1, rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Block, Claim, Section, SetUp};
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn moments_have_dates() {
        assert_eq!(utc(UNIX_EPOCH), "1970-01-01T00:00:00Z");
        assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(951_868_799)), "2000-02-29T23:59:59Z");
        assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(1_798_761_600)), "2027-01-01T00:00:00Z");
    }
    /// A study that judges whatever it is asked.
    #[allow(clippy::unnecessary_wraps, reason = "as a study must be")]
    fn hasty(_: &Context) -> anyhow::Result<Report> {
        let set_up = SetUp::default().assumed("cloth", "any");
        let verdict = Claim::new("It floats.", "").under(set_up).judged(Outcome::Holds, "It does.");
        let blocks = vec![Block::Verdict(verdict)];
        Ok(Report { sections: vec![Section { blocks, ..Section::default() }], ..Report::default() })
    }

    #[test]
    fn a_quick_run_of_a_study_judges_no_claim() {
        let outcomes = |quick: bool| {
            let report = Study::new("hasty", "", hasty).run(&Context::new(quick, |_, _| ())).unwrap();
            let outcomes: Vec<_> = report.verdicts().map(|verdict| verdict.outcome()).collect();
            (outcomes, digest(&report))
        };
        let (full, told) = outcomes(false);
        assert!(full == [Some(Outcome::Holds)] && told.contains("Holds: It floats."), "{told}");
        let (quick, told) = outcomes(true);
        assert!(quick == [None] && told.contains("judges no claim") && !told.contains("Holds"), "{told}");
    }
}
