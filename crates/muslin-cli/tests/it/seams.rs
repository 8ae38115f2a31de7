//! Seams: what cannot be sewn, what is gathered, and what was left unsewn.

use crate::bad_input::{SHEET, assert_says, refusal};
use crate::muslin;

/// Panels that lie border to border are noticed, in a file and in a scene.
#[test]
fn unsewn_borders_are_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let mesh =
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nf 1 2 3 4\nf 5 6 7 8\n";
    std::fs::write(folder.path().join("m.obj"), mesh).unwrap();
    let second = "[[sheet]]\nsize = [1.0, 1.0]\nresolution = { cells = [4, 4] }\norigin = [1, 0, 0]\n";
    std::fs::write(folder.path().join("my.toml"), format!("{SHEET}{second}")).unwrap();
    for (file, words) in [
        ("m.obj", ["warning: 2 pairs", "(the first is 1 and 4)"]),
        ("my.toml", ["warning: 5 pairs", "[[seam]]"]),
    ] {
        let output = muslin(folder.path()).args(["check", file]).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_says(&String::from_utf8(output.stdout).unwrap(), &words);
    }
}

/// Two sheets beside each other, to be sewn as a line says.
fn seam(line: &str) -> String {
    let second = "[[sheet]]\nsize = [1.0, 1.5]\nresolution = { cells = [4, 8] }\norigin = [1.1, 0, 0]\n";
    format!("{SHEET}{second}[[seam]]\n{line}\n")
}

#[test]
fn seams_that_cannot_be() {
    let with = |first: &str, second: &str, more: &str| {
        refusal(&seam(&format!("first = {{ {first} }}\nsecond = {{ {second} }}\n{more}")))
    };
    let (left, right) = ("body = 0, at = { side = \"i-max\" }", "body = 1, at = { side = \"i-min\" }");
    assert_says(&with(left, "body = 7, at = \"border\"", ""), &["`seam[0].second.body`", "7", "at most 1"]);
    assert_says(
        &with(left, "body = 1, at = { particles = [0, 1, 99] }", ""),
        &["`seam[0].second.at.particles[2]`", "99", "at most 44"],
    );
    assert_says(&with(left, left, ""), &["`seam[0]`", "both sides of the seam"]);
    assert_says(
        &with("body = 0, at = { particles = [6, 7] }", right, ""),
        &["`seam[0].first.at`", "no edge of a border"],
    );
    assert_says(
        &with("body = 0, at = { particles = [0, 1, 3, 4] }", right, ""),
        &["`seam[0].first.at`", "follow each other"],
    );
    assert_says(&with("body = 0, at = \"border\"", right, ""), &["`seam[0]`", "all around"]);
    assert_says(&with(left, right, "strength = 0.0"), &["`seam[0].strength`", "greater than 0 N/m"]);
    assert_says(&with(left, right, "duration = -1.0"), &["`seam[0].duration`", "0 s or more"]);
    assert_says(&with(left, right, "strenght = 1.0"), &["strenght`", "Did you mean `strength`"]);
}

/// Borders of different length are matched, and their ratio is told; beyond 3 there is a warning.
#[test]
fn seams_that_gather_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let sides =
        "first = { body = 0, at = { side = \"i-max\" } }\nsecond = { body = 1, at = { side = \"i-min\" } }";
    std::fs::write(folder.path().join("my.toml"), seam(sides)).unwrap();
    std::fs::write(folder.path().join("strong.toml"), seam(sides).replace("1.5]", "3.5]")).unwrap();
    let checked = |file: &str| {
        let output = muslin(folder.path()).args(["check", file]).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_says(&checked("my.toml"), &["seam 0        4 edges to 8, lengths as 0.667 to 1"]);
    let strong = "seam[0] gathers: its second border is 3.5 times as long as its first one";
    assert_says(&checked("strong.toml"), &["warning", strong]);
    let output = muslin(folder.path())
        .args(["run", "my.toml", "--duration", "3", "--set", "gravity=[0, 0, 0]", "--picture", "none"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8(output.stderr).unwrap());
    let text = std::fs::read_to_string(folder.path().join("out/my/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    let seams = &summary["seams"];
    assert_eq!((&seams["begun"], &seams["waiting"], &seams["to_begin"]), (&1.into(), &0.into(), &0.into()));
    assert!(seams["joined"].as_u64().unwrap() >= 9, "{seams}");
    assert!((seams["gathers"][0].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9, "{seams}");
    assert_eq!(summary["torn"]["edges"], 0);
}
