//! Cloth from meshes that are no manifolds.

use crate::bad_input::assert_says;
use crate::muslin;

/// Doubled and turned faces, edges of three faces: cloth is made of them, and what was repaired is said.
#[test]
fn meshes_that_are_no_manifolds_are_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 2 2\nf 1 2 3\nf 1 4 3\nf 3 1 5\nf 2 3 1\nf 1 2 2\n";
    std::fs::write(folder.path().join("m.obj"), mesh).unwrap();
    std::fs::write(
        folder.path().join("my.toml"),
        "duration = 0.1\ndt = 0.01\n[[surface]]\nfile = \"m.obj\"\n",
    )
    .unwrap();
    let words = [
        "1 degenerate face dropped (4)",
        "1 doubled face dropped (3 as 0)",
        "1 edge of three faces or more",
        "(0-2)",
        "1 face turned over (1)",
    ];
    let said = |arguments: &[&str]| {
        let output = muslin(folder.path()).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
    };
    let [mesh, _] = said(&["check", "m.obj"]);
    assert_says(&mesh, &words);
    assert_says(&mesh, &["no manifold", "faces         3 triangles"]);
    let [scene, _] = said(&["check", "my.toml"]);
    assert_says(&scene, &words);
    assert_says(&scene, &["warning: m.obj: repaired:"]);
    let [_, run] = said(&["run", "my.toml", "--picture", "none"]);
    assert_says(&run, &words);
}
