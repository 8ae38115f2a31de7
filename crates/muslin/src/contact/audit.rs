//! All intersections, by exact predicates: an exact audit, independent of candidates, response and guard.

use super::Owner;
use super::broad_phase::{Aabb, BroadPhaseScratch};
use super::geometry::distance::{point_triangle, segment_segment};
use super::geometry::intersection::{
    segment_triangle_intersection, triangles_intersect, triangles_sharing_a_vertex_intersect,
};
use super::mesh::collision_mesh::CollisionMesh;
use super::mesh::solids::Solids;
use crate::contact_law::BroadPhase;
use crate::math::{Real, Vec3};
use crate::state::State;

/// Two triangles that intersect, or a triangle and a round solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intersection {
    /// Corners of the first triangle: of the cloth, always.
    pub first: [u32; 3],
    /// Corners of the second one; of a ball or a capsule, its ends; of a plane, the particle below it.
    pub second: [u32; 3],
    /// Owner of the second one.
    pub with: Owner,
    /// About where [m].
    pub at: Vec3,
}

/// Every intersection of the particles and faces of a mesh with itself and with the solids, where these are.
pub fn intersections_with_solids(mesh: &CollisionMesh, solids: &Solids, state: &State) -> Vec<Intersection> {
    let mut x = state.positions.clone();
    x.extend(solids.positions());
    let mut found = intersections(mesh, &x);
    for wall in &solids.walls {
        let (point, normal) = wall.plane(wall.time);
        found.extend(below_plane(mesh, &x, wall.owner, [point + normal * wall.radius, normal]));
    }
    found
}

/// Every intersection of a surface whose vertices are at `x` [m].
pub fn intersections(surface: &CollisionMesh, x: &[Vec3]) -> Vec<Intersection> {
    intersections_within(surface, x, &Aabb::EVERYTHING)
}

/// The same of the triangles of a surface that reach into a box.
pub fn intersections_within(surface: &CollisionMesh, x: &[Vec3], room: &Aabb) -> Vec<Intersection> {
    let reaches = |triangle: &[u32; 3]| Aabb::of_points(triangle.map(|v| x[v as usize]), 0.0).overlaps(room);
    let near: Vec<[u32; 3]> = surface.triangles.iter().copied().filter(reaches).collect();
    intersections_of(surface, &near, x)
}

/// The same of some triangles.
pub fn intersections_of(surface: &CollisionMesh, triangles: &[[u32; 3]], x: &[Vec3]) -> Vec<Intersection> {
    let mut found = between_triangles(surface, triangles, x);
    found.extend(with_round_solids(surface, triangles, x));
    found.extend(of_threads(surface, triangles, x));
    found
}

/// Every particle of a cloth at `x` [m] below a plane of a solid, given by a point and its normal, as an intersection of its first
/// face, or of the particle with itself if it has none. The height of a point is rounded; less than that is no depth.
pub fn below_plane(
    surface: &CollisionMesh,
    x: &[Vec3],
    with: Owner,
    [point, normal]: [Vec3; 2],
) -> Vec<Intersection> {
    let cloth = surface.vertices.iter().copied().filter(|&v| surface.is_cloth(v));
    let below = cloth.filter(|&v| {
        let at = x[v as usize];
        let rounding = 8.0 * Real::EPSILON * (at.abs() + point.abs()).max_element();
        normal.dot(at - point) < -rounding
    });
    below
        .map(|v| {
            let first = surface.first_triangle_at_vertex(v).map_or([v; 3], |t| surface.triangles[t as usize]);
            Intersection { first, second: [v; 3], with, at: x[v as usize] }
        })
        .collect()
}

fn between_triangles(surface: &CollisionMesh, triangles: &[[u32; 3]], x: &[Vec3]) -> Vec<Intersection> {
    let corners = |t: u32| triangles[t as usize].map(|v| x[v as usize]);
    let numbers = 0..triangles.len() as u32;
    let boxes: Vec<Aabb> = numbers.map(|t| Aabb::of_points(corners(t), 0.0)).collect();
    let mut pairs = Vec::new();
    let meet = |a: u32, b: u32| {
        let (s, t) = (triangles[a as usize], triangles[b as usize]);
        if !surface.is_cloth(s[0]) && !surface.is_cloth(t[0]) {
            return false;
        }
        let shared: Vec<u32> = s.iter().copied().filter(|v| t.contains(v)).collect();
        match shared[..] {
            [] => triangles_intersect(corners(a), corners(b)),
            [v] => {
                let others = |triangle: [u32; 3]| {
                    let k = triangle.iter().position(|&w| w == v).unwrap_or(0);
                    [1, 2].map(|step| x[triangle[(k + step) % 3] as usize])
                };
                triangles_sharing_a_vertex_intersect(x[v as usize], others(s), others(t))
            }
            _ => false, // neighbours meet in their common side
        }
    };
    let scratch = &mut BroadPhaseScratch::default();
    BroadPhase::default().within(scratch, &boxes, meet, &mut pairs);
    pairs.sort_unstable();
    let place = |a: u32, b: u32| {
        let (s, t) = (corners(a), corners(b));
        let sides = |c: [Vec3; 3]| [[c[0], c[1]], [c[1], c[2]], [c[2], c[0]]];
        let pierced = sides(s).into_iter().find_map(|side| segment_triangle_intersection(side, t));
        pierced
            .or_else(|| sides(t).into_iter().find_map(|side| segment_triangle_intersection(side, s)))
            .unwrap_or(s[0])
    };
    let intersection = |[a, b]: [u32; 2]| {
        let [s, t] = [a, b].map(|triangle| triangles[triangle as usize]);
        Intersection { first: s, second: t, with: surface.owner(t[0]), at: place(a, b) }
    };
    pairs.into_iter().map(intersection).collect()
}

/// Triangles and threads of the cloth nearer to the centre of a ball, or to the axis of a capsule, than its radius.
fn with_round_solids(surface: &CollisionMesh, triangles: &[[u32; 3]], x: &[Vec3]) -> Vec<Intersection> {
    let mut found = Vec::new();
    for [p, q] in surface.round_solids() {
        let (radius, ends) = (surface.radius(p), [p, q].map(|v| x[v as usize]));
        let faces = triangles.iter().copied().filter(|t| surface.is_cloth(t[0]));
        for triangle in faces.chain(surface.threads().map(|[a, b]| [a, b, b])) {
            let corners = triangle.map(|v| x[v as usize]);
            let (nearest, distance) = nearest_to_axis(ends, corners);
            if distance < radius {
                let with = surface.owner(p);
                found.push(Intersection { first: triangle, second: [p, q, q], with, at: nearest });
            }
        }
    }
    found
}

/// The point of a triangle nearest to a segment, or of all of them those at its ends and sides: and its distance.
fn nearest_to_axis(ends: [Vec3; 2], corners: [Vec3; 3]) -> (Vec3, Real) {
    let mut best = (corners[0], Real::INFINITY);
    let mut offer = |point: Vec3, distance: Real| {
        if distance < best.1 {
            best = (point, distance);
        }
    };
    for end in ends {
        let w = point_triangle(end, corners);
        let point = corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2];
        offer(point, point.distance(end));
    }
    for k in 0..3 {
        let side = [corners[k], corners[(k + 1) % 3]];
        let [s, t] = segment_segment(side, ends);
        let point = side[0].lerp(side[1], s);
        offer(point, point.distance(ends[0].lerp(ends[1], t)));
    }
    if let Some(point) = segment_triangle_intersection(ends, corners) {
        offer(point, 0.0);
    }
    best
}

/// Threads without faces that pierce a triangle.
fn of_threads(surface: &CollisionMesh, triangles: &[[u32; 3]], x: &[Vec3]) -> Vec<Intersection> {
    let mut found = Vec::new();
    for [a, b] in surface.threads() {
        for &triangle in triangles.iter().filter(|t| !t.contains(&a) && !t.contains(&b)) {
            let segment = [a, b].map(|v| x[v as usize]);
            if let Some(at) = segment_triangle_intersection(segment, triangle.map(|v| x[v as usize])) {
                let with = surface.owner(triangle[0]);
                found.push(Intersection { first: [a, b, b], second: triangle, with, at });
            }
        }
    }
    found
}
