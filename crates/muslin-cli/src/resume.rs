//! What an interrupted run leaves for `muslin run --resume`: checkpoint.muslin, the world; resume.json, how it was run.

use crate::Failure;
use crate::output::write;
use crate::picture::PictureKind;
use crate::scene_changes::SceneChanges;
use crate::summary::Untangled;
use muslin::model::Model;
use muslin::world::World;
use muslin_io::animation::AnimationFormat;
use muslin_scene::{End, Ending, Frame, Progress, Setup, Sink};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const CHECKPOINT: &str = "checkpoint.muslin";
const RECIPE: &str = "resume.json";

/// How a run was made, and how far it is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Recipe {
    /// A built-in scene, or the path of a file.
    pub scene: String,
    /// What was changed in it.
    pub changes: SceneChanges,
    /// Pictures to draw.
    pub picture: Vec<PictureKind>,
    /// Formats to export, by their names.
    export: Vec<String>,
    /// How the start was repaired.
    pub untangled: Option<Untangled>,
    step: u64,
    wall_seconds: f64,
    out_of_time: u64,
}

impl Recipe {
    /// Of a run from its start.
    pub fn new(
        scene: &str,
        changes: &SceneChanges,
        picture: &[PictureKind],
        export: &[AnimationFormat],
    ) -> Self {
        // From wherever it is resumed.
        let path = Path::new(scene);
        let path = if path.is_file() { path.canonicalize().ok() } else { None };
        Self {
            scene: path.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| scene.to_owned()),
            changes: changes.clone(),
            picture: picture.to_vec(),
            export: export.iter().map(ToString::to_string).collect(),
            ..Self::default()
        }
    }

    /// Of an interrupted run in a folder, and its world.
    pub fn read(folder: &Path) -> Result<(Self, World), Failure> {
        let wrong = |name: &str, error: &dyn std::fmt::Display| {
            let folder = folder.display();
            Failure::Input(format!("--resume {folder}: {name}: {error}"))
        };
        let text = std::fs::read_to_string(folder.join(RECIPE)).map_err(|error| wrong(RECIPE, &error))?;
        let recipe: Self = serde_json::from_str(&text).map_err(|error| wrong(RECIPE, &error))?;
        let bytes = std::fs::read(folder.join(CHECKPOINT)).map_err(|error| wrong(CHECKPOINT, &error))?;
        let world = World::restore(&bytes).map_err(|error| wrong(CHECKPOINT, &error))?;
        Ok((recipe, world))
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        Progress { step: self.step, wall_seconds: self.wall_seconds, out_of_time: self.out_of_time }
    }

    /// The formats to export.
    pub fn export(&self) -> Result<Vec<AnimationFormat>, Failure> {
        let formats = self.export.iter().map(|name| name.parse());
        formats.collect::<Result<_, _>>().map_err(|error| Failure::Input(format!("{RECIPE}: {error}")))
    }

    /// Refuses a scene that is not the one of the world any more.
    pub fn check(&self, setup: &Setup, world: &World) -> Result<(), Failure> {
        let is_same = are_same(&setup.model, &world.model)
            && setup.solver == *world.solver()
            && (setup.dt, setup.substeps) == (world.dt, world.substeps);
        if is_same {
            return Ok(());
        }
        let scene = &self.scene;
        Err(Failure::Input(format!("{scene} has changed since the run was interrupted: run it anew")))
    }
}

/// Whether models are the same but for what a run changes in them.
fn are_same(one: &Model, other: &Model) -> bool {
    one.masses == other.masses
        && one.inverse_masses == other.inverse_masses
        && one.elements == other.elements
        && one.forces == other.forces
        && one.faces == other.faces
        && one.script.moves == other.script.moves
        && one.colliders == other.colliders
        && one.bodies == other.bodies
        && one.contact == other.contact
        && one.strain_limit == other.strain_limit
}

/// Writes what is needed to go on with a run that is interrupted; removes it when it is done.
pub struct ResumePoint {
    folder: PathBuf,
    recipe: Recipe,
}

impl ResumePoint {
    /// Will be written to a folder.
    pub fn new(folder: &Path, recipe: Recipe) -> Self {
        Self { folder: folder.to_owned(), recipe }
    }
}

impl Sink for ResumePoint {
    fn frame(&mut self, _frame: &Frame) -> anyhow::Result<()> {
        Ok(())
    }

    fn finish(&mut self, ending: &Ending) -> anyhow::Result<()> {
        if ending.end == End::Interrupted {
            let Progress { step, wall_seconds, out_of_time } = ending.progress;
            let recipe = Recipe { step, wall_seconds, out_of_time, ..self.recipe.clone() };
            write(&self.folder, CHECKPOINT, ending.world.checkpoint())?;
            return write(&self.folder, RECIPE, serde_json::to_string_pretty(&recipe)? + "\n");
        }
        for name in [CHECKPOINT, RECIPE] {
            let path = self.folder.join(name);
            if path.exists() {
                std::fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}
