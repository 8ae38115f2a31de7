//! Scenes in which cloth tears, by two methods, every frame judged by exact predicates; and a ball beside a lance.

use crate::report::{Block, Cell, Claim, Column, Outcome, Section, SetUp, Table, Verdict};
use crate::study::Context;
use muslin::mesh::Face;
use muslin::model::Model;
use muslin::prelude::*;
use muslin_scene::Source;

const NAMES: [&str; 8] = [
    "torn-flag",
    "hammock-break",
    "cube-on-net-2-torn",
    "ball-or-lance",
    "curtain-cut",
    "spike-on-net",
    "shirt-from-panels",
    "artery-and-dagger",
];
const METHODS: [&str; 2] = ["pncg", "xpbd"];
/// Fewest faces of a piece that may come off, unless a fabric says otherwise.
const LEAST_PIECE: usize = 4;
/// How many runs there are.
pub const COUNT: usize = NAMES.len() * METHODS.len();

/// A scene by one method.
struct Run {
    scene: &'static str,
    method: &'static str,
    frames: usize,
    /// Frames with an intersection.
    faulty: usize,
    torn: u64,
    deferred: u64,
    /// Faces of the smallest piece of cloth at the end of any frame.
    smallest: usize,
    /// The longest side of any face at the end of any step, by its length at rest; of each sheet.
    longest: Vec<Real>,
}

/// All runs.
pub struct Scenes(Vec<Run>);

impl Scenes {
    /// Runs all.
    pub fn of(context: &Context) -> anyhow::Result<Self> {
        let mut runs = Vec::new();
        for scene in NAMES {
            for method in METHODS {
                runs.push(Run::of(scene, method, context.quick)?);
                context.advance(1);
            }
        }
        Ok(Self(runs))
    }

    /// Frames judged, and those with an intersection.
    pub fn totals(&self) -> [usize; 2] {
        [self.0.iter().map(|run| run.frames).sum(), self.0.iter().map(|run| run.faulty).sum()]
    }
}

impl Run {
    fn of(scene: &'static str, method: &'static str, quick: bool) -> anyhow::Result<Self> {
        let mut source = Source::open(scene)?;
        if source.load()?.solver.name() != method {
            source.replace_solver("the study", method);
        }
        if method == "xpbd" {
            // Its own ten leave cloth softer than its fabric, and soft cloth tears elsewhere.
            source.set("the study", "solver.substeps", "40");
        }
        let setup = source.load()?;
        let (mut world, schedule) = (setup.world(), setup.schedule());
        let (faces, longest) = (world.model.faces.len(), vec![1.0; world.model.parts.len()]);
        let mut run =
            Self { scene, method, frames: 0, faulty: 0, torn: 0, deferred: 0, smallest: faces, longest };
        let last = if quick { schedule.steps().min(30) } else { schedule.steps() };
        for step in 1..=last {
            world.step()?;
            run.note_longest(&world);
            if schedule.marks().contains(&step) || step == last {
                run.frames += 1;
                run.faulty += usize::from(!world.intersections().is_empty());
                run.smallest = run.smallest.min(smallest_piece(&world.model));
            }
        }
        (run.torn, run.deferred) = (world.state.torn.edges, world.state.torn.deferred);
        Ok(run)
    }

    fn note_longest(&mut self, world: &World) {
        let (rest, now) = (&world.model.rest_positions, &world.state.positions);
        for [a, b] in world.model.faces.iter().flat_map(Face::sides) {
            let [a, b] = [a as usize, b as usize];
            let part = world.model.parts.iter().position(|part| part.contains(&(a as u32))).unwrap_or(0);
            let length = now[a].distance(now[b]) / rest[a].distance(rest[b]);
            self.longest[part] = self.longest[part].max(length);
        }
    }
}

/// How many faces the smallest piece of cloth has; pieces hang together by particles.
fn smallest_piece(model: &Model) -> usize {
    let mut parents: Vec<u32> = (0..model.len() as u32).collect();
    let root = |parents: &mut Vec<u32>, mut particle: u32| {
        while parents[particle as usize] != particle {
            parents[particle as usize] = parents[parents[particle as usize] as usize];
            particle = parents[particle as usize];
        }
        particle
    };
    for face in &model.faces {
        let first = root(&mut parents, face.corners()[0]);
        for &corner in face.corners() {
            let other = root(&mut parents, corner);
            parents[other as usize] = first;
        }
    }
    let mut sizes = vec![0; model.len()];
    for face in &model.faces {
        sizes[root(&mut parents, face.corners()[0]) as usize] += 1;
    }
    sizes.into_iter().filter(|&size| size > 0).min().unwrap_or(0)
}

pub fn section(scenes: &Scenes) -> Section {
    Section {
        title: "Scenes that tear".to_owned(),
        blocks: vec![Block::Verdict(verdict(scenes)), Block::Table(table(scenes))],
    }
}

fn verdict(scenes: &Scenes) -> Verdict {
    let [frames, faulty] = scenes.totals();
    let deferred: u64 = scenes.0.iter().map(|run| run.deferred).sum();
    let torn: u64 = scenes.0.iter().map(|run| run.torn).sum();
    let smallest = scenes.0.iter().map(|run| run.smallest).min().unwrap_or(0);
    Claim::new(
        "Torn cloth never passes through anything, and leaves no splinters: no frame of any scene has an intersection, or a piece of fewer than four faces.",
        "docs/book/tearing.md",
    )
        .under(SetUp::default().assumed("scenes", NAMES.join(", ")).assumed("methods", METHODS.join(", ")))
        .judged(
            if faulty == 0 && smallest >= LEAST_PIECE { Outcome::Holds } else { Outcome::Overturned },
            format!("{faulty} of {frames} frames of {COUNT} runs have an intersection; {torn} edges tore, and {deferred} tears had to wait for room; the smallest piece has {smallest} faces."),
        )
}

fn table(scenes: &Scenes) -> Table {
    let row = |run: &Run| {
        let longest: Vec<String> = run.longest.iter().map(|l| format!("{l:.2}")).collect();
        vec![
            Cell::text(run.scene),
            Cell::text(run.method),
            Cell::count(run.frames),
            if run.faulty == 0 { Cell::count(0).good() } else { Cell::count(run.faulty).bad() },
            Cell::count(run.torn as usize),
            Cell::count(run.deferred as usize),
            if run.smallest >= LEAST_PIECE {
                Cell::count(run.smallest).good()
            } else {
                Cell::count(run.smallest).bad()
            },
            Cell::text(longest.join(", ")),
        ]
    };
    Table {
        name: "scenes".to_owned(),
        caption: "Frames judged by exact predicates; edges that tore, and tears that waited; faces of the smallest piece; the longest side of a face at the end of any step, by its length at rest, of each sheet \
                  (in ball-or-lance the ball's, then the lance's)."
            .to_owned(),
        columns: vec![
            Column::plain("scene"),
            Column::plain("method"),
            Column::measured("frames"),
            Column::measured("with intersections"),
            Column::measured("edges torn"),
            Column::measured("waited"),
            Column::measured("smallest piece").unit("faces"),
            Column::measured("longest side"),
        ],
        rows: scenes.0.iter().map(row).collect(),
    }
}
