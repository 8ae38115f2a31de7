//! A sheet that falls on a ball and touches itself, by every engine: what a frame costs, and what it looks like then.
//!
//! Qualities differ, and no engine is searched for the cheapest setting: the table tells the largest stretch, and by exact predicates how
//! many pairs of triangles pass through each other, so that costs can be compared with what one gets for them.

use muslin::builder::{Builder, Resolution, Sheet, Surroundings};
use muslin::contact::{ContactLaw, SurfaceContact};
use muslin::material::FabricName;
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::shape::{Collider, Shape};
use muslin::solver::SolverConfig;
use muslin::state::State;
use muslin::world::World;
use muslin_lab::quality::{FRAME, Run};
use std::fmt::Write as _;
use std::time::Instant;

/// Frames of a drape: two seconds.
const FRAMES: usize = 120;
/// Frames between two looks at who passes through whom.
const LOOK: usize = 10;

/// The cloth and the ball.
pub struct Drape {
    /// A sheet of cotton, 1 m wide, 5 cm above the ball.
    pub model: Model,
    /// At rest.
    pub state: State,
    /// Centre of the ball [m].
    pub center: Vec3,
    /// Radius of the ball [m].
    pub radius: Real,
    /// Distance that cloth keeps from cloth [m].
    pub thickness: Real,
    /// Coulomb's coefficient.
    pub friction: Real,
}

impl Drape {
    /// A sheet of so many particles along a side.
    ///
    /// # Panics
    /// If there are fewer than two.
    pub fn new(particles: usize) -> Self {
        let (center, radius, friction) = (Vec3::Z * 0.3, 0.25, 0.3);
        let thickness = 0.1 / (particles as Real - 1.0);
        let mut builder = Builder::default();
        let sheet = Sheet {
            size: [1.0, 1.0],
            resolution: Resolution::Particles([particles, particles]),
            origin: Vec3::new(-0.5, -0.5, 0.6),
            axes: [Vec3::X, Vec3::Y],
            fabric: FabricName::Cotton.fabric(),
            ..Sheet::default()
        };
        let surroundings = Surroundings {
            gravity: Vec3::Z * -9.81,
            colliders: vec![Collider::from(Shape::Sphere { center, radius })],
            contact: ContactLaw::Surface(SurfaceContact {
                thickness: Some(thickness),
                friction,
                ..SurfaceContact::default()
            }),
            ..Surroundings::default()
        };
        builder.add_sheet(&sheet).expect("a sheet of two particles or more");
        let (model, state) = builder.finish(&surroundings).expect("a sheet above a ball");
        Self { model, state, center, radius, thickness, friction }
    }
}

/// Starts an engine on a drape.
pub type Start = Box<dyn Fn(&Drape) -> Box<dyn Run>>;

/// An engine and how it is set.
pub struct DrapeSetting {
    /// The engine.
    pub engine: String,
    /// What is set.
    pub label: String,
    /// Starts it.
    pub start: Start,
}

/// What a drape by an engine cost and looked like.
pub struct DrapeRow {
    engine: String,
    label: String,
    /// Of all frames and of the longest [ms].
    mean: Real,
    worst: Real,
    /// Of any spring along the threads, in the last frame.
    stretch: Real,
    /// Pairs that passed through each other, at the most in any frame looked at.
    intersections: usize,
    failure: Option<String>,
}

impl std::fmt::Display for DrapeRow {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}, {}: {:.2} ms a frame", self.engine, self.label, self.mean)
    }
}

/// Runs a drape by every setting.
pub fn run(drape: &Drape, settings: &[DrapeSetting], mut tell: impl FnMut(&DrapeRow)) -> Vec<DrapeRow> {
    let each = settings.iter().map(|setting| {
        let row = measure(drape, setting);
        tell(&row);
        row
    });
    each.collect()
}

fn measure(drape: &Drape, setting: &DrapeSetting) -> DrapeRow {
    let mut run = (setting.start)(drape);
    let config = SolverConfig::named("symplectic-euler").expect("it is in the list");
    // Only to judge positions by.
    let mut judge = World::new(drape.model.clone(), drape.state.clone(), &config, FRAME);
    let (mut times, mut intersections, mut failure) = (Vec::new(), 0, None);
    for frame in 1..=FRAMES {
        let clock = Instant::now();
        failure = run.advance().err();
        times.push(1e3 * clock.elapsed().as_secs_f64());
        run.read_positions(&mut judge.state.positions);
        if failure.is_some() || judge.state.positions.iter().any(|x| !x.is_finite()) {
            failure = failure.or(Some("lost its numbers".to_owned()));
            break;
        }
        if frame % LOOK == 0 {
            intersections = intersections.max(judge.intersections().len());
        }
    }
    DrapeRow {
        engine: setting.engine.clone(),
        label: setting.label.clone(),
        mean: times.iter().sum::<Real>() / times.len() as Real,
        worst: times.iter().copied().fold(0.0, Real::max),
        stretch: drape.model.stretches(&judge.state.positions).fold(0.0, Real::max),
        intersections,
        failure,
    }
}

/// The rows as a Markdown table; speeds are ratios to the first row.
pub fn markdown(particles: usize, rows: &[DrapeRow]) -> String {
    let mut text = format!("## drape, {particles} x {particles}, with self-contact\n\n");
    let first = rows.first().map_or("", |row| &row.engine);
    let _ = writeln!(
        text,
        "| engine | setting | ms a frame | worst | times {first} | stretch % | passing through |"
    );
    let _ = writeln!(text, "|---|---|---|---|---|---|---|");
    for row in rows {
        let DrapeRow { engine, label, mean, worst, stretch, intersections, failure } = row;
        let (stretch, ratio) = (100.0 * stretch, rows[0].mean / mean);
        let failure = failure.as_deref().map_or(String::new(), |failure| format!(", {failure}"));
        let _ = writeln!(
            text,
            "| {engine} | {label} | {mean:.2} | {worst:.1} | {ratio:.1} | {stretch:.1} | {intersections}{failure} |"
        );
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines;

    #[test]
    fn every_engine_gets_the_sheet_on_the_ball() {
        let drape = Drape::new(9);
        for setting in engines::drapes() {
            let mut run = (setting.start)(&drape);
            let mut positions = Vec::new();
            for _ in 0..30 {
                run.advance().unwrap();
            }
            run.read_positions(&mut positions);
            // After half a second the middle lies on the ball, and the corners hang below it.
            let (middle, corner) = (positions[40], positions[0]);
            assert!((middle.z - 0.55).abs() < 0.05, "{}: {middle}", setting.engine);
            assert!(corner.z < 0.45, "{}: {corner}", setting.engine);
        }
    }

    #[test]
    fn what_passes_through_is_counted() {
        let drape = Drape::new(9);
        let rows = run(&drape, &engines::drapes()[..1], |_| {});
        assert!(rows[0].failure.is_none() && rows[0].mean > 0.0);
        let text = markdown(9, &rows);
        assert!(text.contains("| 1.0 |"), "{text}");
    }
}
