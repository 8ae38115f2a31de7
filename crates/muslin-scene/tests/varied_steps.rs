//! Time steps that vary in length: their lengths, their frames, runs that go on, and what is refused.

use muslin::hash::state_hash;
use muslin::math::Real;
use muslin::world::World;
use muslin_scene::{End, Frame, Progress, Runner, Setup, Source};

const RANDOM: &str = "steps = { random = { from = 0.005, to = 0.02, seed = 1 } }\n";

/// A small sheet that swings for half a second.
fn source(head: &str) -> Source {
    let text = format!(
        "duration = 0.5\nframe_rate = 20\n{head}solver = {{ name = \"velocity-verlet\" }}\n\
        [[sheet]]\nresolution = {{ cells = [4, 4] }}\npins = [{{ at = \"corners\" }}]\n\
        fabric = {{ structural = {{ stiffness = 20.0 }}, shear = {{ stiffness = 2.0 }} }}\nmass = {{ each = 0.01 }}\n"
    );
    Source::text("my.toml", &text)
}

fn setup(head: &str) -> Setup {
    source(head).load().unwrap_or_else(|error| panic!("{error}"))
}

/// Runs on until a step of the schedule, and notes the times of the frames.
fn run(runner: &mut Runner, until: u64, from: u64) -> (Vec<Real>, End) {
    let mut times = Vec::new();
    let mut note = |frame: &Frame| {
        times.push(frame.time());
        Ok(())
    };
    let mut steps = from..until;
    let end = runner.run(&mut [&mut note], || steps.next().is_some()).unwrap();
    (times, end)
}

#[test]
fn each_step_has_its_length() {
    for head in [RANDOM, "steps = [0.01, 0.02, 0.004]\n"] {
        let setup = setup(head);
        let lengths = setup.step_lengths.clone().unwrap();
        let (schedule, mut world) = (setup.schedule(), setup.world());
        for step in 0..schedule.steps() {
            world.dt = lengths.length(step);
            world.step().unwrap();
        }
        let mut runner = Runner::of(&setup);
        assert_eq!(run(&mut runner, u64::MAX, 0).1, End::Done);
        assert_eq!(state_hash(&runner.world().state), state_hash(&world.state), "{head}");
        // The end is nearer to the duration than half of the longest step.
        assert!((world.state.time - 0.5).abs() <= 0.5 * setup.dt, "{head}: {}", world.state.time);
    }
}

#[test]
fn frames_are_taken_near_their_times() {
    let (times, _) = run(&mut Runner::of(&setup(RANDOM)), u64::MAX, 0);
    assert_eq!(times.len(), 11);
    for (k, time) in times.iter().enumerate() {
        let due = 0.05 * k as Real;
        // Half of the longest step, and rounding.
        assert!((time - due).abs() <= 0.01 + 1e-12, "frame {k} at {time} s");
    }
    assert!(times.iter().enumerate().any(|(k, time)| (time - 0.05 * k as Real).abs() > 1e-4), "they do vary");
}

#[test]
fn runs_go_on_to_the_same_bits() {
    for head in [RANDOM, "steps = [0.01, 0.02, 0.004]\nsubsteps = 3\n"] {
        let setup = setup(head);
        let mut whole = Runner::of(&setup);
        run(&mut whole, u64::MAX, 0);
        for step in [1, 7, 16] {
            let mut first = Runner::of(&setup);
            assert_eq!(run(&mut first, step, 0).1, End::Interrupted);
            let world: World = first.into_world();
            let mut second =
                Runner::new(world, setup.schedule()).starting_at(Progress { step, ..Progress::default() });
            assert_eq!(run(&mut second, u64::MAX, step).1, End::Done);
            let [whole, pieces] = [&whole, &second].map(|runner| state_hash(&runner.world().state));
            assert_eq!(whole, pieces, "{head}, from step {step} on");
        }
    }
}

#[test]
fn another_seed_is_another_run() {
    let hash = |seed: &str| {
        let mut source = source(RANDOM);
        source.set("--set", "steps.random.seed", seed);
        let mut runner = Runner::of(&source.load().unwrap());
        run(&mut runner, u64::MAX, 0);
        state_hash(&runner.world().state)
    };
    assert_eq!(hash("1"), hash("1"));
    assert_ne!(hash("1"), hash("2"));
}

#[test]
fn steps_that_cannot_be_are_refused_with_their_key() {
    for (head, words) in [
        ("steps = []\n", ["`steps`", "empty"]),
        ("steps = [0.01, 0.0]\n", ["`steps[1]`", "greater than 0"]),
        ("steps = [-0.01]\n", ["`steps[0]`", "greater than 0"]),
        ("steps = [0.01, nan]\n", ["`steps[1]`", "finite"]),
        ("steps = [inf]\n", ["`steps[0]`", "finite"]),
        ("steps = [0.01, 2.0]\n", ["`steps`", "at most the duration"]),
        ("steps = [1e-12]\n", ["`steps`", "at most 1e8"]),
        (
            "steps = { random = { from = 0.02, to = 0.01, seed = 1 } }\n",
            ["`steps.random.from`", "at most `to`"],
        ),
        (
            "steps = { random = { from = 0.0, to = 0.01, seed = 1 } }\n",
            ["`steps.random.from`", "greater than 0"],
        ),
        ("steps = { random = { from = 0.01, to = inf, seed = 1 } }\n", ["`steps.random.to`", "finite"]),
        ("steps = { random = { from = 0.01, to = 0.02 } }\n", ["`seed`", "missing"]),
        ("steps = { random = { from = 0.01, to = 0.02, seed = -1 } }\n", ["-1", "seed"]),
        ("steps = { randm = { from = 0.01, to = 0.02, seed = 1 } }\n", ["`randm`", "Did you mean `random`"]),
        ("steps = 0.01\n", ["`steps`", "a list of lengths"]),
        ("dt = 0.01\nsteps = [0.01]\n", ["`steps`", "`dt`"]),
    ] {
        let error = source(head).load().unwrap_err();
        assert!(words.iter().all(|word| error.message.contains(word)), "{head}{error}");
        assert_eq!(error.line, Some(2 + head.lines().count()), "{head}{error}");
    }
}

/// `--dt` and `--set steps` each stand for what the scene says, but not for each other.
#[test]
fn the_command_line_replaces_one_by_the_other() {
    let mut equal = source(RANDOM);
    equal.set("--dt 0.01", "dt", "0.01");
    assert_eq!((equal.load().unwrap().step_lengths, equal.load().unwrap().dt), (None, 0.01));
    let mut varied = source("dt = 0.01\n");
    varied.set("--set steps", "steps", "[0.01, 0.02]");
    assert_eq!(varied.load().unwrap().dt, 0.02, "the longest");
    varied.set("--dt 0.01", "dt", "0.01");
    assert!(varied.load().unwrap_err().message.contains("only one of them"));
}
