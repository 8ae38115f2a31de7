//! Meshes of about unit size, as OBJ text: good ones, irregular ones, and ones with bad triangles.

use crate::random::Random;
use muslin::math::{Real, Vec3};
use std::collections::HashMap;
use std::f64::consts::TAU;
use std::fmt::Write;

/// Vertices and triangles.
#[derive(Clone, Debug, Default)]
pub struct Triangles {
    /// Vertices.
    pub positions: Vec<Vec3>,
    /// Corners of the triangles.
    pub faces: Vec<[usize; 3]>,
}

impl Triangles {
    /// As an OBJ file.
    pub fn obj(&self) -> String {
        let mut text = String::new();
        for x in &self.positions {
            let _ = writeln!(text, "v {:?} {:?} {:?}", x.x, x.y, x.z);
        }
        for [a, b, c] in &self.faces {
            let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
        }
        text
    }

    /// Flattened along an axis: bad triangles.
    fn squeezed(mut self, random: &mut Random) -> Self {
        let factor = Vec3::new(random.log(0.02, 1.0), 1.0, 1.0);
        self.positions.iter_mut().for_each(|x| *x *= factor);
        self
    }
}

/// An open surface: a disc, a tube, a grid with random diagonals.
pub fn open(random: &mut Random, detail: u32) -> Triangles {
    let mesh = match random.whole(0, 2) {
        0 => disc(random, detail),
        1 => tube(random, detail),
        _ => grid(random, detail),
    };
    if random.chance(0.25) { mesh.squeezed(random) } else { mesh }
}

/// A closed surface: a ball with dents, or a ring.
pub fn closed(random: &mut Random, detail: u32) -> Triangles {
    let mesh = if random.chance(0.7) { ball(random, detail) } else { ring(random, detail) };
    if random.chance(0.25) { mesh.squeezed(random) } else { mesh }
}

fn disc(random: &mut Random, detail: u32) -> Triangles {
    let (rings, spokes) = (detail.clamp(1, 5), random.whole(3, 10));
    let mut mesh = Triangles { positions: vec![Vec3::ZERO], faces: Vec::new() };
    let dish = if random.chance(0.5) { 0.0 } else { random.between(-0.4, 0.4) };
    for ring in 1..=rings {
        let r = 0.5 * Real::from(ring) / Real::from(rings);
        for spoke in 0..spokes {
            let angle = TAU * Real::from(spoke) / Real::from(spokes);
            mesh.positions.push(Vec3::new(r * angle.cos(), r * angle.sin(), dish * r * r));
        }
    }
    let place = |ring: u32, spoke: u32| (1 + (ring - 1) * spokes + spoke % spokes) as usize;
    for spoke in 0..spokes {
        mesh.faces.push([0, place(1, spoke), place(1, spoke + 1)]);
        for ring in 1..rings {
            let [a, b] = [place(ring, spoke), place(ring, spoke + 1)];
            let [c, d] = [place(ring + 1, spoke), place(ring + 1, spoke + 1)];
            mesh.faces.extend([[a, c, d], [a, d, b]]);
        }
    }
    mesh
}

fn tube(random: &mut Random, detail: u32) -> Triangles {
    let (rows, spokes) = (detail.clamp(1, 6) + 1, random.whole(3, 9));
    let radius = random.between(0.05, 0.4);
    let mut mesh = Triangles::default();
    for row in 0..rows {
        for spoke in 0..spokes {
            let angle = TAU * (Real::from(spoke) + 0.5 * Real::from(row)) / Real::from(spokes);
            let along = Real::from(row) / Real::from(rows - 1) - 0.5;
            mesh.positions.push(Vec3::new(radius * angle.cos(), radius * angle.sin(), along));
        }
    }
    let place = |row: u32, spoke: u32| (row * spokes + spoke % spokes) as usize;
    for row in 0..rows - 1 {
        for spoke in 0..spokes {
            let [a, b] = [place(row, spoke), place(row, spoke + 1)];
            let [c, d] = [place(row + 1, spoke), place(row + 1, spoke + 1)];
            mesh.faces.extend([[a, b, c], [b, d, c]]);
        }
    }
    mesh
}

fn grid(random: &mut Random, detail: u32) -> Triangles {
    let n = detail.clamp(1, 10) + 1;
    let jitter = random.between(0.0, 0.45) / Real::from(n - 1);
    let rough = if random.chance(0.5) { 0.0 } else { jitter };
    let mut mesh = Triangles::default();
    for i in 0..n {
        for j in 0..n {
            let place =
                Vec3::new(Real::from(i), Real::from(j), 0.0) / Real::from(n - 1) - Vec3::new(0.5, 0.5, 0.0);
            mesh.positions.push(place + random.in_cube() * Vec3::new(jitter, jitter, rough));
        }
    }
    for i in 0..n - 1 {
        for j in 0..n - 1 {
            let [a, b, c, d] =
                [i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1, i * n + j + 1].map(|k| k as usize);
            if random.chance(0.5) {
                mesh.faces.extend([[a, b, c], [a, c, d]]);
            } else {
                mesh.faces.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    mesh
}

/// An octahedron, divided, with dents.
fn ball(random: &mut Random, detail: u32) -> Triangles {
    let mut mesh = Triangles {
        positions: vec![Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z],
        faces: vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]],
    };
    for _ in 0..(detail / 3).min(2) {
        mesh = divided(mesh);
    }
    let bumps = if random.chance(0.5) { 0.0 } else { 0.3 };
    for x in &mut mesh.positions {
        *x = x.normalize() * (0.5 * (1.0 - bumps * random.unit()));
    }
    mesh
}

fn divided(mesh: Triangles) -> Triangles {
    let mut positions = mesh.positions;
    let mut middles: HashMap<[usize; 2], usize> = HashMap::new();
    let mut faces = Vec::new();
    for [a, b, c] in mesh.faces {
        let mut middle = |a: usize, b: usize| {
            *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                positions.push(0.5 * (positions[a] + positions[b]));
                positions.len() - 1
            })
        };
        let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
        faces.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    Triangles { positions, faces }
}

fn ring(random: &mut Random, detail: u32) -> Triangles {
    let (around, across) = (detail.clamp(3, 10), random.whole(3, 6));
    let thin = random.between(0.05, 0.2);
    let mut mesh = Triangles::default();
    for i in 0..around {
        let (sin, cos) = (TAU * Real::from(i) / Real::from(around)).sin_cos();
        for j in 0..across {
            let (up, out) = (TAU * Real::from(j) / Real::from(across)).sin_cos();
            let r = 0.3 + thin * out;
            mesh.positions.push(Vec3::new(r * cos, r * sin, thin * up));
        }
    }
    let place = |i: u32, j: u32| ((i % around) * across + j % across) as usize;
    for i in 0..around {
        for j in 0..across {
            let [a, b, c, d] = [place(i, j), place(i + 1, j), place(i + 1, j + 1), place(i, j + 1)];
            mesh.faces.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use muslin::mesh::{Face, Mesh, edges};

    fn mesh(triangles: &Triangles) -> Mesh {
        let corner = |k: usize| k as u32;
        let faces = triangles.faces.iter().map(|&[a, b, c]| Face::triangle(corner(a), corner(b), corner(c)));
        Mesh { positions: triangles.positions.clone(), faces: faces.collect() }
    }

    #[test]
    fn meshes_are_sound_and_closed_ones_are_closed() {
        for seed in 0..200 {
            let random = &mut Random::new(seed);
            let detail = random.whole(1, 10);
            let (open, closed) = (mesh(&open(random, detail)), mesh(&closed(random, detail)));
            assert!(open.check().is_ok(), "{seed}");
            assert_eq!(closed.check().unwrap().flipped_edges, 0, "{seed}");
            assert!(edges(&closed.faces).iter().all(|edge| edge.faces.len() == 2), "{seed}");
            assert!(edges(&open.faces).iter().any(|edge| edge.faces.len() == 1), "{seed}");
        }
    }
}
