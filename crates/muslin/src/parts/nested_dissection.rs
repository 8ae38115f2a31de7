//! An order of elimination by recursive bisection [George 1973].
//!
//! A set of particles is halved along its longest side; those of one half that touch the other separate the two and are
//! eliminated last. What remains of the halves is treated alike, down to leaves of some dozens. Factors then stay small: about
//! n log n entries for a surface.

use crate::math::Vec3;

/// Which particles touch which: neighbours in lists, one list a particle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    starts: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// The graph of pairs of a particle and a lower one, sorted; pairs may repeat.
    pub fn of_lower(particles: usize, sorted: &(impl Iterator<Item = [u32; 2]> + Clone)) -> Self {
        let distinct = || {
            let mut last = [u32::MAX; 2];
            sorted.clone().filter(move |&pair| std::mem::replace(&mut last, pair) != pair)
        };
        let mut starts = vec![0u32; particles + 1];
        for particle in distinct().flatten() {
            starts[particle as usize + 1] += 1;
        }
        for p in 0..particles {
            starts[p + 1] += starts[p];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![0; starts[particles] as usize];
        // Those of a particle come before those that have it as their lower one, and ascend.
        for [high, low] in distinct() {
            for (own, other) in [(high, low), (low, high)] {
                neighbours[next[own as usize] as usize] = other;
                next[own as usize] += 1;
            }
        }
        Self { starts, neighbours }
    }

    /// The neighbours of one particle, ascending.
    #[inline]
    pub fn neighbours(&self, particle: usize) -> &[u32] {
        &self.neighbours[self.starts[particle] as usize..self.starts[particle + 1] as usize]
    }

    /// Whether two particles touch.
    pub fn touch(&self, a: u32, b: u32) -> bool {
        self.neighbours(a as usize).binary_search(&b).is_ok()
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no particle.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Particles eliminated together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supernode {
    /// Its places in the order.
    pub columns: std::ops::Range<usize>,
    /// The supernode whose separator splits this part from its other half; none at the top.
    pub parent: Option<usize>,
}

/// The order, and the tree of its separators with every node after its children.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dissection {
    /// Particle at each place of the order.
    pub order: Vec<u32>,
    /// The tree.
    pub nodes: Vec<Supernode>,
}

/// Particles a leaf: dense work on some dozens is cheaper than more structure.
const LEAF: usize = 32;

impl Dissection {
    /// Dissects a graph whose particles lie at `positions`.
    pub fn of(graph: &Graph, positions: &[Vec3]) -> Self {
        let mut work = Work { graph, positions, side: vec![0; graph.len()], found: Self::default() };
        let mut all: Vec<u32> = (0..graph.len() as u32).collect();
        work.dissect(&mut all, 1);
        work.found
    }
}

struct Work<'a> {
    graph: &'a Graph,
    positions: &'a [Vec3],
    /// Which part of the current cut a particle belongs to; marks of other cuts have other numbers.
    side: Vec<u32>,
    found: Dissection,
}

impl Work<'_> {
    /// Orders `part`, and returns its top node. `mark` and the number after it are free for this part's cut.
    fn dissect(&mut self, part: &mut [u32], mark: u32) -> usize {
        if part.len() > LEAF {
            self.halve(part);
            let middle = part.len() / 2;
            for (k, &p) in part.iter().enumerate() {
                self.side[p as usize] = if k < middle { mark } else { mark + 1 };
            }
            let border = |half: &[u32], other: u32| -> Vec<u32> {
                let touches = |&&p: &&u32| {
                    self.graph.neighbours(p as usize).iter().any(|&q| self.side[q as usize] == other)
                };
                half.iter().filter(touches).copied().collect()
            };
            let (left, right) = (border(&part[..middle], mark + 1), border(&part[middle..], mark));
            let separator = if left.len() <= right.len() { left } else { right };
            // A set whose halves all touch has no separator worth the name: dense.
            if separator.len() < middle / 2 {
                for &p in &separator {
                    self.side[p as usize] = 0;
                }
                let without = |half: &[u32]| -> Vec<u32> {
                    half.iter().filter(|&&p| self.side[p as usize] != 0).copied().collect()
                };
                let (mut left, mut right) = (without(&part[..middle]), without(&part[middle..]));
                let children = [self.dissect(&mut left, mark + 2), self.dissect(&mut right, mark + 2)];
                let node = self.push(&separator);
                for child in children {
                    self.found.nodes[child].parent = Some(node);
                }
                return node;
            }
        }
        self.push(part)
    }

    fn push(&mut self, columns: &[u32]) -> usize {
        let first = self.found.order.len();
        self.found.order.extend_from_slice(columns);
        self.found.nodes.push(Supernode { columns: first..first + columns.len(), parent: None });
        for &p in columns {
            self.side[p as usize] = 0;
        }
        self.found.nodes.len() - 1
    }

    /// Brings the half with the smaller coordinate along the longest side to the front.
    fn halve(&self, part: &mut [u32]) {
        let at = |p: u32| self.positions[p as usize];
        let low = part.iter().fold(Vec3::INFINITY, |low, &p| low.min(at(p)));
        let high = part.iter().fold(Vec3::NEG_INFINITY, |high, &p| high.max(at(p)));
        let extent = (high - low).to_array();
        let axis = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b])).unwrap_or(0);
        part.select_nth_unstable_by(part.len() / 2, |&a, &b| {
            at(a)[axis].total_cmp(&at(b)[axis]).then(a.cmp(&b))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid whose particles touch those beside and diagonally below them, and those up to `reach` apart along the threads.
    fn grid(side: usize, reach: usize) -> (Graph, Vec<Vec3>) {
        let mut pairs = Vec::new();
        let at = |i: usize, j: usize| (i * side + j) as u32;
        for (i, j) in (0..side).flat_map(|i| (0..side).map(move |j| (i, j))) {
            let along = (1..=reach).flat_map(|step| [(i + step, j), (i, j + step)]);
            for (k, l) in along.chain([(i + 1, j + 1)]) {
                if k < side && l < side {
                    pairs.push([at(k, l), at(i, j)]);
                }
            }
        }
        let positions =
            (0..side * side).map(|p| Vec3::new((p / side) as f64, (p % side) as f64, 0.0)).collect();
        pairs.sort_unstable();
        (Graph::of_lower(side * side, &pairs.into_iter()), positions)
    }

    #[test]
    fn the_order_holds_every_particle_once() {
        let (graph, positions) = grid(20, 1);
        let mut order = Dissection::of(&graph, &positions).order;
        order.sort_unstable();
        assert_eq!(order, (0..400).collect::<Vec<u32>>());
    }

    #[test]
    fn separators_separate() {
        for reach in [1, 2] {
            check_separators(reach);
        }
    }

    fn check_separators(reach: usize) {
        let (graph, positions) = grid(20, reach);
        let found = Dissection::of(&graph, &positions);
        let mut node_of = vec![0; graph.len()];
        for (k, node) in found.nodes.iter().enumerate() {
            for place in node.columns.clone() {
                node_of[found.order[place] as usize] = k;
            }
        }
        let is_above = |low: usize, high: usize| {
            std::iter::successors(Some(low), |&k| found.nodes[k].parent).any(|k| k == high)
        };
        for p in 0..graph.len() {
            for &q in graph.neighbours(p) {
                let (a, b) = (node_of[p], node_of[q as usize]);
                assert!(is_above(a, b) || is_above(b, a), "{p} and {q} touch across a separator");
            }
        }
        let top = found.nodes.last().unwrap();
        let most = 20 * reach;
        assert!(top.columns.len() <= most, "{reach} rows separate a grid: {}", top.columns.len());
    }
}
