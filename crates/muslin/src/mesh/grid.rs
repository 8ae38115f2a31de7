//! A rectangular grid of vertices: the classical sheet.

use super::Face;

/// Numbering of a grid of `rows` × `columns` vertices: vertex (i, j) has the number i · columns + j.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Vertices along the first side (index i).
    pub rows: usize,
    /// Vertices along the second side (index j).
    pub columns: usize,
}

impl Grid {
    /// Number of vertices.
    pub const fn len(&self) -> usize {
        self.rows * self.columns
    }

    /// Whether the grid has no vertex at all.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of vertex (i, j).
    #[inline]
    pub const fn index(&self, i: usize, j: usize) -> u32 {
        (i * self.columns + j) as u32
    }

    /// Every (i, j), in the order of the numbers.
    pub fn vertices(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let columns = self.columns;
        (0..self.rows).flat_map(move |i| (0..columns).map(move |j| (i, j)))
    }

    /// The four vertices at the corners; two, if the grid is a single row.
    pub fn corners(&self) -> Vec<u32> {
        let (i, j) = (self.rows - 1, self.columns - 1);
        let mut corners = vec![self.index(0, 0), self.index(0, j), self.index(i, 0), self.index(i, j)];
        corners.dedup();
        corners
    }

    /// Whether (i, j) lies on the border of the grid.
    pub const fn on_border(&self, i: usize, j: usize) -> bool {
        i == 0 || j == 0 || i + 1 == self.rows || j + 1 == self.columns
    }

    /// The numbers of the vertices at offset (`di`, `dj`) from each other, wherever both exist.
    pub fn pairs(&self, di: usize, dj: isize) -> Vec<[u32; 2]> {
        let far = |i: usize, j: usize| {
            let (i, j) = (i + di, j.checked_add_signed(dj)?);
            (i < self.rows && j < self.columns).then(|| self.index(i, j))
        };
        self.vertices().filter_map(|(i, j)| Some([self.index(i, j), far(i, j)?])).collect()
    }

    /// Which cells are divided from the second corner to the fourth: every other one, so that the diagonals of neighbours cross.
    pub fn crossed(&self) -> Vec<bool> {
        let cells = (1..self.rows).flat_map(|i| (1..self.columns).map(move |j| (i, j)));
        cells.map(|(i, j)| (i + j) % 2 == 1).collect()
    }

    /// Two triangles a cell, with their normals along i × j and the diagonals of neighbouring cells crossing.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let cells = self.quads().into_iter().zip(self.crossed());
        cells.flat_map(|(quad, is_crossed)| quad.triangles_of(is_crossed)).collect()
    }

    /// One quadrilateral a cell, with its normal along i × j.
    pub fn quads(&self) -> Vec<Face> {
        let cells = (1..self.rows).flat_map(|i| (1..self.columns).map(move |j| (i, j)));
        cells
            .map(|(i, j)| {
                Face::quad(
                    self.index(i - 1, j - 1),
                    self.index(i, j - 1),
                    self.index(i, j),
                    self.index(i - 1, j),
                )
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_a_three_by_two_grid() {
        let grid = Grid { rows: 3, columns: 2 };
        assert_eq!(grid.pairs(0, 1), [[0, 1], [2, 3], [4, 5]]);
        assert_eq!(grid.pairs(1, 0), [[0, 2], [1, 3], [2, 4], [3, 5]]);
        assert_eq!(grid.pairs(1, -1), [[1, 2], [3, 4]]);
        assert_eq!(grid.pairs(2, 0), [[0, 4], [1, 5]]);
        assert_eq!(grid.quads().len(), 2);
    }
}
