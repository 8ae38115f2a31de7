//! A start that is not clean is repaired, and what was done is told; what cannot be repaired is named.

use crate::muslin;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "duration = 0.1\ndt = 0.005\ncontact = { surface = { thickness = 0.01 } }\nsolver = { name = \"pncg\" }\n";
const SHEET: &str = "[[sheet]]\nsize = [1.0, 1.0]\nresolution = { cells = [12, 12] }\n";
const UPRIGHT: &str = "[[sheet]]\nsize = [1.0, 1.0]\nresolution = { cells = [12, 12] }\n\
    origin = [-0.02, 0.51, -0.52]\naxes = [[1, 0, 0], [0, 0, 1]]\n";
const CORNERS: &str = "pins = [{ at = \"corners\" }]\n";

/// What `check` and `run` say of a scene, both with exit code 0, and the summary of the run.
struct Told {
    check: String,
    run: String,
    summary: Value,
}

fn told_in(folder: &Path, bodies: &str) -> Told {
    std::fs::write(folder.join("my.toml"), format!("{HEAD}{bodies}")).unwrap();
    let say = |arguments: &[&str]| {
        let output = muslin(folder).args(arguments).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
        (String::from_utf8(output.stdout).unwrap(), errors)
    };
    let (check, _) = say(&["check", "my.toml"]);
    let (_, run) = say(&["run", "my.toml", "--picture", "none"]);
    let summary = std::fs::read_to_string(folder.join("out/my/summary.json")).unwrap();
    Told { check, run, summary: serde_json::from_str(&summary).unwrap() }
}

fn told(bodies: &str) -> Told {
    told_in(tempfile::tempdir().unwrap().path(), bodies)
}

impl Told {
    /// Everything was repaired, by moves of at most `most` [m].
    fn assert_repaired(&self, most: f64) {
        let Self { check, run, summary } = self;
        for text in [check, run] {
            assert!(text.contains("warning: the start has ") && text.contains("untangled, "), "{text}");
            assert!(!text.contains("remain"), "{text}");
        }
        let announced = run.find("; repairing it").expect("a repair is announced");
        assert!(announced < run.find("repair of the start: untangled, ").unwrap(), "{run}");
        let done = &summary["contact"]["untangled"];
        let number = |key: &str| done[key].as_f64().unwrap_or_else(|| panic!("no {key} in {done}"));
        assert!(number("intersections") + number("inside") > 0.0 && number("moved") > 0.0, "{done}");
        assert_eq!(number("remaining"), 0.0);
        assert!(number("largest_move") > 0.0 && number("largest_move") <= most, "{done}");
        assert_eq!(summary["intersections"], 0);
        assert_eq!(summary["max_penetration"], 0.0, "of any frame, the start among them");
    }
}

fn assert_says(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "no {word:?} in: {text}");
    }
}

#[test]
fn a_ball_that_pokes_through_a_sheet() {
    let ball = "[[collider]]\nsphere = { center = [0.5, 0.5, -0.1], radius = 0.2 }\n";
    let told = told(&format!("{SHEET}{CORNERS}{ball}"));
    told.assert_repaired(0.11);
    let words = ["triangle ", " of sheet[0] and collider[0] (sphere), at (", " m inside collider[0]", "more"];
    assert_says(&told.check, &words);
}

#[test]
fn a_ball_inside_a_closed_surface_is_no_fault() {
    let told = told("[[ball]]\nradius = 0.3\n[[collider]]\nsphere = { center = [0, 0, 0], radius = 0.1 }\n");
    assert!(!told.check.contains("the start"), "{}", told.check);
    assert!(!told.run.contains("the start"), "{}", told.run);
    assert_eq!(told.summary["contact"]["untangled"], Value::Null);
}

#[test]
fn a_sheet_below_the_floor() {
    let floor = "[[collider]]\nplane = { point = [0, 0, 0.03], normal = [0, 0, 1] }\n";
    let told = told(&format!("{SHEET}{floor}"));
    told.assert_repaired(0.036);
    assert_says(&told.check, &["169 particles inside solids", "0.0300 m inside collider[0] (plane)"]);
}

#[test]
fn two_sheets_in_one_place() {
    told(&format!("{SHEET}{SHEET}")).assert_repaired(0.011);
    told(&format!("{SHEET}{CORNERS}{SHEET}")).assert_repaired(0.011);
}

#[test]
fn crossing_sheets() {
    let free = told(&format!("{SHEET}{CORNERS}{UPRIGHT}"));
    free.assert_repaired(0.55);
    assert_says(&free.check, &["of sheet[0] and triangle ", "of sheet[1], at ("]);
    let held = told(&format!("{SHEET}{CORNERS}{UPRIGHT}{CORNERS}"));
    for text in [&held.check, &held.run] {
        assert_says(text, &["nothing can be moved", "remain and are held as they are, the first: triangle "]);
        assert_says(text, &["of sheet[0] and triangle ", "of sheet[1], at ("]);
    }
    assert!(held.summary["contact"]["untangled"]["remaining"].as_u64().unwrap() > 0);
}

/// A grid of cells of 5 cm folded over, whose upper layer pokes through the lower one.
fn folded() -> String {
    let (mut text, count) = (String::new(), 12);
    for i in 0..=2 * count {
        for j in 0..=count {
            let (x, y) = (0.05 * f64::from(count.min(i) - (i - count).max(0)), 0.05 * f64::from(j));
            let poke = 0.14 * (-((x - 0.25).powi(2) + (y - 0.3).powi(2)) / 0.01).exp();
            let z = if i <= count { 0.0 } else { 0.04 + 0.06 * (0.6 - x) - poke };
            writeln!(text, "v {x} {y} {z}").unwrap();
        }
    }
    for i in 0..2 * count {
        for j in 0..count {
            let corner = 1 + i * (count + 1) + j;
            let next = corner + count + 1;
            writeln!(text, "f {corner} {next} {} {}", next + 1, corner + 1).unwrap();
        }
    }
    text
}

#[test]
fn a_surface_that_intersects_itself() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.obj"), folded()).unwrap();
    let told = told_in(folder.path(), "[[surface]]\nfile = \"m.obj\"\n");
    told.assert_repaired(0.15);
    assert_says(&told.check, &["of surface[0] and triangle "]);
}

/// A box without its lid, one of its faces turned: it has no inside, but triangles.
#[test]
fn a_mesh_with_a_hole_and_a_flipped_face() {
    let folder = tempfile::tempdir().unwrap();
    let faces = "f 1 2 3 4\nf 1 5 6 2\nf 2 6 7 3\nf 3 4 8 7\nf 4 8 5 1\n";
    let low = "v 0.31 0.31 -0.2\nv 0.71 0.31 -0.2\nv 0.71 0.71 -0.2\nv 0.31 0.71 -0.2\n";
    std::fs::write(folder.path().join("m.obj"), format!("{low}{}{faces}", low.replace("-0.2", "0.02")))
        .unwrap();
    let told =
        told_in(folder.path(), &format!("{SHEET}{CORNERS}[[collider]]\nmesh = {{ file = \"m.obj\" }}\n"));
    told.assert_repaired(0.1);
    assert_says(
        &told.check,
        &["m.obj: 4 edges have a face on one side only", "turned against their neighbours"],
    );
}

#[test]
fn cloth_thicker_than_its_edges_is_told() {
    let told = told(&format!("{SHEET}{CORNERS}").replace("[12, 12]", "[20, 20]")).check;
    assert!(!told.contains("thickness"), "{told}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my.toml"), format!("{HEAD}{SHEET}{CORNERS}")).unwrap();
    let thick = ["--set", "contact.surface.thickness=0.2", "--picture", "none"];
    let output = muslin(folder.path()).args(["run", "my.toml"]).args(thick).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let errors = String::from_utf8(output.stderr).unwrap();
    let kept = format!("keep {} of their distance", muslin::contact::settings::REST_DISTANCE);
    assert_says(&errors, &["thickness is 0.2 m", "shortest edge of the cloth, 0.0833 m", &kept]);
    let summary = std::fs::read_to_string(folder.path().join("out/my/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["intersections"], 0);
    assert!(summary["worst_stretch"].as_f64().unwrap() < 0.2, "{summary}");
}

#[test]
fn a_quiet_run_repairs_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my.toml"), format!("{HEAD}{SHEET}{SHEET}")).unwrap();
    let output =
        muslin(folder.path()).args(["run", "my.toml", "--quiet", "--picture", "none"]).output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty());
}
