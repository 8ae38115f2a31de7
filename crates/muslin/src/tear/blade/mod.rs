//! Cuts with a blade: its edge sweeps a surface, and where that crosses cloth the mesh gets vertices and the edges that open.
//!
//! ```text
//! swept surface    where it crosses edges, and how far it is from vertices            swept.rs
//! crossings        which edges are divided, and which vertices lie on the cut         this file
//! pieces           triangles in place of the faces that are crossed                   pieces.rs
//! paths            the edges that open, joined to chains                              paths.rs
//! ```
//!
//! An edge is crossed if it passes through the swept surface an odd number of times; exact predicates decide. An edge that is crossed
//! at a part t of its length within [0.2, 0.8] gets a vertex there; else its nearer end lies on the cut, and so does every vertex
//! within the least length. All edges of a vertex on the cut meet the cut there, and get no vertex. So whatever the blade does, the
//! mesh stays one: an edge with a new vertex divides all its faces.
//!
//! Faces are taken as triangles, on one side of the blade or the other: which, the corner farthest from the cut tells. The cut runs
//! between triangles on different sides. Where the blade ends within a face the cut ends at the face's last side, and that face is
//! divided, but stays whole. What the blade does within one edge is not seen.

mod paths;
mod pieces;
mod swept;
#[cfg(test)]
mod tests;

pub(super) use pieces::least_angle;

use crate::math::{Real, Vec3};
use crate::mesh::{Edge, Face, edges};
use crate::remesh::{Corner, Inserted, Remeshing};
use crate::torn::{BladeError, Sweep};
use swept::{Crossing, Swept};

/// Part of an edge next to its ends, where it gets no vertex.
const END_PART: Real = 0.2;

/// What a blade does to the surface of cloth.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BladeCut {
    /// The mesh that it makes.
    pub remeshing: Remeshing,
    /// The edges of that mesh which then open, as chains of two corners or more; a closed chain ends where it starts.
    pub paths: Vec<Vec<Corner>>,
}

/// The cut of cloth with vertices at `x` [m] by a blade, whose sweeps together make one surface. A quad is divided the other way if it
/// `is_crossed`; only faces that it `may_cut` change. Vertices nearer to the swept surface than their least length [m] lie on the cut.
pub(crate) fn blade_cut(
    faces: &[Face],
    is_crossed: impl Fn(u32) -> bool,
    x: &[Vec3],
    may_cut: impl Fn(u32) -> bool,
    sweeps: &[Sweep],
    least_length: impl Fn(u32) -> Real,
) -> Result<BladeCut, BladeError> {
    let ends = sweeps.iter().flat_map(|sweep| [sweep.from, sweep.to]).flatten();
    if !ends.into_iter().all(Vec3::is_finite) {
        return Err(BladeError::NotFinite);
    }
    let surface = Surface::of(faces, is_crossed, may_cut);
    let swept = Swept::of(sweeps);
    let crossings = Crossings::of(&surface, x, &swept, least_length);
    if crossings.of_edges.iter().all(Option::is_none) {
        return Err(BladeError::Misses);
    }
    let opened = crossings.opened();
    if opened.is_empty() {
        return Err(BladeError::TooShort);
    }
    let mut numbers = vec![None; surface.edges.len()];
    let mut remeshing = Remeshing::default();
    for (number, edge) in surface.edges.iter().enumerate() {
        let is_used = opened.iter().flatten().any(|&node| node == Node::On(number));
        if let (true, Some(crossing)) = (is_used, crossings.of_edges[number]) {
            let ([a, b], t) = (edge.ends, crossing.t);
            numbers[number] = Some(Corner::New(remeshing.inserted.len() as u32));
            remeshing.inserted.push(Inserted { corners: [(a, 1.0 - t), (b, t), (a, 0.0)] });
        }
    }
    let corner = |node: Node| match node {
        Node::At(vertex) => Corner::Old(vertex),
        Node::On(edge) => numbers[edge].expect("an edge that a path meets has a vertex"),
    };
    let opened: Vec<[Corner; 2]> = opened.into_iter().map(|ends| ends.map(corner)).collect();
    remeshing.replaced = pieces::replacements(&surface, &numbers, &opened, |corner| match corner {
        Corner::Old(vertex) => x[vertex as usize],
        Corner::New(number) => remeshing.inserted[number as usize]
            .corners
            .iter()
            .map(|&(vertex, weight)| weight * x[vertex as usize])
            .sum(),
    });
    Ok(BladeCut { remeshing, paths: paths::chains(opened) })
}

/// A surface of triangles, those of a quad beside each other.
struct Surface {
    triangles: Vec<Triangle>,
    /// All edges, quads' diagonals too; faces are numbers of triangles.
    edges: Vec<Edge>,
}

struct Triangle {
    corners: [u32; 3],
    /// The face that it is of.
    face: u32,
    may_be_cut: bool,
}

impl Surface {
    fn of(faces: &[Face], is_crossed: impl Fn(u32) -> bool, may_cut: impl Fn(u32) -> bool) -> Self {
        let mut triangles = Vec::new();
        for (face, of) in (0..).zip(faces) {
            let may_be_cut = may_cut(face);
            let of_face = of.triangles_of(is_crossed(face));
            triangles.extend(of_face.map(|corners| Triangle { corners, face, may_be_cut }));
        }
        let as_faces: Vec<Face> =
            triangles.iter().map(|t| Face::triangle(t.corners[0], t.corners[1], t.corners[2])).collect();
        let edges = edges(&as_faces);
        // Where another edge joins the ends of a quad's diagonal, the quad cannot become triangles.
        for edge in edges.iter().filter(|edge| edge.faces.len() > 2) {
            for pair in edge.faces.windows(2) {
                let [one, other] = [pair[0] as usize, pair[1] as usize];
                if triangles[one].face == triangles[other].face {
                    (triangles[one].may_be_cut, triangles[other].may_be_cut) = (false, false);
                }
            }
        }
        Self { triangles, edges }
    }

    /// The number of the edge between two vertices of a triangle.
    fn edge(&self, [a, b]: [u32; 2]) -> usize {
        let ends = [a.min(b), a.max(b)];
        self.edges.partition_point(|edge| edge.ends < ends)
    }

    /// The edges of a triangle: the one across from each corner.
    fn opposite_edges(&self, triangle: u32) -> [usize; 3] {
        let [a, b, c] = self.triangles[triangle as usize].corners;
        [[b, c], [c, a], [a, b]].map(|ends| self.edge(ends))
    }

    fn may_be_cut(&self, edge: &Edge) -> bool {
        edge.faces.iter().all(|&triangle| self.triangles[triangle as usize].may_be_cut)
    }
}

/// A place where the cut meets edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    /// A vertex.
    At(u32),
    /// Within an edge.
    On(usize),
}

/// Where a swept surface crosses a surface of triangles.
struct Crossings<'a> {
    surface: &'a Surface,
    x: &'a [Vec3],
    swept: &'a Swept,
    of_edges: Vec<Option<Crossing>>,
    /// Of each vertex.
    is_on_cut: Vec<bool>,
}

impl<'a> Crossings<'a> {
    fn of(surface: &'a Surface, x: &'a [Vec3], swept: &'a Swept, least_length: impl Fn(u32) -> Real) -> Self {
        let of_edges: Vec<Option<Crossing>> = surface
            .edges
            .iter()
            .map(|edge| edge.ends.map(|end| x[end as usize]))
            .zip(&surface.edges)
            .map(|(ends, edge)| {
                if edge.faces.iter().any(|&t| surface.triangles[t as usize].may_be_cut) {
                    swept.crossing(ends)
                } else {
                    None
                }
            })
            .collect();
        let mut is_on_cut: Vec<bool> =
            (0..).zip(x).map(|(vertex, &p)| swept.is_within(p, least_length(vertex))).collect();
        for (edge, crossing) in surface.edges.iter().zip(&of_edges) {
            match crossing {
                Some(crossing) if crossing.t < END_PART => is_on_cut[edge.ends[0] as usize] = true,
                Some(crossing) if crossing.t > 1.0 - END_PART => is_on_cut[edge.ends[1] as usize] = true,
                _ => {}
            }
        }
        Self { surface, x, swept, of_edges, is_on_cut }
    }

    fn is_on_cut(&self, vertex: u32) -> bool {
        self.is_on_cut[vertex as usize]
    }

    /// Whether an edge gets a vertex, if the cut goes on from there.
    fn is_divided(&self, number: usize) -> bool {
        let edge = &self.surface.edges[number];
        self.of_edges[number].is_some()
            && !edge.ends.iter().any(|&end| self.is_on_cut(end))
            && self.surface.may_be_cut(edge)
    }

    /// The edges that open: within triangles, and between them.
    fn opened(&self) -> Vec<[Node; 2]> {
        let within =
            (0..self.surface.triangles.len() as u32).filter_map(|triangle| self.opened_within(triangle));
        let between =
            self.surface.edges.iter().filter(|edge| self.opens(edge)).map(|edge| edge.ends.map(Node::At));
        within.chain(between).collect()
    }

    /// Where the cut crosses a triangle, from a side or a corner to another side.
    fn opened_within(&self, triangle: u32) -> Option<[Node; 2]> {
        let Triangle { corners, may_be_cut, .. } = self.surface.triangles[triangle as usize];
        if !may_be_cut {
            return None;
        }
        let sides = self.surface.opposite_edges(triangle);
        let divided: Vec<usize> = (0..3).filter(|&k| self.is_divided(sides[k])).collect();
        match *divided.as_slice() {
            [k] if self.is_on_cut(corners[k]) => Some([Node::At(corners[k]), Node::On(sides[k])]),
            [i, j] => Some([sides[i], sides[j]].map(Node::On)),
            [_, _, _] => {
                // The blade ends here, and passes here before or after that: the two crossings that follow each other.
                let pairs = [[0, 1], [1, 2], [2, 0]].map(|pair| pair.map(|k| sides[k]));
                let apart = |pair: &[usize; 2]| {
                    let [one, other] =
                        pair.map(|side| self.of_edges[side].map_or(0, |crossing| crossing.triangle));
                    one.abs_diff(other)
                };
                pairs.into_iter().min_by_key(apart).map(|pair| pair.map(Node::On))
            }
            _ => None,
        }
    }

    /// Whether the cut runs along an edge: between triangles on different sides.
    fn opens(&self, edge: &Edge) -> bool {
        let &[one, other] = edge.faces.as_slice() else { return false };
        if !edge.ends.iter().all(|&end| self.is_on_cut(end)) || !self.surface.may_be_cut(edge) {
            return false;
        }
        let [one, other] = [one, other].map(|triangle| self.far_corner(triangle));
        // Both ends tell the same, but where the blade ends next to one of them.
        edge.ends.iter().any(|&end| self.crosses([one, end]) != self.crosses([end, other]))
    }

    fn crosses(&self, [a, b]: [u32; 2]) -> bool {
        a != b && self.of_edges[self.surface.edge([a, b])].is_some()
    }

    /// The corner that tells on which side of the cut a triangle lies.
    fn far_corner(&self, triangle: u32) -> u32 {
        let corners = self.surface.triangles[triangle as usize].corners;
        let off_cut = corners.into_iter().find(|&corner| !self.is_on_cut(corner));
        off_cut.unwrap_or_else(|| {
            let distance = |corner: u32| self.swept.distance(self.x[corner as usize]);
            let farther = |one: u32, other: u32| if distance(other) > distance(one) { other } else { one };
            corners.into_iter().reduce(farther).unwrap_or(corners[0])
        })
    }
}
