//! Numbers and vectors: the only file that names glam.

/// The number of all computation: double precision, so that studies have a noise floor far under 1e-7.
pub type Real = f64;

/// A vector in space; its unit is that of the quantity it holds.
pub type Vec3 = glam::DVec3;

/// A 3 × 3 matrix, stored by columns.
pub type Mat3 = glam::DMat3;

/// A rotation.
pub type Rotation = glam::DQuat;

/// The outer product a bᵀ.
#[inline]
pub fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}
