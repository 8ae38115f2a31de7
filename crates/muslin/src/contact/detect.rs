//! Who touches whom in a step: the constraints of the response.

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
    /// The contacts of this step: those that bore a force in the last one, and those that come too near in this one.
    pub fn detect(&mut self, state: &State) {
        self.weigh_constraints();
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
            let asked = if within_cloth { *thickness } else { 0.5 * *thickness } + pair.radius;
            let ends = stencil.points(target);
            // What touches within a flat face touches the face.
            let is_flat = stencil.kind == Kind::EdgeEdge { is_flat: true };
            if gap(pair.normal, ends, stencil.first()) >= asked || is_flat || known.has(&stencil) {
                return;
            }
            let starts = stencil.points(start);
            let nearest = Nearest::of(starts, stencil.first());
            // Most pairs have others to speak for them.
            if !is_representative(surface, &stencil, nearest.weights) {
                return;
            }
            let closest = &ClosestPoints::with_nearest(stencil, starts, &nearest);
            let end = closest.normal.dot(closest.difference(target));
            if end >= asked {
                return;
            }
            let asked = if within_cloth {
                asked.min(REST_DISTANCE * at_rest(closest, rest, asked / REST_DISTANCE))
            } else {
                asked
            };
            if end >= asked || passes_by(closest, start, target, pair.radius, asked) {
                return;
            }
            let anchor = BodyAnchor::of(closest, surface, numbers, body_deltas, start);
            constraints.extend(ContactConstraint::new(
                *closest,
                inverse_masses,
                (anchor, body_deltas),
                asked,
                friction,
            ));
        });
        self.detect_at_walls(&known);
        // In an order that depends on nothing but who touches whom; the old ones are in it since the last step.
        self.scratch.constraints[old..].sort_by_cached_key(ContactConstraint::stencil);
        self.scratch.constraints.sort_by_key(ContactConstraint::stencil);
        for constraint in &mut self.scratch.constraints {
            if let Some(anchor) = constraint.anchor {
                let ways = [&self.scratch.start[..], &self.scratch.target[..]];
                let to = state.bodies[anchor.body as usize].pose;
                let from = self.solids.start_of_body(anchor.body).unwrap_or(to);
                constraint.wall = slip(&constraint.closest, &anchor, ways, [&from, &to]);
            } else if !constraint.closest.stencil.is_at_wall() {
                let ways = [&self.scratch.start[..], &self.scratch.target[..]];
                constraint.wall =
                    scripted_slip(&constraint.closest, &self.prepared.surface, &self.solids, ways);
            }
            if self.law.restitution > 0.0 {
                let speed = constraint.closest.difference(&self.scratch.start_velocities);
                let wall = if constraint.anchor.is_some() { Vec3::ZERO } else { constraint.wall / self.h };
                constraint.approach = constraint.closest.normal.dot(speed - wall);
            }
        }
    }

    /// Weighs the constraints of the last step where their contacts are now, and drops those that can hardly move any more.
    fn weigh_constraints(&mut self) {
        let Prepared { surface, inverse_masses, .. } = self.prepared;
        let Scratch { start, body_deltas, constraints, .. } = &mut *self.scratch;
        let numbers = &self.solids.numbers;
        constraints.retain_mut(|constraint| {
            constraint.anchor = constraint
                .anchor
                .and_then(|_| BodyAnchor::of(&constraint.closest, surface, numbers, body_deltas, start));
            constraint.weigh(inverse_masses, body_deltas);
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
            let asked = normal.dot(point) + 0.5 * *thickness + wall.radius;
            let along = |x: Vec3| wall.carried(x) - x;
            for constraint in
                constraints[..old].iter_mut().filter(|constraint| constraint.is_at_wall(k as u32))
            {
                constraint.asked = asked;
                constraint.wall = along(start[constraint.closest.stencil.vertices[0] as usize]);
            }
            for &v in surface.vertices.iter().filter(|&&v| surface.is_cloth(v)) {
                if normal.dot(target[v as usize]) < asked {
                    let closest = ClosestPoints::wall(v, k as u32, normal);
                    if known.has(&closest.stencil) {
                        continue;
                    }
                    let constraint =
                        ContactConstraint::new(closest, inverse_masses, (None, &[]), asked, friction);
                    constraints.extend(constraint.map(|mut constraint| {
                        constraint.wall = along(start[v as usize]);
                        constraint
                    }));
                }
            }
        }
    }
}

/// The pairs that constraints are already about.
struct Known {
    stencils: Vec<Stencil>,
    /// By the last of their vertices, which few of them share.
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

/// Whether a pair is the one to speak for its contact: points on a side or a corner belong to several.
fn is_representative(surface: &CollisionMesh, stencil: &Stencil, w: [Real; 4]) -> bool {
    if let Kind::VertexTriangle { triangle } = stencil.kind {
        return surface.owns(triangle, [-w[1], -w[2], -w[3]]);
    }
    // Vertices meet triangles, but no triangle stands for a capsule: there edges speak for their ends, too.
    let [a, b, c, d] = stencil.vertices;
    let (edge, ends) = match [a, c].map(|v| surface.is_on_axis(v)) {
        [false, false] => return w.iter().all(|w| *w != 0.0),
        [true, _] => ([c, d], [w[2], w[3]]),
        [false, true] => ([a, b], [w[0], w[1]]),
    };
    match ends.map(|w| w == 0.0) {
        [true, _] => surface.edge_owns(edge, edge[1]),
        [_, true] => surface.edge_owns(edge, edge[0]),
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

/// How much farther than the vertices of a scripted solid its surface moves at a contact, seen from the other part [m]: round
/// solids turn under the cloth.
fn scripted_slip(
    closest: &ClosestPoints,
    surface: &CollisionMesh,
    solids: &Solids,
    [start, target]: [&[Vec3]; 2],
) -> Vec3 {
    let (first, second) = (0..closest.stencil.first(), closest.stencil.first()..4);
    let [ahead, behind] = [0, 3].map(|k| surface.bodies[closest.stencil.vertices[k] as usize]);
    let (part, body, sign) = match (ahead, behind) {
        (CLOTH, CLOTH) => return Vec3::ZERO,
        (CLOTH, body) => (second, body, 1.0),
        (body, _) => (first, body, -1.0),
    };
    let sum = |x: &[Vec3]| -> Vec3 {
        part.clone().map(|k| x[closest.stencil.vertices[k] as usize] * closest.weights[k].abs()).sum()
    };
    // From the core of the solid to its surface, towards the cloth.
    let at_surface = sum(start) + closest.normal * (sign * surface.radii[body as usize]);
    let Some(end) = solids.carried(body as usize - 1, at_surface) else { return Vec3::ZERO };
    (end - at_surface - (sum(target) - sum(start))) * sign
}

/// Whether the parts, when they get to each other's plane, are elsewhere.
fn passes_by(closest: &ClosestPoints, start: &[Vec3], target: &[Vec3], radius: Real, asked: Real) -> bool {
    let (before, after) =
        (closest.distance - radius, closest.normal.dot(closest.difference(target)) - radius);
    let moment = if after <= 0.0 { (before / (before - after)).clamp(0.0, 1.0) } else { 1.0 };
    let points = closest.stencil.vertices.map(|v| start[v as usize].lerp(target[v as usize], moment));
    closest.with_points(points).distance > asked
}
