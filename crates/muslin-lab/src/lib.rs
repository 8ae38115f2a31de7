//! Studies that redo published experiments, and the reports they end in.

pub mod quality;
pub mod report;
pub mod statistics;
pub mod studies;
mod study;
pub mod timing;

pub use studies::STUDIES;
pub use study::{Context, Study, digest};
