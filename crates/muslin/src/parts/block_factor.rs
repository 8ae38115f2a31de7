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
//! and may be kept in single: used on residuals, that does no harm. Large trees are cut into a fixed number of parts, which
//! threads share; each has rows of its own for what it adds to the separators above, and these are added in a fixed order.

use super::constant_matrix::ConstantMatrix;
use super::nested_dissection::Dissection;
use super::panels::{panel_index, panel_len, panel_times, subtract_panel_transpose_times};
use crate::math::{Real, Vec3};
use crate::par;
use crate::simd::{self, Kernel, LANES, Quad, Register, Scalar, Width};
use std::ops::Range;

/// Applies the inverse of a constant matrix.
#[derive(Clone, Debug, Default)]
pub struct BlockFactor<T> {
    /// Row of the matrix at each place of the order of elimination.
    pub order: Vec<u32>,
    /// Parts of the tree that are independent of one another, and last the separators above them.
    parts: Vec<Part<T>>,
}

/// A run of supernodes, with working space for their places and for the later ones that they touch.
#[derive(Clone, Debug)]
struct Part<T> {
    places: Range<usize>,
    /// Later places that the part touches, after its own in `work`.
    beyond: Vec<u32>,
    nodes: Vec<Node>,
    rows: Vec<u32>,
    /// A_SS⁻¹ and G of all nodes, one after another.
    panels: Vec<T>,
    work: Vec<Quad<T>>,
    scratch: Vec<[Quad<T>; LANES]>,
    lanes: Vec<[[T; LANES]; 3]>,
}

/// A supernode; all numbers are places in `work`, `rows` and `panels` of its part.
#[derive(Clone, Debug)]
struct Node {
    columns: Range<usize>,
    rows: Range<usize>,
    inverse: usize,
    coupling: usize,
}

/// Above this many rows the tree is cut into parts.
const WORTH_CUTTING: usize = 6000;
/// Depth of the cut: up to 2³ parts.
const CUT_DEPTH: usize = 3;

impl<T: Scalar> BlockFactor<T> {
    /// Factors a matrix whose free particles lie at `positions` (of all particles of the model).
    /// None if it is not positive definite.
    pub fn of(matrix: &ConstantMatrix, positions: &[Vec3]) -> Option<Self> {
        let places: Vec<Vec3> = matrix.free.iter().map(|&p| positions[p as usize]).collect();
        let dissection = Dissection::of(&matrix.graph, &places);
        let fronts = Elimination::of(matrix, &dissection).fronts()?;
        let parts =
            cut(&dissection).into_iter().map(|nodes| Part::of(&dissection, &fronts, &nodes)).collect();
        Some(Self { order: dissection.order, parts })
    }

    /// Numbers in the factor.
    pub fn entries(&self) -> usize {
        self.parts.iter().map(|part| part.panels.len()).sum()
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

struct Forward<'a, T> {
    part: &'a mut Part<T>,
    b: &'a [Quad<T>],
}

impl<T: Scalar> Kernel for Forward<'_, T> {
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

struct Backward<'a, T> {
    part: &'a mut Part<T>,
    x: &'a [Quad<T>],
}

impl<T: Scalar> Kernel for Backward<'_, T> {
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

impl<T: Scalar> Part<T> {
    /// The top part: its places are spread over the order.
    fn solve_alone(&mut self, b: &mut [Quad<T>]) {
        struct Both<'a, T>(&'a mut Part<T>);
        impl<T: Scalar> Kernel for Both<'_, T> {
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
            panel_times::<T, W>(coupling, b, sums);
            for (row, sum) in rows.iter().zip(sums.as_flattened()) {
                let row = &mut later[*row as usize - node.columns.end];
                for c in 0..4 {
                    row[c] = row[c].minus(sum[c]);
                }
            }
            let inverse = &self.panels[node.inverse..node.inverse + panel_len(count, count)];
            let solved = &mut self.scratch[..count.div_ceil(LANES)];
            panel_times::<T, W>(inverse, b, solved);
            b.copy_from_slice(&solved.as_flattened()[..count]);
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
            subtract_panel_transpose_times::<T, W>(coupling, lanes, x);
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
            built.2.resize(coupling + panel_len(front.rows.len(), count), T::default());
            for j in 0..count {
                for i in 0..count {
                    built.2[inverse + panel_index(count, i, j)] = T::rounded(front.inverse[j * count + i]);
                }
                for i in 0..front.rows.len() {
                    let value = front.coupling[j * front.rows.len() + i];
                    built.2[coupling + panel_index(count, i, j)] = T::rounded(value);
                }
            }
            let first = local(columns.start);
            built.0.push(Node {
                columns: first..first + count,
                rows: first_row..built.1.len(),
                inverse,
                coupling,
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

/// What elimination leaves of a supernode, by columns.
struct Front {
    rows: Vec<u32>,
    inverse: Vec<Real>,
    coupling: Vec<Real>,
}

/// The elimination in blocks, in double precision.
struct Elimination<'a> {
    matrix: &'a ConstantMatrix,
    dissection: &'a Dissection,
    /// Below the diagonal of each column in the order of elimination: starts, and places with values.
    starts: Vec<usize>,
    entries: Vec<(u32, Real)>,
}

impl<'a> Elimination<'a> {
    fn of(matrix: &'a ConstantMatrix, dissection: &'a Dissection) -> Self {
        let n = matrix.len();
        let mut place_of = vec![0u32; n];
        for (place, &row) in dissection.order.iter().enumerate() {
            place_of[row as usize] = place as u32;
        }
        let mut sorted: Vec<(u32, u32, Real)> = matrix
            .lower
            .iter()
            .map(|&([a, b], value)| {
                let (a, b) = (place_of[a as usize], place_of[b as usize]);
                (a.min(b), a.max(b), value)
            })
            .collect();
        sorted.sort_unstable_by_key(|&(column, row, _)| (column, row));
        let mut starts = vec![0usize; n + 1];
        for &(column, ..) in &sorted {
            starts[column as usize + 1] += 1;
        }
        for column in 0..n {
            starts[column + 1] += starts[column];
        }
        let entries = sorted.into_iter().map(|(_, row, value)| (row, value)).collect();
        Self { matrix, dissection, starts, entries }
    }

    fn below(&self, column: usize) -> &[(u32, Real)] {
        &self.entries[self.starts[column]..self.starts[column + 1]]
    }

    /// Eliminates every supernode; none if a pivot is not positive.
    fn fronts(&self) -> Option<Vec<Front>> {
        let nodes = &self.dissection.nodes;
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        for (k, node) in nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                children[parent].push(k);
            }
        }
        let mut fronts: Vec<Front> = Vec::with_capacity(nodes.len());
        // What a supernode leaves to its parent: the lower triangle over its rows, by columns.
        let mut updates: Vec<Vec<Real>> = vec![Vec::new(); nodes.len()];
        let mut local = vec![u32::MAX; self.matrix.len()];
        for (k, node) in nodes.iter().enumerate() {
            let columns = node.columns.clone();
            let rows = self.rows_of(&columns, children[k].iter().map(|&child| &fronts[child].rows[..]));
            let (count, size) = (columns.len(), columns.len() + rows.len());
            let places = columns.clone().map(|place| place as u32).chain(rows.iter().copied());
            for (index, place) in places.enumerate() {
                local[place as usize] = index as u32;
            }
            let mut front = vec![0.0; size * size];
            for (j, column) in columns.clone().enumerate() {
                front[j * size + j] = self.matrix.diagonal[self.dissection.order[column] as usize];
                for &(row, value) in self.below(column) {
                    front[j * size + local[row as usize] as usize] = value;
                }
            }
            for &child in &children[k] {
                let update = std::mem::take(&mut updates[child]);
                add_update(&mut front, size, &update, &fronts[child].rows, &local);
            }
            let (inverse, coupling) = simd::run(Eliminate { front: &mut front, size, count })?;
            updates[k] = remainder(&front, size, count);
            fronts.push(Front { rows, inverse, coupling });
        }
        Some(fronts)
    }

    /// The later places that a supernode touches, by itself or through what its children left.
    fn rows_of<'r>(&self, columns: &Range<usize>, children: impl Iterator<Item = &'r [u32]>) -> Vec<u32> {
        let own = columns.clone().flat_map(|column| self.below(column).iter().map(|entry| entry.0));
        let mut rows: Vec<u32> = own.chain(children.flatten().copied()).collect();
        rows.retain(|&row| row as usize >= columns.end);
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}

fn add_update(front: &mut [Real], size: usize, update: &[Real], rows: &[u32], local: &[u32]) {
    let count = rows.len();
    for (j, &column) in rows.iter().enumerate() {
        let column = local[column as usize] as usize;
        for i in j..count {
            // Rows ascend in both, so the lower triangle stays the lower one.
            front[column * size + local[rows[i] as usize] as usize] += update[j * count + i];
        }
    }
}

fn remainder(front: &[Real], size: usize, count: usize) -> Vec<Real> {
    (count..size).flat_map(|j| front[j * size + count..(j + 1) * size].iter().copied()).collect()
}

/// Eliminates the first `count` columns of a front, of which the lower triangle is stored by columns.
struct Eliminate<'a> {
    front: &'a mut [Real],
    size: usize,
    count: usize,
}

impl Kernel for Eliminate<'_> {
    type Output = Option<(Vec<Real>, Vec<Real>)>;

    #[inline(always)]
    fn run<W: Width>(self) -> Self::Output {
        let Self { front, size, count } = self;
        for j in 0..count {
            let (head, tail) = front.split_at_mut((j + 1) * size);
            let column = &mut head[j * size..];
            let pivot = column[j];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return None;
            }
            let root = pivot.sqrt();
            column[j] = root;
            for value in &mut column[j + 1..] {
                *value /= root;
            }
            for (k, later) in tail.chunks_exact_mut(size).enumerate() {
                let k = j + 1 + k;
                subtract_multiple(&mut later[k..], &column[k..], column[k]);
            }
        }
        // L⁻¹ by columns, then A⁻¹ = L⁻ᵀ L⁻¹ and G = L₂₁ L⁻¹.
        let mut inverse_l = vec![0.0; count * count];
        for j in 0..count {
            let column = &mut inverse_l[j * count..(j + 1) * count];
            column[j] = 1.0;
            for k in j..count {
                let value = column[k] / front[k * size + k];
                column[k] = value;
                subtract_multiple(&mut column[k + 1..], &front[k * size + k + 1..k * size + count], value);
            }
        }
        let mut inverse = vec![0.0; count * count];
        for j in 0..count {
            for i in 0..=j {
                let (a, b) =
                    (&inverse_l[i * count + j..(i + 1) * count], &inverse_l[j * count + j..(j + 1) * count]);
                let value = a.iter().zip(b).map(|(a, b)| a * b).sum();
                inverse[j * count + i] = value;
                inverse[i * count + j] = value;
            }
        }
        let rows = size - count;
        let mut coupling = vec![0.0; rows * count];
        for (j, column) in coupling.chunks_exact_mut(rows.max(1)).enumerate() {
            for k in j..count {
                subtract_multiple(
                    column,
                    &front[k * size + count..(k + 1) * size],
                    -inverse_l[j * count + k],
                );
            }
        }
        Some((inverse, coupling))
    }
}

#[inline(always)]
fn subtract_multiple(to: &mut [Real], from: &[Real], factor: Real) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = (-factor).mul_add(*from, *to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, Pin, Place, Resolution, Sheet, Surroundings};

    fn sheet(side: usize) -> (ConstantMatrix, Vec<Vec3>) {
        let sheet = Sheet {
            resolution: Resolution::Particles([side, side]),
            pins: vec![Pin::at(Place::Corners)],
            ..Sheet::default()
        };
        let mut builder = Builder::default();
        builder.add_sheet(&sheet).unwrap();
        let (model, state) = builder.finish(&Surroundings::default()).unwrap();
        (ConstantMatrix::of(&model, 1.0 / 60.0), state.positions)
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

    /// Solves for known x; the largest error of x of size 1.
    fn error<T: Scalar>(side: usize) -> Real {
        let (matrix, positions) = sheet(side);
        let mut factor = BlockFactor::<T>::of(&matrix, &positions).unwrap();
        let x: Vec<Quad<f64>> = (0..matrix.len())
            .map(|i| std::array::from_fn(|c| if c < 3 { ((7 * i + 13 * c) as Real).sin() } else { 0.0 }))
            .collect();
        let b = times(&matrix, &x);
        let mut work: Vec<Quad<T>> =
            factor.order.iter().map(|&row| b[row as usize].map(T::rounded)).collect();
        factor.solve(&mut work);
        let errors = factor.order.iter().zip(&work).flat_map(|(&row, found)| {
            let x = x[row as usize];
            (0..3).map(move |c| (found[c].widened() - x[c]).abs())
        });
        errors.fold(0.0, Real::max)
    }

    #[test]
    fn a_solve_undoes_the_matrix() {
        // The condition number is some 1e4: k h²/m = 800/60²/(0.15/n) and the mass term below.
        for side in [4, 20, 90] {
            assert!(error::<f64>(side) < 1e-10, "{side}: {:e}", error::<f64>(side));
            assert!(error::<f32>(side) < 1e-2, "{side}: {:e}", error::<f32>(side));
        }
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let (matrix, positions) = sheet(90);
        let factor = BlockFactor::<f32>::of(&matrix, &positions).unwrap();
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

    /// Cloth bends far more easily than it stretches: what keeps bending out of the pattern must stay small, and above.
    #[test]
    fn the_pattern_is_that_of_structural_and_shear_springs() {
        let (matrix, _) = sheet(20);
        // 400 − 4 particles; structural 2 · 19 · 20 and shear 2 · 19², less those at the four corners, 3 each.
        assert_eq!(matrix.lower.len(), 2 * 19 * 20 + 2 * 19 * 19 - 12);
    }
}
