//! Edges that open, joined to chains.

use crate::remesh::Corner;
use std::collections::{BTreeMap, BTreeSet};

/// Chains of edges from corner to corner: as long as can be, but each ends where three or more meet. A closed one ends where it starts.
pub fn chains(edges: Vec<[Corner; 2]>) -> Vec<Vec<Corner>> {
    let mut next: BTreeMap<Corner, BTreeSet<Corner>> = BTreeMap::new();
    for [a, b] in edges {
        next.entry(a).or_default().insert(b);
        next.entry(b).or_default().insert(a);
    }
    let ends: BTreeSet<Corner> = next.iter().filter(|(_, to)| to.len() != 2).map(|(&at, _)| at).collect();
    let all: Vec<Corner> = next.keys().copied().collect();
    let mut chains = Vec::new();
    // What is left behind the chains with ends is closed.
    for &start in ends.iter().chain(&all) {
        while let Some(mut to) = next.get(&start).and_then(|list| list.first()).copied() {
            let mut chain = vec![start];
            loop {
                let from = chain[chain.len() - 1];
                for [one, other] in [[from, to], [to, from]] {
                    next.entry(one).or_default().remove(&other);
                }
                chain.push(to);
                match next.get(&to).and_then(|list| list.first()) {
                    Some(&after) if !ends.contains(&to) => to = after,
                    _ => break,
                }
            }
            chains.push(chain);
        }
    }
    chains
}
