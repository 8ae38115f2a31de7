//! summary.json: what a run has to tell.

use crate::output::{element_counts, write};
use crate::resume::RECIPE;
use crate::warnings;
use muslin::body::BodyState;
use muslin::contact::{ContactReport, RepairReport};
use muslin::hash::state_hash;
use muslin::math::Real;
use muslin::measure::Measures;
use muslin::model::ModelData;
use muslin::state::State;
use muslin::threads;
use muslin_scene::{End, Ending, Frame, Setup, Sink};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Gathers what a run has to tell, and writes it.
pub struct Summary<'a> {
    setup: &'a Setup,
    folder: PathBuf,
    last: Measures,
    outcome: Outcome,
    /// What is wrong with the results, in words.
    pub warnings: Vec<String>,
    /// What was written.
    pub json: Value,
}

impl<'a> Summary<'a> {
    /// Will be written to a folder, with the repair of the start and the warnings from before the run.
    pub fn new(setup: &'a Setup, folder: &Path, untangled: Option<Untangled>, warnings: Vec<String>) -> Self {
        Self {
            setup,
            folder: folder.to_owned(),
            last: Measures::default(),
            outcome: Outcome { untangled, warnings, ..Outcome::default() },
            warnings: Vec::new(),
            json: Value::Null,
        }
    }

    /// Counts what was seen before an interruption: the largest stretch and the deepest penetration [m].
    pub fn count_earlier(&mut self, stretch: Real, penetration: Real) {
        self.outcome.worst_stretch = stretch;
        self.outcome.max_penetration = penetration;
    }

    /// The last words of a run that was not interrupted and did not diverge.
    pub fn conclude(&self) {
        let Outcome { steps, wall_seconds, worst_stretch, .. } = self.outcome;
        say!(
            "{steps} steps in {wall_seconds:.2} s: {:.1} times real time; largest stretch {:.2} %, state {}",
            self.last.time / wall_seconds.max(Real::MIN_POSITIVE),
            100.0 * worst_stretch,
            self.json["state_hash"].as_str().unwrap_or_default()
        );
        say!("→ {}", self.folder.display());
    }

    /// How far an interrupted run got, and where that is.
    pub fn interrupted(&self) -> String {
        self.ended("interrupted", true)
    }

    /// How far a run got that could not write its results, and whether it can be resumed.
    pub fn stopped(&self) -> String {
        self.ended("stopped", self.folder.join(RECIPE).exists())
    }

    fn ended(&self, how: &str, is_resumable: bool) -> String {
        let folder = self.folder.display().to_string();
        let go_on = if is_resumable {
            format!("to go on: muslin run --resume {}", as_one_word(&folder))
        } else {
            "it cannot be resumed".to_owned()
        };
        let frames = match self.outcome.frames {
            1 => "frame up to there is".to_owned(),
            frames => format!("{frames} frames up to there are"),
        };
        format!(
            "{}: {how} at {:.4} of {} s; the {frames} in {folder}{}\n{go_on}",
            self.setup.name,
            self.last.time,
            self.setup.duration,
            if how == "stopped" { ", but for what is named above" } else { "" },
        )
    }
}

/// A path as a shell takes it for one word.
fn as_one_word(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_./,:=@%+-\\".contains(c);
    if path.chars().all(is_plain) && !path.starts_with('-') {
        return path.to_owned();
    }
    format!("'{}'", path.replace('\'', r"'\''"))
}

impl Sink for Summary<'_> {
    fn frame(&mut self, frame: &Frame) -> anyhow::Result<()> {
        self.last = *frame.measures();
        self.outcome.worst_stretch = self.outcome.worst_stretch.max(self.last.stretch.max);
        self.outcome.max_penetration = self.outcome.max_penetration.max(self.last.max_penetration);
        Ok(())
    }

    fn finish(&mut self, ending: &Ending) -> anyhow::Result<()> {
        let outcome = &mut self.outcome;
        outcome.frames = ending.last.number + 1;
        outcome.steps = ending.world.steps();
        outcome.wall_seconds = ending.progress.wall_seconds;
        outcome.out_of_time = ending.progress.out_of_time;
        outcome.threads = threads::count();
        outcome.sleeping = ending.world.sleeping_particles();
        outcome.contact = ending.world.contact_report();
        outcome.refused_seams = ending.world.state.sewn.refused;
        outcome.waiting_partners = ending.world.model.waiting_partners();
        outcome.diverged = matches!(ending.end, End::Diverged(_));
        outcome.interrupted = ending.end == End::Interrupted;
        outcome.intersections = (!outcome.diverged).then(|| ending.world.intersections().len());
        self.warnings = warnings::of(self.setup, outcome);
        outcome.warnings.extend_from_slice(&self.warnings);
        self.json = summary(self.setup, ending, &self.last, outcome);
        write(&self.folder, "summary.json", format!("{:#}\n", self.json))
    }
}

/// What a run has to tell, besides its last frame.
#[derive(Default)]
pub struct Outcome {
    /// Frames taken.
    pub frames: usize,
    /// Solver steps done.
    pub steps: u64,
    /// Wall time of stepping alone [s].
    pub wall_seconds: Real,
    /// Threads used.
    pub threads: usize,
    /// The largest stretch of any frame.
    pub worst_stretch: Real,
    /// The deepest penetration of any frame [m].
    pub max_penetration: Real,
    /// Pairs of triangles that intersect at the end; none if the run did not get there.
    pub intersections: Option<usize>,
    /// What contact of surfaces did, if it was on.
    pub contact: Option<ContactReport>,
    /// How the start was repaired, if it had to be.
    pub untangled: Option<Untangled>,
    /// Particles that sleep at the end.
    pub sleeping: usize,
    /// Seams that could not begin.
    pub refused_seams: u64,
    /// Pairs of partners of seams that are not joined at the end.
    pub waiting_partners: usize,
    /// Solver steps that ended because their time budget was spent.
    pub out_of_time: u64,
    /// Whether positions or velocities became non-finite.
    pub diverged: bool,
    /// Whether the user ended it before its time.
    pub interrupted: bool,
    /// What is wrong with the results, in words.
    pub warnings: Vec<String>,
}

/// The text of summary.json: its keys stay for good.
fn summary(setup: &Setup, ending: &Ending, last: &Measures, outcome: &Outcome) -> Value {
    let (state, energy) = (&ending.last.state, last.energy);
    json!({
        "scene": setup.name,
        "solver": setup.solver.name(),
        "particles": setup.model.len(),
        "elements": Value::Object(
            element_counts(&setup.model.elements).map(|(kind, count)| (kind.to_owned(), json!(count))).into_iter().collect(),
        ),
        "dt": setup.dt,
        "substeps": setup.substeps,
        "duration": state.time,
        "frames": outcome.frames,
        "steps": outcome.steps,
        "wall_seconds": outcome.wall_seconds,
        "real_time_factor": state.time / outcome.wall_seconds.max(Real::MIN_POSITIVE),
        "threads": outcome.threads,
        "max_stretch": last.stretch.max,
        "mean_stretch": last.stretch.mean,
        "worst_stretch": outcome.worst_stretch,
        "energy": {
            "kinetic": energy.kinetic,
            "elastic": energy.elastic,
            "gravity": energy.gravity,
            "total": energy.total(),
            "dissipated": last.dissipated,
            "released": last.released,
        },
        "bodies": state.bodies.iter().map(body).collect::<Vec<Value>>(),
        "momentum": last.momentum.to_array(),
        "angular_momentum": last.angular_momentum.to_array(),
        "max_penetration": outcome.max_penetration,
        "intersections": outcome.intersections,
        "contact": outcome.contact.map(|contact| json!({
            "motion_lost": contact.lost / contact.wanted.max(Real::MIN_POSITIVE),
            "steps_too_fast": contact.too_fast,
            "slowed": contact.slowed,
            "lag": contact.largest_lag,
            "untangled": outcome.untangled,
        })),
        "torn": {
            "edges": state.torn.edges,
            "deferred": state.torn.deferred,
            "fracture": state.torn.fracture,
            "particles": state.positions.len() + state.sewn.joined as usize - setup.model.len(),
        },
        "seams": seams(&ending.world.model, state),
        "sleeping": outcome.sleeping,
        "out_of_time": outcome.out_of_time,
        "diverged": outcome.diverged,
        "interrupted": outcome.interrupted,
        "warnings": outcome.warnings,
        "state_hash": format!("{:016x}", state_hash(state)),
        "version": env!("CARGO_PKG_VERSION"),
    })
}

/// How far seams have come.
fn seams(model: &ModelData, state: &State) -> Value {
    json!({
        "to_begin": model.seams.len(),
        "begun": state.sewn.gathers.len(),
        "refused": state.sewn.refused,
        "joined": state.sewn.joined,
        "waiting": model.waiting_partners(),
        "gathers": state.sewn.gathers,
    })
}

/// What was done about a start that was not clean.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Untangled {
    intersections: usize,
    inside: usize,
    moved: usize,
    largest_move: Real,
    /// What still intersects, or lies in solids.
    pub remaining: usize,
}

impl From<&RepairReport> for Untangled {
    fn from(report: &RepairReport) -> Self {
        Self {
            intersections: report.before.pairs.len(),
            inside: report.before.inside.len(),
            moved: report.moved,
            largest_move: report.farthest.map_or(0.0, |moved| moved.distance()),
            remaining: report.after.count(),
        }
    }
}

/// Where a rigid body is and how it moves.
fn body(state: &BodyState) -> Value {
    json!({
        "position": state.pose.center.to_array(),
        "rotation": state.pose.rotation.to_scaled_axis().to_array(),
        "velocity": state.velocity.to_array(),
        "angular_velocity": state.spin.to_array(),
    })
}
