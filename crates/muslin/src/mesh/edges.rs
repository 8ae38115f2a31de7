//! The edges of a surface and the faces beside them.

use super::Face;

/// An edge of a surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its two vertices, the smaller number first.
    pub ends: [u32; 2],
    /// Numbers of the faces it bounds: one at a border, two inside a manifold surface.
    pub faces: Vec<u32>,
}

/// Every edge of the faces once, ordered by its ends.
pub fn edges(faces: &[Face]) -> Vec<Edge> {
    let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(4 * faces.len());
    for (number, face) in faces.iter().enumerate() {
        sides.extend(face.sides().map(|[a, b]| ([a.min(b), a.max(b)], number as u32)));
    }
    sides.sort_unstable();
    sides
        .chunk_by(|left, right| left.0 == right.0)
        .map(|run| Edge { ends: run[0].0, faces: run.iter().map(|side| side.1).collect() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_share_one_edge_of_five() {
        let found = edges(&[Face::triangle(0, 1, 2), Face::triangle(2, 1, 3)]);
        assert_eq!(found.len(), 5);
        let shared: Vec<_> = found.iter().filter(|edge| edge.faces.len() == 2).collect();
        assert_eq!(shared, [&Edge { ends: [1, 2], faces: vec![0, 1] }]);
    }
}
