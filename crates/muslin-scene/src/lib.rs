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
mod scene;
mod solver_choice;
mod solver_settings;
mod source;
mod spans;
mod stage;

pub use body::BodyEntry;
pub use built_in::{BUILT_IN, BuiltIn};
pub use collider::{ColliderEntry, Cuboid, HeightField, Hull, MeshFile, Plane, RoundRod, Sphere};
pub use compile::Setup;
pub use error::SceneError;
pub use nearest::nearest;
pub use parts::Part;
pub use scene::{Picture, Scene, SurfaceFile};
pub use solver_choice::SolverChoice;
pub use source::Source;
pub use stage::Scenery;
