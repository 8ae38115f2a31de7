//! Which vertices are split where edges open: those whose faces no longer hang together.

use crate::mesh::fans;
use crate::mesh::{Face, VertexFaces};
use crate::model::Split;

/// The splits that open some edges: at each of their ends, faces that hang together only by an edge that opens get a particle of
/// their own; those with the lowest number keep the vertex.
pub(crate) fn splits(faces: &[Face], at_vertices: &VertexFaces, edges: &[[u32; 2]]) -> Vec<Split> {
    let mut ends: Vec<[u32; 2]> = edges.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).collect();
    ends.sort_unstable();
    let mut splits = Vec::new();
    for at_vertex in ends.chunk_by(|one, other| one[0] == other[0]) {
        let vertex = at_vertex[0][0];
        let opened: Vec<u32> = at_vertex.iter().map(|ends| ends[1]).collect();
        let around = at_vertices.at(vertex);
        let (whole, torn) = (fans(faces, around, vertex, &[]), fans(faces, around, vertex, &opened));
        for (k, fan) in torn.iter().enumerate() {
            let mut before = whole.iter().filter(|fan_before| fan_before.contains(&fan[0]));
            let is_first =
                before.all(|fan_before| torn[..k].iter().all(|other| !fan_before.contains(&other[0])));
            if !is_first {
                splits.push(Split { vertex, faces: fan.clone() });
            }
        }
    }
    splits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Grid;

    fn split_of_grid(edges: &[[u32; 2]]) -> Vec<(u32, Vec<u32>)> {
        let grid = Grid { rows: 3, columns: 3 };
        let faces = grid.quads();
        let found = splits(&faces, &VertexFaces::of(&faces, 9), edges);
        found.into_iter().map(|split| (split.vertex, split.faces)).collect()
    }

    /// 3 by 3 vertices, 2 by 2 faces: 0 between rows 0 and 1 at the lower columns, 1 beside it.
    #[test]
    fn a_cut_from_the_border_splits_its_start_only() {
        assert_eq!(split_of_grid(&[[1, 4]]), [(1, vec![1])]);
    }

    #[test]
    fn a_cut_from_border_to_border_splits_all_its_vertices() {
        assert_eq!(split_of_grid(&[[1, 4], [4, 7]]), [(1, vec![1]), (4, vec![1, 3]), (7, vec![3])]);
    }

    #[test]
    fn a_single_edge_within_splits_nothing() {
        let grid = Grid { rows: 4, columns: 4 };
        let faces = grid.quads();
        assert_eq!(splits(&faces, &VertexFaces::of(&faces, 16), &[[5, 6]]), []);
    }

    #[test]
    fn a_cross_of_cuts_makes_four_of_one() {
        let found = split_of_grid(&[[1, 4], [4, 7], [3, 4], [4, 5]]);
        assert_eq!(found.iter().filter(|(vertex, _)| *vertex == 4).count(), 3);
    }
}
