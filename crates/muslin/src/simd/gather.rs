//! Quads by their numbers, eight at a time: checked once, not at every access.

use super::{LANES, Quad};

/// Rows of eight numbers of quads.
#[derive(Clone, Debug, Default)]
pub struct Gather {
    /// Four times the numbers: addresses that need no further arithmetic.
    rows: Vec<[u32; LANES]>,
    /// Quads that a list must have.
    needed: usize,
}

impl Gather {
    /// Rows of numbers below 2³⁰.
    pub fn new(rows: Vec<[u32; LANES]>) -> Self {
        let needed = rows.iter().flatten().max().map_or(0, |&most| most as usize + 1);
        assert!(needed <= 1 << 30, "so many quads cannot be numbered");
        Self { rows: rows.into_iter().map(|row| row.map(|number| 4 * number)).collect(), needed }
    }

    /// The eight quads of a row.
    ///
    /// # Panics
    /// If the list is shorter than the largest number of any row.
    #[inline(always)]
    pub fn row<'a, T>(&self, row: usize, from: &'a [Quad<T>]) -> [&'a Quad<T>; LANES] {
        assert!(self.needed <= from.len(), "the list is too short");
        let at = &self.rows[row];
        let quad = |l: usize| {
            // SAFETY: a multiple of four, below four times the quads that the list has: `new` multiplied and counted,
            // nobody changes rows since, and the length was just compared.
            unsafe { &*from.as_ptr().cast::<T>().add(at[l] as usize).cast::<Quad<T>>() }
        };
        [quad(0), quad(1), quad(2), quad(3), quad(4), quad(5), quad(6), quad(7)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_quads_of_their_numbers() {
        let quads: Vec<Quad<f32>> = (0..20).map(|k| [k as f32, 0.5, 1.0, 2.0]).collect();
        let gather = Gather::new(vec![[0, 19, 3, 3, 7, 11, 1, 2], [5; LANES]]);
        assert_eq!(gather.row(0, &quads).map(|quad| quad[0]), [0.0, 19.0, 3.0, 3.0, 7.0, 11.0, 1.0, 2.0]);
        assert_eq!(gather.row(1, &quads), [&quads[5]; LANES]);
    }

    #[test]
    #[should_panic(expected = "too short")]
    fn short_lists_are_refused() {
        Gather::new(vec![[3; LANES]]).row(0, &[[0.0f32; 4]; 3]);
    }
}
