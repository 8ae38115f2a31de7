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

mod measuring;

pub use measuring::Pair;

use super::apart::Points;
use super::candidates::{Ways, extra};
use super::guard::Guarded;
use super::surface::Surface;
use super::tiles::{Lists, Tiles};
use crate::math::{Real, Vec3};
use crate::par;
use measuring::{Measuring, known};

/// Tiles that could meet while they stay in their boxes.
#[derive(Clone, Debug, Default)]
pub struct Encounters {
    all: Vec<Encounter>,
    /// The ways of both tiles at which they may have met, at the earliest, or less [m].
    dues: Vec<f32>,
    /// Those of which parts could meet in this step, by their numbers.
    close: Vec<u32>,
    /// How far each vertex can get in this step [m].
    reaches: Vec<Real>,
    /// How far the vertices of each tile have gone since all was forgotten, at most, and can get in this step [m].
    ways: Vec<Way>,
    /// The sum of these, or more [m].
    sums: Vec<f32>,
    /// Space: whether each tile is one of those that others are told of.
    are_theirs: Vec<bool>,
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
    /// Whether, besides, both are of two triangles.
    is_whole: bool,
    /// Whether one is a ball, and the other has triangles: then these speak for their sides.
    is_at_ball: bool,
    /// Sum of the radii [m].
    radius: Real,
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
        let is_plain = !are_joined && surface.is_cloth(a[0]) && surface.is_cloth(b[0]);
        Self {
            tiles: pair,
            are_joined,
            is_plain,
            is_whole: is_plain && pair.iter().all(|&tile| tiles.own[tile as usize].parts != 0),
            is_at_ball: is_ball(a) && has_triangles(pair[1]) || is_ball(b) && has_triangles(pair[0]),
            radius: surface.radius(a[0]) + surface.radius(b[0]),
        }
    }

    /// The ways of both tiles together.
    #[inline]
    fn way(&self, ways: &[Way]) -> Way {
        let [a, b] = self.tiles.map(|tile| ways[tile as usize]);
        Way { gone: a.gone + b.gone, reach: a.reach + b.reach }
    }
}

impl Encounters {
    /// Forgets all.
    pub fn forget(&mut self) {
        self.all.clear();
        self.dues.clear();
        self.ways.clear();
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds tiles that could meet.
    pub fn add(&mut self, surface: &Surface, tiles: &Tiles, pairs: &[[u32; 2]]) {
        self.all.extend(pairs.iter().map(|&pair| Encounter::new(surface, tiles, pair)));
        self.dues.resize(self.all.len(), 0.0);
    }

    /// Keeps of all encounters only these, some of which may be new.
    pub fn renew(&mut self, surface: &Surface, tiles: &Tiles, pairs: &mut [[u32; 2]]) {
        self.ways.resize(tiles.corners.len(), Way::default());
        self.sums.resize(tiles.corners.len(), 0.0);
        for pair in pairs.iter_mut() {
            pair.sort_unstable();
        }
        let (old, old_dues) = (std::mem::take(&mut self.all), std::mem::take(&mut self.dues));
        let count = tiles.corners.len();
        let by_tile = |firsts: Vec<u32>| Lists::inverse(&firsts, count, |k| k as u32);
        let old_of = by_tile(old.iter().map(|encounter| encounter.tiles[0]).collect());
        let new_of = by_tile(pairs.iter().map(|pair| pair[0]).collect());
        let mut known: Vec<Option<u32>> = vec![None; count];
        self.all.reserve(pairs.len());
        self.dues.reserve(pairs.len());
        for tile in 0..count {
            for &k in old_of.of(tile) {
                known[old[k as usize].tiles[1] as usize] = Some(k);
            }
            for &k in new_of.of(tile) {
                let pair = pairs[k as usize];
                let (encounter, due) = match known[pair[1] as usize] {
                    Some(k) => {
                        let encounter = old[k as usize];
                        // Ways count from now on.
                        let gone = encounter.way(&self.ways).gone;
                        (encounter, less(Real::from(old_dues[k as usize]) - gone))
                    }
                    None => (Encounter::new(surface, tiles, pair), 0.0),
                };
                self.all.push(encounter);
                self.dues.push(due);
            }
            for &k in old_of.of(tile) {
                known[old[k as usize].tiles[1] as usize] = None;
            }
        }
        self.ways.iter_mut().for_each(|way| way.gone = 0.0);
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

    /// Whether a vertex may get as far from its start in this step, by the square of the distance [m²].
    #[inline]
    pub fn reaches(&self, vertex: usize, squared: Real) -> bool {
        squared <= self.reaches[vertex] * self.reaches[vertex]
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
        for tile in 0..tiles.corners.len() {
            self.set_reach(tiles, tile);
        }
        self.find_due(|_, _| true);
        self.find_close(tiles, is_far);
        found.clear();
        self.measure_close(surface, tiles, found);
    }

    /// Some vertices get farther in this step than was thought, and encounters from a number on are new: adds the pairs of their
    /// tiles that could meet.
    pub fn measure_sent(
        &mut self,
        surface: &Surface,
        tiles: &Tiles,
        of_step: &Ways,
        (sent, known): (&[u32], usize),
        is_far: impl Fn(usize) -> bool,
        found: &mut Vec<Guarded>,
    ) {
        for v in sent.iter().map(|&v| v as usize) {
            let (x, y) = (of_step.start[v], of_step.target[v]);
            // Some last digits on the safe side.
            self.reaches[v] = (x.distance(y) + extra(surface, v, of_step, x, y)) * (1.0 + 1e-12);
        }
        let mut are_theirs = std::mem::take(&mut self.are_theirs);
        are_theirs.resize(tiles.corners.len(), false);
        let all = || sent.iter().flat_map(|&v| tiles.around.of(v as usize)).map(|&tile| tile as usize);
        for tile in all() {
            are_theirs[tile] = true;
            self.set_reach(tiles, tile);
        }
        self.find_due(|k, tiles| k >= known || tiles.iter().any(|&tile| are_theirs[tile as usize]));
        self.find_close(tiles, is_far);
        self.measure_close(surface, tiles, found);
        all().for_each(|tile| are_theirs[tile] = false);
        self.are_theirs = are_theirs;
    }

    /// How far a tile can get in this step, by its corners.
    #[inline]
    fn set_reach(&mut self, tiles: &Tiles, tile: usize) {
        let [a, b, c, d] = tiles.corners[tile].map(|v| self.reaches[v as usize]);
        let way = &mut self.ways[tile];
        way.reach = a.max(b).max(c.max(d));
        self.sums[tile] = ((way.gone + way.reach) as f32).next_up();
    }

    /// Appends the pairs of parts of tiles that are close.
    fn measure_close(&mut self, surface: &Surface, tiles: &Tiles, found: &mut Vec<Guarded>) {
        let Self { all, dues, close, ways, reaches, points, .. } = self;
        let measuring = Measuring { surface, tiles, all, ways, reaches, points };
        let mut parts = par::map_chunks(close, 256, |close| measuring.run(close));
        for (&k, due) in close.iter().zip(parts.iter().flat_map(|part| &part.dues)) {
            dues[k as usize] = less(*due);
        }
        match &mut parts[..] {
            [part] if found.is_empty() => std::mem::swap(found, &mut part.found),
            parts => parts.iter().for_each(|part| found.extend_from_slice(&part.found)),
        }
    }

    /// Finds the tiles that have something to do with each other, of those that are due, and could meet in this step.
    fn find_close(&mut self, tiles: &Tiles, is_far: impl Fn(usize) -> bool) {
        let Self { all, dues, close, ways, points, due, tiles: due_tiles, bounds, .. } = self;
        close.clear();
        due_tiles.clear();
        due.retain(|&k| {
            let encounter = &all[k as usize];
            let is_solid_far =
                || encounter.tiles.iter().any(|&k| is_far(tiles.corners[k as usize][0] as usize));
            if !encounter.is_plain && is_solid_far() {
                return false;
            }
            if encounter.are_joined {
                close.push(k);
            } else {
                due_tiles.push(encounter.tiles);
            }
            !encounter.are_joined
        });
        points.tiles_at_least(&tiles.corners, due_tiles, bounds);
        for (&k, &bound) in due.iter().zip(&*bounds) {
            let encounter = &all[k as usize];
            let way = encounter.way(ways);
            let least = known(bound) - encounter.radius;
            dues[k as usize] = less(way.gone + least);
            if least <= way.reach {
                close.push(k);
            }
        }
    }

    /// Finds the tiles whose ways may have brought them together, or bring them together in this step, of those that are asked for.
    fn find_due(&mut self, are_asked: impl Fn(usize, [u32; 2]) -> bool) {
        let Self { all, dues, sums, due, .. } = self;
        // Without a branch on the answer, which is hard to predict.
        due.resize(all.len(), 0);
        let mut count = 0;
        for (k, (encounter, least)) in (0u32..).zip(all.iter().zip(&*dues)) {
            let [a, b] = encounter.tiles.map(|tile| sums[tile as usize]);
            due[count] = k;
            count += usize::from(((a + b).next_up() >= *least) & are_asked(k as usize, encounter.tiles));
        }
        due.truncate(count);
    }
}

/// In single precision, and no more.
fn less(length: Real) -> f32 {
    (length as f32).next_down()
}
