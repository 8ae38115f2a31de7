//! Where a scene comes from: a file, a built-in name, or text; with changes from the command line.

use crate::built_in::BUILT_IN;
use crate::compile::{Files, compile};
use crate::error::SceneError;
use crate::nearest::nearest;
use crate::scene::Scene;
use crate::setup::Setup;
use crate::spans::{Part, key_at, line_of, line_of_key, parts};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The text of a scene, and what is to be changed in it.
#[derive(Clone, Debug)]
pub struct Source {
    file: String,
    text: String,
    folder: Option<PathBuf>,
    changes: Vec<Change>,
}

#[derive(Clone, Debug)]
struct Change {
    /// How the user said it: `--dt 0`.
    origin: String,
    key: String,
    value: Value,
}

impl Source {
    /// Opens a path to a `.toml` file, or a built-in scene by its name.
    pub fn open(name: &str) -> Result<Self, SceneError> {
        if let Some(scene) = BUILT_IN.iter().find(|scene| scene.name == name) {
            return Ok(Self { folder: None, ..Self::text(name, scene.text) });
        }
        let path = Path::new(name);
        let fail = |message: String| SceneError { file: name.to_owned(), line: None, message };
        let looks_like_a_file = path.extension().is_some() || name.contains(['/', '\\']);
        if !looks_like_a_file && !path.exists() {
            let hint = nearest(name, BUILT_IN.iter().map(|scene| scene.name));
            let hint = hint.map_or(String::new(), |hint| format!(" Did you mean \"{hint}\"?"));
            let names: Vec<&str> = BUILT_IN.iter().map(|scene| scene.name).collect();
            return Err(fail(format!(
                "there is neither a file nor a built-in scene of this name.{hint} Built in: {}",
                names.join(", ")
            )));
        }
        if path.exists() && !path.is_file() {
            return Err(fail("is no file".to_owned()));
        }
        let text = std::fs::read_to_string(path).map_err(|error| fail(format!("cannot be read: {error}")))?;
        Ok(Self {
            folder: Some(path.parent().unwrap_or(Path::new("")).to_owned()),
            ..Self::text(name, &text)
        })
    }

    /// A scene given as text; `file` stands in messages.
    pub fn text(file: &str, text: &str) -> Self {
        Self { file: file.to_owned(), text: text.to_owned(), folder: None, changes: Vec::new() }
    }

    /// Changes one key, as in `--set sheet.0.size=[2, 2]`. What is not a TOML value is taken as a string.
    pub fn set(&mut self, origin: &str, key: &str, value: &str) {
        let parsed = format!("v = {value}").parse::<Table>().ok().and_then(|mut table| table.remove("v"));
        let value = parsed.unwrap_or_else(|| Value::String(value.to_owned()));
        self.changes.push(Change { origin: origin.to_owned(), key: key.to_owned(), value });
    }

    /// Uses another method, with its own default settings.
    pub fn replace_solver(&mut self, origin: &str, name: &str) {
        let table = Table::from_iter([("name".to_owned(), Value::String(name.to_owned()))]);
        self.changes.push(Change {
            origin: origin.to_owned(),
            key: "solver".to_owned(),
            value: Value::Table(table),
        });
    }

    /// Reads, changes, checks and builds the scene.
    pub fn load(&self) -> Result<Setup, SceneError> {
        let mut scene: Scene = toml::from_str(&self.text).map_err(|error| self.explain(&error))?;
        if !self.changes.is_empty() {
            scene = self.changed()?;
            scene.expect.clear(); // what holds for a scene need not hold for a changed one
        }
        if scene.name.is_empty() {
            let stem = Path::new(&self.file).file_stem().and_then(|stem| stem.to_str());
            stem.unwrap_or("scene").clone_into(&mut scene.name);
        }
        let files = Files { folder: self.folder.as_deref() };
        compile(scene, &files).map_err(|error| self.blame(&error.path, &error.to_string()))
    }

    /// The scene with all changes made. If they do not make a scene, the first is blamed from which on they do not.
    fn changed(&self) -> Result<Scene, SceneError> {
        let mut table: Table = self.text.parse().map_err(|error| self.explain(&error))?;
        // Two ways to say one thing: the one on the command line stands for that of the text.
        for (key, other) in [("dt", "steps"), ("steps", "dt")] {
            if self.changes.iter().any(|change| parts(&change.key).first() == Some(&Part::Key(key))) {
                table.remove(other);
            }
        }
        let mut refusal = None;
        for change in &self.changes {
            let fail = |message: &str| SceneError {
                file: self.file.clone(),
                line: None,
                message: format!("{}: {message}", change.origin),
            };
            put(&mut table, &parts(&change.key), &change.value).map_err(|message| fail(&message))?;
            // What one change leaves incomplete, the next may complete.
            match table.clone().try_into::<Scene>() {
                Ok(_) => refusal = None,
                Err(error) => refusal = refusal.or_else(|| Some(fail(&with_hint(error.message())))),
            }
        }
        match refusal {
            Some(refusal) => Err(refusal),
            None => table.try_into().map_err(|error| self.explain(&error)),
        }
    }

    /// Says where in the text a reading error is.
    fn explain(&self, error: &toml::de::Error) -> SceneError {
        let span = error.span().unwrap_or(0..0);
        let key = key_at(&self.text, span.start);
        let message = with_hint(error.message());
        let message = match key {
            Some(key) if !message.contains(&format!("`{key}`")) => format!("`{key}`: {message}"),
            _ => message,
        };
        let line = error.span().map(|span| line_of(&self.text, span.start));
        SceneError { file: self.file.clone(), line, message }
    }

    /// Blames the line of a key, or the change that set it.
    fn blame(&self, path: &str, message: &str) -> SceneError {
        let wanted = parts(path);
        let culprit = self.changes.iter().rev().find(|change| {
            let key = parts(&change.key);
            !wanted.is_empty() && (wanted.starts_with(&key) || key.starts_with(&wanted))
        });
        let (line, message) = match culprit {
            Some(change) => (None, format!("{}: {message}", change.origin)),
            None => (line_of_key(&self.text, path), message.to_owned()),
        };
        SceneError { file: self.file.clone(), line, message }
    }
}

/// Puts a value at a path, making tables on the way.
fn put(table: &mut Table, path: &[Part], value: &Value) -> Result<(), String> {
    let Some((Part::Key(first), rest)) = path.split_first() else {
        return Err("the key must begin with a name, as in sheet.0.size".to_owned());
    };
    if rest.is_empty() {
        table.insert((*first).to_owned(), value.clone());
        return Ok(());
    }
    let mut place = table.entry((*first).to_owned()).or_insert_with(|| Value::Table(Table::new()));
    for part in rest {
        place = match (part, place) {
            (Part::Key(key), Value::Table(table)) => {
                table.entry((*key).to_owned()).or_insert_with(|| Value::Table(Table::new()))
            }
            (Part::Index(index), Value::Array(array)) => {
                let count = array.len();
                array
                    .get_mut(*index)
                    .ok_or_else(|| format!("there is no number {index}; there are {count}"))?
            }
            (Part::Key(key), other) => return Err(format!("`{key}` is asked of {other}, which is no table")),
            (Part::Index(index), other) => {
                return Err(format!("number {index} is asked of {other}, which is no list"));
            }
        };
    }
    *place = value.clone();
    Ok(())
}

/// A message of the reader with a guess added if it names an unknown word among known ones.
fn with_hint(message: &str) -> String {
    let message = message.trim_end().replace('\n', " ");
    if message.contains("unit variant, expected newtype variant") {
        // A word where a table is wanted.
        return "is a word, but must be a table, as in `contact = { surface = {} }`".to_owned();
    }
    let mut quoted = message.split('`').skip(1).step_by(2);
    let hint = match quoted.next() {
        Some(word) if message.starts_with("unknown") => nearest(word, quoted),
        _ => None,
    };
    match hint {
        Some(hint) => format!("{message}. Did you mean `{hint}`?"),
        None => message,
    }
}
