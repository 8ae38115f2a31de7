//! Blocks of eight boxes along a Morton curve.
//!
//! Boxes are sorted by the Morton number of their centres, and eight neighbours make a block; eight blocks' hulls make a
//! block of the level above, up to one. A search starts with the pair of both top blocks and goes down level by level:
//! the pairs of lanes that overlap are the pairs of blocks to test on the level below, and on the lowest the result.
//! Boxes much larger than the median come last on the curve, so that they share blocks with one another only.

use super::block::{AFTER, Block, LANES, SAME, append_pairs, for_each_pair};
use super::{Aabb, PairChunks, Sample, ordered};
use crate::par;

/// Pairs of blocks per chunk.
const CHUNK: usize = 256;

/// Longest side of a box that is sorted among the usual ones, in medians: beyond it a box would blow up the hulls of its
/// neighbours.
const LARGE: f32 = 8.0;

/// The blocks of a search.
#[derive(Clone, Debug, Default)]
pub struct Search {
    first: Blocks,
    second: Blocks,
    /// Pairs of blocks of a level that overlap, and those of the level below.
    overlaps: [Vec<[u32; 2]>; 2],
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
        let levels = levels(first.len().max(second.len()));
        self.first.build(first, levels);
        self.second.build(second, levels);
        let Self { first, second, overlaps } = self;
        let above = descend(overlaps, chunks, levels, |level, i, j| {
            first.level(level)[i as usize].pairs(&second.level(level)[j as usize])
        });
        let (ones, others) = (first.level(0), second.level(0));
        par::append_chunks(above, CHUNK, chunks, pairs, |_, above, pairs| {
            for &[i, j] in above {
                let (one, other) = (&ones[i as usize], &others[j as usize]);
                append_pairs(one.pairs(other), |a, b| [one.index(a), other.index(b)], &keep, pairs);
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
        let levels = levels(boxes.len());
        self.first.build(boxes, levels);
        let Self { first, overlaps, .. } = self;
        let above = descend(overlaps, chunks, levels, |level, i, j| {
            let (blocks, lanes) = (first.level(level), if i == j { AFTER | SAME } else { !0 });
            blocks[i as usize].pairs(&blocks[j as usize]) & lanes
        });
        let blocks = first.level(0);
        par::append_chunks(above, CHUNK, chunks, pairs, |_, above, pairs| {
            for &[i, j] in above {
                let (one, other) = (&blocks[i as usize], &blocks[j as usize]);
                let lanes = if i == j { AFTER } else { !0 };
                let pair = |a, b| ordered(one.index(a), other.index(b));
                append_pairs(one.pairs(other) & lanes, pair, &keep, pairs);
            }
        });
    }
}

/// Goes down from the pair of top blocks to the pairs of lowest blocks that overlap; `lanes(level, i, j)` tells which lanes of
/// two blocks do.
fn descend<'a>(
    [above, below]: &'a mut [Vec<[u32; 2]>; 2],
    chunks: &mut PairChunks,
    levels: usize,
    lanes: impl Fn(usize, u32, u32) -> u64 + Sync,
) -> &'a [[u32; 2]] {
    above.clear();
    above.push([0, 0]);
    for level in (1..levels).rev() {
        below.clear();
        par::append_chunks(above, CHUNK, chunks, below, |_, above, below| {
            for &[i, j] in above {
                for_each_pair(lanes(level, i, j), |a, b| {
                    below.push([i * LANES as u32 + a, j * LANES as u32 + b]);
                });
            }
        });
        std::mem::swap(above, below);
    }
    above
}

/// Levels above `count` boxes, at least one.
fn levels(count: usize) -> usize {
    let mut levels = 1;
    while LANES.pow(levels) < count {
        levels += 1;
    }
    levels as usize
}

/// Blocks of one list of boxes.
#[derive(Clone, Debug, Default)]
struct Blocks {
    /// Level by level, the lowest first.
    all: Vec<Block>,
    /// Where each level starts; one more at the end.
    starts: Vec<usize>,
    /// One word per box, sorted: its place on the curve in the high bits, its number in the low ones.
    words: Vec<u64>,
    /// Space for sorting.
    spare: Vec<u64>,
}

impl Blocks {
    fn build(&mut self, boxes: &[Aabb], levels: usize) {
        let index_bits = self.sort(boxes);
        let mask = (1 << index_bits) - 1;
        self.all.clear();
        self.starts.clear();
        self.starts.push(0);
        self.all.extend(self.words.chunks(LANES).map(|words| {
            Block::of(words.iter().map(|word| {
                let index = (word & mask) as u32;
                (index, boxes[index as usize])
            }))
        }));
        for level in 1..levels {
            let (start, end) = (self.starts[level - 1], self.all.len());
            self.starts.push(end);
            for k in (start..end).step_by(LANES) {
                let children = &self.all[k..end.min(k + LANES)];
                let block = Block::of(children.iter().map(|child| (0, *child.hull())));
                self.all.push(block);
            }
        }
        self.starts.push(self.all.len());
    }

    fn level(&self, level: usize) -> &[Block] {
        &self.all[self.starts[level]..self.starts[level + 1]]
    }

    /// Sorts the boxes' words; returns the number of bits for their numbers.
    fn sort(&mut self, boxes: &[Aabb]) -> u32 {
        let index_bits = usize::BITS - (boxes.len() - 1).leading_zeros();
        let curve = Curve::of(boxes, (u64::BITS - 1 - index_bits) / 3);
        self.words.clear();
        self.words.extend(
            (0..).zip(boxes).map(|(index, bounds): (u64, _)| curve.place(bounds) << index_bits | index),
        );
        radix_sort(&mut self.words, &mut self.spare, index_bits, 3 * curve.bits + 1);
        index_bits
    }
}

/// A Morton curve through the centres of boxes.
#[derive(Clone, Copy, Debug)]
struct Curve {
    /// Where its cells begin, twice the coordinates [m].
    low2: [f32; 3],
    /// Cells in two metres.
    inverse_cell: f32,
    /// Bits of a coordinate.
    bits: u32,
    /// Boxes with a longer side come after all others [m].
    large: f32,
}

impl Curve {
    /// A curve with cells half as large as the median box, at most `most_bits` per coordinate; then boxes far outside share
    /// the outermost cells.
    fn of(boxes: &[Aabb], most_bits: u32) -> Self {
        let most_bits = most_bits.min(21);
        let sample = Sample::of(boxes);
        // A quarter of the cells for the middle 80 %: the rest is for outliers.
        let cell = (sample.extent / 2.0).max(sample.spread / (1 << (most_bits - 2)) as f32);
        let inverse_cell = if cell > 0.0 { 0.5 / cell } else { 1.0 };
        let half = (1 << (most_bits - 1)) as f32 / inverse_cell;
        let (mut low2, mut high2) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for bounds in boxes {
            for k in 0..3 {
                low2[k] = low2[k].min(bounds.center2(k));
                high2[k] = high2[k].max(bounds.center2(k));
            }
        }
        let low2 = std::array::from_fn(|k| low2[k].max(sample.center2[k] - half));
        let cells = (0..3)
            .map(|k| ((high2[k].min(sample.center2[k] + half) - low2[k]) * inverse_cell) as u32)
            .fold(0, u32::max);
        let bits = (u32::BITS - cells.leading_zeros()).min(most_bits);
        Self { low2, inverse_cell, bits, large: LARGE * sample.extent }
    }

    /// A box's place on the curve: 3 `bits` and one for large boxes.
    #[inline]
    fn place(&self, bounds: &Aabb) -> u64 {
        let last = (1 << self.bits) - 1;
        let cell = |k: usize| ((bounds.center2(k) - self.low2[k]) * self.inverse_cell) as u32;
        let curve = |k: usize| spread_bits(cell(k).min(last)) << k;
        let large = u64::from(bounds.extent() > self.large);
        large << (3 * self.bits) | curve(0) | curve(1) | curve(2)
    }
}

/// Puts two zeros before each of 21 bits.
#[inline]
fn spread_bits(x: u32) -> u64 {
    let x = u64::from(x);
    let x = (x | x << 32) & 0x001f_0000_0000_ffff;
    let x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

/// Sorts words by `bits` bits from `shift` on; words equal in these keep their order.
fn radix_sort(words: &mut Vec<u64>, spare: &mut Vec<u64>, shift: u32, bits: u32) {
    /// Bits per pass at the most: counters that stay in the first cache.
    const DIGIT: u32 = 11;
    spare.resize(words.len(), 0);
    let passes = bits.div_ceil(DIGIT);
    let digit_bits = bits.div_ceil(passes);
    for pass in 0..passes {
        let first = pass * digit_bits;
        let mask = (1 << digit_bits.min(bits - first)) - 1;
        let digit = |word: u64| (word >> (shift + first)) as usize & mask;
        let mut places = [0u32; 1 << DIGIT];
        for &word in &*words {
            places[digit(word)] += 1;
        }
        let mut start = 0;
        for place in &mut places[..1 << digit_bits] {
            start += std::mem::replace(place, start);
        }
        for &word in &*words {
            let place = &mut places[digit(word)];
            spare[*place as usize] = word;
            *place += 1;
        }
        std::mem::swap(words, spare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_by_the_given_bits() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 20
        };
        for (shift, bits) in [(0, 44), (7, 1), (12, 30), (20, 11), (3, 23)] {
            let mut words: Vec<u64> = (0..3000).map(|_| random()).collect();
            let mut sorted = words.clone();
            sorted.sort_by_key(|word| word >> shift & ((1 << bits) - 1));
            radix_sort(&mut words, &mut Vec::new(), shift, bits);
            assert_eq!(words, sorted);
        }
    }

    #[test]
    fn bits_are_spread_to_every_third_place() {
        for bit in 0..21 {
            assert_eq!(spread_bits(1 << bit), 1 << (3 * bit));
        }
        assert_eq!(spread_bits((1 << 21) - 1), 0x1249_2492_4924_9249);
    }

    #[test]
    fn levels_hold_all_boxes() {
        for (count, expected) in [(1, 1), (8, 1), (9, 2), (64, 2), (65, 3), (100_000, 6)] {
            assert_eq!(levels(count), expected);
        }
    }
}
