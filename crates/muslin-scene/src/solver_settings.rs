//! The `[solver]` table: a method's name and its settings.

use crate::nearest::nearest;
use muslin::solver::{SettingsReviser, SolverConfig};
use toml::{Table, Value};

/// What is wrong, and at which key below `solver`.
pub struct SettingsError {
    pub key: String,
    pub message: String,
}

/// More iterations than this is a slip of the pen.
const MOST_ITERATIONS: i64 = 1_000_000;

/// The method that the `[solver]` table names, with its settings; none if it names none.
pub fn read(table: &Table) -> Result<Option<SolverConfig>, SettingsError> {
    let name = match table.get("name") {
        None => return Ok(None),
        Some(Value::String(name)) => name.as_str(),
        Some(other) => {
            return Err(SettingsError {
                key: "name".into(),
                message: format!("is {other}, but must be the name of a solver: {}", list()),
            });
        }
    };
    let Some(config) = SolverConfig::named(name) else {
        let hint = nearest(name, SolverConfig::NAMES.iter().copied());
        let hint = hint.map_or(String::new(), |hint| format!(" Did you mean \"{hint}\"?"));
        let message = format!("is \"{name}\", but there is no such solver.{hint} There are: {}", list());
        return Err(SettingsError { key: "name".into(), message });
    };
    revise(&config, table).map(Some)
}

/// A method with the settings that the table has for it.
pub fn revise(config: &SolverConfig, table: &Table) -> Result<SolverConfig, SettingsError> {
    config.revise(&Overlay { table, name: config.name() })
}

fn list() -> String {
    SolverConfig::NAMES.join(", ")
}

/// Lays the written settings over the default ones, one key at a time, so that a bad one can be named.
struct Overlay<'a> {
    table: &'a Table,
    name: &'a str,
}

impl SettingsReviser for Overlay<'_> {
    type Error = SettingsError;

    fn revise<T: serde::Serialize + serde::de::DeserializeOwned>(
        &self,
        defaults: &T,
    ) -> Result<T, SettingsError> {
        let fail = |key: &str, message: String| SettingsError { key: key.to_owned(), message };
        let mut settings = Table::try_from(defaults).map_err(|error| fail("", error.to_string()))?;
        let known: Vec<String> = settings.keys().cloned().collect();
        for (key, value) in self.table.iter().filter(|(key, _)| *key != "name") {
            if !known.contains(key) {
                let hint = nearest(key, known.iter().map(String::as_str));
                let hint = hint.map_or(String::new(), |hint| format!(" Did you mean `{hint}`?"));
                let choice = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(fail(key, format!("is not a setting of {}.{hint} It has: {choice}", self.name)));
            }
            let number = value.as_float().or(value.as_integer().map(|whole| whole as f64));
            if let Some(number) = number.filter(|number| !(number.is_finite() && *number > 0.0)) {
                return Err(fail(key, format!("is {number}, but must be greater than 0 and finite")));
            }
            if value.as_integer().is_some_and(|whole| whole > MOST_ITERATIONS) {
                return Err(fail(key, format!("is {value}, but must be at most {MOST_ITERATIONS}")));
            }
            settings.insert(key.clone(), value.clone());
            settings
                .clone()
                .try_into::<T>()
                .map_err(|error| fail(key, format!("is {value}, but: {}", error.message().trim_end())))?;
        }
        settings.try_into().map_err(|error: toml::de::Error| fail("", error.message().to_owned()))
    }
}
