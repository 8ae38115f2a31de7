//! What tests, benchmarks and the lab look at beyond the public interface; it may change with any version.

/// Work shared between threads.
pub mod par {
    pub use crate::par::*;
}

/// What several methods share.
pub mod parts {
    pub use crate::parts::*;
}

/// Wide registers.
pub mod simd {
    pub use crate::simd::*;
}
