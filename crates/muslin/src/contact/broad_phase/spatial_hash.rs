//! A hashed grid [Teschner 2003], filled by a counting sort.
//!
//! Each box is listed once, in the cell of its low corner. Whoever overlaps it has that corner in his own box, widened
//! downward by the largest listed side: these cells are searched. Cells of a row along x have neighbouring places in the
//! table, so a row is one run of entries; entries of other rows that share a place are told by their row's number.
//! Boxes much larger than the median are not listed but tested against all, so none can fill the table.

use super::{Aabb, PairChunks, Sample, ordered};
use crate::par;

/// Boxes per chunk.
const CHUNK: usize = 128;

/// Sides of a listed box at the most, in medians.
const LARGE: f32 = 4.0;

/// The grid of a search.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// Cells a metre.
    inverse_cell: f64,
    /// The largest side of a listed box [m], and a little more.
    reach: f64,
    /// Where the entries of each place in the table start; one more at the end.
    starts: Vec<u32>,
    /// Boxes listed by cells.
    entries: Vec<Entry>,
    /// Numbers of the boxes that are not listed, in their order.
    large: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    bounds: Aabb,
    index: u32,
    row: Row,
}

/// The y and z of a cell.
type Row = [i32; 2];

impl Search {
    pub fn between(
        &mut self,
        chunks: &mut PairChunks,
        first: &[Aabb],
        second: &[Aabb],
        keep: impl Fn(u32, u32) -> bool + Sync,
        pairs: &mut Vec<[u32; 2]>,
    ) {
        self.build(second);
        par::append_chunks(first, CHUNK, chunks, pairs, |start, chunk, pairs| {
            for (a, bounds) in (start as u32..).zip(chunk) {
                let mut found = |b: u32| {
                    if keep(a, b) {
                        pairs.push([a, b]);
                    }
                };
                self.visit_listed(bounds, 0, &mut found);
                self.large.iter().filter(|&&b| bounds.overlaps(&second[b as usize])).for_each(|&b| found(b));
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
        self.build(boxes);
        par::append_chunks(boxes, CHUNK, chunks, pairs, |start, chunk, pairs| {
            for (a, bounds) in (start as u32..).zip(chunk) {
                let mut found = |b: u32| {
                    let [low, high] = ordered(a, b);
                    if keep(low, high) {
                        pairs.push([low, high]);
                    }
                };
                // Of a listed and a large box, the listed one finds the pair.
                let large = if let Ok(place) = self.large.binary_search(&a) {
                    &self.large[place + 1..]
                } else {
                    self.visit_listed(bounds, a + 1, &mut found);
                    &self.large
                };
                large.iter().filter(|&&b| bounds.overlaps(&boxes[b as usize])).for_each(|&b| found(b));
            }
        });
    }

    fn build(&mut self, boxes: &[Aabb]) {
        let sample = Sample::of(boxes);
        let limit = LARGE * sample.extent;
        let is_listed = |bounds: &Aabb| (0..3).all(|k| bounds.high[k] - bounds.low[k] <= limit);
        let listed = || (0..).zip(boxes).filter(|(_, bounds)| is_listed(bounds));
        self.large.clear();
        self.large.extend((0..).zip(boxes).filter(|(_, b)| !is_listed(b) && !b.has_nan()).map(|(a, _)| a));
        // A little more than the largest side, for the rounding of differences.
        self.reach =
            f64::from(listed().map(|(_, bounds)| bounds.extent()).fold(0.0, f32::max)) * (1.0 + 1e-6);
        // Boxes that are small against their distances: about one a cell, if they lie in a plane.
        let cell = self.reach.max(f64::from(sample.spread) / (boxes.len() as f64).sqrt());
        self.inverse_cell = if cell > 0.0 { 1.0 / cell } else { 1.0 };

        // Counting sort: places counted, summed to the ends of their runs, and filled from the ends down.
        let places = boxes.len().next_power_of_two();
        self.starts.clear();
        self.starts.resize(places + 1, 0);
        let home = |bounds: &Aabb| {
            let [x, y, z] = bounds.low.map(|low| cell_of(f64::from(low), self.inverse_cell));
            (place_of(x, [y, z], places), [y, z])
        };
        let mut count = 0;
        for (_, bounds) in listed() {
            self.starts[home(bounds).0] += 1;
            count += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.entries.resize(count, Entry { bounds: Aabb::EMPTY, index: 0, row: [0; 2] });
        for (index, &bounds) in listed() {
            let (place, row) = home(&bounds);
            self.starts[place] -= 1;
            self.entries[self.starts[place] as usize] = Entry { bounds, index, row };
        }
    }

    /// Calls `found` with every listed box from number `from` on that overlaps `bounds`.
    #[inline]
    fn visit_listed(&self, bounds: &Aabb, from: u32, mut found: impl FnMut(u32)) {
        let places = self.starts.len() - 1;
        let low = bounds.low.map(|low| cell_of(f64::from(low) - self.reach, self.inverse_cell));
        let high = bounds.high.map(|high| cell_of(f64::from(high), self.inverse_cell));
        let cells: [u64; 3] =
            std::array::from_fn(|k| (i64::from(high[k]) - i64::from(low[k]) + 1).max(0) as u64);
        let mut visit = |entries: &[Entry], row: Option<Row>| {
            for entry in entries {
                let here = row.is_none_or(|row| entry.row == row);
                if here & (entry.index >= from) & entry.bounds.overlaps(bounds) {
                    found(entry.index);
                }
            }
        };
        // More rows than entries, or a row that would pass the table's end twice.
        if cells[1].saturating_mul(cells[2]) > self.entries.len() as u64 || cells[0] > places as u64 {
            return visit(&self.entries, None);
        }
        let run =
            |from: usize, to: usize| &self.entries[self.starts[from] as usize..self.starts[to] as usize];
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                let place = place_of(low[0], [y, z], places);
                let end = place + cells[0] as usize;
                visit(run(place, end.min(places)), Some([y, z]));
                if end > places {
                    visit(run(0, end - places), Some([y, z]));
                }
            }
        }
    }
}

/// The cell of a coordinate. Not decreasing in it, which is all a search needs: cells at zero may be twice as wide, and
/// the outermost endless.
#[inline]
fn cell_of(x: f64, inverse_cell: f64) -> i32 {
    (x * inverse_cell) as i32
}

/// The place of a cell in a table of `places`, a power of two.
#[inline]
fn place_of(x: i32, [y, z]: Row, places: usize) -> usize {
    let row = (y as u32).wrapping_mul(0x9E37_79B1) ^ (z as u32).wrapping_mul(0x85EB_CA6B).rotate_left(16);
    (x as u32).wrapping_add(row ^ (row >> 15)) as usize & (places - 1)
}
