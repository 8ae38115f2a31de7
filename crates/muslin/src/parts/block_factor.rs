//! A factor of the constant matrix in block form: set up once, applied many times a step.
//!
//! With supernode S and the later rows R that it touches, elimination in blocks keeps
//!
//! ```text
//! A_SS⁻¹  and  G = A_RS A_SS⁻¹            after all earlier supernodes are eliminated
//! forward   z_S = A_SS⁻¹ b_S,   b_R −= G b_S         leaves first
//! backward  x_S = z_S − Gᵀ x_R                       root first
//! ```
//!
//! so that a solve is nothing but dense products with three coordinates at once. The factor is computed in double precision
//! and may be kept in single, or in half where it only guides: used on residuals, that does no harm. Large trees are cut into a fixed number of parts, which
//! threads share; each has rows of its own for what it adds to the separators above, and these are added in a fixed order.

use super::constant_matrix::ConstantMatrix;
use super::elimination::{Elimination, Front};
use super::nested_dissection::Dissection;
use super::panels::{panel_index, panel_len, panel_times, subtract_panel_transpose_times};
use crate::math::Real;
use crate::par;
use crate::simd::{self, Kept, Kernel, LANES, Quad, Register, Scalar, Width};
use std::ops::Range;

/// Applies the inverse of a constant matrix.
#[derive(Clone, Debug, Default)]
pub struct BlockFactor<T, K> {
    /// Parts of the tree that are independent of one another, and last the separators above them.
    parts: Vec<Part<T, K>>,
}

/// A run of supernodes, with working space for their places and for the later ones that they touch.
#[derive(Clone, Debug)]
struct Part<T, K> {
    places: Range<usize>,
    /// Later places that the part touches, after its own in `work`.
    beyond: Vec<u32>,
    nodes: Vec<Node<T>>,
    rows: Vec<u32>,
    /// A_SS⁻¹, as parts of its largest number, and G of all nodes, one after another.
    panels: Vec<K>,
    work: Vec<Quad<T>>,
    scratch: Vec<[Quad<T>; LANES]>,
    lanes: Vec<[[T; LANES]; 3]>,
}

/// A supernode; all numbers are places in `work`, `rows` and `panels` of its part.
#[derive(Clone, Debug)]
struct Node<T> {
    columns: Range<usize>,
    rows: Range<usize>,
    inverse: usize,
    coupling: usize,
    /// The largest number of A_SS⁻¹ [m/N].
    scale: T,
}

/// Above this many rows the tree is cut into parts.
const WORTH_CUTTING: usize = 6000;
/// Depth of the cut: up to 2³ parts.
const CUT_DEPTH: usize = 3;

impl<T: Scalar, K: Kept<T>> BlockFactor<T, K> {
    /// Factors a matrix in an order of elimination. None if it is not positive definite.
    pub fn of(matrix: &ConstantMatrix, dissection: &Dissection) -> Option<Self> {
        let fronts = Elimination::of(matrix, dissection).fronts()?;
        let parts = cut(dissection).into_iter().map(|nodes| Part::of(dissection, &fronts, &nodes)).collect();
        Some(Self { parts })
    }

    /// Replaces b, given in the order of elimination, by A⁻¹ b.
    pub fn solve(&mut self, b: &mut [Quad<T>]) {
        let Some((top, parts)) = self.parts.split_last_mut() else { return };
        let right: &[Quad<T>] = b;
        par::each(parts, b.len() >= WORTH_CUTTING, |part| simd::run(Forward { part, b: right }));
        for part in &*parts {
            let own = part.places.len();
            for (&place, added) in part.beyond.iter().zip(&part.work[own..]) {
                let sum = &mut b[place as usize];
                *sum = std::array::from_fn(|c| sum[c].plus(added[c]));
            }
        }
        top.solve_alone(b);
        let solved: &[Quad<T>] = b;
        par::each(parts, b.len() >= WORTH_CUTTING, |part| simd::run(Backward { part, x: solved }));
        for part in parts {
            b[part.places.clone()].copy_from_slice(&part.work[..part.places.len()]);
        }
    }
}

struct Forward<'a, T, K> {
    part: &'a mut Part<T, K>,
    b: &'a [Quad<T>],
}

impl<T: Scalar, K: Kept<T>> Kernel for Forward<'_, T, K> {
    type Output = ();
    #[inline(always)]
    fn run<W: Width>(self) {
        let Self { part, b } = self;
        let own = part.places.len();
        part.work[..own].copy_from_slice(&b[part.places.clone()]);
        part.work[own..].fill([T::default(); 4]);
        part.forward::<W>();
    }
}

struct Backward<'a, T, K> {
    part: &'a mut Part<T, K>,
    x: &'a [Quad<T>],
}

impl<T: Scalar, K: Kept<T>> Kernel for Backward<'_, T, K> {
    type Output = ();
    #[inline(always)]
    fn run<W: Width>(self) {
        let Self { part, x } = self;
        let own = part.places.len();
        for (place, work) in part.beyond.iter().zip(&mut part.work[own..]) {
            *work = x[*place as usize];
        }
        part.backward::<W>();
    }
}

impl<T: Scalar, K: Kept<T>> Part<T, K> {
    /// The top part: its places are spread over the order.
    fn solve_alone(&mut self, b: &mut [Quad<T>]) {
        struct Both<'a, T, K>(&'a mut Part<T, K>);
        impl<T: Scalar, K: Kept<T>> Kernel for Both<'_, T, K> {
            type Output = ();
            #[inline(always)]
            fn run<W: Width>(self) {
                self.0.forward::<W>();
                self.0.backward::<W>();
            }
        }
        for (place, work) in self.beyond.iter().zip(&mut self.work) {
            *work = b[*place as usize];
        }
        simd::run(Both(self));
        for (place, work) in self.beyond.iter().zip(&self.work) {
            b[*place as usize] = *work;
        }
    }

    #[inline(always)]
    fn forward<W: Width>(&mut self) {
        for node in &self.nodes {
            let count = node.columns.len();
            let (before, later) = self.work.split_at_mut(node.columns.end);
            let b = &mut before[node.columns.start..];
            let rows = &self.rows[node.rows.clone()];
            let coupling = &self.panels[node.coupling..node.coupling + panel_len(rows.len(), count)];
            let sums = &mut self.scratch[..rows.len().div_ceil(LANES)];
            panel_times::<T, K, W>(coupling, b, sums);
            for (row, sum) in rows.iter().zip(sums.as_flattened()) {
                let row = &mut later[*row as usize - node.columns.end];
                *row = T::quad_minus(*row, *sum);
            }
            let inverse = &self.panels[node.inverse..node.inverse + panel_len(count, count)];
            let solved = &mut self.scratch[..count.div_ceil(LANES)];
            panel_times::<T, K, W>(inverse, b, solved);
            for (b, solved) in b.iter_mut().zip(solved.as_flattened()) {
                for c in 0..4 {
                    b[c] = node.scale.times(solved[c]);
                }
            }
        }
    }

    #[inline(always)]
    fn backward<W: Width>(&mut self) {
        let zero = [T::default(); 4];
        for node in self.nodes.iter().rev() {
            let count = node.columns.len();
            let (before, later) = self.work.split_at_mut(node.columns.end);
            let x = &mut before[node.columns.start..];
            let rows = &self.rows[node.rows.clone()];
            let lanes = &mut self.lanes[..rows.len().div_ceil(LANES)];
            for (lanes, rows) in lanes.iter_mut().zip(rows.chunks(LANES)) {
                let mut at = [&zero; LANES];
                for (at, &row) in at.iter_mut().zip(rows) {
                    *at = &later[row as usize - node.columns.end];
                }
                let [x, y, z] = T::Lanes::<W>::columns(at);
                *lanes = [x.store(), y.store(), z.store()];
            }
            let coupling = &self.panels[node.coupling..node.coupling + panel_len(rows.len(), count)];
            subtract_panel_transpose_times::<T, K, W>(coupling, lanes, x);
        }
    }

    /// The part made of these nodes: a whole subtree, or the nodes above all subtrees.
    fn of(dissection: &Dissection, fronts: &[Front], nodes: &PartNodes) -> Self {
        let mut part = Self {
            places: nodes.places.clone(),
            beyond: nodes.scattered.clone(),
            nodes: Vec::new(),
            rows: Vec::new(),
            panels: Vec::new(),
            work: Vec::new(),
            scratch: Vec::new(),
            lanes: Vec::new(),
        };
        if let Some(&root) = nodes.list.last().filter(|_| !nodes.places.is_empty()) {
            part.beyond.clone_from(&fronts[root].rows);
        }
        let own = nodes.places.len();
        let local = |place: usize| {
            if nodes.places.contains(&place) {
                place - nodes.places.start
            } else {
                own + part.beyond.binary_search(&(place as u32)).expect("a place that the part touches")
            }
        };
        let mut built = (Vec::new(), Vec::new(), Vec::new());
        let (mut widest, mut tallest) = (0, 0);
        for &k in &nodes.list {
            let (front, columns) = (&fronts[k], dissection.nodes[k].columns.clone());
            if columns.is_empty() {
                continue;
            }
            let (count, first_row, inverse) = (columns.len(), built.1.len(), built.2.len());
            built.1.extend(front.rows.iter().map(|&row| local(row as usize) as u32));
            let coupling = inverse + panel_len(count, count);
            built.2.resize(coupling + panel_len(front.rows.len(), count), K::default());
            let scale = front.inverse.iter().fold(0.0, |most: Real, number| most.max(number.abs()));
            for j in 0..count {
                for i in 0..count {
                    built.2[inverse + panel_index(count, i, j)] =
                        K::rounded(front.inverse[j * count + i] / scale);
                }
                for i in 0..front.rows.len() {
                    let value = front.coupling[j * front.rows.len() + i];
                    built.2[coupling + panel_index(count, i, j)] = K::rounded(value);
                }
            }
            let first = local(columns.start);
            built.0.push(Node {
                columns: first..first + count,
                rows: first_row..built.1.len(),
                inverse,
                coupling,
                scale: T::rounded(scale),
            });
            (widest, tallest) = (widest.max(count), tallest.max(front.rows.len()));
        }
        (part.nodes, part.rows, part.panels) = built;
        part.work = vec![[T::default(); 4]; own + part.beyond.len()];
        part.scratch = vec![[[T::default(); 4]; LANES]; widest.max(tallest).div_ceil(LANES)];
        part.lanes = vec![[[T::default(); LANES]; 3]; tallest.div_ceil(LANES)];
        part
    }
}

/// The supernodes of a part.
struct PartNodes {
    list: Vec<usize>,
    /// Places of a subtree: one after another.
    places: Range<usize>,
    /// Places of the top part: between the subtrees, ascending.
    scattered: Vec<u32>,
}

/// Cuts the tree into subtrees, and what is above them.
fn cut(dissection: &Dissection) -> Vec<PartNodes> {
    let nodes = &dissection.nodes;
    let depth = if dissection.order.len() < WORTH_CUTTING { 0 } else { CUT_DEPTH };
    let depth_of = |k: usize| std::iter::successors(nodes[k].parent, |&k| nodes[k].parent).count();
    let mut parts: Vec<PartNodes> = Vec::new();
    let mut top = PartNodes { list: Vec::new(), places: 0..0, scattered: Vec::new() };
    let mut first = 0;
    for k in 0..nodes.len() {
        let level = depth_of(k);
        if level < depth || depth == 0 {
            top.list.push(k);
            top.scattered.extend(nodes[k].columns.clone().map(|place| place as u32));
            first = k + 1;
        } else if level == depth {
            let places = nodes[first].columns.start..nodes[k].columns.end;
            parts.push(PartNodes { list: (first..=k).collect(), places, scattered: Vec::new() });
            first = k + 1;
        }
    }
    parts.push(top);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, Pin, Place, Resolution, Sheet, Surroundings};
    use crate::math::Vec3;
    use crate::parts::constant_matrix::Bending;
    use crate::simd::f16;

    fn sheet(side: usize, bending: Bending) -> (ConstantMatrix, Dissection) {
        let sheet = Sheet {
            resolution: Resolution::Particles([side, side]),
            pins: vec![Pin::at(Place::Corners)],
            ..Sheet::default()
        };
        let mut builder = Builder::default();
        builder.add_sheet(&sheet).unwrap();
        let (model, state) = builder.finish(&Surroundings::default()).unwrap();
        let matrix = ConstantMatrix::of(&model, 1.0 / 60.0, bending);
        let places: Vec<Vec3> = matrix.free.iter().map(|&p| state.positions[p as usize]).collect();
        let dissection = Dissection::of(&matrix.graph, &places);
        (matrix, dissection)
    }

    fn times(matrix: &ConstantMatrix, x: &[Quad<f64>]) -> Vec<Quad<f64>> {
        let mut out: Vec<Quad<f64>> = x.iter().zip(&matrix.diagonal).map(|(x, a)| x.map(|x| x * a)).collect();
        for &([row, column], value) in &matrix.lower {
            let (row, column) = (row as usize, column as usize);
            for c in 0..3 {
                out[row][c] += value * x[column][c];
                out[column][c] += value * x[row][c];
            }
        }
        out
    }

    /// Solves for known x of size 1; the largest error of x, and that after the residual was solved for once more.
    fn errors<T: Scalar, K: Kept<T>>(side: usize, bending: Bending) -> [Real; 2] {
        let (matrix, dissection) = sheet(side, bending);
        let mut factor = BlockFactor::<T, K>::of(&matrix, &dissection).unwrap();
        let exact: Vec<Quad<f64>> = (0..matrix.len())
            .map(|i| std::array::from_fn(|c| if c < 3 { ((7 * i + 13 * c) as Real).sin() } else { 0.0 }))
            .collect();
        let b = times(&matrix, &exact);
        let mut x = vec![[0.0; 4]; matrix.len()];
        std::array::from_fn(|_| {
            let product = times(&matrix, &x);
            let residual = |&row: &u32| {
                std::array::from_fn(|c| T::rounded(b[row as usize][c] - product[row as usize][c]))
            };
            let mut work: Vec<Quad<T>> = dissection.order.iter().map(residual).collect();
            factor.solve(&mut work);
            for (&row, found) in dissection.order.iter().zip(&work) {
                for c in 0..3 {
                    x[row as usize][c] += found[c].widened();
                }
            }
            let off = x.as_flattened().iter().zip(exact.as_flattened()).map(|(x, exact)| (x - exact).abs());
            off.fold(0.0, Real::max)
        })
    }

    #[test]
    fn a_solve_undoes_the_matrix() {
        // The condition number is some 1e4: k h²/m = 800/60²/(0.15/n) and the mass term below.
        for side in [4, 20, 90] {
            for bending in [Bending::Whole, Bending::Bounded] {
                let [double, _] = errors::<f64, f64>(side, bending);
                let [single, _] = errors::<f32, f32>(side, bending);
                assert!(double < 1e-10 && single < 1e-2, "{side}, {bending:?}: {double:e}, {single:e}");
                // In half precision numbers are off by 5e-4, and so is what a solve makes of a residual, but for the few
                // dozen of them that a sum has: the error shrinks by 1/20 at least each time.
                let errors = errors::<f32, f16>(side, bending);
                assert!(errors[0] < 0.05 && errors[1] < 0.05 * errors[0], "{side}, {bending:?}: {errors:?}");
            }
        }
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let (matrix, dissection) = sheet(90, Bending::Bounded);
        let factor = BlockFactor::<f32, f16>::of(&matrix, &dissection).unwrap();
        assert!(factor.parts.len() > 4, "large enough to be cut");
        let b: Vec<Quad<f32>> = (0..matrix.len()).map(|i| [(i as f32).sin(), 1.0, -2.0, 0.0]).collect();
        let solved = |threads| {
            par::with_threads(threads, || {
                let (mut factor, mut b) = (factor.clone(), b.clone());
                factor.solve(&mut b);
                b
            })
        };
        let alone = solved(1);
        for threads in [2, 3, 8] {
            assert_eq!(solved(threads), alone);
        }
    }

    /// What only guides leaves bending out of the pattern; what is the method has all of it.
    #[test]
    fn the_bound_has_the_pattern_of_structural_and_shear_springs_and_the_whole_matrix_that_of_all() {
        // 400 − 4 particles; structural 2 · 19 · 20 and shear 2 · 19², less those at the four corners, 3 each.
        let core = 2 * 19 * 20 + 2 * 19 * 19 - 12;
        assert_eq!(sheet(20, Bending::Bounded).0.lower.len(), core);
        // Two apart along the threads, less the two at each corner.
        assert_eq!(sheet(20, Bending::Whole).0.lower.len(), core + 2 * 18 * 20 - 8);
    }
}
