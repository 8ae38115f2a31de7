//! A run whose results are bad says so, on stderr and in summary.json, with what would help.

use crate::muslin;
use serde_json::Value;
use std::path::Path;

/// What a run said on stderr, and its summary. The run itself succeeds.
fn run(folder: &Path, scene: &str, arguments: &[&str]) -> (String, Value) {
    let output = muslin(folder)
        .args(["run", scene, "--picture", "none", "-o", "out"])
        .args(arguments)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let summary = std::fs::read_to_string(folder.join("out/summary.json")).unwrap();
    (said, serde_json::from_str(&summary).unwrap())
}

/// Each warning of the summary is a line of stderr.
fn assert_told(said: &str, summary: &Value) {
    for warning in summary["warnings"].as_array().unwrap() {
        let line = format!("warning: {}\n", warning.as_str().unwrap());
        assert!(said.contains(&line), "no {line:?} in {said}");
    }
}

fn assert_says(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "no {word:?} in: {text}");
    }
}

/// A sheet that falls on a ball, with room to fall: in steps of 1/30 s an implicit step goes far into it.
const DRAPE: &str = "duration = 0.5\ndt = 0.03333333333333333\ncontact = { surface = {} }\n\
    [[sheet]]\nresolution = { cells = [20, 20] }\norigin = [-0.5, -0.5, 0.7]\n\
    [[collider]]\nsphere = { center = [0, 0, 0], radius = 0.3 }\n";

#[test]
fn stretched_cloth_is_told_with_a_cure_that_works() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my.toml"), DRAPE).unwrap();
    let (said, summary) = run(folder.path(), "my.toml", &["--solver", "implicit-euler"]);
    assert!(summary["worst_stretch"].as_f64().unwrap() > 0.25, "{summary}");
    assert_says(
        &said,
        &[
            "warning: the cloth stretched by up to ",
            "implicit-euler",
            "try --solver xpbd --set solver.substeps=",
        ],
    );
    assert_told(&said, &summary);
    // What it suggests helps.
    let advice = said.split("try ").nth(1).unwrap().split([',', ';', '\n']).next().unwrap();
    let (said, summary) = run(folder.path(), "my.toml", &advice.split(' ').collect::<Vec<_>>());
    assert!(!said.contains("stretched") && summary["worst_stretch"].as_f64().unwrap() < 0.15, "{said}");
    assert_eq!(summary["warnings"], Value::Array(Vec::new()));
    // And is what a scene gets that leaves the choice.
    let (_, chosen) = run(folder.path(), "my.toml", &[]);
    assert_eq!(chosen["state_hash"], summary["state_hash"]);
}

#[test]
fn a_chosen_method_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my.toml"), DRAPE).unwrap();
    for command in [&["run", "my.toml", "--picture", "none", "--duration", "0.04"][..], &["check", "my.toml"]]
    {
        let output = muslin(folder.path()).args(command).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert_says(&said, &["solver", "xpbd, ", " substeps (chosen for contact of surfaces)"]);
    }
}

/// The ball lags behind its script while the curtain gives way. It is measured where it is, and catches up before the end; the
/// summary has the largest lag of the run.
#[test]
fn a_ball_that_lags_is_measured_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--solver", "pncg", "--duration", "1.2"];
    let (said, summary) = run(folder.path(), "curtain-and-ball", &arguments);
    assert!(summary["contact"]["lag"].as_f64().unwrap() > 0.02, "{summary}");
    assert!(summary["max_penetration"].as_f64().unwrap() < 1e-9, "{summary}");
    assert_says(&said, &[" s behind their scripts: cloth was in their way"]);
    assert_told(&said, &summary);
}

#[test]
fn steps_that_were_too_fast_are_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my.toml"), DRAPE.replace("duration = 0.5", "duration = 0.1")).unwrap();
    let fast = ["--solver", "pncg", "--set", "gravity=[0, 0, -2000]"];
    let (said, summary) = run(folder.path(), "my.toml", &fast);
    assert!(summary["contact"]["steps_too_fast"].as_u64().unwrap() > 0, "{summary}");
    assert!(summary["contact"]["motion_lost"].as_f64().unwrap() > 0.01, "{summary}");
    assert_says(&said, &["steps were too fast for contact", "contact cut off ", " % of all motion"]);
    assert_told(&said, &summary);
}

/// It was told on stderr only.
#[test]
fn a_step_above_the_linear_limit_is_in_the_summary() {
    let folder = tempfile::tempdir().unwrap();
    let scene = "duration = 0.002\ndt = 0.002\n[[sheet]]\nresolution = { cells = [30, 30] }\n";
    std::fs::write(folder.path().join("my.toml"), scene).unwrap();
    let (said, summary) = run(folder.path(), "my.toml", &["--solver", "position-verlet"]);
    assert_says(&summary["warnings"].to_string(), &["above the limit of linear theory for position-verlet"]);
    assert_told(&said, &summary);
}

/// Pins that are driven into each other were called solids.
#[test]
fn what_lags_is_called_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let scene = "duration = 0.3\ncontact = { surface = {} }\n\
        [[sheet]]\nresolution = { cells = [6, 6] }\naxes = [[1, 0, 0], [0, 0, -1]]\n\
        pins = [{ at = { grid = [[0, 0]] } }, { at = { grid = [[6, 0]] }, motion = { translate = \
        { velocity = [-8, 0, 0], from = 0, until = 0.3 } } }]\n";
    std::fs::write(folder.path().join("my.toml"), scene).unwrap();
    let (said, summary) = run(folder.path(), "my.toml", &[]);
    assert_says(&said, &["warning: pins were up to "]);
    assert_told(&said, &summary);
}
