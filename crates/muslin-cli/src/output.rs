//! The files that a run leaves behind: summary.json, metrics.csv, final.csv.

use muslin::body::BodyState;
use muslin::contact::{ContactReport, RepairReport};
use muslin::elements::Elements;
use muslin::hash::state_hash;
use muslin::math::Real;
use muslin::measure::Measures;
use muslin::state::State;
use muslin_scene::Setup;
use serde_json::{Value, json};
use std::fmt::Write;

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
    pub untangled: Option<RepairReport>,
    /// Solver steps that ended because their time budget was spent.
    pub out_of_time: u64,
    /// Whether it left the numbers.
    pub diverged: bool,
    /// Whether the user ended it before its time.
    pub interrupted: bool,
    /// What is wrong with the results, in words.
    pub warnings: Vec<String>,
}

/// summary.json: its keys stay for good.
pub fn summary(setup: &Setup, state: &State, last: &Measures, outcome: &Outcome) -> Value {
    let energy = last.energy;
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
            "untangled": outcome.untangled.as_ref().map(untangled),
        })),
        "out_of_time": outcome.out_of_time,
        "diverged": outcome.diverged,
        "interrupted": outcome.interrupted,
        "warnings": outcome.warnings,
        "state_hash": format!("{:016x}", state_hash(state)),
        "version": env!("CARGO_PKG_VERSION"),
    })
}

/// What was done about a start that was not clean.
fn untangled(report: &RepairReport) -> Value {
    json!({
        "intersections": report.before.pairs.len(),
        "inside": report.before.inside.len(),
        "moved": report.moved,
        "largest_move": report.farthest.map_or(0.0, |moved| moved.way()),
        "remaining": report.after.count(),
    })
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

/// How many there are of each kind of element, whatever their law.
pub fn element_counts(elements: &Elements) -> [(&'static str, usize); 7] {
    [
        ("springs", elements.springs.len()),
        ("rods", elements.rods.len()),
        ("membranes", elements.membranes.len() + elements.corotated_membranes.len()),
        ("hinges", elements.hinges.len() + elements.quadratic_hinges.len()),
        ("tets", elements.tets.len()),
        ("attachments", elements.attachments.len()),
        ("pressures", elements.pressures.len()),
    ]
}

/// The kinds of element that there are, in words.
pub fn elements_in_words(elements: &Elements) -> String {
    let present = element_counts(elements).into_iter().filter(|(_, count)| *count > 0);
    let words: Vec<String> = present.map(|(kind, count)| format!("{count} {kind}")).collect();
    if words.is_empty() { "no elements".to_owned() } else { words.join(", ") }
}

/// metrics.csv: a row a frame.
pub struct Metrics(String);

impl Metrics {
    /// The head of the table.
    pub fn new() -> Self {
        let head = "frame,time,kinetic,elastic,gravity,total,dissipated,\
            momentum_x,momentum_y,momentum_z,angular_x,angular_y,angular_z,max_stretch,mean_stretch,max_penetration\n";
        Self(head.to_owned())
    }

    /// Adds a frame.
    pub fn add(&mut self, frame: usize, m: &Measures) {
        let (e, p, l) = (m.energy, m.momentum, m.angular_momentum);
        let numbers = [
            m.time,
            e.kinetic,
            e.elastic,
            e.gravity,
            e.total(),
            m.dissipated,
            p.x,
            p.y,
            p.z,
            l.x,
            l.y,
            l.z,
            m.stretch.max,
            m.stretch.mean,
            m.max_penetration,
        ];
        let _ = write!(self.0, "{frame}");
        for number in numbers {
            let _ = write!(self.0, ",{number}");
        }
        self.0.push('\n');
    }

    /// The whole table.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// final.csv: every particle at the end, in full precision.
pub fn final_state(state: &State) -> String {
    let mut text = "particle,x,y,z,vx,vy,vz\n".to_owned();
    for (particle, (x, v)) in state.positions.iter().zip(&state.velocities).enumerate() {
        let _ = writeln!(text, "{particle},{},{},{},{},{},{}", x.x, x.y, x.z, v.x, v.y, v.z);
    }
    text
}
