//! Twins at their birth: where a vertex was split, two particles are at one place, and contact would hold both there.
//!
//! ```text
//! x −= w s m′/(m + m′),  x′ += w s m/(m + m′)      the centre of mass stays, and with equal velocities both momenta
//! w    from one side's faces to the other's         s = 4, 8, … 64 least gaps
//! ```
//!
//! Taken is the first place at which nothing intersects that did not before, and pairs of a feature at one twin with a feature at the
//! other are two least gaps apart.

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
    /// Moves twins apart, without more intersections than there were; whether it could.
    pub fn separate_twins(
        &mut self,
        model: &Model,
        state: &mut State,
        twins: [u32; 2],
        intersections: usize,
    ) -> bool {
        let least = LEAST_GAP * self.prepared.thickness;
        let sides = twins.map(|twin| self.triangles_at(twin));
        let masses = twins.map(|twin| model.inverse_masses[twin as usize]);
        let sum = masses[0] + masses[1];
        if sum == 0.0 {
            return false; // both are held
        }
        let start = twins.map(|twin| state.positions[twin as usize]);
        for direction in directions(&sides, twins, &state.positions) {
            for distance in DISTANCES {
                for (k, sign) in [-1.0, 1.0].into_iter().enumerate() {
                    let way = direction * (sign * distance * least * masses[k] / sum);
                    state.positions[twins[k] as usize] = start[k] + way;
                }
                if gap(&sides, twins, &state.positions) >= GAP * least
                    && self.intersections(state).len() <= intersections
                {
                    for twin in twins {
                        let (p, memory) = (twin as usize, &mut state.contact);
                        if let Some(end) = memory.end_positions.get_mut(p) {
                            *end = state.positions[p];
                        }
                    }
                    return true;
                }
            }
        }
        for (twin, start) in twins.into_iter().zip(start) {
            state.positions[twin as usize] = start;
        }
        false
    }

    /// The triangles at a vertex.
    fn triangles_at(&self, vertex: u32) -> Vec<[u32; 3]> {
        let triangles = self.prepared.surface.triangles.iter();
        triangles.filter(|triangle| triangle.contains(&vertex)).copied().collect()
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
