//! How bodies come together: particles, elements, pins, ties and tethers.

use super::description::{Attach, Cloth, Pin, Tether, TetherWay};
use super::initial_motion::InitialMotion;
use super::lid::lids;
use super::{Body, Builder, tether};
use crate::build_error::{BuildError, at, not_negative, positive, refuse};
use crate::discretize::{self, ClothPart, Parts, RestShape};
use crate::elements::{Attachment, Elements, Pressure, PressureLaw, Rod, Spring, SpringFamily};
use crate::math::{Real, Vec3};
use crate::mesh::{Face, Mesh, RestPlaces, influence_areas, rest_places};
use crate::model::{PartId, RestEdge};
use crate::script::{Motion, PinMove};

impl Builder {
    /// Adds cloth in the shape of a mesh, repaired where it is no manifold.
    pub(super) fn add_mesh(
        &mut self,
        mesh: &Mesh,
        cloth: Cloth,
        pressure: Option<PressureLaw>,
    ) -> Result<PartId, BuildError> {
        let (mesh, _) = mesh.repaired().map_err(|error| at("mesh", error.to_string()))?;
        self.check_room("mesh", mesh.positions.len())?;
        let crossed = vec![false; mesh.faces.len()];
        let shape = RestShape {
            faces: &mesh.faces,
            places: &rest_places(&mesh.faces, &mesh.positions),
            crossed: &crossed,
            lips: &[],
            weaves: &vec![None; mesh.faces.len()],
            grid: None,
            warp: Vec3::X,
        };
        self.add_cloth(&shape, &mesh.positions, cloth, pressure)
    }

    /// Adds cloth of any shape: its particles, what holds it together, its pins, ties and tethers, and what presses from inside.
    pub(super) fn add_cloth(
        &mut self,
        shape: &RestShape,
        positions: &[Vec3],
        cloth: Cloth,
        pressure: Option<PressureLaw>,
    ) -> Result<PartId, BuildError> {
        check_tearing(&cloth)?;
        let parts = shape.parts(cloth.fabric)?;
        let areas = influence_areas(shape.faces, positions);
        let masses = cloth.mass.spread(&areas, cloth.fabric.area_density())?;
        let drag = cloth.drag.spread(&areas, shape.grid)?;
        let (first, count) = (self.positions.len(), positions.len());
        let body = Body { first, count, grid: shape.grid, border: shape.border() };
        self.add_particles(positions.to_vec(), masses, drag, areas);
        let first_face = self.faces.len() as u32;
        self.add_parts(parts, shape.faces, first);
        self.rest_shape.resize(first_face as usize, RestPlaces::default());
        self.rest_shape.extend_from_slice(shape.places);
        self.cloths.push(ClothPart {
            part: self.bodies.len(),
            faces: first_face..self.faces.len() as u32,
            crossed: shape.crossed.to_vec(),
            lips: Vec::new(),
            seams: Vec::new(),
            weaves: Vec::new(),
            weave_of: vec![None; shape.faces.len()],
            fabric: cloth.fabric.clone(),
            warp: shape.warp,
            stiffness: 1.0,
            mean_side: mean_side(shape.faces, shape.places),
        });
        for (k, cut) in cloth.cuts.iter().enumerate() {
            let faces = &self.faces[first_face as usize..];
            self.cuts.push(cut.build(&body, faces).map_err(|error| error.under(&format!("cuts[{k}]")))?);
        }
        let motion = InitialMotion::new(cloth.velocity, cloth.angular_velocity)?;
        let part = self.add_body(body, cloth.pins, cloth.attach, motion)?;
        self.add_tethers(cloth.tether)?;
        if let Some(law) = pressure {
            let enclosed = enclosed(law, shape.faces, positions, &self.held[first..])?;
            self.elements.pressures.push(enclosed.renumbered(|particle| particle + first as u32));
        }
        Ok(part)
    }

    /// Refuses more particles than a slip of the pen explains; their numbers must also fit 32 bits many times over.
    pub(super) fn check_room(&self, path: &str, count: usize) -> Result<(), BuildError> {
        const MOST: usize = 4_000_000;
        let all = self.positions.len().saturating_add(count);
        if all > MOST {
            refuse(path, format!("{all} particles in all"), format!("at most {MOST}"))
        } else {
            Ok(())
        }
    }

    pub(super) fn add_particles(
        &mut self,
        positions: Vec<Vec3>,
        masses: Vec<Real>,
        drag: Vec<Real>,
        areas: Vec<Real>,
    ) {
        let count = self.positions.len() + positions.len();
        self.held.resize(count, false);
        self.velocities.resize(count, Vec3::ZERO);
        self.positions.extend(positions);
        self.masses.extend(masses);
        self.drag.extend(drag);
        self.areas.extend(areas);
    }

    pub(super) fn add_links(&mut self, springs: Vec<Spring>, rods: Vec<Rod>, first: usize) {
        let links = Elements { springs, rods, ..Elements::default() };
        self.elements.append(links.renumbered(|particle| particle + first as u32));
    }

    pub(super) fn add_parts(&mut self, parts: Parts, faces: &[Face], first: usize) {
        let offset = first as u32;
        self.elements.append(parts.elements.renumbered(|particle| particle + offset));
        self.edges.extend(
            parts.edges.into_iter().map(|edge| RestEdge { ends: edge.ends.map(|end| end + offset), ..edge }),
        );
        self.faces.extend(faces.iter().map(|face| face.shifted(offset)));
    }

    pub(super) fn add_body(
        &mut self,
        body: Body,
        pins: &[Pin],
        ties: &[Attach],
        motion: InitialMotion,
    ) -> Result<PartId, BuildError> {
        for (k, pin) in pins.iter().enumerate() {
            let found =
                body.find(&pin.at, &self.positions).map_err(|error| error.under(&format!("pins[{k}].at")))?;
            for &particle in &found {
                self.held[particle as usize] = true;
            }
            if pin.motion != Motion::Still {
                pin.motion.check().map_err(|error| error.under(&format!("pins[{k}].motion")))?;
                let start = found.iter().map(|&p| self.positions[p as usize]).collect();
                self.moves.push(PinMove { particles: found, start, motion: pin.motion.clone() });
            }
        }
        let particles = body.first..body.first + body.count;
        motion.apply(
            &self.positions[particles.clone()],
            &self.masses[particles.clone()],
            &self.held[particles.clone()],
            &mut self.velocities[particles],
        );
        for (k, tie) in ties.iter().enumerate() {
            self.tie(&body, tie).map_err(|error| error.under(&format!("attach[{k}]")))?;
        }
        self.bodies.push(body);
        Ok(PartId(self.bodies.len() - 1))
    }

    /// Ties the last body to its pins.
    pub(super) fn add_tethers(&mut self, tether: Option<Tether>) -> Result<(), BuildError> {
        let (Some(tether), Some(body)) = (tether, self.bodies.last()) else { return Ok(()) };
        tether.check().map_err(|error| error.under("tether"))?;
        let threads = tether::threads(
            &self.elements.springs,
            &self.held[body.first..][..body.count],
            body.first as u32,
        );
        for (ends, along_threads) in threads {
            let distance = match tether.along {
                TetherWay::Threads => along_threads,
                TetherWay::Straight => {
                    self.positions[ends[0] as usize].distance(self.positions[ends[1] as usize])
                }
            };
            self.elements.springs.push(tether.spring(ends, distance));
        }
        Ok(())
    }

    /// Ties particles to where they are; to particles of their own that are held, if the other ends are to move.
    fn tie(&mut self, body: &Body, tie: &Attach) -> Result<(), BuildError> {
        let found = body.find(&tie.at, &self.positions).map_err(|error| error.under("at"))?;
        positive("stiffness", tie.stiffness, "greater than 0 N/m")?;
        not_negative("damping", tie.damping, "0 N·s/m or more")?;
        let places: Vec<Vec3> = found.iter().map(|&p| self.positions[p as usize]).collect();
        let (stiffness, damping) = (tie.stiffness, tie.damping);
        if tie.motion == Motion::Still {
            self.elements.attachments.extend(
                found.iter().zip(&places).map(|(&particle, &point)| Attachment {
                    particle,
                    point,
                    stiffness,
                    damping,
                }),
            );
            return Ok(());
        }
        tie.motion.check().map_err(|error| error.under("motion"))?;
        let (first, count) = (self.positions.len() as u32, found.len());
        let masses = found.iter().map(|&p| self.masses[p as usize]).collect();
        self.add_particles(places.clone(), masses, vec![0.0; count], vec![0.0; count]);
        let ends: Vec<u32> = (first..first + count as u32).collect();
        for (&particle, &end) in found.iter().zip(&ends) {
            self.held[end as usize] = true;
            let family = SpringFamily::Shear; // no thread: neither measured nor drawn as one
            let spring = Spring { damping, family, ..Spring::new([particle, end], 0.0, stiffness) };
            self.elements.springs.push(spring);
        }
        self.moves.push(PinMove { particles: ends, start: places, motion: tie.motion.clone() });
        Ok(())
    }
}

/// Pressure in a surface that is closed, but for borders that are held all around: these get lids.
fn enclosed(
    law: PressureLaw,
    faces: &[Face],
    positions: &[Vec3],
    held: &[bool],
) -> Result<Pressure, BuildError> {
    discretize::check_pressure(&law)?;
    let mut triangles: Vec<[u32; 3]> = faces.iter().flat_map(Face::triangles).collect();
    let lids = lids(&triangles, |vertex| held[vertex as usize]);
    triangles.extend(lids);
    Pressure::new(triangles, positions, law).map_err(|error| at("pressure", error.to_string()))
}

/// The mean length at rest of the sides of faces [m].
fn mean_side(faces: &[Face], places: &[RestPlaces]) -> Real {
    let (mut sum, mut count) = (0.0, 0);
    for (face, places) in faces.iter().zip(places) {
        let corners = face.corners().len();
        sum += (0..corners).map(|k| places[k].distance(places[(k + 1) % corners])).sum::<Real>();
        count += corners;
    }
    sum / count.max(1) as Real
}

/// Refuses cloth that is to tear or to be cut, but cannot.
fn check_tearing(cloth: &Cloth) -> Result<(), BuildError> {
    let Cloth { fabric, cuts, .. } = cloth;
    let key = match (fabric.break_at, fabric.strength, fabric.toughness) {
        (Some(_), _, _) => "fabric.break_at",
        (None, Some(_), _) => "fabric.strength",
        (None, None, Some(_)) => "fabric.toughness",
        (None, None, None) if !cuts.is_empty() => "cuts",
        (None, None, None) => return Ok(()),
    };
    if fabric.flexion_diagonals && fabric.membrane.is_none() && fabric.bending.is_none() {
        return refuse(key, "given", "left out of a fabric with `flexion_diagonals`: set these to false");
    }
    Ok(())
}
