//! One number that tells two states apart.

use crate::math::Vec3;
use crate::state::State;

/// A 64-bit fingerprint of positions and velocities, those of bodies included, to the bit (FNV-1a over the numbers' words).
pub fn state_hash(state: &State) -> u64 {
    let words = |vectors: &[Vec3], seed: u64| {
        let numbers = vectors.iter().flat_map(Vec3::to_array);
        numbers.fold(seed, |hash, number| {
            (hash ^ number.to_bits()).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(29)
        })
    };
    let particles = words(&state.velocities, words(&state.positions, 0xCBF2_9CE4_8422_2325));
    state.bodies.iter().fold(particles, |hash, body| {
        let [x, y, z, w] = body.pose.rotation.to_array();
        let turn = [Vec3::new(x, y, z), Vec3::splat(w)];
        words(&[body.pose.center, turn[0], turn[1], body.velocity, body.spin], hash)
    })
}

/// A 64-bit fingerprint of bytes (FNV-1a).
pub fn bytes_hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bit_counts() {
        let state = State::at_rest(vec![Vec3::X, Vec3::Y]);
        let mut other = state.clone();
        other.velocities[1].z = f64::from_bits(1);
        assert_eq!(state_hash(&state), state_hash(&state.clone()));
        assert_ne!(state_hash(&state), state_hash(&other));
    }
}
