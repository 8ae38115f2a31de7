//! What a scene without `[solver]` gets, and that one with it keeps what it says.

use muslin::solver::SolverConfig;
use muslin::solvers::XpbdConfig;
use muslin_scene::{BUILT_IN, Setup, Source};

const SHEET: &str = "[[sheet]]\norigin = [-0.5, -0.5, 0.5]\n";
const BALL: &str = "[[collider]]\nsphere = { center = [0, 0, 0], radius = 0.3 }\n";
const SURFACE: &str = "contact = { surface = {} }\n";

fn setup(text: &str) -> Setup {
    Source::text("my.toml", text).load().unwrap_or_else(|error| panic!("{error}"))
}

fn substeps(setup: &Setup) -> u32 {
    match &setup.solver {
        SolverConfig::Xpbd(XpbdConfig { substeps, .. }) => *substeps,
        other => panic!("{} where xpbd belongs", other.name()),
    }
}

#[test]
fn springs_with_nothing_to_touch_get_pncg() {
    let setup = setup(SHEET);
    assert_eq!(setup.solver_in_words(), "pncg, 20 iterations (chosen for springs with nothing to touch)");
    assert_eq!(setup.substeps, 1);
}

/// n a h²/L = 1/500 with n = √441 = 21, a = 9.81 m/s² and L = 0.05 m makes h = 0.70 ms, and a step of 1/120 s twelve of them.
#[test]
fn springs_with_contact_get_xpbd_with_substeps_by_their_length() {
    for (text, reason) in [
        (format!("{SURFACE}{SHEET}{BALL}"), "contact of surfaces"),
        (format!("{SURFACE}{SHEET}"), "contact of surfaces"),
        (format!("{SHEET}{BALL}"), "solids to touch"),
    ] {
        let words = setup(&text).solver_in_words();
        assert_eq!(words, format!("xpbd, 12 substeps (chosen for {reason})"));
    }
}

#[test]
fn finer_cloth_longer_steps_and_few_pins_ask_for_more_substeps() {
    let scene = |head: &str, sheet: &str| substeps(&setup(&format!("{head}{SURFACE}{SHEET}{sheet}{BALL}")));
    let coarse = scene("", "");
    // Half the length and twice the particles in a row: half the substep.
    let fine = scene("", "resolution = { cells = [40, 40] }\n");
    assert!((2 * coarse - 1..=2 * coarse + 1).contains(&fine), "{coarse}, {fine}");
    assert_eq!(scene("dt = 0.025\n", ""), 3 * coarse);
    assert_eq!(scene("substeps = 3\n", ""), coarse / 3);
    // 439 free particles for two that are held, where 21 were in a row.
    let hung = scene("", "pins = [{ at = { grid = [[0, 0], [0, 20]] } }]\n");
    assert!((3 * coarse..4 * coarse).contains(&hung), "{coarse}, {hung}");
    // Down to 20 µs, and up to 1/1200 s.
    assert_eq!(scene("dt = 0.001\ngravity = [0, 0, -1e6]\n", ""), 50);
    assert_eq!(scene("dt = 0.01\ngravity = [0, 0, 0]\n", ""), 12);
}

#[test]
fn other_elements_get_implicit_euler_in_steps_that_contact_can_follow() {
    let membrane = "fabric = { membrane = { warp = 800.0 } }\n";
    let free = setup(&format!("{SHEET}{membrane}{BALL}"));
    assert_eq!(free.solver_in_words(), "implicit-euler (chosen for membranes, solids or pressure)");
    assert_eq!(free.substeps, 1);
    let in_contact = setup(&format!("{SURFACE}{SHEET}{membrane}{BALL}"));
    assert_eq!(in_contact.solver.name(), "implicit-euler");
    // 1/120 s is more than 0.06 √(L/g) = 4.6 ms, L being the mean of 0.05 m and of the diagonals.
    assert_eq!(in_contact.substeps, 2);
    assert_eq!(setup(&format!("substeps = 5\n{SURFACE}{SHEET}{membrane}{BALL}")).substeps, 5);
    let SolverConfig::ImplicitEuler(config) = setup("[[block]]\n").solver else { panic!("another method") };
    assert_eq!(config.newton_iterations, 5);
}

#[test]
fn a_scene_that_names_a_solver_keeps_what_it_says() {
    for name in SolverConfig::NAMES {
        let setup = setup(&format!("{SURFACE}solver = {{ name = \"{name}\" }}\n{SHEET}{BALL}"));
        assert_eq!(Some(setup.solver), SolverConfig::named(name));
        assert_eq!((setup.substeps, setup.solver_reason), (1, None), "{name}");
    }
    let own = setup(&format!("{SURFACE}solver = {{ name = \"xpbd\", substeps = 7 }}\n{SHEET}{BALL}"));
    assert_eq!((substeps(&own), own.solver_in_words().as_str()), (7, "xpbd, 7 substeps"));
}

#[test]
fn settings_without_a_name_are_those_of_the_chosen_method() {
    let own = setup(&format!("{SURFACE}solver = {{ substeps = 7 }}\n{SHEET}{BALL}"));
    assert_eq!(substeps(&own), 7);
    let error = Source::text("my.toml", &format!("solver = {{ substeps = 7 }}\n{SHEET}")).load().unwrap_err();
    assert!(error.to_string().contains("is not a setting of pncg"), "{error}");
}

#[test]
fn time_budgets_are_numbers_of_seconds() {
    for name in ["projective", "pncg", "newton"] {
        let scene = |setting: &str| format!("{SHEET}[solver]\nname = \"{name}\"\n{setting}\n");
        let budget = |setting: &str| match setup(&scene(setting)).solver {
            SolverConfig::Projective(config) => config.time_budget,
            SolverConfig::Pncg(config) => config.time_budget,
            SolverConfig::Newton(config) => config.time_budget,
            other => panic!("{}", other.name()),
        };
        assert_eq!(budget(""), None, "{name}");
        assert_eq!(budget("time_budget = 0.25"), Some(0.25), "{name}");
        assert_eq!(budget("time_budget = 2"), Some(2.0), "{name}");
        for wrong in ["time_budget = 0", "time_budget = inf", "time_budget = \"long\"", "budget = 1"] {
            let error = Source::text("my.toml", &scene(wrong)).load().unwrap_err().to_string();
            assert!(error.contains("budget"), "{error}");
        }
    }
}

/// All others name theirs, since their bounds and pictures were made with it.
#[test]
fn only_the_first_scene_of_the_readme_leaves_the_choice() {
    let free = BUILT_IN.iter().filter(|scene| !scene.text.contains("[solver]")).map(|scene| scene.name);
    assert_eq!(free.collect::<Vec<_>>(), ["cotton-curtain"]);
}

#[test]
fn the_scene_of_the_readme_is_the_built_in_one() {
    let readme = include_str!("../../../README.md");
    let shown = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let scene = BUILT_IN.iter().find(|scene| scene.name == "cotton-curtain").unwrap();
    assert_eq!(scene.text.split("\n[picture]").next(), Some(shown));
}

/// Half-way down, the curtain swings to and fro across the rail: a flat board would not.
#[test]
fn the_scene_of_the_readme_hangs_in_folds() {
    let setup = Source::open("cotton-curtain").unwrap().load().unwrap();
    let mut world = setup.world();
    while world.state.time < 1.5 {
        world.step().unwrap();
    }
    let depths: Vec<f64> = (0..33).map(|i| world.state.positions[i * 25 + 12].y).collect();
    let mean = depths.iter().sum::<f64>() / 33.0;
    let deepest = depths.iter().map(|y| (y - mean).abs()).fold(0.0, f64::max);
    let crossings = depths.windows(2).filter(|pair| (pair[0] > mean) != (pair[1] > mean)).count();
    assert!(deepest > 0.05, "{deepest} m");
    assert!(crossings >= 3, "{crossings} in {depths:?}");
}
