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
use super::mesh::adjacency::Adjacency;
use super::settings::LEAST_GAP;
use crate::math::{Real, Vec3};
use crate::mesh::bounds;
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
        let reach = DISTANCES[DISTANCES.len() - 1] * LEAST_GAP * self.prepared.thickness;
        let nearby = Nearby::of(&self.prepared.surface.triangles, &x, pairs, reach);
        for (number, &twins) in pairs.iter().enumerate() {
            let near = nearby.triangles(&x, twins);
            let as_one = |one: &[u32]| {
                near.iter().map(|triangle| triangle.map(|v| one[v as usize])).collect::<Vec<_>>()
            };
            let merged = as_one(&one);
            one[twins[1] as usize] = twins[1];
            let split = as_one(&one);
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
}

/// Up to so many pairs it is cheaper to look at all triangles for each.
const FEW: usize = 8;

/// Finds the triangles in the surroundings of twins; for many pairs, in the order along an axis.
struct Nearby<'a> {
    triangles: &'a [[u32; 3]],
    /// How far twins may get in one separation, and in all that a vertex is in [m].
    reach: Real,
    farthest: Real,
    axis: usize,
    /// Where triangles begin along the axis [m], sorted, with their numbers; none for few pairs.
    starts: Vec<(Real, u32)>,
    /// The longest of them along the axis [m].
    longest: Real,
    at_vertices: Adjacency,
}

impl<'a> Nearby<'a> {
    fn of(triangles: &'a [[u32; 3]], x: &[Vec3], pairs: &[[u32; 2]], reach: Real) -> Self {
        let starts = Vec::new();
        let at_vertices = Adjacency::default();
        let mut nearby = Self { triangles, reach, farthest: 0.0, axis: 0, starts, longest: 0.0, at_vertices };
        if pairs.len() <= FEW {
            return nearby;
        }
        let mut times = vec![0u32; x.len()];
        pairs.iter().flatten().for_each(|&v| times[v as usize] += 1);
        nearby.farthest = reach * Real::from(times.iter().copied().max().unwrap_or(0));
        let [low, high] = bounds(x);
        let extent = (high - low).to_array();
        nearby.axis = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b])).unwrap_or(0);
        for (number, triangle) in (0..).zip(triangles) {
            let along = triangle.map(|v| x[v as usize][nearby.axis]);
            let (start, end) = (
                along.into_iter().fold(Real::INFINITY, Real::min),
                along.into_iter().fold(Real::NEG_INFINITY, Real::max),
            );
            nearby.starts.push((start, number));
            nearby.longest = nearby.longest.max(end - start);
        }
        nearby.starts.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        nearby.at_vertices =
            Adjacency::inverse(triangles.as_flattened(), x.len(), |corner| corner as u32 / 3);
        nearby
    }

    /// The triangles that reach into the surroundings of a pair of twins, in their order.
    fn triangles(&self, x: &[Vec3], twins: [u32; 2]) -> Vec<[u32; 3]> {
        let at = |triangle: &[u32; 3]| triangle.map(|v| x[v as usize]);
        let all = self.triangles;
        let overlaps = |triangle: &&[u32; 3], room: &Aabb| Aabb::of_points(at(triangle), 0.0).overlaps(room);
        if self.starts.is_empty() {
            let star = all.iter().filter(|triangle| twins.iter().any(|twin| triangle.contains(twin)));
            let room = Aabb::of_points(star.flat_map(at), self.reach);
            return all.iter().filter(|triangle| overlaps(triangle, &room)).copied().collect();
        }
        let star = twins.iter().flat_map(|&twin| self.at_vertices.of(twin as usize));
        let corners = || star.clone().flat_map(|&t| at(&all[t as usize]));
        let room = Aabb::of_points(corners(), self.reach);
        let along = corners().map(|corner| corner[self.axis]);
        let (low, high) =
            along.fold((Real::INFINITY, Real::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        // Since the order was made both these and others may have moved.
        let margin = self.reach + 2.0 * self.farthest;
        let first = self.starts.partition_point(|start| start.0 < low - margin - self.longest);
        let last = self.starts.partition_point(|start| start.0 <= high + margin);
        let mut near: Vec<u32> = self.starts[first..last].iter().map(|start| start.1).collect();
        near.retain(|&t| overlaps(&&all[t as usize], &room));
        near.sort_unstable();
        near.into_iter().map(|t| all[t as usize]).collect()
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
