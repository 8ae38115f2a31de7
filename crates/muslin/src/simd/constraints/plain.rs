//! One constraint after the other: the same operations in the same order.

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
