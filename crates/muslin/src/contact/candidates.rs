//! Which pairs can come near each other in a step.
//!
//! Every vertex gets a box around its way, with a margin, that it does not leave; pairs whose boxes do not overlap cannot meet.
//! The boxes look a few steps ahead, and serve until a vertex would leave its own. Pairs found far apart are not measured
//! again before their vertices have gone far enough:
//!
//! ```text
//! far apart    D > s₁ + s₂        D: when last measured;  s: how far each part has gone since then, or can get in this step
//! ```

use super::broad_phase::{Aabb, BroadPhase, BroadPhaseScratch};
use super::guard::Guarded;
use super::near::Near;
use super::surface::Surface;
use crate::math::{Real, Vec3};
use crate::par;

/// Steps for which boxes look ahead, but no farther than so many skins.
const STEPS_AHEAD: Real = 4.0;
const SKINS_AHEAD: Real = 4.0;

/// The pairs of a step and the boxes of its vertices.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Pairs that could meet in this step, and where they are nearest at its start.
    pub pairs: Vec<Guarded>,
    /// Where each vertex may be: lowest and highest corner [m].
    confines: Vec<[Vec3; 2]>,
    /// How far the frame in which the boxes stand has moved [m].
    frame: Vec3,
    /// How far each vertex has gone since the boxes were made [m], and that plus how far it can get in this step.
    ways: Vec<[Real; 2]>,
    listed: Vec<Listed>,
    boxes: Boxes,
    scratch: BroadPhaseScratch,
    vertex_triangle: Vec<[u32; 2]>,
    edge_edge: Vec<[u32; 2]>,
    within_cloth: bool,
}

/// A pair whose boxes overlap.
#[derive(Clone, Copy, Debug)]
struct Listed {
    vertices: [u32; 4],
    first: u8,
    triangle: u32,
    /// Sum of the radii [m].
    radius: Real,
    /// The ways of both parts at which they may have met, at the earliest [m].
    due: Real,
}

#[derive(Clone, Debug, Default)]
struct Boxes {
    vertices: Vec<Aabb>,
    edges: Vec<Aabb>,
    triangles: Vec<Aabb>,
}

/// The ways of a step.
#[derive(Clone, Copy, Debug)]
pub struct Ways<'a> {
    /// From where [m].
    pub start: &'a [Vec3],
    /// To where [m].
    pub target: &'a [Vec3],
    /// How far from the box around its way a vertex may get [m].
    pub margin: Real,
    /// Added to every box, to keep it for longer [m].
    pub skin: Real,
}

impl Candidates {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.confines.clear();
    }

    /// Finds all pairs that could meet. Without `within_cloth` only pairs of cloth and solids.
    pub fn find(&mut self, surface: &Surface, broad_phase: BroadPhase, ways: &Ways, within_cloth: bool) {
        if !self.still_hold(ways) || self.within_cloth != within_cloth {
            self.within_cloth = within_cloth;
            self.confine(surface, ways);
            self.fill_boxes(surface);
            self.search(surface, broad_phase);
        }
        for (v, way) in self.ways.iter_mut().enumerate() {
            let (x, y) = (ways.start[v], ways.target[v]);
            way[1] = way[0] + x.distance(y) + extra(surface, v, ways, x, y);
        }
        self.measure(ways.start);
    }

    /// The vertices went from `start` to `x`, all of them by `drift` more.
    pub fn advance(&mut self, start: &[Vec3], x: &[Vec3], drift: Vec3) {
        self.frame += drift;
        for (way, (start, x)) in self.ways.iter_mut().zip(start.iter().zip(x)) {
            way[0] += start.distance(*x);
        }
    }

    /// Whether every vertex stays in its box.
    fn still_hold(&self, ways: &Ways) -> bool {
        let shift = self.frame + Vec3::splat(ways.margin);
        let back = self.frame - Vec3::splat(ways.margin);
        self.confines.len() == ways.start.len()
            && self.confines.iter().zip(ways.start.iter().zip(ways.target)).all(|([low, high], (&x, &y))| {
                let (low_end, high_end) = (x.min(y) - shift, x.max(y) - back);
                low_end.cmpge(*low).all() && high_end.cmple(*high).all()
            })
    }

    fn confine(&mut self, surface: &Surface, ways: &Ways) {
        self.frame = Vec3::ZERO;
        self.ways.clear();
        self.ways.resize(ways.start.len(), [0.0; 2]);
        self.confines.clear();
        for (v, (&x, &y)) in ways.start.iter().zip(ways.target).enumerate() {
            let margin = Vec3::splat(extra(surface, v, ways, x, y) + ways.skin);
            let ahead = y + ((y - x) * STEPS_AHEAD).clamp_length_max(SKINS_AHEAD * ways.skin);
            self.confines.push([x.min(y).min(ahead) - margin, x.max(y).max(ahead) + margin]);
        }
    }

    fn fill_boxes(&mut self, surface: &Surface) {
        let Self { confines, boxes, .. } = self;
        let around = |vertices: &[u32]| {
            let corners = vertices.iter().flat_map(|&v| confines[v as usize]);
            Aabb::of_points(corners, surface.radius(vertices[0]))
        };
        boxes.vertices.clear();
        boxes.vertices.extend(surface.vertices.iter().map(|&v| around(&[v])));
        boxes.edges.clear();
        boxes.edges.extend(surface.edges.iter().map(|edge| around(edge)));
        boxes.triangles.clear();
        boxes.triangles.extend(surface.triangles.iter().map(|triangle| around(triangle)));
    }

    fn search(&mut self, surface: &Surface, broad_phase: BroadPhase) {
        let Self { boxes, scratch, vertex_triangle, edge_edge, listed, within_cloth, .. } = self;
        vertex_triangle.clear();
        edge_edge.clear();
        let is_mixed = |v: u32, w: u32| *within_cloth || surface.is_cloth(v) != surface.is_cloth(w);
        let touches = |v: u32, t: u32| {
            let vertex = surface.vertices[v as usize];
            surface.can_touch(vertex, t) && is_mixed(vertex, surface.triangles[t as usize][0])
        };
        broad_phase.between(scratch, &boxes.vertices, &boxes.triangles, touches, vertex_triangle);
        let edges_touch = |a: u32, b: u32| {
            surface.can_edges_touch(a, b)
                && is_mixed(surface.edges[a as usize][0], surface.edges[b as usize][0])
        };
        broad_phase.within(scratch, &boxes.edges, edges_touch, edge_edge);
        listed.clear();
        let list = |vertices: [u32; 4], first: u8, triangle: u32| Listed {
            vertices,
            first,
            triangle,
            radius: surface.radius(vertices[0]) + surface.radius(vertices[3]),
            due: 0.0,
        };
        listed.extend(vertex_triangle.iter().map(|&[v, t]| {
            let [a, b, c] = surface.triangles[t as usize];
            list([surface.vertices[v as usize], a, b, c], 1, t)
        }));
        listed.extend(edge_edge.iter().map(|&[a, b]| {
            let ([a, b], [c, d]) = (surface.edges[a as usize], surface.edges[b as usize]);
            list([a, b, c, d], 2, u32::MAX)
        }));
    }

    /// Measures the listed pairs that could have come near, and keeps those that could meet in this step.
    fn measure(&mut self, x: &[Vec3]) {
        let Self { pairs, ways, listed, .. } = self;
        pairs.clear();
        par::collect_chunks_mut(listed, pairs, |pair, pairs| {
            let (first, second) = pair.vertices.split_at(usize::from(pair.first));
            let most = |of: usize| {
                let most =
                    |vertices: &[u32]| vertices.iter().map(|&v| ways[v as usize][of]).fold(0.0, Real::max);
                most(first) + most(second)
            };
            let at_the_end = most(1);
            if at_the_end < pair.due {
                return;
            }
            let near = Near::pair(x, pair.vertices, usize::from(pair.first), pair.triangle);
            pair.due = most(0) + near.distance - pair.radius;
            if pair.due <= at_the_end {
                pairs.push(Guarded { near, radius: pair.radius });
            }
        });
    }

    /// Shortens a move from `x` so that it ends in the vertex's box.
    pub fn confined(&self, vertex: usize, x: Vec3, way: Vec3) -> Vec3 {
        let [low, high] = self.confines[vertex].map(|corner| corner + self.frame);
        let end = x + way;
        if end.cmpge(low).all() && end.cmple(high).all() {
            return way;
        }
        let part = |x: Real, way: Real, low: Real, high: Real| {
            let most = if way > 0.0 { high - x } else { low - x };
            if way == 0.0 { 1.0 } else { (most / way).clamp(0.0, 1.0) }
        };
        let parts = (0..3).map(|axis| part(x[axis], way[axis], low[axis], high[axis]));
        // A last digit on the safe side.
        way * (parts.fold(1.0, Real::min) * (1.0 - 4.0 * Real::EPSILON))
    }
}

/// How far beyond its way a vertex may get [m].
fn extra(surface: &Surface, vertex: usize, ways: &Ways, x: Vec3, y: Vec3) -> Real {
    // A vertex of a solid that turns leaves the chord of its arc, by less than a fifth of it in a quarter turn.
    if surface.is_cloth(vertex as u32) { ways.margin } else { 0.21 * x.distance(y) }
}
