//! Fold-free cloth cannot meet itself, and none of its pairs is a candidate.
//!
//! Around a vertex the cloth at rest is laid out flat over a convex region. Q projects space on a plane, J is the gradient of the
//! positions over the layout. Then for any two points of the region
//!
//! ```text
//! (b − a)·(Q x(b) − Q x(a)) = ∫ (b − a)·Q J (b − a) ≥ λ |b − a|²        λ: least eigenvalue of ½ (Q J + Jᵀ Qᵀ)
//! ```
//!
//! so that while λ ≥ ε > 0 in all its triangles no two features of it come nearer than ε times their distance in the layout
//! [the criterion of Noshiro 1934 and Warschawski 1935 for one-to-one functions]. ε is chosen such that there is no
//! contact within it either.
//!
//! J is linear in the positions. λ is measured once; as long as no triangle's J strays from there by more than λ − ε the region
//! stays certified, at the ends of a straight path as at every moment in between.

mod eigenvalues;
mod known;
mod layout;

use crate::contact::mesh::collision_mesh::CollisionMesh;
use crate::contact::mesh::{adjacency::Adjacency, patches::Patches};
use crate::contact::settings::LEAST_SLACK;
use crate::math::{Real, Vec3};
use eigenvalues::Eigenvalues;
use known::KnownLayouts;
use layout::Plan;

/// Regions of the cloth and which of them are certified fold-free.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FoldFree {
    regions: Vec<Region>,
    /// Triangles of each region.
    triangles_of: Adjacency,
    /// Regions of each triangle.
    regions_of: Adjacency,
    triangles: Vec<Triangle>,
    eigenvalues: Eigenvalues,
    /// What the regions were made of, to make only those again that an edit of the surface changes.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) known: KnownLayouts,
    /// Whether the region around each vertex is fold-free.
    around: Vec<bool>,
    /// λ − ε of each region, in terms of the strays of triangles.
    slacks: Vec<Real>,
    /// How far each triangle would stray, where λ is measured.
    strays: Vec<Real>,
}

/// A region around a vertex.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Region {
    vertex: u32,
    /// ε.
    least: Real,
    /// How much larger a triangle's stray can be in the layout.
    lift: Real,
}

/// A triangle of the cloth.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Triangle {
    corners: [u32; 3],
    /// The inverse of its edges at rest in its own plane, by rows, without the zero [1/m].
    inverse: [Real; 3],
    /// Edges when λ was measured [m].
    edges: [Vec3; 2],
    /// How far J may stray.
    budget: Real,
}

impl Triangle {
    /// Whether J is within its budget, if it has one.
    #[inline]
    fn is_within_budget(&self, x: &[Vec3]) -> bool {
        self.budget == Real::INFINITY || self.stray_squared(x) <= self.budget * self.budget
    }

    /// |J − J when λ was measured|.
    #[inline]
    fn stray(&self, x: &[Vec3]) -> Real {
        self.stray_squared(x).sqrt()
    }

    #[inline]
    fn stray_squared(&self, x: &[Vec3]) -> Real {
        let [d, e] = edges(self.corners, x);
        let (d, e) = (d - self.edges[0], e - self.edges[1]);
        let [p, q, r] = self.inverse;
        (d * p).length_squared() + (d * q + e * r).length_squared()
    }
}

#[inline]
fn edges([a, b, c]: [u32; 3], x: &[Vec3]) -> [Vec3; 2] {
    let c = x[c as usize];
    [x[a as usize] - c, x[b as usize] - c]
}

impl FoldFree {
    /// Regions of a surface's cloth around every vertex, wide enough for any two patches that meet there; at rest its vertices
    /// are at x, and features of it respond to contact below a distance of `thickness`, or of `at_rest` times that at rest [m].
    /// Those that were before the surface was edited are taken over.
    #[must_use]
    pub fn of(
        surface: &CollisionMesh,
        patches: &Patches,
        x: &[Vec3],
        [thickness, at_rest]: [Real; 2],
        before: &Self,
    ) -> Self {
        let count = surface.triangles.partition_point(|t| surface.is_cloth(t[0]));
        let mut fold_free = Self {
            triangles: surface.triangles[..count]
                .iter()
                .map(|&corners| at_rest_triangle(corners, x))
                .collect(),
            around: vec![false; surface.bodies.len()],
            strays: vec![0.0; count],
            ..Self::default()
        };
        let known = before.known.renewed(&Plan::new(surface, x), patches);
        let mut layouts = Vec::new();
        for (vertex, layout) in known.layouts() {
            let least = (thickness / layout.altitude).min(at_rest);
            fold_free.regions.push(Region { vertex, least, lift: layout.lift });
            fold_free.triangles_of.push(layout.triangles.iter().copied());
            layouts.push(layout);
        }
        fold_free.eigenvalues = Eigenvalues::of(&layouts);
        fold_free.regions_of = fold_free.triangles_of.inverted(count);
        fold_free.known = known;
        fold_free
    }

    /// No regions, but what may outlive an edit of the surface.
    #[must_use]
    pub fn for_edit(&self) -> Self {
        Self { known: self.known.clone(), ..Self::default() }
    }

    /// Revokes all certificates.
    pub fn clear(&mut self) {
        self.around.fill(false);
        self.triangles.iter_mut().for_each(|triangle| triangle.budget = Real::INFINITY);
    }

    /// Certifies the regions that are fold-free at x, and stay so on the straight path to y.
    pub fn find(&mut self, x: &[Vec3], y: &[Vec3]) {
        self.clear();
        let Self { regions, triangles_of, triangles, around, slacks, strays, eigenvalues, .. } = self;
        for (triangle, stray) in triangles.iter_mut().zip(strays.iter_mut()) {
            triangle.edges = edges(triangle.corners, x);
            *stray = triangle.stray(y);
        }
        eigenvalues.least(triangles.iter().map(|triangle| triangle.edges), slacks, regions.len());
        for (k, (region, slack)) in regions.iter().zip(slacks.iter_mut()).enumerate() {
            let leaves = triangles_of.of(k);
            *slack = (*slack - region.least) / region.lift;
            let strays = leaves.iter().map(|&t| strays[t as usize]);
            if *slack >= LEAST_SLACK / region.lift && strays.fold(0.0, Real::max) <= *slack {
                around[region.vertex as usize] = true;
                for &t in leaves {
                    let budget = &mut triangles[t as usize].budget;
                    *budget = budget.min(*slack);
                }
            }
        }
    }

    /// Revokes the regions that would not be fold-free at x; appends the vertices in their middles.
    pub fn revoke(&mut self, x: &[Vec3], folded: &mut Vec<u32>) {
        let Self { regions, triangles, around, slacks, regions_of, .. } = self;
        for (t, triangle) in
            triangles.iter_mut().enumerate().filter(|(_, triangle)| !triangle.is_within_budget(x))
        {
            let stray = triangle.stray(x);
            triangle.budget = Real::INFINITY;
            for &region in regions_of.of(t) {
                let (vertex, slack) = (regions[region as usize].vertex, slacks[region as usize]);
                if !around[vertex as usize] {
                    continue;
                }
                if stray <= slack {
                    triangle.budget = triangle.budget.min(slack);
                } else {
                    around[vertex as usize] = false;
                    folded.push(vertex);
                }
            }
        }
    }

    /// Whether all certified regions are fold-free at x, too, and on straight paths to other such positions. Only these vertices have
    /// left the paths for which that is known.
    pub fn is_still_valid(&self, x: &[Vec3], left_straight_path: &[bool]) -> bool {
        let is_checked =
            |triangle: &&Triangle| triangle.corners.iter().any(|&v| left_straight_path[v as usize]);
        self.triangles.iter().filter(is_checked).all(|triangle| triangle.is_within_budget(x))
    }

    /// Of the corners of a patch, those in the middle of a fold-free region; `u32::MAX` for the others. Two patches that have
    /// one of these in common lie in such a region; see [`share`].
    #[inline]
    pub fn middles(&self, corners: [u32; 4]) -> [u32; 4] {
        corners.map(|v| if self.around[v as usize] { v } else { u32::MAX })
    }
}

/// Whether some vertices are corners of a patch.
#[inline]
#[allow(clippy::needless_bitwise_bool, reason = "answers come out at random: cheaper without branches")]
pub fn share(middles: [u32; 4], corners: [u32; 4]) -> bool {
    let is_corner = |v: u32| corners.iter().fold(false, |found, &corner| found | (corner == v));
    middles.iter().fold(false, |found, &v| found | is_corner(v))
}

fn at_rest_triangle(corners: [u32; 3], x: &[Vec3]) -> Triangle {
    let edges = edges(corners, x);
    // In an orthonormal basis of its plane, d = (|d|, 0) and e = (along, height).
    let [d, e] = edges;
    let length = d.length();
    let along = e.dot(d) / length;
    let height = d.cross(e).length() / length;
    Triangle {
        corners,
        inverse: [1.0 / length, -along / (length * height), 1.0 / height],
        edges,
        budget: Real::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, Resolution, Sheet, Surroundings};
    use crate::contact::closest_points::ClosestPoints;
    use crate::stencil::Stencil;
    use proptest::prelude::*;

    const SIDE: usize = 6;
    const THICKNESS: Real = 0.02;

    /// A sheet of cells of 0.1 m.
    fn sheet() -> (CollisionMesh, Patches, Vec<Vec3>) {
        let mut builder = Builder::default();
        let size = 0.1 * (SIDE - 1) as Real;
        let resolution = Resolution::Particles([SIDE; 2]);
        builder.add_sheet(&Sheet { size: [size; 2], resolution, ..Sheet::default() }).unwrap();
        let (model, state) = builder.finish(&Surroundings::default()).unwrap();
        let surface = CollisionMesh::of(&model, &[]);
        let patches = Patches::of(&surface, &state.positions);
        (surface, patches, state.positions)
    }

    /// Every pair of features that two patches have, or one has with itself.
    fn pairs(surface: &CollisionMesh, patches: &Patches, a: usize, b: usize) -> Vec<([u32; 4], usize)> {
        let mut pairs = Vec::new();
        for [of, at] in [[a, b], [b, a]] {
            for (&v, &t) in patches
                .vertices
                .of(of)
                .iter()
                .flat_map(|v| patches.triangles.of(at).iter().map(move |t| (v, t)))
            {
                let [i, j, k] = surface.triangles[t as usize];
                if surface.can_touch(v, t) {
                    pairs.push(([v, i, j, k], 1));
                }
            }
        }
        for (&e, &f) in
            patches.edges.of(a).iter().flat_map(|e| patches.edges.of(b).iter().map(move |f| (e, f)))
        {
            if surface.can_edges_touch(e, f) {
                let ([i, j], [k, l]) = (surface.edges[e as usize], surface.edges[f as usize]);
                pairs.push(([i, j, k, l], 2));
            }
        }
        pairs
    }

    #[test]
    fn a_flat_sheet_is_fold_free_and_a_creased_one_is_not_at_the_crease() {
        let (surface, patches, rest) = sheet();
        let mut fold_free = FoldFree::of(&surface, &patches, &rest, [THICKNESS, 0.8], &FoldFree::default());
        fold_free.find(&rest, &rest);
        assert!(fold_free.around.iter().all(|around| *around));
        assert!(fold_free.is_still_valid(&rest, &[true; SIDE * SIDE]));
        // Turned over along a line, flat on itself but for a small gap.
        let folded: Vec<Vec3> = rest
            .iter()
            .map(|x| if x.x > 0.25 { Vec3::new(0.5 - x.x, x.y, x.z + 0.01) } else { *x })
            .collect();
        assert!(!fold_free.is_still_valid(&folded, &[true; SIDE * SIDE]));
        fold_free.find(&folded, &folded);
        for (v, x) in rest.iter().enumerate() {
            assert_eq!(fold_free.around[v], !(0.15..0.35).contains(&x.x), "{x}");
        }
        // Shrunk to a line, or to a point.
        for shrunk in [Vec3::X, Vec3::ZERO] {
            let shrunk: Vec<Vec3> = rest.iter().map(|x| *x * shrunk).collect();
            fold_free.find(&shrunk, &shrunk);
            assert!(fold_free.around.iter().all(|around| !*around));
        }
        // On the path to the crease no region there is certified, either.
        fold_free.find(&rest, &folded);
        assert!(fold_free.around.iter().any(|around| *around));
        assert!(
            fold_free.is_still_valid(&folded, &[true; SIDE * SIDE])
                && fold_free.is_still_valid(&rest, &[true; SIDE * SIDE])
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 2 } else { 300 }, ..ProptestConfig::default() })]
        /// A sheet bent and shaken at random: where it is certified its features keep their distance, there and on the path to
        /// other positions that are still valid.
        #[test]
        fn features_of_fold_free_cloth_keep_their_distance(
            bend in 0.0..25.0f64,
            shake in 0.0..0.06f64,
            further in 0.0..0.05f64,
            revoke in any::<bool>(),
            shifts in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 2 * SIDE * SIDE),
        ) {
            let (surface, patches, rest) = sheet();
            let mut fold_free = FoldFree::of(&surface, &patches, &rest, [THICKNESS, 0.8], &FoldFree::default());
            let shift = |k: usize, size: Real| Vec3::from(shifts[k]) * size;
            let bent = |k: usize, x: Vec3| {
                // Rolled up, onto itself where tight.
                let (sin, cos) = (bend * x.x).sin_cos();
                let radius = 1.0 / (bend + 1e-3);
                Vec3::new(radius * sin, x.y, radius * (1.0 - cos)) + shift(k, shake)
            };
            let start: Vec<Vec3> = rest.iter().enumerate().map(|(k, x)| bent(k, *x)).collect();
            let end: Vec<Vec3> =
                start.iter().enumerate().map(|(k, x)| *x + shift(SIDE * SIDE + k, further)).collect();
            if revoke {
                // Certified where it starts, then checked at the end.
                fold_free.find(&start, &start);
                fold_free.revoke(&end, &mut Vec::new());
            } else {
                fold_free.find(&start, &end);
            }
            prop_assert!([&start, &end].iter().all(|x| fold_free.is_still_valid(x, &[true; SIDE * SIDE])));
            for fraction in [0.0, 0.3, 0.7, 1.0] {
                let x: Vec<Vec3> = start.iter().zip(&end).map(|(a, b)| a.lerp(*b, fraction)).collect();
                for a in 0..patches.corners.len() {
                    for b in (a..patches.corners.len()).filter(|&b| share(fold_free.middles(patches.corners[a]), patches.corners[b])) {
                        for (vertices, first) in pairs(&surface, &patches, a, b) {
                            let distance = |x: &[Vec3]| ClosestPoints::of(Stencil::of_first(vertices, first), x).distance;
                            let least = THICKNESS.min(0.8 * distance(&rest));
                            prop_assert!(distance(&x) >= least * (1.0 - 1e-9));
                        }
                    }
                }
            }
        }
    }
}
