//! Surfaces: vertices and faces, and what can be asked of them.

mod check;
mod edges;
mod fans;
mod grid;
pub mod half_edge;
mod repaired;
mod shapes;
mod vertex_faces;

pub use check::{MeshError, MeshReport};
pub use edges::{Edge, edges};
pub(crate) use fans::{fans, has_side, is_one_fan};
pub use grid::Grid;
pub use shapes::{boundary, box_tets};
pub(crate) use vertex_faces::VertexFaces;

use crate::math::{Real, Vec3};

/// A surface of triangles and quadrilaterals.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mesh {
    /// Vertex positions [m].
    pub positions: Vec<Vec3>,
    /// Faces, each an ordered loop of vertices.
    pub faces: Vec<Face>,
}

/// A triangle or a quadrilateral, its corners in order around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Face([u32; 4]);

/// Stands in the fourth corner of a triangle.
const NONE: u32 = u32::MAX;

impl Face {
    /// A triangle by its three vertices.
    pub const fn triangle(a: u32, b: u32, c: u32) -> Self {
        Self([a, b, c, NONE])
    }

    /// A quadrilateral by its four vertices, in order around it.
    pub const fn quad(a: u32, b: u32, c: u32, d: u32) -> Self {
        Self([a, b, c, d])
    }

    /// The three or four vertices.
    pub fn corners(&self) -> &[u32] {
        if self.0[3] == NONE { &self.0[..3] } else { &self.0 }
    }

    /// The same face with `offset` added to its vertex numbers.
    #[must_use]
    pub fn shifted(&self, offset: u32) -> Self {
        self.renumbered(|corner| corner + offset)
    }

    /// The sides, each from a corner to the next.
    pub fn sides(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let corners = self.corners();
        (0..corners.len()).map(move |k| [corners[k], corners[(k + 1) % corners.len()]])
    }

    /// The face as one triangle, or as two that share the diagonal from the first corner to the third.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + use<> {
        let [a, b, c, d] = self.0;
        std::iter::once([a, b, c]).chain((d != NONE).then_some([a, c, d]))
    }

    /// The same, but a quad is divided from the second corner to the fourth if it `is_crossed`.
    pub fn triangles_of(&self, is_crossed: bool) -> impl Iterator<Item = [u32; 3]> + use<> {
        let [a, b, c, d] = self.0;
        let turned = if is_crossed && d != NONE { Self([b, c, d, a]) } else { *self };
        turned.triangles()
    }

    /// The same face with other numbers of its vertices.
    #[must_use]
    pub fn renumbered(&self, number: impl Fn(u32) -> u32) -> Self {
        Self(self.0.map(|corner| if corner == NONE { NONE } else { number(corner) }))
    }

    /// Twice the area times the unit normal [m²]: the cross product of two sides, or of a quad's diagonals.
    #[inline]
    pub fn doubled_area_vector(&self, positions: &[Vec3]) -> Vec3 {
        let [a, b, c, d] = self.0;
        let at = |p: u32| positions[p as usize];
        if d == NONE { (at(b) - at(a)).cross(at(c) - at(a)) } else { (at(c) - at(a)).cross(at(d) - at(b)) }
    }

    /// The area [m²] (of a bent quad: the area of its projection along the mean normal).
    pub fn area(&self, positions: &[Vec3]) -> Real {
        0.5 * self.doubled_area_vector(positions).length()
    }
}

/// Where the corners of a face are at rest [m]; of a triangle the fourth says nothing.
pub type RestPlaces = [Vec3; 4];

/// Where the corners of faces are at rest, with vertices at these places [m].
pub(crate) fn rest_places(faces: &[Face], positions: &[Vec3]) -> Vec<RestPlaces> {
    let place = |corner: u32| positions.get(corner as usize).copied().unwrap_or(Vec3::ZERO);
    faces.iter().map(|face| face.0.map(place)).collect()
}

/// The area of a face with so many corners at rest [m²].
pub(crate) fn rest_area(corners: usize, places: &RestPlaces) -> Real {
    let face = if corners == 3 { Face::triangle(0, 1, 2) } else { Face::quad(0, 1, 2, 3) };
    face.area(places)
}

impl AsRef<[u32]> for Face {
    fn as_ref(&self) -> &[u32] {
        self.corners()
    }
}

impl Mesh {
    /// The smallest box, parallel to the axes, that holds every vertex: lowest and highest corner [m].
    pub fn bounds(&self) -> [Vec3; 2] {
        bounds(&self.positions)
    }
}

/// The smallest box, parallel to the axes, that holds every point: lowest and highest corner [m].
pub fn bounds(positions: &[Vec3]) -> [Vec3; 2] {
    let lowest = positions.iter().fold(Vec3::INFINITY, |low, &p| low.min(p));
    let highest = positions.iter().fold(Vec3::NEG_INFINITY, |high, &p| high.max(p));
    [lowest, highest]
}

/// Unit normals at the vertices: the normalised sum of the area vectors of the faces around each.
/// A vertex without faces, or whose faces cancel, gets the zero vector.
pub fn vertex_normals(faces: &[Face], positions: &[Vec3], normals: &mut [Vec3]) {
    normals.fill(Vec3::ZERO);
    for face in faces {
        let area = face.doubled_area_vector(positions);
        for &corner in face.corners() {
            normals[corner as usize] += area;
        }
    }
    for normal in normals {
        *normal = normal.normalize_or_zero();
    }
}

/// The area around each vertex: of each face, its share by corners [m²]; (4.7) of Carvalho 2012 on a grid.
pub fn influence_areas(faces: &[Face], positions: &[Vec3]) -> Vec<Real> {
    let mut areas = vec![0.0; positions.len()];
    for face in faces {
        let share = face.area(positions) / face.corners().len() as Real;
        for &corner in face.corners() {
            areas[corner as usize] += share;
        }
    }
    areas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quad_is_two_triangles_of_its_area() {
        let positions = [Vec3::ZERO, Vec3::X * 2.0, Vec3::new(2.0, 3.0, 0.0), Vec3::Y * 3.0];
        let quad = Face::quad(0, 1, 2, 3);
        let halves: Real = quad.triangles().map(|[a, b, c]| Face::triangle(a, b, c).area(&positions)).sum();
        assert_eq!(quad.area(&positions), 6.0);
        assert_eq!(halves, 6.0);
    }

    #[test]
    fn the_normals_of_a_flat_face_point_up() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::splat(5.0)];
        let mut normals = [Vec3::ONE; 4];
        vertex_normals(&[Face::triangle(0, 1, 2)], &positions, &mut normals);
        assert_eq!(normals, [Vec3::Z, Vec3::Z, Vec3::Z, Vec3::ZERO]);
    }
}
