//! What connects the vertices of an animation.

use std::io::{self, Write};

use muslin::math::Vec3;
use muslin::mesh::Face;
use muslin::model::Model;

use super::invalid;

/// What stays the same in all frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// Number of particles.
    pub particle_count: usize,
    /// The surface.
    pub faces: Vec<Face>,
    /// Ropes and nets, which have no faces: pairs of particles to be drawn as lines. May stand beside faces.
    pub lines: Vec<[u32; 2]>,
}

impl Topology {
    /// The faces of a model, and as lines the ropes and nets in it. Rigid bodies and solids are not part of it.
    pub fn of(model: &Model) -> Self {
        Self { particle_count: model.len(), faces: model.faces.clone(), lines: model.lone_links() }
    }

    pub(super) fn check(&self) -> io::Result<()> {
        let count = self.particle_count;
        if count == 0 {
            return Err(invalid("there are no particles to export".to_owned()));
        }
        // PC2 counts in i32.
        if i32::try_from(count).is_err() {
            return Err(invalid(format!("{count} particles are too many to export")));
        }
        let is_beyond = |corner: &&u32| **corner as usize >= count;
        let of_faces = self.faces.iter().flat_map(Face::corners);
        match of_faces.chain(self.lines.as_flattened()).find(is_beyond) {
            Some(corner) => Err(invalid(format!(
                "a face or line names particle {corner}, but the particles are 0 to {}",
                count - 1
            ))),
            None => Ok(()),
        }
    }

    /// The particles that a face or line uses, in their order, and the topology of these alone. Without faces and lines every
    /// particle is a point, and used.
    ///
    /// What is inside a soft solid is not used. Importers drop such vertices, and a point cache would then no longer fit its mesh.
    pub(super) fn used(&self) -> (Vec<u32>, Self) {
        let mut numbers = vec![u32::MAX; self.particle_count];
        let corners = self.faces.iter().flat_map(Face::corners).chain(self.lines.as_flattened());
        corners.for_each(|&corner| numbers[corner as usize] = 0);
        let has_none = self.faces.is_empty() && self.lines.is_empty();
        let particles: Vec<u32> =
            (0..self.particle_count as u32).filter(|&p| has_none || numbers[p as usize] == 0).collect();
        for (number, &particle) in particles.iter().enumerate() {
            numbers[particle as usize] = number as u32;
        }
        let number = |corner: u32| numbers[corner as usize];
        let renumbered = |face: &Face| match *face.corners() {
            [a, b, c, d] => Face::quad(number(a), number(b), number(c), number(d)),
            [a, b, c] => Face::triangle(number(a), number(b), number(c)),
            _ => *face,
        };
        let topology = Self {
            particle_count: particles.len(),
            faces: self.faces.iter().map(renumbered).collect(),
            lines: self.lines.iter().map(|line| line.map(number)).collect(),
        };
        (particles, topology)
    }

    /// One frame as an OBJ file.
    pub(super) fn write_obj(
        &self,
        file: &mut impl Write,
        headline: &str,
        positions: &[Vec3],
    ) -> io::Result<()> {
        writeln!(file, "# {headline}")?;
        writeln!(file, "# Metres, z up. Import into Blender with Forward Axis Y, Up Axis Z.")?;
        for p in positions {
            // `{:?}` is the shortest decimal that reads back as the same number.
            writeln!(file, "v {:?} {:?} {:?}", p.x, p.y, p.z)?;
        }
        for face in &self.faces {
            write_element(file, "f", face.corners())?;
        }
        for line in &self.lines {
            write_element(file, "l", line)?;
        }
        Ok(())
    }
}

/// OBJ counts vertices from 1.
fn write_element(file: &mut impl Write, keyword: &str, corners: &[u32]) -> io::Result<()> {
    write!(file, "{keyword}")?;
    for &corner in corners {
        write!(file, " {}", u64::from(corner) + 1)?;
    }
    writeln!(file)
}
