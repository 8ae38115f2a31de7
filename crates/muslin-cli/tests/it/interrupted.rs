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

/// Waits until there is a file.
fn wait_for(path: &Path) {
    let clock = Instant::now();
    while !path.exists() {
        assert!(clock.elapsed() < Duration::from_secs(120), "no frame within two minutes");
        std::thread::sleep(Duration::from_millis(2));
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
    assert!(names.remove(0).starts_with("checkpoint-"));
    let written = ["final.csv", "metrics.csv", "picture.gif", "picture.png", "resume.json", "summary.json"];
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
    assert_eq!(
        names(&folder.path().join("pieces")),
        names(&folder.path().join("whole")),
        "nothing is left to resume"
    );
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
    assert!(
        refusal(&["--resume", "out/my"]).contains("nothing to resume in out/my: the run there has finished")
    );
    assert!(refusal(&["--resume", "out/my", "--solver", "rk4"]).contains("cannot be used with"));
    let child = start(folder.path(), scene, &["--picture", "none"]);
    press_ctrl_c(&child);
    assert_eq!(end(child).0, Some(130));
    let checkpoint = checkpoint_in(&folder.path().join("out/my"));
    let bytes = std::fs::read(&checkpoint).unwrap();
    std::fs::write(&checkpoint, &bytes[..bytes.len() / 2]).unwrap();
    assert!(refusal(&["--resume", "out/my"]).contains("a damaged checkpoint"));
    let mut other = bytes.clone();
    *other.last_mut().unwrap() ^= 1;
    std::fs::write(&checkpoint, &other).unwrap();
    assert!(refusal(&["--resume", "out/my"]).contains("not that of this resume.json"));
    std::fs::write(&checkpoint, &bytes).unwrap();
    for (old, new) in [
        ("[10, 10]", "[11, 10]"),
        ("duration = 10000", "duration = 9999"),
        ("frame_rate = 10", "frame_rate = 11"),
        ("dt =", "name = \"other\"\ndt ="),
        ("dt =", "picture = { time = 1 }\ndt ="),
    ] {
        std::fs::write(folder.path().join("my.toml"), scene.replacen(old, new, 1)).unwrap();
        let said = refusal(&["--resume", "out/my"]);
        assert!(said.contains("my.toml has changed since"), "{new}: {said}");
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn checkpoint_in(folder: &Path) -> std::path::PathBuf {
    let name = names(folder).into_iter().find(|name| name.starts_with("checkpoint-")).unwrap();
    folder.join(name)
}

const ENDLESS: &str =
    "duration = 1000\ndt = 0.001\nframe_rate = 10\n[[sheet]]\nresolution = { cells = [10, 10] }\n";

/// Otherwise what is left of it could be taken for that of the new run.
#[test]
fn a_fresh_run_discards_an_interrupted_one() {
    let folder = tempfile::tempdir().unwrap();
    let child = start(folder.path(), ENDLESS, &["--export", "obj,pc2,glb", "-o", "sp ace"]);
    press_ctrl_c(&child);
    let (code, said) = end(child);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("to go on: muslin run --resume 'sp ace'"), "{said}");
    let out = folder.path().join("sp ace");
    std::fs::write(out.join("mine.txt"), "").unwrap();
    std::fs::write(out.join("picture-from-7.gif.part"), "").unwrap();
    let mut child = start(folder.path(), ENDLESS, &["--picture", "none", "-o", "sp ace"]);
    child.kill().unwrap();
    let said = end(child).1;
    assert!(said.contains("the interrupted run in sp ace is discarded"), "{said}");
    assert_eq!(names(&out), ["mine.txt"]);
}

/// A mesh of the user's is not one of a run, whatever its name.
#[test]
fn a_fresh_run_keeps_what_is_not_its_own() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cloth.obj"), "# mine\nv 0 0 0\n").unwrap();
    let mut child = start(folder.path(), ENDLESS, &["--picture", "none", "-o", "."]);
    child.kill().unwrap();
    end(child);
    assert_eq!(names(folder.path()), ["cloth.obj", "my.toml"]);
}

/// The scene has the name of the link, and its meshes lie beside it.
#[test]
fn a_scene_behind_a_link_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("far")).unwrap();
    std::os::unix::fs::symlink("far/other.toml", folder.path().join("my.toml")).unwrap();
    let child = start(folder.path(), ENDLESS, &["--picture", "none"]);
    press_ctrl_c(&child);
    assert_eq!(end(child).0, Some(130));
    let text = std::fs::read_to_string(folder.path().join("out/my/resume.json")).unwrap();
    let recipe: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(recipe["scene"].as_str().unwrap(), folder.path().join("my.toml").to_str().unwrap());
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_to_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("muslin"));
    let output =
        command.current_dir(folder.path()).args(["run", "drape", "-o", "/proc/self"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("cannot be written to"));
}

/// A process that asks a run to end, as a batch system does, is heard like Ctrl-C. What is needed to resume stays until the summary is there.
#[test]
fn a_run_can_be_resumed_until_its_summary_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let scene = "duration = 0.5\ndt = 0.0001\nframe_rate = 20\nsolver = { name = \"symplectic-euler\" }\n\
        [[sheet]]\nresolution = { cells = [20, 20] }\npins = [{ at = \"corners\" }]\n";
    let child = start(folder.path(), scene, &["--picture", "none", "--export", "glb"]);
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let (code, said) = end(child);
    assert_eq!(code, Some(130), "{said}");
    let out = folder.path().join("out/my");
    std::fs::remove_file(out.join("summary.json")).unwrap();
    std::fs::create_dir(out.join("summary.json")).unwrap();
    let resume = || {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("muslin"));
        command.current_dir(folder.path()).args(["run", "--resume", "out/my"]).output().unwrap()
    };
    assert_eq!(resume().status.code(), Some(1), "the summary cannot be written");
    std::fs::remove_dir(out.join("summary.json")).unwrap();
    let output = resume();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(names(&out), ["cloth.glb", "final.csv", "metrics.csv", "summary.json"]);
    let output = resume();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

/// The camera looks at the start as it was repaired.
#[test]
fn a_resumed_run_with_a_repaired_start_has_the_same_picture() {
    let folder = tempfile::tempdir().unwrap();
    let scene = "duration = 0.2\ndt = 0.002\nframe_rate = 50\nsolver = { name = \"pncg\" }\n\
        contact = { surface = { thickness = 0.01 } }\npicture = { size = [160, 120] }\n\
        [[sheet]]\nsize = [1.0, 1.0]\nresolution = { cells = [12, 12] }\n\
        [[sheet]]\nsize = [1.0, 1.0]\nresolution = { cells = [12, 12] }\n\
        origin = [-0.02, 0.51, -0.52]\naxes = [[1, 0, 0], [0, 0, 1]]\n";
    let whole = start(folder.path(), scene, &["-o", "whole"]);
    assert_eq!(end(whole).0, Some(0));
    let pieces = start(folder.path(), scene, &["-o", "pieces"]);
    press_ctrl_c(&pieces);
    let (code, said) = end(pieces);
    assert_eq!(code, Some(130), "{said}");
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("muslin"));
    let output = command.current_dir(folder.path()).args(["run", "--resume", "pieces"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let read = |run: &str, name: &str| std::fs::read(folder.path().join(run).join(name)).unwrap();
    assert!(read("whole", "final.csv") == read("pieces", "final.csv"));
    assert!(read("whole", "picture.png") == read("pieces", "picture.png"));
}

/// What is known before the first step is said before it.
#[test]
fn a_run_too_long_for_its_format_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my.toml"), ENDLESS).unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("muslin"));
    command.current_dir(folder.path()).args(["run", "my.toml", "--export", "glb", "--duration", "10000"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("--export glb: of the 100001 frames of this run only 6"), "{said}");
}

/// A directory in the place of a frame is as good as a full disk.
#[test]
fn a_frame_that_cannot_be_written_does_not_lose_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let child = start(folder.path(), ENDLESS, &["--picture", "none", "--export", "obj,pc2"]);
    let out = folder.path().join("out/my");
    wait_for(&out.join("frames/0000.obj"));
    std::fs::create_dir_all(out.join("frames/0200.obj/full")).unwrap();
    let (code, said) = end(child);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("0200.obj") && said.contains("the 201 frames up to there are in out/my"), "{said}");
    assert!(said.contains("it cannot be resumed"), "{said}");
    assert_eq!(names(&out), ["cloth.obj", "cloth.pc2", "final.csv", "frames", "metrics.csv", "summary.json"]);
    assert_eq!(std::fs::read_to_string(out.join("metrics.csv")).unwrap().lines().count(), 202);
    assert_eq!(std::fs::metadata(out.join("cloth.pc2")).unwrap().len(), 32 + 12 * 121 * 201);
}

/// All exports are looked at before one is changed.
#[test]
fn a_refused_resume_changes_no_export() {
    let folder = tempfile::tempdir().unwrap();
    let child = start(folder.path(), ENDLESS, &["--picture", "none", "--export", "obj,pc2,glb"]);
    let out = folder.path().join("out/my");
    wait_for(&out.join("frames/0003.obj"));
    press_ctrl_c(&child);
    assert_eq!(end(child).0, Some(130));
    let part = std::fs::read(out.join("cloth.glb.part")).unwrap();
    std::fs::write(out.join("cloth.glb.part"), &part[..40]).unwrap();
    // As a process leaves it that dies after the point of its interruption.
    std::fs::write(out.join("frames/9999.obj"), "").unwrap();
    let cache = std::fs::read(out.join("cloth.pc2")).unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("muslin"));
    let output = command.current_dir(folder.path()).args(["run", "--resume", "out/my"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("cloth.glb.part") && said.contains("bytes are missing"), "{said}");
    assert!(out.join("frames/9999.obj").exists());
    assert!(std::fs::read(out.join("cloth.pc2")).unwrap() == cache);
}
