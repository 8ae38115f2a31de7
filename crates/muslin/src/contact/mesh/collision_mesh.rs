//! The features that can touch: triangles, edges and vertices of the cloth and of the solids.
//!
//! Vertices of solids are numbered behind the particles. A ball is a vertex of radius R, and for threads an edge from there to
//! itself; a capsule is an edge of radius R, every other solid but the half-space a mesh of radius 0 (plus its thickness): so
//! that two kinds of pairs, vertex–triangle and edge–edge, cover everything.

use super::adjacency::Adjacency;
use crate::contact::Owner;
use crate::math::{Real, Vec3};
use crate::mesh::Face;
use crate::model::Model;

/// The body number of the cloth; solid k is body k + 1.
pub const CLOTH: u32 = 0;

/// Vertices, edges and triangles that can touch.
#[derive(Clone, Debug, Default)]
pub struct CollisionMesh {
    /// Vertices that can touch, ascending.
    pub vertices: Vec<u32>,
    /// Ends of edges.
    pub edges: Vec<[u32; 2]>,
    /// Corners of triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Which body each vertex belongs to.
    pub bodies: Vec<u32>,
    /// Radius of each body: how far its surface lies beyond its vertices, edges and triangles [m].
    pub radii: Vec<Real>,
    /// Owner of each body.
    pub owners: Vec<Owner>,
    /// The first triangle at each vertex, or none.
    first_at_vertex: Vec<u32>,
    /// The sides of triangles, as edges.
    sides: Vec<[u32; 3]>,
    /// The first triangle at each edge, or none.
    first_at_edge: Vec<u32>,
    /// The first edge at each vertex, by its ends; none for loose vertices.
    first_edge: Vec<[u32; 2]>,
    /// Whether each edge lies within a flat face of a solid.
    flat: Vec<bool>,
}

const NONE: u32 = u32::MAX;

/// The surface of a solid, at time 0.
#[derive(Clone, Debug, Default)]
pub struct SolidSurface {
    /// Vertices [m].
    pub positions: Vec<Vec3>,
    /// Edges that are no side of a triangle: the axis of a capsule, and of a ball.
    pub edges: Vec<[u32; 2]>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Radius [m].
    pub radius: Real,
    /// Its owner.
    pub owner: Owner,
}

impl CollisionMesh {
    /// The surface of a model's cloth, threads without faces included, and of some solids.
    pub fn of(model: &Model, solids: &[SolidSurface]) -> Self {
        let mut triangles: Vec<[u32; 3]> = model.faces.iter().flat_map(Face::triangles).collect();
        let mut lines = threads_without_faces(model, &triangles);
        let mut bodies = vec![CLOTH; model.len()];
        let (mut radii, mut owners) = (vec![0.0], vec![Owner::Cloth]);
        for (k, solid) in solids.iter().enumerate() {
            let first = bodies.len() as u32;
            triangles.extend(solid.triangles.iter().map(|t| t.map(|v| v + first)));
            lines.extend(solid.edges.iter().map(|e| e.map(|v| v + first)));
            bodies.extend(std::iter::repeat_n(k as u32 + 1, solid.positions.len()));
            radii.push(solid.radius);
            owners.push(solid.owner);
        }
        let (edges, sides) = edges_and_sides(&triangles, &lines, bodies.len());
        let mut surface = Self { edges, triangles, bodies, radii, owners, sides, ..Self::default() };
        surface.find_owners();
        surface.find_flat_edges(model.len(), solids);
        let mut in_edges = vec![false; surface.bodies.len()];
        for edge in &surface.edges {
            for &v in edge {
                in_edges[v as usize] = true;
            }
        }
        // A ball is a vertex without edges, and so is a loose particle; what is inside a block touches nothing.
        let is_solid = !model.elements.tets.is_empty();
        surface.vertices = (0..surface.bodies.len() as u32)
            .filter(|&v| surface.bodies[v as usize] != CLOTH || in_edges[v as usize] || !is_solid)
            .collect();
        surface
    }

    fn find_owners(&mut self) {
        self.first_at_vertex = vec![NONE; self.bodies.len()];
        self.first_at_edge = vec![NONE; self.edges.len()];
        for (t, (triangle, sides)) in self.triangles.iter().zip(&self.sides).enumerate() {
            for &v in triangle {
                let first = &mut self.first_at_vertex[v as usize];
                *first = (*first).min(t as u32);
            }
            for &side in sides {
                let first = &mut self.first_at_edge[side as usize];
                *first = (*first).min(t as u32);
            }
        }
        self.first_edge = vec![[NONE; 2]; self.bodies.len()];
        for &edge in self.edges.iter().rev() {
            for v in edge {
                self.first_edge[v as usize] = edge;
            }
        }
    }

    /// Whether an edge of the cloth represents the contact of one of its ends with the axis of a capsule.
    pub fn is_representative_edge(&self, edge: [u32; 2], vertex: u32) -> bool {
        self.first_edge[vertex as usize] == edge
    }

    /// Whether a vertex is an end of the axis of a capsule.
    pub fn is_on_axis(&self, vertex: u32) -> bool {
        !self.is_cloth(vertex) && self.first_at_vertex[vertex as usize] == NONE
    }

    /// Finds the edges of solids whose two triangles lie in one plane.
    fn find_flat_edges(&mut self, first: usize, solids: &[SolidSurface]) {
        let positions: Vec<Vec3> = solids.iter().flat_map(|solid| solid.positions.iter().copied()).collect();
        let mut normals: Vec<Vec<Vec3>> = vec![Vec::new(); self.edges.len()];
        for (triangle, sides) in self.triangles.iter().zip(&self.sides) {
            if triangle[0] as usize >= first {
                let [a, b, c] = triangle.map(|v| positions[v as usize - first]);
                let normal = (b - a).cross(c - a).normalize_or_zero();
                for &side in sides {
                    normals[side as usize].push(normal);
                }
            }
        }
        let is_flat = |normals: &Vec<Vec3>| matches!(normals[..], [a, b] if a.dot(b) > 1.0 - 1e-12);
        self.flat = normals.iter().map(is_flat).collect();
    }

    /// The triangles at each edge.
    pub fn triangles_at_edges(&self) -> Adjacency {
        let sides: Vec<u32> = self.sides.iter().flatten().copied().collect();
        Adjacency::inverse(&sides, self.edges.len(), |side| side as u32 / 3)
    }

    /// The edges of a triangle: the one opposite to each corner.
    pub fn sides(&self, triangle: u32) -> [u32; 3] {
        self.sides[triangle as usize]
    }

    /// The first triangle at an edge, if there is one.
    pub fn first_triangle_at_edge(&self, edge: u32) -> Option<u32> {
        Some(self.first_at_edge[edge as usize]).filter(|&t| t != NONE)
    }

    /// The first triangle at a vertex, if there is one.
    pub fn first_triangle_at_vertex(&self, vertex: u32) -> Option<u32> {
        Some(self.first_at_vertex[vertex as usize]).filter(|&t| t != NONE)
    }

    /// Whether an edge lies within a flat face of a solid.
    pub fn is_flat(&self, edge: u32) -> bool {
        self.flat[edge as usize]
    }

    /// Whether a triangle represents contacts at its point with these weights. A point on a side or a corner belongs to several
    /// triangles, of which the first represents it.
    pub fn is_representative(&self, triangle: u32, weights: [Real; 3]) -> bool {
        let zero = weights.map(|w| w <= 0.0);
        let t = triangle as usize;
        match zero.iter().filter(|&&zero| zero).count() {
            0 => true,
            1 => {
                let opposite = (0..3).find(|&k| zero[k]).unwrap_or(0);
                self.first_at_edge[self.sides[t][opposite] as usize] == triangle
            }
            _ => {
                let corner = (0..3).find(|&k| !zero[k]).unwrap_or(0);
                self.first_at_vertex[self.triangles[t][corner] as usize] == triangle
            }
        }
    }

    /// How many of the vertices belong to the cloth: the first ones.
    pub fn cloth_len(&self) -> usize {
        self.bodies.partition_point(|&body| body == CLOTH)
    }

    /// Whether a vertex belongs to the cloth.
    #[inline]
    pub fn is_cloth(&self, vertex: u32) -> bool {
        self.bodies[vertex as usize] == CLOTH
    }

    /// Owner of a vertex.
    pub fn owner(&self, vertex: u32) -> Owner {
        self.owners[self.bodies[vertex as usize] as usize]
    }

    /// Radius of the body of a vertex [m].
    #[inline]
    pub fn radius(&self, vertex: u32) -> Real {
        self.radii[self.bodies[vertex as usize] as usize]
    }

    /// Whether a vertex and a triangle can ever touch.
    #[inline]
    pub fn can_touch(&self, vertex: u32, triangle: u32) -> bool {
        let corners = self.triangles[triangle as usize];
        !corners.contains(&vertex) && (self.is_cloth(vertex) || self.is_cloth(corners[0]))
    }

    /// Whether two edges can ever touch.
    #[inline]
    pub fn can_edges_touch(&self, first: u32, second: u32) -> bool {
        let ([a, b], [c, d]) = (self.edges[first as usize], self.edges[second as usize]);
        // Triangles represent the sides of cloth that a ball touches.
        let is_represented = |ball: bool, other: u32| ball && self.first_at_edge[other as usize] != NONE;
        a != c
            && a != d
            && b != c
            && b != d
            && (self.is_cloth(a) || self.is_cloth(c))
            && !is_represented(a == b, second)
            && !is_represented(c == d, first)
    }

    /// The ends of the axes of balls and capsules.
    pub fn round_solids(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let solids = self.vertices.iter().copied().filter(|&v| !self.is_cloth(v));
        let first_of_body =
            move |v: &u32| *v == 0 || self.bodies[*v as usize - 1] != self.bodies[*v as usize];
        solids.filter(first_of_body).filter(|&v| self.first_at_vertex[v as usize] == NONE).map(|v| {
            let next = v + 1;
            let has_other = self.bodies.get(next as usize) == Some(&self.bodies[v as usize]);
            [v, if has_other { next } else { v }]
        })
    }

    /// The edges of the cloth that are no side of a triangle.
    pub fn threads(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let edges = self.edges.iter().zip(&self.first_at_edge);
        edges.filter(|(edge, first)| **first == NONE && self.is_cloth(edge[0])).map(|(edge, _)| *edge)
    }

    /// Mean length of the cloth's edges [m]; 0 if it has none.
    pub fn mean_edge(&self, positions: &[Vec3]) -> Real {
        let cloth = self.edges.iter().filter(|edge| self.is_cloth(edge[0]));
        let (sum, count) = cloth.fold((0.0, 0.0), |(sum, count), &[a, b]| {
            (sum + positions[a as usize].distance(positions[b as usize]), count + 1.0)
        });
        if count > 0.0 { sum / count } else { 0.0 }
    }
}

/// The edges of triangles and lines, sorted by their ends, and of each triangle the edges opposite to its corners.
fn edges_and_sides(
    triangles: &[[u32; 3]],
    lines: &[[u32; 2]],
    vertices: usize,
) -> (Vec<[u32; 2]>, Vec<[u32; 3]>) {
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[b, c], [c, a], [a, b]]);
    let all: Vec<[u32; 2]> = sides.chain(lines.iter().copied()).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    let lower: Vec<u32> = all.iter().map(|ends| ends[0]).collect();
    let by_lower = Adjacency::inverse(&lower, vertices, |k| k as u32);
    let (mut edges, mut numbers) = (Vec::with_capacity(all.len() / 2), vec![[0; 3]; triangles.len()]);
    let mut there: Vec<(u32, u32)> = Vec::new();
    for vertex in 0..vertices {
        there.clear();
        there.extend(by_lower.of(vertex).iter().map(|&k| (all[k as usize][1], k)));
        there.sort_unstable();
        for same in there.chunk_by(|one, other| one.0 == other.0) {
            for side in same.iter().map(|&(_, k)| k as usize).filter(|&k| k < 3 * triangles.len()) {
                numbers[side / 3][side % 3] = edges.len() as u32;
            }
            edges.push([vertex as u32, same[0].0]);
        }
    }
    (edges, numbers)
}

/// Structural springs and rods of particles that no triangle has: ropes, nets.
fn threads_without_faces(model: &Model, triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut has_face = vec![false; model.len()];
    triangles.iter().flatten().for_each(|&v| has_face[v as usize] = true);
    let springs = model.elements.springs.iter();
    let structural = springs.filter(|s| s.family == crate::elements::SpringFamily::Structural);
    let threads = structural.map(|s| s.ends).chain(model.elements.rods.iter().map(|rod| rod.ends));
    threads.filter(|ends| ends.iter().any(|&v| !has_face[v as usize])).collect()
}
