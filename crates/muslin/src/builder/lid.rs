//! Lids: what closes a surface under pressure where its border is held.

use std::collections::BTreeMap;

/// Triangles over the vertices of borders, so that the surface of these triangles has no border left; none over borders that are
/// not held all around. A lid is a fan: what it carries, its held corners carry.
pub fn lids(triangles: &[[u32; 3]], is_held: impl Fn(u32) -> bool) -> Vec<[u32; 3]> {
    let mut next = border(triangles);
    let mut lids = Vec::new();
    while let Some((&first, _)) = next.first_key_value() {
        let mut ring = vec![first];
        let mut at = first;
        // A border that branches is none.
        while let Some(end) = next.remove(&at) {
            at = end;
            ring.push(end);
        }
        if ring.pop() == Some(first) && ring.iter().all(|&vertex| is_held(vertex)) {
            lids.extend(ring[1..].windows(2).map(|pair| [first, pair[1], pair[0]]));
        }
    }
    lids
}

/// Where sides of one triangle only lead, from each of their vertices.
fn border(triangles: &[[u32; 3]]) -> BTreeMap<u32, u32> {
    let mut sides: BTreeMap<[u32; 2], Vec<[u32; 2]>> = BTreeMap::new();
    for side in triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]) {
        sides.entry([side[0].min(side[1]), side[0].max(side[1])]).or_default().push(side);
    }
    sides
        .into_values()
        .filter(|beside| beside.len() == 1)
        .map(|beside| (beside[0][0], beside[0][1]))
        .collect()
}
