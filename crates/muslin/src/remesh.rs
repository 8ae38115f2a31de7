//! Another mesh for the same surface: vertices that come, and the faces that change with them.

use crate::math::Real;
use crate::mesh::{Face, RestPlaces, VertexFaces};
use crate::remap::Remap;

/// New vertices on edges and inside of faces, and faces in place of others.
///
/// The surface stays where it is: faces that are replaced together cover the same piece of it before and after.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Remeshing {
    /// Vertices that come.
    pub inserted: Vec<Inserted>,
    /// Faces in place of others.
    pub replaced: Vec<Replacement>,
}

/// A place inside of a face, or on an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Inserted {
    /// Corners of a triangle of the surface, and weights that sum to one: all positive inside of it; on an edge the third is zero, and
    /// its corner one of the two.
    pub corners: [(u32, Real); 3],
}

/// Triangles in place of some faces that hang together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Replacement {
    /// The faces that go, by number; all of one cloth.
    pub faces: Vec<u32>,
    /// The triangles that come, with the same orientation.
    pub triangles: Vec<[Corner; 3]>,
}

/// A corner of a triangle that comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Corner {
    /// A particle that there was.
    Old(u32),
    /// A vertex that comes, by its place in the list.
    New(u32),
}

/// An edge that was halved at a contact, to be made whole again when the contact has gone.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Division {
    /// The vertex in its middle.
    pub vertex: u32,
    /// Its ends.
    pub ends: [u32; 2],
    /// The faces that had it.
    pub faces: Vec<DividedFace>,
    /// When something bore on these last [s].
    pub touched: Real,
}

/// A face that was divided.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DividedFace {
    /// As it was.
    pub face: Face,
    /// Where its corners are at rest [m].
    pub places: RestPlaces,
    /// Whether it is divided from the second corner to the fourth, instead of from the first to the third.
    pub is_crossed: bool,
    /// What its springs had become, if it was a piece of a divided face itself.
    pub weave: Option<u32>,
    /// The triangles in its place.
    pub pieces: Vec<[u32; 3]>,
}

impl Division {
    /// The corners of its faces, and the vertex; some of them several times.
    pub fn particles(&self) -> impl Iterator<Item = u32> + '_ {
        self.faces.iter().flat_map(|divided| divided.face.corners().iter().copied()).chain([self.vertex])
    }

    /// Follows an edit of the topology.
    pub(crate) fn follow(&mut self, map: &Remap) {
        let place = |particle: u32| map.place(particle);
        self.vertex = place(self.vertex);
        self.ends = self.ends.map(place);
        for DividedFace { face, pieces, .. } in &mut self.faces {
            *face = face.renumbered(place);
            pieces.iter_mut().flatten().for_each(|corner| *corner = place(*corner));
        }
    }
}

impl Inserted {
    /// A place on an edge, at part `t` of the way.
    pub fn on_edge([a, b]: [u32; 2], t: Real) -> Self {
        Self { corners: [(a, 1.0 - t), (b, t), (b, 0.0)] }
    }
}

impl Remeshing {
    /// A vertex on an edge, at part `t` of the way; none if no face has the edge.
    pub fn of_edge(faces: &[Face], at_vertices: &VertexFaces, edge: [u32; 2], t: Real) -> Option<Self> {
        let beside = |number: u32| {
            let triangles = faces[number as usize].triangles().flat_map(|triangle| {
                let k = (0..3).find(|&k| {
                    let side = [triangle[k], triangle[(k + 1) % 3]];
                    side == edge || side == [edge[1], edge[0]]
                });
                let [a, b, c] = triangle.map(Corner::Old);
                let new = Corner::New(0);
                match k {
                    Some(0) => vec![[a, new, c], [new, b, c]],
                    Some(1) => vec![[a, b, new], [a, new, c]],
                    Some(_) => vec![[a, b, new], [new, b, c]],
                    None => vec![[a, b, c]],
                }
            });
            Replacement { faces: vec![number], triangles: triangles.collect() }
        };
        let has_edge = |number: &u32| crate::mesh::has_side(&faces[*number as usize], edge);
        let replaced: Vec<Replacement> =
            at_vertices.at(edge[0]).iter().copied().filter(has_edge).map(beside).collect();
        let inserted = vec![Inserted::on_edge(edge, t)];
        (!replaced.is_empty()).then_some(Self { inserted, replaced })
    }

    /// A vertex inside of a triangle of a face.
    pub fn of_face(faces: &[Face], number: u32, corners: [(u32, Real); 3]) -> Self {
        let inside = corners.map(|corner| corner.0);
        let triangles = faces[number as usize].triangles().flat_map(|triangle| {
            let [a, b, c] = triangle.map(Corner::Old);
            let new = Corner::New(0);
            if triangle.iter().all(|corner| inside.contains(corner)) {
                vec![[a, b, new], [b, c, new], [c, a, new]]
            } else {
                vec![[a, b, c]]
            }
        });
        let replaced = vec![Replacement { faces: vec![number], triangles: triangles.collect() }];
        Self { inserted: vec![Inserted { corners }], replaced }
    }
}
