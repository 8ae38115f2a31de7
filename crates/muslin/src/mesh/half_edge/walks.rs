//! Walks: around a vertex, a face or a border, over all edges; components and their genus.

use super::{Counts, HalfEdgeMesh, Kind, NONE, twin};

/// A connected piece of the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Component {
    /// V, E and F, borders counted among the faces.
    pub counts: Counts,
    /// How many of the faces are borders.
    pub borders: usize,
}

impl Component {
    /// Number of handles: 0 for a sphere, a disc or a tube, 1 for a torus.
    pub fn genus(&self) -> usize {
        ((2 - self.counts.euler_characteristic()) / 2) as usize
    }
}

impl HalfEdgeMesh {
    /// The half-edges around a face or a border, from its first one; none of a one-vertex face.
    pub fn sides(&self, face: u32) -> impl Iterator<Item = u32> + '_ {
        let is_loop = matches!(self.kind(face), Kind::Face | Kind::Border);
        let first = if is_loop { self.faces[face as usize].first } else { NONE };
        cycle(first, |h| self.next(h))
    }

    /// The vertices around a face or a border; the only one of a one-vertex face.
    pub fn corners(&self, face: u32) -> impl Iterator<Item = u32> + '_ {
        let lone = (self.kind(face) == Kind::Point).then(|| self.faces[face as usize].first);
        lone.into_iter().chain(self.sides(face).map(|h| self.origin(h)))
    }

    /// The half-edges that start at a vertex, counter-clockwise; from the one along the border, if there is one.
    pub fn around(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        cycle(self.out(vertex).unwrap_or(NONE), |h| twin(self.prev(h)))
    }

    /// The vertices next to a vertex, counter-clockwise.
    pub fn neighbors(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        self.around(vertex).map(|h| self.target(h))
    }

    /// The half-edge from a vertex to another, if an edge joins them.
    pub fn between(&self, from: u32, to: u32) -> Option<u32> {
        self.around(from).find(|&h| self.target(h) == to)
    }

    /// Whether an edge joins two vertices.
    pub fn are_adjacent(&self, u: u32, v: u32) -> bool {
        self.between(u, v).is_some()
    }

    /// The faces and borders of a kind, in the order of their slots.
    pub fn loops_of(&self, kind: Kind) -> impl Iterator<Item = u32> + '_ {
        (0..self.faces.len() as u32).filter(move |&face| self.kind(face) == kind)
    }

    /// Walks over all that is connected with a vertex: each edge once, as the half-edge that it is met by. Vertices are left in
    /// the order in which they are met, edges around them counter-clockwise.
    pub fn walk(&self, vertex: u32) -> Vec<u32> {
        let mut marks = Marks::of(self);
        self.walk_marked(vertex, &mut marks)
    }

    fn walk_marked(&self, vertex: u32, marks: &mut Marks) -> Vec<u32> {
        let (mut met, mut queue, mut done) = (Vec::new(), vec![vertex], 0);
        marks.vertices[vertex as usize] = true;
        while done < queue.len() {
            for h in self.around(queue[done]) {
                if !std::mem::replace(&mut marks.edges[h as usize >> 1], true) {
                    met.push(h);
                }
                let target = self.target(h);
                if !std::mem::replace(&mut marks.vertices[target as usize], true) {
                    queue.push(target);
                }
            }
            done += 1;
        }
        marks.last_vertices = queue.len();
        met
    }

    /// The connected pieces, by their lowest vertices.
    pub fn components(&self) -> Vec<Component> {
        let mut marks = Marks::of(self);
        let mut found = Vec::new();
        for vertex in 0..self.vertices.len() as u32 {
            if !self.has_vertex(vertex) || marks.vertices[vertex as usize] {
                continue;
            }
            let edges = self.walk_marked(vertex, &mut marks);
            let mut piece = Component::default();
            piece.counts.vertices = marks.last_vertices;
            piece.counts.edges = edges.len();
            piece.counts.loops = usize::from(edges.is_empty());
            for face in edges.iter().flat_map(|&h| [h, twin(h)]).map(|h| self.face(h)) {
                if !std::mem::replace(&mut marks.faces[face as usize], true) {
                    piece.counts.loops += 1;
                    piece.borders += usize::from(self.kind(face) == Kind::Border);
                }
            }
            found.push(piece);
        }
        found
    }

    /// The faces by the particles of their corners, in the order of their slots; borders and one-vertex faces are left out.
    pub fn export(&self) -> Vec<Vec<u32>> {
        let by_particle = |face| self.corners(face).map(|vertex| self.particle(vertex)).collect();
        self.loops_of(Kind::Face).map(by_particle).collect()
    }
}

/// What a walk has met.
struct Marks {
    vertices: Vec<bool>,
    edges: Vec<bool>,
    faces: Vec<bool>,
    last_vertices: usize,
}

impl Marks {
    fn of(mesh: &HalfEdgeMesh) -> Self {
        Self {
            vertices: vec![false; mesh.vertices.len()],
            edges: vec![false; mesh.half_edges.len() / 2],
            faces: vec![false; mesh.faces.len()],
            last_vertices: 0,
        }
    }
}

/// From half-edge to half-edge, until the first comes again.
fn cycle(first: u32, step: impl Fn(u32) -> u32) -> impl Iterator<Item = u32> {
    let after = move |&h: &u32| Some(step(h)).filter(|&h| h != first);
    std::iter::successors(Some(first).filter(|&h| h != NONE), after)
}
