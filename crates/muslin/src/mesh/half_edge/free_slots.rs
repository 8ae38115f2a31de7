//! Slots of the arrays: taken from the free ones, the last one freed first, or added at the end.

use super::{FREE, FaceLoop, HalfEdge, HalfEdgeMesh, Kind, NONE, Vertex, twin};

impl HalfEdgeMesh {
    /// An edge without neighbours: its first half-edge.
    pub(super) fn take_edge(&mut self) -> u32 {
        self.counts.edges += 1;
        if self.free_edge == NONE {
            let blank = HalfEdge { vertex: NONE, next: NONE, prev: NONE, face: NONE };
            self.half_edges.extend([blank; 2]);
            return self.half_edges.len() as u32 - 2;
        }
        let half_edge = self.free_edge;
        self.free_edge = self.next(half_edge);
        half_edge
    }

    /// Frees the edge of a half-edge.
    pub(super) fn free_edge(&mut self, half_edge: u32) {
        self.counts.edges -= 1;
        let first = half_edge & !1;
        for (h, next) in [(first, self.free_edge), (twin(first), NONE)] {
            self.half_edges[h as usize] = HalfEdge { vertex: NONE, next, prev: NONE, face: NONE };
        }
        self.free_edge = first;
    }

    pub(super) fn take_face(&mut self, first: u32, kind: Kind) -> u32 {
        self.counts.loops += 1;
        let new = FaceLoop { first, kind };
        if self.free_face == NONE {
            self.faces.push(new);
            return self.faces.len() as u32 - 1;
        }
        let face = self.free_face;
        self.free_face = std::mem::replace(&mut self.faces[face as usize], new).first;
        face
    }

    pub(super) fn free_face(&mut self, face: u32) {
        self.counts.loops -= 1;
        self.faces[face as usize] = FaceLoop { first: self.free_face, kind: Kind::Free };
        self.free_face = face;
    }

    pub(super) fn take_vertex(&mut self, out: u32, particle: u32) -> u32 {
        self.counts.vertices += 1;
        let new = Vertex { out, particle, id: self.next_id };
        self.next_id += 1;
        if self.free_vertex == NONE {
            self.vertices.push(new);
            return self.vertices.len() as u32 - 1;
        }
        let vertex = self.free_vertex;
        self.free_vertex = std::mem::replace(&mut self.vertices[vertex as usize], new).out;
        vertex
    }

    pub(super) fn free_vertex(&mut self, vertex: u32) {
        self.counts.vertices -= 1;
        self.vertices[vertex as usize] = Vertex { out: self.free_vertex, particle: NONE, id: FREE };
        self.free_vertex = vertex;
    }
}
