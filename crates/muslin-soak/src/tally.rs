//! What a soak has found so far.

use crate::judge::Finding;
use crate::trial::Outcome;
use std::collections::BTreeMap;

/// Slowest steps that are listed.
const SLOWEST: usize = 10;

/// Counts over all scenes.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Scenes that were judged.
    pub scenes: u64,
    /// Scenes for which no draw fitted.
    pub unfit: u64,
    /// Draws that were refused or not clean, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Steps that were judged.
    pub steps: u64,
    /// Steps whose ways were judged, too.
    pub swept: u64,
    /// Particles times steps.
    pub particle_steps: u64,
    /// Scenes that ended as diverged.
    pub diverged: u64,
    /// Seeds of failures, by kind.
    pub failures: BTreeMap<String, Vec<u64>>,
    /// Seconds of processor time, seed and step of the slowest steps, with the number of particles.
    pub slowest: Vec<(f64, u64, u32, usize)>,
    /// Seconds spent in steps and in the judge.
    pub seconds: [f64; 2],
    /// Seeds of which the library's own audit said something else than the judge at the end.
    pub disputed: Vec<u64>,
}

impl Tally {
    /// Adds a scene.
    pub fn add(&mut self, seed: u64, outcome: &Outcome) {
        self.scenes += 1;
        self.steps += u64::from(outcome.steps);
        self.swept += u64::from(outcome.swept);
        self.particle_steps += u64::from(outcome.steps) * outcome.particles as u64;
        self.diverged += u64::from(outcome.diverged);
        if outcome.is_disputed {
            self.disputed.push(seed);
        }
        self.seconds[0] += outcome.seconds.iter().sum::<f64>();
        self.seconds[1] += outcome.judge_seconds;
        if let Some((_, Finding { kind, .. })) = &outcome.failure {
            self.failures.entry(kind.clone()).or_default().push(seed);
        }
        let steps = outcome.seconds.iter().zip(1..);
        self.slowest.extend(steps.map(|(&seconds, step)| (seconds, seed, step, outcome.particles)));
        self.slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
        self.slowest.truncate(SLOWEST);
    }

    /// Adds a draw that could not be used.
    pub fn refuse(&mut self, reason: &str) {
        *self.refused.entry(reason.to_owned()).or_default() += 1;
    }

    /// Failures in all.
    pub fn failed(&self) -> usize {
        self.failures.values().map(Vec::len).sum()
    }

    /// The report at the end.
    pub fn report(&self, first: u64, end: u64, seconds: f64) -> String {
        let mut lines = vec![
            format!(
                "soak: {} scenes (seeds {first} to {}), {} steps judged, {} of them swept, {} particle steps, in {seconds:.0} s",
                self.scenes,
                end.max(first + 1) - 1,
                self.steps,
                self.swept,
                self.particle_steps
            ),
            format!(
                "  {:.0} s of steps, {:.0} s of the judge; {} scenes diverged, {} seeds without a fitting draw",
                self.seconds[0], self.seconds[1], self.diverged, self.unfit
            ),
        ];
        if !self.disputed.is_empty() {
            let (count, some) = (self.disputed.len(), &self.disputed[..self.disputed.len().min(12)]);
            lines.push(format!(
                "  the library's audit differs from the judge in {count} scenes: seeds {some:?}"
            ));
        }
        lines.push("  slowest steps:".to_owned());
        lines.extend(self.slowest.iter().map(|(seconds, seed, step, particles)| {
            format!("    {seconds:7.3} s  seed {seed} step {step}, {particles} particles")
        }));
        lines.push(format!("  {} failures", self.failed()));
        lines.extend(self.failures.iter().map(|(kind, seeds)| {
            format!("    {:4}  {kind}: seeds {:?}", seeds.len(), &seeds[..seeds.len().min(12)])
        }));
        lines.join("\n")
    }
}
