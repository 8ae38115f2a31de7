//! Threads: the only file that knows of them.
//!
//! Work is cut into chunks of fixed size, never by the number of threads, so results do not depend on it.
//! How many threads serve is the caller's choice (a rayon pool around the call); without one, all cores. Without the feature
//! `parallel` one thread does everything, with the same results.

#[cfg(feature = "parallel")]
use rayon::prelude::*;
#[cfg(not(feature = "parallel"))]
use serial::{Chunks, ChunksMut};

/// Items a chunk: some 20 µs of work, far above the cost of handing it over.
const CHUNK: usize = 2048;

/// Whether `items` are enough to be worth sharing between the threads at hand: some 100 µs of work, against some 10 µs
/// to wake the others.
pub fn worthwhile(items: usize) -> bool {
    items >= 12 * CHUNK && threads() > 1
}

/// Fills `out`, `width` entries for each item: `fill(item, its entries)`.
pub fn fill_each<I: Sync, O: Send>(
    items: &[I],
    out: &mut [O],
    width: usize,
    fill: impl Fn(&I, &mut [O]) + Sync,
) {
    items.par_chunks(CHUNK).zip(out.par_chunks_mut(CHUNK * width)).for_each(|(items, out)| {
        for (item, entries) in items.iter().zip(out.chunks_exact_mut(width)) {
            fill(item, entries);
        }
    });
}

/// Rows or particles a chunk: each gathers from a dozen neighbours.
const ROWS: usize = 256;

/// Changes every entry of `out`, knowing its number.
pub fn update_each<O: Send>(out: &mut [O], update: impl Fn(usize, &mut O) + Sync) {
    if threads() == 1 {
        return out.iter_mut().enumerate().for_each(|(k, entry)| update(k, entry));
    }
    out.par_chunks_mut(ROWS).enumerate().for_each(|(chunk, out)| {
        for (k, entry) in out.iter_mut().enumerate() {
            update(chunk * ROWS + k, entry);
        }
    });
}

/// Changes every item, each a task of its own if they are `worth` it.
pub fn each<I: Send>(items: &mut [I], worth: bool, change: impl Fn(&mut I) + Sync + Send) {
    if worth && threads() > 1 {
        items.par_iter_mut().for_each(change);
    } else {
        items.iter_mut().for_each(change);
    }
}

/// Chunks, of some 5 µs or more each, that are worth sharing.
pub const ENOUGH_CHUNKS: usize = 8;

/// Fills `out` in chunks of `size` entries: `fill(number of the chunk, its entries)`.
pub fn fill_chunks<O: Send>(out: &mut [O], size: usize, fill: impl Fn(usize, &mut [O]) + Sync + Send) {
    if out.len() >= ENOUGH_CHUNKS * size && threads() > 1 {
        out.par_chunks_mut(size).enumerate().for_each(|(chunk, out)| fill(chunk, out));
    } else {
        out.chunks_mut(size).enumerate().for_each(|(chunk, out)| fill(chunk, out));
    }
}

/// The sums over chunks of `size` items of `count`: `sum(range of the chunk)`, added in the order of the chunks.
pub fn sum_chunks<const N: usize>(
    count: usize,
    size: usize,
    sum: impl Fn(std::ops::Range<usize>) -> [f64; N] + Sync + Send,
) -> [f64; N] {
    const MOST: usize = 1024;
    let size = size.max(count.div_ceil(MOST));
    let chunk = |k: usize| sum(k * size..((k + 1) * size).min(count));
    let chunks = count.div_ceil(size);
    let mut total = [0.0; N];
    let mut add = |sums: [f64; N]| {
        for (total, sum) in total.iter_mut().zip(sums) {
            *total += sum;
        }
    };
    if chunks >= ENOUGH_CHUNKS && threads() > 1 {
        let mut sums = [[0.0; N]; MOST];
        sums[..chunks].par_iter_mut().enumerate().for_each(|(k, sum)| *sum = chunk(k));
        sums[..chunks].iter().copied().for_each(add);
    } else {
        (0..chunks).map(chunk).for_each(&mut add);
    }
    total
}

/// Changes `items` in chunks of `size`: `change(number of the chunk, its items)` returns numbers of at least zero, of which
/// the largest are returned.
pub fn max_chunks<I: Send, const N: usize>(
    items: &mut [I],
    size: usize,
    change: impl Fn(usize, &mut [I]) -> [f64; N] + Sync + Send,
) -> [f64; N] {
    let larger = |a: [f64; N], b: [f64; N]| std::array::from_fn(|n| a[n].max(b[n]));
    #[cfg(feature = "parallel")]
    if items.len() >= ENOUGH_CHUNKS * size && threads() > 1 {
        let chunks = items.par_chunks_mut(size).enumerate();
        return chunks.map(|(chunk, items)| change(chunk, items)).reduce(|| [0.0; N], larger);
    }
    let chunks = items.chunks_mut(size).enumerate();
    chunks.map(|(chunk, items)| change(chunk, items)).fold([0.0; N], larger)
}

/// Works through two lists of equal length in chunks of `chunk`, on the threads at hand if `worthwhile`: `work(number of the
/// first item, items of both)`.
pub fn share_pairs<A: Send, B: Send>(
    first: &mut [A],
    second: &mut [B],
    chunk: usize,
    worthwhile: bool,
    work: impl Fn(usize, &mut [A], &mut [B]) + Sync,
) {
    if worthwhile && threads() > 1 {
        let chunks = first.par_chunks_mut(chunk).zip(second.par_chunks_mut(chunk));
        chunks.enumerate().for_each(|(k, (first, second))| work(k * chunk, first, second));
    } else {
        work(0, first, second);
    }
}

/// Appends to `out` what `work` appends for each item, in the order of the items.
pub fn collect_chunks<I: Sync, O: Copy + Send>(
    items: &[I],
    out: &mut Vec<O>,
    work: impl Fn(&I, &mut Vec<O>) + Sync,
) {
    if items.len() < ENOUGH_CHUNKS * ROWS || threads() == 1 {
        return items.iter().for_each(|item| work(item, out));
    }
    let collect = |items: &[I]| {
        let mut part = Vec::new();
        for item in items {
            work(item, &mut part);
        }
        part
    };
    let parts: Vec<Vec<O>> = items.par_chunks(CHUNK).map(collect).collect();
    for part in &parts {
        out.extend_from_slice(part);
    }
}

/// Appends to `out` what `work(number of the first item, items, out)` appends for chunks of `size` items, in the order of
/// the chunks. What is appended for an item must not depend on the chunk it is in. `parts` is space that is kept.
pub fn append_chunks<I: Sync, O: Copy + Send>(
    items: &[I],
    size: usize,
    parts: &mut Vec<Vec<O>>,
    out: &mut Vec<O>,
    work: impl Fn(usize, &[I], &mut Vec<O>) + Sync,
) {
    if items.len() < ENOUGH_CHUNKS * size || threads() == 1 {
        return work(0, items, out);
    }
    let chunks = items.len().div_ceil(size);
    if parts.len() < chunks {
        parts.resize_with(chunks, Vec::new);
    }
    items.par_chunks(size).zip(&mut parts[..chunks]).enumerate().for_each(|(chunk, (items, part))| {
        part.clear();
        work(chunk * size, items, part);
    });
    parts[..chunks].iter().for_each(|part| out.extend_from_slice(part));
}

/// What `work` makes of chunks of `size` items, in their order: of one chunk, if that is not worth sharing.
pub fn map_chunks<I: Sync, R: Send>(
    items: &[I],
    size: usize,
    work: impl Fn(&[I]) -> R + Sync + Send,
) -> Vec<R> {
    if items.len() < ENOUGH_CHUNKS * size || threads() == 1 {
        return vec![work(items)];
    }
    items.par_chunks(size).map(work).collect()
}

/// Runs `work` on `threads` threads of its own.
///
/// # Panics
/// If the operating system refuses to start a thread; [`try_with_count`](try_with_threads) returns that.
pub fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    try_with_threads(threads, work).expect("the operating system refused to start threads")
}

/// Runs `work` on `threads` threads of its own, if they can be had.
pub fn try_with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Result<R, NoThreads> {
    #[cfg(feature = "parallel")]
    {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
        pool.map(|pool| pool.install(work)).map_err(|error| NoThreads(error.to_string()))
    }
    #[cfg(not(feature = "parallel"))]
    {
        let _ = threads;
        Ok(work())
    }
}

/// The operating system refused to start threads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the operating system refused to start threads: {0}")]
pub struct NoThreads(String);

/// How many threads serve now.
#[cfg(feature = "parallel")]
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// How many threads serve now: one.
#[cfg(not(feature = "parallel"))]
pub fn threads() -> usize {
    1
}

/// What rayon offers, on one thread.
#[cfg(not(feature = "parallel"))]
mod serial {
    /// Chunks of a slice.
    pub trait Chunks<T> {
        fn par_chunks(&self, size: usize) -> std::slice::Chunks<'_, T>;
    }

    /// Chunks and items of a slice, to be changed.
    pub trait ChunksMut<T> {
        fn par_chunks_mut(&mut self, size: usize) -> std::slice::ChunksMut<'_, T>;
        fn par_iter_mut(&mut self) -> std::slice::IterMut<'_, T>;
    }

    impl<T> Chunks<T> for [T] {
        fn par_chunks(&self, size: usize) -> std::slice::Chunks<'_, T> {
            self.chunks(size)
        }
    }

    impl<T> ChunksMut<T> for [T] {
        fn par_chunks_mut(&mut self, size: usize) -> std::slice::ChunksMut<'_, T> {
            self.chunks_mut(size)
        }

        fn par_iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
            self.iter_mut()
        }
    }
}
