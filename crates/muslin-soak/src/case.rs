//! A case: a scene, the files that it names, and what a caller does to it between steps.

use crate::actions::Action;
use anyhow::Context;
use muslin_scene::{Setup, Source};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use toml::{Table, Value};

/// A scene and what happens to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Case {
    /// The scene file.
    pub scene: Table,
    /// Mesh files beside it, by name.
    pub files: BTreeMap<String, String>,
    /// What the caller does, in the order of steps.
    pub actions: Vec<Action>,
    /// Whether contact is switched off after the start, so that the judge has something to find.
    pub without_contact: bool,
}

/// The file beside a scene that holds the caller's actions.
#[derive(serde::Serialize, serde::Deserialize)]
struct ActionFile {
    action: Vec<Action>,
}

impl Case {
    /// The scene as text.
    pub fn text(&self) -> String {
        let mut scene = self.scene.clone();
        // Inline values first: TOML wants them before tables.
        let tables: Vec<String> =
            scene.iter().filter(|(_, v)| is_section(v)).map(|(k, _)| k.clone()).collect();
        let mut sections = String::new();
        for key in &tables {
            match scene.remove(key) {
                Some(Value::Array(items)) => {
                    for item in &items {
                        lines(&mut sections, &format!("[[{key}]]\n"), item);
                    }
                }
                Some(other) => lines(&mut sections, &format!("[{key}]\n"), &other),
                None => {}
            }
        }
        let mut text = String::new();
        lines(&mut text, "", &Value::Table(scene));
        text + &sections
    }

    /// Writes the scene to `NAME.toml` in a folder, its files beside it, and the actions to `NAME.actions.toml` if there are any.
    pub fn write(&self, folder: &Path, name: &str) -> anyhow::Result<PathBuf> {
        fs::create_dir_all(folder)?;
        let path = folder.join(format!("{name}.toml"));
        fs::write(&path, self.text())?;
        for (file, text) in &self.files {
            fs::write(folder.join(file), text)?;
        }
        if !self.actions.is_empty() {
            let text = toml::to_string(&ActionFile { action: self.actions.clone() })?;
            fs::write(actions_path(&path), text)?;
        }
        Ok(path)
    }

    /// Reads what [`Case::write`] wrote, or any scene file.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let scene: Table = text.parse()?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut files = BTreeMap::new();
        for name in file_names(&Value::Table(scene.clone())) {
            let text = fs::read_to_string(folder.join(&name)).with_context(|| name.clone())?;
            files.insert(name, text);
        }
        let actions = match fs::read_to_string(actions_path(path)) {
            Ok(text) => toml::from_str::<ActionFile>(&text)?.action,
            Err(_) => Vec::new(),
        };
        Ok(Self { scene, files, actions, without_contact: false })
    }

    /// The simulation; the error says why the scene is refused.
    pub fn setup(&self) -> Result<Setup, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        if self.files.is_empty() {
            return Source::text("soak.toml", &self.text()).load().map_err(|error| error.to_string());
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("muslin-soak-{}-{number}", std::process::id()));
        let without_actions = Self { actions: Vec::new(), ..self.clone() };
        let path = without_actions.write(&folder, "soak").map_err(|error| error.to_string())?;
        let setup = Source::open(&path.to_string_lossy()).and_then(|source| source.load());
        let _ = fs::remove_dir_all(&folder);
        setup.map_err(|error| error.to_string())
    }

    /// Forgets files that the scene no longer names.
    pub fn drop_unused_files(&mut self) {
        let names = file_names(&Value::Table(self.scene.clone()));
        self.files.retain(|name, _| names.contains(name));
    }
}

fn actions_path(scene: &Path) -> PathBuf {
    scene.with_extension("actions.toml")
}

/// Whether a value is written as a section: lists of tables, and the solver's and the wind's tables.
fn is_section(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.first().is_some_and(Value::is_table),
        Value::Table(table) => table.contains_key("name") || table.contains_key("coefficient"),
        _ => false,
    }
}

fn lines(text: &mut String, head: &str, table: &Value) {
    text.push_str(head);
    for (key, value) in table.as_table().into_iter().flatten() {
        let _ = writeln!(text, "{key} = {value}");
    }
}

fn file_names(value: &Value) -> Vec<String> {
    match value {
        Value::Table(table) => table
            .iter()
            .flat_map(|(key, value)| match value {
                Value::String(name) if key == "file" => vec![name.clone()],
                other => file_names(other),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(file_names).collect(),
        _ => Vec::new(),
    }
}
