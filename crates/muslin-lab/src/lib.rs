//! Studies that redo published experiments, and the reports they end in.

pub mod report;
pub mod statistics;
