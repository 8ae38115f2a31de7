//! Twins at their birth: where a vertex was split, two particles are at one place, and contact would hold both there.
//!
//! ```text
//! x −= w s m′/(m + m′),  x′ += w s m/(m + m′)      the centre of mass stays, and with equal velocities both momenta
//! w    from one side's faces to the other's         s = 4, 8, … 64 least gaps
//! ```
//!
//! Taken is the first place at which nothing intersects that did not before, and pairs of a feature at one twin with a feature at the
//! other are two least gaps apart.

use super::audit::intersections_of;
use super::broad_phase::Aabb;
use super::contacts::Contacts;
use super::geometry::distance::{blend, point_triangle, segment_segment};
use super::settings::LEAST_GAP;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::state::State;

/// Distances to try, and the gap to have after it [least gaps]: at one least gap contact has no room to move in.
const DISTANCES: [Real; 5] = [4.0, 8.0, 16.0, 32.0, 64.0];
const GAP: Real = 2.0;

impl Contacts {
    /// Moves twins apart, pair after pair, without more intersections than there were; or the first pair for which there is no
    /// room. A pair that waits for its turn counts as one vertex still.
    pub fn separate_twins(
        &mut self,
        model: &Model,
        state: &mut State,
        pairs: &[[u32; 2]],
    ) -> Result<(), usize> {
        let mut x = self.vertices(state);
        let mut one: Vec<u32> = (0..x.len() as u32).collect();
        for &[vertex, twin] in pairs {
            one[twin as usize] = vertex;
        }
        for (number, &twins) in pairs.iter().enumerate() {
            let merged = self.triangles_as(&one, &x, twins);
            one[twins[1] as usize] = twins[1];
            let split = self.triangles_as(&one, &x, twins);
            if !self.separate(model, &mut x, twins, [&merged, &split]) {
                return Err(number);
            }
        }
        state.positions.copy_from_slice(&x[..model.len()]);
        for &p in pairs.iter().flatten() {
            if let Some(end) = state.contact.end_positions.get_mut(p as usize) {
                *end = state.positions[p as usize];
            }
        }
        Ok(())
    }

    /// Moves one pair of twins apart, given the triangles around before and after the split; whether it could.
    fn separate(
        &self,
        model: &Model,
        x: &mut [Vec3],
        twins: [u32; 2],
        [merged, split]: [&[[u32; 3]]; 2],
    ) -> bool {
        let least = LEAST_GAP * self.prepared.thickness;
        let at = |twin: u32| split.iter().filter(|triangle| triangle.contains(&twin)).copied().collect();
        let sides: [Vec<[u32; 3]>; 2] = twins.map(at);
        let masses = twins.map(|twin| model.inverse_masses[twin as usize]);
        let sum = masses[0] + masses[1];
        if sum == 0.0 {
            return false; // both are held
        }
        let before = self.faults_of(merged, x, twins);
        let start = twins.map(|twin| x[twin as usize]);
        for direction in directions(&sides, twins, x) {
            for distance in DISTANCES {
                for (k, sign) in [-1.0, 1.0].into_iter().enumerate() {
                    let way = direction * (sign * distance * least * masses[k] / sum);
                    x[twins[k] as usize] = start[k] + way;
                }
                if gap(&sides, twins, x) >= GAP * least && self.faults_of(split, x, twins) <= before {
                    return true;
                }
            }
        }
        for (twin, start) in twins.into_iter().zip(start) {
            x[twin as usize] = start;
        }
        false
    }

    /// How many intersections some triangles have among themselves and with solids, and how many of two vertices lie below planes.
    fn faults_of(&self, triangles: &[[u32; 3]], x: &[Vec3], vertices: [u32; 2]) -> usize {
        let below = |v: u32| self.solids.walls.iter().filter(|wall| wall.is_below(x[v as usize])).count();
        intersections_of(&self.prepared.surface, triangles, x).len()
            + vertices.map(below).iter().sum::<usize>()
    }

    /// The triangles that reach into the surroundings of a pair of twins, where some vertices are one.
    fn triangles_as(&self, one: &[u32], x: &[Vec3], twins: [u32; 2]) -> Vec<[u32; 3]> {
        let at = |triangle: &[u32; 3]| triangle.map(|v| x[v as usize]);
        let all = &self.prepared.surface.triangles;
        let star = all.iter().filter(|triangle| twins.iter().any(|twin| triangle.contains(twin)));
        let reach = DISTANCES[DISTANCES.len() - 1] * LEAST_GAP * self.prepared.thickness;
        let room = Aabb::of_points(star.flat_map(at), reach);
        let near = all.iter().filter(|triangle| Aabb::of_points(at(triangle), 0.0).overlaps(&room));
        near.map(|triangle| triangle.map(|v| one[v as usize])).collect()
    }
}

/// Directions from the first twin to the second to try: from side to side, into each side, and into each triangle.
fn directions(sides: &[Vec<[u32; 3]>; 2], twins: [u32; 2], x: &[Vec3]) -> Vec<Vec3> {
    // The bisector of a triangle at the twin, times its angle there.
    let into = |triangle: &[u32; 3], twin: u32| {
        let others = triangle.iter().filter(|&&corner| corner != twin);
        let sides: Vec<Vec3> =
            others.map(|&corner| (x[corner as usize] - x[twin as usize]).normalize_or_zero()).collect();
        let bisector = (sides[0] + sides[1]).normalize_or_zero();
        bisector * sides[0].dot(sides[1]).clamp(-1.0, 1.0).acos()
    };
    let side = |k: usize| sides[k].iter().map(|triangle| into(triangle, twins[k])).sum::<Vec3>();
    let whole = [side(1) - side(0), side(1), -side(0)];
    let single = |k: usize, sign: Real| sides[k].iter().map(move |triangle| into(triangle, twins[k]) * sign);
    let all = whole.into_iter().chain(single(1, 1.0)).chain(single(0, -1.0));
    all.filter_map(Vec3::try_normalize).collect()
}

/// The least distance of a feature at one twin from a feature at the other that has no vertex in common with it [m].
fn gap(sides: &[Vec<[u32; 3]>; 2], twins: [u32; 2], x: &[Vec3]) -> Real {
    let at = |vertex: u32| x[vertex as usize];
    let edges = |k: usize| {
        let corners = sides[k].iter().flatten().copied().filter(|&corner| corner != twins[k]);
        corners.collect::<std::collections::BTreeSet<u32>>()
    };
    let mut least = Real::INFINITY;
    for k in 0..2 {
        let vertex = at(twins[1 - k]);
        for triangle in &sides[k] {
            let corners = triangle.map(at);
            least = least.min(vertex.distance(blend(corners, point_triangle(vertex, corners))));
        }
    }
    let (ones, others) = (edges(0), edges(1));
    for &one in &ones {
        for &other in others.iter().filter(|&&other| other != one) {
            let (a, b) = ([at(twins[0]), at(one)], [at(twins[1]), at(other)]);
            let [s, t] = segment_segment(a, b);
            least = least.min(a[0].lerp(a[1], s).distance(b[0].lerp(b[1], t)));
        }
    }
    least
}
