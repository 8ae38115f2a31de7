//! How many threads serve. Results have the same bits on any number of them.

pub use crate::par::{
    NoThreads, threads as count, try_with_threads as try_with_count, with_threads as with_count,
};
