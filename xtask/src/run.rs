//! Where things lie in the workspace, and how other programs are started.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Builds all programs and examples in release, once for all that run them.
pub const RELEASE_BUILD: &str = "build --release --workspace --bins --examples";

/// The folders that every command works with, as absolute paths.
pub struct Workspace {
    pub root: PathBuf,
    pub target: PathBuf,
}

impl Workspace {
    /// Finds the workspace of the running `cargo xtask`.
    pub fn locate() -> Self {
        // Asked at run time first: a target folder shared by two checkouts may hold the other one's path.
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest.parent().map_or_else(|| manifest.clone(), Path::to_path_buf);
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => std::path::absolute(&folder).unwrap_or_else(|_| PathBuf::from(folder)),
            None => root.join("target"),
        };
        Self { root, target }
    }

    /// `cargo` with the given words, to be run at the root.
    pub fn cargo(&self, words: &str) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(words.split_whitespace()).current_dir(&self.root).env("CARGO_TARGET_DIR", &self.target);
        command
    }

    /// The released command `muslin`, to be run at the root; it must have been built.
    pub fn muslin(&self) -> Command {
        self.released("muslin")
    }

    /// A program of the workspace, or an example, as `examples/NAME`, as the release build left it. Cargo would build it again with
    /// the features that it alone needs.
    pub fn released(&self, name: &str) -> Command {
        let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        let mut command = Command::new(self.target.join("release").join(name));
        command.current_dir(&self.root);
        command
    }

    /// The scene files of the gallery, in the order of their names; none if there is no gallery.
    pub fn scenes(&self) -> Result<Vec<PathBuf>, String> {
        let mut scenes = entries(&self.root.join("scenes"))?;
        scenes.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
        Ok(scenes)
    }
}

/// Runs a program with our own input and output; an error names it and its exit code.
pub fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{} did not start: {error}", line(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{} ended with {status}", line(command))) }
}

/// The command as one would type it, with the program's bare name.
fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_stem().unwrap_or(program.as_os_str());
    let words: Vec<_> =
        std::iter::once(name).chain(command.get_args()).map(|word| word.to_string_lossy()).collect();
    format!("`{}`", words.join(" "))
}

/// What lies in a folder, sorted; nothing if the folder does not exist.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut paths = fs::read_dir(folder)
        .and_then(|entries| {
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()
        })
        .map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    paths.sort();
    Ok(paths)
}

/// A path's name without folder and extension.
pub fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// An empty folder that vanishes with its owner.
pub struct TemporaryFolder {
    pub path: PathBuf,
}

impl TemporaryFolder {
    /// Makes a folder that no other process and no earlier call was given.
    pub fn new() -> Result<Self, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("muslin-xtask-{}-{number}", std::process::id()));
        // A leftover of a process that once had this number and was killed.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).map_err(|error| format!("cannot create {}: {error}", path.display()))?;
        Ok(Self { path })
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_its_command() {
        let workspace = Workspace::locate();
        let message =
            run(workspace.cargo("no-such-command").stderr(std::process::Stdio::null())).unwrap_err();
        assert!(message.starts_with("`cargo no-such-command` ended with"), "{message}");
    }

    #[test]
    fn temporary_folders_are_fresh_and_go_away() {
        let (first, second) = (TemporaryFolder::new().unwrap(), TemporaryFolder::new().unwrap());
        assert_ne!(first.path, second.path);
        let path = first.path.clone();
        assert_eq!(entries(&path).unwrap(), Vec::<PathBuf>::new());
        drop(first);
        assert!(!path.exists());
    }
}
