//! How to get the same report again: version, settings, machine.

use serde::Serialize;

/// Everything that decides a report's numbers, and the circumstances of the run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Manifest {
    /// Version of muslin.
    pub version: String,
    /// Whether the run was shortened, for a look and not for a result.
    pub quick: bool,
    /// Seed of the random numbers, if there were any.
    pub seed: Option<u64>,
    /// The study's own settings, usually an object.
    pub settings: serde_json::Value,
    /// Where it ran.
    pub machine: Machine,
    /// When it started, in words or in ISO 8601; the report does not look at the clock.
    pub started: String,
    /// How long it took [s].
    pub wall_seconds: f64,
}

/// The computer a study ran on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// Operating system, such as `linux`.
    pub os: String,
    /// Instruction set, such as `x86_64`.
    pub arch: String,
    /// Threads that run at the same time; 0 if unknown.
    pub cores: usize,
    /// The processor's name, where the system tells.
    pub cpu: Option<String>,
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            quick: false,
            seed: None,
            settings: serde_json::Value::Null,
            machine: Machine::default(),
            started: String::new(),
            wall_seconds: 0.0,
        }
    }
}

impl Machine {
    /// This computer.
    pub fn detect() -> Self {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Self {
            os: std::env::consts::OS.into(),
            arch: std::env::consts::ARCH.into(),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            cpu: cpu_model(&cpuinfo),
        }
    }
}

impl Manifest {
    /// The content of `manifest.json`.
    pub(super) fn json(&self, study: &str, files: &[String]) -> String {
        #[derive(Serialize)]
        struct Page<'a> {
            study: &'a str,
            #[serde(flatten)]
            manifest: &'a Manifest,
            files: &'a [String],
        }
        let page = Page { study, manifest: self, files };
        let json = serde_json::to_string_pretty(&page).unwrap_or_else(|_| unreachable!("keys are strings"));
        json + "\n"
    }

    /// Every entry with its name, for people: nested settings as `solver.iterations`.
    pub(super) fn entries(&self) -> Vec<(String, String)> {
        let mut entries = vec![("version".into(), format!("muslin {}", self.version))];
        entries.push(("run".into(), if self.quick { "quick" } else { "full" }.into()));
        entries.extend(self.seed.map(|seed| ("seed".into(), seed.to_string())));
        entries.push(("started".into(), self.started.clone()));
        entries.push(("wall time".into(), duration(self.wall_seconds)));
        entries.push(("machine".into(), self.machine.describe()));
        flatten("", &self.settings, &mut entries);
        entries.retain(|(_, value)| !value.is_empty());
        entries
    }
}

impl Machine {
    fn describe(&self) -> String {
        let mut parts: Vec<String> = self.cpu.iter().cloned().collect();
        parts.extend((self.cores > 0).then(|| format!("{} threads", self.cores)));
        parts.extend([&self.arch, &self.os].into_iter().filter(|part| !part.is_empty()).cloned());
        parts.join(", ")
    }
}

/// `0.4 s`, `75 s`, `12 min 30 s`, `3 h 5 min`; empty if it is not known.
pub(super) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match seconds {
        s if !s.is_finite() || s <= 0.0 => String::new(),
        s if s < 10.0 => format!("{} s", super::number::rounded(s, 2)),
        _ if whole < 120 => format!("{whole} s"),
        _ if whole < 7200 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

fn flatten(path: &str, value: &serde_json::Value, entries: &mut Vec<(String, String)>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (key, value) in fields {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                flatten(&path, value, entries);
            }
        }
        serde_json::Value::Null => {}
        serde_json::Value::String(text) => entries.push((named(path), text.clone())),
        other => entries.push((named(path), other.to_string())),
    }
}

fn named(path: &str) -> String {
    if path.is_empty() { "settings".into() } else { path.into() }
}

fn cpu_model(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, model)| model.trim().to_string()).filter(|model| !model.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_model_is_found() {
        let cpuinfo = "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nprocessor\t: 1\nmodel name\t: Other\n";
        assert_eq!(cpu_model(cpuinfo).as_deref(), Some("Some CPU @ 2 GHz"));
        assert_eq!(cpu_model("processor: 0\n"), None);
        assert!(!Machine::detect().os.is_empty());
    }

    #[test]
    fn json_holds_everything() {
        let manifest = Manifest {
            seed: Some(7),
            settings: serde_json::json!({ "solver": { "iterations": 10 } }),
            wall_seconds: f64::NAN,
            ..Manifest::default()
        };
        let json = manifest.json("a-study", &["report.html".into()]);
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(read["study"], "a-study");
        assert_eq!(read["seed"], 7);
        assert_eq!(read["settings"]["solver"]["iterations"], 10);
        assert_eq!(read["files"][0], "report.html");
        assert!(manifest.entries().contains(&("solver.iterations".into(), "10".into())));
    }

    #[test]
    fn durations() {
        for (seconds, text) in [
            (0.42, "0.42 s"),
            (75.2, "75 s"),
            (750.0, "12 min 30 s"),
            (11_100.0, "3 h 5 min"),
            (f64::NAN, ""),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }
}
