//! What most programs need: `use muslin::prelude::*;`.

pub use crate::body::{Pose, RigidBody};
pub use crate::builder::{
    Ball, Block, BodyDescription, Builder, Drag, Mass, Pillow, Pin, Place, Resolution, Rope, Sheet, Side,
    Surface, Surroundings,
};
pub use crate::command::{Command, CommandError, Recording};
pub use crate::contact_law::{ContactLaw, SurfaceContact};
pub use crate::material::{Fabric, FabricName};
pub use crate::math::{Real, Rotation, Vec3};
pub use crate::mesh::Mesh;
pub use crate::model::{Model, PartId};
pub use crate::script::Motion;
pub use crate::seam::Seam;
pub use crate::shape::{Collider, Shape};
pub use crate::solver::SolverConfig;
pub use crate::solvers::{NewtonConfig, PncgConfig, XpbdConfig};
pub use crate::state::State;
pub use crate::world::World;
