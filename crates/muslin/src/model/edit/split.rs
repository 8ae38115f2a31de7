//! The split of a vertex: some of its faces get a particle of their own.
//!
//! ```text
//! masses, drag, wind, ties   shared by the areas of the faces at rest
//! pins, script               both have them
//! loads, grabs, tethers      stay with the vertex
//! elements                   those with all particles in the faces around, and in the faces next to these, are dropped and made
//!                            again from shape at rest and fabric, whatever their stencil
//! ```

use crate::build_error::BuildError;
use crate::discretize::RestShape;
use crate::elements::Pressure;
use crate::math::Real;
use crate::mesh::{Face, VertexFaces};
use crate::model::{ClothPart, Model, ModelData};
use crate::remap::{Added, Origin, Remap};

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
    /// No edge joins two particles.
    #[error("no edge of cloth joins particles {} and {}", .0[0], .0[1])]
    NoEdge([u32; 2]),
    /// Nothing would be open that is not open already.
    #[error(
        "the cut opens nothing: a cut within cloth needs two edges at least, and one that is open stays so"
    )]
    OpensNothing,
    /// There is no room to separate the twins; there may be later.
    #[error("there is no room around particle {0} to separate both sides")]
    NoRoom(u32),
}

impl EditError {
    /// The same about a particle by its number before the edit.
    fn about(self, vertex: u32) -> Self {
        match self {
            Self::OtherFace { face, .. } => Self::OtherFace { face, particle: vertex },
            Self::OneSided(_) => Self::OneSided(vertex),
            other => other,
        }
    }
}

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
    /// Their numbers, in the order of the splits, and where the particles are.
    pub(crate) fn split(&mut self, splits: &[Split]) -> Result<(Vec<u32>, Remap), EditError> {
        let mut twins = Vec::with_capacity(splits.len());
        for split in splits {
            let part = self.cloths[self.cloth_to_split(split.vertex)?].part;
            twins.push(Added { origin: Origin::copy(split.vertex), before: self.parts[part].end });
        }
        let mut data = self.data.clone();
        let at_vertices = VertexFaces::of(&data.faces, data.len());
        let mut near = data.near(splits, &at_vertices);
        data.elements.retain_of_surfaces(|particles| !particles.iter().all(|&p| near[p as usize]));
        data.edges.retain(|edge| !edge.ends.iter().all(|&p| near[p as usize]));
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
        for twin in &twins {
            let part = data.parts.iter_mut().rev().find(|part| part.start < *twin);
            if let Some(part) = part {
                part.end = part.end.max(twin + 1);
            }
        }
        for cloth in 0..data.cloths.len() {
            data.make_elements(cloth, &near)?;
        }
        data.elements.sort_links();
        self.data = data;
        self.renew_matrices();
        self.revisions.surface += 1;
        Ok((twins, map))
    }

    /// The cloth of a vertex, if it can be split.
    fn cloth_to_split(&self, vertex: u32) -> Result<usize, EditError> {
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
        Ok(number)
    }
}

impl ModelData {
    /// The particles of the faces around vertices that are split, and of the faces next to these.
    fn near(&self, splits: &[Split], at_vertices: &VertexFaces) -> Vec<bool> {
        let mut near = vec![false; self.len()];
        let mut ring: Vec<u32> = splits.iter().map(|split| split.vertex).collect();
        for _ in 0..2 {
            let faces = ring.iter().flat_map(|&vertex| at_vertices.at(vertex));
            ring = faces.flat_map(|&face| self.faces[face as usize].corners()).copied().collect();
            ring.retain(|&vertex| !std::mem::replace(&mut near[vertex as usize], true));
        }
        near
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
        }
    }

    /// The part of the area at rest around a vertex, between faces `around`, that belongs to some of them, if these can be split off.
    fn share(&self, vertex: u32, faces: &[u32], around: &[u32]) -> Result<Real, EditError> {
        let at_vertex = |face: u32| self.faces.get(face as usize).filter(|face| has(face, vertex));
        let part = |face: &Face| face.area(&self.rest_shape) / face.corners().len() as Real;
        let mut area = 0.0;
        for (k, &face) in faces.iter().enumerate() {
            let corners = at_vertex(face).filter(|_| !faces[..k].contains(&face));
            area += part(corners.ok_or(EditError::OtherFace { face, particle: vertex })?);
        }
        let all = around.iter().filter_map(|&face| at_vertex(face));
        let (count, sum) = all.fold((0, 0.0), |(count, sum), face| (count + 1, sum + part(face)));
        if faces.is_empty() || faces.len() == count {
            Err(EditError::OneSided(vertex))
        } else {
            Ok(area / sum)
        }
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
        let cuts = self.cuts.iter_mut().flat_map(|cut| &mut cut.path);
        for particle in loads.chain(pins).chain(edges).chain(cuts) {
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
        let (mut faces, mut crossed, mut lips) = (Vec::new(), Vec::new(), Vec::new());
        for (number, &is_crossed) in cloth.faces.clone().zip(&cloth.crossed) {
            let face = self.faces[number as usize];
            if touches(&face, particles) {
                let first = cloth.lips.partition_point(|lip| lip[0] < number);
                let its_lips = cloth.lips[first..].iter().take_while(|lip| lip[0] == number);
                lips.extend(its_lips.map(|lip| [faces.len() as u32, lip[1]]));
                faces.push(face);
                crossed.push(is_crossed);
            }
        }
        if faces.is_empty() {
            return Ok(());
        }
        let shape = RestShape {
            faces: &faces,
            positions: &self.rest_shape,
            crossed: &crossed,
            lips: &lips,
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
        self.edges.extend(made.edges);
        Ok(())
    }
}

fn has(face: &Face, vertex: u32) -> bool {
    face.corners().contains(&vertex)
}

/// Whether a face has a corner among some particles.
fn touches(face: &Face, particles: &[bool]) -> bool {
    face.corners().iter().any(|&p| particles[p as usize])
}
