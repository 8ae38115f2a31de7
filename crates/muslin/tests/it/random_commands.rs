//! Random worlds under random commands, and a judge that does not know what the commands do.
//!
//! 1. A recording replayed from the start ends at the same bits.
//! 2. So does a checkpoint of any moment with the rest of the commands, and
//! 3. a clone of any moment.
//! 4. A command that is refused changes nothing; one that must be refused is.
//! 5. Nothing panics, and no number is lost, but by explicit methods and after absurd commands; the world says so then.
//! 6. Under contact of surfaces nothing intersects that did not at the start.
//! 7. Commands of which the book says so factor nothing.

mod commands;
mod found;
mod random;
mod worlds;

use commands::{Kind, commands};
use muslin::contact::Owner;
use muslin::hash::state_hash;
use muslin::prelude::*;
use muslin::world::StepError;
use random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Steps of a run.
const STEPS: usize = 16;

/// What happens to a world.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there are some fifty of them")]
enum Event {
    Command(Kind, Command),
    Step,
    Checkpoint,
    Clone,
}

/// What is wrong: a few words that tell kinds of faults apart, and more.
type Fault = (&'static str, String);

/// What happens to the world of a seed. Commands depend on where things are, so it is run.
fn events(seed: u64) -> Vec<Event> {
    let mut world = worlds::world(&mut Random::new(seed));
    let mut random = Random::new(!seed);
    let mut events = Vec::new();
    // What panics here does so again under the judge.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        for _ in 0..STEPS {
            for _ in 0..3 {
                match random.below(24) {
                    0 => events.push(Event::Checkpoint),
                    1 => events.push(Event::Clone),
                    2..8 => {
                        for (kind, command) in commands(&mut random, &world) {
                            events.push(Event::Command(kind, command.clone()));
                            let _ = world.apply(&command);
                        }
                    }
                    _ => {}
                }
            }
            events.push(Event::Step);
            if world.step().is_err() {
                break;
            }
        }
    }));
    events
}

/// A copy of the world before an event.
struct Copy {
    what: &'static str,
    at: usize,
    world: World,
}

struct Run<'a> {
    events: &'a [Event],
    recording: Recording,
    /// Whether each event was a command that was refused.
    refused: Vec<bool>,
    copies: Vec<Copy>,
    /// Whether a method that may diverge was used, or a command given that lets any diverge.
    may_diverge: bool,
    error: Option<StepError>,
}

/// Runs a world of a seed and judges it.
fn judge(seed: u64, events: &[Event]) -> Result<(), Fault> {
    let start = worlds::world(&mut Random::new(seed));
    let mut world = worlds::world(&mut Random::new(seed));
    let mut run = Run {
        events,
        recording: Recording::default(),
        refused: vec![false; events.len()],
        copies: Vec::new(),
        may_diverge: world.solver().is_explicit(),
        error: None,
    };
    let is_clean = world.faults().is_empty();
    let (mut shadow, mut since) = (world.clone(), 0);
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Command(kind, command) => run.apply(at, *kind, command, &mut world)?,
            Event::Checkpoint => {
                let restored = World::restore(&world.checkpoint()).unwrap();
                run.copies.push(Copy { what: "checkpoint", at, world: restored });
            }
            Event::Clone => run.copies.push(Copy { what: "clone", at, world: world.clone() }),
            Event::Step => {
                let before = world.steps();
                match world.step() {
                    Ok(report) => {
                        check_numbers(&world)
                            .map_err(|(kind, text)| (kind, format!("event {at}: {text}")))?;
                        check_faults(is_clean, &world)
                            .map_err(|(kind, text)| (kind, format!("event {at}: {text}")))?;
                        if run.is_free_of_factoring(since, at) {
                            check_factoring(shadow, world.steps() - before, report.factorizations)?;
                        }
                    }
                    Err(error) if run.may_diverge => {
                        run.error = Some(error);
                        run.events = &events[..=at];
                        break;
                    }
                    Err(error) => return Err(("diverged", format!("{error}, {}", world.solver().name()))),
                }
                (shadow, since) = (world.clone(), at + 1);
            }
        }
    }
    run.replay(start, &world)?;
    run.resume(&world)
}

impl Run<'_> {
    fn apply(&mut self, at: usize, kind: Kind, command: &Command, world: &mut World) -> Result<(), Fault> {
        let (state, bytes) = (world.state.clone(), world.checkpoint());
        match self.recording.apply(world, command.clone()) {
            Ok(()) if kind == Kind::Wrong => Err(("carried out", format!("{command:?}"))),
            Ok(()) => {
                self.may_diverge |= kind == Kind::Absurd || world.solver().is_explicit();
                Ok(())
            }
            Err(error) => {
                self.refused[at] = true;
                if world.state != state || world.checkpoint() != bytes {
                    return Err(("refused with a change", format!("{command:?}: {error}")));
                }
                let may_be_refused = kind != Kind::Plain || matches!(error, CommandError::Intersects(_));
                if may_be_refused { Ok(()) } else { Err(("refused", format!("{command:?}: {error}"))) }
            }
        }
    }

    /// Whether there were commands between two events, all of those that factor nothing.
    fn is_free_of_factoring(&self, from: usize, to: usize) -> bool {
        let mut any = false;
        for at in from..to {
            if let (Event::Command(_, command), false) = (&self.events[at], self.refused[at]) {
                any = true;
                if may_factor(command) {
                    return false;
                }
            }
        }
        any
    }

    /// Replays the recording from the start.
    fn replay(&self, start: World, world: &World) -> Result<(), Fault> {
        let mut again = start;
        let steps = self.events.iter().filter(|event| matches!(event, Event::Step)).count();
        for step in 0..steps {
            self.recording.replay(&mut again).map_err(|error| ("replay refused", error.to_string()))?;
            let result = again.step();
            self.check_end("replay ends", step + 1 == steps, result.err())?;
        }
        self.compare("replay", 0, world, &again)
    }

    /// Goes on from every copy.
    fn resume(&self, world: &World) -> Result<(), Fault> {
        for copy in &self.copies {
            let mut other = copy.world.clone();
            let last = self.events.iter().rposition(|event| matches!(event, Event::Step));
            for at in copy.at..self.events.len() {
                match &self.events[at] {
                    Event::Command(_, command) => {
                        let is_refused = other.apply(command).is_err();
                        if is_refused != self.refused[at] {
                            return Err((copy.what, format!("refused otherwise: {command:?}")));
                        }
                    }
                    Event::Step => self.check_end(copy.what, last == Some(at), other.step().err())?,
                    Event::Checkpoint | Event::Clone => {}
                }
            }
            self.compare(copy.what, copy.at, world, &other)?;
        }
        Ok(())
    }

    /// Errors are the same, and in the same step.
    fn check_end(&self, what: &'static str, is_last: bool, found: Option<StepError>) -> Result<(), Fault> {
        let wanted = if is_last { self.error } else { None };
        let (found, wanted) = (format!("{found:?}"), format!("{wanted:?}"));
        if found == wanted { Ok(()) } else { Err((what, format!("ends with {found}, not {wanted}"))) }
    }

    fn compare(&self, what: &'static str, at: usize, world: &World, other: &World) -> Result<(), Fault> {
        let same_hash = state_hash(&world.state) == state_hash(&other.state);
        let same_state = self.error.is_some() || world.state == other.state;
        let same_times = self.error.is_some() || world.collider_times() == other.collider_times();
        if same_hash && same_state && same_times {
            return Ok(());
        }
        let far = world.state.positions.iter().zip(&other.state.positions);
        let far = far.map(|(x, y)| x.distance(*y)).fold(0.0, Real::max);
        let text =
            format!("at {at}: hash {same_hash}, state {same_state}, times {same_times}, {far:e} m off");
        Err((what, text))
    }
}

/// Whether the book says that a command makes the next step factor a matrix.
fn may_factor(command: &Command) -> bool {
    matches!(
        command,
        Command::Pin(_)
            | Command::Unpin(_)
            | Command::Grab { .. }
            | Command::Release(_)
            | Command::ScaleStiffness { .. }
            | Command::SetWind { .. }
            | Command::SetSolver(_)
            | Command::SetStep { .. }
    )
}

/// What factors nothing without the commands factors nothing with them, if it is divided into as many contact steps.
fn check_factoring(mut shadow: World, steps: u64, found: u32) -> Result<(), Fault> {
    let before = shadow.steps();
    let Ok(report) = shadow.step() else { return Ok(()) };
    if shadow.steps() - before == steps
        && steps == u64::from(shadow.substeps)
        && report.factorizations < found
    {
        return Err(("factored", format!("{found} times, {} without commands", report.factorizations)));
    }
    Ok(())
}

fn check_numbers(world: &World) -> Result<(), Fault> {
    let state = &world.state;
    let particles = state.positions.iter().chain(&state.velocities).all(|x| x.is_finite());
    let bodies = state.bodies.iter().all(|body| {
        body.pose.center.is_finite()
            && body.pose.rotation.is_finite()
            && body.velocity.is_finite()
            && body.spin.is_finite()
    });
    let report = world.contact_report().unwrap_or_default();
    let numbers = [state.time, state.dissipated, report.lost, report.wanted, report.lag, report.largest_lag];
    let others = numbers.iter().all(|number| number.is_finite()) && report.lag >= 0.0;
    if particles && bodies && others {
        return Ok(());
    }
    Err(("lost numbers", format!("particles {particles}, bodies {bodies}, others {others} {numbers:?}")))
}

/// Nothing intersects, and nothing is in a solid, if that was so at the start.
fn check_faults(is_clean: bool, world: &World) -> Result<(), Fault> {
    let mut found = world.intersections();
    let ContactLaw::Surface(law) = world.model.contact else { return Ok(()) };
    if !law.self_contact {
        found.retain(|intersection| intersection.with != Owner::Cloth);
    }
    if !is_clean {
        return Ok(());
    }
    if !found.is_empty() {
        return Err(("intersections", format!("{}, the first one {:?}", found.len(), found[0])));
    }
    let inside = world.faults().inside;
    if let Some(inside) = inside.iter().find(|inside| matches!(inside.of, Owner::Body(_))) {
        return Err(("inside a body", format!("{inside:?}")));
    }
    // Below a landscape cloth gets from the side.
    let has_landscape =
        world.model.colliders.iter().any(|solid| matches!(solid.shape, Shape::HeightField { .. }));
    let depth = world.max_penetration();
    if depth <= 1e-9 || has_landscape { Ok(()) } else { Err(("inside", format!("by {depth:e} m"))) }
}

/// The fault of a world of a seed with these events, if there is one; panics are faults.
fn fault(seed: u64, events: &[Event]) -> Option<Fault> {
    match catch_unwind(AssertUnwindSafe(|| judge(seed, events))) {
        Ok(result) => result.err(),
        Err(_) => Some(("panic", String::new())),
    }
}

/// As few of the events as lead to a fault of the same kind.
fn shrink(seed: u64, kind: &str, mut events: Vec<Event>) -> Vec<Event> {
    let is_same = |events: &[Event]| fault(seed, events).is_some_and(|fault| fault.0 == kind);
    let mut size = events.len() / 2;
    while size > 0 {
        let mut from = 0;
        while from < events.len() {
            let mut fewer = events.clone();
            fewer.drain(from..(from + size).min(events.len()));
            if is_same(&fewer) { events = fewer } else { from += size }
        }
        size /= 2;
    }
    events
}

/// Of as many seeds as wanted: `SEEDS=100..900 cargo test --release random_commands_keep`.
#[test]
#[allow(clippy::disallowed_methods, reason = "the test reads the environment, the library does not")]
fn random_commands_keep_what_is_promised() {
    let text = std::env::var("SEEDS").unwrap_or_else(|_| "0..40".to_owned());
    let (first, last) = text.split_once("..").unwrap();
    let mut faults = Vec::new();
    for seed in first.parse::<u64>().unwrap()..last.parse().unwrap() {
        let events = events(seed);
        if let Some((kind, text)) = fault(seed, &events) {
            faults.push(format!("seed {seed}: {kind}: {text}\n{:#?}", shrink(seed, kind, events)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
