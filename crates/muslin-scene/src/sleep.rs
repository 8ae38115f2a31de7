//! `sleep` of a scene: `true`, or a table of settings.

use muslin::sleep::Sleep;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::fmt;

/// When cloth at rest falls asleep, as a scene has it.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum SleepEntry {
    /// By the usual settings, or never.
    Switch(bool),
    /// By these.
    Settings(Sleep),
}

impl SleepEntry {
    /// The settings; none if nothing is to sleep.
    pub fn settings(self) -> Option<Sleep> {
        match self {
            Self::Switch(is_on) => is_on.then(Sleep::default),
            Self::Settings(sleep) => Some(sleep),
        }
    }
}

/// By hand: the errors of derived choices between a word and a table do not say what is wrong.
impl<'de> Deserialize<'de> for SleepEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SwitchOrTable;

        impl<'de> Visitor<'de> for SwitchOrTable {
            type Value = SleepEntry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`true`, `false`, or `{ speed = …, distance = …, after = … }`")
            }

            fn visit_bool<E: Error>(self, is_on: bool) -> Result<Self::Value, E> {
                Ok(SleepEntry::Switch(is_on))
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Self::Value, A::Error> {
                Sleep::deserialize(MapAccessDeserializer::new(table)).map(SleepEntry::Settings)
            }
        }

        deserializer.deserialize_any(SwitchOrTable)
    }
}
