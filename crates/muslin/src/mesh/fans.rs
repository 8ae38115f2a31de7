//! Fans: the faces around a vertex that hang together.

use super::Face;

/// Whether an edge is a side of a face.
pub(crate) fn has_side(face: &Face, [a, b]: [u32; 2]) -> bool {
    face.sides().any(|side| side == [a, b] || side == [b, a])
}

/// Whether the faces around a vertex hang together across edges from there.
pub(crate) fn is_one_fan(faces: &[Face], around: &[u32], vertex: u32) -> bool {
    fans(faces, around, vertex, &[]).len() < 2
}

/// The faces around a vertex, by which of them hang together across edges from there, but for edges to some ends; fans and their faces
/// ascend.
pub(crate) fn fans(faces: &[Face], around: &[u32], vertex: u32, opened: &[u32]) -> Vec<Vec<u32>> {
    let hang_together = |one: u32, other: u32| {
        let sides = faces[one as usize].sides().filter(|side| side.contains(&vertex));
        let mut closed = sides.filter(|side| !side.iter().any(|end| opened.contains(end)));
        closed.any(|side| has_side(&faces[other as usize], side))
    };
    let mut fans: Vec<Vec<u32>> = Vec::new();
    let mut is_taken = vec![false; around.len()];
    for first in 0..around.len() {
        if is_taken[first] {
            continue;
        }
        is_taken[first] = true;
        let (mut fan, mut done) = (vec![around[first]], 0);
        while done < fan.len() {
            for (k, &other) in around.iter().enumerate() {
                if !is_taken[k] && hang_together(fan[done], other) {
                    is_taken[k] = true;
                    fan.push(other);
                }
            }
            done += 1;
        }
        fan.sort_unstable();
        fans.push(fan);
    }
    fans
}
