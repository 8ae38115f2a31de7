//! Pairs of the cloth that a short way along it connects.
//!
//! Most of what is near on a cloth are such neighbours, for ever. They are listed once, and measured when they may have come
//! near; for this counts how they move against each other alone, however fast the cloth goes as a whole:
//!
//! ```text
//! δ(e) = |move of one end − move of the other|             strain of an edge e
//! two parts come nearer by no more than three times the largest δ on the ways between their vertices, of three edges each
//! ```
//!
//! Where a pair was nearest when last measured, it has a direction; how far the parts lie apart along it is found faster than
//! where they are nearest now, and is no more than their distance.
//!
//! A vertex and a triangle are neighbours if an edge links the vertex to a corner; two edges, if an edge links an end to an end.

use super::guard::Guarded;
use super::near::{Direction, Near};
use super::surface::{Part, Surface};
use crate::math::{Real, Vec3};
use crate::par;

/// Edges that a vertex may have to link neighbours: their number grows with the square of it.
const MOST_SPOKES: usize = 12;

/// The neighbours of a cloth.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    /// The ends of the cloth's edges.
    edges: Vec<[u32; 2]>,
    spokes: Spokes,
    blocks: Vec<Block>,
    /// δ of every edge [m].
    strains: Vec<Real>,
    /// The largest δ of the edges at each vertex, at those one edge and two edges away [m].
    largest: [Vec<Real>; 3],
}

/// Vertices and the pairs whose homes they are: the vertex of a pair, or the first end of the first of two edges.
#[derive(Clone, Debug, Default)]
struct Block {
    homes: Vec<Home>,
    pairs: Vec<Pair>,
    /// When each pair may meet, at the earliest, on the scale of its home [m].
    dues: Vec<Real>,
    found: Vec<Guarded>,
}

/// Vertices a block.
const BLOCK: usize = 128;
/// Blocks that are worth sharing between threads.
const ENOUGH_BLOCKS: usize = 8;
/// Steps like the present one for which a home is done with what is not near.
const STEPS_AHEAD: Real = 8.0;
/// Edges on the way between two vertices of a pair, at the most.
const EDGES_BETWEEN: Real = 3.0;

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
    /// From the second to the first, where they were nearest.
    direction: Direction,
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
        let unique = |mut parts: Vec<u32>| {
            parts.sort_unstable();
            parts.dedup();
            parts
        };
        let Self { edges, spokes, blocks, .. } = self;
        let pair = |parts, are_edges| Pair { parts, are_edges, direction: Direction::default() };
        for v in 0..surface.cloth_len() as u32 {
            if (v as usize).is_multiple_of(BLOCK) {
                blocks.push(Block::default());
            }
            let Some(Block { homes, pairs, dues, .. }) = blocks.last_mut() else { return };
            let linked = spokes.links(v).flat_map(|u| triangles_at[u as usize].iter().copied()).collect();
            let triangles = unique(linked).into_iter().filter(|&t| surface.can_touch(v, t));
            pairs.extend(triangles.map(|t| pair([v, t], false)));
            for &[edge, _] in spokes.at(v).iter().filter(|&&[edge, _]| edges[edge as usize][0] == v) {
                let links = edges[edge as usize].into_iter().flat_map(|end| spokes.links(end));
                let linked = links.flat_map(|u| spokes.at(u).iter().map(|spoke| spoke[0])).collect();
                let others = unique(linked).into_iter().filter(|&other| other > edge);
                let others = others.filter(|&other| surface.can_edges_touch(edge, other));
                pairs.extend(others.map(|other| pair([edge, other], true)));
            }
            dues.resize(pairs.len(), 0.0);
            let end = pairs.len() as u32;
            homes.push(Home { end, gone: 0.0, due: 0.0, found: Real::NEG_INFINITY });
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
        for block in &mut self.blocks {
            block.dues.fill(0.0);
            block.homes.iter_mut().for_each(|home| (home.gone, home.due) = (0.0, 0.0));
        }
    }

    /// A new step begins, in which none were found so far.
    pub fn begin(&mut self) {
        let homes = self.blocks.iter_mut().flat_map(|block| &mut block.homes);
        homes.for_each(|home| home.found = Real::NEG_INFINITY);
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
        self.find_largest_strains(strain);
        let before = found.len();
        let largest = &self.largest[2];
        let is_worth_it = self.blocks.len() >= ENOUGH_BLOCKS;
        let mut blocks: Vec<_> = self.blocks.iter_mut().zip(largest.chunks(BLOCK)).collect();
        par::each(&mut blocks, is_worth_it, |(block, largest)| block.find(surface, x, largest, margin));
        self.blocks.iter().for_each(|block| found.extend_from_slice(&block.found));
        found.len() > before
    }

    /// The edges have strained no more than when pairs were last looked for.
    pub fn advance(&mut self) {
        let homes = self.blocks.iter_mut().flat_map(|block| &mut block.homes);
        for (home, largest) in homes.zip(&self.largest[2]) {
            home.gone += EDGES_BETWEEN * largest;
        }
    }

    fn find_largest_strains(&mut self, strain: impl Fn(usize, usize) -> Real) {
        let Self { edges, spokes, strains, largest: [here, near, far], .. } = self;
        let vertices = 0..spokes.starts.len() as u32 - 1;
        strains.clear();
        strains.extend(edges.iter().map(|&[a, b]| strain(a as usize, b as usize)));
        let largest = |v: u32, of: &dyn Fn([u32; 2]) -> Real, start: Real| {
            spokes.at(v).iter().map(|&spoke| of(spoke)).fold(start, Real::max)
        };
        here.clear();
        here.extend(vertices.clone().map(|v| largest(v, &|[edge, _]| strains[edge as usize], 0.0)));
        near.clear();
        near.extend(vertices.clone().map(|v| largest(v, &|[_, end]| here[end as usize], here[v as usize])));
        far.clear();
        far.extend(vertices.map(|v| largest(v, &|[_, end]| near[end as usize], near[v as usize])));
    }
}

impl Block {
    fn find(&mut self, surface: &Surface, x: &[Vec3], largest_strains: &[Real], margin: Real) {
        let Self { homes, pairs, dues, found } = self;
        found.clear();
        let mut first = 0;
        for (home, strain) in homes.iter_mut().zip(largest_strains) {
            let mine = first as usize..home.end as usize;
            first = home.end;
            let nearer = EDGES_BETWEEN * strain;
            let reach = home.gone + nearer + margin;
            if reach < home.due || reach <= home.found {
                continue;
            }
            // Who comes here looks a few steps ahead, so as not to come again for each pair.
            let soon = reach + STEPS_AHEAD * nearer;
            home.due = Real::INFINITY;
            for (pair, due) in pairs[mine.clone()].iter_mut().zip(&mut dues[mine]) {
                if *due <= soon && *due > home.found {
                    let (vertices, first) = pair.vertices(surface);
                    *due = due.max(home.gone + pair.direction.parts_by(x, vertices, first));
                    if *due <= reach {
                        let near = pair.near(surface, x);
                        *due = home.gone + near.distance;
                        pair.direction = Direction::of(near.normal);
                        if *due <= reach {
                            found.push(Guarded { near, radius: 0.0 });
                        }
                    }
                }
                home.due = home.due.min(*due);
            }
            home.found = reach;
        }
    }
}

impl Pair {
    fn near(&self, surface: &Surface, x: &[Vec3]) -> Near {
        let [first, second] = self.parts;
        if self.are_edges {
            surface.edge_edge(x, first, second)
        } else {
            surface.vertex_triangle(x, first, second)
        }
    }

    #[inline]
    fn vertices(&self, surface: &Surface) -> ([u32; 4], usize) {
        let [first, second] = self.parts;
        if self.are_edges {
            let ([a, b], [c, d]) = (surface.edges[first as usize], surface.edges[second as usize]);
            ([a, b, c, d], 2)
        } else {
            let [a, b, c] = surface.triangles[second as usize];
            ([first, a, b, c], 1)
        }
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
}
