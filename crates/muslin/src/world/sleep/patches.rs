//! Patches: parts of the cloth that fall asleep and wake as one.

use crate::elements::{Element, ElementVisitor};
use crate::math::{Real, Vec3};
use crate::mesh::bounds;
use crate::model::Model;
use crate::parts::bodies::Bodies;

/// Particles of a patch at the most; patches have half as many at the least, but in small pieces.
const MOST: usize = 96;

/// The patches of a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Patches {
    /// Their particles.
    pub members: Vec<Vec<u32>>,
    /// Those that share an element with them, ascending.
    pub neighbors: Vec<Vec<u32>>,
    /// Where they are [m].
    pub boxes: Vec<[Vec3; 2]>,
}

/// Divides the particles of a model: the patch of each. Pieces with a pressure, and without gravity those that nothing holds, are
/// one patch each: a part of them that sleeps would hold the rest.
pub(super) fn divide(model: &Model) -> Vec<u32> {
    let mut is_whole = vec![false; model.len()];
    for pressure in &model.elements.pressures {
        pressure.triangles().iter().flatten().for_each(|&p| is_whole[p as usize] = true);
    }
    if model.forces.gravity == Vec3::ZERO {
        Bodies::free(model).iter().flatten().for_each(|&p| is_whole[p as usize] = true);
    }
    let mut patch_of = vec![0; model.len()];
    let mut count = 0;
    for piece in Bodies::of(model).iter() {
        let mut piece = piece.to_vec();
        let most = if piece.iter().any(|&p| is_whole[p as usize]) { piece.len() } else { MOST };
        bisect(&mut piece, &model.rest_positions, most, &mut |patch| {
            for &p in patch {
                patch_of[p as usize] = count;
            }
            count += 1;
        });
    }
    patch_of
}

/// Halves particles along the longest side of their box, until there are not too many.
fn bisect(particles: &mut [u32], rest: &[Vec3], most: usize, found: &mut impl FnMut(&[u32])) {
    if particles.len() <= most {
        return found(particles);
    }
    let positions: Vec<Vec3> = particles.iter().map(|&p| rest[p as usize]).collect();
    let [low, high] = bounds(&positions);
    let size = (high - low).to_array();
    let longest = (1..3).fold(0, |longest, axis| if size[axis] > size[longest] { axis } else { longest });
    let along = |p: u32| rest[p as usize][longest];
    particles.sort_by(|&p, &q| along(p).total_cmp(&along(q)).then(p.cmp(&q)));
    let (one, other) = particles.split_at_mut(particles.len() / 2);
    bisect(one, rest, most, found);
    bisect(other, rest, most, found);
}

impl Patches {
    /// From the patch of each particle, where they are now [m].
    pub fn of(model: &Model, patch_of: &[u32], positions: &[Vec3]) -> Self {
        let count = patch_of.iter().max().map_or(0, |&last| last as usize + 1);
        let mut members = vec![Vec::new(); count];
        for (p, &k) in patch_of.iter().enumerate() {
            members[k as usize].push(p as u32);
        }
        let mut pairs = Pairs { patch_of, pairs: Vec::new() };
        model.elements.accept(&mut pairs);
        let mut neighbors = vec![Vec::new(); count];
        pairs.pairs.sort_unstable();
        pairs.pairs.dedup();
        for [one, other] in pairs.pairs {
            neighbors[one as usize].push(other);
        }
        let mut patches = Self { members, neighbors, boxes: vec![[Vec3::ZERO; 2]; count] };
        (0..count).for_each(|k| patches.find_box(k, positions));
        patches
    }

    /// Renews the box of a patch.
    pub fn find_box(&mut self, k: usize, positions: &[Vec3]) {
        let members = self.members[k].iter().map(|&p| positions[p as usize]);
        self.boxes[k] =
            members.fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
    }

    /// Makes the box of a patch hold a point, too [m].
    pub fn extend_box(&mut self, k: usize, x: Vec3) {
        let [low, high] = &mut self.boxes[k];
        (*low, *high) = (low.min(x), high.max(x));
    }

    /// Whether two patches are nearer than this [m], by their boxes.
    pub fn are_near(&self, one: usize, other: usize, distance: Real) -> bool {
        is_near(&self.boxes[one], &self.boxes[other], distance)
    }
}

/// Whether two boxes are nearer than this along every axis [m].
pub(super) fn is_near([low, high]: &[Vec3; 2], [from, to]: &[Vec3; 2], distance: Real) -> bool {
    (*from - *high).cmple(Vec3::splat(distance)).all() && (*low - *to).cmple(Vec3::splat(distance)).all()
}

/// Pairs of patches that share an element, each both ways.
struct Pairs<'a> {
    patch_of: &'a [u32],
    pairs: Vec<[u32; 2]>,
}

impl ElementVisitor for Pairs<'_> {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        for element in elements {
            let patches = element.particles().map(|p| self.patch_of[p]);
            for (k, &one) in patches.iter().enumerate() {
                for &other in patches[k + 1..].iter().filter(|&&other| other != one) {
                    self.pairs.extend([[one, other], [other, one]]);
                }
            }
        }
    }
}
