//! Where the cloth is not folded it cannot meet itself, and no pair need be looked at.
//!
//! Around a vertex the cloth at rest is laid out flat over a convex region. Q projects space on a plane, J is the gradient of the
//! positions over the layout. Then for any two points of the region
//!
//! ```text
//! (b − a)·(Q x(b) − Q x(a)) = ∫ (b − a)·Q J (b − a) ≥ λ |b − a|²        λ: least eigenvalue of ½ (Q J + Jᵀ Qᵀ)
//! ```
//!
//! so that while λ ≥ ε > 0 in all its triangles no two parts of it come nearer than ε times their distance in the layout
//! [the criterion of Noshiro 1934 and Warschawski 1935 for one-to-one functions]. ε is chosen such that no contact within
//! it would be answered either.
//!
//! J is linear in the positions. λ is measured once; as long as no triangle's J strays from there by more than λ − ε it stays
//! good, at the ends of a straight way as at every moment of it.

mod layout;

use super::surface::Surface;
use super::tiles::Tiles;
use crate::math::{Real, Vec3};
use layout::Plan;

/// Least λ − ε of regions that count: those with less would not for long.
const LEAST_SLACK: Real = 0.1;

/// Regions of the cloth and which of them are unfolded.
#[derive(Clone, Debug, Default)]
pub struct Unfolded {
    regions: Vec<Region>,
    leaves: Vec<Leaf>,
    triangles: Vec<Triangle>,
    /// Whether the region around each vertex is unfolded.
    around: Vec<bool>,
    /// λ − ε of each region, in terms of the strays of triangles.
    slacks: Vec<Real>,
    /// How far each triangle has strayed, at most.
    strays: Vec<Real>,
}

/// A region around a vertex.
#[derive(Clone, Copy, Debug)]
struct Region {
    vertex: u32,
    /// Leaves, from here to there.
    leaves: [u32; 2],
    /// ε.
    least: Real,
    /// How much larger a triangle's stray can be in the layout.
    lift: Real,
}

/// A triangle of a layout.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    triangle: u32,
    /// Of its edges in the layout; see [`layout::Layout::inverses`].
    inverse: [Real; 4],
}

/// A triangle of the cloth.
#[derive(Clone, Copy, Debug)]
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
    /// |J − J when λ was measured|.
    #[inline]
    fn stray(&self, x: &[Vec3]) -> Real {
        let [d, e] = edges(self.corners, x);
        let (d, e) = (d - self.edges[0], e - self.edges[1]);
        let [p, q, r] = self.inverse;
        ((d * p).length_squared() + (d * q + e * r).length_squared()).sqrt()
    }
}

#[inline]
fn edges([a, b, c]: [u32; 3], x: &[Vec3]) -> [Vec3; 2] {
    let c = x[c as usize];
    [x[a as usize] - c, x[b as usize] - c]
}

impl Unfolded {
    /// Regions of a surface's cloth around every vertex, wide enough for any two tiles that meet there; at rest its vertices
    /// are at x, and parts of it answer to contact below a distance of `thickness`, or of `at_rest` times that at rest [m].
    pub fn of(surface: &Surface, tiles: &Tiles, x: &[Vec3], thickness: Real, at_rest: Real) -> Self {
        let cloth = surface.cloth_len();
        let count = surface.triangles.partition_point(|t| surface.is_cloth(t[0]));
        let mut cores: Vec<Vec<u32>> = vec![Vec::new(); cloth];
        for (tile, corners) in tiles.corners.iter().enumerate().filter(|(_, c)| surface.is_cloth(c[0])) {
            for (_, &v) in corners.iter().enumerate().filter(|(k, v)| !corners[..*k].contains(v)) {
                cores[v as usize].extend(tiles.triangles.of(tile));
            }
        }
        let mut unfolded = Self {
            triangles: surface.triangles[..count]
                .iter()
                .map(|&corners| at_rest_triangle(corners, x))
                .collect(),
            around: vec![false; surface.bodies.len()],
            strays: vec![0.0; count],
            ..Self::default()
        };
        let plan = Plan::new(surface, x);
        for (vertex, core) in cores.iter().enumerate() {
            let Some(layout) = plan.around(core) else { continue };
            let first = unfolded.leaves.len() as u32;
            let leaves = layout.triangles.iter().zip(&layout.inverses);
            unfolded.leaves.extend(leaves.map(|(&triangle, &inverse)| Leaf { triangle, inverse }));
            unfolded.regions.push(Region {
                vertex: vertex as u32,
                leaves: [first, unfolded.leaves.len() as u32],
                least: (thickness / layout.altitude).min(at_rest),
                lift: layout.lift,
            });
        }
        unfolded.slacks = vec![0.0; unfolded.regions.len()];
        unfolded
    }

    /// Trusts nothing.
    pub fn forget(&mut self) {
        self.around.fill(false);
        self.triangles.iter_mut().for_each(|triangle| triangle.budget = Real::INFINITY);
    }

    /// Finds what is unfolded at x, and stays so on straight ways to and between all `states`.
    pub fn find(&mut self, x: &[Vec3], states: &[&[Vec3]]) {
        self.forget();
        let Self { regions, leaves, triangles, around, slacks, strays } = self;
        for (triangle, stray) in triangles.iter_mut().zip(strays.iter_mut()) {
            triangle.edges = edges(triangle.corners, x);
            *stray = states.iter().map(|state| triangle.stray(state)).fold(0.0, Real::max);
        }
        for (region, slack) in regions.iter().zip(slacks.iter_mut()) {
            let leaves = &leaves[region.leaves[0] as usize..region.leaves[1] as usize];
            *slack = (least_eigenvalue(leaves, triangles) - region.least) / region.lift;
            let strays = leaves.iter().map(|leaf| strays[leaf.triangle as usize]);
            if *slack >= LEAST_SLACK / region.lift && strays.fold(0.0, Real::max) <= *slack {
                around[region.vertex as usize] = true;
                for leaf in leaves {
                    let budget = &mut triangles[leaf.triangle as usize].budget;
                    *budget = budget.min(*slack);
                }
            }
        }
    }

    /// Whether all that was found unfolded is so at x, too, and on straight ways to other such positions.
    pub fn holds(&self, x: &[Vec3]) -> bool {
        let mut trusted = self.triangles.iter().filter(|triangle| triangle.budget < Real::INFINITY);
        trusted.all(|triangle| triangle.stray(x) <= triangle.budget)
    }

    /// Whether two tiles, given by their corners, lie in an unfolded region.
    #[inline]
    pub fn has(&self, first: [u32; 4], second: [u32; 4]) -> bool {
        first.iter().any(|v| second.contains(v) && self.around[*v as usize])
    }
}

/// The least λ of the triangles of a region, with a Q that fits them on the average.
fn least_eigenvalue(leaves: &[Leaf], triangles: &[Triangle]) -> Real {
    let mut gradients = [[Vec3::ZERO; 2]; layout::MOST];
    let mut sum = [Vec3::ZERO; 2];
    for (leaf, gradient) in leaves.iter().zip(&mut gradients) {
        let ([d, e], [p, q, r, s]) = (triangles[leaf.triangle as usize].edges, leaf.inverse);
        *gradient = [d * p + e * r, d * q + e * s];
        sum = [sum[0] + gradient[0], sum[1] + gradient[1]];
    }
    let [q, r] = orthonormal(sum);
    if !q.is_finite() || !r.is_finite() {
        return Real::NEG_INFINITY;
    }
    let eigenvalue = |[j, k]: &[Vec3; 2]| {
        let (a, b, c) = (q.dot(*j), r.dot(*k), q.dot(*k) + r.dot(*j));
        0.5 * (a + b - ((a - b) * (a - b) + c * c).sqrt())
    };
    gradients[..leaves.len()].iter().map(eigenvalue).fold(Real::INFINITY, Real::min)
}

/// The two orthonormal vectors nearest to two others; not finite where these are parallel.
fn orthonormal([m, n]: [Vec3; 2]) -> [Vec3; 2] {
    // The square root of the matrix of their products, and its inverse.
    let (a, b, c) = (m.length_squared(), n.length_squared(), m.dot(n));
    let root = (a * b - c * c).sqrt();
    let scale = 1.0 / (root * (a + b + 2.0 * root).sqrt());
    [(m * (b + root) - n * c) * scale, (n * (a + root) - m * c) * scale]
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
    use crate::contact::near::Near;
    use proptest::prelude::*;

    const SIDE: usize = 6;
    const THICKNESS: Real = 0.02;

    /// A sheet of cells of 0.1 m.
    fn sheet() -> (Surface, Tiles, Vec<Vec3>) {
        let mut builder = Builder::default();
        let size = 0.1 * (SIDE - 1) as Real;
        let resolution = Resolution::Particles([SIDE; 2]);
        builder.add_sheet(&Sheet { size: [size; 2], resolution, ..Sheet::default() }).unwrap();
        let (model, state) = builder.finish(&Surroundings::default()).unwrap();
        let surface = Surface::of(&model, &[]);
        let tiles = Tiles::of(&surface, &state.positions);
        (surface, tiles, state.positions)
    }

    /// Every pair of parts that two tiles have, or one has with itself.
    fn pairs(surface: &Surface, tiles: &Tiles, a: usize, b: usize) -> Vec<([u32; 4], usize)> {
        let mut pairs = Vec::new();
        for [of, at] in [[a, b], [b, a]] {
            for (&v, &t) in
                tiles.vertices.of(of).iter().flat_map(|v| tiles.triangles.of(at).iter().map(move |t| (v, t)))
            {
                let [i, j, k] = surface.triangles[t as usize];
                if surface.can_touch(v, t) {
                    pairs.push(([v, i, j, k], 1));
                }
            }
        }
        for (&e, &f) in tiles.edges.of(a).iter().flat_map(|e| tiles.edges.of(b).iter().map(move |f| (e, f))) {
            if surface.can_edges_touch(e, f) {
                let ([i, j], [k, l]) = (surface.edges[e as usize], surface.edges[f as usize]);
                pairs.push(([i, j, k, l], 2));
            }
        }
        pairs
    }

    #[test]
    fn two_vectors_are_made_orthonormal() {
        let [q, r] = orthonormal([Vec3::new(2.0, 0.1, 0.3), Vec3::new(-0.4, 0.7, 0.2)]);
        assert!(
            (q.length() - 1.0).abs() < 1e-14 && (r.length() - 1.0).abs() < 1e-14 && q.dot(r).abs() < 1e-14
        );
        // Nearest: what is left of the two is symmetric.
        assert!((q.dot(Vec3::new(-0.4, 0.7, 0.2)) - r.dot(Vec3::new(2.0, 0.1, 0.3))).abs() < 1e-14);
        assert!(!orthonormal([Vec3::X, Vec3::X])[0].is_finite());
    }

    #[test]
    fn a_flat_sheet_is_unfolded_and_a_creased_one_is_not_at_the_crease() {
        let (surface, tiles, rest) = sheet();
        let mut unfolded = Unfolded::of(&surface, &tiles, &rest, THICKNESS, 0.8);
        unfolded.find(&rest, &[&rest]);
        assert!(unfolded.around.iter().all(|around| *around));
        assert!(unfolded.holds(&rest));
        // Turned over along a line, flat on itself but for a small gap.
        let folded: Vec<Vec3> = rest
            .iter()
            .map(|x| if x.x > 0.25 { Vec3::new(0.5 - x.x, x.y, x.z + 0.01) } else { *x })
            .collect();
        assert!(!unfolded.holds(&folded));
        unfolded.find(&folded, &[&folded]);
        for (v, x) in rest.iter().enumerate() {
            assert_eq!(unfolded.around[v], !(0.15..0.35).contains(&x.x), "{x}");
        }
        // Shrunk to a line, or to a point.
        for shrunk in [Vec3::X, Vec3::ZERO] {
            let shrunk: Vec<Vec3> = rest.iter().map(|x| *x * shrunk).collect();
            unfolded.find(&shrunk, &[&shrunk]);
            assert!(unfolded.around.iter().all(|around| !*around));
        }
        // On its way to the crease no region there can be trusted, either.
        unfolded.find(&rest, &[&folded]);
        assert!(unfolded.around.iter().any(|around| *around));
        assert!(unfolded.holds(&folded) && unfolded.holds(&rest));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 2 } else { 300 }, ..ProptestConfig::default() })]
        /// A sheet bent and shaken at random: where it is found unfolded its parts keep their distance, there and on the way to
        /// other positions that are said to be good.
        #[test]
        fn parts_of_unfolded_cloth_keep_their_distance(
            bend in 0.0..25.0f64,
            shake in 0.0..0.06f64,
            further in 0.0..0.05f64,
            shifts in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 2 * SIDE * SIDE),
        ) {
            let (surface, tiles, rest) = sheet();
            let mut unfolded = Unfolded::of(&surface, &tiles, &rest, THICKNESS, 0.8);
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
            unfolded.find(&start, &[&end]);
            prop_assert!(unfolded.holds(&start) && unfolded.holds(&end));
            for part in [0.0, 0.3, 0.7, 1.0] {
                let x: Vec<Vec3> = start.iter().zip(&end).map(|(a, b)| a.lerp(*b, part)).collect();
                for a in 0..tiles.corners.len() {
                    for b in (a..tiles.corners.len()).filter(|&b| unfolded.has(tiles.corners[a], tiles.corners[b])) {
                        for (vertices, first) in pairs(&surface, &tiles, a, b) {
                            let distance = |x: &[Vec3]| Near::pair(x, vertices, first, 0).distance;
                            let least = THICKNESS.min(0.8 * distance(&rest));
                            prop_assert!(distance(&x) >= least * (1.0 - 1e-9));
                        }
                    }
                }
            }
        }
    }
}
