//! Ctrl-C: what there is gets written, and a second one ends at once.
#![cfg(unix)]

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Starts a run of a scene and waits until it is under way.
fn start(folder: &Path, scene: &str, arguments: &[&str]) -> Child {
    std::fs::write(folder.join("my.toml"), scene).unwrap();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("muslin"))
        .current_dir(folder)
        .args(["run", "my.toml"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().starts_with("solver:")));
    child
}

/// Waits until frames have been written to a moving picture.
fn wait_for_frames(movie: &Path) {
    let clock = Instant::now();
    while std::fs::metadata(movie).map_or(0, |file| file.len()) < 8192 {
        assert!(clock.elapsed() < Duration::from_secs(120), "no frame within two minutes");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn press_ctrl_c(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

/// Exit code and what was said on stderr.
fn end(mut child: Child) -> (Option<i32>, String) {
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code(), said)
}

#[test]
fn an_interrupted_run_writes_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let scene = "duration = 10000\ndt = 0.0001\nframe_rate = 100\nsolver = { name = \"symplectic-euler\" }\n\
        [[sheet]]\nresolution = { cells = [10, 10] }\npins = [{ at = \"corners\" }]\n[picture]\nsize = [64, 48]\n";
    let child = start(folder.path(), scene, &["--picture", "png,gif"]);
    wait_for_frames(&folder.path().join("out/my/picture.gif.part"));
    press_ctrl_c(&child);
    let (code, said) = end(child);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("my: interrupted at ") && said.contains(" of 10000 s"), "{said}");
    let out = folder.path().join("out/my");
    let mut names: Vec<String> = std::fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let written = [
        "checkpoint.muslin",
        "final.csv",
        "metrics.csv",
        "picture.gif",
        "picture.png",
        "resume.json",
        "summary.json",
    ];
    assert_eq!(names, written);
    let summary: Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("summary.json")).unwrap()).unwrap();
    assert_eq!(summary["interrupted"], true);
    assert_eq!(summary["diverged"], false);
    assert!((1e-3..9999.0).contains(&summary["duration"].as_f64().unwrap()), "{summary}");
    let rows = std::fs::read_to_string(out.join("metrics.csv")).unwrap().lines().count();
    assert_eq!(rows, 1 + summary["frames"].as_u64().unwrap() as usize);
    assert!(rows > 2, "the start, and the moment of the end at the least");
}

/// One step of a million inner ones takes minutes.
#[test]
fn a_second_one_ends_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let scene = "duration = 1\ndt = 1\nframe_rate = 1\nsolver = { name = \"xpbd\", substeps = 1000000 }\n\
        [[sheet]]\nresolution = { cells = [40, 40] }\npins = [{ at = \"corners\" }]\n";
    let child = start(folder.path(), scene, &["--picture", "none"]);
    press_ctrl_c(&child);
    std::thread::sleep(Duration::from_millis(500));
    press_ctrl_c(&child);
    let clock = Instant::now();
    let (code, said) = end(child);
    assert_eq!(code, Some(130), "{said}");
    assert!(clock.elapsed() < Duration::from_secs(20), "{:?}", clock.elapsed());
    assert!(said.contains("Ctrl-C again ends at once"), "{said}");
    assert!(!folder.path().join("out/my/summary.json").exists(), "it was in the middle of a step");
}

/// Interrupted at three moments and resumed each time, in new processes, a run ends as it does in one go: the same bits in every file.
#[test]
fn a_resumed_run_ends_as_in_one_go() {
    let folder = tempfile::tempdir().unwrap();
    let scene = "duration = 0.5\ndt = 0.005\nframe_rate = 60\nsolver = { name = \"pncg\" }\ncontact = { surface = {} }\n\
        [[sheet]]\nresolution = { cells = [24, 24] }\npins = [{ at = { grid = [[0, 0]] } }]\n\
        [[collider]]\nsphere = { center = [0.5, 0.5, -0.3], radius = 0.25 }\n";
    std::fs::write(folder.path().join("my.toml"), scene).unwrap();
    let muslin = |arguments: &[&str]| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("muslin"));
        command.current_dir(folder.path()).args(["run"]).args(arguments);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let common = ["my.toml", "--picture", "none", "--export", "obj,pc2,glb"];
    assert!(muslin(&[&common[..], &["-o", "whole"]].concat()).wait().unwrap().success());
    let mut child = muslin(&[&common[..], &["-o", "pieces"]].concat());
    let mut interruptions = 0;
    for frames in [3, 11, 19] {
        let clock = Instant::now();
        while !folder.path().join(format!("pieces/frames/{frames:04}.obj")).exists() {
            assert!(clock.elapsed() < Duration::from_secs(120), "no frame {frames} within two minutes");
            std::thread::sleep(Duration::from_millis(2));
        }
        press_ctrl_c(&child);
        if child.wait().unwrap().code() != Some(130) {
            break; // it was faster
        }
        interruptions += 1;
        child = muslin(&["--resume", "pieces"]);
    }
    assert!(interruptions > 0);
    assert!(child.wait().unwrap().success());
    let read = |run: &str, name: &str| std::fs::read(folder.path().join(run).join(name)).unwrap();
    for name in ["metrics.csv", "final.csv", "cloth.pc2", "cloth.glb", "frames/0000.obj", "frames/0030.obj"] {
        assert!(read("whole", name) == read("pieces", name), "{name}");
    }
    let summary = |run: &str| -> Value {
        let mut summary: Value = serde_json::from_slice(&read(run, "summary.json")).unwrap();
        let keys = summary.as_object_mut().unwrap();
        keys.retain(|key, _| key != "wall_seconds" && key != "real_time_factor");
        summary
    };
    assert_eq!(summary("whole"), summary("pieces"));
    assert!(!folder.path().join("pieces/checkpoint.muslin").exists(), "nothing is left to resume");
}

#[test]
fn what_cannot_be_resumed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let scene =
        "duration = 10000\ndt = 0.001\nframe_rate = 10\n[[sheet]]\nresolution = { cells = [10, 10] }\n";
    let refusal = |arguments: &[&str]| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("muslin"));
        let output = command.current_dir(folder.path()).arg("run").args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refusal(&["--resume", "out/my"]).contains("resume.json"));
    assert!(refusal(&["--resume", "out/my", "--solver", "rk4"]).contains("cannot be used with"));
    let child = start(folder.path(), scene, &["--picture", "none"]);
    press_ctrl_c(&child);
    assert_eq!(end(child).0, Some(130));
    let checkpoint = folder.path().join("out/my/checkpoint.muslin");
    let bytes = std::fs::read(&checkpoint).unwrap();
    std::fs::write(&checkpoint, &bytes[..bytes.len() / 2]).unwrap();
    assert!(refusal(&["--resume", "out/my"]).contains("a damaged checkpoint"));
    std::fs::write(&checkpoint, &bytes).unwrap();
    std::fs::write(folder.path().join("my.toml"), scene.replace("[10, 10]", "[11, 10]")).unwrap();
    assert!(refusal(&["--resume", "out/my"]).contains("has changed since"));
}
