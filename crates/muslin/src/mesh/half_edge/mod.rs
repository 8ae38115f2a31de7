//! A surface that stays an oriented 2-manifold whatever is done to it: half-edges on plain arrays.
//!
//! The doubly linked face list (DLFL) of document 002: its *edge end* is a half-edge. With any pairing of half-edges (twin: i ^ 1) and
//! any permutation `next` the loops of `next` are the faces of an oriented closed surface, if each vertex is one orbit of
//! next ∘ twin (a rotation system; Akleman & Chen 1999). A border is a face with a mark. For the whole structure
//!
//! ```text
//! V − E + F = Σ over components (2 − 2g)          faces, border loops and one-vertex faces counted
//!
//! operator                                        inverse                        ΔV ΔE ΔF
//! insert vertex (its own face)                    delete vertex (no edges)        1  0  1   one component more
//! insert edge, both corners in one face           delete edge between two faces   0  1  1
//! insert edge, corners in two faces               delete edge within one face     0  1 −1   joins components, else g + 1
//! split edge between two triangles                collapse                        1  3  2
//! split face of three corners                     collapse                        1  3  2
//! flip                                            flip                            0  0  0
//! split vertex: inner, along p–v–q                merge                           1  2  1
//!   at a border, along v–q                                                        1  1  0
//!   both ends on one border loop                                                  2  1  1   one component more, or g − 1
//!   on two loops                                                                  2  1 −1
//! ```
//!
//! What more than that holds after every call: no edge joins a vertex with itself, no two edges join the same vertices, no edge
//! has borders on both sides, no vertex has two corners in borders. So the true faces alone are a 2-manifold with border. A call that
//! would break any of it is refused with a reason and changes nothing.
//!
//! A vertex is not a particle: several vertices may stand for one, where a repaired mesh is parted in topology alone.

mod composed;
mod free_slots;
mod import;
mod operators;
mod repair;
mod seam;
#[cfg(test)]
mod tests;
mod unsewn;
mod walks;

pub(crate) use import::joined_faces;
pub use operators::{Corner, Refusal};
pub use repair::{BranchingEdge, Repair};
pub use seam::{Merged, Opened};
pub use unsewn::Unsewn;
pub use walks::Component;

/// Stands for no half-edge, face or vertex.
pub const NONE: u32 = u32::MAX;

/// Set in [`Vertex::out`] of a vertex without edges; the rest is the number of its face.
const LONE: u32 = 1 << 31;

/// The id of free slots of vertices.
const FREE: u64 = u64::MAX;

/// One direction of an edge. Its twin is half-edge i ^ 1, its edge i >> 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HalfEdge {
    /// Where it starts; [`NONE`] in a free slot.
    pub vertex: u32,
    /// The half-edge after it around its face; in a free slot, the next free edge.
    pub next: u32,
    /// The half-edge before it around its face.
    pub prev: u32,
    /// The face, on its left.
    pub face: u32,
}

/// What a loop of half-edges bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Kind {
    /// A face of the surface.
    Face,
    /// The outside: the loop is a border, run through with the surface on the right.
    Border,
    /// A face of one vertex, which has no edges.
    Point,
    /// Nothing: the slot is free.
    Free,
}

/// A face, or a border loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FaceLoop {
    /// One of its half-edges; of a one-vertex face the vertex; in a free slot, the next free face.
    pub first: u32,
    /// What it is.
    pub kind: Kind,
}

/// A vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Vertex {
    /// A half-edge that starts here, the one along the border if there is one; in a free slot, the next free vertex.
    out: u32,
    /// The particle that it stands for.
    pub particle: u32,
    /// Its name for good: never given to another vertex.
    pub id: u64,
}

/// A surface of half-edges.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HalfEdgeMesh {
    half_edges: Vec<HalfEdge>,
    faces: Vec<FaceLoop>,
    vertices: Vec<Vertex>,
    /// First free slots; the others follow, the last one freed first.
    free_edge: u32,
    free_face: u32,
    free_vertex: u32,
    counts: Counts,
    next_id: u64,
}

/// How many there are of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Counts {
    /// V.
    pub vertices: usize,
    /// E.
    pub edges: usize,
    /// F: faces, border loops and one-vertex faces.
    pub loops: usize,
}

impl Counts {
    /// V − E + F.
    #[allow(clippy::cast_possible_wrap, reason = "numbers are 32 bits wide")]
    pub fn euler_characteristic(self) -> i64 {
        self.vertices as i64 - self.edges as i64 + self.loops as i64
    }
}

impl Default for HalfEdgeMesh {
    fn default() -> Self {
        Self {
            half_edges: Vec::new(),
            faces: Vec::new(),
            vertices: Vec::new(),
            free_edge: NONE,
            free_face: NONE,
            free_vertex: NONE,
            counts: Counts::default(),
            next_id: 0,
        }
    }
}

/// The other direction of the same edge.
#[inline]
pub const fn twin(half_edge: u32) -> u32 {
    half_edge ^ 1
}

/// Questions about one slot. All take numbers of what is there, and panic on others.
impl HalfEdgeMesh {
    /// All slots of half-edges, two per edge; free ones have no vertex.
    pub fn half_edges(&self) -> &[HalfEdge] {
        &self.half_edges
    }

    /// All slots of faces and borders.
    pub fn loops(&self) -> &[FaceLoop] {
        &self.faces
    }

    /// All slots of vertices; see [`Self::has_vertex`].
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// V, E and F.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Whether there is such a half-edge.
    pub fn has_half_edge(&self, half_edge: u32) -> bool {
        self.half_edges.get(half_edge as usize).is_some_and(|h| h.vertex != NONE)
    }

    /// Whether there is such a face or border.
    pub fn has_loop(&self, face: u32) -> bool {
        self.faces.get(face as usize).is_some_and(|f| f.kind != Kind::Free)
    }

    /// Whether there is such a vertex.
    pub fn has_vertex(&self, vertex: u32) -> bool {
        self.vertices.get(vertex as usize).is_some_and(|v| v.id != FREE)
    }

    /// Where a half-edge starts.
    #[inline]
    pub fn origin(&self, half_edge: u32) -> u32 {
        self.half_edges[half_edge as usize].vertex
    }

    /// Where a half-edge ends.
    #[inline]
    pub fn target(&self, half_edge: u32) -> u32 {
        self.origin(twin(half_edge))
    }

    /// The half-edge after one around its face.
    #[inline]
    pub fn next(&self, half_edge: u32) -> u32 {
        self.half_edges[half_edge as usize].next
    }

    /// The half-edge before one around its face.
    #[inline]
    pub fn prev(&self, half_edge: u32) -> u32 {
        self.half_edges[half_edge as usize].prev
    }

    /// The face or border on the left of a half-edge.
    #[inline]
    pub fn face(&self, half_edge: u32) -> u32 {
        self.half_edges[half_edge as usize].face
    }

    /// What a face is.
    #[inline]
    pub fn kind(&self, face: u32) -> Kind {
        self.faces[face as usize].kind
    }

    /// Whether a half-edge runs along a border, with the surface on its right.
    #[inline]
    pub fn is_border(&self, half_edge: u32) -> bool {
        self.kind(self.face(half_edge)) == Kind::Border
    }

    /// A half-edge that starts at a vertex, along the border if there is one; none if it has no edges.
    pub fn out(&self, vertex: u32) -> Option<u32> {
        Some(self.vertices[vertex as usize].out).filter(|out| out & LONE == 0)
    }

    /// Whether a vertex lies on a border.
    pub fn is_at_border(&self, vertex: u32) -> bool {
        self.out(vertex).is_some_and(|out| self.is_border(out))
    }

    /// The particle that a vertex stands for.
    pub fn particle(&self, vertex: u32) -> u32 {
        self.vertices[vertex as usize].particle
    }

    /// Lets a vertex stand for another particle.
    pub fn set_particle(&mut self, vertex: u32, particle: u32) {
        self.vertices[vertex as usize].particle = particle;
    }

    /// The vertex of an id, if it is still there. Looks at every vertex.
    pub fn vertex_of_id(&self, id: u64) -> Option<u32> {
        self.vertices.iter().position(|v| v.id == id && id != FREE).map(|v| v as u32)
    }
}
