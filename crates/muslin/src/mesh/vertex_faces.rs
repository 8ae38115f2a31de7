//! The faces at each vertex.

use super::Face;

/// The faces at each vertex, ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct VertexFaces {
    starts: Vec<u32>,
    faces: Vec<u32>,
}

impl VertexFaces {
    /// Of the faces of a surface with so many vertices.
    pub fn of(faces: &[Face], vertices: usize) -> Self {
        let mut starts = vec![0u32; vertices + 1];
        for &corner in faces.iter().flat_map(Face::corners) {
            starts[corner as usize + 1] += 1;
        }
        for v in 0..vertices {
            starts[v + 1] += starts[v];
        }
        let mut next = starts.clone();
        let mut at_vertices = vec![0u32; starts[vertices] as usize];
        for (number, face) in faces.iter().enumerate() {
            for &corner in face.corners() {
                at_vertices[next[corner as usize] as usize] = number as u32;
                next[corner as usize] += 1;
            }
        }
        Self { starts, faces: at_vertices }
    }

    /// Those at one vertex.
    pub fn at(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.faces[self.starts[v] as usize..self.starts[v + 1] as usize]
    }
}
