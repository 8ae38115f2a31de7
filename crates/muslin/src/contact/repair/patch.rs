//! What is to be lifted, and along which directions.

use super::lift::Lift;
use super::{CLEARANCE, Faults, Repair};
use crate::contact::Owner;
use crate::contact::audit::Intersection;
use crate::contact::geometry::intersection::segment_triangle_intersection;
use crate::math::{Real, Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// Mean edges by which a patch is moved because of other cloth at the most: beyond, the start is not repaired.
pub const MOST_EDGES: Real = 10.0;
/// The same beyond the inside of a solid.
const MOST_EDGES_BEYOND: Real = 20.0;

/// Connected particles with the same fault.
#[derive(Debug)]
pub struct Patch {
    /// Ascending.
    pub vertices: Vec<u32>,
    against: Against,
}

/// What a patch is in conflict with.
#[derive(Debug)]
enum Against {
    /// A solid.
    Solid(Owner),
    /// Cloth that cuts it off, and the direction back through it.
    Cut(Vec3),
    /// Cloth that it touches.
    Layer,
}

impl Patch {
    /// Whether it touches cloth, without being cut off by it.
    pub(in crate::contact) fn is_layer(&self) -> bool {
        matches!(self.against, Against::Layer)
    }

    /// Whether any fault involves one of its particles.
    pub(in crate::contact) fn is_involved_in(&self, faults: &Faults) -> bool {
        let has = |v: &u32| self.vertices.binary_search(v).is_ok();
        faults.inside.iter().any(|inside| has(&inside.particle))
            || faults.pairs.iter().any(|pair| pair.first.iter().chain(&pair.second).any(has))
    }
}

/// An edge of the cloth, and a triangle of it that it pierces.
struct Pierced {
    edge: [u32; 2],
    triangle: [u32; 3],
}

impl Repair<'_> {
    /// The patches of all faults, those in solids first.
    pub(in crate::contact) fn patches(&self, x: &[Vec3], faults: &Faults) -> Vec<Patch> {
        let mut patches = self.in_solids(faults);
        let pairs: Vec<Intersection> =
            faults.pairs.iter().copied().filter(|pair| pair.with == Owner::Cloth).collect();
        if !pairs.is_empty() {
            patches.extend(self.cut_off(x, &pairs));
            patches.extend(self.layers(&pairs));
        }
        patches
    }

    fn in_solids(&self, faults: &Faults) -> Vec<Patch> {
        let mut seeds: BTreeMap<Owner, BTreeSet<u32>> = BTreeMap::new();
        for pair in faults.pairs.iter().filter(|pair| pair.with != Owner::Cloth) {
            seeds.entry(pair.with).or_default().extend(pair.first);
        }
        // A thread is the first of its pair, a triangle of a solid the second.
        for inside in &faults.inside {
            seeds.entry(inside.of).or_default().insert(inside.particle);
        }
        let patch = |owner: Owner| move |vertices| Patch { vertices, against: Against::Solid(owner) };
        seeds
            .iter()
            .flat_map(|(&owner, seeds)| self.components_of(seeds).into_iter().map(patch(owner)))
            .collect()
    }

    /// The smaller components of pieces that other cloth cuts off.
    fn cut_off(&self, x: &[Vec3], pairs: &[Intersection]) -> Vec<Patch> {
        let pierced = pierced(x, pairs);
        let cut: BTreeSet<[u32; 2]> = pierced.iter().map(|pierced| pierced.edge).collect();
        let components = self.components(&cut);
        let mut sizes = vec![0_usize; components.len()];
        let mut sizes_of_pieces = sizes.clone();
        for v in 0..components.len() {
            sizes[components[v] as usize] += 1;
            sizes_of_pieces[self.pieces[v] as usize] += 1;
        }
        let is_smaller = |v: u32| {
            2 * sizes[components[v as usize] as usize] <= sizes_of_pieces[self.pieces[v as usize] as usize]
        };
        let mut directions: BTreeMap<u32, Vec3> = BTreeMap::new();
        for Pierced { edge, triangle } in &pierced {
            let [a, b, c] = triangle.map(|v| x[v as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            for [from, to] in [*edge, [edge[1], edge[0]]] {
                let (component, other) = (components[from as usize], components[to as usize]);
                if component != other && is_smaller(from) {
                    let side = normal.dot(x[to as usize] - x[from as usize]).signum();
                    *directions.entry(component).or_default() += normal * side;
                }
            }
        }
        let patch = |(component, direction): (u32, Vec3)| {
            let vertices =
                (0..components.len() as u32).filter(|&v| components[v as usize] == component).collect();
            direction.try_normalize().map(|direction| Patch { vertices, against: Against::Cut(direction) })
        };
        directions.into_iter().filter_map(patch).collect()
    }

    /// Connected triangles that touch others.
    fn layers(&self, pairs: &[Intersection]) -> Vec<Patch> {
        let seeds: BTreeSet<u32> =
            pairs.iter().flat_map(|pair| pair.first.into_iter().chain(pair.second)).collect();
        let components = self.components_of(&seeds).into_iter();
        components.map(|vertices| Patch { vertices, against: Against::Layer }).collect()
    }

    /// The lifts to try for a patch.
    pub(in crate::contact) fn lifts(&self, patch: &Patch, x: &[Vec3]) -> Vec<Lift> {
        match patch.against {
            Against::Solid(owner) => self.lifts_out(&patch.vertices, owner, x),
            Against::Cut(direction) => vec![self.lift_back(&patch.vertices, direction, x)],
            Against::Layer => {
                let own = self.normal(&patch.vertices, x);
                let bounds: Vec<(u32, Real)> = patch.vertices.iter().map(|&v| (v, 0.0)).collect();
                let most = MOST_EDGES * self.mean_edge;
                let directions = [own, -own].into_iter().filter_map(Vec3::try_normalize);
                directions.map(|direction| Lift { direction, bounds: bounds.clone(), most }).collect()
            }
        }
    }

    /// Out of a solid: along its normals in the mean, along those of the cloth, or as the deepest particle would go.
    fn lifts_out(&self, vertices: &[u32], owner: Owner, x: &[Vec3]) -> Vec<Lift> {
        let Some(interior) = self.interiors.iter().find(|interior| interior.owner == owner) else {
            return Vec::new();
        };
        let own = self.normal(vertices, x);
        let touches: Vec<_> = vertices.iter().map(|&v| interior.closest(x[v as usize])).collect();
        let mean = touches.iter().filter(|t| t.distance < 0.0).map(|t| t.normal).sum::<Vec3>();
        let deepest = touches.iter().min_by(|a, b| a.distance.total_cmp(&b.distance));
        let directions = [mean, own, -own, deepest.map_or(Vec3::ZERO, |touch| touch.normal)];
        let lift = |direction: Vec3| {
            let distance = CLEARANCE * 0.5 * self.thickness;
            let bound = |&v: &u32| Some((v, interior.exit_distance(x[v as usize], direction, distance)?));
            let bounds: Vec<(u32, Real)> = vertices.iter().map(bound).collect::<Option<_>>()?;
            let highest = bounds.iter().map(|(_, bound)| *bound).fold(0.0, Real::max);
            Some(Lift { direction, bounds, most: highest + MOST_EDGES_BEYOND * self.mean_edge })
        };
        directions.into_iter().filter_map(Vec3::try_normalize).filter_map(lift).collect()
    }

    /// Back through the cloth that cuts a region off.
    fn lift_back(&self, vertices: &[u32], direction: Vec3, x: &[Vec3]) -> Lift {
        let most = MOST_EDGES * self.mean_edge;
        let is_own = |v: &u32| vertices.binary_search(v).is_ok();
        let others: Vec<[Vec3; 3]> =
            self.triangles().filter(|t| !t.iter().any(is_own)).map(|t| t.map(|v| x[v as usize])).collect();
        let bound = |&v: &u32| {
            let from = x[v as usize];
            let path = [from, from + direction * most];
            let hits = others.iter().filter_map(|t| segment_triangle_intersection(path, *t));
            let first = hits.map(|hit| hit.distance(from)).fold(Real::INFINITY, Real::min);
            (v, if first.is_finite() { first + CLEARANCE * self.thickness } else { 0.0 })
        };
        Lift { direction, bounds: vertices.iter().map(bound).collect(), most }
    }

    /// Sum of the normals of the triangles around some particles, by area.
    pub(in crate::contact) fn normal(&self, vertices: &[u32], x: &[Vec3]) -> Vec3 {
        let chosen: BTreeSet<u32> = vertices.iter().copied().collect();
        let around = self.triangles().filter(|t| t.iter().any(|v| chosen.contains(v)));
        around.map(|t| t.map(|v| x[v as usize])).map(|[a, b, c]| (b - a).cross(c - a)).sum()
    }

    /// Connected components of a set of particles.
    fn components_of(&self, set: &BTreeSet<u32>) -> Vec<Vec<u32>> {
        let (mut left, mut components) = (set.clone(), Vec::new());
        while let Some(first) = left.pop_first() {
            let mut component = vec![first];
            let mut next = 0;
            while let Some(&v) = component.get(next) {
                next += 1;
                component.extend(self.neighbours[v as usize].iter().filter(|w| left.remove(w)));
            }
            component.sort_unstable();
            components.push(component);
        }
        components
    }

    /// For each particle the first one of its component, along edges of the surface that are not cut.
    fn components(&self, cut: &BTreeSet<[u32; 2]>) -> Vec<u32> {
        let mut edges = vec![Vec::new(); self.pieces.len()];
        for edge in
            self.surface.edges.iter().filter(|edge| self.surface.is_cloth(edge[0]) && !cut.contains(*edge))
        {
            edges[edge[0] as usize].push(edge[1]);
            edges[edge[1] as usize].push(edge[0]);
        }
        super::aside::pieces(&edges)
    }
}

/// The edges that pierce triangles, each edge with its lower end first; those that lie in the plane of the triangle do not.
fn pierced(x: &[Vec3], pairs: &[Intersection]) -> Vec<Pierced> {
    let mut found = Vec::new();
    for pair in pairs {
        for (of, triangle) in [(pair.first, pair.second), (pair.second, pair.first)] {
            let [a, b, c] = triangle.map(|v| x[v as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            for [p, q] in [[of[0], of[1]], [of[1], of[2]], [of[2], of[0]]] {
                let edge = [p.min(q), p.max(q)];
                let [from, to] = edge.map(|v| x[v as usize]);
                let is_steep = normal.dot(to - from).abs() > 1e-9 * from.distance(to);
                if is_steep
                    && edge.iter().all(|v| !triangle.contains(v))
                    && segment_triangle_intersection([from, to], [a, b, c]).is_some()
                {
                    found.push(Pierced { edge, triangle });
                }
            }
        }
    }
    found
}
