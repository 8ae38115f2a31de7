//! Wide registers: the only folder that knows of them.
//!
//! Every kernel has a plain form beside the wide one that gives the same bits, for machines without these instructions
//! and as the oracle of the tests. Which one serves is asked of the machine at run time, once, when a solver prepares.

pub mod constraints;

/// Which instructions a kernel may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width(Lanes);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lanes {
    /// One number at a time.
    One,
    /// Eight single numbers at a time, with fused multiplication and addition.
    #[cfg(target_arch = "x86_64")]
    Eight,
}

impl Width {
    /// One number at a time, on any machine.
    pub const PLAIN: Self = Self(Lanes::One);

    /// The widest that this machine has.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Self(Lanes::Eight);
        }
        Self::PLAIN
    }

    /// Whether eight numbers go at a time.
    pub fn is_wide(self) -> bool {
        self != Self::PLAIN
    }
}
