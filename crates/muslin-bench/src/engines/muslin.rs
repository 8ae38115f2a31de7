//! This library, by the ladders of the study `time-to-quality`.

use crate::Engine;
use crate::drape::{Drape, DrapeSetting};
use muslin::math::Vec3;
use muslin::solver::SolverConfig;
use muslin::world::World;
use muslin_lab::quality::{self, Bound, FRAME, Run, Setting, Trial};
use muslin_scene::run_steps;

/// One of muslin's solvers.
pub struct Muslin {
    solver: &'static str,
}

impl Muslin {
    /// Every solver that has a ladder.
    pub fn all() -> impl Iterator<Item = Self> {
        quality::solvers().into_iter().map(|solver| Self { solver })
    }
}

impl Engine for Muslin {
    fn name(&self) -> String {
        format!("muslin, {}", self.solver)
    }

    fn settings(&self, trial: &Trial, bound: &Bound) -> Vec<Setting> {
        quality::ladder(self.solver, trial, bound)
    }
}

/// What muslin is tried with on a drape: a solver, and its steps or substeps a frame.
const DRAPES: [(&str, u32); 4] = [("xpbd", 16), ("xpbd", 32), ("xpbd", 64), ("pncg", 4)];

/// The settings for a drape.
pub fn drapes() -> Vec<DrapeSetting> {
    let setting = |(solver, steps): (&'static str, u32)| DrapeSetting {
        engine: format!("muslin, {solver}"),
        label: format!("{steps} {} a frame", if solver == "xpbd" { "substeps" } else { "steps" }),
        start: Box::new(move |drape| Box::new(DrapeRun::new(drape, solver, steps))),
    };
    DRAPES.map(setting).into()
}

/// A drape at work, and its steps a frame.
struct DrapeRun(World, u32);

impl DrapeRun {
    fn new(drape: &Drape, solver: &str, steps: u32) -> Self {
        let mut config = SolverConfig::named(solver).expect("it is in the list");
        let steps = match &mut config {
            SolverConfig::Xpbd(xpbd) => {
                xpbd.substeps = steps;
                1
            }
            _ => steps,
        };
        let dt = FRAME / f64::from(steps);
        Self(World::new(drape.model.clone(), drape.state.clone(), &config, dt), steps)
    }
}

impl Run for DrapeRun {
    fn advance(&mut self) -> Result<(), String> {
        run_steps(&mut self.0, u64::from(self.1)).map_err(|error| error.to_string())
    }

    fn read_positions(&self, positions: &mut Vec<Vec3>) {
        positions.clone_from(&self.0.state.positions);
    }
}
