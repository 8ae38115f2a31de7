//! Tiles that could meet, and which of their parts could.
//!
//! What is found far apart, two tiles or two parts of them, is not measured again before its tiles have gone far enough:
//!
//! ```text
//! far apart    D > s₁ + s₂        D: when last measured;  s: how far each tile has gone since then, or can get in this step
//! ```
//!
//! Lower bounds of distances do for that, see `apart.rs`: of the tiles first, then of their parts. Exact distances are left to those
//! who need them. Tiles that are found again when new boxes are made keep what is known of them.

use super::apart::{Apart, Kind, Points};
use super::candidates::{Ways, extra};
use super::guard::Guarded;
use super::surface::{FLAT, Surface};
use super::tiles::{Lists, Tiles};
use crate::math::{Real, Vec3};
use crate::par;

/// Pairs that are measured together: so many fit a cache.
const TOGETHER: usize = 512;

/// Tiles that could meet while they stay in their boxes.
#[derive(Clone, Debug, Default)]
pub struct Encounters {
    all: Vec<Encounter>,
    /// Those of which parts could meet in this step, by their numbers.
    close: Vec<u32>,
    /// How far each vertex can get in this step [m].
    reaches: Vec<Real>,
    /// How far the vertices of each tile have gone since all was forgotten, at most, and can get in this step [m].
    ways: Vec<Way>,
    points: Points,
    /// Space for the tiles that are measured, by the numbers of their encounters and their own, and bounds of their distances [m].
    due: Vec<u32>,
    tiles: Vec<[u32; 2]>,
    bounds: Vec<f32>,
}

/// Two tiles that could meet.
#[derive(Clone, Copy, Debug)]
struct Encounter {
    tiles: [u32; 2],
    /// Whether they have a vertex in common, or are one.
    are_joined: bool,
    /// Whether both are cloth, and all their parts can touch.
    is_plain: bool,
    /// Whether one is a ball, and the other has triangles: then these speak for their sides.
    is_at_ball: bool,
    /// Sum of the radii [m].
    radius: Real,
    /// The ways of both at which they may have met, at the earliest [m].
    due: Real,
}

/// How far the vertices of a tile have gone, at most, and can get in this step [m].
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    gone: Real,
    reach: Real,
}

impl Encounter {
    fn new(surface: &Surface, tiles: &Tiles, pair: [u32; 2]) -> Self {
        let [a, b] = pair.map(|tile| tiles.corners[tile as usize]);
        let are_joined = a.iter().any(|v| b.contains(v));
        let is_ball = |corners: [u32; 4]| corners[0] == corners[3] && !surface.is_cloth(corners[0]);
        let has_triangles = |tile: u32| !tiles.triangles.of(tile as usize).is_empty();
        Self {
            tiles: pair,
            are_joined,
            is_plain: !are_joined && surface.is_cloth(a[0]) && surface.is_cloth(b[0]),
            is_at_ball: is_ball(a) && has_triangles(pair[1]) || is_ball(b) && has_triangles(pair[0]),
            radius: surface.radius(a[0]) + surface.radius(b[0]),
            due: 0.0,
        }
    }

    /// The ways of both tiles together.
    #[inline]
    fn way(&self, ways: &[Way]) -> Way {
        let [a, b] = self.tiles.map(|tile| ways[tile as usize]);
        Way { gone: a.gone + b.gone, reach: a.reach + b.reach }
    }
}

/// A vertex and a triangle, or two edges.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// See [`Near`](super::near::Near).
    pub vertices: [u32; 4],
    /// See [`Near`](super::near::Near).
    pub triangle: u32,
}

impl Encounters {
    /// Forgets all.
    pub fn forget(&mut self) {
        self.all.clear();
        self.ways.clear();
    }

    /// Adds tiles that could meet.
    pub fn add(&mut self, surface: &Surface, tiles: &Tiles, pairs: &[[u32; 2]]) {
        self.all.extend(pairs.iter().map(|&pair| Encounter::new(surface, tiles, pair)));
    }

    /// Keeps of all encounters only these, some of which may be new.
    pub fn renew(&mut self, surface: &Surface, tiles: &Tiles, pairs: &mut [[u32; 2]]) {
        self.ways.resize(tiles.corners.len(), Way::default());
        for pair in pairs.iter_mut() {
            pair.sort_unstable();
        }
        let old = std::mem::take(&mut self.all);
        let count = tiles.corners.len();
        let by_tile = |firsts: Vec<u32>| Lists::inverse(&firsts, count, |k| k as u32);
        let old_of = by_tile(old.iter().map(|encounter| encounter.tiles[0]).collect());
        let new_of = by_tile(pairs.iter().map(|pair| pair[0]).collect());
        let mut known: Vec<Option<u32>> = vec![None; count];
        for tile in 0..count {
            for &k in old_of.of(tile) {
                known[old[k as usize].tiles[1] as usize] = Some(k);
            }
            self.all.extend(new_of.of(tile).iter().map(|&k| {
                let pair = pairs[k as usize];
                known[pair[1] as usize]
                    .map_or_else(|| Encounter::new(surface, tiles, pair), |k| old[k as usize])
            }));
            for &k in old_of.of(tile) {
                known[old[k as usize].tiles[1] as usize] = None;
            }
        }
    }

    /// The vertices went from `start` to `x`, those of the cloth by `drift` more.
    pub fn advance(&mut self, cloth: usize, tiles: &Tiles, [start, x]: [&[Vec3]; 2], drift: Vec3) {
        // Seen from the cloth, solids went back by as much.
        let from = |v: usize| if v < cloth { start[v] } else { start[v] + drift };
        self.reaches.clear();
        self.reaches.extend(x.iter().enumerate().map(|(v, x)| from(v).distance_squared(*x)));
        for (way, corners) in self.ways.iter_mut().zip(&tiles.corners) {
            let [a, b, c, d] = corners.map(|v| self.reaches[v as usize]);
            way.gone += a.max(b).max(c.max(d)).sqrt();
        }
    }

    /// How far a vertex may get from its start in this step [m].
    #[inline]
    pub fn reach(&self, vertex: usize) -> Real {
        self.reaches[vertex]
    }

    /// Finds the pairs that could meet in this step; vertices that are far are in none.
    pub fn measure(
        &mut self,
        surface: &Surface,
        tiles: &Tiles,
        of_step: &Ways,
        is_far: impl Fn(usize) -> bool,
        found: &mut Vec<Guarded>,
    ) {
        self.reaches.clear();
        self.reaches.extend(
            of_step
                .start
                .iter()
                .zip(of_step.target)
                .enumerate()
                .map(|(v, (&x, &y))| x.distance(y) + extra(surface, v, of_step, x, y)),
        );
        self.points.set(of_step.start, surface.cloth_len(), |v| !is_far(v));
        self.find_close(tiles, is_far);
        found.clear();
        let Self { all, close, ways, reaches, points, .. } = self;
        let measuring = Measuring { surface, tiles, all, ways, reaches, points };
        let parts = par::map_chunks(close, 256, |close| measuring.run(close));
        for (&k, due) in close.iter().zip(parts.iter().flat_map(|part| &part.dues)) {
            all[k as usize].due = *due;
        }
        for part in &parts {
            found.extend_from_slice(&part.found);
        }
    }

    /// Finds the tiles that could meet in this step; those that are far are not measured well.
    fn find_close(&mut self, tiles: &Tiles, is_far: impl Fn(usize) -> bool) {
        let Self { all, close, reaches, ways, points, due, tiles: due_tiles, bounds, .. } = self;
        for (way, corners) in ways.iter_mut().zip(&tiles.corners) {
            let [a, b, c, d] = corners.map(|v| reaches[v as usize]);
            way.reach = a.max(b).max(c.max(d));
        }
        close.clear();
        due.clear();
        due_tiles.clear();
        for (k, encounter) in (0..).zip(all.iter()) {
            let way = encounter.way(ways);
            let is_solid_far =
                || encounter.tiles.iter().any(|&k| is_far(tiles.corners[k as usize][0] as usize));
            if way.gone + way.reach < encounter.due || !encounter.is_plain && is_solid_far() {
                continue;
            }
            if encounter.are_joined {
                close.push(k);
            } else {
                due.push(k);
                due_tiles.push(encounter.tiles);
            }
        }
        points.tiles_at_least(&tiles.corners, due_tiles, bounds);
        for (&k, &bound) in due.iter().zip(&*bounds) {
            let encounter = &mut all[k as usize];
            let way = encounter.way(ways);
            let least = known(bound) - encounter.radius;
            encounter.due = way.gone + least;
            if least <= way.reach {
                close.push(k);
            }
        }
    }
}

/// What tiles are measured by.
struct Measuring<'a> {
    surface: &'a Surface,
    tiles: &'a Tiles,
    all: &'a [Encounter],
    ways: &'a [Way],
    reaches: &'a [Real],
    points: &'a Points,
}

/// What is found of some encounters.
#[derive(Debug, Default)]
struct Measured {
    /// Pairs that could meet in this step.
    found: Vec<Guarded>,
    /// For each encounter, see [`Encounter::due`].
    dues: Vec<Real>,
}

impl Measuring<'_> {
    /// Measures the pairs of some encounters.
    fn run(&self, close: &[u32]) -> Measured {
        let mut measured = Measured { found: Vec::new(), dues: vec![Real::INFINITY; close.len()] };
        let mut vertices = Batch::new(Kind::VertexTriangle);
        let mut edges = Batch::new(Kind::EdgeEdge);
        for (place, &k) in close.iter().enumerate() {
            let encounter = &self.all[k as usize];
            vertices.add(place, |pairs| list_vertices(self.surface, self.tiles, encounter, pairs));
            if !encounter.is_at_ball {
                edges.add(place, |pairs| list_edges(self.surface, self.tiles, encounter, pairs));
            }
            let is_last = place + 1 == close.len();
            for batch in [&mut vertices, &mut edges] {
                if batch.pairs.len() >= TOGETHER || is_last {
                    self.measure(batch, close, &mut measured);
                }
            }
        }
        measured
    }

    fn measure(&self, batch: &mut Batch, close: &[u32], measured: &mut Measured) {
        let Batch { kind, pairs, counts, bounds } = batch;
        self.points.at_least(pairs, *kind, bounds);
        let mut start = 0;
        for (place, count) in counts.drain(..) {
            let encounter = &self.all[close[place as usize] as usize];
            let way = encounter.way(self.ways);
            let enough = way.reach + encounter.radius;
            let (mut least, end) = (Real::INFINITY, start + count as usize);
            for (pair, apart) in pairs[start..end].iter().zip(&bounds[start..end]) {
                let bound = known(apart.distance);
                least = least.min(bound);
                if bound <= enough {
                    measured.found.extend(self.could_meet(pair, *kind, apart, encounter.radius));
                }
            }
            let due = &mut measured.dues[place as usize];
            *due = due.min(way.gone + least - encounter.radius);
            start = end;
        }
        pairs.clear();
    }

    /// A pair, if it could meet in this step.
    #[inline]
    fn could_meet(&self, pair: &Pair, kind: Kind, apart: &Apart, radius: Real) -> Option<Guarded> {
        let &Pair { vertices, triangle } = pair;
        let first = kind.first();
        let farthest = |part: &[u32]| part.iter().map(|&v| self.reaches[v as usize]).fold(0.0, Real::max);
        let (ahead, behind) = vertices.split_at(first);
        let distance = known(apart.distance);
        if distance - radius > farthest(ahead) + farthest(behind) {
            return None;
        }
        let [x, y, z, _] = apart.direction.map(Real::from);
        let normal = Vec3::new(x, y, z).normalize_or_zero();
        Some(Guarded { vertices, first, triangle, normal, distance, radius })
    }
}

/// Pairs that are measured together.
#[derive(Debug)]
struct Batch {
    kind: Kind,
    pairs: Vec<Pair>,
    /// Which of some encounters how many of them are of.
    counts: Vec<(u32, u32)>,
    bounds: Vec<Apart>,
}

impl Batch {
    fn new(kind: Kind) -> Self {
        Self { kind, pairs: Vec::new(), counts: Vec::new(), bounds: Vec::new() }
    }

    fn add(&mut self, place: usize, list: impl FnOnce(&mut Vec<Pair>)) {
        let start = self.pairs.len();
        list(&mut self.pairs);
        self.counts.push((place as u32, (self.pairs.len() - start) as u32));
    }
}

/// Lists the vertices of each of two tiles, or of one, with the triangles of the other.
fn list_vertices(surface: &Surface, tiles: &Tiles, encounter: &Encounter, pairs: &mut Vec<Pair>) {
    let [a, b] = encounter.tiles.map(|tile| tile as usize);
    let both = [[a, b], [b, a]];
    for [of, at] in both.into_iter().take(if a == b { 1 } else { 2 }) {
        let triangles = tiles.triangles.of(at).iter().zip(&tiles.triangle_corners[tiles.triangles.range(at)]);
        for &v in tiles.vertices.of(of) {
            for (&triangle, &[a, b, c]) in triangles.clone() {
                if encounter.is_plain || surface.can_touch(v, triangle) {
                    pairs.push(Pair { vertices: [v, a, b, c], triangle });
                }
            }
        }
    }
}

/// Lists the edges of a tile with those of another, or of its own.
fn list_edges(surface: &Surface, tiles: &Tiles, encounter: &Encounter, pairs: &mut Vec<Pair>) {
    let [first, second] = encounter.tiles.map(|tile| {
        let range = tiles.edges.range(tile as usize);
        tiles.edges.of(tile as usize).iter().zip(&tiles.edge_ends[range])
    });
    let is_one = encounter.tiles[0] == encounter.tiles[1];
    for (&e, &ends) in first {
        for (&f, &others) in second.clone() {
            if !encounter.is_plain && (is_one && e >= f || !surface.can_edges_touch(e, f)) {
                continue;
            }
            let is_flat = !encounter.is_plain && (surface.is_flat(e) || surface.is_flat(f));
            let triangle = if is_flat { FLAT } else { u32::MAX };
            let [[a, b], [c, d]] = if e < f { [ends, others] } else { [others, ends] };
            pairs.push(Pair { vertices: [a, b, c, d], triangle });
        }
    }
}

/// A lower bound, if it is known: it is not a number where coordinates are too large to tell.
fn known(bound: f32) -> Real {
    if bound.is_nan() { Real::NEG_INFINITY } else { bound.into() }
}
