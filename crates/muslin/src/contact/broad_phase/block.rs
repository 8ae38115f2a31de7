//! Eight boxes side by side.
//!
//! Coordinates are stored by lanes, so that one box is tested against eight by plain loops which compilers turn into wide
//! instructions; all pairs of two blocks are the bits of one word.

use super::Aabb;

/// Boxes per block.
pub const LANES: usize = 8;

/// Pairs of lanes as bits, 8 a + b: those with a = b.
pub const SAME: u64 = 0x8040_2010_0804_0201;

/// Those with a < b.
pub const AFTER: u64 = 0x0080_C0E0_F0F8_FCFE;

/// Up to eight boxes.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Block {
    low: [[f32; LANES]; 3],
    high: [[f32; LANES]; 3],
    /// 1 << lane; zero in lanes without a box. Kept in memory because compilers use wide instructions only for bits that
    /// they do not know.
    bit: [u32; LANES],
    /// Numbers of the boxes.
    index: [u32; LANES],
    /// Around all of them.
    hull: Aabb,
}

impl Block {
    /// A block of the first eight boxes and their numbers.
    pub fn of(boxes: impl Iterator<Item = (u32, Aabb)>) -> Self {
        let mut block = Self {
            low: [[0.0; LANES]; 3],
            high: [[0.0; LANES]; 3],
            bit: [0; LANES],
            index: [0; LANES],
            hull: Aabb::NOTHING_YET,
        };
        for (lane, (index, bounds)) in (0..LANES).zip(boxes) {
            for k in 0..3 {
                block.low[k][lane] = bounds.low[k];
                block.high[k][lane] = bounds.high[k];
            }
            block.bit[lane] = 1 << lane;
            block.index[lane] = index;
            block.hull.grow(&bounds);
        }
        block
    }

    /// The box around all.
    #[inline]
    pub fn hull(&self) -> &Aabb {
        &self.hull
    }

    /// The number of a lane's box.
    #[inline]
    pub fn index(&self, lane: u32) -> u32 {
        self.index[lane as usize % LANES]
    }

    /// The pairs of a lane and one of `other` that overlap, as bits 8 a + b.
    #[inline]
    pub fn pairs(&self, other: &Self) -> u64 {
        // Neighbouring blocks mostly share a border: few lanes of the one reach the other at all.
        let mut lanes = self.overlaps(&other.hull);
        let mut pairs = 0;
        while lanes != 0 {
            let a = lanes.trailing_zeros();
            lanes &= lanes - 1;
            pairs |= u64::from(other.overlaps(&self.lane(a))) << (LANES as u32 * a);
        }
        pairs
    }

    /// The lanes that overlap a box, as bits.
    #[inline(always)]
    fn overlaps(&self, bounds: &Aabb) -> u32 {
        let mut bits = self.bit;
        for lane in 0..LANES {
            let axis =
                |k: usize| (self.low[k][lane] <= bounds.high[k]) & (bounds.low[k] <= self.high[k][lane]);
            bits[lane] = if axis(0) & axis(1) & axis(2) { bits[lane] } else { 0 };
        }
        bits.iter().fold(0, |all, bit| all | bit)
    }

    #[inline(always)]
    fn lane(&self, lane: u32) -> Aabb {
        let at = |row: &[f32; LANES]| row[lane as usize % LANES];
        let [low, high] = [&self.low, &self.high];
        Aabb {
            low: [at(&low[0]), at(&low[1]), at(&low[2])],
            high: [at(&high[0]), at(&high[1]), at(&high[2])],
        }
    }
}

/// Calls `each` with the a and b of every bit 8 a + b.
#[inline]
pub fn for_each_pair(mut bits: u64, mut each: impl FnMut(u32, u32)) {
    while bits != 0 {
        let bit = bits.trailing_zeros();
        bits &= bits - 1;
        each(bit / LANES as u32, bit % LANES as u32);
    }
}

/// Appends those of the pairs 8 a + b that `keep` wants, of the numbers that `pair` makes of a and b. Without a branch on
/// the answer, which is hard to predict.
#[inline]
pub fn append_pairs(
    bits: u64,
    pair: impl Fn(u32, u32) -> [u32; 2],
    keep: impl Fn(u32, u32) -> bool,
    pairs: &mut Vec<[u32; 2]>,
) {
    let mut end = pairs.len();
    pairs.resize(end + bits.count_ones() as usize, [0; 2]);
    for_each_pair(bits, |a, b| {
        let [a, b] = pair(a, b);
        pairs[end] = [a, b];
        end += usize::from(keep(a, b));
    });
    pairs.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_the_pairs_that_overlap() {
        let boxes = |count: u8, step: f32| -> Vec<Aabb> {
            (0..count)
                .map(|k| f32::from(k) * step)
                .map(|x| Aabb { low: [x, 0.0, -x], high: [x + 1.0, 1.0, 0.0] })
                .collect()
        };
        let (ones, others) = (boxes(8, 0.7), boxes(5, 1.1));
        let [one, other] = [&ones, &others].map(|boxes| Block::of((10..).zip(boxes.iter().copied())));
        let mut expected = Vec::new();
        for (a, box_a) in (0..).zip(&ones) {
            let hits = (0..).zip(&others).filter(|(_, box_b)| box_a.overlaps(box_b));
            expected.extend(hits.map(|(b, _)| (a, b)));
        }
        let mut found = Vec::new();
        for_each_pair(one.pairs(&other), |a, b| found.push((a, b)));
        assert_eq!(found, expected);
        assert!(!found.is_empty() && found.len() < 40);
        assert_eq!((one.index(3), other.index(0)), (13, 10));
    }

    #[test]
    fn masks_have_the_documented_bits() {
        let bits = |wanted: fn(u32, u32) -> bool| {
            (0..64).filter(|bit| wanted(bit / 8, bit % 8)).fold(0u64, |bits, bit| bits | 1 << bit)
        };
        assert_eq!(SAME, bits(|a, b| a == b));
        assert_eq!(AFTER, bits(|a, b| a < b));
    }
}
