//! Many scenes, on several threads.

use crate::Arguments;
use crate::case::Case;
use crate::generate;
use crate::shrink::{Bounds, shrink};
use crate::tally::Tally;
use crate::trial::{self, Outcome};
use crate::watch::{Doing, Watch};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// Draws of a seed, until a scene has a clean start.
const DRAWS: u32 = 12;
/// A step that takes longer hangs [s].
const LONGEST_STEP: f64 = 60.0;
/// How far failures are shrunk.
const BOUNDS: Bounds = Bounds { tries: 400, seconds: 30.0 };
/// Failures of one kind that are shrunk and written; of the others there is the seed.
const MOST_OF_A_KIND: usize = 5;

struct Soak<'a> {
    arguments: &'a Arguments,
    start: Instant,
    next: AtomicU64,
    is_over: AtomicBool,
    tally: Mutex<Tally>,
    watches: Vec<Watch>,
}

/// Runs scenes until time or number is reached; whether none failed.
pub fn run(arguments: &Arguments) -> anyhow::Result<bool> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = arguments.threads.unwrap_or(cores).max(1);
    let soak = Soak {
        arguments,
        start: Instant::now(),
        next: AtomicU64::new(arguments.seed),
        is_over: AtomicBool::new(false),
        tally: Mutex::default(),
        watches: (0..threads).map(|_| Watch::default()).collect(),
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = soak.watches.iter().map(|watch| scope.spawn(|| soak.work(watch))).collect();
        let keeper = scope.spawn(|| soak.keep_watch());
        let results: Vec<_> = workers.into_iter().map(ScopedJoinHandle::join).collect();
        soak.is_over.store(true, Ordering::Relaxed);
        let _ = keeper.join();
        anyhow::ensure!(results.iter().all(Result::is_ok), "a worker panicked outside of a step");
        Ok(())
    })?;
    let tally = soak.tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (reason, count) in &tally.refused {
        println!("  not used: {count:5}  {reason}");
    }
    println!("{}", tally.report(arguments.seed, soak.next.into_inner(), soak.start.elapsed().as_secs_f64()));
    Ok(tally.failed() == 0)
}

impl Soak<'_> {
    fn with_tally<T>(&self, act: impl FnOnce(&mut Tally) -> T) -> T {
        act(&mut self.tally.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn work(&self, watch: &Watch) {
        muslin::threads::with_count(1, || {
            while let Some(seed) = self.take() {
                self.run_seed(seed, watch);
            }
        });
    }

    /// The next seed, if there is one.
    fn take(&self) -> Option<u64> {
        let is_late = self
            .arguments
            .minutes
            .is_some_and(|minutes| self.start.elapsed().as_secs_f64() >= 60.0 * minutes);
        let end = self.arguments.scenes.map(|scenes| self.arguments.seed + scenes);
        let step = |seed: u64| (!is_late && end.is_none_or(|end| seed < end)).then_some(seed + 1);
        self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, step).ok()
    }

    fn run_seed(&self, seed: u64, watch: &Watch) {
        let refuse = |reason: &str| self.with_tally(|tally| tally.refuse(reason));
        let Some((case, outcome)) = fitting(self.arguments, seed, watch, refuse) else {
            self.with_tally(|tally| tally.unfit += 1);
            return;
        };
        let of_kind = self.with_tally(|tally| {
            tally.add(seed, &outcome);
            let (_, finding) = outcome.failure.as_ref()?;
            Some(tally.failures.get(&finding.kind).map_or(0, Vec::len))
        });
        if let (Some((step, finding)), Some(of_kind)) = (&outcome.failure, of_kind) {
            println!("FAILED seed {seed}, step {step}: {}: {}", finding.kind, finding.detail);
            if of_kind <= MOST_OF_A_KIND {
                save(self.arguments, seed, &case, &finding.kind, watch);
            }
        }
    }

    /// Tells how far it is, and ends everything when a step hangs.
    fn keep_watch(&self) {
        let mut told = Instant::now();
        while !self.is_over.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(100));
            if let Some(doing) = self.watches.iter().find_map(|watch| watch.overdue(LONGEST_STEP)) {
                self.give_up(&doing);
            }
            if told.elapsed() > Duration::from_secs(5) {
                told = Instant::now();
                let (scenes, steps, failed) =
                    self.with_tally(|tally| (tally.scenes, tally.steps, tally.failed()));
                let seconds = self.start.elapsed().as_secs_f64();
                println!("{seconds:6.0} s: {scenes} scenes, {steps} steps, {failed} failures");
            }
        }
    }

    /// Ends everything: a thread that hangs cannot be stopped.
    fn give_up(&self, doing: &Doing) -> ! {
        println!("{}", doing.case.text());
        println!("HANGS seed {}, step {}: more than {LONGEST_STEP} s", doing.seed, doing.step);
        let name = format!("hang-{}", doing.seed);
        match doing.case.write(&self.arguments.out.join(&name), &name) {
            Ok(path) => println!("  written to {}", path.display()),
            Err(error) => println!("  cannot be written: {error}"),
        }
        self.with_tally(|tally| {
            tally.failures.entry("hang".to_owned()).or_default().push(doing.seed);
            let end = self.next.load(Ordering::Relaxed);
            println!("{}", tally.report(self.arguments.seed, end, self.start.elapsed().as_secs_f64()));
        });
        std::process::exit(1);
    }
}

/// The first draw of a seed that has a clean start, and how it went.
fn fitting(
    arguments: &Arguments,
    seed: u64,
    watch: &Watch,
    refuse: impl Fn(&str),
) -> Option<(Case, Outcome)> {
    watch.take_up(seed);
    (0..DRAWS).find_map(|attempt| {
        let mut case = generate::draw(seed, attempt);
        case.without_contact = arguments.without_contact;
        let outcome = trial::run(&case, watch);
        match &outcome.unfit {
            Some(reason) => {
                refuse(reason);
                None
            }
            None => Some((case, outcome)),
        }
    })
}

/// Shrinks a failure and writes it.
fn save(arguments: &Arguments, seed: u64, case: &Case, kind: &str, watch: &Watch) {
    let small = if arguments.no_shrink { case.clone() } else { shrink(case, kind, BOUNDS, watch) };
    let name = format!("{}-{seed}", kind.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
    match small.write(&arguments.out.join(&name), &name) {
        Ok(path) => println!("  seed {seed}: written to {}", path.display()),
        Err(error) => println!("  seed {seed}: cannot be written: {error}"),
    }
}

/// One seed, with what happened; whether it did not fail.
pub fn only(arguments: &Arguments, seed: u64) -> anyhow::Result<bool> {
    muslin::threads::with_count(1, || {
        let refuse = |reason: &str| println!("not used: {reason}");
        let Some((case, outcome)) = fitting(arguments, seed, &Watch::default(), refuse) else {
            println!("seed {seed}: no draw fits");
            return Ok(true);
        };
        println!("{}", case.text());
        for action in &case.actions {
            println!("# before step {}: {:?}", action.step + 1, action.kind);
        }
        tell(&outcome);
        if let Some((_, finding)) = &outcome.failure {
            save(arguments, seed, &case, &finding.kind, &Watch::default());
        }
        Ok(outcome.failure.is_none())
    })
}

/// A case of its own, with what happened; whether it did not fail.
pub fn replay(arguments: &Arguments, case: &Case) -> anyhow::Result<bool> {
    let mut case = case.clone();
    case.without_contact = arguments.without_contact;
    let outcome = muslin::threads::with_count(1, || trial::run(&case, &Watch::default()));
    if let Some(reason) = &outcome.unfit {
        anyhow::bail!("{reason}");
    }
    tell(&outcome);
    Ok(outcome.failure.is_none())
}

fn tell(outcome: &Outcome) {
    for ((step, speed), seconds) in (1..).zip(&outcome.speeds).zip(&outcome.seconds) {
        println!("step {step:4}: fastest {speed:.3e} m/s, {seconds:.3} s");
    }
    let slowest = outcome.seconds.iter().copied().fold(0.0, f64::max);
    println!(
        "{} particles, {} steps, {} of them swept, slowest {slowest:.3} s, {:.3} s in all, judge {:.3} s{}",
        outcome.particles,
        outcome.steps,
        outcome.swept,
        outcome.seconds.iter().sum::<f64>(),
        outcome.judge_seconds,
        if outcome.diverged { ", diverged" } else { "" }
    );
    match &outcome.failure {
        Some((step, finding)) => println!("FAILED step {step}: {}: {}", finding.kind, finding.detail),
        None => println!("clean"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(without_contact: bool) -> Arguments {
        let switch = if without_contact { &["soak", "--without-contact"][..] } else { &["soak"] };
        clap::Parser::parse_from(switch)
    }

    /// The judge has to notice when nothing is done about contact: in most scenes something gets through something.
    #[test]
    fn without_contact_most_scenes_fail() {
        let arguments = arguments(true);
        let runs = (1000..1040).filter_map(|seed| fitting(&arguments, seed, &Watch::default(), |_| ()));
        let outcomes: Vec<Outcome> = runs.map(|(_, outcome)| outcome).collect();
        let failed = outcomes.iter().filter(|outcome| outcome.failure.is_some()).count();
        assert!(outcomes.len() > 30 && 10 * failed > 6 * outcomes.len(), "{failed} of {}", outcomes.len());
    }

    /// The same seed is the same scene with the same end, on any thread.
    #[test]
    fn a_seed_tells_all() {
        let arguments = arguments(false);
        let run = || {
            let (case, outcome) = fitting(&arguments, 7, &Watch::default(), |_| ()).unwrap();
            (case, outcome.steps, outcome.failure, outcome.diverged)
        };
        let here = run();
        let there = std::thread::scope(|scope| scope.spawn(run).join().unwrap());
        assert_eq!(here, there);
    }
}
