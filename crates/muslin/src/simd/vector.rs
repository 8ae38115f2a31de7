//! Vectors: of registers, eight at a time, and as quads in memory.

use super::{Quad, Register};
use crate::math::Vec3;

/// Eight vectors, by their coordinates.
pub type Vector<R> = [R; 3];

/// a · b.
#[inline(always)]
pub fn dot<R: Register<f32>>(a: Vector<R>, b: Vector<R>) -> R {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2].mul(b[2])))
}

/// a × b.
#[inline(always)]
pub fn cross<R: Register<f32>>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [
        a[1].mul(b[2]).sub(a[2].mul(b[1])),
        a[2].mul(b[0]).sub(a[0].mul(b[2])),
        a[0].mul(b[1]).sub(a[1].mul(b[0])),
    ]
}

/// a + b.
#[inline(always)]
pub fn sum<R: Register<f32>>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[0].add(b[0]), a[1].add(b[1]), a[2].add(b[2])]
}

/// a − b.
#[inline(always)]
pub fn minus<R: Register<f32>>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

/// a + b t.
#[inline(always)]
pub fn along<R: Register<f32>>(a: Vector<R>, b: Vector<R>, t: R) -> Vector<R> {
    [b[0].mul_add(t, a[0]), b[1].mul_add(t, a[1]), b[2].mul_add(t, a[2])]
}

/// a p + b q.
#[inline(always)]
pub fn blend<R: Register<f32>>(a: Vector<R>, p: R, b: Vector<R>, q: R) -> Vector<R> {
    [a[0].mul_add(p, b[0].mul(q)), a[1].mul_add(p, b[1].mul(q)), a[2].mul_add(p, b[2].mul(q))]
}

/// A vector and a zero.
#[inline]
pub fn quad(vector: Vec3) -> Quad<f64> {
    [vector.x, vector.y, vector.z, 0.0]
}
