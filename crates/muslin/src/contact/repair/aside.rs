//! Pieces of cloth without pins move away as a whole.

use super::{CLEARANCE, Faults, Repair};
use crate::contact::Owner;
use crate::math::{Real, Vec3};
use crate::mesh::bounds;
use crate::model::Model;

/// Factor from one displacement to the next that is tried.
const GROWTH: Real = 1.5;
/// Halvings between the last displacement that was too short and the first that was not.
const HALVINGS: u32 = 8;

impl Repair<'_> {
    /// Moves the first piece in conflict with another or with a solid that can go away; whether one could.
    pub(in crate::contact) fn move_aside(&self, x: &mut Vec<Vec3>, faults: &mut Faults) -> bool {
        let mut candidates: Vec<u32> = Vec::new();
        for pair in &faults.pairs {
            let piece = |v: u32| self.pieces[v as usize];
            match pair.with {
                Owner::Cloth if piece(pair.first[0]) == piece(pair.second[0]) => {}
                // The later one first: it was laid on the other.
                Owner::Cloth => {
                    let (a, b) = (piece(pair.first[0]), piece(pair.second[0]));
                    candidates.extend([a.max(b), a.min(b)]);
                }
                _ => candidates.extend(self.surface.is_cloth(pair.first[0]).then(|| piece(pair.first[0]))),
            }
        }
        candidates.extend(faults.inside.iter().map(|inside| self.pieces[inside.particle as usize]));
        let mut tried = std::collections::BTreeSet::new();
        candidates
            .into_iter()
            .filter(|&piece| self.free[piece as usize])
            .any(|piece| tried.insert(piece) && self.take_best(self.trials_aside(piece, x), x, faults))
    }

    /// The cloth with a piece moved just far enough, along each of some directions.
    fn trials_aside(&self, piece: u32, x: &[Vec3]) -> Vec<Vec<Vec3>> {
        let members: Vec<u32> =
            (0..self.pieces.len() as u32).filter(|&v| self.pieces[v as usize] == piece).collect();
        let [low, high] = bounds(x);
        let mut shortest = 2.0 * (high - low).length();
        let own = self.normal(&members, x).normalize_or_zero();
        let directions = [own, Vec3::Z, Vec3::X, Vec3::Y].into_iter().flat_map(|d| [d, -d]);
        let moved = |displacement: Vec3| {
            let mut y = x.to_vec();
            for &v in &members {
                y[v as usize] += displacement;
            }
            y
        };
        let in_conflict = |y: &[Vec3]| {
            let faults = self.faults(y);
            let has = |v: u32| self.surface.is_cloth(v) && self.pieces[v as usize] == piece;
            let between = |a: u32, b: u32| has(a) != has(b);
            faults.pairs.iter().any(|pair| between(pair.first[0], pair.second[0]))
                || faults.inside.iter().any(|inside| has(inside.particle))
        };
        let mut least = |direction: Vec3| {
            let (mut near, mut far) = (0.0, CLEARANCE * self.thickness);
            while in_conflict(&moved(direction * far)) {
                (near, far) = (far, far * GROWTH);
                if near > shortest {
                    return None; // another direction is better
                }
            }
            // The first displacement is the shortest one that is tried.
            for _ in 0..if near > 0.0 { HALVINGS } else { 0 } {
                let middle = 0.5 * (near + far);
                if in_conflict(&moved(direction * middle)) {
                    near = middle;
                } else {
                    far = middle;
                }
            }
            shortest = shortest.min(far);
            Some(moved(direction * far))
        };
        directions.filter(|d| *d != Vec3::ZERO).filter_map(&mut least).collect()
    }
}

/// For each particle the first one of its piece.
pub fn pieces(neighbours: &[Vec<u32>]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut pieces = vec![NONE; neighbours.len()];
    for first in 0..neighbours.len() {
        let mut open = if pieces[first] == NONE { vec![first] } else { Vec::new() };
        while let Some(v) = open.pop() {
            if pieces[v] == NONE {
                pieces[v] = first as u32;
                open.extend(neighbours[v].iter().map(|&w| w as usize));
            }
        }
    }
    pieces
}

/// For each piece, by its first particle, whether none of it is pinned or attached.
pub fn free(model: &Model, pieces: &[u32]) -> Vec<bool> {
    let mut free = vec![true; pieces.len()];
    let tied = model.elements.attachments.iter().map(|attachment| attachment.particle as usize);
    for p in (0..model.len()).filter(|&p| model.is_held(p)).chain(tied) {
        free[pieces[p] as usize] = false;
    }
    free
}
