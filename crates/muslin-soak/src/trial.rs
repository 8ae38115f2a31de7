//! One case, run and judged step by step.

use crate::case::Case;
use crate::judge::{Finding, Judge, largest_speed, non_finite};
use crate::watch::{ThreadClock, Watch};
use muslin::contact::ContactLaw;
use muslin::math::{Real, Vec3};
use muslin::solver::SolverConfig;
use muslin::solvers::Hessian;
use muslin::solvers::LinearSolver;
use muslin::state::State;
use muslin::world::World;
use muslin_scene::Setup;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a case went.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What went wrong, and in which step, counted from 1.
    pub failure: Option<(u32, Finding)>,
    /// Why there was nothing to judge: the scene was refused, or its start is not clean.
    pub unfit: Option<String>,
    /// Steps that were judged.
    pub steps: u32,
    /// Steps whose ways were judged, too.
    pub swept: u32,
    /// Whether the simulation reported that it diverged.
    pub diverged: bool,
    /// Particles.
    pub particles: usize,
    /// Seconds of processor time that each step took, without the judge.
    pub seconds: Vec<f64>,
    /// Largest speed of a particle or body after each step [m/s].
    pub speeds: Vec<Real>,
    /// Seconds of the judge.
    pub judge_seconds: f64,
    /// Whether the library's audit of the last state says something else than the judge.
    pub is_disputed: bool,
}

/// Particles up to which ways are judged: pairs of edges are many.
const MOST_SWEPT: usize = 250;

/// Runs a case. Every world has one thread, so that cases can have one each.
pub fn run(case: &Case, watch: &Watch) -> Outcome {
    watch.show(case);
    let setup = match case.setup() {
        Ok(setup) => setup,
        Err(reason) => {
            // The key that is wrong, without its value.
            let key = reason.split('`').nth(1).unwrap_or(&reason);
            return Outcome { unfit: Some(format!("refused: {key}")), ..Outcome::default() };
        }
    };
    let mut trial = Trial::new(&setup, watch);
    let result = trial.make_clean().and_then(|()| {
        if case.without_contact {
            // The only law that knows nothing of scripted solids and of cloth among itself.
            trial.world.model.set_contact(ContactLaw::EnergySharing);
        }
        (1..=setup.steps() as u32).try_for_each(|step| trial.step(case, step))
    });
    if let Err(End::Failed(step, finding)) = result {
        trial.outcome.failure = Some((step, finding));
    }
    trial.dispute(case);
    trial.outcome
}

/// Why a case ended early.
enum End {
    /// There was nothing to judge, or it diverged.
    Over,
    /// Something went wrong in a step.
    Failed(u32, Finding),
}

/// A case under way.
struct Trial<'a> {
    world: World,
    judge: Judge,
    watch: &'a Watch,
    outcome: Outcome,
    /// Whether a step has one contact step, whose ways are straight if it has one piece.
    has_one_contact_step: bool,
    /// Whether the method is stable at any step, so that nothing may fly away; what pressure blows up may, and what is driven at
    /// many kilometres a second.
    is_stable: bool,
}

impl<'a> Trial<'a> {
    fn new(setup: &Setup, watch: &'a Watch) -> Self {
        let world = setup.unrepaired_world(); // repaired below, where a hang is noticed
        Self {
            judge: Judge::new(&world.model),
            world,
            watch,
            outcome: Outcome { particles: setup.model.len(), ..Outcome::default() },
            has_one_contact_step: setup.substeps == 1 && setup.solver.inner_steps() == 1,
            is_stable: is_stable(&setup.solver)
                && setup.model.elements.pressures.is_empty()
                && fastest_drive(setup) < FAST,
        }
    }

    /// Repairs a start that is not clean, as a run of the scene would.
    fn make_clean(&mut self) -> Result<(), End> {
        if self.find().is_some() {
            let world = &mut self.world;
            guarded(self.watch, 0, || world.repair()).map_err(|panic| End::Failed(0, panic))?;
        }
        let Some(finding) = self.find() else { return Ok(()) };
        self.outcome.unfit = Some(format!("the start is not clean: {}", finding.kind));
        Err(End::Over)
    }

    /// What is wrong now.
    fn find(&self) -> Option<Finding> {
        self.judge.judge(&self.world.model, &self.world.state, &self.world.collider_times())
    }

    fn step(&mut self, case: &Case, step: u32) -> Result<(), End> {
        let failed = |finding: Finding| End::Failed(step, finding);
        for action in case.actions.iter().filter(|action| action.step + 1 == step) {
            let (world, judge) = (&mut self.world, &self.judge);
            guarded(self.watch, step, || action.apply(world, judge)).map_err(failed)?;
        }
        let (before, clocks) = (self.world.state.clone(), self.world.collider_times());
        let clock = ThreadClock::here();
        let start = clock.seconds();
        let world = &mut self.world;
        let result = guarded(self.watch, step, || world.step());
        self.outcome.seconds.push(clock.seconds() - start);
        self.outcome.steps = step;
        if let Err(error) = result.map_err(failed)? {
            self.outcome.diverged = true;
            let finding = Finding::new("a stable method diverged", error.to_string());
            return Err(if self.is_stable { failed(finding) } else { End::Over });
        }
        self.outcome.speeds.push(largest_speed(&self.world.state));
        let start = clock.seconds();
        let finding = non_finite(&self.world.state)
            .or_else(|| self.find())
            .or_else(|| self.find_on_the_way(&before, &clocks));
        self.outcome.judge_seconds += clock.seconds() - start;
        finding.map_or(Ok(()), |finding| Err(failed(finding)))
    }

    /// What went wrong between two moments, where ways are known to be straight.
    fn find_on_the_way(&mut self, before: &State, clocks: &[Real]) -> Option<Finding> {
        let has_one_piece = self.world.contact_report().is_some_and(|report| report.pieces == 1);
        if !(self.has_one_contact_step && has_one_piece && self.outcome.particles <= MOST_SWEPT) {
            return None;
        }
        self.outcome.swept += 1;
        let now = self.world.collider_times();
        self.judge.judge_way(&self.world.model, [before, &self.world.state], [clocks, &now])
    }

    /// Asks the library for its own opinion.
    fn dispute(&mut self, case: &Case) {
        // The audit looks at cloth among itself whether or not it is to keep apart.
        let is_comparable = !case.without_contact && self.judge.touches_itself();
        if !is_comparable || self.outcome.unfit.is_some() || self.outcome.diverged {
            return;
        }
        let found = match &self.outcome.failure {
            None => false,
            Some((_, finding)) if PLAIN.iter().any(|kind| finding.kind.contains(kind)) => true,
            Some(_) => return,
        };
        let world = &mut self.world;
        let audit = guarded(self.watch, self.outcome.steps, || world.intersections());
        self.outcome.is_disputed = audit.is_ok_and(|audit| audit.is_empty() == found);
    }
}

/// Beginnings of kinds that an audit of a state can find.
const PLAIN: [&str; 4] = ["cloth through", "thread through", "within", "below"];

/// A drive as fast as this may shake anything to pieces [m/s].
const FAST: Real = 1e3;

/// The largest speed of a scripted pin or of the frame of a solid [m/s], by samples over the run.
fn fastest_drive(setup: &Setup) -> Real {
    const SAMPLES: u32 = 997;
    let pins = setup
        .model
        .script
        .moves
        .iter()
        .flat_map(|group| group.start.iter().map(move |&start| (&group.motion, start)));
    let speeds = |time: Real| {
        let pins = pins.clone().map(move |(motion, start)| motion.at(time, start).1);
        let solids = setup.model.colliders.iter().map(move |solid| solid.motion.frame(time).velocity);
        pins.chain(solids).map(Vec3::length)
    };
    let times = (0..SAMPLES).map(|k| setup.duration * Real::from(k) / Real::from(SAMPLES));
    times.flat_map(speeds).fold(0.0, Real::max)
}

/// Whether a method with its settings is stable at any step.
fn is_stable(solver: &SolverConfig) -> bool {
    match solver {
        SolverConfig::Pncg(_)
        | SolverConfig::Projective(_)
        | SolverConfig::Xpbd(_)
        | SolverConfig::Pbd(_) => true,
        SolverConfig::Newton(config) => config.hessian != Hessian::Raw,
        SolverConfig::ImplicitEuler(config) => config.linear.linear_solver == LinearSolver::Cholesky,
        _ => false,
    }
}

/// Runs what may panic or hang, under watch.
fn guarded<T>(watch: &Watch, step: u32, work: impl FnOnce() -> T) -> Result<T, Finding> {
    watch.begin(step);
    let result = catch_unwind(AssertUnwindSafe(work));
    watch.end();
    result.map_err(|_| {
        let place = crate::watch::last_panic();
        // The place alone tells kinds apart: messages hold numbers.
        let kind = format!("panic at {}", place.split(": ").next().unwrap_or_default());
        Finding::new(kind, place)
    })
}
