//! Options that change a scene.

use crate::Failure;
use muslin_scene::{Setup, Source};
use serde::{Deserialize, Serialize};

/// What to change in a scene before it is used.
#[derive(clap::Args, Clone, Debug, Default, Serialize, Deserialize)]
pub struct SceneChanges {
    /// The method (see `muslin list`)
    #[arg(long, value_name = "NAME")]
    solver: Option<String>,
    /// Time step [s]
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    dt: Option<String>,
    /// Solver steps per time step
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    substeps: Option<String>,
    /// Simulated time [s]
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    duration: Option<String>,
    /// Change a key of the scene, as in sheet.0.size='[2, 1]' or solver.tolerance=1e-6
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl SceneChanges {
    /// Reads the scene and makes the changes.
    pub fn load(&self, scene: &str) -> Result<Setup, Failure> {
        let mut source = Source::open(scene)?;
        if let Some(name) = &self.solver {
            // Settings of the scene's own method mean nothing to another one.
            source.replace_solver(&format!("--solver {name}"), name);
        }
        for (key, value) in [("dt", &self.dt), ("substeps", &self.substeps), ("duration", &self.duration)] {
            if let Some(value) = value {
                source.set(&format!("--{key} {value}"), key, value);
            }
        }
        for change in &self.set {
            let Some((key, value)) = change.split_once('=') else {
                return Err(Failure::Input(format!(
                    "--set {change}: must have the form KEY=VALUE, as in --set dt=0.001"
                )));
            };
            source.set(&format!("--set {change}"), key.trim(), value.trim());
        }
        Ok(source.load()?)
    }
}
