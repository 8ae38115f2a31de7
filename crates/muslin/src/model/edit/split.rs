//! The split of a vertex: some of its faces get a particle of their own.
//!
//! ```text
//! masses, drag, wind, ties   shared by the areas of the faces at rest
//! pins, script               both have them
//! loads, grabs, tethers      stay with the vertex
//! elements                   those with all particles in the faces around, and in the faces next to these, are dropped and made
//!                            again from shape at rest and fabric, whatever their stencil
//! ```

use super::EditError;
use crate::elements::Pressure;
use crate::math::Real;
use crate::mesh::{Face, VertexFaces, rest_area};
use crate::model::{ClothPart, Incidence, Model, ModelData};
use crate::remap::{Added, Origin, Remap};

/// Some faces at a vertex that are to get a particle of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    /// The vertex.
    pub vertex: u32,
    /// The faces, by number.
    pub faces: Vec<u32>,
}

impl Model {
    /// Gives some faces at vertices particles of their own, behind the last ones of their parts; a vertex may be split several times.
    /// The model after that, their numbers, in the order of the splits, and where the particles are.
    pub(crate) fn split(&self, splits: &[Split]) -> Result<(Self, Vec<u32>, Remap), EditError> {
        let mut twins = Vec::with_capacity(splits.len());
        for split in splits {
            let part = self.cloths[self.cloth_to_edit(split.vertex)?].part;
            twins.push(Added { origin: Origin::copy(split.vertex), before: self.parts[part].end });
        }
        let mut data = self.data.clone();
        let at_vertices = VertexFaces::of(&data.faces, data.len());
        let mut near = data.near(splits.iter().map(|split| split.vertex), &at_vertices);
        data.drop_elements(&near);
        let (map, twins) = Remap::with_added(self.len(), &twins);
        data.follow(&map);
        map.follow(&mut near);
        let opened = data.inner_sides(splits, &at_vertices);
        for (split, &twin) in splits.iter().zip(&twins) {
            let vertex = map.place(split.vertex);
            let around = at_vertices.at(split.vertex);
            let share =
                data.share(vertex, &split.faces, around).map_err(|error| error.about(split.vertex))?;
            for &face in &split.faces {
                let corners = &mut data.faces[face as usize];
                *corners = corners.renumbered(|corner| if corner == vertex { twin } else { corner });
            }
            data.share_out(vertex, twin, share);
        }
        data.add_lips(&opened);
        data.end_pressures(&opened);
        data.make_elements(&near)?;
        Ok((self.with_topology(data), twins, map))
    }

    /// The model with other data after an edit.
    fn with_topology(&self, data: ModelData) -> Self {
        let Self { revisions, obstacles, .. } = self;
        let mut model = Self {
            data,
            revisions: *revisions,
            obstacles: obstacles.clone(),
            incidence: Incidence::default(),
        };
        model.renew_matrices();
        model.revisions.surface += 1;
        model
    }

    /// Takes over data after an edit.
    pub(super) fn take_topology(&mut self, data: ModelData) {
        self.data = data;
        self.renew_matrices();
        self.revisions.surface += 1;
    }

    /// The cloth of a vertex, if it can be edited.
    pub(super) fn cloth_to_edit(&self, vertex: u32) -> Result<usize, EditError> {
        if vertex as usize >= self.len() {
            return Err(EditError::Missing(vertex));
        }
        let part = self.parts.iter().position(|range| range.contains(&vertex));
        let is_its = |cloth: &ClothPart| Some(cloth.part) == part;
        let number = self.cloths.iter().position(is_its).ok_or(EditError::NoCloth(vertex))?;
        let cloth = &self.cloths[number];
        if cloth.fabric.flexion_diagonals && cloth.fabric.membrane.is_none() && cloth.fabric.bending.is_none()
        {
            return Err(EditError::Diagonals(vertex));
        }
        Ok(number)
    }
}

impl ModelData {
    /// The particles of the faces around vertices that are to be split, and of the faces next to these.
    pub(crate) fn near_splits(&self, splits: &[Split]) -> Vec<bool> {
        let at_vertices = VertexFaces::of(&self.faces, self.len());
        let inside = splits.iter().map(|split| split.vertex).filter(|&vertex| (vertex as usize) < self.len());
        self.near(inside, &at_vertices)
    }

    /// The inner edges at vertices that are to be split, as two sides, each by face and number.
    fn inner_sides(&self, splits: &[Split], at_vertices: &VertexFaces) -> Vec<[[u32; 2]; 2]> {
        let mut found = Vec::new();
        for split in splits {
            let around = at_vertices.at(split.vertex);
            for (k, &one) in around.iter().enumerate() {
                for &other in &around[k + 1..] {
                    for (i, side) in self.faces[one as usize].sides().enumerate() {
                        let j = self.faces[other as usize]
                            .sides()
                            .position(|[a, b]| side == [a, b] || side == [b, a]);
                        found.extend(j.map(|j| [[one, i as u32], [other, j as u32]]));
                    }
                }
            }
        }
        found
    }

    /// Counts the sides of inner edges that are opened now among the lips.
    fn add_lips(&mut self, inner: &[[[u32; 2]; 2]]) {
        let side = |faces: &[Face], [face, number]: [u32; 2]| {
            faces[face as usize].sides().nth(number as usize).map(|[a, b]| [a.min(b), a.max(b)])
        };
        let is_open = |sides: &&[[u32; 2]; 2]| side(&self.faces, sides[0]) != side(&self.faces, sides[1]);
        for &[face, number] in inner.iter().filter(is_open).flatten() {
            if let Some(cloth) = self.cloths.iter_mut().find(|cloth| cloth.faces.contains(&face)) {
                cloth.lips.push([face, number]);
            }
        }
        for cloth in &mut self.cloths {
            cloth.lips.sort_unstable();
            cloth.lips.dedup();
            let ClothPart { lips, seams, .. } = cloth;
            seams.retain(|sewn| lips.binary_search(&sewn.side).is_err());
        }
    }

    /// The part of the area at rest around a vertex, between faces `around`, that belongs to some of them, if these can be split off.
    fn share(&self, vertex: u32, faces: &[u32], around: &[u32]) -> Result<Real, EditError> {
        let at_vertex = |face: u32| self.faces.get(face as usize).filter(|face| has(face, vertex));
        let part = |face: u32| self.corner_area(face);
        let mut area = 0.0;
        for (k, &face) in faces.iter().enumerate() {
            let corners = at_vertex(face).filter(|_| !faces[..k].contains(&face));
            corners.ok_or(EditError::OtherFace { face, particle: vertex })?;
            area += part(face);
        }
        let all = around.iter().copied().filter(|&face| at_vertex(face).is_some());
        let (count, sum) = all.fold((0, 0.0), |(count, sum), face| (count + 1, sum + part(face)));
        if faces.is_empty() || faces.len() == count {
            Err(EditError::OneSided(vertex))
        } else {
            Ok(area / sum)
        }
    }

    /// The part of a face's area at rest that counts for each of its corners [m²].
    pub(super) fn corner_area(&self, face: u32) -> Real {
        let corners = self.faces[face as usize].corners().len();
        rest_area(corners, &self.rest_shape[face as usize]) / corners as Real
    }

    /// Surfaces that are opened hold no pressure any more.
    fn end_pressures(&mut self, opened: &[[[u32; 2]; 2]]) {
        let Self { elements, faces, .. } = self;
        let beside: Vec<u32> =
            opened.iter().flat_map(|sides| faces[sides[0][0] as usize].corners()).copied().collect();
        let is_whole =
            |pressure: &Pressure| !pressure.triangles().iter().flatten().any(|v| beside.contains(v));
        elements.pressures.retain(is_whole);
    }

    /// Gives a twin its share of what a vertex has.
    fn share_out(&mut self, vertex: u32, twin: u32, share: Real) {
        let (v, t) = (vertex as usize, twin as usize);
        let divide = |list: &mut [Real]| {
            if !list.is_empty() {
                (list[v], list[t]) = (list[v] * (1.0 - share), list[v] * share);
            }
        };
        divide(&mut self.masses);
        divide(&mut self.forces.drag);
        if let Some(wind) = &mut self.forces.wind {
            divide(&mut wind.coefficients);
        }
        for p in [v, t] {
            let is_held = self.inverse_masses[p] == 0.0;
            self.inverse_masses[p] = if is_held { 0.0 } else { 1.0 / self.masses[p] };
        }
        for group in &mut self.script.moves {
            if let Some(k) = group.particles.iter().position(|&p| p == vertex) {
                group.particles.push(twin);
                group.start.push(group.start[k]);
            }
        }
        let attachments = &mut self.elements.attachments;
        let ties = attachments.len() - self.grabs;
        for k in 0..ties {
            if attachments[k].particle == vertex {
                let mut other = attachments[k];
                for (tie, part) in [(&mut attachments[k], 1.0 - share), (&mut other, share)] {
                    tie.stiffness *= part;
                    tie.damping *= part;
                }
                other.particle = twin;
                attachments.insert(ties, other);
            }
        }
    }
}

fn has(face: &Face, vertex: u32) -> bool {
    face.corners().contains(&vertex)
}
