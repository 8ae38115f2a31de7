//! Random calls: after each one the validator, its row of the table, and its inverse.

use super::validator::{arrays, loops, validate};
use super::*;

/// Numbers that look random [splitmix64, Steele et al. 2014].
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % u64::from(limit.max(1))) as u32
    }

    /// A slot, now and then one behind the last.
    fn slot(&mut self, len: usize) -> u32 {
        self.below(len as u32 + 1)
    }

    fn corner(&mut self, mesh: &HalfEdgeMesh) -> Corner {
        if self.below(4) == 0 {
            Corner::Lone(self.slot(mesh.vertices().len()))
        } else {
            Corner::Of(self.slot(mesh.half_edges().len()))
        }
    }
}

type Row = [i64; 3];

/// One random call; the change of V, E and F by the table, or the refusal. Checks the inverse, too.
fn call(mesh: &mut HalfEdgeMesh, random: &mut Random, which: u32) -> Result<Row, Refusal> {
    let before = mesh.clone();
    let half_edge = random.slot(mesh.half_edges().len());
    match which {
        0 => {
            let vertex = mesh.insert_vertex(random.below(9));
            undone(mesh, &before, |m| m.delete_vertex(vertex));
            Ok([1, 0, 1])
        }
        1 => {
            let vertex = random.slot(mesh.vertices().len());
            mesh.delete_vertex(vertex)?;
            undone(mesh, &before, |m| {
                m.insert_vertex(before.particle(vertex));
                Ok(())
            });
            Ok([-1, 0, -1])
        }
        2 => {
            let [from, to] = [0, 1].map(|_| random.corner(mesh));
            let h = mesh.insert_edge(from, to)?;
            let row = if mesh.face(h) == mesh.face(twin(h)) { [0, 1, -1] } else { [0, 1, 1] };
            undone(mesh, &before, |m| m.delete_edge(h));
            Ok(row)
        }
        3 => {
            mesh.delete_edge(half_edge & !1)?;
            reinserted(mesh, &before, half_edge & !1);
            let is_one = before.face(half_edge) == before.face(twin(half_edge));
            Ok(if is_one { [0, -1, 1] } else { [0, -1, -1] })
        }
        4 => {
            let face = random.slot(mesh.loops().len());
            mesh.open_face(face)?;
            undone(mesh, &before, |m| m.fill_border(face));
            Ok([0; 3])
        }
        5 => {
            let face = random.slot(mesh.loops().len());
            mesh.fill_border(face)?;
            undone(mesh, &before, |m| m.open_face(face));
            Ok([0; 3])
        }
        6 => {
            let middle = mesh.split_edge(half_edge, 5)?;
            let given_up = mesh.between(before.target(half_edge), middle).unwrap();
            undone(mesh, &before, |m| m.collapse(given_up));
            let triangles = [half_edge, twin(half_edge)].iter().filter(|&&h| is_triangle(&before, h)).count();
            Ok([1, 1 + triangles as i64, triangles as i64])
        }
        7 => {
            let face = random.slot(mesh.loops().len());
            let middle = mesh.split_face(face, 5)?;
            let sides = before.sides(face).count() as i64;
            reunited(mesh, &before, face, middle);
            Ok([1, sides, sides - 1])
        }
        8 => {
            mesh.flip(half_edge)?;
            let mut back = mesh.clone();
            back.flip(half_edge).unwrap();
            assert_eq!(loops(&back), loops(&before));
            Ok([0; 3])
        }
        9 => {
            let sides = [half_edge, twin(half_edge)];
            mesh.collapse(half_edge)?;
            let triangles = sides.iter().filter(|&&h| is_triangle(&before, h)).count() as i64;
            Ok([-1, -1 - triangles, -triangles])
        }
        10 => {
            let around = mesh.has_half_edge(half_edge).then(|| mesh.around(mesh.origin(half_edge)).collect());
            let around: Vec<u32> = around.unwrap_or_default();
            let other = around.get(random.slot(around.len()) as usize).copied().unwrap_or(half_edge);
            let opened = mesh.split_vertex(half_edge, other)?;
            undone(mesh, &before, |m| m.merge(opened.lips[1][0], opened.lips[1][1]).map(drop));
            Ok([1, 2, 1])
        }
        11 => {
            let opened = mesh.split_border_vertex(half_edge)?;
            undone(mesh, &before, |m| m.merge(opened.lips[0][0], opened.lips[0][1]).map(drop));
            let borders = [before.origin(half_edge), before.target(half_edge)]
                .map(|v| before.out(v).filter(|&h| before.is_border(h)).map(|h| before.face(h)));
            Ok(match borders {
                [_, None] => [1, 1, 0],
                [a, b] if a == b => [2, 1, 1],
                _ => [2, 1, -1],
            })
        }
        _ => merge(mesh, random, &before),
    }
}

fn merge(mesh: &mut HalfEdgeMesh, random: &mut Random, before: &HalfEdgeMesh) -> Result<Row, Refusal> {
    let along: Vec<u32> =
        (0..mesh.half_edges().len() as u32).filter(|&h| mesh.has_half_edge(h) && mesh.is_border(h)).collect();
    let pick = |random: &mut Random| along.get(random.below(along.len() as u32) as usize).copied();
    let mut first = pick(random).unwrap_or(NONE);
    // Often a neighbour, which a seam closes by.
    let mut second =
        if first != NONE && random.below(2) == 0 { mesh.prev(first) } else { pick(random).unwrap_or(NONE) };
    mesh.merge(first, second)?;
    if before.target(first) == before.origin(second) {
        (first, second) = (second, first);
    }
    let is_folded = before.origin(first) == before.target(second);
    let after = before.next(first);
    let closes = is_folded && before.next(after) == before.prev(second);
    let mut again = mesh.clone();
    if closes {
        again.split_vertex(after, second).unwrap();
    } else {
        again.split_border_vertex(second).unwrap();
    }
    assert_eq!(loops(&again), loops(before));
    Ok(match (is_folded, closes) {
        (true, true) => [-1, -2, -1],
        (true, false) => [-1, -1, 0],
        _ if before.face(first) == before.face(second) => [-2, -1, 1],
        _ => [-2, -1, -1],
    })
}

/// The inverse gives back the same arrays.
fn undone(
    mesh: &HalfEdgeMesh,
    before: &HalfEdgeMesh,
    inverse: impl FnOnce(&mut HalfEdgeMesh) -> Result<(), Refusal>,
) {
    let mut back = mesh.clone();
    inverse(&mut back).unwrap();
    assert_eq!(arrays(&back), arrays(before));
}

/// A deleted edge, inserted again where it was.
fn reinserted(mesh: &HalfEdgeMesh, before: &HalfEdgeMesh, h: u32) {
    let t = twin(h);
    let corner = |own: u32, after: u32| {
        if after == own { Corner::Lone(before.origin(own)) } else { Corner::Of(after) }
    };
    let (from, to) = (corner(h, before.next(t)), corner(t, before.next(h)));
    undone(mesh, before, |m| m.insert_edge(from, to).map(drop));
}

/// A split triangle by a collapse into the corner opposite to the part with its number; other faces edge by edge.
fn reunited(mesh: &HalfEdgeMesh, before: &HalfEdgeMesh, face: u32, middle: u32) {
    if before.sides(face).count() == 3 {
        let corner = before.corners(face).find(|v| !mesh.corners(face).any(|w| w == *v)).unwrap();
        let h = mesh.between(corner, middle).unwrap();
        let mut back = mesh.clone();
        // Two triangles on both sides of one loop are no complex that a collapse could leave.
        if back.collapse(h).is_ok() {
            assert_eq!(arrays(&back), arrays(before));
        }
    }
    let mut back = mesh.clone();
    while let Some(h) = back.out(middle) {
        back.delete_edge(h).unwrap();
    }
    back.delete_vertex(middle).unwrap();
    assert_eq!(loops(&back), loops(before));
}

fn is_triangle(mesh: &HalfEdgeMesh, h: u32) -> bool {
    mesh.kind(mesh.face(h)) == Kind::Face && mesh.sides(mesh.face(h)).count() == 3
}

/// Which calls keep a surface small.
const SHRINKING: [u32; 5] = [1, 3, 9, 9, 12];

#[test]
fn a_hundred_thousand_random_calls_keep_every_invariant() {
    let (mut calls, mut done) = (0, [0; 13]);
    for seed in 0..100 {
        let mut random = Random(seed);
        let mut mesh = match seed % 5 {
            0 => HalfEdgeMesh::default(),
            1 => surface(&grid([3, 3], [false, false])),
            2 => surface(&grid([4, 2], [true, false])),
            3 => surface(&grid([3, 3], [true, true])),
            _ => tetrahedron(),
        };
        for _ in 0..1000 {
            let which =
                if mesh.counts().edges > 50 { SHRINKING[random.below(5) as usize] } else { random.below(13) };
            let before = mesh.clone();
            match call(&mut mesh, &mut random, which) {
                Err(_) => assert_eq!(mesh, before, "refused, but changed"),
                Ok(row) => {
                    done[which as usize] += 1;
                    let [old, new] = [before.counts(), mesh.counts()]
                        .map(|c| [c.vertices as i64, c.edges as i64, c.loops as i64]);
                    assert_eq!([0, 1, 2].map(|k| new[k] - old[k]), row, "call {which} of seed {seed}");
                }
            }
            validate(&mesh);
            calls += 1;
        }
    }
    assert_eq!(calls, 100_000);
    // Each kind is really tried: refusals alone would show nothing.
    assert!(done.iter().all(|&count| count > 100), "{done:?}");
}
