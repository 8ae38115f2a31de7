//! One time step of the cloth of Wan et al. 2020, taken by several methods from the same start.

use crate::report::SetUp;
use crate::timing::timed_step;
use muslin::builder::{Builder, Mass, Pin, Place, Resolution, Sheet, Surroundings};
use muslin::internals::parts::objective::{Objective, StepStart};
use muslin::material::{Fabric, Link};
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::solvers::{Hessian, NewtonConfig, ProjectiveConfig};
use muslin::state::State;
use muslin::world::World;
use muslin_scene::run_steps;

/// The published time step [s].
pub const STEP: Real = 1.0 / 30.0;

/// The cloth: 1 m × 1 m, 1 g a particle, springs of one stiffness to neighbours, across cells and two apart, two corners of
/// one side held. The source names neither mass nor stiffness nor pattern.
pub fn cloth(side: usize, stiffness: Real, drag: Real) -> (Model, State) {
    let link = Link { stiffness, ..Link::default() };
    let sheet = Sheet {
        resolution: Resolution::Particles([side, side]),
        fabric: Fabric { structural: link, shear: link, flexion: link, ..Fabric::default() },
        mass: Mass::Each(1e-3),
        drag: muslin::builder::Drag::Each(drag),
        pins: vec![Pin::at(Place::Grid(vec![[0, 0], [0, side - 1]]))],
        ..Sheet::default()
    };
    let mut builder = Builder::default();
    builder.add_sheet(&sheet).expect("a sound sheet");
    let gravity = Vec3::new(0.0, 0.0, -9.81);
    builder.finish(&Surroundings { gravity, ..Surroundings::default() }).expect("a sound model")
}

/// What the source says of its cloth, and what was run.
pub fn set_up(side: usize) -> SetUp {
    SetUp::default()
        .stated("particles", 2500, side * side)
        .stated("step", "1/30 s", &format!("1/{:.0} s", 1.0 / STEP))
        .assumed("cloth", "1 m, 1 g a particle, springs of one stiffness to neighbours, across cells and two apart, two corners held")
}

/// Spring projection with so many iterations, none saved.
pub fn projective(iterations: u32) -> SolverConfig {
    let config = ProjectiveConfig { iterations, tolerance: 1e-300, ..ProjectiveConfig::default() };
    SolverConfig::Projective(config)
}

/// Newton's method with so many iterations at the most.
pub fn newton(iterations: u32, hessian: Hessian, warm_start: u32) -> SolverConfig {
    let tolerance = 1e-12;
    SolverConfig::Newton(NewtonConfig {
        iterations,
        hessian,
        warm_start,
        tolerance,
        ..NewtonConfig::default()
    })
}

/// A state in the middle of the fall, and the step from there.
pub struct Step {
    /// The cloth.
    pub model: Model,
    /// Where the step starts.
    pub start: State,
    /// g at the start of the iteration, x₀ = y.
    pub highest: Real,
    /// g at the minimum.
    pub lowest: Real,
}

impl Step {
    /// The step that begins after `time` seconds of fall.
    pub fn after(time: Real, side: usize, stiffness: Real) -> anyhow::Result<Self> {
        let (model, state) = cloth(side, stiffness, 0.0);
        let mut world = World::new(model, state, &newton(100, Hessian::Adaptive, 0), STEP);
        run_steps(&mut world, (time / STEP).round() as u64)?;
        let (model, start) = (world.model.clone(), world.state.clone());
        world.step()?;
        let mut step = Self { model, start, highest: 0.0, lowest: 0.0 };
        step.lowest = step.value(&world.state.positions);
        let predicted = |i: usize| {
            let (x, v) = (step.start.positions[i], step.start.velocities[i]);
            if step.model.is_held(i) { x } else { x + v * STEP }
        };
        let guess: Vec<Vec3> = (0..step.model.len()).map(predicted).collect();
        step.highest = step.value(&guess);
        Ok(step)
    }

    /// g at these positions, but for a factor and a constant [J].
    pub fn value(&self, positions: &[Vec3]) -> Real {
        let free = (0..self.model.len() as u32).filter(|&p| !self.model.is_held(p as usize)).collect();
        let mut objective = Objective::default();
        objective.prepare(&self.model, free, false);
        let (x, v) = (&self.start.positions[..], &self.start.velocities[..]);
        objective.begin(
            &self.model,
            &StepStart {
                base_x: x,
                base_v: v,
                gamma: STEP,
                time: self.start.time + STEP,
                past: [x, x],
                beta: 0.0,
            },
        );
        let mut places = vec![[0.0; 4]; objective.places()];
        for (position, &place) in positions.iter().zip(&objective.place_of) {
            places[place as usize] = [position.x, position.y, position.z, 0.0];
        }
        objective.value(&self.model, &places)
    }

    /// (19): how far a method got, 1 being nowhere and 0 all the way; and the time that it took [s], the best of `repeats`.
    pub fn take(&self, config: &SolverConfig, repeats: u32) -> anyhow::Result<(Real, Real)> {
        let mut world = World::new(self.model.clone(), self.start.clone(), config, STEP);
        world.step()?; // factors the matrix
        let mut seconds = Real::INFINITY;
        for _ in 0..repeats {
            world.state.clone_from(&self.start);
            seconds = seconds.min(timed_step(&mut world)?.0);
        }
        let error = (self.value(&world.state.positions) - self.lowest) / (self.highest - self.lowest);
        Ok((error, seconds))
    }
}
