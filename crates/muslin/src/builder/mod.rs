//! Descriptions of cloth and what becomes of them: a model and its start.
//!
//! ```
//! use muslin::builder::{Builder, Pin, Place, Sheet};
//! use muslin::solver::SolverConfig;
//! use muslin::world::World;
//!
//! let mut builder = Builder::default();
//! builder.add_sheet(&Sheet { pins: vec![Pin::at(Place::Corners)], ..Sheet::default() })?;
//! let (model, state) = builder.finish(&Default::default())?;
//! let mut world = World::new(model, state, &SolverConfig::named("implicit-euler").unwrap(), 1.0 / 60.0);
//! for _ in 0..60 {
//!     world.step()?;
//! }
//! assert!(world.state.positions.iter().all(|x| x.z <= 1e-9), "it hangs below its corners");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod description;
mod error;
mod place;
mod surface;
mod surroundings;
mod tether;

pub use description::{
    Drag, Mass, Net, NetSpring, Pin, Place, Resolution, Rope, Sheet, Side, Surface, Tether, TetherWay,
};
pub use error::BuildError;
pub use surroundings::{Load, Surroundings, WindCoefficient, WindDescription};

use crate::elements::{Spring, SpringFamily};
use crate::forces::{Forces, PointLoad, Wind};
use crate::math::{Real, Vec3};
use crate::mesh::{Face, Grid};
use crate::model::Model;
use crate::script::{Motion, PinMove, Script};
use crate::state::State;
use error::{at, positive, refuse};

/// Collects bodies and turns them into a model.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    positions: Vec<Vec3>,
    masses: Vec<Real>,
    held: Vec<bool>,
    drag: Vec<Real>,
    /// Influence area of each particle [m²]; 0 where there is no surface.
    areas: Vec<Real>,
    springs: Vec<Spring>,
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
    /// Adds a rectangular sheet.
    pub fn add_sheet(&mut self, sheet: &Sheet) -> Result<(), BuildError> {
        let grid = sheet.grid()?;
        self.check_room("resolution", grid.rows.saturating_mul(grid.columns))?;
        let [u, v] = sheet.directions()?;
        let cell = [sheet.size[0] / (grid.rows - 1) as Real, sheet.size[1] / (grid.columns - 1) as Real];
        surface::check_fabric(&sheet.fabric)?;
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
        let springs = surface::grid_springs(grid, &sheet.fabric, &positions);
        let areas = surface::influence_areas(&faces, &positions);
        let masses = sheet.mass.spread(&areas, sheet.fabric.area_density())?;
        let drag = sheet.drag.spread(&areas, Some(grid))?;
        let border =
            grid.vertices().filter(|&(i, j)| grid.on_border(i, j)).map(|(i, j)| grid.index(i, j)).collect();
        let body = Body { first: self.positions.len(), count: positions.len(), grid: Some(grid), border };
        self.add_particles(positions, masses, drag, areas);
        self.add_springs_and_faces(springs, &faces, body.first);
        self.add_body(body, &sheet.pins)?;
        self.add_tethers(sheet.tether)
    }

    /// Adds a surface of any shape.
    pub fn add_surface(&mut self, surface: &Surface) -> Result<(), BuildError> {
        surface.mesh.check().map_err(|error| at("mesh", error.to_string()))?;
        self.check_room("mesh", surface.mesh.positions.len())?;
        surface::check_fabric(&surface.fabric)?;
        let mesh = &surface.mesh;
        let springs = surface::mesh_springs(&mesh.faces, &surface.fabric, &mesh.positions);
        let areas = surface::influence_areas(&mesh.faces, &mesh.positions);
        let masses = surface.mass.spread(&areas, surface.fabric.area_density())?;
        let drag = surface.drag.spread(&areas, None)?;
        let border = surface::border(&mesh.faces);
        let body = Body { first: self.positions.len(), count: mesh.positions.len(), grid: None, border };
        self.add_particles(mesh.positions.clone(), masses, drag, areas);
        self.add_springs_and_faces(springs, &mesh.faces, body.first);
        self.add_body(body, &surface.pins)?;
        self.add_tethers(surface.tether)
    }

    /// Adds a straight rope.
    pub fn add_rope(&mut self, rope: &Rope) -> Result<(), BuildError> {
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
        self.add_springs_and_faces(springs, &[], body.first);
        self.add_body(body, &rope.pins)?;
        self.add_tethers(rope.tether)
    }

    /// Adds particles and springs in any configuration.
    pub fn add_net(&mut self, net: &Net) -> Result<(), BuildError> {
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
        self.add_springs_and_faces(springs, &[], body.first);
        self.add_body(body, &net.pins)
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

    fn add_springs_and_faces(&mut self, springs: Vec<Spring>, faces: &[Face], first: usize) {
        let offset = first as u32;
        self.springs
            .extend(springs.into_iter().map(|s| Spring { ends: s.ends.map(|end| end + offset), ..s }));
        self.faces.extend(faces.iter().map(|face| face.shifted(offset)));
    }

    fn add_body(&mut self, body: Body, pins: &[Pin]) -> Result<(), BuildError> {
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
        self.bodies.push(body);
        Ok(())
    }

    /// Ties the last body to its pins.
    fn add_tethers(&mut self, tether: Option<Tether>) -> Result<(), BuildError> {
        let (Some(tether), Some(body)) = (tether, self.bodies.last()) else { return Ok(()) };
        tether.check().map_err(|error| error.under("tether"))?;
        let threads =
            tether::threads(&self.springs, &self.held[body.first..][..body.count], body.first as u32);
        for (ends, along_threads) in threads {
            let distance = match tether.along {
                TetherWay::Threads => along_threads,
                TetherWay::Straight => {
                    self.positions[ends[0] as usize].distance(self.positions[ends[1] as usize])
                }
            };
            self.springs.push(tether.spring(ends, distance));
        }
        Ok(())
    }

    /// The model, and its state at rest at time 0.
    pub fn finish(mut self, surroundings: &Surroundings) -> Result<(Model, State), BuildError> {
        if self.positions.is_empty() {
            return Err(at("", "the scene has no sheet, rope, surface or net".to_owned()));
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
        // Springs in the order of their particles: neighbours in memory are neighbours in space.
        self.springs.sort_by_key(|spring| spring.ends.iter().min().copied());
        let inverse = |(&mass, &held): (&Real, &bool)| if held { 0.0 } else { 1.0 / mass };
        let model = Model {
            inverse_masses: self.masses.iter().zip(&self.held).map(inverse).collect(),
            masses: self.masses,
            elements: crate::elements::Elements { springs: self.springs },
            forces: Forces { gravity: surroundings.gravity, drag: self.drag, wind, loads },
            faces: self.faces,
            script: Script { moves: self.moves },
            colliders: surroundings.colliders.clone(),
            contact: surroundings.contact,
            strain_limit: surroundings.strain_limit,
            ..Model::default()
        };
        let mut state = State::at_rest(self.positions);
        model.script.pose(0.0, &mut state.positions, &mut state.velocities);
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
