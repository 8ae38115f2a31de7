//! Published claims, and when they may be judged: only on runs of their own set-up.
//!
//! ```
//! use muslin_lab::report::{Claim, Outcome, SetUp};
//!
//! let claim = || Claim::new("Ten sweeps hold 1 % stretch.", "[Sample 2007, §3]");
//! // What the source states beside what was run, and what it leaves open.
//! let set_up = |side: usize| {
//!     let grid = |side: usize| format!("{side} × {side}");
//!     SetUp::default().stated("particles", grid(50), grid(side)).assumed("mass of a particle", "1 g")
//! };
//! let found = "The largest stretch is 0.8 %.";
//! assert_eq!(claim().under(set_up(50)).judged(Outcome::Holds, found).outcome(), Some(Outcome::Holds));
//! assert_eq!(claim().under(set_up(20)).judged(Outcome::Holds, found).outcome(), None);
//! assert_eq!(claim().not_tested("No sweeps were run.").outcome(), None);
//! ```

use std::fmt::Display;

/// Whether a published claim stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The claim was reproduced.
    Holds,
    /// The opposite was measured.
    Overturned,
    /// The claim was reproduced under conditions it does not name.
    Partly,
}

impl Outcome {
    /// Every outcome, the best first.
    pub const ALL: [Self; 3] = [Self::Holds, Self::Partly, Self::Overturned];

    /// The word a reader sees.
    pub fn word(self) -> &'static str {
        match self {
            Self::Holds => "Holds",
            Self::Overturned => "Overturned",
            Self::Partly => "Partly",
        }
    }
}

/// A published claim, not judged yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    text: String,
    source: String,
}

impl Claim {
    /// What was published, and where, such as `[Macklin 2016, §5]`; the place may be empty.
    pub fn new(text: impl Into<String>, source: impl Into<String>) -> Self {
        Self { text: text.into(), source: source.into() }
    }

    /// The claim beside the set-up that was run for it.
    pub fn under(self, set_up: SetUp) -> Trial {
        Trial { claim: self, set_up }
    }

    /// The claim was not tested, for a reason.
    pub fn not_tested(self, reason: impl Into<String>) -> Verdict {
        let Self { text, source } = self;
        Verdict { claim: text, source, set_up: SetUp::default(), judgement: Err(reason.into()) }
    }
}

/// What the source of a claim says of its set-up, beside what was run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetUp {
    conditions: Vec<Condition>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    what: String,
    /// None if the source leaves it open.
    stated: Option<String>,
    run: String,
}

impl SetUp {
    /// A condition that the source states. It is met if the run had the same.
    #[must_use]
    pub fn stated<T: Display>(mut self, what: impl Into<String>, stated: T, run: T) -> Self {
        let (stated, run) = (Some(stated.to_string()), run.to_string());
        self.conditions.push(Condition { what: what.into(), stated, run });
        self
    }

    /// A condition that the source leaves open, and what was taken for it.
    #[must_use]
    pub fn assumed(mut self, what: impl Into<String>, run: impl Display) -> Self {
        self.conditions.push(Condition { what: what.into(), stated: None, run: run.to_string() });
        self
    }

    /// Why runs of this set-up say nothing about the claim, if they do not.
    fn objection(&self) -> Option<String> {
        if self.conditions.is_empty() {
            return Some("No set-up was run.".to_owned());
        }
        let differs = |c: &&Condition| c.stated.as_ref().is_some_and(|stated| *stated != c.run);
        let words = |c: &Condition| {
            format!("{} {} instead of {}", c.what, c.run, c.stated.as_deref().unwrap_or_default())
        };
        let others: Vec<String> = self.conditions.iter().filter(differs).map(words).collect();
        (!others.is_empty()).then(|| format!("Its own set-up was not run: {}.", others.join("; ")))
    }

    /// What was run, in words; empty if there is nothing to say.
    pub(super) fn words(&self) -> String {
        let list = |is_stated: bool| {
            let some = self.conditions.iter().filter(|c| c.stated.is_some() == is_stated);
            some.map(|c| format!("{} {}", c.what, c.run)).collect::<Vec<_>>().join(", ")
        };
        let [stated, assumed] = [true, false].map(list);
        match (stated.is_empty(), assumed.is_empty()) {
            (true, true) => String::new(),
            (false, true) => format!("Set-up: {stated}."),
            (true, false) => format!("Set-up, left open by the source: {assumed}."),
            (false, false) => format!("Set-up: {stated}; left open by the source: {assumed}."),
        }
    }
}

/// A claim with the set-up that was run for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    claim: Claim,
    set_up: SetUp,
}

impl Trial {
    /// What became of the claim. The outcome stands only if the set-up is the claim's own: else the claim was not tested, and the
    /// finding is told for what it is.
    pub fn judged(self, outcome: Outcome, finding: impl Into<String>) -> Verdict {
        let Self { claim: Claim { text, source }, set_up } = self;
        let finding = finding.into();
        let judgement = match set_up.objection() {
            None => Ok((outcome, finding)),
            Some(objection) => Err(format!("{objection} What was run: {finding}")),
        };
        Verdict { claim: text, source, set_up, judgement }
    }
}

/// A published claim and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub(super) claim: String,
    pub(super) source: String,
    pub(super) set_up: SetUp,
    /// Outcome and finding, or why it was not tested.
    judgement: Result<(Outcome, String), String>,
}

/// What a reader sees in place of an outcome if there is none.
pub(super) const NOT_TESTED: &str = "Not tested";

impl Verdict {
    /// Whether the claim stands; none if it was not tested.
    pub fn outcome(&self) -> Option<Outcome> {
        self.judgement.as_ref().ok().map(|(outcome, _)| *outcome)
    }

    /// What was measured, or why the claim was not tested.
    pub fn finding(&self) -> &str {
        match &self.judgement {
            Ok((_, finding)) => finding,
            Err(reason) => reason,
        }
    }

    /// The same claim as a quick run leaves it: not tested.
    pub(super) fn withheld(&self) -> Self {
        let reason = "A quick run is too short to judge claims.".to_owned();
        Self { set_up: SetUp::default(), judgement: Err(reason), ..self.clone() }
    }

    /// What was published.
    pub fn claim(&self) -> &str {
        &self.claim
    }

    /// The word a reader sees first.
    pub fn word(&self) -> &'static str {
        self.outcome().map_or(NOT_TESTED, Outcome::word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(set_up: SetUp) -> Verdict {
        Claim::new("It floats.", "").under(set_up).judged(Outcome::Holds, "It does.")
    }

    #[test]
    fn an_outcome_needs_a_set_up() {
        let none = verdict(SetUp::default());
        assert_eq!((none.outcome(), none.word()), (None, "Not tested"));
        assert_eq!(none.finding(), "No set-up was run. What was run: It does.");
    }

    #[test]
    fn an_outcome_needs_every_stated_condition() {
        let set_up = || SetUp::default().stated("force", "10 N", "10 N").assumed("mass", "1 g");
        let own = verdict(set_up());
        assert_eq!(own.outcome(), Some(Outcome::Holds));
        assert_eq!(own.set_up.words(), "Set-up: force 10 N; left open by the source: mass 1 g.");
        let other = verdict(set_up().stated("particles", 400, 256).stated("law", "a", "b"));
        assert_eq!(other.outcome(), None);
        assert_eq!(
            other.finding(),
            "Its own set-up was not run: particles 256 instead of 400; law b instead of a. What was run: It does."
        );
    }

    #[test]
    fn a_claim_without_a_test_says_why() {
        let verdict = Claim::new("It floats.", "").not_tested("There was no water.");
        assert_eq!((verdict.outcome(), verdict.finding()), (None, "There was no water."));
    }
}
