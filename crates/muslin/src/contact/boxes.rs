//! Boxes of vertices, edges, triangles and tiles, and the pairs of two tiles whose boxes overlap.

use super::broad_phase::Aabb;
use super::surface::{CLOTH, FLAT, Surface};
use super::tiles::Tiles;
use super::unfolded::{Unfolded, share};
use crate::math::{Real, Vec3};

/// A pair whose boxes overlap.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// See [`Near`](super::near::Near).
    pub vertices: [u32; 4],
    /// How many of these are the first part's.
    pub first: u8,
    /// See [`Near`](super::near::Near).
    pub triangle: u32,
    /// Sum of the radii [m].
    pub radius: Real,
    /// The ways of both parts at which they may have met, at the earliest [m].
    pub due: Real,
}

/// Boxes of what may touch.
#[derive(Clone, Debug, Default)]
pub struct Boxes {
    vertices: Vec<Aabb>,
    edges: Vec<Aabb>,
    triangles: Vec<Aabb>,
    /// Of tiles, but those of solids far away.
    pub tiles: Vec<Aabb>,
    /// Who they are.
    seen: Vec<Seen>,
    /// Where each tile is among these, if it is.
    pub places: Vec<u32>,
}

/// A tile as the broad phase sees it.
#[derive(Clone, Copy, Debug)]
struct Seen {
    tile: u32,
    is_cloth: bool,
    corners: [u32; 4],
    /// In the middle of unfolded regions.
    middles: [u32; 4],
}

impl Boxes {
    /// Boxes of everything on a surface whose vertices stay within `confines` [m], but of tiles of solids that are far away.
    pub fn fill(
        &mut self,
        surface: &Surface,
        confines: &[[Vec3; 2]],
        tiles: &Tiles,
        unfolded: &Unfolded,
        far: &[bool],
    ) {
        let boxes = self;
        boxes.vertices.clear();
        let confines = (0..).zip(confines);
        boxes.vertices.extend(confines.map(|(v, confine)| Aabb::of_points(*confine, surface.radius(v))));
        boxes.edges.clear();
        boxes.edges.extend(surface.edges.iter().map(|ends| around(&boxes.vertices, ends)));
        boxes.triangles.clear();
        boxes.triangles.extend(surface.triangles.iter().map(|corners| around(&boxes.vertices, corners)));
        boxes.tiles.clear();
        boxes.seen.clear();
        boxes.places.clear();
        for (tile, &corners) in (0..).zip(&tiles.corners) {
            let body = surface.bodies[corners[0] as usize];
            boxes.places.push(boxes.seen.len() as u32);
            if body == CLOTH || !far[body as usize - 1] {
                let middles = unfolded.middles(corners);
                boxes.tiles.push(around(&boxes.vertices, &corners));
                boxes.seen.push(Seen { tile, is_cloth: body == CLOTH, corners, middles });
            }
        }
    }

    /// Whether two tiles by their places, or one and itself, are to be looked at.
    #[inline]
    pub fn could_meet(&self, a: u32, b: u32, within_cloth: bool) -> bool {
        let (a, b) = (&self.seen[a as usize], &self.seen[b as usize]);
        if a.is_cloth && b.is_cloth {
            within_cloth && !share(a.middles, b.corners)
        } else {
            a.is_cloth || b.is_cloth
        }
    }
}

/// Where pairs are looked for.
#[derive(Debug)]
pub struct Search<'a> {
    /// What can touch.
    pub surface: &'a Surface,
    /// Its tiles.
    pub tiles: &'a Tiles,
    /// Their boxes.
    pub boxes: &'a Boxes,
}

impl Search<'_> {
    /// Lists the pairs of two tiles by their places, or of one with itself, whose boxes overlap.
    pub fn list(&self, pair: [u32; 2], listed: &mut Vec<Listed>) {
        let [first_box, second_box] = pair.map(|k| &self.boxes.tiles[k as usize]);
        let [a, b] = pair.map(|k| self.boxes.seen[k as usize].tile as usize);
        self.list_vertices(a, b, second_box, listed);
        if a != b {
            self.list_vertices(b, a, first_box, listed);
        }
        let Self { surface, boxes, .. } = self;
        for &first in self.tiles.edges.of(a) {
            let bounds = &boxes.edges[first as usize];
            if !bounds.overlaps(second_box) {
                continue;
            }
            for &second in self.tiles.edges.of(b) {
                let once = a != b || first < second;
                let overlap = once && bounds.overlaps(&boxes.edges[second as usize]);
                if overlap && surface.can_edges_touch(first, second) {
                    let flat = surface.is_flat(first) || surface.is_flat(second);
                    let [first, second] =
                        [first.min(second), first.max(second)].map(|e| surface.edges[e as usize]);
                    let vertices = [first[0], first[1], second[0], second[1]];
                    self.push(vertices, 2, if flat { FLAT } else { u32::MAX }, listed);
                }
            }
        }
    }

    fn list_vertices(&self, of: usize, at: usize, around: &Aabb, listed: &mut Vec<Listed>) {
        let Self { surface, boxes, .. } = self;
        for &v in self.tiles.vertices.of(of) {
            let bounds = &boxes.vertices[v as usize];
            if !bounds.overlaps(around) {
                continue;
            }
            for &t in self.tiles.triangles.of(at) {
                if bounds.overlaps(&boxes.triangles[t as usize]) && surface.can_touch(v, t) {
                    let [a, b, c] = surface.triangles[t as usize];
                    self.push([v, a, b, c], 1, t, listed);
                }
            }
        }
    }

    fn push(&self, vertices: [u32; 4], first: u8, triangle: u32, listed: &mut Vec<Listed>) {
        let radius = self.surface.radius(vertices[0]) + self.surface.radius(vertices[3]);
        listed.push(Listed { vertices, first, triangle, radius, due: 0.0 });
    }
}

/// The box around the boxes of some vertices.
#[inline]
fn around(vertices: &[Aabb], numbers: &[u32]) -> Aabb {
    let mut all = vertices[numbers[0] as usize];
    for &v in &numbers[1..] {
        all.grow(&vertices[v as usize]);
    }
    all
}
