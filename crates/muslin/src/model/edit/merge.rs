//! Faces that were divided become whole again: the vertex in the middle of a halved edge goes.
//!
//! ```text
//! masses, drag, wind     the vertex gives half to either end: centre of mass stays, if it lies in the middle
//! shape at rest          that of the faces as they were
//! elements               made again around
//! ```

use super::EditError;
use super::remesh::Coming;
use crate::math::Real;
use crate::mesh::VertexFaces;
use crate::model::{DividedFace, Division, Model, ModelData};
use crate::remap::{Joined, Origin, Remap};

impl Model {
    /// Remembers an edge that was halved.
    pub(crate) fn add_division(&mut self, division: Division) {
        self.data.divisions.push(division);
    }

    /// Notes at a time that something bears on particles [s].
    pub(crate) fn touch_divisions(&mut self, is_borne: &[bool], time: Real) {
        for division in &mut self.data.divisions {
            if division.particles().any(|particle| is_borne[particle as usize]) {
                division.touched = time;
            }
        }
    }

    /// Makes the faces of a division whole again, if its pieces are all there, and nothing holds or names its vertex.
    pub(crate) fn make_whole(&mut self, number: usize) -> Result<Remap, EditError> {
        let mut data = self.data.clone();
        let division = data.divisions.remove(number);
        let at_vertices = VertexFaces::of(&data.faces, data.len());
        let gone =
            data.pieces_of(&division, &at_vertices).ok_or_else(|| EditError::OtherFaces(Vec::new()))?;
        let around: Vec<u32> = division.particles().collect();
        let mut near = data.near(around.iter().copied(), &at_vertices);
        data.drop_elements(&near);
        data.give_back(&division);
        data.restore_faces(&division, &gone);
        let [stays, _] = division.ends;
        let joined = Joined { stays, goes: division.vertex, origin: Origin::copy(stays) };
        let mut map = Remap::with_joined(self.len(), &[joined]);
        map.mark_changed(around);
        let amounts = data.amounts();
        data.follow(&map);
        data.take_amounts(&amounts, &map);
        map.follow(&mut near);
        data.tidy_after_join();
        data.make_elements(&near)?;
        self.take_topology(data);
        Ok(map)
    }
}

impl ModelData {
    /// A face before it is divided, if it can be restored: one beside a tear or a seam cannot.
    pub(crate) fn face_to_restore(&self, number: u32) -> Option<DividedFace> {
        let cloth = self.cloths.iter().find(|cloth| cloth.faces.contains(&number))?;
        let k = (number - cloth.faces.start) as usize;
        let is_lip = cloth.lips.iter().any(|lip| lip[0] == number);
        let is_sewn = cloth.seams.iter().any(|sewn| sewn.side[0] == number);
        (!is_lip && !is_sewn).then(|| DividedFace {
            face: self.faces[number as usize],
            places: self.rest_shape[number as usize],
            is_crossed: cloth.crossed[k],
            weave: cloth.weave_of[k],
            pieces: Vec::new(),
        })
    }

    /// Whether the pieces of a division are all there, and nothing holds or names its vertex.
    pub(crate) fn is_whole_again(&self, division: &Division, at_vertices: &VertexFaces) -> bool {
        self.pieces_of(division, at_vertices).is_some()
    }

    /// The numbers of the pieces of a division, if all are there and there is nothing else around its vertex, and nothing holds or names
    /// that.
    fn pieces_of(&self, division: &Division, at_vertices: &VertexFaces) -> Option<Vec<u32>> {
        let vertex = division.vertex;
        let is_named = self.elements.attachments.iter().any(|tie| tie.particle == vertex)
            || self.forces.loads.iter().any(|load| load.particles.contains(&vertex))
            || self.cuts.iter().any(|cut| cut.path.contains(&vertex));
        let is_held = self.inverse_masses[vertex as usize] == 0.0;
        if is_named || is_held || division.ends[0] == division.ends[1] {
            return None;
        }
        let of = |piece: &[u32; 3]| {
            let is_it = |face: &&u32| is_same(self.faces[**face as usize].corners(), piece);
            at_vertices.at(piece[0]).iter().find(is_it).copied()
        };
        let pieces = division.faces.iter().flat_map(|divided| &divided.pieces);
        let found: Vec<u32> = pieces.map(of).collect::<Option<_>>()?;
        at_vertices.at(vertex).iter().all(|face| found.contains(face)).then_some(found)
    }

    /// Gives what the vertex of a division has to the ends of its edge.
    fn give_back(&mut self, division: &Division) {
        let vertex = division.vertex as usize;
        let ends = division.ends.map(|end| end as usize);
        let give = |list: &mut [Real]| {
            if !list.is_empty() {
                for end in ends {
                    list[end] += 0.5 * list[vertex];
                }
            }
        };
        give(&mut self.masses);
        give(&mut self.forces.drag);
        if let Some(wind) = &mut self.forces.wind {
            give(&mut wind.coefficients);
        }
        for end in ends {
            if self.inverse_masses[end] != 0.0 {
                self.inverse_masses[end] = 1.0 / self.masses[end];
            }
        }
    }

    /// Puts the faces of a division in the place of their pieces, which go.
    fn restore_faces(&mut self, division: &Division, gone: &[u32]) {
        for divided in &division.faces {
            let whole: Vec<[u32; 3]> = divided.face.triangles().collect();
            for pressure in &mut self.elements.pressures {
                pressure.replace(&divided.pieces, &whole);
            }
        }
        let mut is_gone = vec![false; self.faces.len()];
        for &face in gone {
            is_gone[face as usize] = true;
        }
        let mut coming: Vec<Vec<Coming>> = self.cloths.iter().map(|_| Vec::new()).collect();
        let cloth = self.cloths.iter().position(|cloth| cloth.faces.contains(&gone[0]));
        coming[cloth.expect("pieces are of cloth")].extend(division.faces.iter().map(|divided| Coming {
            face: divided.face,
            places: divided.places,
            is_crossed: divided.is_crossed,
            weave: divided.weave,
            seams: [None; 3],
        }));
        self.replace_faces(&is_gone, &coming);
    }
}

/// Whether corners are those of a triangle, in whatever order.
fn is_same(corners: &[u32], triangle: &[u32; 3]) -> bool {
    corners.len() == 3 && triangle.iter().all(|corner| corners.contains(corner))
}
