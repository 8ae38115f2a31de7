//! A two-edged dagger: point at the origin, blade along z, edges in the plane y = 0.

use std::f64::consts::TAU;

use muslin::math::{Real, Vec3};
use muslin::mesh::{Face, Mesh};

/// Sections of the blade above its point: height, half of the width along x and of the thickness along y [m]. Each is a rhombus;
/// its corners along x are the two sharp edges, those along y the ridges. Widths and thicknesses are in one proportion and grow
/// ever more slowly, so that the blade is convex.
const BLADE: [[Real; 3]; 3] = [[0.12, 0.025, 0.0075], [0.3, 0.037, 0.0111], [0.56, 0.04, 0.012]];

/// Sections of the hilt: height and the two halves [m] of ellipses.
const HILT: [[Real; 3]; 14] = [
    // The guard.
    [0.56, 0.105, 0.026],
    [0.566, 0.13, 0.032],
    [0.584, 0.13, 0.032],
    [0.59, 0.105, 0.026],
    // The grip.
    [0.594, 0.024, 0.018],
    [0.64, 0.027, 0.021],
    [0.69, 0.028, 0.022],
    [0.74, 0.026, 0.02],
    [0.79, 0.022, 0.017],
    // The pommel.
    [0.797, 0.03, 0.025],
    [0.81, 0.036, 0.031],
    [0.827, 0.036, 0.031],
    [0.84, 0.028, 0.024],
    [0.847, 0.014, 0.012],
];
/// The end of the pommel [m].
const END: Real = 0.85;
const AROUND: u32 = 16;

/// The triangles, turned outwards [m].
pub fn dagger() -> Mesh {
    let mut mesh = Mesh { positions: vec![Vec3::ZERO], faces: Vec::new() };
    let blade = BLADE.map(|section| add_ring(section, 4, &mut mesh));
    let hilt = HILT.map(|section| add_ring(section, AROUND, &mut mesh));
    let end = mesh.positions.len() as u32;
    mesh.positions.push(Vec3::new(0.0, 0.0, END));

    let faces = &mut mesh.faces;
    faces.extend((0..4).map(|k| Face::triangle(0, blade[0] + (k + 1) % 4, blade[0] + k)));
    for pair in blade.windows(2) {
        join(pair[0], pair[1], 4, faces);
    }
    add_shoulder(blade[BLADE.len() - 1], hilt[0], faces);
    for pair in hilt.windows(2) {
        join(pair[0], pair[1], AROUND, faces);
    }
    let last = hilt[HILT.len() - 1];
    faces.extend((0..AROUND).map(|k| Face::triangle(last + k, last + (k + 1) % AROUND, end)));
    mesh
}

/// Vertices of an ellipse (a rhombus, if they are four), counter-clockwise seen from above, from the x-axis on; their first.
fn add_ring([height, width, thickness]: [Real; 3], around: u32, mesh: &mut Mesh) -> u32 {
    let first = mesh.positions.len() as u32;
    for k in 0..around {
        let (sine, cosine) = (Real::from(k) / Real::from(around) * TAU).sin_cos();
        mesh.positions.push(Vec3::new(width * cosine, thickness * sine, height));
    }
    first
}

/// The band between two rings, alike on both sides of the planes x = 0 and y = 0.
fn join(below: u32, above: u32, around: u32, faces: &mut Vec<Face>) {
    for k in 0..around {
        let next = (k + 1) % around;
        if (k * 4 / around).is_multiple_of(2) {
            faces.push(Face::triangle(below + k, below + next, above + k));
            faces.push(Face::triangle(below + next, above + next, above + k));
        } else {
            faces.push(Face::triangle(below + k, below + next, above + next));
            faces.push(Face::triangle(below + k, above + next, above + k));
        }
    }
}

/// The flat underside of the guard, around the foot of the blade.
fn add_shoulder(blade: u32, guard: u32, faces: &mut Vec<Face>) {
    let quarter = AROUND / 4;
    for corner in 0..4 {
        let at = |k: u32| guard + (corner * quarter + AROUND - quarter / 2 + k) % AROUND;
        faces.extend((0..quarter).map(|k| Face::triangle(blade + corner, at(k + 1), at(k))));
        faces.push(Face::triangle(blade + corner, blade + (corner + 1) % 4, at(quarter)));
    }
}
