//! Boxes of tiles.

use super::broad_phase::Aabb;
use super::surface::{CLOTH, Surface};
use super::tiles::Tiles;
use super::unfolded::{Unfolded, share};
use crate::math::Vec3;

/// Boxes of what may touch.
#[derive(Clone, Debug, Default)]
pub struct Boxes {
    vertices: Vec<Aabb>,
    /// Of tiles, but those of solids far away.
    pub tiles: Vec<Aabb>,
    /// Who they are.
    seen: Vec<Seen>,
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
    /// Boxes of the tiles of a surface whose vertices stay within `confines` [m], but of solids that are far away.
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
        // Seen from the middle of the cloth, single precision tells them apart wherever that is.
        let middle = middle(&confines[..surface.cloth_len()]);
        let confines = (0..).zip(confines);
        boxes.vertices.extend(
            confines.map(|(v, confine)| {
                Aabb::of_points(confine.map(|corner| corner - middle), surface.radius(v))
            }),
        );
        boxes.tiles.clear();
        boxes.seen.clear();
        for (tile, &corners) in (0..).zip(&tiles.corners) {
            let body = surface.bodies[corners[0] as usize];
            if body == CLOTH || !far[body as usize - 1] {
                let middles = unfolded.middles(corners);
                boxes.tiles.push(around(&boxes.vertices, &corners));
                boxes.seen.push(Seen { tile, is_cloth: body == CLOTH, corners, middles });
            }
        }
    }

    /// The tile at a place.
    pub fn tile(&self, place: u32) -> u32 {
        self.seen[place as usize].tile
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

/// The middle of some boxes [m].
fn middle(confines: &[[Vec3; 2]]) -> Vec3 {
    let [low, high] = crate::mesh::bounds(confines.as_flattened());
    (low + high) * 0.5
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
