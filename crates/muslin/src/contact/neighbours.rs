//! Pairs of the cloth that a short way along it connects.
//!
//! Most of what is near on a cloth are such neighbours, for ever. They are listed once, and measured when they may have come
//! near; for this counts how they move against each other alone, however fast the cloth goes as a whole:
//!
//! ```text
//! δ(e) = |move of one end − move of the other|                             strain of an edge e
//! two parts come nearer by no more than the largest sum of δ over the edges of a way between their vertices
//! ```
//!
//! A vertex and a triangle are neighbours if an edge links the vertex to a corner; two edges, if an edge links an end to an end.

use super::guard::Guarded;
use super::surface::{Part, Surface};
use crate::math::{Real, Vec3};

/// Edges that a vertex may have to link neighbours: their number grows with the square of it.
const MOST_SPOKES: usize = 12;

/// The neighbours of a cloth.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    /// The ends of the cloth's edges.
    edges: Vec<[u32; 2]>,
    spokes: Spokes,
    /// Pairs by their homes: a vertex, or the first end of the first of two edges.
    homes: Vec<Home>,
    pairs: Vec<Pair>,
    /// δ of every edge [m].
    strains: Vec<Real>,
    /// Largest sums of δ over up to one, two and three edges from each vertex [m].
    sums: [Vec<Real>; 3],
}

/// The edges at each vertex.
#[derive(Clone, Debug, Default)]
struct Spokes {
    starts: Vec<u32>,
    /// An edge and its other end.
    all: Vec<[u32; 2]>,
}

/// The pairs at a vertex.
#[derive(Clone, Copy, Debug)]
struct Home {
    /// Where its pairs end.
    end: u32,
    /// By how much they can have come nearer, so far [m].
    gone: Real,
    /// When the first of them may meet, on the same scale [m].
    due: Real,
    /// Up to where they have been found in this step [m].
    found: Real,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    /// A vertex and a triangle, or two edges.
    parts: [u32; 2],
    are_edges: bool,
    /// When they may meet, at the earliest, on the scale of their home [m].
    due: Real,
}

impl Neighbours {
    /// The neighbours of a surface's cloth.
    pub fn of(surface: &Surface) -> Self {
        let edges: Vec<[u32; 2]> =
            surface.edges.iter().copied().take_while(|edge| surface.is_cloth(edge[0])).collect();
        let spokes = Spokes::of(&edges, surface.cloth_len());
        let mut new = Self { edges, spokes, ..Self::default() };
        new.list_pairs(surface);
        new
    }

    fn list_pairs(&mut self, surface: &Surface) {
        let mut triangles_at = vec![Vec::new(); surface.cloth_len()];
        for (t, triangle) in surface.triangles.iter().enumerate() {
            for &v in triangle.iter().filter(|&&v| surface.is_cloth(v)) {
                triangles_at[v as usize].push(t as u32);
            }
        }
        for v in 0..surface.cloth_len() as u32 {
            let mut found: Vec<u32> =
                self.spokes.links(v).flat_map(|u| triangles_at[u as usize].iter().copied()).collect();
            found.sort_unstable();
            found.dedup();
            found.retain(|&t| surface.can_touch(v, t));
            self.pairs.extend(found.into_iter().map(|t| Pair { parts: [v, t], are_edges: false, due: 0.0 }));
            for &[edge, _] in self.spokes.at(v).iter().filter(|&&[edge, _]| self.edges[edge as usize][0] == v)
            {
                let links = self.edges[edge as usize].into_iter().flat_map(|end| self.spokes.links(end));
                let mut found: Vec<u32> =
                    links.flat_map(|u| self.spokes.at(u).iter().map(|spoke| spoke[0])).collect();
                found.sort_unstable();
                found.dedup();
                found.retain(|&other| other > edge && surface.can_edges_touch(edge, other));
                let pair = |other| Pair { parts: [edge, other], are_edges: true, due: 0.0 };
                self.pairs.extend(found.into_iter().map(pair));
            }
            let end = self.pairs.len() as u32;
            self.homes.push(Home { end, gone: 0.0, due: 0.0, found: Real::NEG_INFINITY });
        }
    }

    /// Whether a vertex and a triangle of these corners, all of the cloth, are neighbours.
    #[inline]
    pub fn have_triangle(&self, vertex: u32, corners: [u32; 3]) -> bool {
        corners.iter().any(|&corner| self.spokes.are_linked(vertex, corner))
    }

    /// Whether two edges with these ends, all of the cloth, are neighbours.
    #[inline]
    pub fn have_edges(&self, first: [u32; 2], second: [u32; 2]) -> bool {
        first.iter().any(|&a| second.iter().any(|&b| self.spokes.are_linked(a, b)))
    }

    /// Whether there is nothing in two parts of the cloth but neighbours, and what shares a vertex.
    #[inline]
    pub fn cover(&self, surface: &Surface, first: &Part, second: &Part) -> bool {
        let mut shared =
            (0..3).filter_map(|a| Some((a, (0..3).find(|&b| second.corners[b] == first.corners[a])?)));
        let Some((a, b)) = shared.next() else { return false };
        if first.corners.iter().chain(&second.corners).any(|&v| !self.spokes.can_link(v)) {
            return false;
        }
        if shared.next().is_some() {
            return true;
        }
        // All else is linked by the shared corner.
        match (surface.opposite_edge(first, a), surface.opposite_edge(second, b)) {
            (Some(a), Some(b)) => self.have_edges(surface.edges[a as usize], surface.edges[b as usize]),
            _ => first.triangle().is_some() && second.triangle().is_some(),
        }
    }

    /// Forgets who was how far apart.
    pub fn forget(&mut self) {
        self.pairs.iter_mut().for_each(|pair| pair.due = 0.0);
        self.homes.iter_mut().for_each(|home| (home.gone, home.due) = (0.0, 0.0));
    }

    /// A new step begins, in which none were found so far.
    pub fn begin(&mut self) {
        self.homes.iter_mut().for_each(|home| home.found = Real::NEG_INFINITY);
    }

    /// Appends the pairs that could come nearer than `margin` [m] when vertices go from `x` and edges strain so [m], but for
    /// those found in this step before. Whether there were any.
    pub fn find(
        &mut self,
        surface: &Surface,
        x: &[Vec3],
        strain: impl Fn(usize, usize) -> Real,
        margin: Real,
        found: &mut Vec<Guarded>,
    ) -> bool {
        self.sum_strains(strain);
        let before = found.len();
        let Self { homes, pairs, sums: [.., nearer], .. } = self;
        let mut first = 0;
        for (home, nearer) in homes.iter_mut().zip(nearer) {
            let mine = first as usize..home.end as usize;
            first = home.end;
            let reach = home.gone + *nearer + margin;
            if reach < home.due || reach <= home.found {
                continue;
            }
            home.due = Real::INFINITY;
            for pair in &mut pairs[mine] {
                if pair.due <= reach && pair.due > home.found {
                    let [first, second] = pair.parts;
                    let near = if pair.are_edges {
                        surface.edge_edge(x, first, second)
                    } else {
                        surface.vertex_triangle(x, first, second)
                    };
                    pair.due = home.gone + near.distance;
                    if pair.due <= reach {
                        found.push(Guarded { near, radius: 0.0 });
                    }
                }
                home.due = home.due.min(pair.due);
            }
            home.found = reach;
        }
        found.len() > before
    }

    /// The edges have strained so [m].
    pub fn advance(&mut self, strain: impl Fn(usize, usize) -> Real) {
        self.sum_strains(strain);
        for (home, nearer) in self.homes.iter_mut().zip(&self.sums[2]) {
            home.gone += nearer;
        }
    }

    /// By how much the pairs of each home can come nearer [m], into the last of the sums.
    fn sum_strains(&mut self, strain: impl Fn(usize, usize) -> Real) {
        let Self { edges, spokes, strains, sums: [one, two, three], homes, .. } = self;
        let vertices = 0..homes.len() as u32;
        strains.clear();
        strains.extend(edges.iter().map(|&[a, b]| strain(a as usize, b as usize)));
        one.clear();
        one.extend(vertices.clone().map(|v| spokes.most(v, strains, |_| 0.0)));
        two.clear();
        two.extend(vertices.clone().map(|v| spokes.most(v, strains, |end| one[end as usize])));
        three.clear();
        // A way begins at the home, or at the other end of an edge from there.
        three.extend(vertices.map(|v| {
            let from_here = spokes.most(v, strains, |end| two[end as usize]);
            from_here.max(one[v as usize] + two[v as usize])
        }));
    }
}

impl Spokes {
    fn of(edges: &[[u32; 2]], vertices: usize) -> Self {
        let mut spokes = vec![Vec::new(); vertices];
        for (&[a, b], k) in edges.iter().zip(0..) {
            spokes[a as usize].push([k, b]);
            spokes[b as usize].push([k, a]);
        }
        let ends = spokes.iter().scan(0, |end, spokes| {
            *end += spokes.len() as u32;
            Some(*end)
        });
        Self { starts: std::iter::once(0).chain(ends).collect(), all: spokes.concat() }
    }

    #[inline]
    fn at(&self, vertex: u32) -> &[[u32; 2]] {
        let v = vertex as usize;
        &self.all[self.starts[v] as usize..self.starts[v + 1] as usize]
    }

    #[inline]
    fn are_linked(&self, a: u32, b: u32) -> bool {
        self.can_link(a) && self.can_link(b) && self.at(a).iter().any(|&[_, end]| end == b)
    }

    #[inline]
    fn can_link(&self, vertex: u32) -> bool {
        self.at(vertex).len() <= MOST_SPOKES
    }

    /// The vertices that an edge links to this one.
    fn links(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        let ends = self.at(vertex).iter().map(|&[_, end]| end);
        ends.filter(move |&end| self.are_linked(vertex, end))
    }

    /// The largest of what an edge at a vertex has and what lies beyond it.
    #[inline]
    fn most(&self, vertex: u32, of_edges: &[Real], beyond: impl Fn(u32) -> Real) -> Real {
        let spokes = self.at(vertex).iter();
        spokes.map(|&[edge, end]| of_edges[edge as usize] + beyond(end)).fold(0.0, Real::max)
    }
}
