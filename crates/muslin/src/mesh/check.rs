//! What makes a mesh unfit to become cloth, and what is only worth a word.

use super::{Edge, Face, Mesh, edges};
use crate::math::{Real, Vec3};

/// Why a mesh cannot become cloth. Faces and vertices are counted from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the message names each field")]
pub enum MeshError {
    #[error("the mesh has no faces ({vertices} vertices); a surface needs at least one triangle or quad")]
    Empty { vertices: usize },
    #[error("vertex {vertex} is ({x}, {y}, {z}), but coordinates must be finite numbers")]
    NotFinite { vertex: usize, x: Real, y: Real, z: Real },
    #[error("face {face} names vertex {vertex}, but the mesh has vertices 0 to {last}")]
    IndexOutOfRange { face: usize, vertex: u32, last: u32 },
    #[error("face {face} with vertices {corners:?} is degenerate: {why}")]
    DegenerateFace { face: usize, corners: Vec<u32>, why: &'static str },
    #[error("faces {first} and {second} have the same vertices {corners:?}; delete one of them")]
    DuplicateFace { first: usize, second: usize, corners: Vec<u32> },
    #[error("edge {}-{} belongs to {} faces {faces:?}, but an edge of a surface has one or two", ends[0], ends[1], faces.len())]
    NonManifoldEdge { ends: [u32; 2], faces: Vec<u32> },
}

/// What a sound mesh consists of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshReport {
    /// Number of triangles.
    pub triangles: usize,
    /// Number of quadrilaterals.
    pub quads: usize,
    /// Number of edges.
    pub edges: usize,
    /// Edges with one face only; 0 for a closed surface.
    pub border_edges: usize,
    /// Vertices that no face uses: worth a warning, they fall like dust.
    pub isolated_vertices: Vec<u32>,
    /// Edges whose two faces turn the same way round it: their normals point to opposite sides.
    pub flipped_edges: usize,
    /// Total area [m²].
    pub area: Real,
    /// Shortest edge [m].
    pub shortest_edge: Real,
    /// Longest edge [m].
    pub longest_edge: Real,
}

impl Mesh {
    /// Looks for everything that would have to be [repaired](Self::repaired), but for faces that turn the wrong way.
    pub fn check(&self) -> Result<MeshReport, MeshError> {
        self.check_vertices()?;
        self.check_faces()?;
        let edges = edges(&self.faces);
        if let Some(edge) = edges.iter().find(|edge| edge.faces.len() > 2) {
            return Err(MeshError::NonManifoldEdge { ends: edge.ends, faces: edge.faces.clone() });
        }
        Ok(self.report())
    }

    /// What it consists of. All its faces must name vertices that there are.
    pub fn report(&self) -> MeshReport {
        let edges = edges(&self.faces);
        let mut used = vec![false; self.positions.len()];
        for &corner in self.faces.iter().flat_map(Face::corners) {
            used[corner as usize] = true;
        }
        let quads = self.faces.iter().filter(|face| face.corners().len() == 4).count();
        let lengths = edges.iter().map(|edge| {
            let [a, b] = edge.ends.map(|p| self.positions[p as usize]);
            a.distance(b)
        });
        let [shortest_edge, longest_edge] = lengths.fold([Real::INFINITY, 0.0], |[low, high], length| {
            [Real::min(low, length), Real::max(high, length)]
        });
        MeshReport {
            triangles: self.faces.len() - quads,
            quads,
            edges: edges.len(),
            border_edges: edges.iter().filter(|edge| edge.faces.len() == 1).count(),
            isolated_vertices: (0..used.len() as u32).filter(|&v| !used[v as usize]).collect(),
            flipped_edges: edges.iter().filter(|edge| self.is_flipped(edge)).count(),
            area: self.faces.iter().map(|face| face.area(&self.positions)).sum(),
            shortest_edge,
            longest_edge,
        }
    }

    fn is_flipped(&self, edge: &Edge) -> bool {
        let [a, b] = edge.ends;
        let forward = |&face: &u32| self.faces[face as usize].sides().any(|side| side == [a, b]);
        edge.faces.len() == 2 && edge.faces.iter().filter(|face| forward(face)).count() != 1
    }

    fn check_vertices(&self) -> Result<(), MeshError> {
        if self.faces.is_empty() {
            return Err(MeshError::Empty { vertices: self.positions.len() });
        }
        match self.positions.iter().enumerate().find(|(_, p)| !p.is_finite()) {
            Some((vertex, p)) => Err(MeshError::NotFinite { vertex, x: p.x, y: p.y, z: p.z }),
            None => Ok(()),
        }
    }

    fn check_faces(&self) -> Result<(), MeshError> {
        let count = self.positions.len() as u32;
        for (number, face) in self.faces.iter().enumerate() {
            if let Some(&vertex) = face.corners().iter().find(|&&vertex| vertex >= count) {
                return Err(MeshError::IndexOutOfRange {
                    face: number,
                    vertex,
                    last: count.saturating_sub(1),
                });
            }
            if let Some(why) = degeneracy(face.corners(), &self.positions) {
                return Err(MeshError::DegenerateFace {
                    face: number,
                    corners: face.corners().to_vec(),
                    why,
                });
            }
        }
        let mut sorted: Vec<(Vec<u32>, usize)> =
            self.faces.iter().enumerate().map(|(n, f)| (sorted_corners(f), n)).collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some([first, second]) => {
                Err(MeshError::DuplicateFace { first: first.1, second: second.1, corners: first.0.clone() })
            }
            _ => Ok(()),
        }
    }
}

/// Why a polygon has no use in a surface, if it has none.
pub(super) fn degeneracy(corners: &[u32], positions: &[Vec3]) -> Option<&'static str> {
    if corners.len() < 3 {
        return Some("it has less than three vertices");
    }
    let mut sorted = corners.to_vec();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Some("a vertex appears twice");
    }
    let at = |k: usize| positions[corners[k % corners.len()] as usize];
    if (0..corners.len()).any(|k| at(k) == at(k + 1)) {
        return Some("two of its vertices are at the same place");
    }
    let longest = (0..corners.len()).map(|k| at(k).distance_squared(at(k + 1))).fold(0.0, Real::max);
    let doubled_area = match *corners {
        [a, b, c] => Face::triangle(a, b, c).doubled_area_vector(positions),
        [a, b, c, d] => Face::quad(a, b, c, d).doubled_area_vector(positions),
        _ => (1..corners.len() - 1).map(|k| (at(k) - at(0)).cross(at(k + 1) - at(0))).sum(),
    };
    // Relative to the longest side: a sliver a billion times longer than high has no usable normal.
    (0.5 * doubled_area.length() <= 1e-9 * longest).then_some("its area is zero")
}

fn sorted_corners(face: &Face) -> Vec<u32> {
    let mut corners = face.corners().to_vec();
    corners.sort_unstable();
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Mesh {
        Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y],
            faces: vec![Face::triangle(0, 1, 2), Face::triangle(0, 2, 3)],
        }
    }

    #[test]
    fn a_sound_mesh_is_measured() {
        let report = square().check().unwrap();
        assert_eq!((report.triangles, report.quads, report.edges, report.border_edges), (2, 0, 5, 4));
        assert_eq!((report.area, report.shortest_edge, report.longest_edge), (1.0, 1.0, Real::sqrt(2.0)));
        assert!(report.isolated_vertices.is_empty());
    }

    #[test]
    fn an_isolated_vertex_is_reported_not_refused() {
        let mut mesh = square();
        mesh.positions.push(Vec3::ONE);
        assert_eq!(mesh.check().unwrap().isolated_vertices, [4]);
    }

    #[test]
    fn faces_that_turn_against_each_other_are_counted() {
        assert_eq!(square().check().unwrap().flipped_edges, 0);
        let mut mesh = square();
        mesh.faces[1] = Face::triangle(0, 3, 2);
        assert_eq!(mesh.check().unwrap().flipped_edges, 1);
    }

    #[test]
    fn every_defect_has_its_error() {
        let with = |face| {
            let mut mesh = square();
            mesh.positions.push(Vec3::X * 2.0);
            mesh.faces.push(face);
            mesh.check().unwrap_err()
        };
        assert!(matches!(
            with(Face::triangle(0, 1, 9)),
            MeshError::IndexOutOfRange { face: 2, vertex: 9, last: 4 }
        ));
        assert!(matches!(with(Face::triangle(0, 1, 1)), MeshError::DegenerateFace { face: 2, .. }));
        assert!(matches!(
            with(Face::triangle(0, 1, 4)),
            MeshError::DegenerateFace { why: "its area is zero", .. }
        ));
        assert!(matches!(
            with(Face::triangle(2, 0, 1)),
            MeshError::DuplicateFace { first: 0, second: 2, .. }
        ));
        assert!(matches!(with(Face::triangle(0, 2, 4)), MeshError::NonManifoldEdge { ends: [0, 2], .. }));
        assert!(matches!(Mesh::default().check().unwrap_err(), MeshError::Empty { vertices: 0 }));
        let mut mesh = square();
        mesh.positions[1].y = Real::NAN;
        assert!(matches!(mesh.check().unwrap_err(), MeshError::NotFinite { vertex: 1, .. }));
    }
}
