//! Cloth and other deformable surfaces, every classical method side by side on the same cloth.

pub mod builder;
pub mod contact;
pub mod elements;
pub mod forces;
pub mod hash;
pub mod material;
pub mod math;
pub mod measure;
pub mod mesh;
pub mod model;
pub mod par;
pub mod parts;
pub mod profile;
pub mod script;
pub mod solver;
pub mod solvers;
pub mod stability;
pub mod state;
pub mod strain_limit;
pub mod world;
