//! A simulation ready to run, and the world that it starts from.

use crate::parts::Part;
use crate::scene::Picture;
use crate::schedule::Schedule;
use crate::solver_choice::{SolverChoice, choose};
use crate::step_lengths::StepLengths;
use muslin::contact::{Faults, RepairReport};
use muslin::math::Real;
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::state::State;
use muslin::world::World;
use std::collections::BTreeMap;

/// A simulation ready to run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Name of the scene.
    pub name: String,
    /// What it shows.
    pub description: String,
    /// What is simulated.
    pub model: Model,
    /// Where it starts, as authored: it may intersect itself or solids until [`Setup::start`] has repaired it.
    pub state: State,
    /// Which particles belong to which body of the scene.
    pub parts: Vec<Part>,
    /// By which method.
    pub solver: SolverConfig,
    /// What the method was chosen for; none if the scene names it.
    pub solver_reason: Option<&'static str>,
    /// Time step [s]; the longest, if they vary.
    pub dt: Real,
    /// Lengths of the time steps, if they vary.
    pub step_lengths: Option<StepLengths>,
    /// Solver steps per time step.
    pub substeps: u32,
    /// Simulated time [s].
    pub duration: Real,
    /// Frames per second [1/s].
    pub frame_rate: Real,
    /// How pictures are taken.
    pub picture: Picture,
    /// Bounds on the results, by keys of summary.json like `energy.kinetic`; none for a scene that was changed.
    pub expect: BTreeMap<String, [Real; 2]>,
    /// What is odd, but not wrong.
    pub warnings: Vec<String>,
}

/// A world at its start, and how the start was repaired.
#[derive(Clone, Debug)]
pub struct Start {
    /// The world, before its first step.
    pub world: World,
    /// What the repair did; none if the start was clean.
    pub repair: Option<RepairReport>,
}

impl Setup {
    /// The world at its start. Under contact of surfaces, a start that intersects itself or solids is repaired first, as by
    /// [`Setup::start`]; the setup itself stays as authored.
    pub fn world(&self) -> World {
        self.clone().start(|_| ()).world
    }

    /// The world at its start, repaired if it has to be, and what the repair did. The state and the rest positions of the setup
    /// are repaired with it. A repair can take long: what is wrong is handed to `announce` before it begins.
    pub fn start(&mut self, announce: impl FnOnce(&Faults)) -> Start {
        let mut world = self.unrepaired_world();
        let faults = world.faults();
        if faults.is_empty() {
            return Start { world, repair: None };
        }
        announce(&faults);
        let repair = Some(world.repair());
        self.state = world.state;
        self.model.change(|data| data.rest_positions.clone_from(&world.model.rest_positions));
        // A new one: contact in the old one was prepared for the start as authored.
        Start { world: self.unrepaired_world(), repair }
    }

    /// The world at its start as authored, whether it is clean or not.
    pub fn unrepaired_world(&self) -> World {
        let mut world = World::new(self.model.clone(), self.state.clone(), &self.solver, self.dt);
        world.substeps = self.substeps;
        world
    }

    /// The method that would be chosen if the scene named none.
    pub fn choose_solver(&self) -> SolverChoice {
        choose(&self.model, &self.parts, self.dt, None)
    }

    /// The method, its substeps or iterations, and what it was chosen for.
    pub fn solver_in_words(&self) -> String {
        let solver = match &self.solver {
            SolverConfig::Xpbd(config) => format!("xpbd, {} substeps", config.substeps),
            SolverConfig::Pncg(config) => format!("pncg, {} iterations", config.iterations),
            other => other.name().to_owned(),
        };
        let reason = self.solver_reason.map_or(String::new(), |reason| format!(" (chosen for {reason})"));
        solver + &reason
    }

    /// The place in the scene file of the body that a particle belongs to, like `sheet[0]`.
    pub fn body_of(&self, particle: u32) -> &str {
        let part = self.parts.iter().find(|part| part.particles.contains(&(particle as usize)));
        part.map_or("cloth", |part| &part.name)
    }

    /// The time steps that fill the duration, and the frames among them.
    pub fn schedule(&self) -> Schedule {
        match &self.step_lengths {
            Some(lengths) => Schedule::varied(lengths.clone(), self.duration, self.frame_rate),
            None => Schedule::new(self.dt, self.duration, self.frame_rate),
        }
    }

    /// The lengths of the time steps, in words.
    pub fn steps_in_words(&self) -> String {
        self.step_lengths.as_ref().map_or_else(|| format!("{} s", self.dt), ToString::to_string)
    }

    /// Number of time steps that fill the duration.
    pub fn steps(&self) -> u64 {
        self.schedule().steps()
    }
}
