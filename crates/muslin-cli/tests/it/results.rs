//! What a run leaves behind.

use crate::muslin;
use serde_json::Value;
use std::path::Path;

fn summary(folder: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap()
}

#[test]
fn a_run_writes_summary_metrics_final_state_and_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "run",
        "two-point-drop",
        "--duration",
        "0.1",
        "--picture",
        "png,gif",
        "--set",
        "picture.size=[64, 48]",
    ];
    muslin(folder.path()).args(arguments).assert().success();
    let out = folder.path().join("out/two-point-drop");
    let summary = summary(&out);
    for key in [
        "scene",
        "solver",
        "particles",
        "elements",
        "dt",
        "substeps",
        "duration",
        "frames",
        "steps",
        "wall_seconds",
        "real_time_factor",
        "threads",
        "max_stretch",
        "mean_stretch",
        "worst_stretch",
        "energy",
        "bodies",
        "momentum",
        "angular_momentum",
        "max_penetration",
        "intersections",
        "out_of_time",
        "diverged",
        "interrupted",
        "warnings",
        "state_hash",
        "version",
    ] {
        assert!(summary.get(key).is_some(), "summary.json lacks {key}");
    }
    assert_eq!(summary["particles"], 100);
    assert_eq!(summary["elements"]["springs"], 630);
    assert_eq!(summary["diverged"], false);
    let metrics = std::fs::read_to_string(out.join("metrics.csv")).unwrap();
    assert_eq!(metrics.lines().count(), 1 + summary["frames"].as_u64().unwrap() as usize);
    let last = std::fs::read_to_string(out.join("final.csv")).unwrap();
    assert_eq!(last.lines().count(), 101);
    assert!(last.starts_with("particle,x,y,z,vx,vy,vz\n0,0,0,0,0,0,0\n"));
    let mut names: Vec<String> =
        std::fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["final.csv", "metrics.csv", "picture.gif", "picture.png", "summary.json"]);
}

#[test]
fn the_hash_does_not_depend_on_threads_or_on_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let hash = |threads: &str, solver: &str| {
        let arguments = [
            "run",
            "drape",
            "--duration",
            "0.05",
            "--dt",
            "0.0005",
            "--solver",
            solver,
            "--picture",
            "none",
            "--quiet",
        ];
        muslin(folder.path()).args(arguments).args(["--threads", threads]).assert().success();
        summary(&folder.path().join("out/drape"))["state_hash"].clone()
    };
    for solver in ["velocity-verlet", "implicit-euler"] {
        let first = hash("1", solver);
        for threads in ["1", "2", "3", "8"] {
            assert_eq!(hash(threads, solver), first, "{solver} with {threads} threads");
        }
    }
}

#[test]
fn a_run_that_diverges_says_where_and_keeps_its_frames() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "run",
        "two-point-drop",
        "--solver",
        "explicit-euler",
        "--dt",
        "0.005",
        "--set",
        "picture.size=[64, 48]",
    ];
    let output = muslin(folder.path()).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    for words in ["diverged at step", "time", "particle", "linear limit", "try --dt 0.0009"] {
        assert!(message.contains(words), "no {words:?} in: {message}");
    }
    let out = folder.path().join("out/two-point-drop");
    assert_eq!(summary(&out)["diverged"], true);
    assert!(std::fs::read_to_string(out.join("metrics.csv")).unwrap().lines().count() >= 2);
    assert!(out.join("picture.png").exists());
    // What it suggests works.
    let advice = message.split("try --dt ").nth(1).unwrap().split_whitespace().next().unwrap();
    let again = [
        "run",
        "two-point-drop",
        "--solver",
        "explicit-euler",
        "--dt",
        advice,
        "--picture",
        "none",
        "--quiet",
    ];
    muslin(folder.path()).args(again).assert().success();
}

#[test]
fn list_and_help_name_everything() {
    let folder = tempfile::tempdir().unwrap();
    let output = muslin(folder.path()).arg("list").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for name in muslin::solver::SolverConfig::NAMES {
        assert!(text.contains(name), "{name}");
    }
    for scene in muslin_scene::BUILT_IN {
        assert!(text.contains(scene.name), "{}", scene.name);
    }
    muslin(folder.path()).arg("--help").assert().success();
}

#[test]
fn steps_that_run_out_of_time_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let run = |budget: &str| {
        let mut arguments =
            vec!["run", "two-point-drop", "--solver", "pncg", "--dt", "0.01", "--duration", "0.2"];
        arguments.extend(["--picture", "none", "--set", budget]);
        let output = muslin(folder.path()).args(arguments).assert().success().get_output().stderr.clone();
        (String::from_utf8(output).unwrap(), summary(&folder.path().join("out/two-point-drop")))
    };
    // No iteration is over after a nanosecond.
    let (said, results) = run("solver.time_budget=1e-9");
    assert!(said.contains("20 steps ended when their time budget was spent"), "{said}");
    assert_eq!((results["out_of_time"].as_u64(), results["steps"].as_u64()), (Some(20), Some(20)));
    let (said, results) = run("solver.time_budget=3600");
    assert!(!said.contains("time budget"), "{said}");
    assert_eq!(results["out_of_time"], 0);
}
