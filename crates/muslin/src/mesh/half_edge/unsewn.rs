//! Panels that lie border to border, but are not joined.

use super::{HalfEdgeMesh, Kind};
use crate::math::{Real, Vec3};
use std::collections::BTreeMap;

/// Distance within which border vertices are at the same place, as a part of the mean edge: far above the rounding of a file's
/// seven digits within an edge, far below what anybody models.
const SAME_PLACE: Real = 1e-6;

/// Border vertices at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsewn {
    /// Number of pairs.
    pub pairs: usize,
    /// The particles of the first of them.
    pub first: [u32; 2],
}

impl HalfEdgeMesh {
    /// Pairs of border vertices that stand for different particles at the same place, within a millionth of the mean edge; none if there
    /// are no such pairs. Positions are those of particles [m].
    pub fn unsewn_borders(&self, positions: &[Vec3]) -> Option<Unsewn> {
        let at = |particle: u32| positions[particle as usize];
        let particles = |h: u32| [self.origin(h), self.target(h)].map(|vertex| self.particle(vertex));
        let edges = (0..self.half_edges.len() as u32).step_by(2).filter(|&h| self.has_half_edge(h));
        let lengths: Real = edges.map(particles).map(|[a, b]| at(a).distance(at(b))).sum();
        let reach = SAME_PLACE * lengths / self.counts.edges.max(1) as Real;
        let mut border: Vec<u32> = self
            .loops_of(Kind::Border)
            .flat_map(|face| self.corners(face))
            .map(|vertex| self.particle(vertex))
            .collect();
        border.sort_unstable();
        border.dedup();
        // Cells a reach wide: what is nearer than that lies in cells next to each other.
        let cell = |x: Vec3| (x / reach).to_array().map(|c| c.floor() as i64);
        let mut cells: BTreeMap<[i64; 3], Vec<u32>> = BTreeMap::new();
        let mut found: Option<Unsewn> = None;
        for &particle in border.iter().filter(|_| reach > 0.0) {
            let [i, j, k] = cell(at(particle));
            let (low, high) = (|c: i64| c.saturating_sub(1), |c: i64| c.saturating_add(1));
            for [x, y] in (low(i)..=high(i)).flat_map(|x| (low(j)..=high(j)).map(move |y| [x, y])) {
                let near = cells.range([x, y, low(k)]..=[x, y, high(k)]).flat_map(|(_, list)| list);
                for &other in near.filter(|&&other| at(other).distance(at(particle)) <= reach) {
                    let unsewn = found.get_or_insert(Unsewn { pairs: 0, first: [other, particle] });
                    unsewn.pairs += 1;
                }
            }
            cells.entry([i, j, k]).or_default().push(particle);
        }
        found
    }
}
