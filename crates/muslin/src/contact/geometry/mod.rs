//! Distances and intersections of points, segments and triangles.

pub mod distance;
pub mod intersection;
