//! What an interrupted run leaves for `muslin run --resume`: checkpoint-HASH.muslin, the world; resume.json, how it was run, and which
//! checkpoint belongs to it. A process that dies while they are written leaves the pair before, or the new one.

use crate::Failure;
use crate::output::{remove, write};
use crate::picture::PictureKind;
use crate::scene_changes::SceneChanges;
use crate::summary::Untangled;
use muslin::hash::bytes_hash;
use muslin::world::World;
use muslin_io::animation::AnimationFormat;
use muslin_scene::{End, Ending, Frame, Progress, Setup, Sink};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// How the file of an interrupted run is named.
pub const RECIPE: &str = "resume.json";

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
    /// The scene as it was loaded, with all changes.
    fingerprint: String,
    /// The file of the world, its length [bytes] and its hash.
    checkpoint: String,
    checkpoint_length: u64,
    checkpoint_hash: String,
    step: u64,
    wall_seconds: f64,
    out_of_time: u64,
}

impl Recipe {
    /// Of a run from its start.
    pub fn new(
        scene: &str,
        setup: &Setup,
        changes: &SceneChanges,
        picture: &[PictureKind],
        export: &[AnimationFormat],
    ) -> Self {
        // From wherever it is resumed. Links stay: meshes are beside the link, and the scene has its name.
        let path = Path::new(scene);
        let path = if path.is_file() { std::path::absolute(path).ok() } else { None };
        Self {
            scene: path.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| scene.to_owned()),
            changes: changes.clone(),
            picture: picture.to_vec(),
            export: export.iter().map(ToString::to_string).collect(),
            fingerprint: fingerprint(setup),
            ..Self::default()
        }
    }

    /// Of an interrupted run in a folder, and its world.
    pub fn read(folder: &Path) -> Result<(Self, World), Failure> {
        let wrong = |name: &str, error: &dyn std::fmt::Display| {
            let folder = folder.display();
            Failure::Input(format!("--resume {folder}: {name}: {error}"))
        };
        if !folder.join(RECIPE).exists() {
            return Err(Failure::Input(format!(
                "nothing to resume in {}: the run there has finished, or was never interrupted",
                folder.display()
            )));
        }
        let text = std::fs::read_to_string(folder.join(RECIPE)).map_err(|error| wrong(RECIPE, &error))?;
        let recipe: Self = serde_json::from_str(&text).map_err(|error| wrong(RECIPE, &error))?;
        let name = &recipe.checkpoint;
        if !is_checkpoint(name) {
            return Err(wrong(RECIPE, &format!("`{name}` is no name of a checkpoint")));
        }
        let bytes = std::fs::read(folder.join(name)).map_err(|error| wrong(name, &error))?;
        let (length, needed) = (bytes.len() as u64, recipe.checkpoint_length);
        if length < needed {
            return Err(wrong(name, &format!("a damaged checkpoint: {} bytes are missing", needed - length)));
        }
        if length > needed || hash_of(&bytes) != recipe.checkpoint_hash {
            return Err(wrong(name, &format!("a damaged checkpoint, or not that of this {RECIPE}")));
        }
        let world = World::restore(&bytes).map_err(|error| wrong(name, &error))?;
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

    /// Refuses a scene, as it was loaded, that is not the one of the run any more.
    pub fn check_scene(&self, setup: &Setup) -> Result<(), Failure> {
        self.refuse_unless(self.fingerprint == fingerprint(setup))
    }

    /// Refuses a scene, repaired as it was in the run, with another model than the world. What may have torn since is in the
    /// fingerprint.
    pub fn check_model(&self, setup: &Setup, world: &World) -> Result<(), Failure> {
        self.refuse_unless(setup.model.may_change_topology() || setup.model == world.model)
    }

    fn refuse_unless(&self, is_same: bool) -> Result<(), Failure> {
        let scene = &self.scene;
        let message = || format!("{scene} has changed since the run was interrupted: run it anew");
        if is_same { Ok(()) } else { Err(Failure::Input(message())) }
    }
}

/// The hash of all that a scene says besides its model, unless that may change while it runs, with the changes that were made: of its text for programmers, which has all
/// digits of all numbers.
fn fingerprint(setup: &Setup) -> String {
    struct Hash(u64);
    impl Write for Hash {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            for &byte in text.as_bytes() {
                self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
            }
            Ok(())
        }
    }
    let Setup { name, description, state, solver, dt, substeps, duration, frame_rate, .. } = setup;
    let mut hash = Hash(0xCBF2_9CE4_8422_2325);
    let _ = write!(hash, "{:?}", (name, description, state, solver, dt, substeps));
    let _ = write!(hash, "{:?}", (duration, frame_rate, &setup.picture, &setup.expect));
    if setup.model.may_change_topology() {
        let _ = write!(hash, "{:?}", *setup.model);
    }
    // Only where there are some: runs that were interrupted before there were any can still be resumed.
    if let Some(steps) = &setup.step_lengths {
        let _ = write!(hash, "{steps:?}");
    }
    format!("{:016x}", hash.0)
}

fn hash_of(bytes: &[u8]) -> String {
    format!("{:016x}", bytes_hash(bytes))
}

/// Whether a file of this name is a checkpoint of a run.
fn is_checkpoint(name: &str) -> bool {
    let hash = name.strip_prefix("checkpoint-").and_then(|rest| rest.strip_suffix(".muslin"));
    hash.is_some_and(|hash| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Removes all checkpoints in a folder but one.
pub fn remove_checkpoints(folder: &Path, but: Option<&str>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_stale = name.to_str().is_some_and(|name| {
            name == "checkpoint.muslin" || is_checkpoint(name.strip_suffix(".part").unwrap_or(name))
        });
        if is_stale && name.to_str() != but {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
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
            let bytes = ending.world.checkpoint();
            let hash = hash_of(&bytes);
            let name = format!("checkpoint-{hash}.muslin");
            write(&self.folder, &name, &bytes)?;
            let recipe = Recipe {
                checkpoint: name.clone(),
                checkpoint_length: bytes.len() as u64,
                checkpoint_hash: hash,
                step,
                wall_seconds,
                out_of_time,
                ..self.recipe.clone()
            };
            write(&self.folder, RECIPE, serde_json::to_string_pretty(&recipe)? + "\n")?;
            return Ok(remove_checkpoints(&self.folder, Some(&name))?);
        }
        // Without the recipe the run has ended: it goes first, and what it needs after it.
        remove(&self.folder.join(RECIPE))?;
        remove_checkpoints(&self.folder, None)?;
        Ok(remove(&self.folder.join("cloth.glb.part"))?)
    }
}
