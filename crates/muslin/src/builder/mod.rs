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

mod assembly;
mod body;
mod cloth;
mod collider;
mod cut;
mod description;
mod initial_motion;
mod lid;
mod net;
mod place;
mod seam;
mod solid;
mod surroundings;
mod tether;

pub use crate::build_error::BuildError;
pub use body::{BodyDescription, BodyMass};
pub use cloth::{Ball, Pillow, Resolution, Sheet, Surface};
pub use cut::{Cut, CutLine};
pub use description::{Attach, Cloth, Drag, Mass, Pin, Place, Side, Tether, TetherWay};
pub use net::{Net, NetSpring, Rope};
pub use seam::{SeamDescription, SeamSide};
pub use solid::{Block, Solid};
pub(crate) use surroundings::check_solids;
pub use surroundings::{EARTH_GRAVITY, Load, Surroundings, WindCoefficient, WindDescription};

use crate::build_error::{at, positive, refuse};
use crate::discretize::{self, ClothPart, RestShape, springs, take_rods};
use crate::elements::{Elements, Spring, SpringFamily};
use crate::forces::{Forces, PointLoad, Wind};
use crate::math::{Real, Vec3};
use crate::mesh::{Face, Grid, RestPlaces, boundary, influence_areas, rest_places};
use crate::model::{Model, ModelData, PartId, RestEdge};
use crate::script::{PinClocks, PinMove, Script};
use crate::state::State;
use crate::torn::TimedCut;
use initial_motion::InitialMotion;

/// Collects bodies and turns them into a model.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    masses: Vec<Real>,
    held: Vec<bool>,
    drag: Vec<Real>,
    /// Influence area of each particle [m²]; 0 where there is no surface.
    areas: Vec<Real>,
    elements: Elements,
    edges: Vec<RestEdge>,
    faces: Vec<Face>,
    /// Where the corners of faces of cloth are at rest [m].
    rest_shape: Vec<RestPlaces>,
    cloths: Vec<ClothPart>,
    cuts: Vec<TimedCut>,
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

    /// Adds a rectangular sheet. Its particles are found again by what this returns; see [`ModelData::particles`](crate::model::ModelData::particles).
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
        let (faces, crossed) = (grid.quads(), grid.crossed());
        let shape = RestShape {
            faces: &faces,
            places: &rest_places(&faces, &positions),
            crossed: &crossed,
            lips: &[],
            weaves: &vec![None; faces.len()],
            grid: Some(grid),
            warp: u,
        };
        self.add_cloth(&shape, &positions, sheet.cloth(), None)
    }

    /// Adds a surface of any shape.
    pub fn add_surface(&mut self, surface: &Surface) -> Result<PartId, BuildError> {
        self.add_mesh(&surface.mesh, surface.cloth(), surface.pressure)
    }

    /// Adds a sphere of cloth.
    pub fn add_ball(&mut self, ball: &Ball) -> Result<PartId, BuildError> {
        self.add_mesh(&ball.mesh()?, ball.cloth(), ball.pressure)
    }

    /// Adds two discs sewn together.
    pub fn add_pillow(&mut self, pillow: &Pillow) -> Result<PartId, BuildError> {
        self.add_mesh(&pillow.mesh()?, pillow.cloth(), pillow.pressure)
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
        let parts = discretize::solid_parts(positions, &solid.tets, &solid.material)?;
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
        let motion = InitialMotion::new(solid.velocity, solid.angular_velocity)?;
        self.add_body(body, &solid.pins, &solid.attach, motion)
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
            springs::check_link(family, &link)?;
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
        let motion = InitialMotion::new(rope.velocity, rope.angular_velocity)?;
        let part = self.add_body(body, &rope.pins, &[], motion)?;
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
        let motion = InitialMotion::new(net.velocity, net.angular_velocity)?;
        self.add_body(body, &net.pins, &[], motion)
    }

    /// The model, and its state at time 0.
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
        let mut seams = Vec::new();
        for (k, seam) in surroundings.seams.iter().enumerate() {
            seams.push(self.seam(seam).map_err(|error| error.under(&format!("seam[{k}]")))?);
        }
        let (mut rigid, mut bodies) = (Vec::new(), Vec::new());
        for (k, body) in surroundings.bodies.iter().enumerate() {
            let (body, start) = body.build().map_err(|error| error.under(&format!("body[{k}]")))?;
            rigid.push(body);
            bodies.push(start);
        }
        self.elements.sort_links();
        self.rest_shape.resize(self.faces.len(), RestPlaces::default());
        let inverse = |(&mass, &held): (&Real, &bool)| if held { 0.0 } else { 1.0 / mass };
        let mut data = ModelData {
            inverse_masses: self.masses.iter().zip(&self.held).map(inverse).collect(),
            masses: self.masses,
            elements: self.elements,
            edges: self.edges,
            forces: Forces { gravity: surroundings.gravity, drag: self.drag, wind, loads },
            faces: self.faces,
            cloths: self.cloths,
            cuts: self.cuts,
            blades: surroundings.blades.clone(),
            seams,
            rest_shape: self.rest_shape,
            parts: self
                .bodies
                .iter()
                .map(|body| body.first as u32..(body.first + body.count) as u32)
                .collect(),
            script: Script { moves: self.moves },
            colliders: surroundings.colliders.clone(),
            bodies: rigid,
            contact: surroundings.contact,
            strain_limit: surroundings.strain_limit,
            sleep: surroundings.sleep,
            ..ModelData::default()
        };
        let mut state = State { bodies, velocities: self.velocities, ..State::at_rest(self.positions) };
        data.script.pose(0.0, &PinClocks::default(), &mut state.positions, &mut state.velocities);
        data.rest_positions.clone_from(&state.positions);
        Ok((data.into(), state))
    }

    fn point_load(&self, load: &Load) -> Result<PointLoad, BuildError> {
        let Some(body) = self.bodies.get(load.body) else {
            return refuse("body", load.body, format!("at most {}", self.bodies.len() - 1));
        };
        let particles = body.find(&load.at, &self.positions).map_err(|error| error.under("at"))?;
        Ok(PointLoad { particles, force: load.force, profile: load.profile.clone() })
    }
}
