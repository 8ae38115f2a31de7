//! Seams: opened along edges, and closed.
//!
//! An edge is doubled by inserting a second one beside it; the face of two sides between them is marked as border. At every vertex that has
//! two corners in borders then, it is split between them. Merging does the same backwards.

use super::operators::{Corner, Refusal};
use super::{HalfEdgeMesh, Kind, twin};

/// What opening a seam has made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Vertices that were split, each with its new twin, which stands for the same particle so far.
    pub vertices: Vec<[u32; 2]>,
    /// Half-edges along the border, each with the one of the other lip that it was one edge with: ready for [`HalfEdgeMesh::merge`].
    pub lips: Vec<[u32; 2]>,
}

/// What closing a seam has merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// Vertices that stayed, each with the one that was merged into it and is no more.
    pub vertices: Vec<[u32; 2]>,
}

impl HalfEdgeMesh {
    /// Splits a vertex inside the surface along two of its edges, given as half-edges p ← v → q: opens a hole of four sides. The
    /// faces from the first half-edge counter-clockwise to the second get the new vertex.
    pub fn split_vertex(&mut self, first: u32, second: u32) -> Result<Opened, Refusal> {
        self.check_half_edge(first)?;
        self.check_half_edge(second)?;
        let vertex = self.origin(first);
        if first == second || self.origin(second) != vertex {
            return Err(Refusal::NoPath([first, second]));
        }
        for v in [vertex, self.target(first), self.target(second)] {
            if self.is_at_border(v) {
                return Err(Refusal::AtBorder(v));
            }
        }
        let lips = [first, second].map(|h| self.double(h));
        self.splice(first, second);
        for h in [first, second] {
            self.set_out(self.target(h), twin(h));
        }
        Ok(Opened { vertices: vec![[vertex, self.origin(second)]], lips: vec![lips[0], lips[1]] })
    }

    /// Splits a vertex at the border along one of its inner edges, v → q; q too, if it lies on a border. The faces on the right of the
    /// half-edge get the new vertices.
    pub fn split_border_vertex(&mut self, half_edge: u32) -> Result<Opened, Refusal> {
        self.check_half_edge(half_edge)?;
        let ends = [self.origin(half_edge), self.target(half_edge)];
        if !self.is_at_border(ends[0]) {
            return Err(Refusal::Inside(ends[0]));
        }
        if self.is_border(half_edge) || self.is_border(twin(half_edge)) {
            return Err(Refusal::BorderEdge(half_edge));
        }
        let [along, other] = ends.map(|v| self.out(v).filter(|&out| self.is_border(out)));
        let lips = self.double(half_edge);
        if let Some(along) = along {
            self.splice(along, half_edge);
        }
        let mut vertices = vec![[ends[0], self.origin(half_edge)]];
        if let Some(other) = other {
            self.splice(lips[0], other);
            vertices.push([ends[1], self.origin(other)]);
        } else {
            self.set_out(ends[1], lips[0]);
        }
        Ok(Opened { vertices, lips: vec![lips] })
    }

    /// Closes a seam: makes one edge of two border edges, by a half-edge of each along the border, q → v and v′ → q′. The ends v′ and q′
    /// of the second are merged into v and q, unless they are the same. Where that leaves two sides of a border, they become one edge, too.
    pub fn merge(&mut self, first: u32, second: u32) -> Result<Merged, Refusal> {
        self.check_merge(first, second)?;
        let [v, w] = [self.target(first), self.origin(second)];
        let [q, r] = [self.origin(first), self.target(second)];
        if v == w {
            // Folded at v: the same as folded at q, with the roles exchanged.
            return self.merge(second, first);
        }
        let (after, before) = (self.next(first), self.prev(second));
        let closes = q == r && self.next(after) == before;
        let mut vertices = Vec::new();
        if q != r {
            self.splice(first, self.next(second));
            vertices.push([q, r]);
        }
        self.splice(after, second);
        vertices.push([v, w]);
        self.disconnect(twin(first));
        if closes {
            self.disconnect(twin(before));
        }
        Ok(Merged { vertices })
    }

    fn check_merge(&self, first: u32, second: u32) -> Result<(), Refusal> {
        for h in [first, second] {
            self.check_half_edge(h)?;
            if !self.is_border(h) {
                return Err(Refusal::NotAlongBorder(h));
            }
        }
        if first == second {
            return Err(Refusal::NoPath([first, second]));
        }
        let [v, w] = [self.target(first), self.origin(second)];
        let [q, r] = [self.origin(first), self.target(second)];
        // Border loops have three sides or more, so that both ends are never shared.
        let fourth_corner = |from: u32, to: u32| {
            let side = self.next(from);
            (self.next(side) == self.prev(to)).then(|| self.target(side))
        };
        // The fourth corner of a hole that closes: its edges to both merged vertices become one.
        let fourth = match (v == w, q == r) {
            (true, _) => fourth_corner(second, first),
            (_, true) => fourth_corner(first, second),
            _ => None,
        };
        for [kept, given_up] in [[v, w], [q, r]] {
            if kept == given_up {
                continue;
            }
            let merged = |x: u32| {
                if x == w {
                    v
                } else if x == r {
                    q
                } else {
                    x
                }
            };
            let mut allowed: Vec<u32> = fourth.into_iter().collect();
            allowed.push(if kept == v { q } else { v });
            let mut seen: Vec<u32> = self.neighbors(kept).map(merged).collect();
            seen.sort_unstable();
            for x in self.neighbors(given_up).map(merged) {
                if x == kept {
                    return Err(Refusal::SelfLoop(kept));
                }
                if seen.binary_search(&x).is_err() {
                    continue;
                }
                match allowed.iter().position(|&y| y == x) {
                    Some(k) => drop(allowed.swap_remove(k)),
                    None => return Err(Refusal::DoubleEdge([kept, x])),
                }
            }
            // Edges to both ends of the other edge become two to one.
            if let Some(pair) = seen.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(Refusal::DoubleEdge([kept, pair[0]]));
            }
        }
        Ok(())
    }

    /// Doubles an edge: the half-edge then bounds a border of two sides with the other one that is returned behind it, in this order
    /// around the first of them: the new one ends where the half-edge starts.
    fn double(&mut self, half_edge: u32) -> [u32; 2] {
        let beside = self.connect(Corner::Of(half_edge), Corner::Of(self.next(half_edge)));
        let gap = self.face(half_edge);
        self.faces[gap as usize].kind = Kind::Border;
        [twin(beside), half_edge]
    }
}
