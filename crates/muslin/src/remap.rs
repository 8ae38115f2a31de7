//! Where particles are after an edit of the topology.

/// Which particle is which after an edit: all that names particles follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remap {
    /// The particles as they were, in their new order; one that was split comes twice.
    origins: Vec<u32>,
    /// Where the particles as they were are now.
    places: Vec<u32>,
}

impl Remap {
    /// A particle gets a twin, which comes in at a place behind it; all from there on move up.
    pub(crate) fn with_twin(count: usize, particle: u32, at: u32) -> Self {
        let mut origins: Vec<u32> = (0..count as u32).collect();
        origins.insert(at as usize, particle);
        let places = (0..count as u32).map(|old| old + u32::from(old >= at)).collect();
        Self { origins, places }
    }

    /// Where a particle is now.
    pub fn place(&self, old: u32) -> u32 {
        self.places[old as usize]
    }

    /// Which particle it was.
    pub fn origin(&self, new: u32) -> u32 {
        self.origins[new as usize]
    }

    /// How many particles there were.
    pub fn old_count(&self) -> usize {
        self.places.len()
    }

    /// How many particles there are.
    pub fn new_count(&self) -> usize {
        self.origins.len()
    }

    /// Puts a list with an entry per particle into the new order, twins with equal entries; a list that has none stays empty.
    pub fn follow<T: Clone>(&self, list: &mut Vec<T>) {
        if !list.is_empty() {
            assert_eq!(list.len(), self.old_count(), "an entry per particle");
            *list = self.origins.iter().map(|&old| list[old as usize].clone()).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_behind_a_twin_moves_up() {
        let map = Remap::with_twin(5, 1, 3);
        let mut list = vec!['a', 'b', 'c', 'd', 'e'];
        map.follow(&mut list);
        assert_eq!(list, ['a', 'b', 'c', 'b', 'd', 'e']);
        assert_eq!((0..5).map(|old| map.place(old)).collect::<Vec<_>>(), [0, 1, 2, 4, 5]);
        assert_eq!((0..6).map(|new| map.origin(new)).collect::<Vec<_>>(), [0, 1, 2, 1, 3, 4]);
        let mut none: Vec<u8> = Vec::new();
        map.follow(&mut none);
        assert!(none.is_empty());
    }
}
