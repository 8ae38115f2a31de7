//! Where particles are after an edit of the topology.

use crate::math::{Real, Vec3};

/// Which particle is which after an edit: all that names particles follows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Remap {
    /// What the particles are made of, in their new order.
    origins: Vec<Origin>,
    /// Where the particles as they were are now.
    places: Vec<u32>,
    /// How many particles there are now before each one as it was, and of all; what comes in before one counts.
    starts: Vec<u32>,
    /// Which of the particles as they were have other features around them now: edges and faces there are not what they were.
    is_changed: Vec<bool>,
}

/// What a particle is made of after an edit: up to three particles as they were, with weights that sum to one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    /// The particles, the one with the largest weight first.
    pub particles: [u32; 3],
    /// Their weights.
    pub weights: [Real; 3],
}

impl Origin {
    /// A particle as it was, or a twin of it.
    pub fn copy(particle: u32) -> Self {
        Self { particles: [particle; 3], weights: [1.0, 0.0, 0.0] }
    }

    /// A place within a face or on an edge.
    pub fn inside(mut corners: [(u32, Real); 3]) -> Self {
        corners.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        Self { particles: corners.map(|corner| corner.0), weights: corners.map(|corner| corner.1) }
    }

    /// Two particles that became one, with their masses [kg].
    pub fn merged([a, b]: [u32; 2], [mass_a, mass_b]: [Real; 2]) -> Self {
        let sum = mass_a + mass_b;
        Self::inside([(a, mass_a / sum), (b, mass_b / sum), (b, 0.0)])
    }

    fn is_copy(&self) -> bool {
        self.weights[0] == 1.0
    }

    /// The particles that count, with their weights.
    pub fn shares(&self) -> impl Iterator<Item = (u32, Real)> + '_ {
        self.particles.into_iter().zip(self.weights).filter(|share| share.1 != 0.0)
    }

    /// What a list with an entry per particle, as it was, has there.
    pub fn of<T: Blend>(&self, list: &[T]) -> T {
        if self.is_copy() {
            return list[self.particles[0] as usize].clone();
        }
        T::blend(self.shares().map(|(particle, weight)| (&list[particle as usize], weight)))
    }
}

/// What can be mixed of several.
pub trait Blend: Clone {
    /// Their mixture, with weights that sum to one.
    fn blend<'a>(parts: impl Iterator<Item = (&'a Self, Real)>) -> Self
    where
        Self: 'a;
}

impl Blend for Real {
    fn blend<'a>(parts: impl Iterator<Item = (&'a Self, Real)>) -> Self {
        parts.map(|(value, weight)| value * weight).sum()
    }
}

impl Blend for Vec3 {
    fn blend<'a>(parts: impl Iterator<Item = (&'a Self, Real)>) -> Self {
        parts.map(|(value, weight)| *value * weight).sum()
    }
}

impl Blend for bool {
    /// True where any is.
    fn blend<'a>(parts: impl Iterator<Item = (&'a Self, Real)>) -> Self {
        let mut parts = parts;
        parts.any(|(value, _)| *value)
    }
}

/// A particle that an edit adds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Added {
    /// What it is made of.
    pub origin: Origin,
    /// The particle as it was before which it comes in; those for one place come in their order.
    pub before: u32,
}

/// A particle that an edit takes away: it becomes one with another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Joined {
    /// The particle that stays, in its place.
    pub stays: u32,
    /// The one that goes.
    pub goes: u32,
    /// What the one that stays is made of.
    pub origin: Origin,
}

impl Remap {
    /// Nothing has changed.
    pub(crate) fn identity(count: usize) -> Self {
        Self::with_added(count, &[]).0
    }

    /// Particles are added. Where these are, too.
    pub(crate) fn with_added(count: usize, added: &[Added]) -> (Self, Vec<u32>) {
        let mut order: Vec<usize> = (0..added.len()).collect();
        order.sort_by_key(|&k| added[k].before);
        let mut waiting = order.into_iter().peekable();
        let (mut origins, mut places) = (Vec::with_capacity(count + added.len()), Vec::with_capacity(count));
        let mut added_places = vec![0; added.len()];
        let mut starts = Vec::with_capacity(count + 1);
        for old in 0..=count as u32 {
            while let Some(k) = waiting.next_if(|&k| added[k].before == old) {
                added_places[k] = origins.len() as u32;
                origins.push(added[k].origin);
            }
            starts.push(origins.len() as u32);
            if (old as usize) < count {
                places.push(origins.len() as u32);
                origins.push(Origin::copy(old));
            }
        }
        let mut is_changed = vec![false; count];
        for (particle, _) in added.iter().flat_map(|added| added.origin.shares()) {
            is_changed[particle as usize] = true;
        }
        (Self { origins, places, starts, is_changed }, added_places)
    }

    /// Pairs of particles become one; no particle is in two of the pairs.
    pub(crate) fn with_joined(count: usize, joined: &[Joined]) -> Self {
        let mut into: Vec<Option<usize>> = vec![None; count];
        let mut origins_of: Vec<Origin> = (0..count as u32).map(Origin::copy).collect();
        let mut is_changed = vec![false; count];
        for (k, pair) in joined.iter().enumerate() {
            into[pair.goes as usize] = Some(k);
            origins_of[pair.stays as usize] = pair.origin;
            is_changed[pair.goes as usize] = true;
            is_changed[pair.stays as usize] = true;
        }
        let mut origins = Vec::with_capacity(count);
        let mut places = vec![0; count];
        let mut starts = Vec::with_capacity(count + 1);
        for old in 0..count {
            starts.push(origins.len() as u32);
            if into[old].is_none() {
                places[old] = origins.len() as u32;
                origins.push(origins_of[old]);
            }
        }
        starts.push(origins.len() as u32);
        for pair in joined {
            places[pair.goes as usize] = places[pair.stays as usize];
        }
        Self { origins, places, starts, is_changed }
    }

    /// Whether all particles that there were have their numbers still.
    pub(crate) fn keeps_numbers(&self) -> bool {
        self.places.iter().enumerate().all(|(old, &place)| old as u32 == place)
    }

    /// Where a particle is now.
    pub fn place(&self, old: u32) -> u32 {
        self.places[old as usize]
    }

    /// Where the particles of a range are that stayed, or came behind one that did.
    pub(crate) fn range(&self, old: std::ops::Range<u32>) -> std::ops::Range<u32> {
        self.starts[old.start as usize]..self.starts[old.end as usize]
    }

    /// Which particle it was, or the largest part of it.
    pub fn origin(&self, new: u32) -> u32 {
        self.origins[new as usize].particles[0]
    }

    /// What all particles are made of, in their new order.
    pub fn origins(&self) -> &[Origin] {
        &self.origins
    }

    /// Whether there are other edges and faces around a particle now.
    pub fn is_changed(&self, old: u32) -> bool {
        self.is_changed[old as usize]
    }

    /// Says that there are other edges and faces around some particles now.
    pub(crate) fn mark_changed(&mut self, old: impl IntoIterator<Item = u32>) {
        for particle in old {
            self.is_changed[particle as usize] = true;
        }
    }

    /// How many particles there were.
    pub fn old_count(&self) -> usize {
        self.places.len()
    }

    /// How many particles there are.
    pub fn new_count(&self) -> usize {
        self.origins.len()
    }

    /// Puts a list with an entry per particle into the new order: twins with equal entries, those inside of faces and those that
    /// became one with mixtures. A list that has none stays empty.
    pub fn follow<T: Blend>(&self, list: &mut Vec<T>) {
        if !list.is_empty() {
            assert_eq!(list.len(), self.old_count(), "an entry per particle");
            *list = self.origins.iter().map(|origin| origin.of(list)).collect();
        }
    }

    /// This edit, and another one after it.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        let origins = next.origins.iter().map(|origin| {
            if origin.is_copy() {
                return self.origins[origin.particles[0] as usize];
            }
            // Of a mixture of mixtures what they are mostly made of: names follow it, amounts have followed both edits already.
            let parts: Vec<(u32, Real)> =
                origin.shares().map(|(particle, weight)| (self.origin(particle), weight)).collect();
            let part = |k: usize| parts.get(k).copied().unwrap_or((parts[0].0, 0.0));
            Origin::inside([part(0), part(1), part(2)])
        });
        let is_changed = (0..self.old_count() as u32)
            .map(|old| self.is_changed(old) || next.is_changed(self.place(old)))
            .collect();
        Self {
            origins: origins.collect(),
            places: self.places.iter().map(|&place| next.place(place)).collect(),
            starts: self.starts.iter().map(|&start| next.starts[start as usize]).collect(),
            is_changed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twin(origin: u32, before: u32) -> Added {
        Added { origin: Origin::copy(origin), before }
    }

    #[test]
    fn what_is_behind_a_twin_moves_up() {
        let (map, twins) = Remap::with_added(5, &[twin(1, 3)]);
        let mut list = vec![1.0, 2.0, 3.0, 4.0, 5.0];
        map.follow(&mut list);
        assert_eq!(list, [1.0, 2.0, 3.0, 2.0, 4.0, 5.0]);
        assert_eq!((0..5).map(|old| map.place(old)).collect::<Vec<_>>(), [0, 1, 2, 4, 5]);
        assert_eq!((0..6).map(|new| map.origin(new)).collect::<Vec<_>>(), [0, 1, 2, 1, 3, 4]);
        assert_eq!(twins, [3]);
        let mut none: Vec<Real> = Vec::new();
        map.follow(&mut none);
        assert!(none.is_empty());
    }

    #[test]
    fn twins_of_several_parts_keep_their_order() {
        let twins = [(4, 5), (0, 2), (3, 5), (1, 2)].map(|(origin, before)| twin(origin, before));
        let (map, places) = Remap::with_added(5, &twins);
        assert_eq!((0..9).map(|new| map.origin(new)).collect::<Vec<_>>(), [0, 1, 0, 1, 2, 3, 4, 4, 3]);
        assert_eq!(places, [7, 2, 8, 3]);
    }

    #[test]
    fn a_place_in_a_face_has_the_mixture_of_its_corners() {
        let origin = Origin::inside([(0, 0.25), (1, 0.25), (3, 0.5)]);
        let (map, places) = Remap::with_added(4, &[Added { origin, before: 2 }]);
        let mut list = vec![4.0, 8.0, 100.0, 16.0];
        map.follow(&mut list);
        assert_eq!((places[0], list), (2, vec![4.0, 8.0, 11.0, 100.0, 16.0]));
        assert_eq!((map.origin(2), map.is_changed(2), map.is_changed(3)), (3, false, true));
    }

    #[test]
    fn joined_particles_are_one() {
        let origin = Origin::merged([1, 3], [1.0, 3.0]);
        let map = Remap::with_joined(5, &[Joined { stays: 1, goes: 3, origin }]);
        let mut list = vec![0.0, 8.0, 2.0, 4.0, 5.0];
        map.follow(&mut list);
        assert_eq!(list, [0.0, 5.0, 2.0, 5.0]);
        assert_eq!((0..5).map(|old| map.place(old)).collect::<Vec<_>>(), [0, 1, 2, 1, 3]);
    }

    #[test]
    fn edits_one_after_another_are_one_edit() {
        let (first, _) = Remap::with_added(3, &[twin(0, 1)]);
        let (second, _) = Remap::with_added(4, &[twin(2, 4)]);
        let both = first.then(&second);
        assert_eq!((0..5).map(|new| both.origin(new)).collect::<Vec<_>>(), [0, 0, 1, 2, 1]);
        assert_eq!((0..3).map(|old| both.place(old)).collect::<Vec<_>>(), [0, 2, 3]);
        assert!(both.is_changed(0) && both.is_changed(1) && !both.is_changed(2));
    }
}
