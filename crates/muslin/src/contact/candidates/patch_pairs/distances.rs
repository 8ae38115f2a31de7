//! Which features of close patches could meet in a step.
//!
//! All features of two patches of two triangles each are measured together, see `patch_lower_bounds.rs`. Of other patches, the pairs are
//! listed first.

use super::{PatchPair, Travel};
use crate::contact::candidates::lower_bounds::{Features, LowerBound, Points};
use crate::contact::candidates::patch_lower_bounds::{self, Eight, FeaturePair};
use crate::contact::closest_points::Candidate;
use crate::contact::mesh::collision_mesh::CollisionMesh;
use crate::contact::mesh::patches::Patches;
use crate::math::{Real, Vec3};
use crate::simd::LANES;
use crate::stencil::Stencil;

/// Pairs that are measured together: so many fit a cache.
const TOGETHER: usize = 512;

/// What distances of patches depend on.
pub struct Measuring<'a> {
    pub surface: &'a CollisionMesh,
    pub patches: &'a Patches,
    pub all: &'a [PatchPair],
    pub travels: &'a [Travel],
    pub reaches: &'a [Real],
    pub points: &'a Points,
}

/// Distances of some pairs of patches.
#[derive(Debug, Default)]
pub struct Measured {
    /// Pairs that could meet in this step.
    pub found: Vec<Candidate>,
    /// For each pair of patches, see [`PatchPairs::dues`].
    pub dues: Vec<Real>,
}

impl Measuring<'_> {
    /// Measures the pairs of some pairs of patches.
    pub fn run(&self, close: &[u32]) -> Measured {
        // About as many as patches that touch in layers have.
        let found = Vec::with_capacity(4 * close.len());
        let mut measured = Measured { found, dues: vec![Real::INFINITY; close.len()] };
        let mut vertices = Batch::new(Features::VertexTriangle);
        let mut edges = Batch::new(Features::EdgeEdge);
        let (mut places, mut whole, mut enough) = (Vec::new(), Vec::new(), Vec::new());
        for (place, &k) in close.iter().enumerate() {
            let patch_pair = &self.all[k as usize];
            if patch_pair.is_whole {
                places.push(place as u32);
                whole.push(patch_pair.patches);
                enough.push(((patch_pair.travel(self.travels).reach + patch_pair.radius) as f32).next_up());
                continue;
            }
            vertices.add(place, |pairs| list_vertices(self.surface, self.patches, patch_pair, pairs));
            if !patch_pair.is_at_ball {
                edges.add(place, |pairs| list_edges(self.surface, self.patches, patch_pair, pairs));
            }
            for batch in [&mut vertices, &mut edges] {
                if batch.pairs.len() >= TOGETHER {
                    self.measure(batch, close, &mut measured);
                }
            }
        }
        for batch in [&mut vertices, &mut edges] {
            self.measure(batch, close, &mut measured);
        }
        patch_lower_bounds::measure(self.points, self.patches, &whole, &enough, |first, eight| {
            for (lane, &place) in places[first..].iter().take(LANES).enumerate() {
                let patch_pair = &self.all[close[place as usize] as usize];
                let least = eight.least_if_large(lane).map_or_else(
                    || self.find_features(patch_pair, eight, lane, enough[first + lane], &mut measured.found),
                    Real::from,
                );
                measured.dues[place as usize] =
                    patch_pair.travel(self.travels).travelled + least - patch_pair.radius;
            }
        });
        measured
    }

    /// Finds the features of two patches, one of eight pairs, that could meet in this step, among those no farther apart than `enough` [m];
    /// returns the least distance [m].
    fn find_features(
        &self,
        patch_pair: &PatchPair,
        eight: &Eight,
        lane: usize,
        enough: f32,
        found: &mut Vec<Candidate>,
    ) -> Real {
        let own = patch_pair.patches.map(|patch| self.patches.own[patch as usize]);
        let mut least = f32::INFINITY;
        for (k, features, bound) in eight.of(lane) {
            let is_own = match features.kind {
                Features::VertexTriangle => own[features.side].has_corner(features.first),
                Features::EdgeEdge => own[0].has_edge(features.first) && own[1].has_edge(features.second),
            };
            if !is_own {
                continue;
            }
            // Not a number where coordinates are too large to tell.
            let distance = if bound.is_nan() { f32::NEG_INFINITY } else { bound };
            least = least.min(distance);
            if distance <= enough {
                let (pair, sign) = self.pair_of(patch_pair.patches, features);
                let [x, y, z] = eight.direction(k, lane).map(|coordinate| coordinate * sign);
                let lower = LowerBound { distance: bound, direction: [x, y, z, 0.0] };
                found.extend(self.could_meet(pair, &lower, patch_pair.radius));
            }
        }
        least.into()
    }

    /// The stencil of two features of two patches, and −1 if they stand in the other order.
    fn pair_of(&self, pair: [u32; 2], features: FeaturePair) -> (Stencil, f32) {
        let [a, b] = [pair[features.side], pair[1 - features.side]].map(|patch| patch as usize);
        let patches = self.patches;
        match features.kind {
            Features::VertexTriangle => {
                let place = patches.triangles.range(b).start + features.second;
                let (vertex, corners) = (patches.corners[a][features.first], patches.triangle_corners[place]);
                let triangle = patches.triangles.of(b)[features.second];
                (Stencil::vertex_triangle(vertex, triangle, corners), 1.0)
            }
            Features::EdgeEdge => {
                let (e, f) = (patches.own[a].edges[features.first], patches.own[b].edges[features.second]);
                let ends = [e, f].map(|edge| self.surface.edges[edge as usize]);
                let ([first, second], sign) = if e < f { (ends, 1.0) } else { ([ends[1], ends[0]], -1.0) };
                (Stencil::edge_edge(first, second, false), sign)
            }
        }
    }

    fn measure(&self, batch: &mut Batch, close: &[u32], measured: &mut Measured) {
        let Batch { kind, pairs, counts, bounds } = batch;
        self.points.at_least(pairs, *kind, bounds);
        let mut start = 0;
        for (place, count) in counts.drain(..) {
            let patch_pair = &self.all[close[place as usize] as usize];
            let travel = patch_pair.travel(self.travels);
            let enough = travel.reach + patch_pair.radius;
            let (mut least, end) = (Real::INFINITY, start + count as usize);
            for (pair, lower) in pairs[start..end].iter().zip(&bounds[start..end]) {
                let bound = known(lower.distance);
                least = least.min(bound);
                if bound <= enough {
                    measured.found.extend(self.could_meet(*pair, lower, patch_pair.radius));
                }
            }
            let due = &mut measured.dues[place as usize];
            *due = due.min(travel.travelled + least - patch_pair.radius);
            start = end;
        }
        pairs.clear();
    }

    /// A pair, if it could meet in this step.
    #[inline]
    fn could_meet(&self, stencil: Stencil, lower: &LowerBound, radius: Real) -> Option<Candidate> {
        let farthest =
            |feature: &[u32]| feature.iter().map(|&v| self.reaches[v as usize]).fold(0.0, Real::max);
        let (ahead, behind) = stencil.vertices.split_at(stencil.first());
        let distance = known(lower.distance);
        if distance - radius > farthest(ahead) + farthest(behind) {
            return None;
        }
        let [x, y, z, _] = lower.direction.map(Real::from);
        let normal = Vec3::new(x, y, z).normalize_or_zero();
        Some(Candidate { stencil, normal, distance, radius })
    }
}

/// Pairs that are measured together.
#[derive(Debug)]
struct Batch {
    kind: Features,
    pairs: Vec<Stencil>,
    /// Numbers of pairs of patches, and how many pairs each has here.
    counts: Vec<(u32, u32)>,
    bounds: Vec<LowerBound>,
}

impl Batch {
    fn new(kind: Features) -> Self {
        Self { kind, pairs: Vec::new(), counts: Vec::new(), bounds: Vec::new() }
    }

    fn add(&mut self, place: usize, list: impl FnOnce(&mut Vec<Stencil>)) {
        let start = self.pairs.len();
        list(&mut self.pairs);
        self.counts.push((place as u32, (self.pairs.len() - start) as u32));
    }
}

/// Lists the vertices of each of two patches, or of one, with the triangles of the other.
fn list_vertices(
    surface: &CollisionMesh,
    patches: &Patches,
    patch_pair: &PatchPair,
    pairs: &mut Vec<Stencil>,
) {
    let [a, b] = patch_pair.patches.map(|patch| patch as usize);
    let both = [[a, b], [b, a]];
    for [of, at] in both.into_iter().take(if a == b { 1 } else { 2 }) {
        let triangles =
            patches.triangles.of(at).iter().zip(&patches.triangle_corners[patches.triangles.range(at)]);
        for &v in patches.vertices.of(of) {
            for (&triangle, &corners) in triangles.clone() {
                if patch_pair.is_plain || surface.can_touch(v, triangle) {
                    pairs.push(Stencil::vertex_triangle(v, triangle, corners));
                }
            }
        }
    }
}

/// Lists the edges of a patch with those of another, or of its own.
fn list_edges(surface: &CollisionMesh, patches: &Patches, patch_pair: &PatchPair, pairs: &mut Vec<Stencil>) {
    let [first, second] = patch_pair.patches.map(|patch| {
        let range = patches.edges.range(patch as usize);
        patches.edges.of(patch as usize).iter().zip(&patches.edge_ends[range])
    });
    let is_one = patch_pair.patches[0] == patch_pair.patches[1];
    for (&e, &ends) in first {
        for (&f, &others) in second.clone() {
            if !patch_pair.is_plain && (is_one && e >= f || !surface.can_edges_touch(e, f)) {
                continue;
            }
            let is_flat = !patch_pair.is_plain && (surface.is_flat(e) || surface.is_flat(f));
            let [first, second] = if e < f { [ends, others] } else { [others, ends] };
            pairs.push(Stencil::edge_edge(first, second, is_flat));
        }
    }
}

/// A lower bound, if it is known: it is not a number where coordinates are too large to tell.
pub fn known(bound: f32) -> Real {
    if bound.is_nan() { Real::NEG_INFINITY } else { bound.into() }
}
