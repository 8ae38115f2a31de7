//! The four operators that keep any structure an oriented 2-manifold [Akleman & Chen 1999; document 002, 3.1], the mark of
//! borders, and the surgery on loops and orbits that the composed operations share.

use super::{HalfEdgeMesh, Kind, LONE, NONE, twin};

/// A corner of a face: where an edge can be inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corner {
    /// At the start of a half-edge, in the face on its left.
    Of(u32),
    /// In the face of a vertex that has no edges.
    Lone(u32),
}

/// Why an operation was refused; nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message names each field")]
pub enum Refusal {
    #[error("there is no half-edge {0}")]
    NoHalfEdge(u32),
    #[error("there is no face {0}")]
    NoFace(u32),
    #[error("there is no vertex {0}")]
    NoVertex(u32),
    #[error("vertex {0} has edges, but only a vertex without edges can be deleted or be a lone corner")]
    HasEdges(u32),
    #[error("an edge would join vertex {0} with itself")]
    SelfLoop(u32),
    #[error("there would be two edges between vertices {} and {}", .0[0], .0[1])]
    DoubleEdge([u32; 2]),
    #[error("face {0} is a border; edges are inserted into and deleted between true faces only")]
    InBorder(u32),
    #[error("face {0} is no border")]
    NoBorder(u32),
    #[error("half-edge {0} does not run along a border")]
    NotAlongBorder(u32),
    #[error("vertex {0} would lie on two borders, or twice on one")]
    Pinched(u32),
    #[error("face {0} would be a border of less than three sides")]
    TooFewSides(u32),
    #[error("face {0} has not three sides")]
    NoTriangle(u32),
    #[error("edges of half-edges {} and {} do not start at one vertex, or are the same", .0[0], .0[1])]
    NoPath([u32; 2]),
    #[error("vertex {0} lies on a border; split it along one edge, from there")]
    AtBorder(u32),
    #[error("vertex {0} lies on no border; split it along two edges, or from the other end")]
    Inside(u32),
    #[error("the edge of half-edge {0} lies on a border already")]
    BorderEdge(u32),
    #[error("collapsing it would fold faces onto each other at vertex {0}")]
    Link(u32),
}

/// The four operators and the mark of borders.
impl HalfEdgeMesh {
    /// Inserts a vertex with a face of its own; its number.
    pub fn insert_vertex(&mut self, particle: u32) -> u32 {
        let vertex = self.take_vertex(NONE, particle);
        let face = self.take_face(vertex, Kind::Point);
        self.vertices[vertex as usize].out = face | LONE;
        vertex
    }

    /// Deletes a vertex that has no edges, and its face.
    pub fn delete_vertex(&mut self, vertex: u32) -> Result<(), Refusal> {
        let face = self.check_lone(vertex)?;
        self.free_face(face);
        self.free_vertex(vertex);
        Ok(())
    }

    /// Inserts an edge between two corners: splits their face, or joins the two faces into one. The half-edge from the first corner to
    /// the second. On its left is the face of the first corner; a new face is on its right.
    pub fn insert_edge(&mut self, from: Corner, to: Corner) -> Result<u32, Refusal> {
        let ([u, f], [v, g]) = (self.check_corner(from)?, self.check_corner(to)?);
        if let Some(&border) = [f, g].iter().find(|&&face| self.kind(face) == Kind::Border) {
            return Err(Refusal::InBorder(border));
        }
        self.check_new_edge(u, v)?;
        Ok(self.connect(from, to))
    }

    /// Deletes an edge: joins the faces beside it into that on the left of the half-edge, or parts the face that is on both sides of it.
    pub fn delete_edge(&mut self, half_edge: u32) -> Result<(), Refusal> {
        self.check_half_edge(half_edge)?;
        let sides = [half_edge, twin(half_edge)];
        if let Some(&border) = sides.iter().find(|&&h| self.is_border(h)) {
            return Err(Refusal::InBorder(self.face(border)));
        }
        self.disconnect(half_edge);
        Ok(())
    }

    /// Takes a face out of the surface: its loop becomes a border.
    pub fn open_face(&mut self, face: u32) -> Result<(), Refusal> {
        if !self.has_loop(face) {
            return Err(Refusal::NoFace(face));
        }
        match self.kind(face) {
            Kind::Point => return Err(Refusal::TooFewSides(face)),
            Kind::Border => return Err(Refusal::InBorder(face)),
            _ => {}
        }
        let sides: Vec<u32> = self.sides(face).collect();
        if sides.len() < 3 {
            return Err(Refusal::TooFewSides(face));
        }
        let mut corners: Vec<u32> = sides.iter().map(|&h| self.origin(h)).collect();
        if let Some(&vertex) = corners.iter().find(|&&vertex| self.is_at_border(vertex)) {
            return Err(Refusal::Pinched(vertex));
        }
        corners.sort_unstable();
        if let Some(pair) = corners.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Refusal::Pinched(pair[0]));
        }
        self.faces[face as usize].kind = Kind::Border;
        for h in sides {
            let vertex = self.origin(h);
            self.vertices[vertex as usize].out = h;
        }
        Ok(())
    }

    /// Fills a hole: a border loop becomes a face.
    pub fn fill_border(&mut self, border: u32) -> Result<(), Refusal> {
        if !self.has_loop(border) {
            return Err(Refusal::NoFace(border));
        }
        if self.kind(border) != Kind::Border {
            return Err(Refusal::NoBorder(border));
        }
        self.faces[border as usize].kind = Kind::Face;
        Ok(())
    }

    pub(super) fn check_half_edge(&self, half_edge: u32) -> Result<(), Refusal> {
        if self.has_half_edge(half_edge) { Ok(()) } else { Err(Refusal::NoHalfEdge(half_edge)) }
    }

    /// The face of a vertex without edges.
    fn check_lone(&self, vertex: u32) -> Result<u32, Refusal> {
        if !self.has_vertex(vertex) {
            return Err(Refusal::NoVertex(vertex));
        }
        let out = self.vertices[vertex as usize].out;
        if out & LONE == 0 { Err(Refusal::HasEdges(vertex)) } else { Ok(out & !LONE) }
    }

    /// The vertex and the face of a corner.
    fn check_corner(&self, corner: Corner) -> Result<[u32; 2], Refusal> {
        match corner {
            Corner::Of(half_edge) => {
                self.check_half_edge(half_edge)?;
                Ok([self.origin(half_edge), self.face(half_edge)])
            }
            Corner::Lone(vertex) => Ok([vertex, self.check_lone(vertex)?]),
        }
    }

    /// Refuses an edge between two vertices that would be the second one, or a loop.
    pub(super) fn check_new_edge(&self, u: u32, v: u32) -> Result<(), Refusal> {
        if u == v {
            Err(Refusal::SelfLoop(u))
        } else if self.are_adjacent(u, v) {
            Err(Refusal::DoubleEdge([u, v]))
        } else {
            Ok(())
        }
    }
}

/// Surgery without questions: what is asked for must make sense.
impl HalfEdgeMesh {
    pub(super) fn link(&mut self, half_edge: u32, next: u32) {
        self.half_edges[half_edge as usize].next = next;
        self.half_edges[next as usize].prev = half_edge;
    }

    /// Gives the loop from one half-edge to before another a face.
    fn set_face(&mut self, from: u32, to: u32, face: u32) {
        let mut h = from;
        loop {
            self.half_edges[h as usize].face = face;
            h = self.next(h);
            if h == to {
                return;
            }
        }
    }

    /// Gives all half-edges around the start of one a vertex.
    pub(super) fn set_origin(&mut self, half_edge: u32, vertex: u32) {
        let mut h = half_edge;
        loop {
            self.half_edges[h as usize].vertex = vertex;
            h = twin(self.prev(h));
            if h == half_edge {
                return;
            }
        }
    }

    /// Lets a vertex know one of its half-edges, or the one along the border.
    pub(super) fn set_out(&mut self, vertex: u32, half_edge: u32) {
        let mut h = half_edge;
        loop {
            if self.is_border(h) {
                break;
            }
            h = twin(self.prev(h));
            if h == half_edge {
                break;
            }
        }
        self.vertices[vertex as usize].out = h;
    }

    /// Inserts an edge between two corners, whatever they are.
    pub(super) fn connect(&mut self, from: Corner, to: Corner) -> u32 {
        let h = self.take_edge();
        let t = twin(h);
        let place = |mesh: &Self, corner: Corner, own: u32| match corner {
            Corner::Of(x) => (mesh.origin(x), mesh.face(x), mesh.prev(x), x),
            Corner::Lone(v) => (v, mesh.vertices[v as usize].out & !LONE, twin(own), own),
        };
        let (u, f, before_u, after_u) = place(self, from, h);
        let (v, g, before_v, after_v) = place(self, to, t);
        self.half_edges[h as usize].vertex = u;
        self.half_edges[t as usize].vertex = v;
        self.link(before_u, h);
        self.link(h, after_v);
        self.link(before_v, t);
        self.link(t, after_u);
        if f == g {
            self.half_edges[h as usize].face = f;
            self.faces[f as usize].first = h;
            let new = self.take_face(t, self.kind(f));
            self.set_face(t, t, new);
        } else {
            let kinds = [self.kind(f), self.kind(g)];
            let kind = kinds.into_iter().find(|&kind| kind != Kind::Point).unwrap_or(Kind::Face);
            self.free_face(g);
            self.faces[f as usize].kind = kind;
            self.faces[f as usize].first = h;
            self.set_face(h, h, f);
        }
        for (corner, vertex, own) in [(from, u, h), (to, v, t)] {
            if matches!(corner, Corner::Lone(_)) {
                self.vertices[vertex as usize].out = own;
            }
        }
        h
    }

    /// Deletes an edge. The face on the left of the half-edge stays: of both, or at its start.
    pub(super) fn disconnect(&mut self, h: u32) {
        let t = twin(h);
        let (u, v, f, g) = (self.origin(h), self.origin(t), self.face(h), self.face(t));
        let (before_u, after_u) = (self.prev(h), self.next(t));
        let (before_v, after_v) = (self.prev(t), self.next(h));
        let (is_u_lone, is_v_lone) = (before_u == t, before_v == h);
        if f != g {
            self.set_face(after_u, t, f);
            self.free_face(g);
        }
        if !is_u_lone {
            self.link(before_u, after_u);
        }
        if !is_v_lone {
            self.link(before_v, after_v);
        }
        if f == g {
            let kind = self.kind(f);
            self.rest(is_u_lone, f, u, after_u, kind);
            let new = self.take_face(NONE, kind);
            self.rest(is_v_lone, new, v, after_v, kind);
        } else {
            self.faces[f as usize].first = after_v;
        }
        self.free_edge(h);
        for (vertex, old, after, is_lone) in [(u, h, after_u, is_u_lone), (v, t, after_v, is_v_lone)] {
            if !is_lone && self.vertices[vertex as usize].out == old {
                self.set_out(vertex, after);
            }
        }
    }

    /// What is left of a loop at one end of a deleted edge gets a face.
    fn rest(&mut self, is_lone: bool, face: u32, vertex: u32, half_edge: u32, kind: Kind) {
        if is_lone {
            self.faces[face as usize] = super::FaceLoop { first: vertex, kind: Kind::Point };
            self.vertices[vertex as usize].out = face | LONE;
        } else {
            self.faces[face as usize] = super::FaceLoop { first: half_edge, kind };
            self.set_face(half_edge, half_edge, face);
        }
    }

    /// Exchanges what lies before two half-edges [Guibas & Stolfi 1985]: their vertices are merged into that of the first, or, if they
    /// are one, it is split and the second gets a new one; and so are their faces. Its own inverse.
    ///
    /// It is as if every edge around one vertex were deleted, and inserted again at the other one.
    pub(super) fn splice(&mut self, a: u32, b: u32) {
        let (u, v, f, g) = (self.origin(a), self.origin(b), self.face(a), self.face(b));
        if u != v {
            self.set_origin(b, u);
            self.free_vertex(v);
        }
        let (before_a, before_b) = (self.prev(a), self.prev(b));
        self.link(before_a, b);
        self.link(before_b, a);
        self.faces[f as usize].first = a;
        if f == g {
            let new = self.take_face(b, self.kind(f));
            self.set_face(b, b, new);
        } else {
            self.set_face(b, a, f);
            self.free_face(g);
        }
        if u == v {
            let new = self.take_vertex(b, self.particle(u));
            self.set_origin(b, new);
            self.set_out(new, b);
        }
        self.set_out(u, a);
    }
}
