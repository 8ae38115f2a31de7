//! Another mesh for the same cloth: vertices that come on edges and inside of faces, and the faces that change with them.
//!
//! ```text
//! masses, drag, wind     a new vertex of mass m takes m wᵢ from each of its corners: centre of mass and momentum stay
//! pins, script, ties     those that all its corners have
//! shape at rest          as it lies in the old face
//! springs                those of a divided face are spread over its pieces, as fibres
//! ```

use super::EditError;
use super::rebuild::Pieces;
use crate::discretize::ClothPart;
use crate::elements::{Attachment, Weave};
use crate::math::{Real, Vec3};
use crate::mesh::{Face, RestPlaces, VertexFaces, rest_area};
use crate::model::{Model, ModelData};
use crate::remap::{Added, Origin, Remap};
use crate::remesh::{Corner, Inserted, Remeshing, Replacement};
use crate::script::PinMove;
use crate::seam::SewnSide;

/// What a corner of a face keeps of its mass at least when new vertices take theirs.
const LEAST_REST: Real = 0.1;

/// A face that comes, with what is known of it.
pub(super) struct Coming {
    pub face: Face,
    pub places: RestPlaces,
    pub is_crossed: bool,
    pub weave: Option<u32>,
    /// The sides of seams that its sides lie along.
    pub seams: [Option<SewnSide>; 3],
}

/// A piece of faces that are replaced.
struct NewFace {
    corners: [Corner; 3],
    places: [Vec3; 3],
    weave: Option<u32>,
    /// The sides of seams that its sides lie along.
    seams: [Option<SewnSide>; 3],
}

impl Model {
    /// Gives cloth another mesh. The numbers of the new vertices, and where the particles are.
    pub(crate) fn remesh(&mut self, remeshing: &Remeshing) -> Result<(Vec<u32>, Remap), EditError> {
        let mut data = self.data.clone();
        let at_vertices = VertexFaces::of(&data.faces, data.len());
        let mut pieces: Vec<Vec<NewFace>> = data.cloths.iter().map(|_| Vec::new()).collect();
        let mut cloth_of = vec![None; remeshing.inserted.len()];
        for replacement in &remeshing.replaced {
            let cloth = self.cloth_of_replacement(replacement)?;
            for corner in replacement.triangles.iter().flatten() {
                if let Corner::New(k) = corner {
                    cloth_of[*k as usize] = Some(cloth);
                }
            }
            let weave = data.weave_of(cloth, replacement, &at_vertices)?;
            pieces[cloth].extend(data.new_faces(replacement, &remeshing.inserted, weave)?);
        }
        let masses = data.masses_of(remeshing);
        let mut added = Vec::with_capacity(remeshing.inserted.len());
        for (inserted, cloth) in remeshing.inserted.iter().zip(&cloth_of) {
            let cloth = cloth.ok_or_else(|| EditError::OtherFaces(Vec::new()))?;
            let before = data.parts[data.cloths[cloth].part].end;
            added.push(Added { origin: Origin::inside(inserted.corners), before });
        }
        let gone = remeshing.replaced.iter().flat_map(|replacement| &replacement.faces);
        let around: Vec<u32> =
            gone.clone().flat_map(|&face| data.faces[face as usize].corners()).copied().collect();
        let mut near = data.near(around.iter().copied(), &at_vertices);
        data.drop_elements(&near);
        let (mut map, vertices) = Remap::with_added(self.len(), &added);
        map.mark_changed(around);
        data.follow(&map);
        map.follow(&mut near);
        for &vertex in &vertices {
            near[vertex as usize] = true;
        }
        for ((inserted, &vertex), mass) in remeshing.inserted.iter().zip(&vertices).zip(masses) {
            let corners = inserted.corners.map(|(corner, weight)| (map.place(corner) as usize, weight));
            data.share_with(vertex as usize, corners, mass);
        }
        let mut is_gone = vec![false; data.faces.len()];
        gone.for_each(|&face| is_gone[face as usize] = true);
        let number = |corner: Corner| match corner {
            Corner::Old(particle) => map.place(particle),
            Corner::New(k) => vertices[k as usize],
        };
        data.replace_in_pressures(remeshing, number);
        let coming = |piece: &NewFace| {
            let ([a, b, c], [p, q, r]) = (piece.corners.map(number), piece.places);
            let (face, places) = (Face::triangle(a, b, c), [p, q, r, Vec3::ZERO]);
            Coming { face, places, is_crossed: false, weave: piece.weave, seams: piece.seams }
        };
        let coming: Vec<Vec<Coming>> =
            pieces.iter().map(|pieces| pieces.iter().map(coming).collect()).collect();
        data.replace_faces(&is_gone, &coming);
        data.make_elements(&near)?;
        self.take_topology(data);
        Ok((vertices, map))
    }

    /// The cloth whose faces are replaced, if that can be done.
    fn cloth_of_replacement(&self, replacement: &Replacement) -> Result<usize, EditError> {
        let other = || EditError::OtherFaces(replacement.faces.clone());
        let first = *replacement.faces.first().ok_or_else(other)?;
        let number = self.cloths.iter().position(|cloth| cloth.faces.contains(&first)).ok_or_else(other)?;
        let cloth = &self.cloths[number];
        let corner = self.faces[first as usize].corners()[0];
        if !replacement.faces.iter().all(|face| cloth.faces.contains(face)) {
            return Err(other());
        }
        let fabric = &cloth.fabric;
        let is_woven = fabric.membrane.is_none();
        if fabric.flexion_diagonals && is_woven && fabric.bending.is_none() {
            return Err(EditError::Diagonals(corner));
        }
        if is_woven && [fabric.structural, fabric.shear, fabric.flexion].iter().any(|link| link.rigid) {
            return Err(EditError::Rigid(corner));
        }
        Ok(number)
    }
}

impl ModelData {
    /// The weave of the pieces of faces that are replaced together; none where there are no springs.
    fn weave_of(
        &mut self,
        cloth: usize,
        replacement: &Replacement,
        at_vertices: &VertexFaces,
    ) -> Result<Option<u32>, EditError> {
        let part = &self.cloths[cloth];
        if part.fabric.membrane.is_some() {
            return Ok(None);
        }
        let known = |face: &u32| part.weave_of[(face - part.faces.start) as usize];
        let first = known(&replacement.faces[0]);
        match replacement.faces.as_slice() {
            _ if first.is_some() && replacement.faces.iter().all(|face| known(face) == first) => Ok(first),
            &[face] => {
                let weave = self.new_weave(part, face, at_vertices);
                let weaves = &mut self.cloths[cloth].weaves;
                weaves.push(weave);
                Ok(Some(weaves.len() as u32 - 1))
            }
            _ => Err(EditError::OtherFaces(replacement.faces.clone())),
        }
    }

    /// What the springs of a face become.
    fn new_weave(&self, cloth: &ClothPart, face: u32, at_vertices: &VertexFaces) -> Weave {
        let is_inner = |side: [u32; 2]| {
            let mut others = at_vertices.at(side[0]).iter().filter(|&&other| other != face);
            others.any(|&other| crate::mesh::has_side(&self.faces[other as usize], side))
        };
        Pieces::of(self, cloth, &[face]).shape(cloth).weave(0, &cloth.fabric, is_inner)
    }

    /// The triangles that come, with their shape at rest.
    fn new_faces(
        &self,
        replacement: &Replacement,
        inserted: &[Inserted],
        weave: Option<u32>,
    ) -> Result<Vec<NewFace>, EditError> {
        let place = |corner: u32| {
            let mut faces = replacement.faces.iter().filter_map(|&face| {
                let corners = self.faces[face as usize].corners();
                corners.iter().position(|&c| c == corner).map(|k| self.rest_shape[face as usize][k])
            });
            faces.next()
        };
        let other = || EditError::OtherFaces(replacement.faces.clone());
        let place_of = |corner: Corner| match corner {
            Corner::Old(particle) => place(particle),
            Corner::New(k) => {
                let shares = inserted[k as usize].corners.iter().filter(|share| share.1 != 0.0);
                shares.map(|&(corner, weight)| Some(place(corner)? * weight)).sum()
            }
        };
        let mut faces = Vec::new();
        for &corners in &replacement.triangles {
            let [p, q, r] = corners.map(place_of);
            let places = [p.ok_or_else(other)?, q.ok_or_else(other)?, r.ok_or_else(other)?];
            let sides = [places[1] - places[0], places[2] - places[0]];
            if sides[0].cross(sides[1]).length() <= 1e-9 * sides[0].length() * sides[1].length() {
                return Err(EditError::Flat(self.faces[replacement.faces[0] as usize].corners()[0]));
            }
            let seams = self.seams_along(replacement, inserted, corners);
            faces.push(NewFace { corners, places, weave, seams });
        }
        Ok(faces)
    }

    /// The sides of seams of the faces that go along which the sides of a triangle lie.
    fn seams_along(
        &self,
        replacement: &Replacement,
        inserted: &[Inserted],
        corners: [Corner; 3],
    ) -> [Option<SewnSide>; 3] {
        let is_gone = |sewn: &&SewnSide| replacement.faces.contains(&sewn.side[0]);
        let seams: Vec<([u32; 2], SewnSide)> = self
            .cloths
            .iter()
            .flat_map(|cloth| cloth.seams.iter().filter(is_gone))
            .filter_map(|sewn| Some((sewn.ends(&self.faces)?, *sewn)))
            .collect();
        let is_on = |corner: Corner, ends: [u32; 2]| match corner {
            Corner::Old(particle) => ends.contains(&particle),
            Corner::New(k) => {
                let mut shares = inserted[k as usize].corners.iter().filter(|share| share.1 != 0.0);
                shares.all(|share| ends.contains(&share.0))
            }
        };
        [0, 1, 2].map(|k| {
            let side = [corners[k], corners[(k + 1) % 3]];
            let found = seams.iter().find(|(ends, _)| side.iter().all(|&corner| is_on(corner, *ends)));
            found.map(|&(_, sewn)| sewn)
        })
    }

    /// The masses of new vertices: by the areas of the triangles around at rest, and no more than their corners can give.
    fn masses_of(&self, remeshing: &Remeshing) -> Vec<Real> {
        let mut area_around = vec![0.0; self.len()];
        for cloth in &self.cloths {
            for face in cloth.faces.clone() {
                let area = self.corner_area(face);
                for &corner in self.faces[face as usize].corners() {
                    area_around[corner as usize] += area;
                }
            }
        }
        let mut masses = vec![0.0; remeshing.inserted.len()];
        for replacement in &remeshing.replaced {
            let (mut mass, mut area) = (0.0, 0.0);
            for &face in &replacement.faces {
                let corner_area = self.corner_area(face);
                for &corner in self.faces[face as usize].corners() {
                    mass += self.masses[corner as usize] * corner_area / area_around[corner as usize];
                    area += corner_area;
                }
            }
            let faces = self.new_faces(replacement, &remeshing.inserted, None).unwrap_or_default();
            for face in &faces {
                let [p, q, r] = face.places;
                let piece = rest_area(3, &[p, q, r, Vec3::ZERO]);
                for corner in face.corners {
                    if let Corner::New(k) = corner {
                        masses[k as usize] += mass / area * piece / 3.0;
                    }
                }
            }
        }
        masses
    }

    /// Gives a new vertex a mass from its corners, and its part of all that goes with it.
    fn share_with(&mut self, vertex: usize, corners: [(usize, Real); 3], mass: Real) {
        let shares = || corners.into_iter().filter(|share| share.1 > 0.0);
        let can_give = |(corner, weight): (usize, Real)| self.masses[corner] * (1.0 - LEAST_REST) / weight;
        let mass = shares().map(can_give).fold(mass, Real::min);
        let fractions: Vec<(usize, Real)> =
            shares().map(|(corner, weight)| (corner, mass * weight / self.masses[corner])).collect();
        let give = |list: &mut [Real]| {
            if !list.is_empty() {
                list[vertex] = fractions.iter().map(|&(corner, part)| list[corner] * part).sum();
                for &(corner, part) in &fractions {
                    list[corner] *= 1.0 - part;
                }
            }
        };
        give(&mut self.masses);
        give(&mut self.forces.drag);
        if let Some(wind) = &mut self.forces.wind {
            give(&mut wind.coefficients);
        }
        let are_held = shares().all(|(corner, _)| self.inverse_masses[corner] == 0.0);
        self.inverse_masses[vertex] = if are_held { 0.0 } else { 1.0 / self.masses[vertex] };
        for (corner, _) in shares() {
            if self.inverse_masses[corner] != 0.0 {
                self.inverse_masses[corner] = 1.0 / self.masses[corner];
            }
        }
        for PinMove { particles, start, .. } in &mut self.script.moves {
            let start_of = |(corner, weight): (usize, Real)| {
                particles.iter().position(|&p| p as usize == corner).map(|k| start[k] * weight)
            };
            if let Some(place) = shares().map(start_of).sum::<Option<Vec3>>().filter(|_| are_held) {
                particles.push(vertex as u32);
                start.push(place);
            }
        }
        self.share_ties(vertex, corners, &fractions);
    }

    /// Ties a new vertex to where its corners are tied, if all are.
    fn share_ties(&mut self, vertex: usize, corners: [(usize, Real); 3], fractions: &[(usize, Real)]) {
        let attachments = &mut self.elements.attachments;
        let ties = attachments.len() - self.grabs;
        let tie_of =
            |corner: usize| attachments[..ties].iter().position(|tie| tie.particle as usize == corner);
        let found: Option<Vec<usize>> = fractions.iter().map(|&(corner, _)| tie_of(corner)).collect();
        let Some(found) = found else { return };
        let mut tie = Attachment { particle: vertex as u32, point: Vec3::ZERO, stiffness: 0.0, damping: 0.0 };
        for (&k, &(corner, part)) in found.iter().zip(fractions) {
            let weight: Real = corners.iter().filter(|share| share.0 == corner).map(|share| share.1).sum();
            let old = &mut attachments[k];
            tie.point += old.point * weight;
            tie.stiffness += old.stiffness * part;
            tie.damping += old.damping * part;
            old.stiffness *= 1.0 - part;
            old.damping *= 1.0 - part;
        }
        attachments.insert(ties, tie);
    }

    /// Puts the triangles that come into surfaces that hold a pressure.
    fn replace_in_pressures(&mut self, remeshing: &Remeshing, number: impl Fn(Corner) -> u32) {
        if self.elements.pressures.is_empty() {
            return;
        }
        for replacement in &remeshing.replaced {
            let gone: Vec<[u32; 3]> =
                replacement.faces.iter().flat_map(|&face| self.faces[face as usize].triangles()).collect();
            let come: Vec<[u32; 3]> =
                replacement.triangles.iter().map(|corners| corners.map(&number)).collect();
            for pressure in &mut self.elements.pressures {
                pressure.replace(&gone, &come);
            }
        }
    }

    /// Puts new faces behind the old ones of their cloth, and takes those out that are gone.
    pub(super) fn replace_faces(&mut self, is_gone: &[bool], coming: &[Vec<Coming>]) {
        let (mut faces, mut rest_shape) = (Vec::new(), Vec::<RestPlaces>::new());
        let mut numbers = vec![u32::MAX; self.faces.len()];
        let mut starts = vec![0; self.cloths.len()];
        let mut next = 0;
        let mut keep =
            |range: std::ops::Range<u32>, faces: &mut Vec<Face>, rest_shape: &mut Vec<RestPlaces>| {
                for face in range.filter(|&face| !is_gone[face as usize]) {
                    numbers[face as usize] = faces.len() as u32;
                    faces.push(self.faces[face as usize]);
                    rest_shape.push(self.rest_shape[face as usize]);
                }
            };
        for (k, cloth) in self.cloths.iter().enumerate() {
            keep(next..cloth.faces.start, &mut faces, &mut rest_shape);
            starts[k] = faces.len() as u32;
            keep(cloth.faces.clone(), &mut faces, &mut rest_shape);
            faces.extend(coming[k].iter().map(|coming| coming.face));
            rest_shape.extend(coming[k].iter().map(|coming| coming.places));
            next = cloth.faces.end;
        }
        keep(next..self.faces.len() as u32, &mut faces, &mut rest_shape);
        for ((cloth, &start), coming) in self.cloths.iter_mut().zip(&starts).zip(coming) {
            let old = cloth.faces.clone();
            let stays = |k: usize| !is_gone[old.start as usize + k];
            let kept = |k: &usize| stays(*k);
            cloth.crossed = (0..old.len()).filter(kept).map(|k| cloth.crossed[k]).collect();
            cloth.weave_of = (0..old.len()).filter(kept).map(|k| cloth.weave_of[k]).collect();
            cloth.crossed.extend(coming.iter().map(|face| face.is_crossed));
            cloth.weave_of.extend(coming.iter().map(|face| face.weave));
            cloth.faces = start..start + cloth.crossed.len() as u32;
            cloth.lips.retain(|lip| !is_gone[lip[0] as usize]);
            cloth.lips.iter_mut().for_each(|lip| lip[0] = numbers[lip[0] as usize]);
            cloth.seams.retain(|sewn| !is_gone[sewn.side[0] as usize]);
            cloth.seams.iter_mut().for_each(|sewn| sewn.side[0] = numbers[sewn.side[0] as usize]);
            let first = cloth.faces.end - coming.len() as u32;
            for (face, new) in (first..).zip(coming) {
                for (number, sewn) in (0..).zip(new.seams) {
                    cloth.seams.extend(sewn.map(|sewn| SewnSide { side: [face, number], ..sewn }));
                }
            }
        }
        (self.faces, self.rest_shape) = (faces, rest_shape);
    }
}
