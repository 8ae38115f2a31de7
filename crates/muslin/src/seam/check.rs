//! What cannot be sewn.

use super::Chain;
use crate::mesh::{Edge, Face, edges};
use std::collections::{BTreeMap, BTreeSet};

/// Why two borders cannot be sewn, or a chain along a border not be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeamError {
    /// A chain has no edge.
    #[error("a seam needs at least one edge on each side, a closed one three")]
    Empty,
    /// As many lengths as edges.
    #[error("a seam needs a length at rest above 0 m for each of its edges")]
    Lengths,
    /// Closed and open chains do not fit.
    #[error("a border all around can only be sewn to another one all around")]
    Closed,
    /// No border passes there.
    #[error("particle {0} is not on a border of cloth")]
    NotOnBorder(u32),
    /// No border edge joins two particles of a chain that follow each other.
    #[error("no border edge of cloth joins particles {} and {}", .0[0], .0[1])]
    NoBorderEdge([u32; 2]),
    /// A chain passes twice.
    #[error("a seam passes particle {0} twice")]
    Twice(u32),
    /// The chains share a particle, but not as ends that belong together.
    #[error("particle {0} is on both sides of the seam, which may share its ends only")]
    Shared(u32),
}

/// Whether both chains can be sewn; which way the second one has to run, reversed or not, if they share an end, and which.
pub fn check(faces: &[Face], count: usize, chains: [&Chain; 2]) -> Result<Option<(bool, u32)>, SeamError> {
    let borders: BTreeSet<[u32; 2]> =
        edges(faces).into_iter().filter(|edge: &Edge| edge.faces.len() == 1).map(|edge| edge.ends).collect();
    let on_border: BTreeSet<u32> = borders.iter().flatten().copied().collect();
    for chain in chains {
        check_chain(chain, count, &borders, &on_border)?;
    }
    let [a, b] = chains;
    if a.is_closed != b.is_closed {
        return Err(SeamError::Closed);
    }
    let of_a: BTreeMap<u32, usize> = a.particles.iter().enumerate().map(|(k, &p)| (p, k)).collect();
    let mut forced: Option<(bool, u32)> = None;
    for (j, &particle) in b.particles.iter().enumerate() {
        let Some(&i) = of_a.get(&particle) else { continue };
        let is_end = |k: usize, chain: &Chain| k == 0 || k + 1 == chain.particles.len();
        let way = (i == 0) != (j == 0);
        let agrees = forced.is_none_or(|(before, _)| before == way);
        if a.is_closed || !is_end(i, a) || !is_end(j, b) || !agrees {
            return Err(SeamError::Shared(particle));
        }
        forced = Some((way, particle));
    }
    // One edge cannot be sewn to itself.
    match forced {
        Some((_, particle))
            if a.edges() == 1 && b.edges() == 1 && b.particles.iter().all(|p| of_a.contains_key(p)) =>
        {
            Err(SeamError::Shared(particle))
        }
        _ => Ok(forced),
    }
}

fn check_chain(
    chain: &Chain,
    count: usize,
    borders: &BTreeSet<[u32; 2]>,
    on_border: &BTreeSet<u32>,
) -> Result<(), SeamError> {
    let particles = &chain.particles;
    if particles.len() < if chain.is_closed { 3 } else { 2 } {
        return Err(SeamError::Empty);
    }
    if let Some(&p) = particles.iter().find(|&&p| p as usize >= count || !on_border.contains(&p)) {
        return Err(SeamError::NotOnBorder(p));
    }
    let mut seen = BTreeSet::new();
    if let Some(&p) = particles.iter().find(|&&p| !seen.insert(p)) {
        return Err(SeamError::Twice(p));
    }
    let edges = particles.len() - usize::from(!chain.is_closed);
    if chain.lengths.len() != edges || !chain.lengths.iter().all(|length| length.is_finite() && *length > 0.0)
    {
        return Err(SeamError::Lengths);
    }
    for k in 0..edges {
        let [a, b] = [chain.particle(k), chain.particle(k + 1)];
        if !borders.contains(&[a.min(b), a.max(b)]) {
            return Err(SeamError::NoBorderEdge([a, b]));
        }
    }
    Ok(())
}
