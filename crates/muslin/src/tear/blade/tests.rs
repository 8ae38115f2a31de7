//! Random cloth and random blades: whatever comes, the mesh stays one, covers the same piece, and opens where the blade passed.

use super::pieces::least_angle;
use super::*;
use crate::contact::geometry::intersection::triangles_intersect;
use crate::mesh::half_edge::HalfEdgeMesh;
use crate::mesh::{Grid, VertexFaces};
use crate::tear::splits;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Cloth, 0.1 m from vertex to vertex, with its quads divided one way or the other.
#[derive(Clone, Debug)]
struct Cloth {
    faces: Vec<Face>,
    is_crossed: Vec<bool>,
    x: Vec<Vec3>,
}

const EDGE: Real = 0.1; // m
const CELLS: usize = 10;

/// Numbers in [−1, 1], the same for the same seed.
fn noise(seed: u64) -> impl FnMut() -> Real {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as Real / (1u64 << 52) as Real - 1.0
    }
}

impl Cloth {
    fn of_triangles(triangles: impl IntoIterator<Item = [u32; 3]>, x: Vec<Vec3>) -> Self {
        let faces: Vec<Face> = triangles.into_iter().map(|[a, b, c]| Face::triangle(a, b, c)).collect();
        Self { is_crossed: vec![false; faces.len()], faces, x }
    }

    /// In the plane z = 0, vertices moved by a part of an edge.
    fn sheet(has_quads: bool, jitter: Real, seed: u64) -> Self {
        let grid = Grid { rows: CELLS + 1, columns: CELLS + 1 };
        let mut noise = noise(seed);
        let x = grid
            .vertices()
            .map(|(i, j)| Vec3::new(i as Real + jitter * noise(), j as Real + jitter * noise(), 0.0) * EDGE);
        let x = x.collect();
        if has_quads {
            let faces = grid.quads();
            let is_crossed = (0..faces.len()).map(|_| noise() > 0.0).collect();
            return Self { faces, is_crossed, x };
        }
        Self::of_triangles(grid.triangles(), x)
    }

    fn random(kind: usize, seed: u64) -> Self {
        let mut noise = noise(seed.wrapping_add(77));
        match kind {
            0 => Self::sheet(false, 0.25, seed),
            1 => Self::sheet(true, 0.25, seed),
            2 => {
                let mut cloth = Self::sheet(seed.is_multiple_of(2), 0.25, seed);
                cloth
                    .x
                    .iter_mut()
                    .for_each(|p| *p += 0.5 * EDGE * Vec3::new(noise(), noise(), 3.0 * noise()));
                cloth
            }
            3 => {
                // A tube around z.
                let (around, along) = (12u32, 9u32);
                let at = |i: u32, j: u32| (i % around) + around * j;
                let cells = (0..around).flat_map(|i| (0..along).map(move |j| (i, j)));
                let faces: Vec<Face> = cells
                    .map(|(i, j)| Face::quad(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)))
                    .collect();
                let vertices = (0..=along).flat_map(|j| (0..around).map(move |i| (i, j)));
                let place = |(i, j): (u32, u32)| {
                    let angle = std::f64::consts::TAU * Real::from(i) / Real::from(around);
                    Vec3::new(0.5 + 0.2 * angle.cos(), 0.5 + 0.2 * angle.sin(), EDGE * (Real::from(j) - 4.5))
                };
                let x = vertices.map(|v| place(v) + 0.02 * Vec3::new(noise(), noise(), noise())).collect();
                Self { is_crossed: (0..faces.len()).map(|_| noise() > 0.0).collect(), faces, x }
            }
            _ => {
                // A sphere: an octahedron, divided twice.
                let mut x = vec![Vec3::X, Vec3::Y, -Vec3::X, -Vec3::Y, Vec3::Z, -Vec3::Z];
                let mut triangles: Vec<[u32; 3]> = (0..4).map(|i| [i, (i + 1) % 4, 4]).collect();
                triangles.extend((0..4).map(|i| [(i + 1) % 4, i, 5]));
                for _ in 0..2 {
                    let mut middles = BTreeMap::new();
                    let mut middle = |a: u32, b: u32| {
                        *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                            x.push((x[a as usize] + x[b as usize]).normalize());
                            x.len() as u32 - 1
                        })
                    };
                    let divided: Vec<[u32; 3]> = triangles
                        .iter()
                        .flat_map(|&[a, b, c]| {
                            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
                            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
                        })
                        .collect();
                    triangles = divided;
                }
                let place = |p: Vec3| {
                    Vec3::new(0.5, 0.5, 0.0) + 0.25 * p + 0.01 * Vec3::new(noise(), noise(), noise())
                };
                let x = x.into_iter().map(place).collect();
                Self::of_triangles(triangles, x)
            }
        }
    }

    fn cut(&self, sweeps: &[Sweep], least: Real) -> Result<BladeCut, BladeError> {
        blade_cut(&self.faces, |face| self.is_crossed[face as usize], &self.x, |_| true, sweeps, |_| least)
    }

    fn triangles(&self) -> Vec<[u32; 3]> {
        let with_marks = self.faces.iter().zip(&self.is_crossed);
        with_marks.flat_map(|(face, &is_crossed)| face.triangles_of(is_crossed)).collect()
    }
}

/// Cloth after a cut, before it opens: new vertices behind the old ones.
struct After {
    cloth: Cloth,
    path_edges: Vec<[u32; 2]>,
    paths: Vec<Vec<u32>>,
}

impl After {
    fn of(cloth: &Cloth, cut: &BladeCut) -> Self {
        let count = cloth.x.len() as u32;
        let number = |corner: &Corner| match *corner {
            Corner::Old(vertex) => vertex,
            Corner::New(k) => count + k,
        };
        let mut x = cloth.x.clone();
        x.extend(cut.remeshing.inserted.iter().map(|new| {
            new.corners.iter().map(|&(vertex, weight)| weight * cloth.x[vertex as usize]).sum::<Vec3>()
        }));
        let is_gone: BTreeSet<u32> = cut.remeshing.replaced.iter().flat_map(|r| r.faces.clone()).collect();
        let kept: Vec<usize> = (0..cloth.faces.len()).filter(|&f| !is_gone.contains(&(f as u32))).collect();
        let mut faces: Vec<Face> = kept.iter().map(|&f| cloth.faces[f]).collect();
        let mut is_crossed: Vec<bool> = kept.iter().map(|&f| cloth.is_crossed[f]).collect();
        for [a, b, c] in cut.remeshing.replaced.iter().flat_map(|r| &r.triangles) {
            faces.push(Face::triangle(number(a), number(b), number(c)));
            is_crossed.push(false);
        }
        let paths: Vec<Vec<u32>> = cut.paths.iter().map(|path| path.iter().map(number).collect()).collect();
        let path_edges =
            paths.iter().flat_map(|path| path.windows(2).map(|pair| [pair[0], pair[1]])).collect();
        Self { cloth: Cloth { faces, is_crossed, x }, path_edges, paths }
    }

    /// The faces after the paths open, and where each vertex was before.
    fn opened(&self) -> (Vec<Face>, Vec<u32>) {
        let mut origins: Vec<u32> = (0..self.cloth.x.len() as u32).collect();
        let at_vertices = VertexFaces::of(&self.cloth.faces, self.cloth.x.len());
        let mut faces = self.cloth.faces.clone();
        for split in splits(&self.cloth.faces, &at_vertices, &self.path_edges) {
            let twin = origins.len() as u32;
            origins.push(split.vertex);
            for face in split.faces {
                let turned = faces[face as usize].renumbered(|p| if p == split.vertex { twin } else { p });
                faces[face as usize] = turned;
            }
        }
        (faces, origins)
    }
}

fn sound(faces: &[Face], x: &[Vec3]) -> HalfEdgeMesh {
    let (mesh, repair) = HalfEdgeMesh::import(faces, x).unwrap();
    assert!(repair.is_empty(), "{repair}");
    mesh
}

fn area(cloth: &Cloth) -> Real {
    let triangles = cloth.triangles();
    triangles.iter().map(|&[a, b, c]| Face::triangle(a, b, c).area(&cloth.x)).sum()
}

/// The sides of all sweeps: what bounds the swept surface, and folds of it.
fn rims(sweeps: &[Sweep]) -> Vec<[Vec3; 2]> {
    let sides = |s: &Sweep| [s.from, s.to, [s.from[0], s.to[0]], [s.from[1], s.to[1]], [s.from[0], s.to[1]]];
    sweeps.iter().flat_map(sides).collect()
}

/// How much smaller an angle may become than the least one of its face: a side is divided at no less than a fifth.
const ANGLE_KEPT: Real = 0.08;

fn judge(cloth: &Cloth, sweeps: &[Sweep], least: Real) {
    let Ok(cut) = cloth.cut(sweeps, least) else { return };
    let after = After::of(cloth, &cut);
    let (before, mesh) = (sound(&cloth.faces, &cloth.x), sound(&after.cloth.faces, &after.cloth.x));
    assert_eq!(before.counts().euler_characteristic(), mesh.counts().euler_characteristic());
    assert_eq!(before.components().len(), mesh.components().len());
    // Sums of some hundred areas: rounding only.
    assert!((area(cloth) - area(&after.cloth)).abs() < 1e-12 * area(cloth));
    for inserted in &cut.remeshing.inserted {
        let [(a, u), (b, v), (c, w)] = inserted.corners;
        assert!(u >= END_PART - 1e-15 && v >= END_PART - 1e-15 && w == 0.0 && c == a && a != b);
        assert!((u + v - 1.0).abs() < 1e-15);
    }
    judge_pieces(cloth, &cut, &after);
    for &[a, b] in &after.path_edges {
        assert!(mesh.are_adjacent(vertex_of(&mesh, a), vertex_of(&mesh, b)), "{a}-{b} is no edge");
    }
    let distinct: BTreeSet<[u32; 2]> = after.path_edges.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
    assert_eq!(distinct.len(), after.path_edges.len(), "an edge in two paths");
    judge_separation(cloth, sweeps, least, &after);
}

fn vertex_of(mesh: &HalfEdgeMesh, particle: u32) -> u32 {
    let mut numbers = 0..mesh.vertices().len() as u32;
    numbers.find(|&v| mesh.has_vertex(v) && mesh.particle(v) == particle).unwrap()
}

/// Pieces of a face have its area and direction, lie in it, and are not much thinner.
fn judge_pieces(cloth: &Cloth, cut: &BladeCut, after: &After) {
    let count = cloth.x.len() as u32;
    let number = |corner: Corner| match corner {
        Corner::Old(vertex) => vertex,
        Corner::New(k) => count + k,
    };
    for replacement in &cut.remeshing.replaced {
        let &[face] = replacement.faces.as_slice() else { panic!("one face at a time") };
        let parents: Vec<[Vec3; 3]> = cloth.faces[face as usize]
            .triangles_of(cloth.is_crossed[face as usize])
            .map(|t| t.map(|p| cloth.x[p as usize]))
            .collect();
        let vector = |[a, b, c]: [Vec3; 3]| (b - a).cross(c - a);
        let mut vectors = vec![Vec3::ZERO; parents.len()];
        for triangle in &replacement.triangles {
            let corners = triangle.map(|corner| after.cloth.x[number(corner) as usize]);
            let is_in = |parent: &[Vec3; 3]| {
                let outside = |p: Vec3| {
                    let weights = crate::contact::geometry::distance::point_triangle(p, *parent);
                    crate::contact::geometry::distance::blend(*parent, weights).distance(p)
                };
                corners.iter().all(|&p| outside(p) < 1e-13)
            };
            let k = parents.iter().position(is_in).expect("a piece lies in one triangle of its face");
            vectors[k] += vector(corners);
            assert!(vector(corners).dot(vector(parents[k])) > 0.0, "turned over");
            let (piece, parent) = (least_angle(corners), least_angle(parents[k]));
            assert!(piece > ANGLE_KEPT * parent, "{piece} of {parent}");
        }
        for (sum, parent) in vectors.into_iter().zip(parents) {
            assert!((sum - vector(parent)).length() < 1e-12 * vector(parent).length());
        }
    }
}

/// No edge of the opened cloth passes through the swept surface, but next to vertices that lie on the cut, and at faces that a rim
/// of the swept surface touches.
fn judge_separation(cloth: &Cloth, sweeps: &[Sweep], least: Real, after: &After) {
    let (opened, origins) = after.opened();
    let x: Vec<Vec3> = origins.iter().map(|&origin| after.cloth.x[origin as usize]).collect();
    sound(&opened, &x);
    let swept = Swept::of(sweeps);
    let rims = rims(sweeps);
    let triangles = cloth.triangles();
    let touches_rim = |edge: [u32; 2]| {
        let mut beside = triangles.iter().filter(|t| edge.iter().all(|end| t.contains(end)));
        beside.any(|t| {
            let corners = t.map(|p| cloth.x[p as usize]);
            rims.iter().any(|&[a, b]| triangles_intersect(corners, [a, b, b]))
        })
    };
    let on_paths: BTreeSet<u32> = after.path_edges.iter().flatten().copied().collect();
    let is_snapped = |end: u32| {
        let Some(&p) = cloth.x.get(end as usize) else { return false };
        let around = triangles.iter().filter(|t| t.contains(&end)).flatten();
        let longest = around.map(|&q| cloth.x[q as usize].distance(p)).fold(0.0, Real::max);
        swept.distance(p) < least.max(END_PART * longest)
    };
    for edge in edges(&opened) {
        let ends = edge.ends.map(|end| origins[end as usize]);
        let is_at_cut = ends.iter().any(|&end| on_paths.contains(&end) || is_snapped(end));
        if is_at_cut || swept.crossing(edge.ends.map(|end| x[end as usize])).is_none() {
            continue;
        }
        // Not so for vertices near the surface that the path did not reach, as at its ends.
        let near_rim = ends.iter().any(|&end| {
            let around = triangles.iter().filter(|t| t.contains(&end));
            around.flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).any(touches_rim)
        });
        assert!(near_rim, "edge {ends:?} is not cut");
    }
}

/// A blade that passes along random places, straight down through the cloth or aslant.
fn blade() -> impl Strategy<Value = Vec<Sweep>> {
    let place = || prop::array::uniform3(-0.2..1.2f64);
    (prop::collection::vec(place(), 2..5), prop::array::uniform3(-0.5..0.5f64), any::<bool>()).prop_map(
        |(places, [u, v, _], is_high)| {
            let height = if is_high { 2.0 } else { 0.3 };
            let depth = Vec3::new(u, v, -2.0).normalize() * height;
            let edges: Vec<[Vec3; 2]> = places
                .iter()
                .map(|&[x, y, z]| Vec3::new(x, y, 0.3 * (z - 0.5)) - 0.5 * depth)
                .map(|top| [top, top + depth])
                .collect();
            edges.windows(2).map(|pair| Sweep { from: pair[0], to: pair[1] }).collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_blades_leave_sound_cloth(kind in 0usize..5, seed in any::<u64>(), sweeps in blade(), least in 0.0..0.04f64) {
        judge(&Cloth::random(kind, seed), &sweeps, least);
    }

    /// Through vertices, along edges and diagonals, over corners: every number is a multiple of half an edge.
    #[test]
    fn blades_along_the_grid_leave_sound_cloth(has_quads in any::<bool>(), places in prop::collection::vec(prop::array::uniform2(-1i32..22), 2..5), least in 0.0..0.04f64) {
        let at = |&[i, j]: &[i32; 2], z: Real| Vec3::new(0.5 * EDGE * Real::from(i), 0.5 * EDGE * Real::from(j), z);
        let sweep = |pair: &[[i32; 2]]| Sweep { from: [at(&pair[0], 1.0), at(&pair[0], -1.0)], to: [at(&pair[1], 1.0), at(&pair[1], -1.0)] };
        let sweeps: Vec<Sweep> = places.windows(2).map(sweep).collect();
        judge(&Cloth::sheet(has_quads, 0.0, 1), &sweeps, least);
    }

    /// A plane through all of a sheet: two pieces, each on its side but for what was moved onto the cut.
    #[test]
    fn a_straight_cut_makes_two_pieces(has_quads in any::<bool>(), seed in any::<u64>(), angle in 0.0..std::f64::consts::PI, place in prop::array::uniform2(0.3..0.7f64), least in 0.0..0.03f64) {
        let cloth = Cloth::sheet(has_quads, 0.2, seed);
        let along = Vec3::new(angle.cos(), angle.sin(), 0.0);
        let middle = Vec3::new(place[0], place[1], 0.0);
        let edge = |s: Real| [middle + s * along + Vec3::Z, middle + s * along - Vec3::Z];
        let sweeps = [Sweep { from: edge(-2.0), to: edge(0.1) }, Sweep { from: edge(0.1), to: edge(2.0) }];
        let cut = cloth.cut(&sweeps, least).unwrap();
        let after = After::of(&cloth, &cut);
        let (faces, origins) = after.opened();
        let x: Vec<Vec3> = origins.iter().map(|&origin| after.cloth.x[origin as usize]).collect();
        let mesh = sound(&faces, &x);
        prop_assert_eq!(mesh.components().len(), 2);
        prop_assert_eq!(after.paths.len(), 1);
        // Vertices on the cut are off the plane by the least length, or a fifth of an edge (at most 1.8 √2 of EDGE).
        let normal = along.cross(Vec3::Z);
        let off = least.max(END_PART * 1.4 * 1.5 * EDGE);
        let heights = |piece: &[u32]| {
            let all: Vec<Real> = piece.iter().map(|&v| normal.dot(x[mesh.particle(v) as usize] - middle)).collect();
            (all.iter().copied().fold(Real::INFINITY, Real::min), all.iter().copied().fold(Real::NEG_INFINITY, Real::max))
        };
        let mut sides = Vec::new();
        let mut seen = BTreeSet::new();
        for v in 0..mesh.vertices().len() as u32 {
            if seen.contains(&v) { continue; }
            let mut piece: Vec<u32> = mesh.walk(v).iter().map(|&h| mesh.origin(h)).collect();
            piece.push(v);
            seen.extend(&piece);
            seen.extend(mesh.walk(v).iter().map(|&h| mesh.target(h)));
            let (low, high) = heights(&piece);
            prop_assert!(low > -off || high < off, "{low} {high}");
            sides.push(low > -off);
        }
        sides.dedup();
        prop_assert_eq!(sides.len(), 2);
        // As long as the plane's way through the sheet, from end to end; zigzags by what was moved.
        let path = &after.paths[0];
        let length: Real = after.path_edges.iter().map(|&[a, b]| after.cloth.x[a as usize].distance(after.cloth.x[b as usize])).sum();
        let straight = after.cloth.x[path[0] as usize].distance(after.cloth.x[path[path.len() - 1] as usize]);
        prop_assert!(length >= straight - 1e-12 && length < 1.35 * straight + off, "{length} {straight}");
    }
}

#[test]
fn a_blade_beside_the_cloth_misses() {
    let cloth = Cloth::sheet(false, 0.0, 1);
    let far = [Vec3::new(2.0, 0.0, 1.0), Vec3::new(2.0, 0.0, -1.0)];
    let sweep = Sweep { from: far, to: far.map(|p| p + Vec3::Y) };
    assert_eq!(cloth.cut(&[sweep], 0.03), Err(BladeError::Misses));
    assert_eq!(cloth.cut(&[], 0.03), Err(BladeError::Misses));
    let broken = Sweep { from: [Vec3::NAN; 2], to: far };
    assert_eq!(cloth.cut(&[broken], 0.03), Err(BladeError::NotFinite));
}

#[test]
fn a_stab_within_two_faces_is_too_short() {
    let cloth = Cloth::sheet(false, 0.0, 1);
    let edge = |x: Real| [Vec3::new(x, 0.55, 1.0), Vec3::new(x, 0.55, -1.0)];
    let sweep = Sweep { from: edge(0.58), to: edge(0.62) };
    assert_eq!(cloth.cut(&[sweep], 0.01), Err(BladeError::TooShort));
}

/// A polygon within the sheet: what it encloses falls out, by one closed path.
#[test]
fn a_closed_blade_cuts_a_piece_out() {
    let cloth = Cloth::sheet(true, 0.0, 1);
    let corners = [[0.23, 0.27], [0.74, 0.31], [0.68, 0.77], [0.29, 0.72]];
    let edge = |k: usize| [1.0, -1.0].map(|z| Vec3::new(corners[k % 4][0], corners[k % 4][1], z));
    let sweeps: Vec<Sweep> = (0..4).map(|k| Sweep { from: edge(k), to: edge(k + 1) }).collect();
    let cut = cloth.cut(&sweeps, 0.02).unwrap();
    let after = After::of(&cloth, &cut);
    assert_eq!(after.paths.len(), 1);
    assert_eq!(after.paths[0].first(), after.paths[0].last());
    let (faces, origins) = after.opened();
    let x: Vec<Vec3> = origins.iter().map(|&origin| after.cloth.x[origin as usize]).collect();
    assert_eq!(sound(&faces, &x).components().len(), 2);
    judge(&cloth, &sweeps, 0.02);
}

/// What must not be cut keeps its faces; the cut ends before it.
#[test]
fn faces_that_must_not_be_cut_stay() {
    let cloth = Cloth::sheet(false, 0.2, 5);
    let edge = |x: Real| [Vec3::new(x, 0.47, 1.0), Vec3::new(x, 0.47, -1.0)];
    let sweep = Sweep { from: edge(-1.0), to: edge(2.0) };
    let may_cut = |face: u32| face < 100;
    let cut = blade_cut(&cloth.faces, |_| false, &cloth.x, may_cut, &[sweep], |_| 0.02).unwrap();
    assert!(
        cut.remeshing.replaced.iter().all(|replacement| replacement.faces.iter().all(|&face| may_cut(face)))
    );
    let after = After::of(&cloth, &cut);
    let (faces, origins) = after.opened();
    let x: Vec<Vec3> = origins.iter().map(|&origin| after.cloth.x[origin as usize]).collect();
    assert_eq!(sound(&faces, &x).components().len(), 1);
}
