//! Descriptions of cloth and what becomes of them: a model and its start.
//!
//! ```
//! use muslin::prelude::*;
//!
//! let mut builder = Builder::default();
//! builder.add_sheet(&Sheet { pins: vec![Pin::at(Place::Corners)], ..Sheet::default() })?;
//! let (model, state) = builder.finish(&Surroundings::default())?; // on earth, with nothing around
//! let mut world = World::new(model, state, &SolverConfig::default(), 1.0 / 60.0);
//! for _ in 0..60 {
//!     world.step()?;
//! }
//! let sag = world.state.positions.iter().map(|x| -x.z).fold(0.0, f64::max);
//! assert!((0.05..0.5).contains(&sag), "it hangs below its corners: {sag} m");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod body;
mod collider;
mod description;
mod elastic;
mod error;
mod place;
mod shapes;
mod surface;
mod surroundings;
mod tether;

pub use body::{BodyDescription, BodyMass};
pub use description::{
    Attach, Drag, Mass, Net, NetSpring, Pin, Place, Resolution, Rope, Sheet, Side, Surface, Tether, TetherWay,
};
pub use error::BuildError;
pub use shapes::{Ball, Block, Pillow, Solid};
pub use surroundings::{EARTH_GRAVITY, Load, Surroundings, WindCoefficient, WindDescription};

use crate::elements::{Attachment, Elements, Pressure, PressureLaw, Rod, Spring, SpringFamily};
use crate::forces::{Forces, PointLoad, Wind};
use crate::material::Fabric;
use crate::math::{Real, Vec3};
use crate::mesh::{Face, Grid, boundary, influence_areas};
use crate::model::{Model, PartId, RestEdge};
use crate::script::{Motion, PinMove, Script};
use crate::state::State;
use elastic::{Cloth, Parts};
use error::{at, not_negative, positive, refuse};

/// Collects bodies and turns them into a model.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    positions: Vec<Vec3>,
    masses: Vec<Real>,
    held: Vec<bool>,
    drag: Vec<Real>,
    /// Influence area of each particle [m²]; 0 where there is no surface.
    areas: Vec<Real>,
    elements: Elements,
    edges: Vec<RestEdge>,
    faces: Vec<Face>,
    moves: Vec<PinMove>,
    bodies: Vec<Body>,
}

/// The particles that one description became.
#[derive(Clone, Debug)]
struct Body {
    first: usize,
    count: usize,
    grid: Option<Grid>,
    /// Particles on the border of its surface, counted from the body's first.
    border: Vec<u32>,
}

impl Builder {
    /// Number of particles so far.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is no particle yet.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Adds a rectangular sheet. Its particles are found again by what this returns; see [`Model::particles`].
    pub fn add_sheet(&mut self, sheet: &Sheet) -> Result<PartId, BuildError> {
        let grid = sheet.grid()?;
        self.check_room("resolution", grid.rows.saturating_mul(grid.columns))?;
        let [u, v] = sheet.directions()?;
        let cell = [sheet.size[0] / (grid.rows - 1) as Real, sheet.size[1] / (grid.columns - 1) as Real];
        let farthest = (sheet.origin.abs() + u.abs() * sheet.size[0] + v.abs() * sheet.size[1]).max_element();
        if farthest * 1e-9 > cell[0].min(cell[1]) {
            let allowed = "nearer to the origin: cells this small lie below the precision of its coordinates";
            return refuse("origin", sheet.origin, allowed);
        }
        let positions: Vec<Vec3> = grid
            .vertices()
            .map(|(i, j)| sheet.origin + u * (cell[0] * i as Real) + v * (cell[1] * j as Real))
            .collect();
        let faces = grid.quads();
        let cloth = Cloth { faces: &faces, positions: &positions, grid: Some(grid), warp: u };
        let mut parts = cloth.parts(&sheet.fabric)?;
        parts.take_rods(&sheet.fabric);
        let areas = influence_areas(&faces, &positions);
        let masses = sheet.mass.spread(&areas, sheet.fabric.area_density())?;
        let drag = sheet.drag.spread(&areas, Some(grid))?;
        let border =
            grid.vertices().filter(|&(i, j)| grid.on_border(i, j)).map(|(i, j)| grid.index(i, j)).collect();
        let body = Body { first: self.positions.len(), count: positions.len(), grid: Some(grid), border };
        self.add_particles(positions, masses, drag, areas);
        self.add_parts(parts, &faces, body.first);
        let part = self.add_body(body, &sheet.pins, &sheet.attach)?;
        self.add_tethers(sheet.tether)?;
        Ok(part)
    }

    /// Adds a surface of any shape.
    pub fn add_surface(&mut self, surface: &Surface) -> Result<PartId, BuildError> {
        surface.mesh.check().map_err(|error| at("mesh", error.to_string()))?;
        self.check_room("mesh", surface.mesh.positions.len())?;
        let mesh = &surface.mesh;
        let cloth = Cloth { faces: &mesh.faces, positions: &mesh.positions, grid: None, warp: Vec3::X };
        let mut parts = cloth.parts(&surface.fabric)?;
        parts.take_rods(&surface.fabric);
        let areas = influence_areas(&mesh.faces, &mesh.positions);
        let masses = surface.mass.spread(&areas, surface.fabric.area_density())?;
        let drag = surface.drag.spread(&areas, None)?;
        let border = surface::border(&mesh.faces);
        let body = Body { first: self.positions.len(), count: mesh.positions.len(), grid: None, border };
        let pressure = surface.pressure.map(|law| enclosed(law, mesh)).transpose()?;
        self.add_particles(mesh.positions.clone(), masses, drag, areas);
        self.add_parts(parts, &mesh.faces, body.first);
        self.elements.pressures.extend(pressure.map(|pressure| pressure.shifted(body.first as u32)));
        let part = self.add_body(body, &surface.pins, &surface.attach)?;
        self.add_tethers(surface.tether)?;
        Ok(part)
    }

    /// Adds a sphere of cloth.
    pub fn add_ball(&mut self, ball: &Ball) -> Result<PartId, BuildError> {
        self.add_surface(&ball.surface()?)
    }

    /// Adds two discs sewn together.
    pub fn add_pillow(&mut self, pillow: &Pillow) -> Result<PartId, BuildError> {
        self.add_surface(&pillow.surface()?)
    }

    /// Adds a box of a soft solid.
    pub fn add_block(&mut self, block: &Block) -> Result<PartId, BuildError> {
        self.check_room("cells", block.particles())?;
        self.add_solid(&block.solid()?)
    }

    /// Adds a soft solid of tetrahedra.
    pub fn add_solid(&mut self, solid: &Solid) -> Result<PartId, BuildError> {
        let (count, positions) = (solid.particles.len(), &solid.particles);
        if solid.tets.is_empty() {
            return refuse("tets", "empty", "at least one tetrahedron");
        }
        self.check_room("particles", count)?;
        if let Some(k) = positions.iter().position(|p| !p.is_finite()) {
            return refuse(&format!("particles[{k}]"), positions[k], "finite coordinates");
        }
        let parts = elastic::solid_parts(positions, &solid.tets, &solid.material)?;
        let mut volumes = vec![0.0; count];
        for tet in &parts.elements.tets {
            for corner in tet.corners {
                volumes[corner as usize] += 0.25 * tet.volume;
            }
        }
        let faces = boundary(&solid.tets);
        let areas = influence_areas(&faces, positions);
        let masses = solid.mass.spread(&volumes, solid.material.density)?;
        let drag = solid.drag.spread(&areas, None)?;
        let mut border: Vec<u32> = faces.iter().flat_map(Face::corners).copied().collect();
        border.sort_unstable();
        border.dedup();
        let body = Body { first: self.positions.len(), count, grid: None, border };
        self.add_particles(positions.clone(), masses, drag, areas);
        self.add_parts(parts, &faces, body.first);
        self.add_body(body, &solid.pins, &solid.attach)
    }

    /// Adds a straight rope.
    pub fn add_rope(&mut self, rope: &Rope) -> Result<PartId, BuildError> {
        if rope.particles < 2 {
            return refuse("particles", rope.particles, "at least 2");
        }
        self.check_room("particles", rope.particles)?;
        let way = rope.to - rope.from;
        positive("to", way.length(), "a point other than `from`, with finite coordinates")?;
        let (count, segments) = (rope.particles, (rope.particles - 1) as Real);
        let positions: Vec<Vec3> = (0..count).map(|k| rope.from + way * (k as Real / segments)).collect();
        let length = way.length() / segments;
        let lengths: Vec<Real> =
            (0..count).map(|k| if k == 0 || k + 1 == count { 0.5 * length } else { length }).collect();
        let masses = rope.mass.spread(&lengths, rope.mass_per_length)?;
        let drag = rope.drag.spread(&lengths, None)?;
        let grid = Grid { rows: count, columns: 1 };
        let mut springs: Vec<Spring> = Vec::new();
        for (link, family, apart) in
            [(rope.structural, SpringFamily::Structural, 1), (rope.flexion, SpringFamily::Flexion, 2)]
        {
            surface::check_link(family, &link)?;
            let pairs = grid.pairs(apart, 0);
            springs.extend(
                pairs.into_iter().filter_map(|ends| link.spring(family, ends, apart as Real * length, true)),
            );
        }
        let body =
            Body { first: self.positions.len(), count, grid: Some(grid), border: vec![0, count as u32 - 1] };
        self.add_particles(positions, masses, drag, vec![0.0; count]);
        let rods = take_rods(&mut springs, |spring| match spring.family {
            SpringFamily::Structural => rope.structural.rigid,
            _ => rope.flexion.rigid,
        });
        self.add_links(springs, rods, body.first);
        let part = self.add_body(body, &rope.pins, &[])?;
        self.add_tethers(rope.tether)?;
        Ok(part)
    }

    /// Adds particles and springs in any configuration.
    pub fn add_net(&mut self, net: &Net) -> Result<PartId, BuildError> {
        let count = net.particles.len();
        if count == 0 {
            return refuse("particles", "empty", "at least one position");
        }
        if let Some(k) = net.particles.iter().position(|p| !p.is_finite()) {
            return refuse(&format!("particles[{k}]"), net.particles[k], "finite coordinates");
        }
        let mut springs = Vec::new();
        for (k, spring) in net.springs.iter().enumerate() {
            springs
                .push(spring.build(&net.particles).map_err(|error| error.under(&format!("springs[{k}]")))?);
        }
        let ones = vec![1.0; count];
        let masses = net.mass.spread(&ones, 0.0)?;
        let drag = net.drag.spread(&ones, None)?;
        let body = Body { first: self.positions.len(), count, grid: None, border: Vec::new() };
        self.add_particles(net.particles.clone(), masses, drag, vec![0.0; count]);
        let mut described = net.springs.iter();
        let rods = take_rods(&mut springs, |_| described.next().is_some_and(|s| s.link.rigid));
        self.add_links(springs, rods, body.first);
        self.add_body(body, &net.pins, &[])
    }

    /// Refuses more particles than a slip of the pen explains; their numbers must also fit 32 bits many times over.
    fn check_room(&self, path: &str, count: usize) -> Result<(), BuildError> {
        const MOST: usize = 4_000_000;
        let all = self.positions.len().saturating_add(count);
        if all > MOST {
            refuse(path, format!("{all} particles in all"), format!("at most {MOST}"))
        } else {
            Ok(())
        }
    }

    fn add_particles(&mut self, positions: Vec<Vec3>, masses: Vec<Real>, drag: Vec<Real>, areas: Vec<Real>) {
        self.held.resize(self.held.len() + positions.len(), false);
        self.positions.extend(positions);
        self.masses.extend(masses);
        self.drag.extend(drag);
        self.areas.extend(areas);
    }

    fn add_links(&mut self, springs: Vec<Spring>, rods: Vec<Rod>, first: usize) {
        elastic::append(&mut self.elements, Elements { springs, rods, ..Elements::default() }, first as u32);
    }

    fn add_parts(&mut self, parts: Parts, faces: &[Face], first: usize) {
        let offset = first as u32;
        elastic::append(&mut self.elements, parts.elements, offset);
        self.edges.extend(
            parts.edges.into_iter().map(|edge| RestEdge { ends: edge.ends.map(|end| end + offset), ..edge }),
        );
        self.faces.extend(faces.iter().map(|face| face.shifted(offset)));
    }

    fn add_body(&mut self, body: Body, pins: &[Pin], ties: &[Attach]) -> Result<PartId, BuildError> {
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
        for (k, tie) in ties.iter().enumerate() {
            self.tie(&body, tie).map_err(|error| error.under(&format!("attach[{k}]")))?;
        }
        self.bodies.push(body);
        Ok(PartId(self.bodies.len() - 1))
    }

    /// Ties the last body to its pins.
    fn add_tethers(&mut self, tether: Option<Tether>) -> Result<(), BuildError> {
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

    /// The model, and its state at rest at time 0.
    pub fn finish(mut self, surroundings: &Surroundings) -> Result<(Model, State), BuildError> {
        if self.positions.is_empty() {
            return Err(at(
                "",
                "the scene has no sheet, rope, surface or net, nor any other body".to_owned(),
            ));
        }
        surroundings.check()?;
        let wind = surroundings.wind.as_ref().map(|wind| Wind {
            velocity: wind.velocity,
            profile: wind.profile.clone(),
            coefficients: match wind.coefficient {
                WindCoefficient::Particle(c) => vec![c; self.positions.len()],
                WindCoefficient::Area(c) => self.areas.iter().map(|area| c * area).collect(),
            },
        });
        let mut loads = Vec::new();
        for (k, load) in surroundings.loads.iter().enumerate() {
            loads.push(self.point_load(load).map_err(|error| error.under(&format!("load[{k}]")))?);
        }
        let (mut rigid, mut bodies) = (Vec::new(), Vec::new());
        for (k, body) in surroundings.bodies.iter().enumerate() {
            let (body, start) = body.build().map_err(|error| error.under(&format!("body[{k}]")))?;
            rigid.push(body);
            bodies.push(start);
        }
        // Springs in the order of their particles: neighbours in memory are neighbours in space.
        self.elements.springs.sort_by_key(|spring| spring.ends.iter().min().copied());
        self.elements.rods.sort_by_key(|rod| rod.ends.iter().min().copied());
        let inverse = |(&mass, &held): (&Real, &bool)| if held { 0.0 } else { 1.0 / mass };
        let model = Model {
            inverse_masses: self.masses.iter().zip(&self.held).map(inverse).collect(),
            masses: self.masses,
            elements: self.elements,
            edges: self.edges,
            forces: Forces { gravity: surroundings.gravity, drag: self.drag, wind, loads },
            faces: self.faces,
            parts: self
                .bodies
                .iter()
                .map(|body| body.first as u32..(body.first + body.count) as u32)
                .collect(),
            script: Script::new(self.moves),
            colliders: surroundings.colliders.clone(),
            bodies: rigid,
            contact: surroundings.contact,
            strain_limit: surroundings.strain_limit,
            ..Model::default()
        };
        let mut state = State { bodies, ..State::at_rest(self.positions) };
        model.script.pose(0.0, &mut state.positions, &mut state.velocities);
        let model = Model { rest_positions: state.positions.clone(), ..model };
        Ok((model.connect(), state))
    }

    fn point_load(&self, load: &Load) -> Result<PointLoad, BuildError> {
        let Some(body) = self.bodies.get(load.body) else {
            return refuse("body", load.body, format!("at most {}", self.bodies.len() - 1));
        };
        let particles = body.find(&load.at, &self.positions).map_err(|error| error.under("at"))?;
        Ok(PointLoad { particles, force: load.force, profile: load.profile.clone() })
    }
}

/// Pressure in a closed surface.
fn enclosed(law: PressureLaw, mesh: &crate::mesh::Mesh) -> Result<Pressure, BuildError> {
    elastic::check_pressure(&law)?;
    let triangles = mesh.faces.iter().flat_map(Face::triangles).collect();
    Pressure::new(triangles, &mesh.positions, law).map_err(|error| at("pressure", error.to_string()))
}

impl Parts {
    /// Makes rods of springs whose links are rigid.
    fn take_rods(&mut self, fabric: &Fabric) {
        self.elements.rods = take_rods(&mut self.elements.springs, |spring| fabric.link(spring.family).rigid);
    }
}

/// Makes rods of those `springs` that are `rigid`, asked in their order.
fn take_rods(springs: &mut Vec<Spring>, mut rigid: impl FnMut(&Spring) -> bool) -> Vec<Rod> {
    let mut rods = Vec::new();
    springs.retain(|spring| {
        let rigid = rigid(spring);
        if rigid {
            rods.push(Rod { ends: spring.ends, length: spring.rest_length, stiffness: spring.stiffness });
        }
        !rigid
    });
    rods
}
