//! What the document says of its methods, judged on its own scenes by its own methods.

use super::{Results, scan};
use crate::report::{Block, Claim, Machine, Outcome, Section, SetUp, Verdict};
use muslin::math::Real;

const SOURCE: &str = "Carvalho 2012";
/// The document's explicit methods, and its implicit ones.
const EXPLICIT: [&str; 4] = ["explicit Euler", "midpoint", "RK4", "improved Verlet"];
const IMPLICIT: [&str; 2] = ["implicit, Kang & Cho", "implicit, Zhou as printed"];

impl Results {
    pub(super) fn verdicts(&self) -> Section {
        Section {
            title: "What holds".to_owned(),
            blocks: [self.implicit_steps(), self.contact_and_wind(), self.real_time(), self.damping()]
                .map(Block::Verdict)
                .to_vec(),
        }
    }

    /// The scenes at their full length.
    fn set_up(&self) -> SetUp {
        let seconds = self.setups.each_ref().map(|setup| setup.duration);
        SetUp::default()
            .stated("seconds simulated", "[4.0, 3.0, 4.0]", &format!("{seconds:?}"))
            .assumed("stable", format!("every edge under {} rest lengths", scan::LONGEST_EDGE))
    }

    fn implicit_steps(&self) -> Verdict {
        let step = |method: &str| self.entry(method, 0).largest_step;
        let explicit = EXPLICIT.iter().map(|method| step(method)).fold(0.0, Real::max);
        // Of one order of magnitude: less than ten times as large.
        let alike = IMPLICIT.iter().filter(|method| step(method) < 10.0 * explicit).count();
        let exact = step("implicit Euler, PCG");
        let sweeps = self.entry(IMPLICIT[1], 0).run.as_ref().map_or(Real::NAN, |run| run.iterations);
        Claim::new(
            "In scene 1 the largest steps of both implicit methods are below those of the explicit ones or of their order of magnitude.",
            SOURCE,
        )
        .under(self.set_up().assumed("forms", "Kang & Cho with pⱼ, Zhou as printed with ω = 0.001"))
        .judged(
            match alike {
                0 => Outcome::Overturned,
                2 => Outcome::Holds,
                _ => Outcome::Partly,
            },
            format!(
                "Kang & Cho's single sweep allows {:.1} ms and Zhou's printed sweeps {:.1} ms, the best explicit method {:.1} ms. Zhou's do {sweeps:.1} sweeps a step on average, each of \
                 which adds a thousandth of what it should: they return about their first guess. Solved to the end, which the document did not do, implicit Euler is stable at {:.1} ms.",
                1e3 * step(IMPLICIT[0]),
                1e3 * step(IMPLICIT[1]),
                1e3 * explicit,
                1e3 * exact
            ),
        )
    }

    fn contact_and_wind(&self) -> Verdict {
        let [coarse, fine] = [&self.grid[0], &self.grid[1]];
        let [first, second, third] = [0, 1, 2].map(|scene| self.entry("RK4", scene).largest_step);
        // One increment is what a scan can tell.
        let same = |a: Real, b: Real| (a - b).abs() < 1.1 * scan::INCREMENT;
        Claim::new("Contact (scene 2) and wind (scene 3) cut the usable step.", SOURCE)
            .under(self.set_up())
            .judged(
                match (same(fine.1[1], second), same(self.still, third)) {
                    (true, true) => Outcome::Overturned,
                    (false, false) => Outcome::Holds,
                    _ => Outcome::Partly,
                },
                format!(
                    "RK4 falls from {:.1} to {:.1} ms between scenes 1 and 2, and from {:.1} to {:.1} ms in scene 1 itself when its grid is made as fine as scene 2's. In scene 3 it has {:.1} ms \
                     with the wind and {:.1} ms without.",
                    1e3 * first,
                    1e3 * second,
                    1e3 * coarse.1[1],
                    1e3 * fine.1[1],
                    1e3 * third,
                    1e3 * self.still
                ),
            )
    }

    fn real_time(&self) -> Verdict {
        let slowest = self.slowest();
        Claim::new("None of the methods runs in real time.", SOURCE)
            .under(self.set_up().stated(
                "machine",
                "Core 2 Quad, 2.33 GHz",
                &Machine::detect().cpu.unwrap_or_else(|| "another".to_owned()),
            ))
            .judged(
                if slowest.0 > 1.0 { Outcome::Overturned } else { Outcome::Holds },
                format!(
                    "The slowest, {} in {}, is {:.1} times faster than real time on one thread.",
                    slowest.1, slowest.2, slowest.0
                ),
            )
    }

    fn damping(&self) -> Verdict {
        let left = |method: &str| {
            let run = self.entry(method, 0).run.as_ref();
            run.and_then(|run| run.kinetic.last()).map_or(Real::NAN, |last| last[1])
        };
        let [explicit, implicit] = [&EXPLICIT[..], &IMPLICIT[..]]
            .map(|methods| methods.iter().map(|method| left(method)).collect::<Vec<Real>>());
        let calmer = explicit.iter().filter(|a| implicit.iter().all(|b| **a < *b)).count();
        let list = |energies: &[Real]| {
            energies.iter().map(|energy| format!("{energy:.1e}")).collect::<Vec<_>>().join(", ")
        };
        Claim::new("Explicit methods look more damped than both implicit ones.", SOURCE)
            .under(self.set_up().assumed("measure", "kinetic energy at the end of scene 1, each method at its largest step"))
            .judged(
                match calmer {
                    0 => Outcome::Overturned,
                    4 => Outcome::Holds,
                    _ => Outcome::Partly,
                },
                format!(
                    "Left of the explicit methods ({}): {} J; of Kang & Cho's single sweep and of Zhou's printed ones {} J. It is jitter of incomplete solves: implicit Euler solved to the \
                     end leaves {:.1e} J.",
                    EXPLICIT.join(", "),
                    list(&explicit),
                    list(&implicit),
                    left("implicit Euler, PCG")
                ),
            )
    }
}
