//! Boxes of patches.

use super::fold_free::{FoldFree, share};
use crate::contact::broad_phase::Aabb;
use crate::contact::mesh::collision_mesh::{CLOTH, CollisionMesh};
use crate::contact::mesh::patches::Patches;
use crate::math::Vec3;

/// Boxes of patches that may touch.
#[derive(Clone, Debug, Default)]
pub struct PatchBounds {
    vertices: Vec<Aabb>,
    /// Of patches, except those of distant solids.
    pub patches: Vec<Aabb>,
    /// The patches of these boxes.
    seen: Vec<Seen>,
}

/// A patch as the broad phase sees it.
#[derive(Clone, Copy, Debug)]
struct Seen {
    patch: u32,
    is_cloth: bool,
    corners: [u32; 4],
    /// In the middle of fold-free regions.
    middles: [u32; 4],
}

impl PatchBounds {
    /// Boxes of the patches of a surface whose vertices stay within `vertex_bounds` [m], except those of distant solids.
    pub fn fill(
        &mut self,
        surface: &CollisionMesh,
        vertex_bounds: &[[Vec3; 2]],
        patches: &Patches,
        fold_free: &FoldFree,
        far: &[bool],
    ) {
        let boxes = self;
        boxes.vertices.clear();
        // Seen from the middle of the cloth, single precision tells them apart wherever that is.
        let middle = middle(&vertex_bounds[..surface.cloth_len()]);
        let vertex_bounds = (0..).zip(vertex_bounds);
        boxes.vertices.extend(
            vertex_bounds
                .map(|(v, bounds)| Aabb::of_points(bounds.map(|corner| corner - middle), surface.radius(v))),
        );
        boxes.patches.clear();
        boxes.seen.clear();
        for (patch, &corners) in (0..).zip(&patches.corners) {
            let body = surface.bodies[corners[0] as usize];
            if body == CLOTH || !far[body as usize - 1] {
                let middles = fold_free.middles(corners);
                boxes.patches.push(around(&boxes.vertices, &corners));
                boxes.seen.push(Seen { patch, is_cloth: body == CLOTH, corners, middles });
            }
        }
    }

    /// The patch at a place.
    pub fn patch(&self, place: u32) -> u32 {
        self.seen[place as usize].patch
    }

    /// Whether two patches by their places, or one and itself, could meet.
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
fn middle(vertex_bounds: &[[Vec3; 2]]) -> Vec3 {
    let [low, high] = crate::mesh::bounds(vertex_bounds.as_flattened());
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
