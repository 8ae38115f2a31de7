//! Watching over workers: what each is doing and since when, and what the last panic said.

use crate::case::Case;
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Processor time of a thread where the system tells it (Linux), the time of day otherwise: on a machine that is busy with other
/// things a step must not count as slow for that.
#[derive(Clone, Debug)]
pub struct ThreadClock {
    schedule: Option<PathBuf>,
    start: Instant,
}

impl ThreadClock {
    /// Of the calling thread.
    pub fn here() -> Self {
        let folder = fs::read_link("/proc/thread-self").ok();
        let schedule = folder.map(|folder| Path::new("/proc").join(folder).join("schedstat"));
        Self { schedule: schedule.filter(|path| path.exists()), start: Instant::now() }
    }

    /// Since some fixed moment [s]; can be asked from any thread.
    pub fn seconds(&self) -> f64 {
        let text = self.schedule.as_ref().and_then(|path| fs::read_to_string(path).ok());
        // Nanoseconds on a processor, those of waiting for one, and a count.
        let busy = text.as_ref().and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
        busy.map_or_else(|| self.start.elapsed().as_secs_f64(), |nanoseconds| 1e-9 * nanoseconds)
    }
}

/// What a worker is doing.
#[derive(Clone, Debug, Default)]
pub struct Watch(Arc<Mutex<Doing>>);

/// A step under way.
#[derive(Clone, Debug, Default)]
pub struct Doing {
    /// The seed of the case.
    pub seed: u64,
    /// The case.
    pub case: Case,
    /// Which step.
    pub step: u32,
    /// Since when, by which clock, if at all [s].
    pub since: Option<(f64, ThreadClock)>,
}

impl Watch {
    fn with<T>(&self, act: impl FnOnce(&mut Doing) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes up a seed.
    pub fn take_up(&self, seed: u64) {
        self.with(|doing| *doing = Doing { seed, ..Doing::default() });
    }

    /// Runs a case of the seed.
    pub fn show(&self, case: &Case) {
        self.with(|doing| doing.case = case.clone());
    }

    /// A step begins.
    pub fn begin(&self, step: u32) {
        let clock = ThreadClock::here();
        self.with(|doing| (doing.step, doing.since) = (step, Some((clock.seconds(), clock))));
    }

    /// It has ended.
    pub fn end(&self) {
        self.with(|doing| doing.since = None);
    }

    /// What has been under way for longer than a limit [s], if anything.
    pub fn overdue(&self, limit: f64) -> Option<Doing> {
        let doing = self.with(|doing| doing.clone());
        let (since, clock) = doing.since.as_ref()?;
        (clock.seconds() - since > limit).then_some(doing)
    }
}

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps panics quiet; their place and message are remembered for the thread.
pub fn catch_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
        let payload = info.payload();
        let message = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        LAST_PANIC.with(|last| *last.borrow_mut() = format!("{place}: {message}"));
    }));
}

/// Place and message of the last panic of this thread.
pub fn last_panic() -> String {
    LAST_PANIC.with(|last| last.borrow().clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work counts, and on Linux sleep does not.
    #[test]
    fn a_clock_counts_work() {
        let clock = ThreadClock::here();
        let start = clock.seconds();
        let mut sum = 0.0_f64;
        while clock.seconds() - start < 0.05 {
            sum = (sum + 1.0).sqrt();
        }
        assert!(sum > 0.0);
        if clock.schedule.is_some() {
            let start = clock.seconds();
            std::thread::sleep(std::time::Duration::from_millis(200));
            assert!(clock.seconds() - start < 0.1);
        }
    }

    #[test]
    fn a_step_is_overdue_until_it_ends() {
        let watch = Watch::default();
        watch.take_up(5);
        assert!(watch.overdue(-1.0).is_none());
        watch.begin(3);
        assert_eq!(watch.overdue(-1.0).map(|doing| (doing.seed, doing.step)), Some((5, 3)));
        assert!(watch.overdue(1e3).is_none());
        watch.end();
        assert!(watch.overdue(-1.0).is_none());
    }
}
