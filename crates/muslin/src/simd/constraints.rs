//! Distance constraints of XPBD, eight at a time, in single precision.
//!
//! Positions are displacements u from a reference x̂ that is kept in double precision. With d̂ = x̂_b − x̂_a, l̂ = |d̂|,
//! δ = u_b − u_a, d = d̂ + δ, l = |d| the elongation is found without the difference of two nearly equal lengths:
//!
//! ```text
//! C  = l − L = Ĉ + (l − l̂) = Ĉ + δ·(d + d̂)/(l + l̂)                 Ĉ = l̂ − L, rounded from double precision
//! Δλ = −(C + α̃ λ)/(w_a + w_b + α̃)                                  (18) of Macklin 2016
//! Δu_b = w_b Δλ d/l,   Δu_a = −w_a Δλ d/l                          (17)
//! ```
//!
//! so that one square root and one division serve a constraint, and rounding is that of displacements within a step, not
//! that of positions. Constraints of a batch share no particle that moves; they could be solved in any order.

#![allow(unsafe_code, reason = "wide registers")]

use crate::par;

/// Which instructions a kernel may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instructions(Lanes);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lanes {
    /// One number at a time.
    One,
    /// Eight single numbers at a time, with fused multiplication and addition.
    #[cfg(target_arch = "x86_64")]
    Eight,
}

impl Instructions {
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

/// Constraints a block.
pub const WIDTH: usize = 8;

/// Blocks that one thread takes at a time: some 5 µs of work.
const CHUNK: usize = 512;

/// Blocks from which on sharing a batch between threads gains: some 40 µs of work against some 10 to wake the others.
const WORTHWHILE: usize = 8 * CHUNK;

/// One number for each constraint of a block.
pub type Lane = [f32; WIDTH];

/// A particle as the kernel sees it: its displacement from the reference [m], and its inverse mass [1/kg].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct Particle(pub [f32; 4]);

/// What every sweep reads of eight constraints: four cache lines.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Block {
    /// Numbers of the particles a and b.
    ends: [[u32; WIDTH]; 2],
    /// d̂ by coordinates [m].
    pub reference: [Lane; 3],
    /// l̂ [m].
    pub length: Lane,
    /// Ĉ, with what damping makes of it [m].
    pub excess: Lane,
    /// w_a + w_b + α̃ [1/kg].
    pub resistance: Lane,
}

/// What only some sweeps read of eight constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Details {
    /// α̃ [1/kg].
    pub compliance: Lane,
    /// λ so far, of this substep [kg·m].
    pub multiplier: Lane,
    /// Lowest λ: 0 for what only pushes, else −∞.
    pub lowest: Lane,
    /// Highest λ: 0 for what only pulls, else ∞.
    pub highest: Lane,
    /// The elastic part of the excess, k Ĉ/(k + c/h) [m].
    pub elastic: Lane,
    /// (c/h)/(k + c/h): how much of the length at the start of the substep the rest length takes over.
    pub viscous: Lane,
}

/// Constraints that share no particle that moves, in blocks of eight; the last block is filled up with constraints of no
/// effect on a particle of its own.
#[derive(Clone, Debug)]
pub struct Batch {
    /// What every sweep reads.
    pub blocks: Vec<Block>,
    /// What only some read.
    pub details: Vec<Details>,
    /// All ends lie below.
    particles: usize,
    /// The first end is held: it is read, not written.
    anchored: bool,
    /// Some λ have bounds.
    bounded: bool,
    count: usize,
}

/// How a sweep goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// Which instructions.
    pub width: Instructions,
    /// λ of earlier sweeps counts, and is kept for later ones. Without it, λ = 0 before each sweep.
    pub accumulate: bool,
}

impl Batch {
    /// A batch of constraints between pairs of `particles` particles. The last particle serves the filling: it must be
    /// of no constraint. `anchored`: the first end of each is held, and may be shared. `bounded`: some λ will have bounds.
    ///
    /// # Panics
    /// If an end is not below `particles − 1`, or a particle that may move belongs to two constraints.
    pub fn new(ends: &[[u32; 2]], particles: usize, anchored: bool, bounded: bool) -> Self {
        let filling = particles.checked_sub(1).expect("a particle for the filling") as u32;
        let mut taken = vec![false; particles];
        for &[a, b] in ends {
            assert!(a < filling && b < filling && a != b, "two different particles below the last");
            for end in if anchored { [b, b] } else { [a, b] }.into_iter().take(2 - usize::from(anchored)) {
                assert!(
                    !std::mem::replace(&mut taken[end as usize], true),
                    "particle {end} in two constraints"
                );
            }
        }
        let still = Block {
            ends: [[filling; WIDTH]; 2],
            reference: [[1.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]],
            length: [1.0; WIDTH],
            excess: [0.0; WIDTH],
            resistance: [1.0; WIDTH],
        };
        let free = Details {
            lowest: [f32::NEG_INFINITY; WIDTH],
            highest: [f32::INFINITY; WIDTH],
            ..Details::default()
        };
        let mut blocks = vec![still; ends.len().div_ceil(WIDTH)];
        let details = vec![free; blocks.len()];
        for (k, &[a, b]) in ends.iter().enumerate() {
            blocks[k / WIDTH].ends[0][k % WIDTH] = a;
            blocks[k / WIDTH].ends[1][k % WIDTH] = b;
        }
        Self { blocks, details, particles, anchored, bounded, count: ends.len() }
    }

    /// Number of constraints, without the filling.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no constraint.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The particles of constraint `k`.
    pub fn ends(&self, k: usize) -> [u32; 2] {
        self.blocks[k / WIDTH].ends.map(|end| end[k % WIDTH])
    }

    /// Solves every constraint once. On several threads if there are enough; the bits do not depend on it.
    pub fn project(&mut self, sweep: Sweep, particles: &mut [Particle]) {
        assert!(particles.len() >= self.particles, "as many particles as the batch was made for");
        let kernel = kernel(sweep, self.anchored, self.bounded);
        let particles = Shared(particles.as_mut_ptr());
        let threads = self.blocks.len() >= WORTHWHILE;
        par::share_pairs(&mut self.blocks, &mut self.details, CHUNK, threads, |blocks, details| {
            // SAFETY: ends are below `self.particles` by `new`, and so within the slice. No other block of this batch
            // holds a particle that this one writes, by `new` again, but for the filling, of which there is one block.
            unsafe { kernel(blocks, details, particles.pointer()) }
        });
    }

    /// Takes the lengths at the start of a substep into the excess: k Ĉ/(k + c/h) − (c/h)/(k + c/h) (l − l̂).
    pub fn damp(&mut self, width: Instructions, particles: &[Particle]) {
        assert!(particles.len() >= self.particles, "as many particles as the batch was made for");
        let threads = self.blocks.len() >= WORTHWHILE;
        par::share_pairs(&mut self.blocks, &mut self.details, CHUNK, threads, |blocks, details| {
            match width.0 {
                Lanes::One => plain::damp(blocks, details, particles),
                // SAFETY: `Lanes::Eight` exists only where AVX2 and FMA were detected; ends are within the slice by `new`.
                #[cfg(target_arch = "x86_64")]
                Lanes::Eight => unsafe { wide::damp(blocks, details, particles.as_ptr()) },
            }
        });
    }

    /// Forgets λ.
    pub fn reset(&mut self) {
        self.details.iter_mut().for_each(|details| details.multiplier = [0.0; WIDTH]);
    }
}

/// Particles that several threads write, each at places of its own.
#[derive(Clone, Copy)]
struct Shared(*mut Particle);

impl Shared {
    fn pointer(self) -> *mut Particle {
        self.0
    }
}

// SAFETY: a pointer alone does nothing; whoever dereferences it answers for it.
unsafe impl Sync for Shared {}
// SAFETY: as above.
unsafe impl Send for Shared {}

/// Solves blocks of constraints once. The pointer must be valid for the particles of the blocks, and nobody else may use
/// those of them that move meanwhile.
type Kernel = unsafe fn(&[Block], &mut [Details], *mut Particle);

/// The kernel for a sweep: each choice is made here, none inside.
fn kernel(sweep: Sweep, anchored: bool, bounded: bool) -> Kernel {
    macro_rules! choose {
        ($module:ident) => {
            match (anchored, bounded, sweep.accumulate) {
                (false, false, false) => $module::project::<false, false, false>,
                (false, false, true) => $module::project::<false, false, true>,
                (false, true, false) => $module::project::<false, true, false>,
                (false, true, true) => $module::project::<false, true, true>,
                (true, false, false) => $module::project::<true, false, false>,
                (true, false, true) => $module::project::<true, false, true>,
                (true, true, false) => $module::project::<true, true, false>,
                (true, true, true) => $module::project::<true, true, true>,
            }
        };
    }
    match sweep.width.0 {
        Lanes::One => choose!(plain),
        #[cfg(target_arch = "x86_64")]
        Lanes::Eight => choose!(wide),
    }
}

/// One constraint after the other: the same operations in the same order.
mod plain {
    use super::{Block, Details, Particle, WIDTH};

    /// See [`Kernel`](super::Kernel).
    pub unsafe fn project<const ANCHORED: bool, const BOUNDED: bool, const ACCUMULATE: bool>(
        blocks: &[Block],
        details: &mut [Details],
        particles: *mut Particle,
    ) {
        for (block, details) in blocks.iter().zip(details) {
            for k in 0..WIDTH {
                let [a, b] = block.ends.map(|end| end[k] as usize);
                // SAFETY: by the contract of `Kernel`; a and b differ but in the filling, which is copied here.
                let (mut first, mut second) = unsafe { ((*particles.add(a)).0, (*particles.add(b)).0) };
                let delta: [f32; 3] = std::array::from_fn(|c| second[c] - first[c]);
                let d: [f32; 3] = std::array::from_fn(|c| block.reference[c][k] + delta[c]);
                let sum: [f32; 3] = std::array::from_fn(|c| block.reference[c][k] + d[c]);
                let length = dot(d, d).sqrt();
                let lengths = length + block.length[k];
                let mut excess = block.excess[k];
                if ACCUMULATE {
                    excess = details.compliance[k].mul_add(details.multiplier[k], excess);
                }
                let numerator = excess.mul_add(lengths, dot(delta, sum));
                let denominator = (lengths * length) * block.resistance[k];
                // −Δλ/l; none where there is no direction.
                let mut pull = if denominator > 0.0 { numerator / denominator } else { 0.0 };
                if BOUNDED && !ACCUMULATE {
                    pull = maximum(minimum(pull, -details.lowest[k]), -details.highest[k]);
                }
                if ACCUMULATE {
                    let before = details.multiplier[k];
                    let mut after = (-pull).mul_add(length, before);
                    if BOUNDED {
                        after = minimum(maximum(after, details.lowest[k]), details.highest[k]);
                        let change = (before - after) / length;
                        pull = if denominator > 0.0 { change } else { 0.0 };
                    }
                    details.multiplier[k] = after;
                }
                for c in 0..3 {
                    let way = pull * d[c];
                    second[c] = (-second[3]).mul_add(way, second[c]);
                    first[c] = first[3].mul_add(way, first[c]);
                }
                // SAFETY: as above.
                unsafe {
                    (*particles.add(b)).0 = second;
                    if !ANCHORED {
                        (*particles.add(a)).0 = first;
                    }
                }
            }
        }
    }

    /// See [`Batch::damp`](super::Batch::damp).
    pub fn damp(blocks: &mut [Block], details: &[Details], particles: &[Particle]) {
        for (block, details) in blocks.iter_mut().zip(details) {
            for k in 0..WIDTH {
                let [first, second] = block.ends.map(|end| particles[end[k] as usize].0);
                let delta: [f32; 3] = std::array::from_fn(|c| second[c] - first[c]);
                let d: [f32; 3] = std::array::from_fn(|c| block.reference[c][k] + delta[c]);
                let sum: [f32; 3] = std::array::from_fn(|c| block.reference[c][k] + d[c]);
                let lengths = dot(d, d).sqrt() + block.length[k];
                let growth = if lengths > 0.0 { dot(delta, sum) / lengths } else { 0.0 };
                block.excess[k] = (-details.viscous[k]).mul_add(growth, details.elastic[k]);
            }
        }
    }

    fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
        a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
    }

    /// As the machine has it: the second if either is no number.
    fn minimum(a: f32, b: f32) -> f32 {
        if a < b { a } else { b }
    }

    fn maximum(a: f32, b: f32) -> f32 {
        if a > b { a } else { b }
    }
}

/// Eight constraints at a time.
///
/// Gathers are slow: each end is one load of 128 bits. Differences are taken before the transpose and inverse masses are
/// spread after it, so that one transpose each way serves both ends.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Block, Details, Lane, Particle, WIDTH};
    use std::arch::x86_64::*;

    /// Halves of a block: constraints k and k + 4 share a register.
    const HALF: usize = WIDTH / 2;

    /// See [`Kernel`](super::Kernel); AVX2 and FMA must be there.
    #[target_feature(enable = "avx2,fma")]
    pub unsafe fn project<const ANCHORED: bool, const BOUNDED: bool, const ACCUMULATE: bool>(
        blocks: &[Block],
        details: &mut [Details],
        particles: *mut Particle,
    ) {
        for (block, details) in blocks.iter().zip(details) {
            // SAFETY: by the contract of `Kernel`.
            let (first, second) =
                unsafe { (gather(&block.ends[0], particles), gather(&block.ends[1], particles)) };
            let geometry = Geometry::of(block, first, second);
            let Geometry { d, length, lengths, product } = geometry;
            let mut excess = load(&block.excess);
            if ACCUMULATE {
                excess = _mm256_fmadd_ps(load(&details.compliance), load(&details.multiplier), excess);
            }
            let numerator = _mm256_fmadd_ps(excess, lengths, product);
            let denominator = _mm256_mul_ps(_mm256_mul_ps(lengths, length), load(&block.resistance));
            let directed = _mm256_cmp_ps::<_CMP_GT_OQ>(denominator, _mm256_setzero_ps());
            let mut pull = _mm256_and_ps(_mm256_div_ps(numerator, denominator), directed);
            if BOUNDED && !ACCUMULATE {
                pull = _mm256_min_ps(pull, negate(load(&details.lowest)));
                pull = _mm256_max_ps(pull, negate(load(&details.highest)));
            }
            if ACCUMULATE {
                let before = load(&details.multiplier);
                let mut after = _mm256_fnmadd_ps(pull, length, before);
                if BOUNDED {
                    after = _mm256_max_ps(after, load(&details.lowest));
                    after = _mm256_min_ps(after, load(&details.highest));
                    let change = _mm256_div_ps(_mm256_sub_ps(before, after), length);
                    pull = _mm256_and_ps(change, directed);
                }
                store(&mut details.multiplier, after);
            }
            let ways =
                rows([_mm256_mul_ps(pull, d[0]), _mm256_mul_ps(pull, d[1]), _mm256_mul_ps(pull, d[2])]);
            for k in 0..HALF {
                let second = _mm256_fnmadd_ps(inverse_masses(second[k]), ways[k], second[k]);
                // SAFETY: by the contract of `Kernel`.
                unsafe { scatter(second, &block.ends[1], k, particles) };
                if !ANCHORED {
                    let first = _mm256_fmadd_ps(inverse_masses(first[k]), ways[k], first[k]);
                    // SAFETY: by the contract of `Kernel`.
                    unsafe { scatter(first, &block.ends[0], k, particles) };
                }
            }
        }
    }

    /// See [`Batch::damp`](super::Batch::damp); AVX2 and FMA must be there, and the particles of the blocks.
    #[target_feature(enable = "avx2,fma")]
    pub unsafe fn damp(blocks: &mut [Block], details: &[Details], particles: *const Particle) {
        for (block, details) in blocks.iter_mut().zip(details) {
            // SAFETY: by the contract above.
            let (first, second) =
                unsafe { (gather(&block.ends[0], particles), gather(&block.ends[1], particles)) };
            let Geometry { lengths, product, .. } = Geometry::of(block, first, second);
            let directed = _mm256_cmp_ps::<_CMP_GT_OQ>(lengths, _mm256_setzero_ps());
            let growth = _mm256_and_ps(_mm256_div_ps(product, lengths), directed);
            let excess = _mm256_fnmadd_ps(load(&details.viscous), growth, load(&details.elastic));
            store(&mut block.excess, excess);
        }
    }

    /// d, l, l + l̂ and δ·(d + d̂).
    struct Geometry {
        d: [__m256; 3],
        length: __m256,
        lengths: __m256,
        product: __m256,
    }

    impl Geometry {
        #[inline]
        #[target_feature(enable = "avx2,fma")]
        fn of(block: &Block, first: [__m256; HALF], second: [__m256; HALF]) -> Self {
            let delta = columns([
                _mm256_sub_ps(second[0], first[0]),
                _mm256_sub_ps(second[1], first[1]),
                _mm256_sub_ps(second[2], first[2]),
                _mm256_sub_ps(second[3], first[3]),
            ]);
            let [x, y, z] = [load(&block.reference[0]), load(&block.reference[1]), load(&block.reference[2])];
            let d = [_mm256_add_ps(x, delta[0]), _mm256_add_ps(y, delta[1]), _mm256_add_ps(z, delta[2])];
            let sum = [_mm256_add_ps(x, d[0]), _mm256_add_ps(y, d[1]), _mm256_add_ps(z, d[2])];
            let length = _mm256_sqrt_ps(dot(d, d));
            let lengths = _mm256_add_ps(length, load(&block.length));
            Self { d, length, lengths, product: dot(delta, sum) }
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn load(lane: &Lane) -> __m256 {
        // SAFETY: eight numbers are there to be read.
        unsafe { _mm256_loadu_ps(lane.as_ptr()) }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn store(lane: &mut Lane, values: __m256) {
        // SAFETY: eight numbers are there to be written.
        unsafe { _mm256_storeu_ps(lane.as_mut_ptr(), values) }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn negate(values: __m256) -> __m256 {
        _mm256_xor_ps(values, _mm256_set1_ps(-0.0))
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn dot(a: [__m256; 3], b: [__m256; 3]) -> __m256 {
        _mm256_fmadd_ps(a[0], b[0], _mm256_fmadd_ps(a[1], b[1], _mm256_mul_ps(a[2], b[2])))
    }

    /// The particles k and k + 4 side by side, for k = 0 to 3.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn gather(ends: &[u32; WIDTH], particles: *const Particle) -> [__m256; HALF] {
        // SAFETY: the caller's promise: the particles are there; `Particle` is aligned to 16 bytes.
        let one = |end: u32| unsafe { _mm_load_ps(particles.add(end as usize).cast::<f32>()) };
        std::array::from_fn(|k| _mm256_set_m128(one(ends[k + HALF]), one(ends[k])))
    }

    /// Writes back what `gather` read, one k.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn scatter(pair: __m256, ends: &[u32; WIDTH], k: usize, particles: *mut Particle) {
        // SAFETY: as in `gather`, and nobody else uses these particles.
        unsafe {
            _mm_store_ps(particles.add(ends[k] as usize).cast::<f32>(), _mm256_castps256_ps128(pair));
            _mm_store_ps(
                particles.add(ends[k + HALF] as usize).cast::<f32>(),
                _mm256_extractf128_ps::<1>(pair),
            );
        }
    }

    /// The fourth number of each half, four times.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn inverse_masses(pair: __m256) -> __m256 {
        _mm256_permute_ps::<0xFF>(pair)
    }

    /// From particles side by side to their x, y and z in the order of the constraints.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn columns(rows: [__m256; HALF]) -> [__m256; 3] {
        let (low, high) = (_mm256_unpacklo_ps(rows[0], rows[1]), _mm256_unpacklo_ps(rows[2], rows[3]));
        let (low_z, high_z) = (_mm256_unpackhi_ps(rows[0], rows[1]), _mm256_unpackhi_ps(rows[2], rows[3]));
        [
            _mm256_shuffle_ps::<0x44>(low, high),
            _mm256_shuffle_ps::<0xEE>(low, high),
            _mm256_shuffle_ps::<0x44>(low_z, high_z),
        ]
    }

    /// And back, with 0 in the fourth place.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn rows([x, y, z]: [__m256; 3]) -> [__m256; HALF] {
        let zero = _mm256_setzero_ps();
        let (low, high) = (_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
        let (low_z, high_z) = (_mm256_unpacklo_ps(z, zero), _mm256_unpackhi_ps(z, zero));
        [
            _mm256_shuffle_ps::<0x44>(low, low_z),
            _mm256_shuffle_ps::<0xEE>(low, low_z),
            _mm256_shuffle_ps::<0x44>(high, high_z),
            _mm256_shuffle_ps::<0xEE>(high, high_z),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Constraints between strangers, some held, some with bounds, some without direction.
    fn disorder(anchored: bool, bounded: bool) -> (Batch, Vec<Particle>) {
        let count = 83;
        let random = |k: usize| crate::profile::uniform(3, k as u64) as f32 - 0.5;
        let ends: Vec<[u32; 2]> = (0..count).map(|k| [k, 2 * count - 1 - k]).collect();
        let mut particles: Vec<Particle> = (0..2 * count as usize)
            .map(|i| {
                let mass = random(4 * i + 3) + 0.5;
                Particle([
                    random(4 * i),
                    random(4 * i + 1),
                    random(4 * i + 2),
                    if i % 7 == 0 { 0.0 } else { mass },
                ])
            })
            .collect();
        particles.push(Particle::default());
        let mut batch = Batch::new(&ends, particles.len(), anchored, bounded);
        for k in 0..count as usize {
            let (block, details) = (&mut batch.blocks[k / WIDTH], &mut batch.details[k / WIDTH]);
            let lane = k % WIDTH;
            for c in 0..3 {
                block.reference[c][lane] = if k % 11 == 0 { 0.0 } else { random(1000 + 3 * k + c) };
            }
            let square: f32 = (0..3).map(|c| block.reference[c][lane].powi(2)).sum();
            block.length[lane] = square.sqrt();
            block.excess[lane] = random(2000 + k);
            details.compliance[lane] = 0.3 + random(3000 + k).abs();
            block.resistance[lane] = 1.0 + details.compliance[lane];
            details.elastic[lane] = random(4000 + k);
            details.viscous[lane] = random(5000 + k) + 0.5;
            if bounded && k % 3 < 2 {
                if k % 3 == 0 { details.highest[lane] = 0.0 } else { details.lowest[lane] = 0.0 }
            }
        }
        // One pair that coincides, of a reference without length: nothing may come of it.
        particles[ends[11][1] as usize] = particles[ends[11][0] as usize];
        (batch, particles)
    }

    fn bits(particles: &[Particle]) -> Vec<[u32; 4]> {
        particles.iter().map(|particle| particle.0.map(f32::to_bits)).collect()
    }

    #[test]
    fn the_wide_kernel_is_the_plain_one_to_the_bit() {
        for anchored in [false, true] {
            for bounded in [false, true] {
                for accumulate in [false, true] {
                    let run = |width| {
                        let (mut batch, mut particles) = disorder(anchored, bounded);
                        for _ in 0..3 {
                            batch.damp(width, &particles);
                            batch.project(Sweep { width, accumulate }, &mut particles);
                        }
                        let multipliers: Vec<Lane> = batch.details.iter().map(|d| d.multiplier).collect();
                        (
                            bits(&particles),
                            multipliers.concat().iter().map(|l| l.to_bits()).collect::<Vec<_>>(),
                        )
                    };
                    let (plain, wide) = (run(Instructions::PLAIN), run(Instructions::detect()));
                    assert_eq!(
                        plain, wide,
                        "anchored {anchored}, bounded {bounded}, accumulate {accumulate}"
                    );
                    assert_ne!(plain.0, bits(&disorder(anchored, bounded).1), "something happened");
                    assert!(plain.0.concat().iter().all(|&b| f32::from_bits(b).is_finite()));
                }
            }
        }
    }

    #[test]
    fn a_batch_shared_between_threads_gives_the_same_bits() {
        let count = (WIDTH * WORTHWHILE + 5) as u32;
        let ends: Vec<[u32; 2]> = (0..count).map(|k| [k, count + k]).collect();
        let run = |threads| {
            par::with_threads(threads, || {
                let mut batch = Batch::new(&ends, 2 * count as usize + 1, false, false);
                let mut particles: Vec<Particle> = (0..2 * count)
                    .map(|i| Particle([1e-3 * crate::profile::uniform(5, i.into()) as f32, 0.0, 1e-4, 1.0]))
                    .collect();
                particles.push(Particle::default());
                batch.project(Sweep { width: Instructions::detect(), accumulate: true }, &mut particles);
                bits(&particles)
            })
        };
        let expected = run(1);
        for threads in [2, 3, 8] {
            assert!(run(threads) == expected, "{threads} threads");
        }
    }

    #[test]
    fn a_stiff_constraint_brings_its_ends_to_the_rest_length() {
        let mut batch = Batch::new(&[[0, 1]], 3, false, false);
        let block = &mut batch.blocks[0];
        // 2 m apart, rest length 1 m; masses of 1 kg and 1/3 kg.
        block.reference[0][0] = 2.0;
        block.length[0] = 2.0;
        block.excess[0] = 1.0;
        block.resistance[0] = 4.0;
        let start = [Particle([0.0, 0.0, 0.0, 1.0]), Particle([0.0, 0.0, 0.0, 3.0]), Particle::default()];
        for width in [Instructions::PLAIN, Instructions::detect()] {
            let mut particles = start;
            batch.project(Sweep { width, accumulate: false }, &mut particles);
            assert_eq!(particles[0].0, [0.25, 0.0, 0.0, 1.0]);
            assert_eq!(particles[1].0, [-0.75, 0.0, 0.0, 3.0]);
            assert_eq!(particles[2], Particle::default());
        }
    }

    #[test]
    #[should_panic(expected = "particle 1 in two constraints")]
    fn constraints_of_a_batch_share_no_particle() {
        Batch::new(&[[0, 1], [1, 2]], 4, false, false);
    }
}
