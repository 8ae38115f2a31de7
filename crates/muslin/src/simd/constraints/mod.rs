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

mod plain;
#[cfg(target_arch = "x86_64")]
mod wide;

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
const WIDTH: usize = 8;

/// Blocks that one thread takes at a time: some 5 µs of work.
const CHUNK: usize = 512;

/// Blocks from which on sharing a batch between threads gains: some 40 µs of work against some 10 to wake the others.
const WORTHWHILE: usize = 8 * CHUNK;

/// One number for each constraint of a block.
type Lane = [f32; WIDTH];

/// A particle as the kernel sees it: its displacement from the reference [m], and its inverse mass [1/kg].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct Particle(pub [f32; 4]);

/// What every sweep reads of eight constraints: four cache lines.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
struct Block {
    /// Numbers of the particles a and b.
    ends: [[u32; WIDTH]; 2],
    /// d̂ by coordinates [m].
    reference: [Lane; 3],
    /// l̂ [m].
    length: Lane,
    /// Ĉ, with what damping makes of it [m].
    excess: Lane,
    /// w_a + w_b + α̃ [1/kg].
    resistance: Lane,
}

/// What only some sweeps read of eight constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
struct Details {
    /// α̃ [1/kg].
    compliance: Lane,
    /// λ so far, of this substep [kg·m].
    multiplier: Lane,
    /// Lowest λ: 0 for what only pushes, else −∞.
    lowest: Lane,
    /// Highest λ: 0 for what only pulls, else ∞.
    highest: Lane,
    /// The elastic part of the excess, k Ĉ/(k + c/h) [m].
    elastic: Lane,
    /// (c/h)/(k + c/h): how much of the length at the start of the substep the rest length takes over.
    viscous: Lane,
}

/// Constraints that share no particle that moves, in blocks of eight; the last block is filled up with constraints of no
/// effect on a particle of its own.
#[derive(Clone, Debug)]
pub struct Batch {
    /// What every sweep reads. Private: the kernels trust the ends.
    blocks: Vec<Block>,
    /// What only some read.
    details: Vec<Details>,
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

    /// Sets the reference of constraint `k`: d̂, l̂, Ĉ and the elastic part of Ĉ, k Ĉ/(k + c/h) [m].
    #[inline]
    pub fn set_reference(&mut self, k: usize, d: [f32; 3], length: f32, [excess, elastic]: [f32; 2]) {
        assert!(k < self.count, "a constraint of the batch");
        let (block, lane) = (&mut self.blocks[k / WIDTH], k % WIDTH);
        for axis in 0..3 {
            block.reference[axis][lane] = d[axis];
        }
        block.length[lane] = length;
        block.excess[lane] = excess;
        self.details[k / WIDTH].elastic[lane] = elastic;
    }

    /// Sets what constraint `k` takes from masses and step: w_a + w_b and α̃ [1/kg], and (c/h)/(k + c/h).
    pub fn set_terms(&mut self, k: usize, mobility: f64, compliance: f64, viscous: f64) {
        assert!(k < self.count, "a constraint of the batch");
        let (details, lane) = (&mut self.details[k / WIDTH], k % WIDTH);
        details.compliance[lane] = compliance as f32;
        details.viscous[lane] = viscous as f32;
        self.blocks[k / WIDTH].resistance[lane] = (mobility + compliance) as f32;
    }

    /// Sets the lowest and the highest λ of constraint `k`, of which 0 is one; only in a batch that is `bounded`.
    pub fn set_bounds(&mut self, k: usize, [lowest, highest]: [f32; 2]) {
        assert!(k < self.count && self.bounded, "a constraint of a batch with bounds");
        self.details[k / WIDTH].lowest[k % WIDTH] = lowest;
        self.details[k / WIDTH].highest[k % WIDTH] = highest;
    }

    /// Solves every constraint once. On several threads if there are enough; the bits do not depend on it.
    pub fn project(&mut self, sweep: Sweep, particles: &mut [Particle]) {
        assert!(particles.len() >= self.particles, "as many particles as the batch was made for");
        let kernel = kernel(sweep, self.anchored, self.bounded);
        let particles = Shared(particles.as_mut_ptr());
        let threads = self.blocks.len() >= WORTHWHILE;
        par::share_pairs(&mut self.blocks, &mut self.details, CHUNK, threads, |_, blocks, details| {
            // SAFETY: ends are below `self.particles` by `new`, and so within the slice. No other block of this batch
            // holds a particle that this one writes, by `new` again, but for the filling, of which there is one block.
            unsafe { kernel(blocks, details, particles.pointer()) }
        });
    }

    /// Takes the lengths at the start of a substep into the excess: k Ĉ/(k + c/h) − (c/h)/(k + c/h) (l − l̂).
    pub fn damp(&mut self, width: Instructions, particles: &[Particle]) {
        assert!(particles.len() >= self.particles, "as many particles as the batch was made for");
        let threads = self.blocks.len() >= WORTHWHILE;
        par::share_pairs(&mut self.blocks, &mut self.details, CHUNK, threads, |_, blocks, details| {
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
