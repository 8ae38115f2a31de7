//! Scenes: text that describes a simulation, checked and turned into one.
//!
//! ```
//! let scene = muslin_scene::Source::text("my.toml", r#"
//!     duration = 0.5
//!     dt = 0.01
//!     [[sheet]]
//!     pins = [{ at = "corners" }]
//! "#);
//! let setup = scene.load()?;
//! assert_eq!(setup.model.len(), 21 * 21);
//! # Ok::<(), muslin_scene::SceneError>(())
//! ```

mod body;
mod built_in;
mod collider;
mod compile;
mod error;
mod nearest;
mod parts;
mod runner;
mod scene;
mod schedule;
mod setup;
mod sink;
mod sleep;
mod solver_choice;
mod solver_settings;
mod source;
mod spans;
mod stage;
mod step_lengths;
mod steps;

pub use body::BodyEntry;
pub use built_in::{BUILT_IN, BuiltIn};
pub use collider::{ColliderEntry, Cuboid, HeightField, Hull, MeshFile, Plane, RoundRod, Sphere};
pub use error::SceneError;
pub use nearest::nearest;
pub use parts::Part;
pub use runner::Runner;
pub use scene::{Picture, Scene, SurfaceFile};
pub use schedule::Schedule;
pub use setup::{Setup, Start};
pub use sink::{End, Ending, Frame, LastFrame, Progress, Sink};
pub use sleep::SleepEntry;
pub use solver_choice::SolverChoice;
pub use source::Source;
pub use stage::Scenery;
pub use step_lengths::{RandomSteps, StepLengths, StepsEntry};
pub use steps::{run_steps, run_while, watch_steps};
