//! A binary tree of boxes.
//!
//! Built from the top: a node's boxes are halved at the median of their centres along the node's longest side, down to
//! blocks of eight. Nodes are stored depth first, each with the number of the node after its subtree: a search walks the
//! array forward and jumps over subtrees that it does not touch, with no stack. Whole blocks are searched for, not single
//! boxes. Within one list a block looks only at those after it in the array, so each pair is met once.

use super::block::{AFTER, Block, LANES, append_pairs};
use super::{Aabb, PairChunks, ordered};
use crate::par;

/// Blocks a chunk.
const CHUNK: usize = 32;

/// The trees of a search.
#[derive(Clone, Debug, Default)]
pub struct Search {
    first: Tree,
    second: Tree,
}

impl Search {
    pub fn between(
        &mut self,
        chunks: &mut PairChunks,
        first: &[Aabb],
        second: &[Aabb],
        keep: impl Fn(u32, u32) -> bool + Sync,
        pairs: &mut Vec<[u32; 2]>,
    ) {
        self.first.build(first);
        self.second.build(second);
        par::append_chunks(&self.first.leaves, CHUNK, chunks, pairs, |_, leaves, pairs| {
            for (one, _) in leaves {
                self.second.walk(0, one.hull(), |other| {
                    append_pairs(one.pairs(other), |a, b| [one.index(a), other.index(b)], &keep, pairs);
                });
            }
        });
    }

    pub fn within(
        &mut self,
        chunks: &mut PairChunks,
        boxes: &[Aabb],
        keep: impl Fn(u32, u32) -> bool + Sync,
        pairs: &mut Vec<[u32; 2]>,
    ) {
        let tree = &mut self.first;
        tree.build(boxes);
        par::append_chunks(&tree.leaves, CHUNK, chunks, pairs, |_, leaves, pairs| {
            for (one, node) in leaves {
                let mut append = |other: &Block, bits: u64| {
                    append_pairs(bits, |a, b| ordered(one.index(a), other.index(b)), &keep, pairs);
                };
                append(one, one.pairs(one) & AFTER);
                tree.walk(node + 1, one.hull(), |other| append(other, one.pairs(other)));
            }
        });
    }
}

#[derive(Clone, Debug, Default)]
struct Tree {
    /// Depth first.
    nodes: Vec<Node>,
    /// Blocks in the order of their nodes, and these nodes' numbers.
    leaves: Vec<(Block, u32)>,
    /// Space for building: the boxes and their numbers.
    items: Vec<(Aabb, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    /// Number of the node after this one's subtree.
    next: u32,
    /// Its block, or [`INNER`].
    leaf: u32,
}

/// Instead of the block of a node that has none.
const INNER: u32 = u32::MAX;

impl Tree {
    fn build(&mut self, boxes: &[Aabb]) {
        self.nodes.clear();
        self.leaves.clear();
        let mut items = std::mem::take(&mut self.items);
        items.clear();
        items.extend(boxes.iter().copied().zip(0..));
        self.split(&mut items);
        self.items = items;
    }

    /// Appends the subtree of `items`.
    fn split(&mut self, items: &mut [(Aabb, u32)]) {
        let mut bounds = Aabb::NOTHING_YET;
        for (item, _) in &*items {
            bounds.grow(item);
        }
        let number = self.nodes.len();
        self.nodes.push(Node { bounds, next: number as u32 + 1, leaf: INNER });
        if items.len() <= LANES {
            self.nodes[number].leaf = self.leaves.len() as u32;
            self.leaves.push((Block::of(items.iter().map(|&(item, index)| (index, item))), number as u32));
            return;
        }
        let side = |axis: usize| bounds.high[axis] - bounds.low[axis];
        let longer = usize::from(side(0) < side(1));
        let axis = if side(longer) < side(2) { 2 } else { longer };
        // Full blocks on the left, so that few are half empty.
        let middle = (items.len() / 2).next_multiple_of(LANES);
        items.select_nth_unstable_by(middle, |(a, _), (b, _)| a.center2(axis).total_cmp(&b.center2(axis)));
        let (left, right) = items.split_at_mut(middle);
        self.split(left);
        self.split(right);
        self.nodes[number].next = self.nodes.len() as u32;
    }

    /// Visits the blocks from node `from` on that `bounds` overlaps.
    #[inline]
    fn walk(&self, from: u32, bounds: &Aabb, mut visit: impl FnMut(&Block)) {
        let mut number = from;
        while let Some(node) = self.nodes.get(number as usize) {
            if !node.bounds.overlaps(bounds) {
                number = node.next;
                continue;
            }
            if node.leaf != INNER {
                visit(&self.leaves[node.leaf as usize].0);
            }
            number += 1;
        }
    }
}
