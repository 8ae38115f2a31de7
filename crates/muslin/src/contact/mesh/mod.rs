//! What contact knows of surfaces: the mesh of cloth and solids, its patches, and the solids' places in time.

pub mod adjacency;
pub mod collision_mesh;
pub mod patches;
pub mod solids;
