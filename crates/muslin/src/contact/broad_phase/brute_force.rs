//! Every box against every other: n² tests, no structure, no assumptions. The oracle of the other phases, and as fast as
//! they are for a few dozen boxes.

use super::{Aabb, PairChunks};
use crate::par;

/// Boxes per chunk.
const CHUNK: usize = 16;

pub fn between(
    chunks: &mut PairChunks,
    first: &[Aabb],
    second: &[Aabb],
    keep: impl Fn(u32, u32) -> bool + Sync,
    pairs: &mut Vec<[u32; 2]>,
) {
    par::append_chunks(first, CHUNK, chunks, pairs, |start, chunk, pairs| {
        for (a, one) in (start as u32..).zip(chunk) {
            for (b, other) in (0..).zip(second) {
                if one.overlaps(other) && keep(a, b) {
                    pairs.push([a, b]);
                }
            }
        }
    });
}

pub fn within(
    chunks: &mut PairChunks,
    boxes: &[Aabb],
    keep: impl Fn(u32, u32) -> bool + Sync,
    pairs: &mut Vec<[u32; 2]>,
) {
    par::append_chunks(boxes, CHUNK, chunks, pairs, |start, chunk, pairs| {
        for (a, one) in (start as u32..).zip(chunk) {
            for (b, other) in (a + 1..).zip(&boxes[a as usize + 1..]) {
                if one.overlaps(other) && keep(a, b) {
                    pairs.push([a, b]);
                }
            }
        }
    });
}
