//! What follows every edit of the topology: numbers of particles, and elements near it.
//!
//! Elements with all particles in the faces around what is edited, and in the faces next to these, are dropped and made again from
//! shape at rest and fabric, whatever their stencil.

use super::EditError;
use crate::discretize::{ClothPart, RestShape};
use crate::elements::Weave;
use crate::mesh::{Face, VertexFaces};
use crate::model::ModelData;
use crate::remap::Remap;

impl ModelData {
    /// The particles of the faces around some vertices, and of the faces next to these.
    pub(super) fn near(&self, vertices: impl Iterator<Item = u32>, at_vertices: &VertexFaces) -> Vec<bool> {
        let mut near = vec![false; self.len()];
        let mut ring: Vec<u32> = vertices.collect();
        for _ in 0..2 {
            let faces = ring.iter().flat_map(|&vertex| at_vertices.at(vertex));
            ring = faces.flat_map(|&face| self.faces[face as usize].corners()).copied().collect();
            ring.retain(|&vertex| !std::mem::replace(&mut near[vertex as usize], true));
        }
        near
    }

    /// Drops the elements of surfaces that have only particles of these.
    pub(super) fn drop_elements(&mut self, near: &[bool]) {
        self.elements.retain_of_surfaces(|particles| !particles.iter().all(|&p| near[p as usize]));
        self.edges.retain(|edge| !edge.ends.iter().all(|&p| near[p as usize]));
    }

    /// Makes the elements again that have only particles of these.
    pub(super) fn make_elements(&mut self, near: &[bool]) -> Result<(), EditError> {
        for cloth in 0..self.cloths.len() {
            self.make_elements_of(cloth, near)?;
        }
        self.elements.sort_links();
        Ok(())
    }

    fn make_elements_of(&mut self, cloth: usize, near: &[bool]) -> Result<(), EditError> {
        let cloth = &self.cloths[cloth];
        let numbers: Vec<u32> =
            cloth.faces.clone().filter(|&face| touches(&self.faces[face as usize], near)).collect();
        if numbers.is_empty() {
            return Ok(());
        }
        let pieces = Pieces::of(self, cloth, &numbers);
        let mut made = pieces.shape(cloth).parts(&cloth.fabric)?;
        let is_made = |ends: &[u32]| ends.iter().all(|&p| near[p as usize]);
        made.elements.retain_of_surfaces(is_made);
        made.edges.retain(|edge| is_made(&edge.ends));
        if cloth.stiffness != 1.0 {
            made.elements.scale_stiffness(|_| true, cloth.stiffness);
        }
        self.elements.append(made.elements);
        self.edges.extend(made.edges);
        Ok(())
    }

    /// Renumbers all that names particles, those that come with mixtures.
    pub(super) fn follow(&mut self, map: &Remap) {
        map.follow(&mut self.masses);
        map.follow(&mut self.inverse_masses);
        map.follow(&mut self.rest_positions);
        map.follow(&mut self.forces.drag);
        if let Some(wind) = &mut self.forces.wind {
            map.follow(&mut wind.coefficients);
        }
        let place = |particle: u32| map.place(particle);
        let loads = self.forces.loads.iter_mut().flat_map(|load| &mut load.particles);
        let pins = self.script.moves.iter_mut().flat_map(|group| &mut group.particles);
        let edges = self.edges.iter_mut().flat_map(|edge| &mut edge.ends);
        let cuts = self.cuts.iter_mut().flat_map(|cut| &mut cut.path);
        if !map.keeps_numbers() {
            loads.chain(pins).chain(edges).chain(cuts).for_each(|particle| *particle = place(*particle));
            self.elements = std::mem::take(&mut self.elements).renumbered(place);
            self.faces.iter_mut().for_each(|face| *face = face.renumbered(place));
        }
        self.divisions.iter_mut().for_each(|division| division.follow(map));
        self.seams.iter_mut().for_each(|seam| seam.follow(map));
        self.closing.iter_mut().for_each(|seam| seam.follow(map));
        self.closing.retain(|seam| !seam.pairs.is_empty());
        for part in &mut self.parts {
            *part = map.range(part.clone());
        }
    }
}

/// Some faces of a cloth, with what is known of them.
pub(super) struct Pieces<'a> {
    faces: Vec<Face>,
    places: Vec<crate::mesh::RestPlaces>,
    crossed: Vec<bool>,
    lips: Vec<[u32; 2]>,
    weaves: Vec<Option<&'a Weave>>,
}

impl<'a> Pieces<'a> {
    /// Faces of a cloth by their numbers, ascending.
    pub fn of(data: &'a ModelData, cloth: &'a ClothPart, numbers: &[u32]) -> Self {
        let mut pieces = Self {
            faces: Vec::new(),
            places: Vec::new(),
            crossed: Vec::new(),
            lips: Vec::new(),
            weaves: Vec::new(),
        };
        for &number in numbers {
            let first = cloth.lips.partition_point(|lip| lip[0] < number);
            let its_lips = cloth.lips[first..].iter().take_while(|lip| lip[0] == number);
            pieces.lips.extend(its_lips.map(|lip| [pieces.faces.len() as u32, lip[1]]));
            let k = (number - cloth.faces.start) as usize;
            pieces.faces.push(data.faces[number as usize]);
            pieces.places.push(data.rest_shape[number as usize]);
            pieces.crossed.push(cloth.crossed[k]);
            pieces.weaves.push(cloth.weave_of[k].map(|weave| &cloth.weaves[weave as usize]));
        }
        pieces
    }

    /// Their shape at rest.
    pub fn shape(&self, cloth: &ClothPart) -> RestShape<'_> {
        let Self { faces, places, crossed, lips, weaves } = self;
        RestShape { faces, places, crossed, lips, weaves, grid: None, warp: cloth.warp }
    }
}

/// Whether a face has a corner among some particles.
fn touches(face: &Face, particles: &[bool]) -> bool {
    face.corners().iter().any(|&p| particles[p as usize])
}
