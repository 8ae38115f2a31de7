//! Closed surfaces and solids that need no file.

use super::{Face, Mesh};
use crate::math::{Real, Vec3};
use std::collections::HashMap;
use std::f64::consts::TAU;

impl Mesh {
    /// A sphere: an icosahedron whose triangles are divided into four, as often as `subdivisions` says.
    /// It has 10 · 4ⁿ + 2 vertices, all at `radius` [m] from the origin.
    pub fn ball(radius: Real, subdivisions: u32) -> Self {
        let golden = 0.5 * (1.0 + Real::sqrt(5.0));
        let mut positions: Vec<Vec3> = Vec::new();
        for (one, large) in [(-1.0, -golden), (1.0, -golden), (-1.0, golden), (1.0, golden)] {
            positions.extend([
                Vec3::new(one, large, 0.0),
                Vec3::new(0.0, one, large),
                Vec3::new(large, 0.0, one),
            ]);
        }
        let mut triangles = hull_of_icosahedron(&positions);
        for _ in 0..subdivisions {
            triangles = divided(&triangles, &mut positions);
            for x in &mut positions {
                *x = x.normalize();
            }
        }
        let positions = positions.into_iter().map(|x| x.normalize() * radius).collect();
        Self { positions, faces: triangles.into_iter().map(|[a, b, c]| Face::triangle(a, b, c)).collect() }
    }

    /// Two discs sewn together along their rims: `rings` rings of triangles a disc, in the plane z = 0, bulging to
    /// ± `bulge` [m] in the middle.
    pub fn pillow(radius: Real, rings: u32, bulge: Real) -> Self {
        let mut mesh = Self::default();
        // Vertex k of ring r on the upper side is 1 + 3 r (r − 1) + k; the lower side follows, without the rim.
        let start = |ring: u32| if ring == 0 { 0 } else { 1 + 3 * ring * (ring - 1) };
        let lower = start(rings + 1);
        for (side, last) in [(1.0, rings), (-1.0, rings - 1)] {
            for ring in 0..=last {
                let part = Real::from(ring) / Real::from(rings);
                let height = side * bulge * (1.0 - part * part);
                for k in 0..(6 * ring).max(1) {
                    let angle = TAU * Real::from(k) / Real::from((6 * ring).max(1));
                    let (sine, cosine) = angle.sin_cos();
                    mesh.positions.push(Vec3::new(radius * part * cosine, radius * part * sine, height));
                }
            }
        }
        let vertex = |below: bool, ring: u32, k: u32| {
            let number = start(ring) + if ring == 0 { 0 } else { k % (6 * ring) };
            if below && ring < rings { lower + number } else { number }
        };
        for below in [false, true] {
            let mut face = |a: u32, b: u32, c: u32| {
                mesh.faces.push(if below { Face::triangle(a, c, b) } else { Face::triangle(a, b, c) });
            };
            for ring in 1..=rings {
                for sector in 0..6 {
                    for k in 0..ring {
                        let (outer, inner) = (sector * ring + k, sector * (ring - 1) + k);
                        face(
                            vertex(below, ring - 1, inner),
                            vertex(below, ring, outer),
                            vertex(below, ring, outer + 1),
                        );
                        if k + 1 < ring {
                            face(
                                vertex(below, ring - 1, inner),
                                vertex(below, ring, outer + 1),
                                vertex(below, ring - 1, inner + 1),
                            );
                        }
                    }
                }
            }
        }
        mesh
    }
}

/// The triples of vertices that are mutual neighbours, outwards.
fn hull_of_icosahedron(vertices: &[Vec3]) -> Vec<[u32; 3]> {
    let near = |a: u32, b: u32| vertices[a as usize].distance(vertices[b as usize]) < 2.1; // edges are 2, diagonals 3.2
    let mut triangles = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let [x, y, z] = [a, b, c].map(|k| vertices[k as usize]);
                    let outwards = (y - x).cross(z - x).dot(x) > 0.0;
                    triangles.push(if outwards { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    triangles
}

/// Every triangle as four, with new vertices in the middles of the edges.
fn divided(triangles: &[[u32; 3]], positions: &mut Vec<Vec3>) -> Vec<[u32; 3]> {
    let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
    let mut middle = |a: u32, b: u32| {
        *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            positions.push(0.5 * (positions[a as usize] + positions[b as usize]));
            positions.len() as u32 - 1
        })
    };
    let mut finer = Vec::with_capacity(4 * triangles.len());
    for &[a, b, c] in triangles {
        let [p, q, r] = [middle(a, b), middle(b, c), middle(c, a)];
        finer.extend([[a, p, r], [b, q, p], [c, r, q], [p, q, r]]);
    }
    finer
}

/// The cells of a box of `counts` cells as tetrahedra, five a cell, alternating so that they fit; vertex (i, j, k) has the
/// number (i · (n_j + 1) + j) · (n_k + 1) + k.
pub fn box_tets(counts: [usize; 3]) -> Vec<[u32; 4]> {
    // Corners of a cell by the bits of their number; the middle one and the four around it, for even and for odd cells.
    const EVEN: [[usize; 4]; 5] = [[0, 3, 5, 6], [1, 0, 3, 5], [2, 3, 0, 6], [4, 5, 6, 0], [7, 6, 5, 3]];
    let [_, columns, layers] = counts.map(|count| count + 1);
    let vertex = |[i, j, k]: [usize; 3]| ((i * columns + j) * layers + k) as u32;
    let mut tets = Vec::new();
    for i in 0..counts[0] {
        for j in 0..counts[1] {
            for k in 0..counts[2] {
                let odd = (i + j + k) % 2;
                for tet in EVEN {
                    // An odd cell is an even one mirrored in its first axis, which swaps two corners' places, too.
                    let corner = |bits: usize| {
                        let bits = bits ^ odd;
                        vertex([i + (bits & 1), j + (bits >> 1 & 1), k + (bits >> 2)])
                    };
                    let mut tet = tet.map(corner);
                    if odd == 0 {
                        tet.swap(2, 3);
                    }
                    tets.push(tet);
                }
            }
        }
    }
    tets
}

/// The triangles that bound a solid of tetrahedra, outwards, in the order of the tetrahedra.
pub fn boundary(tets: &[[u32; 4]]) -> Vec<Face> {
    let sides = |&[a, b, c, d]: &[u32; 4]| [[b, c, d], [a, d, c], [a, b, d], [a, c, b]];
    let key = |mut triangle: [u32; 3]| {
        triangle.sort_unstable();
        triangle
    };
    let mut counts: HashMap<[u32; 3], u32> = HashMap::new();
    for side in tets.iter().flat_map(sides) {
        *counts.entry(key(side)).or_default() += 1;
    }
    let outer = tets.iter().flat_map(sides).filter(|side| counts[&key(*side)] == 1);
    outer.map(|[a, b, c]| Face::triangle(a, b, c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn volume(faces: &[Face], positions: &[Vec3]) -> Real {
        let part = |[a, b, c]: [u32; 3]| {
            let at = |corner: u32| positions[corner as usize];
            at(a).dot(at(b).cross(at(c))) / 6.0
        };
        faces.iter().flat_map(Face::triangles).map(part).sum()
    }

    #[test]
    fn a_ball_is_closed_and_round() {
        let mesh = Mesh::ball(2.0, 3);
        let report = mesh.check().unwrap();
        assert_eq!((mesh.positions.len(), report.triangles), (642, 1280));
        assert_eq!((report.border_edges, report.flipped_edges), (0, 0));
        // Chords of a sphere: second order in the edges, some 0.15 of the radius.
        assert!((volume(&mesh.faces, &mesh.positions) / (4.0 / 3.0 * PI * 8.0) - 1.0).abs() < 0.02);
    }

    #[test]
    fn a_pillow_is_closed() {
        for rings in [1, 2, 5] {
            let mesh = Mesh::pillow(1.0, rings, 0.1);
            let report = mesh.check().unwrap();
            assert_eq!(report.triangles as u32, 12 * rings * rings);
            assert_eq!((report.border_edges, report.flipped_edges), (0, 0), "{rings} rings");
            assert!(report.isolated_vertices.is_empty());
            assert!(volume(&mesh.faces, &mesh.positions) > 0.0);
        }
    }

    #[test]
    fn the_tetrahedra_of_a_box_fill_it() {
        let counts = [2, 3, 2];
        let tets = box_tets(counts);
        let positions: Vec<Vec3> = (0..3 * 4 * 3)
            .map(|n| Vec3::new((n / 12) as Real, (n / 3 % 4) as Real, (n % 3) as Real))
            .collect();
        let parts: Vec<Real> = tets
            .iter()
            .map(|tet| {
                let [a, b, c, d] = tet.map(|corner| positions[corner as usize]);
                (b - a).dot((c - a).cross(d - a)) / 6.0
            })
            .collect();
        assert!(parts.iter().all(|&part| part > 0.1), "{parts:?}");
        assert!((parts.iter().sum::<Real>() - 12.0).abs() < 1e-12);
        let faces = boundary(&tets);
        assert_eq!(faces.len(), 2 * 2 * (6 + 4 + 6), "two triangles a cell's side");
        assert!((volume(&faces, &positions) - 12.0).abs() < 1e-12);
    }
}
