//! Meshes made fit to become cloth.
//!
//! ```text
//! degenerate and doubled faces      are dropped
//! faces that turn the other way     are turned over, by most of their piece
//! edges of three faces or more      stay: all faces there share their particles; the two nearest to a plane bend together
//! vertices of several fans          stay: the fans share their particle
//! ```

use super::half_edge::{HalfEdgeMesh, Repair, Unsewn};
use super::{Face, Mesh, MeshError};

impl Mesh {
    /// The mesh as cloth can have it, and what was repaired of it. Vertices keep their numbers, and faces their order and their first
    /// corners. Refused where no face is left, or one names a vertex that is none.
    ///
    /// ```
    /// use muslin::math::Vec3;
    /// use muslin::mesh::{Face, Mesh};
    ///
    /// let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE];
    /// let faces = vec![Face::triangle(0, 1, 2), Face::triangle(1, 2, 3), Face::triangle(2, 0, 1)];
    /// let (mesh, repair) = Mesh { positions, faces }.repaired()?;
    /// assert_eq!(repair.to_string(), "1 doubled face dropped (2 as 0); 1 face turned over (1)");
    /// assert_eq!(mesh.faces, [Face::triangle(0, 1, 2), Face::triangle(1, 3, 2)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn repaired(&self) -> Result<(Self, Repair), MeshError> {
        let corners: Vec<&[u32]> = self.faces.iter().map(Face::corners).collect();
        let (_, repair) = HalfEdgeMesh::import(&corners, &self.positions)?;
        if repair.kept.is_empty() {
            // Nothing is left to repair: what is wrong with the first face, or that there is none.
            self.check()?;
        }
        let face = |&number: &u32| {
            let face = self.faces[number as usize];
            if repair.turned.binary_search(&number).is_ok() { face.turned() } else { face }
        };
        let faces = repair.kept.iter().map(face).collect();
        Ok((Self { positions: self.positions.clone(), faces }, repair))
    }

    /// Vertices of borders at the same place, which nothing joins; none if there are no such vertices, or if it cannot be repaired.
    pub fn unsewn_borders(&self) -> Option<Unsewn> {
        let corners: Vec<&[u32]> = self.faces.iter().map(Face::corners).collect();
        let (surface, _) = HalfEdgeMesh::import(&corners, &self.positions).ok()?;
        surface.unsewn_borders(&self.positions)
    }
}

impl Face {
    /// The same face seen from its other side; its first corner stays the first.
    #[must_use]
    pub fn turned(&self) -> Self {
        match *self.corners() {
            [a, b, c, d] => Self::quad(a, d, c, b),
            _ => Self::triangle(self.0[0], self.0[2], self.0[1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;

    fn square() -> Mesh {
        let positions =
            vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y, Vec3::new(0.5, 0.5, 1.0)];
        Mesh { positions, faces: vec![Face::triangle(0, 1, 2), Face::triangle(0, 2, 3)] }
    }

    #[test]
    fn a_sound_mesh_stays_as_it_is() {
        let (mesh, repair) = square().repaired().unwrap();
        assert!(repair.is_empty());
        assert_eq!(mesh, square());
    }

    #[test]
    fn a_branching_edge_stays_and_is_told() {
        let mut mesh = square();
        mesh.faces.push(Face::triangle(0, 2, 4));
        let (repaired, repair) = mesh.repaired().unwrap();
        assert_eq!(repaired, mesh);
        assert_eq!((repair.branching[0].ends, repair.branching[0].joined), ([0, 2], [0, 1]));
    }

    #[test]
    fn faces_are_turned_as_most_of_their_piece() {
        let mut mesh = square();
        mesh.faces.push(Face::quad(0, 1, 4, 3)); // against both
        let (repaired, repair) = mesh.repaired().unwrap();
        assert_eq!((repaired.faces[2], repair.turned), (Face::quad(0, 3, 4, 1), vec![2]));
    }

    #[test]
    fn nothing_but_degenerate_faces_is_refused() {
        let mesh = Mesh { faces: vec![Face::triangle(0, 1, 1)], ..square() };
        assert!(matches!(mesh.repaired(), Err(MeshError::DegenerateFace { face: 0, .. })));
        let mesh = Mesh { faces: Vec::new(), ..square() };
        assert!(matches!(mesh.repaired(), Err(MeshError::Empty { vertices: 5 })));
    }
}
