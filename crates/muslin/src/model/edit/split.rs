//! The split of a vertex: some of its faces get a particle of their own.
//!
//! ```text
//! masses, drag, wind, ties   shared by the areas of the faces at rest
//! pins, script               both have them
//! loads, grabs, tethers      stay with the vertex
//! elements                   those with all particles in the faces around, and in the faces next to these, are dropped and made
//!                            again from shape at rest and fabric, whatever their stencil
//! ```

use super::Remap;
use crate::build_error::BuildError;
use crate::discretize::RestShape;
use crate::elements::Pressure;
use crate::math::Real;
use crate::mesh::Face;
use crate::model::{ClothPart, Model, ModelData};

/// Why the topology was not edited; nothing has changed then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EditError {
    /// There is no such particle.
    #[error("there is no particle {0}")]
    Missing(u32),
    /// It belongs to no cloth: a rope, a net or a soft solid.
    #[error("particle {0} belongs to no cloth with faces")]
    NoCloth(u32),
    /// A face that is not one of the vertex.
    #[error("face {face} is not one of the cloth's faces at particle {particle}, or is given twice")]
    OtherFace {
        /// The face.
        face: u32,
        /// The particle.
        particle: u32,
    },
    /// One side of the split would have no faces.
    #[error("a split needs faces on both sides, and particle {0} has none on one")]
    OneSided(u32),
    /// The surface holds a pressure.
    #[error("particle {0} belongs to a surface that holds a pressure")]
    Pressed(u32),
    /// Sheets with flexion springs along diagonals know no faces.
    #[error("particle {0} belongs to a sheet with `flexion_diagonals`, which cannot be split")]
    Diagonals(u32),
    /// The elements cannot be made again.
    #[error(transparent)]
    Elements(#[from] BuildError),
    /// There is no room to separate the twins; there may be later.
    #[error("there is no room around particle {0} to separate both sides")]
    NoRoom(u32),
}

impl Model {
    /// Gives some faces at a vertex a particle of their own, behind the last one of the part. Its number and where the particles are.
    pub(crate) fn split(&mut self, vertex: u32, faces: &[u32]) -> Result<(u32, Remap), EditError> {
        let cloth = self.cloth_to_split(vertex, faces)?;
        let share = self.share(cloth, vertex, faces);
        let twin = self.parts[self.cloths[cloth].part].end;
        let map = Remap::with_twin(self.len(), vertex, twin);
        let mut data = self.data.clone();
        let near = data.near(&data.cloths[cloth], vertex);
        data.elements.retain_of_surfaces(|particles| !particles.iter().all(|&p| near[p as usize]));
        data.edges.retain(|edge| !edge.ends.iter().all(|&p| near[p as usize]));
        data.follow(&map);
        let part = data.cloths[cloth].part;
        data.parts[part].end = twin + 1;
        for &face in faces {
            let corners = &mut data.faces[face as usize];
            *corners = corners.renumbered(|corner| if corner == vertex { twin } else { corner });
        }
        data.share_out(vertex, twin, share);
        let mut is_near = near;
        map.follow(&mut is_near);
        data.make_elements(cloth, &is_near)?;
        self.data = data;
        self.renew_matrices();
        self.revisions.surface += 1;
        Ok((twin, map))
    }

    /// The cloth of the vertex, if it can be split so.
    fn cloth_to_split(&self, vertex: u32, faces: &[u32]) -> Result<usize, EditError> {
        if vertex as usize >= self.len() {
            return Err(EditError::Missing(vertex));
        }
        let part = self.parts.iter().position(|range| range.contains(&vertex));
        let is_its = |cloth: &ClothPart| Some(cloth.part) == part;
        let number = self.cloths.iter().position(is_its).ok_or(EditError::NoCloth(vertex))?;
        let cloth = &self.cloths[number];
        let pressed = self.elements.pressures.iter().flat_map(Pressure::triangles);
        if pressed.flatten().any(|&corner| self.parts[cloth.part].contains(&corner)) {
            return Err(EditError::Pressed(vertex));
        }
        if cloth.fabric.flexion_diagonals && cloth.fabric.membrane.is_none() && cloth.fabric.bending.is_none()
        {
            return Err(EditError::Diagonals(vertex));
        }
        for (k, &face) in faces.iter().enumerate() {
            let is_there = cloth.faces.contains(&face) && has(&self.faces[face as usize], vertex);
            if !is_there || faces[..k].contains(&face) {
                return Err(EditError::OtherFace { face, particle: vertex });
            }
        }
        let all = cloth.faces.clone().filter(|&face| has(&self.faces[face as usize], vertex)).count();
        if faces.is_empty() || faces.len() == all { Err(EditError::OneSided(vertex)) } else { Ok(number) }
    }

    /// The part of the area around a vertex at rest that belongs to some of its faces.
    fn share(&self, cloth: usize, vertex: u32, faces: &[u32]) -> Real {
        let around = |face: u32| {
            let face = &self.faces[face as usize];
            face.area(&self.rest_shape) / face.corners().len() as Real
        };
        let of_vertex = |face: &u32| has(&self.faces[*face as usize], vertex);
        let all: Real = self.cloths[cloth].faces.clone().filter(of_vertex).map(around).sum();
        faces.iter().map(|&face| around(face)).sum::<Real>() / all
    }
}

impl ModelData {
    /// The particles of the faces around a vertex, and of the faces next to these.
    fn near(&self, cloth: &ClothPart, vertex: u32) -> Vec<bool> {
        let mut near = vec![false; self.len()];
        near[vertex as usize] = true;
        for _ in 0..2 {
            for corner in
                self.faces_at(cloth, &near).flat_map(|face| self.faces[face].corners()).collect::<Vec<_>>()
            {
                near[*corner as usize] = true;
            }
        }
        near
    }

    /// The faces of a cloth with a corner among some particles.
    fn faces_at(&self, cloth: &ClothPart, particles: &[bool]) -> impl Iterator<Item = usize> {
        let is_there = |face: &usize| self.faces[*face].corners().iter().any(|&p| particles[p as usize]);
        (cloth.faces.start as usize..cloth.faces.end as usize).filter(is_there)
    }

    /// Renumbers all that names particles, twins with equal entries.
    fn follow(&mut self, map: &Remap) {
        map.follow(&mut self.masses);
        map.follow(&mut self.inverse_masses);
        map.follow(&mut self.rest_positions);
        map.follow(&mut self.rest_shape);
        map.follow(&mut self.forces.drag);
        if let Some(wind) = &mut self.forces.wind {
            map.follow(&mut wind.coefficients);
        }
        let place = |particle: u32| map.place(particle);
        let loads = self.forces.loads.iter_mut().flat_map(|load| &mut load.particles);
        let pins = self.script.moves.iter_mut().flat_map(|group| &mut group.particles);
        let edges = self.edges.iter_mut().flat_map(|edge| &mut edge.ends);
        for particle in loads.chain(pins).chain(edges) {
            *particle = place(*particle);
        }
        self.elements = std::mem::take(&mut self.elements).renumbered(place);
        for face in &mut self.faces {
            *face = face.renumbered(place);
        }
        for part in &mut self.parts {
            *part = place(part.start)..place(part.end - 1) + 1;
        }
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

    /// Makes the elements of a cloth again, of those that have only particles of these.
    fn make_elements(&mut self, cloth: usize, particles: &[bool]) -> Result<(), EditError> {
        let cloth = &self.cloths[cloth];
        let (mut faces, mut crossed) = (Vec::new(), Vec::new());
        for face in self.faces_at(cloth, particles) {
            faces.push(self.faces[face]);
            crossed.push(cloth.crossed[face - cloth.faces.start as usize]);
        }
        let shape = RestShape {
            faces: &faces,
            positions: &self.rest_shape,
            crossed: &crossed,
            grid: None,
            warp: cloth.warp,
        };
        let mut made = shape.parts(&cloth.fabric)?;
        let is_made = |ends: &[u32]| ends.iter().all(|&p| particles[p as usize]);
        made.elements.retain_of_surfaces(is_made);
        made.edges.retain(|edge| is_made(&edge.ends));
        if cloth.stiffness != 1.0 {
            made.elements.scale_stiffness(|_| true, cloth.stiffness);
        }
        self.elements.append(made.elements);
        self.elements.sort_links();
        self.edges.extend(made.edges);
        Ok(())
    }
}

fn has(face: &Face, vertex: u32) -> bool {
    face.corners().contains(&vertex)
}
