//! The surface in patches, so that a search deals with few boxes.
//!
//! A patch is two triangles on both sides of an edge, or a triangle, an edge or a vertex left over. Every vertex, edge and
//! triangle is in one patch alone, though its corners may be those of others, too.

use super::adjacency::Adjacency;
use super::collision_mesh::CollisionMesh;
use crate::math::{Real, Vec3};

/// A partition of a surface.
#[derive(Clone, Debug, Default)]
pub struct Patches {
    /// Vertices that each patch reaches, in order around it: four or fewer, then the last one again.
    pub corners: Vec<[u32; 4]>,
    /// Triangles of each patch.
    pub triangles: Adjacency,
    /// Edges of each patch.
    pub edges: Adjacency,
    /// The corners of all these triangles and the ends of all these edges, in the same order.
    pub triangle_corners: Vec<[u32; 3]>,
    pub edge_ends: Vec<[u32; 2]>,
    /// Vertices of each patch.
    pub vertices: Adjacency,
    /// Patches at each vertex of the surface.
    pub around: Adjacency,
    /// Of patches of two triangles, their own features.
    pub own: Vec<Own>,
}

/// The triangles of a patch of two, by its corners.
pub const TRIANGLES: [[usize; 3]; 2] = [[0, 1, 3], [2, 3, 1]];
/// Its edges: its sides, and the one between the triangles.
pub const EDGES: [[usize; 2]; 5] = [[0, 1], [1, 2], [2, 3], [3, 0], [1, 3]];

/// Which corners and edges are a patch's own, if it is one of two triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// As bits: the four corners, then the five edges. None of another kind of patch.
    pub features: u16,
    /// Numbers of the edges.
    pub edges: [u32; 5],
}

impl Own {
    /// Whether a corner is the patch's own.
    #[inline]
    pub fn has_corner(self, corner: usize) -> bool {
        self.features >> corner & 1 == 1
    }

    /// Whether one of the edges is the patch's own.
    #[inline]
    pub fn has_edge(self, edge: usize) -> bool {
        self.features >> (4 + edge) & 1 == 1
    }
}

impl Patches {
    /// The patches of a surface; triangles are paired across the longest of their edges in these positions.
    pub fn of(surface: &CollisionMesh, x: &[Vec3]) -> Self {
        let partners = partners(surface, x);
        let (mut corners, mut triangles) = (Vec::new(), Adjacency::default());
        let mut of_triangle = vec![0; surface.triangles.len()];
        for (t, &[a, b, c]) in surface.triangles.iter().enumerate() {
            let mut patch = [a, b, c, c];
            match partners[t] {
                Some(partner) if (partner as usize) < t => continue,
                Some(partner) => {
                    let other = surface.triangles[partner as usize];
                    // Around the patch: the two corners of the edge between them lie opposite to each other.
                    let apex = other.into_iter().find(|v| ![a, b, c].contains(v)).unwrap_or(c);
                    let own = [a, b, c].into_iter().position(|v| !other.contains(&v)).unwrap_or(0);
                    patch = [[a, b, apex, c], [b, c, apex, a], [c, a, apex, b]][own];
                    triangles.push([t as u32, partner]);
                    of_triangle[partner as usize] = corners.len() as u32;
                }
                None => triangles.push([t as u32]),
            }
            of_triangle[t] = corners.len() as u32;
            corners.push(patch);
        }
        let of_edge: Vec<u32> = (0..surface.edges.len())
            .map(|e| {
                surface.first_triangle_at_edge(e as u32).map_or_else(
                    || {
                        let [a, b] = surface.edges[e];
                        corners.push([a, b, b, b]);
                        corners.len() as u32 - 1
                    },
                    |t| of_triangle[t as usize],
                )
            })
            .collect();
        let mut of_vertex = vec![None; surface.bodies.len()];
        for (patch, corners) in corners.iter().enumerate().rev() {
            for &v in corners {
                of_vertex[v as usize] = Some(patch as u32);
            }
        }
        let of_vertex: Vec<u32> = surface
            .vertices
            .iter()
            .map(|&v| {
                of_vertex[v as usize].unwrap_or_else(|| {
                    corners.push([v; 4]);
                    corners.len() as u32 - 1
                })
            })
            .collect();
        while triangles.len() < corners.len() {
            triangles.push([]);
        }
        let edges = Adjacency::inverse(&of_edge, corners.len(), |e| e as u32);
        let vertices = Adjacency::inverse(&of_vertex, corners.len(), |k| surface.vertices[k]);
        let around = around(surface.bodies.len(), &corners);
        let triangle_corners = triangles.all().iter().map(|&t| surface.triangles[t as usize]).collect();
        let edge_ends = edges.all().iter().map(|&e| surface.edges[e as usize]).collect();
        let mut patches = Self {
            corners,
            triangles,
            edges,
            triangle_corners,
            edge_ends,
            vertices,
            around,
            own: Vec::new(),
        };
        patches.own = (0..patches.corners.len()).map(|patch| patches.own_of(patch)).collect();
        patches
    }

    /// The features that are a patch's own.
    fn own_of(&self, patch: usize) -> Own {
        let (corners, mut own) = (self.corners[patch], Own::default());
        let are_distinct = (0..4).all(|k| !corners[..k].contains(&corners[k]));
        if self.triangles.of(patch).len() != 2 || !are_distinct {
            return own;
        }
        for k in (0..4).filter(|&k| self.vertices.of(patch).contains(&corners[k])) {
            own.features |= 1 << k;
        }
        let edges = self.edges.of(patch).iter().zip(&self.edge_ends[self.edges.range(patch)]);
        for (&edge, ends) in edges {
            let is_it = |[a, b]: [usize; 2]| ends.contains(&corners[a]) && ends.contains(&corners[b]);
            let Some(k) = EDGES.iter().position(|&edge| is_it(edge)) else { return Own::default() };
            own.features |= 1 << (4 + k);
            own.edges[k] = edge;
        }
        own
    }
}

/// The patches at each vertex.
fn around(vertices: usize, corners: &[[u32; 4]]) -> Adjacency {
    let distinct = |patch: usize| {
        let corners = corners[patch];
        (0..4).filter(move |&k| !corners[..k].contains(&corners[k])).map(move |k| (corners[k], patch as u32))
    };
    let (at, patches): (Vec<u32>, Vec<u32>) = (0..corners.len()).flat_map(distinct).unzip();
    Adjacency::inverse(&at, vertices, |k| patches[k])
}

/// The triangle that each one makes a patch with.
fn partners(surface: &CollisionMesh, x: &[Vec3]) -> Vec<Option<u32>> {
    let at_edges = surface.triangles_at_edges();
    let length = |e: usize| {
        let [a, b] = surface.edges[e].map(|v| x[v as usize]);
        a.distance_squared(b)
    };
    let inner = (0..at_edges.len()).filter(|&e| at_edges.of(e).len() == 2);
    let mut inner: Vec<(Real, usize)> = inner.map(|e| (length(e), e)).collect();
    inner.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut partners = vec![None; surface.triangles.len()];
    for (_, e) in inner {
        if let [a, b] = *at_edges.of(e)
            && partners[a as usize].is_none()
            && partners[b as usize].is_none()
        {
            partners[a as usize] = Some(b);
            partners[b as usize] = Some(a);
        }
    }
    partners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, Resolution, Sheet, Surroundings};
    use crate::contact::mesh::collision_mesh::SolidSurface;

    #[test]
    fn every_feature_is_in_one_patch_whose_corners_hold_it() {
        let mut builder = Builder::default();
        let resolution = Resolution::Particles([5, 4]);
        builder.add_sheet(&Sheet { resolution, ..Sheet::default() }).unwrap();
        let (model, state) = builder.finish(&Surroundings::default()).unwrap();
        let ball = SolidSurface { positions: vec![Vec3::Z], radius: 0.5, ..SolidSurface::default() };
        let rod = SolidSurface {
            positions: vec![Vec3::Z, Vec3::X],
            edges: vec![[0, 1]],
            radius: 0.1,
            ..SolidSurface::default()
        };
        let single = SolidSurface {
            positions: vec![Vec3::Z, Vec3::X, Vec3::Y],
            triangles: vec![[0, 1, 2]],
            ..SolidSurface::default()
        };
        let solids = [ball, rod, single];
        let surface = CollisionMesh::of(&model, &solids);
        let mut x = state.positions;
        x.extend(solids.iter().flat_map(|solid| solid.positions.iter().copied()));
        let patches = Patches::of(&surface, &x);
        // Twelve quads, and one each for the solids.
        assert_eq!(patches.corners.len(), 12 + 3);
        let all = |lists: &Adjacency, has: &dyn Fn(u32, [u32; 4]) -> bool| {
            let mut all: Vec<u32> = Vec::new();
            for patch in 0..patches.corners.len() {
                assert!(lists.of(patch).iter().all(|&k| has(k, patches.corners[patch])));
                all.extend(lists.of(patch));
            }
            all.sort_unstable();
            all
        };
        let vertices = all(&patches.vertices, &|v, corners| corners.contains(&v));
        let edges =
            all(&patches.edges, &|e, corners| surface.edges[e as usize].iter().all(|v| corners.contains(v)));
        let triangles = all(&patches.triangles, &|t, corners| {
            surface.triangles[t as usize].iter().all(|v| corners.contains(v))
        });
        assert_eq!(vertices, surface.vertices);
        assert!(edges.into_iter().eq(0..surface.edges.len() as u32));
        assert!(triangles.into_iter().eq(0..surface.triangles.len() as u32));
    }
}
