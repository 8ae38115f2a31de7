//! The surface in tiles, so that a search deals with few boxes.
//!
//! A tile is two triangles on both sides of an edge, or a triangle, an edge or a vertex left over. Every vertex, edge and
//! triangle is in one tile alone, though its corners may be those of others, too.

use super::surface::Surface;
use crate::math::Vec3;
use std::ops::Range;

/// A partition of a surface.
#[derive(Clone, Debug, Default)]
pub struct Tiles {
    /// Vertices that each tile reaches, in order around it: four or fewer, then the last one again.
    pub corners: Vec<[u32; 4]>,
    /// Triangles of each tile.
    pub triangles: Lists,
    /// Edges of each tile.
    pub edges: Lists,
    /// The corners of all these triangles and the ends of all these edges, in the same order.
    pub triangle_corners: Vec<[u32; 3]>,
    pub edge_ends: Vec<[u32; 2]>,
    /// Vertices of each tile.
    pub vertices: Lists,
    /// Tiles at each vertex of the surface.
    pub around: Lists,
    /// Of tiles of two triangles, what is theirs.
    pub own: Vec<Own>,
}

/// The triangles of a tile of two, by its corners.
pub const TRIANGLES: [[usize; 3]; 2] = [[0, 1, 3], [2, 3, 1]];
/// Its edges: its sides, and the one between the triangles.
pub const EDGES: [[usize; 2]; 5] = [[0, 1], [1, 2], [2, 3], [3, 0], [1, 3]];

/// Which corners and edges are a tile's own, if it is one of two triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// As bits: the four corners, then the five edges. None of another kind of tile.
    pub parts: u16,
    /// Numbers of the edges.
    pub edges: [u32; 5],
}

impl Own {
    /// Whether a corner is the tile's own.
    #[inline]
    pub fn has_corner(self, corner: usize) -> bool {
        self.parts >> corner & 1 == 1
    }

    /// Whether one of the edges is the tile's own.
    #[inline]
    pub fn has_edge(self, edge: usize) -> bool {
        self.parts >> (4 + edge) & 1 == 1
    }
}

impl Tiles {
    /// The tiles of a surface; triangles are paired across the longest of their edges in these positions.
    pub fn of(surface: &Surface, x: &[Vec3]) -> Self {
        let partners = partners(surface, x);
        let (mut corners, mut triangles) = (Vec::new(), Lists::default());
        let mut of_triangle = vec![0; surface.triangles.len()];
        for (t, &[a, b, c]) in surface.triangles.iter().enumerate() {
            let mut tile = [a, b, c, c];
            match partners[t] {
                Some(partner) if (partner as usize) < t => continue,
                Some(partner) => {
                    let other = surface.triangles[partner as usize];
                    // Around the tile: the two corners of the edge between them lie opposite to each other.
                    let apex = other.into_iter().find(|v| ![a, b, c].contains(v)).unwrap_or(c);
                    let own = [a, b, c].into_iter().position(|v| !other.contains(&v)).unwrap_or(0);
                    tile = [[a, b, apex, c], [b, c, apex, a], [c, a, apex, b]][own];
                    triangles.push([t as u32, partner]);
                    of_triangle[partner as usize] = corners.len() as u32;
                }
                None => triangles.push([t as u32]),
            }
            of_triangle[t] = corners.len() as u32;
            corners.push(tile);
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
        for (tile, corners) in corners.iter().enumerate().rev() {
            for &v in corners {
                of_vertex[v as usize] = Some(tile as u32);
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
        let edges = Lists::inverse(&of_edge, corners.len(), |e| e as u32);
        let vertices = Lists::inverse(&of_vertex, corners.len(), |k| surface.vertices[k]);
        let around = around(surface.bodies.len(), &corners);
        let triangle_corners = triangles.all.iter().map(|&t| surface.triangles[t as usize]).collect();
        let edge_ends = edges.all.iter().map(|&e| surface.edges[e as usize]).collect();
        let mut tiles = Self {
            corners,
            triangles,
            edges,
            triangle_corners,
            edge_ends,
            vertices,
            around,
            own: Vec::new(),
        };
        tiles.own = (0..tiles.corners.len()).map(|tile| tiles.own_of(tile)).collect();
        tiles
    }

    /// What is a tile's own.
    fn own_of(&self, tile: usize) -> Own {
        let (corners, mut own) = (self.corners[tile], Own::default());
        let are_distinct = (0..4).all(|k| !corners[..k].contains(&corners[k]));
        if self.triangles.of(tile).len() != 2 || !are_distinct {
            return own;
        }
        for k in (0..4).filter(|&k| self.vertices.of(tile).contains(&corners[k])) {
            own.parts |= 1 << k;
        }
        let edges = self.edges.of(tile).iter().zip(&self.edge_ends[self.edges.range(tile)]);
        for (&edge, ends) in edges {
            let is_it = |[a, b]: [usize; 2]| ends.contains(&corners[a]) && ends.contains(&corners[b]);
            let Some(k) = EDGES.iter().position(|&edge| is_it(edge)) else { return Own::default() };
            own.parts |= 1 << (4 + k);
            own.edges[k] = edge;
        }
        own
    }
}

/// The tiles at each vertex.
fn around(vertices: usize, corners: &[[u32; 4]]) -> Lists {
    let distinct = |tile: usize| {
        let corners = corners[tile];
        (0..4).filter(move |&k| !corners[..k].contains(&corners[k])).map(move |k| (corners[k], tile as u32))
    };
    let (at, tiles): (Vec<u32>, Vec<u32>) = (0..corners.len()).flat_map(distinct).unzip();
    Lists::inverse(&at, vertices, |k| tiles[k])
}

/// The triangle that each one makes a tile with.
fn partners(surface: &Surface, x: &[Vec3]) -> Vec<Option<u32>> {
    let at_edges = surface.triangles_at_edges();
    let length = |e: usize| {
        let [a, b] = surface.edges[e].map(|v| x[v as usize]);
        a.distance_squared(b)
    };
    let mut inner: Vec<usize> = (0..at_edges.len()).filter(|&e| at_edges.of(e).len() == 2).collect();
    inner.sort_by(|&a, &b| length(b).total_cmp(&length(a)));
    let mut partners = vec![None; surface.triangles.len()];
    for e in inner {
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

/// Lists of numbers, one after the other.
#[derive(Clone, Debug)]
pub struct Lists {
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl Default for Lists {
    fn default() -> Self {
        Self { starts: vec![0], all: Vec::new() }
    }
}

impl Lists {
    /// Adds a list.
    pub fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.all.extend(list);
        self.starts.push(self.all.len() as u32);
    }

    /// For each of `count` lists, which items k are in it by `list_of[k]`, ascending, as numbers `name(k)`.
    pub fn inverse(list_of: &[u32], count: usize, name: impl Fn(usize) -> u32) -> Self {
        let mut starts = vec![0u32; count + 1];
        for &list in list_of {
            starts[list as usize + 1] += 1;
        }
        for k in 0..count {
            starts[k + 1] += starts[k];
        }
        let (mut ends, mut all) = (starts.clone(), vec![0; list_of.len()]);
        for (k, &list) in list_of.iter().enumerate() {
            let end = &mut ends[list as usize];
            all[*end as usize] = name(k);
            *end += 1;
        }
        Self { starts, all }
    }

    /// Which lists each of `count` numbers is in, ascending.
    pub fn inverted(&self, count: usize) -> Self {
        let list_of = |k: usize| self.starts.partition_point(|&start| start as usize <= k) as u32 - 1;
        Self::inverse(&self.all, count, list_of)
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// A list.
    #[inline]
    pub fn of(&self, list: usize) -> &[u32] {
        &self.all[self.range(list)]
    }

    /// Where a list is among all of them.
    #[inline]
    pub fn range(&self, list: usize) -> Range<usize> {
        self.starts[list] as usize..self.starts[list + 1] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, Resolution, Sheet, Surroundings};
    use crate::contact::surface::SolidSurface;

    #[test]
    fn every_part_is_in_one_tile_whose_corners_hold_it() {
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
        let surface = Surface::of(&model, &solids);
        let mut x = state.positions;
        x.extend(solids.iter().flat_map(|solid| solid.positions.iter().copied()));
        let tiles = Tiles::of(&surface, &x);
        // Twelve quads, and one each for the solids.
        assert_eq!(tiles.corners.len(), 12 + 3);
        let all = |lists: &Lists, has: &dyn Fn(u32, [u32; 4]) -> bool| {
            let mut all: Vec<u32> = Vec::new();
            for tile in 0..tiles.corners.len() {
                assert!(lists.of(tile).iter().all(|&k| has(k, tiles.corners[tile])));
                all.extend(lists.of(tile));
            }
            all.sort_unstable();
            all
        };
        let vertices = all(&tiles.vertices, &|v, corners| corners.contains(&v));
        let edges =
            all(&tiles.edges, &|e, corners| surface.edges[e as usize].iter().all(|v| corners.contains(v)));
        let triangles = all(&tiles.triangles, &|t, corners| {
            surface.triangles[t as usize].iter().all(|v| corners.contains(v))
        });
        assert_eq!(vertices, surface.vertices);
        assert!(edges.into_iter().eq(0..surface.edges.len() as u32));
        assert!(triangles.into_iter().eq(0..surface.triangles.len() as u32));
    }
}
