//! Division, flips and collapses, and the union of two surfaces.

use super::operators::{Corner, Refusal};
use super::{FREE, HalfEdgeMesh, Kind, LONE, NONE, twin};

impl HalfEdgeMesh {
    /// Splits an edge by a new vertex, whose number it returns, and every triangle beside it by an edge from there to its tip. Other
    /// faces get one side more.
    ///
    /// The half-edge then ends at the new vertex; its edge is the part at its start.
    pub fn split_edge(&mut self, half_edge: u32, particle: u32) -> Result<u32, Refusal> {
        self.check_half_edge(half_edge)?;
        let tip = |h: u32| self.is_triangle(self.face(h)).then(|| self.prev(h));
        let [left, right] = [half_edge, twin(half_edge)].map(tip);
        let tips = [left, right].map(|tip| tip.map(|h| self.origin(h)));
        if let [Some(a), Some(b)] = tips
            && a == b
        {
            return Err(Refusal::DoubleEdge([a, self.vertices.len() as u32]));
        }
        let middle = self.divide(half_edge, particle);
        let (beyond, back) = (self.next(half_edge), twin(half_edge));
        if let Some(tip) = left {
            self.connect(Corner::Of(beyond), Corner::Of(tip));
        }
        if let Some(tip) = right {
            self.connect(Corner::Of(tip), Corner::Of(back));
        }
        Ok(middle)
    }

    /// Splits a face by a new vertex, whose number it returns, and edges from there to all its corners.
    pub fn split_face(&mut self, face: u32, particle: u32) -> Result<u32, Refusal> {
        if !self.has_loop(face) {
            return Err(Refusal::NoFace(face));
        }
        match self.kind(face) {
            Kind::Border => return Err(Refusal::InBorder(face)),
            Kind::Point => return Err(Refusal::TooFewSides(face)),
            _ => {}
        }
        let sides: Vec<u32> = self.sides(face).collect();
        let mut corners: Vec<u32> = sides.iter().map(|&h| self.origin(h)).collect();
        corners.sort_unstable();
        if let Some(pair) = corners.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Refusal::DoubleEdge([pair[0], self.vertices.len() as u32]));
        }
        let middle = self.insert_vertex(particle);
        let mut last = twin(self.connect(Corner::Of(sides[0]), Corner::Lone(middle)));
        for &side in &sides[1..] {
            last = self.connect(Corner::Of(last), Corner::Of(side));
        }
        Ok(middle)
    }

    /// Turns the edge between two triangles: it then joins the two tips.
    pub fn flip(&mut self, half_edge: u32) -> Result<(), Refusal> {
        self.check_half_edge(half_edge)?;
        for face in [half_edge, twin(half_edge)].map(|h| self.face(h)) {
            if !self.is_triangle(face) {
                return Err(Refusal::NoTriangle(face));
            }
        }
        let [left, right] = [half_edge, twin(half_edge)].map(|h| self.prev(h));
        self.check_new_edge(self.origin(left), self.origin(right))?;
        self.disconnect(half_edge);
        self.connect(Corner::Of(left), Corner::Of(right));
        Ok(())
    }

    /// Collapses an edge: the end of the half-edge is merged into its start, triangles beside it vanish, other faces lose a side.
    ///
    /// Allowed under the link condition [Dey et al. 1999]: the only vertices next to both ends are the tips of triangles beside the
    /// edge, and no two faces get the same corners.
    pub fn collapse(&mut self, half_edge: u32) -> Result<(), Refusal> {
        self.check_collapse(half_edge)?;
        let sides = [half_edge, twin(half_edge)];
        // The edges of the vanishing triangles that end at the vertex that is given up.
        let [left, right] = sides.map(|h| self.is_triangle(self.face(h)));
        let doubled = [left.then(|| self.next(half_edge)), right.then(|| self.prev(twin(half_edge)))];
        self.contract(half_edge);
        for side in doubled.into_iter().flatten() {
            self.disconnect(twin(side));
        }
        Ok(())
    }

    fn check_collapse(&self, half_edge: u32) -> Result<(), Refusal> {
        self.check_half_edge(half_edge)?;
        let (u, v) = (self.origin(half_edge), self.target(half_edge));
        let sides = [half_edge, twin(half_edge)];
        let mut tips = Vec::new();
        for h in sides {
            let face = self.face(h);
            let count = self.sides(face).take(4).count();
            match self.kind(face) {
                Kind::Border if count <= 3 => return Err(Refusal::TooFewSides(face)),
                Kind::Face if count < 3 => return Err(Refusal::TooFewSides(face)),
                Kind::Face if count == 3 => tips.push(self.origin(self.prev(h))),
                _ => {}
            }
        }
        let is_inner = !sides.iter().any(|&h| self.is_border(h));
        if is_inner && self.is_at_border(u) && self.is_at_border(v) {
            return Err(Refusal::Pinched(u));
        }
        if let [a, b] = tips[..]
            && (a == b || self.closes_tetrahedron([u, v], a, b))
        {
            return Err(Refusal::Link(a));
        }
        let common = |x: &u32| self.are_adjacent(v, *x) && !tips.contains(x);
        if let Some(other) = self.neighbors(u).find(common) {
            return Err(Refusal::Link(other));
        }
        // A tip of two edges would hang on one.
        match tips.iter().find(|&&tip| self.around(tip).take(3).count() < 3) {
            Some(&tip) => Err(Refusal::Link(tip)),
            None => Ok(()),
        }
    }

    /// Whether the tips of the triangles beside an edge are joined by an edge between triangles whose tips are its ends.
    fn closes_tetrahedron(&self, ends: [u32; 2], a: u32, b: u32) -> bool {
        let Some(across) = self.between(a, b) else { return false };
        [across, twin(across)]
            .iter()
            .all(|&h| self.is_triangle(self.face(h)) && ends.contains(&self.origin(self.prev(h))))
    }

    fn is_triangle(&self, face: u32) -> bool {
        self.kind(face) == Kind::Face && self.sides(face).take(4).count() == 3
    }

    /// Puts a vertex on an edge. The half-edge then ends there.
    ///
    /// The same as inserting the vertex and edges from it to both ends into the face on the left, and deleting the edge.
    fn divide(&mut self, h: u32, particle: u32) -> u32 {
        let (t, after, before) = (twin(h), self.next(h), self.prev(twin(h)));
        let (end, is_end_free) = (self.target(h), after == t);
        let k = self.take_edge();
        let middle = self.take_vertex(NONE, particle);
        self.half_edges[k as usize].vertex = middle;
        self.half_edges[k as usize].face = self.face(h);
        self.half_edges[twin(k) as usize].vertex = end;
        self.half_edges[twin(k) as usize].face = self.face(t);
        self.half_edges[t as usize].vertex = middle;
        if is_end_free {
            self.link(k, twin(k));
        } else {
            self.link(k, after);
            self.link(before, twin(k));
        }
        self.link(h, k);
        self.link(twin(k), t);
        if self.vertices[end as usize].out == t {
            self.vertices[end as usize].out = twin(k);
        }
        self.set_out(middle, k);
        middle
    }

    /// Merges the end of a half-edge into its start, and deletes it.
    fn contract(&mut self, h: u32) {
        let t = twin(h);
        let (start, end) = (self.origin(h), self.target(h));
        let ([before, after], [before_t, after_t]) =
            ([self.prev(h), self.next(h)], [self.prev(t), self.next(t)]);
        self.set_origin(t, start);
        if before == t {
            self.link(before_t, after);
        } else if after == t {
            self.link(before, after_t);
        } else {
            self.link(before, after);
            self.link(before_t, after_t);
        }
        let stays = |other: u32, instead: u32| if other == t || other == h { instead } else { other };
        let (f, g) = (self.face(h), self.face(t));
        self.faces[f as usize].first = stays(after, after_t);
        self.faces[g as usize].first = stays(after_t, after);
        self.free_edge(h);
        self.free_vertex(end);
        self.set_out(start, stays(after, after_t));
    }

    /// Adds another surface; its particles are counted from `first_particle`. By how much its half-edges, faces and vertices are shifted.
    /// Its vertices get new ids, in their order.
    pub fn unite(&mut self, other: &Self, first_particle: u32) -> [u32; 3] {
        let shift = [self.half_edges.len() as u32, self.faces.len() as u32, self.vertices.len() as u32];
        let [edges, faces, vertices] = shift;
        let moved = |number: u32, by: u32| if number == NONE { NONE } else { number + by };
        self.half_edges.extend(other.half_edges.iter().map(|h| super::HalfEdge {
            vertex: moved(h.vertex, vertices),
            next: moved(h.next, edges),
            prev: moved(h.prev, edges),
            face: moved(h.face, faces),
        }));
        self.faces.extend(other.faces.iter().map(|f| {
            let by = match f.kind {
                Kind::Face | Kind::Border => edges,
                Kind::Point => vertices,
                Kind::Free => faces,
            };
            super::FaceLoop { first: moved(f.first, by), kind: f.kind }
        }));
        for v in &other.vertices {
            let is_free = v.id == FREE;
            let by = if is_free {
                vertices
            } else if v.out & LONE != 0 {
                faces
            } else {
                edges
            };
            let particle = if is_free { NONE } else { v.particle + first_particle };
            let id = if is_free { FREE } else { self.next_id };
            self.next_id += u64::from(!is_free);
            self.vertices.push(super::Vertex { out: moved(v.out, by), particle, id });
        }
        self.chain_free_slots(other, shift);
        self.counts.vertices += other.counts.vertices;
        self.counts.edges += other.counts.edges;
        self.counts.loops += other.counts.loops;
        shift
    }

    /// Puts the free slots of an added surface before one's own.
    fn chain_free_slots(&mut self, other: &Self, [edges, faces, vertices]: [u32; 3]) {
        if other.free_edge != NONE {
            let mut last = other.free_edge + edges;
            while self.next(last) != NONE {
                last = self.next(last);
            }
            self.half_edges[last as usize].next = self.free_edge;
            self.free_edge = other.free_edge + edges;
        }
        if other.free_face != NONE {
            let mut last = other.free_face + faces;
            while self.faces[last as usize].first != NONE {
                last = self.faces[last as usize].first;
            }
            self.faces[last as usize].first = self.free_face;
            self.free_face = other.free_face + faces;
        }
        if other.free_vertex != NONE {
            let mut last = other.free_vertex + vertices;
            while self.vertices[last as usize].out != NONE {
                last = self.vertices[last as usize].out;
            }
            self.vertices[last as usize].out = self.free_vertex;
            self.free_vertex = other.free_vertex + vertices;
        }
    }
}
