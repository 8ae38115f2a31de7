//! Lists of numbers, stored one after the other (compressed rows).

use std::ops::Range;

/// Lists of numbers, such as which patches lie around each vertex.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Adjacency {
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl Default for Adjacency {
    fn default() -> Self {
        Self { starts: vec![0], all: Vec::new() }
    }
}

impl Adjacency {
    /// Adds a list.
    pub fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.all.extend(list);
        self.starts.push(self.all.len() as u32);
    }

    /// For each of `count` lists, which items k are in it by `list_of[k]`, ascending, as numbers `name(k)`.
    pub fn inverse(list_of: &[u32], count: usize, name: impl Fn(usize) -> u32) -> Self {
        let mut starts = vec![0u32; count + 1];
        for &list in list_of {
            starts[list as usize + 1] += 1;
        }
        for k in 0..count {
            starts[k + 1] += starts[k];
        }
        let (mut ends, mut all) = (starts.clone(), vec![0; list_of.len()]);
        for (k, &list) in list_of.iter().enumerate() {
            let end = &mut ends[list as usize];
            all[*end as usize] = name(k);
            *end += 1;
        }
        Self { starts, all }
    }

    /// Which lists each of `count` numbers is in, ascending.
    pub fn inverted(&self, count: usize) -> Self {
        let lists = 0..self.len() as u32;
        let list_of: Vec<u32> = lists.flat_map(|list| self.range(list as usize).map(move |_| list)).collect();
        Self::inverse(&self.all, count, |k| list_of[k])
    }

    /// All lists, one after the other.
    pub fn all(&self) -> &[u32] {
        &self.all
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// A list.
    #[inline]
    pub fn of(&self, list: usize) -> &[u32] {
        &self.all[self.range(list)]
    }

    /// Where a list is among all of them.
    #[inline]
    pub fn range(&self, list: usize) -> Range<usize> {
        self.starts[list] as usize..self.starts[list + 1] as usize
    }
}
