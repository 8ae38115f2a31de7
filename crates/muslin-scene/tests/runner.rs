//! One loop for all runs: which frames it hands out, how it ends, and that it can go on in the middle.

use muslin::hash::state_hash;
use muslin::math::Real;
use muslin::world::World;
use muslin_scene::{End, Ending, Frame, LastFrame, Progress, Runner, Schedule, Setup, Sink, Source};

fn setup(text: &str) -> Setup {
    Source::text("test", text).load().unwrap()
}

/// A small sheet that swings: 40 steps with a frame after every fourth.
fn sheet() -> Setup {
    setup(
        "duration = 0.4\ndt = 0.01\nframe_rate = 25\nsolver = { name = \"implicit-euler\" }\n\
        [[sheet]]\nresolution = { cells = [4, 4] }\npins = [{ at = \"corners\" }]\n",
    )
}

/// Notes all that a sink hears.
#[derive(Default)]
struct Notes {
    frames: Vec<(usize, Real)>,
    progress: Vec<Progress>,
    end: Option<End>,
    last: Option<LastFrame>,
}

impl Sink for Notes {
    fn frame(&mut self, frame: &Frame) -> anyhow::Result<()> {
        assert_eq!(frame.measures().time, frame.time());
        self.frames.push((frame.number, (frame.time() * 100.0).round()));
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) {
        self.progress.push(*progress);
    }

    fn finish(&mut self, ending: &Ending) -> anyhow::Result<()> {
        self.end = Some(ending.end);
        self.last = Some(ending.last.clone());
        Ok(())
    }
}

/// Runs up to a step of the schedule at the most.
fn run(runner: &mut Runner, most: u64) -> Notes {
    let mut notes = Notes::default();
    let mut steps = 0..most;
    let end = runner.run(&mut [&mut notes], || steps.next().is_some()).unwrap();
    assert_eq!(notes.end, Some(end));
    notes
}

#[test]
fn the_start_and_every_mark_are_frames() {
    let notes = run(&mut Runner::of(&sheet()), u64::MAX);
    let expected: Vec<(usize, Real)> = (0..=10).map(|k| (k, 4.0 * k as Real)).collect();
    assert_eq!(notes.frames, expected);
    assert_eq!(notes.end, Some(End::Done));
    assert_eq!(notes.last.unwrap().number, 10);
    assert_eq!(notes.progress.last().unwrap().step, 40);
}

#[test]
fn a_plain_world_runs_by_steps() {
    let world = sheet().world();
    let mut runner = Runner::new(world.clone(), Schedule::every(16, 40));
    let notes = run(&mut runner, u64::MAX);
    assert_eq!(notes.frames, [(0, 0.0), (1, 16.0), (2, 32.0), (3, 40.0)]);
    let mut same = world;
    muslin_scene::run_steps(&mut same, 40).unwrap();
    assert_eq!(state_hash(&same.state), state_hash(&runner.into_world().state));
}

#[test]
fn the_moment_of_an_interruption_is_a_frame() {
    let notes = run(&mut Runner::of(&sheet()), 6);
    assert_eq!(notes.frames, [(0, 0.0), (1, 4.0), (2, 6.0)]);
    assert_eq!(notes.end, Some(End::Interrupted));
    // Unless it is one already; and a run that did its last step was not interrupted.
    let notes = run(&mut Runner::of(&sheet()), 8);
    assert_eq!((notes.frames.len(), notes.end), (3, Some(End::Interrupted)));
    assert_eq!(run(&mut Runner::of(&sheet()), 40).end, Some(End::Done));
    let notes = run(&mut Runner::of(&sheet()), 0);
    assert_eq!((notes.frames, notes.end), (vec![(0, 0.0)], Some(End::Interrupted)));
}

/// In the middle of two frames and on one of them: no frame twice, and the numbers of a run in one go.
#[test]
fn a_run_can_go_on_in_the_middle() {
    let whole = run(&mut Runner::of(&sheet()), u64::MAX);
    for (step, frames_before) in [(6, 2), (8, 3)] {
        let mut first = Runner::of(&sheet());
        run(&mut first, step);
        let world: World = first.into_world();
        let mut second =
            Runner::new(world, sheet().schedule()).starting_at(Progress { step, ..Progress::default() });
        let notes = run(&mut second, u64::MAX);
        assert_eq!(notes.frames, whole.frames[frames_before..], "from step {step} on");
        assert_eq!(notes.end, Some(End::Done));
        assert_eq!(notes.last, whole.last, "the same bits, from step {step} on");
        assert_eq!(notes.progress[0].step, whole.frames[frames_before].1 as u64);
    }
    let notes =
        run(&mut Runner::of(&sheet()).starting_at(Progress { step: 40, ..Progress::default() }), u64::MAX);
    assert_eq!((notes.frames, notes.end), (vec![], Some(End::Done)));
}

#[test]
fn a_run_that_diverges_keeps_its_last_frame() {
    let setup = Setup { solver: muslin::solver::SolverConfig::named("explicit-euler").unwrap(), ..sheet() };
    let mut stiff = setup;
    stiff.model.change(|data| data.elements.springs.iter_mut().for_each(|spring| spring.stiffness *= 1e9));
    let notes = run(&mut Runner::of(&stiff), u64::MAX);
    assert!(matches!(notes.end, Some(End::Diverged(_))), "{:?}", notes.end);
    let last = notes.last.unwrap();
    assert_eq!(last.number, notes.frames.last().unwrap().0);
    assert!(last.state.positions.iter().all(|x| x.is_finite()));
}

#[test]
fn a_sink_that_fails_ends_the_run() {
    let mut fails = |frame: &Frame| {
        anyhow::ensure!(frame.number < 2, "no more room");
        Ok(())
    };
    let mut runner = Runner::of(&sheet());
    let error = runner.run(&mut [&mut fails], || true).unwrap_err();
    assert_eq!((error.to_string().as_str(), runner.world().steps()), ("no more room", 8));
}

#[test]
fn time_is_measured_by_the_clock_that_the_runner_is_given() {
    /// A second each time it is asked.
    fn clock() -> Real {
        static ASKED: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        Real::from(ASKED.fetch_add(1, std::sync::atomic::Ordering::SeqCst))
    }
    let notes = run(&mut Runner::of(&sheet()).with_clock(clock), u64::MAX);
    assert!(notes.progress[0].wall_seconds >= 1.0);
    assert_eq!(run(&mut Runner::of(&sheet()), 4).progress[0].wall_seconds, 0.0);
}

/// The library, the lab and the command line start from the same state, which a repair has made clean.
#[test]
fn every_world_of_a_setup_is_repaired() {
    let two = "[[sheet]]\nresolution = { cells = [6, 6] }\n".repeat(2);
    let mut tangled =
        setup(&format!("duration = 0.1\ndt = 0.01\ncontact = {{ surface = {{ thickness = 0.01 }} }}\n{two}"));
    assert!(!tangled.unrepaired_world().faults().is_empty());
    let world = tangled.world();
    assert!(world.faults().is_empty());
    assert!(!tangled.unrepaired_world().faults().is_empty(), "the setup stays as authored");
    let mut announced = 0;
    let start = tangled.start(|faults| announced = faults.count());
    assert!(announced > 0 && start.repair.is_some_and(|report| report.moved > 0));
    for state in [&start.world.state, &tangled.state, &tangled.world().state] {
        assert_eq!(*state, world.state);
    }
    assert!(tangled.start(|_| panic!("nothing is left to repair")).repair.is_none());
}

#[test]
fn a_clean_start_is_left_alone() {
    let mut clean = setup(
        "duration = 0.1\ndt = 0.01\ncontact = { surface = { thickness = 0.01 } }\n[[sheet]]\nresolution = { cells = [6, 6] }\n",
    );
    let [repaired, authored] = [Setup::world, Setup::unrepaired_world].map(|world| {
        let mut world = world(&clean);
        muslin_scene::run_steps(&mut world, 10).unwrap();
        state_hash(&world.state)
    });
    assert_eq!(repaired, authored);
    assert!(clean.start(|_| panic!("it is clean")).repair.is_none());
}
