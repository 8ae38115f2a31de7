//! Narrow phase: which pairs touch in a step, as constraints of the response.

use super::closest_points::{ClosestPoints, Nearest, gap};
use super::mesh::adjacency::Adjacency;
use super::mesh::collision_mesh::{CLOTH, CollisionMesh};
use super::mesh::solids::Solids;
use super::prepare::Prepared;
use super::response::bodies::{BodyAnchor, slip};
use super::response::constraint::ContactConstraint;
use super::settings::REST_DISTANCE;
use super::step::{ContactStep, Scratch};
use crate::math::{Real, Vec3};
use crate::mesh::bounds;
use crate::par;
use crate::state::State;
use crate::stencil::{Kind, Stencil};

impl ContactStep<'_> {
    /// The contacts of this step: those with a force in the last one, and those that come too near in this one.
    pub fn detect(&mut self, state: &State) {
        self.update_effective_masses();
        let known = Known::of(&self.scratch.constraints, self.prepared.surface.bodies.len());
        let old = self.scratch.constraints.len();
        let Prepared { surface, inverse_masses, rest, thickness, .. } = self.prepared;
        let Scratch { start, target, body_deltas, constraints, .. } = &mut *self.scratch;
        let (start, target, body_deltas) = (&*start, &*target, &*body_deltas);
        let (numbers, friction) = (&self.solids.numbers, self.law.friction);
        par::collect_chunks(&self.candidates.pairs, constraints, |pair, constraints| {
            let stencil = pair.stencil;
            let (first, second) = (stencil.vertices[0], stencil.vertices[3]);
            let within_cloth = surface.is_cloth(first) && surface.is_cloth(second);
            let min_distance = if within_cloth { *thickness } else { 0.5 * *thickness } + pair.radius;
            let ends = stencil.points(target);
            // Contacts within a flat face are represented by the face.
            let is_flat = stencil.kind == Kind::EdgeEdge { is_flat: true };
            if gap(pair.normal, ends, stencil.first()) >= min_distance || is_flat || known.has(&stencil) {
                return;
            }
            let starts = stencil.points(start);
            let nearest = Nearest::of(starts, stencil.first());
            // Most contacts are represented by another pair.
            if !is_representative(surface, &stencil, nearest.weights) {
                return;
            }
            let closest = &ClosestPoints::with_nearest(stencil, starts, &nearest);
            let end = closest.normal.dot(closest.difference(target));
            if end >= min_distance {
                return;
            }
            let min_distance = if within_cloth {
                min_distance.min(REST_DISTANCE * at_rest(closest, rest, min_distance / REST_DISTANCE))
            } else {
                min_distance
            };
            if end >= min_distance || passes_by(closest, start, target, pair.radius, min_distance) {
                return;
            }
            let anchor = BodyAnchor::of(closest, surface, numbers, body_deltas, start);
            constraints.extend(ContactConstraint::new(
                *closest,
                inverse_masses,
                (anchor, body_deltas),
                min_distance,
                friction,
            ));
        });
        self.detect_at_walls(&known);
        // In an order that depends on the pairs alone; those of the last step are sorted already.
        self.scratch.constraints[old..].sort_by_cached_key(ContactConstraint::stencil);
        self.scratch.constraints.sort_by_key(ContactConstraint::stencil);
        for constraint in &mut self.scratch.constraints {
            if let Some(anchor) = constraint.anchor {
                let positions = [&self.scratch.start[..], &self.scratch.target[..]];
                let to = state.bodies[anchor.body as usize].pose;
                let from = self.solids.start_of_body(anchor.body).unwrap_or(to);
                constraint.surface_displacement = slip(&constraint.closest, &anchor, positions, [&from, &to]);
            } else if !constraint.closest.stencil.is_at_wall() {
                let positions = [&self.scratch.start[..], &self.scratch.target[..]];
                constraint.surface_displacement =
                    scripted_slip(&constraint.closest, &self.prepared.surface, self.solids, positions);
            }
            if self.law.restitution > 0.0 {
                let velocity = constraint.closest.difference(&self.scratch.start_velocities);
                let of_surface = if constraint.anchor.is_some() {
                    Vec3::ZERO
                } else {
                    constraint.surface_displacement / self.h
                };
                constraint.approach = constraint.closest.normal.dot(velocity - of_surface);
            }
        }
    }

    /// Updates the effective masses of the last step's constraints, and drops those that can hardly move any more.
    fn update_effective_masses(&mut self) {
        let Prepared { surface, inverse_masses, .. } = self.prepared;
        let Scratch { start, body_deltas, constraints, .. } = &mut *self.scratch;
        let numbers = &self.solids.numbers;
        constraints.retain_mut(|constraint| {
            constraint.anchor = constraint
                .anchor
                .and_then(|_| BodyAnchor::of(&constraint.closest, surface, numbers, body_deltas, start));
            constraint.find_effective_mass(inverse_masses, body_deltas);
            constraint.can_move()
        });
    }

    fn detect_at_walls(&mut self, known: &Known) {
        let Prepared { surface, thickness, inverse_masses, .. } = self.prepared;
        let Scratch { start, target, constraints, .. } = &mut *self.scratch;
        let solids = &*self.solids;
        let friction = self.law.friction;
        let old = constraints.len();
        for (k, wall) in solids.walls.iter().enumerate() {
            let (point, normal) = wall.plane(wall.goal);
            let min_distance = normal.dot(point) + 0.5 * *thickness + wall.radius;
            let along = |x: Vec3| wall.carried(x) - x;
            for constraint in
                constraints[..old].iter_mut().filter(|constraint| constraint.is_at_wall(k as u32))
            {
                constraint.min_distance = min_distance;
                constraint.surface_displacement =
                    along(start[constraint.closest.stencil.vertices[0] as usize]);
            }
            for &v in surface.vertices.iter().filter(|&&v| surface.is_cloth(v)) {
                if normal.dot(target[v as usize]) < min_distance {
                    let closest = ClosestPoints::wall(v, k as u32, normal);
                    if known.has(&closest.stencil) {
                        continue;
                    }
                    let constraint =
                        ContactConstraint::new(closest, inverse_masses, (None, &[]), min_distance, friction);
                    constraints.extend(constraint.map(|mut constraint| {
                        constraint.surface_displacement = along(start[v as usize]);
                        constraint
                    }));
                }
            }
        }
    }
}

/// The pairs that have constraints already.
struct Known {
    stencils: Vec<Stencil>,
    /// Their numbers, by the last of their vertices, which few of them share.
    at: Adjacency,
}

impl Known {
    fn of(constraints: &[ContactConstraint], vertices: usize) -> Self {
        let stencils: Vec<Stencil> = constraints.iter().map(ContactConstraint::stencil).collect();
        let last: Vec<u32> = stencils.iter().map(|stencil| stencil.vertices[3]).collect();
        Self { stencils, at: Adjacency::inverse(&last, vertices, |k| k as u32) }
    }

    fn has(&self, stencil: &Stencil) -> bool {
        self.at.of(stencil.vertices[3] as usize).iter().any(|&k| self.stencils[k as usize] == *stencil)
    }
}

/// Whether a pair represents its contact: points on a side or a corner belong to several pairs.
fn is_representative(surface: &CollisionMesh, stencil: &Stencil, w: [Real; 4]) -> bool {
    if let Kind::VertexTriangle { triangle } = stencil.kind {
        return surface.is_representative(triangle, [-w[1], -w[2], -w[3]]);
    }
    // Vertices meet triangles, but a capsule has no triangle: there edges represent their ends, too.
    let [a, b, c, d] = stencil.vertices;
    let (edge, ends) = match [a, c].map(|v| surface.is_on_axis(v)) {
        [false, false] => return w.iter().all(|w| *w != 0.0),
        [true, _] => ([c, d], [w[2], w[3]]),
        [false, true] => ([a, b], [w[0], w[1]]),
    };
    match ends.map(|w| w == 0.0) {
        [true, _] => surface.is_representative_edge(edge, edge[1]),
        [_, true] => surface.is_representative_edge(edge, edge[0]),
        _ => true,
    }
}

/// The distance of a pair at rest, or any beyond `enough` [m].
fn at_rest(closest: &ClosestPoints, rest: &[Vec3], enough: Real) -> Real {
    let points = closest.stencil.points(rest);
    let (first, second) = points.split_at(closest.stencil.first());
    let ([low, high], [from, to]) = (bounds(first), bounds(second));
    let gap = (from - high).max(low - to).max_element();
    if gap > enough { gap } else { closest.with_points(points).distance }
}

/// How much farther than the vertices of a scripted solid its surface moves at a contact, relative to the other feature [m]: the
/// surfaces of balls and capsules turn about their axes.
fn scripted_slip(
    closest: &ClosestPoints,
    surface: &CollisionMesh,
    solids: &Solids,
    [start, target]: [&[Vec3]; 2],
) -> Vec3 {
    let (first, second) = (0..closest.stencil.first(), closest.stencil.first()..4);
    let [ahead, behind] = [0, 3].map(|k| surface.bodies[closest.stencil.vertices[k] as usize]);
    let (feature, body, sign) = match (ahead, behind) {
        (CLOTH, CLOTH) => return Vec3::ZERO,
        (CLOTH, body) => (second, body, 1.0),
        (body, _) => (first, body, -1.0),
    };
    let sum = |x: &[Vec3]| -> Vec3 {
        feature.clone().map(|k| x[closest.stencil.vertices[k] as usize] * closest.weights[k].abs()).sum()
    };
    // From the core of the solid to its surface, towards the cloth.
    let at_surface = sum(start) + closest.normal * (sign * surface.radii[body as usize]);
    let Some(end) = solids.carried(body as usize - 1, at_surface) else { return Vec3::ZERO };
    (end - at_surface - (sum(target) - sum(start))) * sign
}

/// Whether the features pass each other at a distance when one reaches the plane of the other.
fn passes_by(
    closest: &ClosestPoints,
    start: &[Vec3],
    target: &[Vec3],
    radius: Real,
    min_distance: Real,
) -> bool {
    let (before, after) =
        (closest.distance - radius, closest.normal.dot(closest.difference(target)) - radius);
    let moment = if after <= 0.0 { (before / (before - after)).clamp(0.0, 1.0) } else { 1.0 };
    let points = closest.stencil.vertices.map(|v| start[v as usize].lerp(target[v as usize], moment));
    closest.with_points(points).distance > min_distance
}
