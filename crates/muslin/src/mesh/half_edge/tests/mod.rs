//! Every operation under a validator that shares no code with it.

#![allow(clippy::cast_possible_wrap, reason = "counts are small")]

mod import;
mod random;
mod shapes;
mod validator;

use super::*;
use crate::math::{Real, Vec3};

/// A grid of quads, each of two triangles, wrapped around in the first direction, the second, both or none.
fn grid(cells: [u32; 2], wraps: [bool; 2]) -> Vec<[u32; 3]> {
    let [rows, columns] = [0, 1].map(|k| cells[k] + u32::from(!wraps[k]));
    let at = |i: u32, j: u32| (i % rows) * columns + j % columns;
    let quads = (0..cells[0]).flat_map(|i| (0..cells[1]).map(move |j| (i, j)));
    quads
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect()
}

/// Points in general position: no face of them is degenerate.
fn points(count: u32) -> Vec<Vec3> {
    (0..count).map(Real::from).map(|k| Vec3::new(k, k * k, k * k * k)).collect()
}

fn surface(faces: &[[u32; 3]]) -> HalfEdgeMesh {
    let count = faces.iter().flatten().max().map_or(0, |last| last + 1);
    let (mesh, repair) = HalfEdgeMesh::import(faces, &points(count)).unwrap();
    assert!(repair.is_empty(), "{repair}");
    mesh
}

fn tetrahedron() -> HalfEdgeMesh {
    surface(&[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
}
