//! A run that is judged exactly at the end of every frame.

use crate::report::Cell;
use crate::timing::timed_step;
use muslin::math::Real;
use muslin::measure::{Energy, Stretch};
use muslin::model::Model;
use muslin::script::Motion;
use muslin::solver::SolverConfig;
use muslin::solvers::{ImplicitEulerConfig, NewtonConfig, PncgConfig, XpbdConfig};
use muslin::state::State;
use muslin::threads;
use muslin::world::World;
use muslin_scene::Source;
use std::time::Instant;

/// A frame [s].
pub const FRAME: Real = 1.0 / 60.0;
/// Less than this is no depth [m], and no part of a motion.
const ROUNDING: Real = 1e-9;

/// A solver with the step that it can do.
#[derive(Clone)]
pub struct Method {
    pub config: SolverConfig,
    /// Steps a frame.
    pub steps: u32,
    /// Its settings in words.
    pub settings: &'static str,
}

impl Method {
    pub fn xpbd() -> Self {
        let config = XpbdConfig { substeps: 16, ..XpbdConfig::default() };
        Self { config: SolverConfig::Xpbd(config), steps: 1, settings: "1/60 s in 16 substeps" }
    }

    pub fn pncg() -> Self {
        let config = PncgConfig { iterations: 8, ..PncgConfig::default() };
        Self { config: SolverConfig::Pncg(config), steps: 8, settings: "1/480 s, 8 iterations" }
    }

    fn implicit_euler() -> Self {
        let config = SolverConfig::ImplicitEuler(ImplicitEulerConfig::default());
        Self { config, steps: 4, settings: "1/240 s" }
    }

    fn newton() -> Self {
        let config = NewtonConfig { iterations: 2, ..NewtonConfig::default() };
        Self { config: SolverConfig::Newton(config), steps: 4, settings: "1/240 s, 2 iterations" }
    }

    pub fn all() -> [Self; 4] {
        [Self::xpbd(), Self::pncg(), Self::implicit_euler(), Self::newton()]
    }
}

/// Where a run starts.
pub type Start = (Model, State);

/// A built-in scene with some keys changed.
pub fn scene(name: &str, changes: &[(&str, String)]) -> anyhow::Result<Start> {
    let mut source = Source::open(name)?;
    for (key, value) in changes {
        source.set("contact", key, value);
    }
    let setup = source.load()?;
    Ok((setup.model, setup.state))
}

/// What a frame ended with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame {
    /// [s]
    pub time: Real,
    /// Pairs of triangles that pass through each other.
    pub pairs: usize,
    /// Particles inside solids that stand still.
    pub inside: usize,
    /// Part of all ways so far that the guarantee cut off.
    pub motion_lost: Real,
    /// How far solids are behind their scripts [s].
    pub lag: Real,
    /// Largest l/L − 1.
    pub stretch: Real,
    /// Kinetic energy [J].
    pub kinetic: Real,
    /// Time that its steps took [s].
    pub wall: Real,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// As planned.
    Whole,
    /// Its time was up.
    Cut,
    /// It left the numbers.
    Diverged,
}

/// A run, frame by frame.
pub struct Trial {
    pub frames: Vec<Frame>,
    /// Simulated time that was planned [s].
    pub seconds: Real,
    pub end: End,
    /// Where it ended.
    pub state: State,
}

impl Trial {
    /// Simulates some seconds from a start, on one thread; gives up at the first frame that ends after `allowance` [s] of work.
    pub fn of(start: Start, method: &Method, seconds: Real, allowance: Real) -> Self {
        threads::with_count(1, || Self::simulated(start, method, seconds, allowance))
    }

    fn simulated((model, state): Start, method: &Method, seconds: Real, allowance: Real) -> Self {
        let mut world = World::new(model, state, &method.config, FRAME);
        world.substeps = method.steps;
        let planned = (seconds / FRAME).round() as usize;
        let mut trial = Self { frames: Vec::new(), seconds, end: End::Whole, state: State::default() };
        let clock = Instant::now();
        while trial.frames.len() < planned {
            if clock.elapsed().as_secs_f64() > allowance {
                trial.end = End::Cut;
                break;
            }
            let Ok((seconds, _)) = timed_step(&mut world) else {
                trial.end = End::Diverged;
                break;
            };
            trial.frames.push(judge(&world, seconds));
        }
        trial.state = world.state;
        trial
    }

    /// Frames with an intersection, or with a particle inside a solid.
    pub fn faulty(&self) -> usize {
        self.frames.iter().filter(|frame| frame.pairs + frame.inside > 0).count()
    }

    pub fn last(&self) -> Frame {
        self.frames.last().copied().unwrap_or_default()
    }

    /// The largest of a quantity over all frames.
    pub fn most(&self, quantity: impl Fn(&Frame) -> Real) -> Real {
        self.frames.iter().map(quantity).fold(0.0, Real::max)
    }

    /// Mean time of a frame [s].
    pub fn mean_wall(&self) -> Real {
        self.frames.iter().map(|frame| frame.wall).sum::<Real>() / self.frames.len().max(1) as Real
    }

    /// A quantity over time [s], once a frame.
    pub fn over_time(&self, quantity: impl Fn(&Frame) -> Real) -> Vec<[Real; 2]> {
        self.frames.iter().map(|frame| [frame.time, quantity(frame)]).collect()
    }

    /// Frames judged, and of how many if the run is not whole.
    pub fn judged(&self) -> Cell {
        let planned = (self.seconds / FRAME).round() as usize;
        match self.end {
            End::Whole => Cell::count(planned),
            End::Cut => Cell::text(format!("{} of {planned}, cut", self.frames.len())).bad(),
            End::Diverged => Cell::text(format!("{} of {planned}, diverged", self.frames.len())).bad(),
        }
    }
}

fn judge(world: &World, wall: Real) -> Frame {
    let report = world.contact_report().unwrap_or_default();
    Frame {
        time: world.state.time,
        pairs: world.intersections().len(),
        inside: inside(&world.model, &world.state),
        motion_lost: if report.lost > ROUNDING * report.wanted { report.lost / report.wanted } else { 0.0 },
        lag: report.lag,
        stretch: Stretch::of(&world.model, &world.state.positions).max,
        kinetic: Energy::of(&world.model, &world.state).kinetic,
        wall,
    }
}

/// Particles more than rounding inside solids that stand still: a moving one may lag behind the place that its script gives it.
pub fn inside(model: &Model, state: &State) -> usize {
    let obstacles = model.obstacles();
    let still =
        obstacles.iter().zip(&model.colliders).filter(|(_, collider)| collider.motion == Motion::Still);
    let solids: Vec<_> = still.map(|(obstacle, _)| obstacle.at(state.time)).collect();
    state.positions.iter().filter(|x| solids.iter().any(|solid| solid.depth(**x) > ROUNDING)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_out_of_time_says_so() {
        let start = scene("folded-drop", &[("sheet.0.resolution.cells", "[4, 8]".to_owned())]).unwrap();
        let trial = Trial::of(start, &Method::xpbd(), 1.0, 0.0);
        assert_eq!(trial.end, End::Cut);
        assert_eq!(trial.judged(), Cell::text("0 of 60, cut").bad());
    }

    /// A sheet that is laid 10 cm below the floor, under the law for particles only: at the start all of it is inside.
    #[test]
    fn particles_below_the_floor_are_counted() {
        let below = [
            ("sheet.0.origin", "[0.0, 0.0, -0.1]".to_owned()),
            ("sheet.0.axes", "[[1, 0, 0], [0, 1, 0]]".to_owned()),
        ];
        let (model, state) = scene("folded-drop", &below).unwrap();
        assert_eq!(inside(&model, &state), state.positions.len());
    }
}
