//! The net of section 6.2 of D. D. B. Carvalho (MSc, UFSC 2007), of any size, with its random steps.

use crate::studies::equilibrium::{LONGEST, SEED, SHORTEST, displacement};
use muslin::elements::SpringLaw;
use muslin::forces::PointLoad;
use muslin::material::Link;
use muslin::mesh::{Face, Grid};
use muslin::prelude::*;
use muslin::profile::{Profile, uniform};
use muslin::solvers::{PropagationConfig, PropagationForm};
use muslin::step::StepReport;
use muslin::world::StepError;

/// Length of a cell [m].
const CELL: Real = 4.5 / 20.0;

/// Which threads a net has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// Along both sides: four meet at a particle.
    Quads,
    /// And along one diagonal of each cell: six meet.
    Triangles,
}

/// A net in a plane z = 0, its border held, without gravity.
#[derive(Clone, Copy, Debug)]
pub struct Net {
    /// Particles per side.
    pub side: usize,
    pub threads: Threads,
    /// Of a particle [kg].
    pub mass: Real,
    /// Of a thread [N/m].
    pub stiffness: Real,
    /// Of the air, on a particle [kg/s].
    pub drag: Real,
}

impl Net {
    /// Experiment 1, 2 or 3.
    pub fn of(experiment: usize, threads: Threads) -> Self {
        let first = Self { side: 21, threads, mass: 0.01, stiffness: 4.0, drag: 0.8 };
        if experiment == 2 { Self { mass: 0.005, stiffness: 8.0, drag: 1.6, ..first } } else { first }
    }

    /// The particle of a place.
    pub fn at(&self, i: usize, j: usize) -> u32 {
        (i * self.side + j) as u32
    }

    /// The net with its loads [N], at rest.
    pub fn world(&self, solver: &SolverConfig, loads: &[(u32, Vec3)]) -> anyhow::Result<World> {
        let last = self.side - 1;
        let [start, length] = [-0.5, 1.0].map(|part| part * CELL * last as Real);
        let grid = Grid { columns: self.side, rows: self.side };
        let mesh = Mesh {
            positions: (0..self.side * self.side)
                .map(|p| {
                    Vec3::new(start, start, 0.0)
                        + Vec3::new((p / self.side) as Real, (p % self.side) as Real, 0.0)
                            * (length / last as Real)
                })
                .collect(),
            faces: grid.quads().into_iter().flat_map(|quad| self.divided(quad)).collect(),
        };
        // A thread within a thousandth of its length carries no force, in every method.
        let law = SpringLaw::DeadZone(1e-3);
        let fabric = Fabric {
            structural: Link { stiffness: self.stiffness, law, ..Link::default() },
            shear: Link::default(),
            flexion: Link::default(),
            ..Fabric::default()
        };
        let mut builder = Builder::default();
        builder.add_surface(&Surface {
            mesh,
            fabric,
            mass: Mass::Each(self.mass),
            drag: Drag::Each(self.drag),
            pins: vec![Pin::at(Place::Border)],
            ..Surface::default()
        })?;
        let (mut model, state) =
            builder.finish(&Surroundings { gravity: Vec3::ZERO, ..Surroundings::default() })?;
        model.change_forces(|forces| {
            forces.loads.extend(loads.iter().map(|&(particle, force)| PointLoad {
                particles: vec![particle],
                force,
                profile: Profile::Constant,
            }));
        });
        Ok(World::new(model, state, solver, 1.0 / 80.0))
    }

    fn divided(&self, quad: Face) -> Vec<Face> {
        match self.threads {
            Threads::Quads => vec![quad],
            Threads::Triangles => quad.triangles().map(|[a, b, c]| Face::triangle(a, b, c)).collect(),
        }
    }

    /// Particles that are not held.
    pub fn free(&self) -> usize {
        (self.side - 2) * (self.side - 2)
    }
}

/// Propagation in a form, with its thresholds as published.
pub fn propagation(form: PropagationForm) -> SolverConfig {
    PropagationConfig { form, ..PropagationConfig::default() }.into()
}

/// The method that moves all particles in every step.
pub fn velocity_verlet() -> SolverConfig {
    SolverConfig::named("velocity-verlet").expect("listed")
}

/// The published random steps, the same for every run.
pub fn random_step(world: &mut World, step: u64) -> Result<StepReport, StepError> {
    world.step_by(SHORTEST + (LONGEST - SHORTEST) * uniform(SEED, step))
}

/// Takes the loads off.
pub fn let_go(world: &mut World) {
    world.model.change_forces(|forces| forces.loads.iter_mut().for_each(|load| load.force = Vec3::ZERO));
}

/// The five numbers of Tables 6 to 9 [m].
pub fn moved(world: &World) -> [Real; 5] {
    displacement(&world.model.rest_positions, &world.state.positions)
}
