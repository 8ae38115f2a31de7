//! Division at the contact: where a solid bears on a face with a point or an edge, the face becomes smaller ones.
//!
//! ```text
//! where     a side of the face is longer at rest than 2 ℓ, and than the radius of the solid there
//! how       by the longest side, of the neighbour first if that has a longer one [Rivara 1984]
//! ```
//!
//! So least angles never fall below half of what they were, however often a face is divided, and sides not below ℓ, the fabric's
//! `least_length`. The document puts a vertex at the very point and divides one face into three, again and again [Carvalho 2007,
//! Alg. 10]: slivers.

use crate::math::Real;
use crate::mesh::VertexFaces;
use crate::mesh::has_side;
use crate::model::{DividedFace, Division, EditError, Remap};
use crate::remesh::{Corner, Remeshing};
use crate::world::World;

/// Faces that are divided in a step at the most: the rest waits for the next steps.
const MOST_DIVISIONS: usize = 8;

/// Neighbours to visit on the way to the longest side at the most; it ends before, where no side is longer.
const MOST_NEIGHBOURS: usize = 64;

impl World {
    /// Divides faces that a solid bears on, after a step.
    pub(crate) fn divide_at_contacts(&mut self) {
        if self.surface_contact().is_some() && self.is_divided() {
            self.divide_where(&self.contacts.bearings(&self.state));
        }
    }

    /// Whether any cloth is divided at contacts.
    pub(crate) fn is_divided(&self) -> bool {
        self.model.cloths.iter().any(|cloth| cloth.fabric.least_length.is_some())
    }

    /// Divides faces on which solids of some radius [m] bear: corners of the faces, and the radius.
    pub(crate) fn divide_where(&mut self, bearings: &[(Vec<u32>, Real)]) {
        if bearings.is_empty() {
            return;
        }
        let mut sides: Vec<[u32; 2]> = Vec::new();
        let at_vertices = VertexFaces::of(&self.model.faces, self.model.len());
        for (corners, radius) in bearings {
            let around = at_vertices.at(corners[0]).iter().copied();
            let bears =
                |face: &u32| corners.iter().all(|p| self.model.faces[*face as usize].corners().contains(p));
            for face in around.filter(bears) {
                sides.extend(self.side_to_divide(face, *radius, &at_vertices));
            }
        }
        sides.sort_unstable();
        sides.dedup();
        sides.truncate(MOST_DIVISIONS);
        for k in 0..sides.len() {
            // Where something is in the way, or cloth cannot be divided, it stays whole.
            if let Ok(map) = self.halve(sides[k]) {
                sides.iter_mut().flatten().for_each(|end| *end = map.place(*end));
            }
        }
    }

    /// Halves an edge, and remembers what there was.
    fn halve(&mut self, edge: [u32; 2]) -> Result<Remap, EditError> {
        let at_vertices = VertexFaces::of(&self.model.faces, self.model.len());
        let remeshing = Remeshing::of_edge(&self.model.faces, &at_vertices, edge, 0.5);
        let remeshing = remeshing.ok_or(EditError::NoEdge(edge))?;
        let faces: Option<Vec<DividedFace>> = remeshing
            .replaced
            .iter()
            .map(|replacement| self.model.face_to_restore(replacement.faces[0]))
            .collect();
        let (vertices, map) = self.remesh(&remeshing)?;
        if let Some(faces) = faces {
            let number = |corner: Corner| match corner {
                Corner::Old(particle) => map.place(particle),
                Corner::New(k) => vertices[k as usize],
            };
            let faces =
                faces.into_iter().zip(&remeshing.replaced).map(|(divided, replacement)| DividedFace {
                    face: divided.face.renumbered(|corner| map.place(corner)),
                    pieces: replacement.triangles.iter().map(|piece| piece.map(number)).collect(),
                    ..divided
                });
            let (vertex, ends) = (vertices[0], edge.map(|end| map.place(end)));
            let division = Division { vertex, ends, faces: faces.collect(), touched: self.state.time };
            self.model.add_division(division);
        }
        Ok(map)
    }

    /// The side to divide so that a face gets smaller, if it is too large for a solid of a radius [m].
    fn side_to_divide(&self, face: u32, radius: Real, at_vertices: &VertexFaces) -> Option<[u32; 2]> {
        let cloth = self.model.cloths.iter().find(|cloth| cloth.faces.contains(&face))?;
        let least = cloth.fabric.least_length?;
        let (mut face, mut side, mut length) = (face, [0; 2], 0.0);
        for visited in 0..MOST_NEIGHBOURS {
            let (longest, its_length) = self.longest_side(face);
            if visited == 0 && its_length <= (2.0 * least).max(radius) {
                return None;
            }
            if its_length <= length * (1.0 + 1e-9) {
                break;
            }
            (side, length) = (longest, its_length);
            let beside = at_vertices.at(side[0]).iter().copied();
            let mut others =
                beside.filter(|&other| other != face && has_side(&self.model.faces[other as usize], side));
            match others.next() {
                Some(other) if cloth.faces.contains(&other) => face = other,
                _ => break,
            }
        }
        Some([side[0].min(side[1]), side[0].max(side[1])])
    }

    /// The longest side of a face at rest, and its length [m]; of equal ones the first by number.
    fn longest_side(&self, face: u32) -> ([u32; 2], Real) {
        let sides = self.model.faces[face as usize].sides().map(|[a, b]| [a.min(b), a.max(b)]);
        let with_length = sides.map(|side| (side, self.model.rest_length(face, side)));
        with_length.fold(([0; 2], 0.0), |best, next| {
            let is_longer = next.1 > best.1 * (1.0 + 1e-9);
            let is_first = next.1 > best.1 * (1.0 - 1e-9) && next.0 < best.0;
            if is_longer || is_first { next } else { best }
        })
    }
}
