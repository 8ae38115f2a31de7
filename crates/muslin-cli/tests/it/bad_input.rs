//! Bad input gets exit code 2, a message that names file, line, key, value and what is allowed, and leaves nothing behind.

use crate::muslin;
use std::path::Path;

pub const SHEET: &str =
    "duration = 0.1\ndt = 0.01\n[[sheet]]\nsize = [1.0, 1.0]\nresolution = { cells = [4, 4] }\n";

/// Runs a scene file and returns what it says on stderr; it must fail with code 2 and write nothing.
pub fn refusal(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my.toml"), text).unwrap();
    refusal_in(folder.path(), &["run", "my.toml"])
}

fn refusal_in(folder: &Path, arguments: &[&str]) -> String {
    let output = muslin(folder).args(arguments).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(!message.contains("panicked"), "{message}");
    assert!(!folder.join("out").exists(), "a refused run leaves no results");
    message
}

/// Every word must be in the message.
pub fn assert_says(message: &str, words: &[&str]) {
    for word in words {
        assert!(message.contains(word), "no {word:?} in: {message}");
    }
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_the_nearest_one() {
    let message = refusal(&SHEET.replace("resolution", "resolutoin"));
    assert_says(&message, &["my.toml:5:", "`resolutoin`", "Did you mean `resolution`"]);
    let message = refusal(&format!("gravty = [0, 0, -1]\n{SHEET}"));
    assert_says(&message, &["my.toml:1:", "`gravty`", "Did you mean `gravity`"]);
}

#[test]
fn values_out_of_range_are_named_with_what_is_allowed() {
    let with = |line: &str| format!("{SHEET}{line}\n");
    assert_says(
        &refusal(&with("fabric = { density = -0.2 }")),
        &["my.toml:6:", "`sheet[0].fabric.density`", "-0.2", "greater than 0 kg/m³"],
    );
    assert_says(
        &refusal(&with("origin = [nan, 0.0, 0.0]")),
        &["my.toml:6:", "`sheet[0].origin`", "NaN", "finite"],
    );
    assert_says(
        &refusal(&with("fabric = { structural = { stiffness = inf } }")),
        &["my.toml:6:", "stiffness", "inf"],
    );
    assert_says(
        &refusal(&with("pins = [{ at = { grid = [[0, 9]] } }]")),
        &["my.toml:6:", "`sheet[0].pins[0].at.grid[0]`", "[0, 9]", "[4, 4]"],
    );
    assert_says(
        &refusal(&with("pins = [{ at = { particles = [25] } }]")),
        &["my.toml:6:", "25", "at most 24"],
    );
    assert_says(
        &refusal(&with("[[collider]]\nsphere = { center = [0, 0, 0], radius = 0 }")),
        &["my.toml:7:", "`collider[0].sphere.radius`"],
    );
    assert_says(
        &refusal(&SHEET.replace("[1.0, 1.0]", "[0.0, 1.0]")),
        &["my.toml:4:", "`sheet[0].size[0]`", "is 0", "greater than 0 m"],
    );
    assert_says(&refusal(&SHEET.replace("[4, 4]", "[0, 4]")), &["my.toml:5:", "at least 2 particles"]);
}

/// Materials, pressures and solids that cannot be.
#[test]
fn bodies_that_cannot_be() {
    let with = |line: &str| refusal(&format!("{SHEET}{line}\n"));
    assert_says(
        &with("fabric = { membrane = { warp = -5.0 } }"),
        &["my.toml:6:", "`sheet[0].fabric.membrane.warp`", "-5", "greater than 0 N/m"],
    );
    assert_says(
        &with("fabric = { membrane = { warp = 5.0, poisson = 1.5 } }"),
        &["my.toml:6:", "`sheet[0].fabric.membrane.poisson`", "1.5", "less than 1"],
    );
    assert_says(
        &with("fabric = { membrane = { warp = 5.0, weft = 50.0, poisson = 0.5 } }"),
        &["my.toml:6:", "`sheet[0].fabric.membrane.poisson`", "warp/weft"],
    );
    assert_says(
        &with("fabric = { membrane = { warp = 5.0, weft = 50.0, law = \"wrinkling\" } }"),
        &["my.toml:6:", "`sheet[0].fabric.membrane.law`", "st-venant-kirchhoff"],
    );
    let toughness = with("fabric = { toughness = nan }");
    assert_says(&toughness, &["my.toml:6:", "`sheet[0].fabric.toughness`", "greater than 0 J/m"]);
    assert_says(
        &with("fabric = { bending = { rigidity = -1e-4 } }"),
        &["my.toml:6:", "`sheet[0].fabric.bending.rigidity`", "N·m"],
    );
    assert_says(&with("attach = [{ at = \"corners\", stiffness = -1 }]"), &["my.toml:6:", "stiffness", "-1"]);
    let scene = |body: &str| refusal(&format!("duration = 0.1\ndt = 0.01\n{body}\n"));
    assert_says(
        &scene("[[block]]\nmaterial = { young = -1.0 }"),
        &["my.toml:4:", "`block[0].material.young`", "greater than 0 Pa"],
    );
    assert_says(
        &scene("[[block]]\nmaterial = { poisson = 0.5 }"),
        &["my.toml:4:", "`block[0].material.poisson`", "0.5", "from 0 to less than"],
    );
    assert_says(&scene("[[block]]\ncells = [4, 0, 4]"), &["my.toml:4:", "`block[0].cells[1]`", "at least 1"]);
    assert_says(
        &scene("[[ball]]\npressure = { volume = { factor = -2, stiffness = 1e4 } }"),
        &["my.toml:4:", "`ball[0].pressure.volume.factor`", "-2"],
    );
    assert_says(
        &scene("[[ball]]\nfabric.bending = { rigidity = 1e-4, law = \"quadratic\" }"),
        &["my.toml:4:", "`ball[0].fabric.bending.law`", "not flat"],
    );
    let corners = "particles = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]";
    assert_says(
        &scene(&format!("[[solid]]\n{corners}\ntets = [[0, 2, 1, 3]]")),
        &["my.toml:5:", "`solid[0].tets[0]`", "inside out", "positive volume"],
    );
    assert_says(
        &scene(&format!("[[solid]]\n{corners}\ntets = [[0, 1, 2, 9]]")),
        &["my.toml:5:", "`solid[0].tets[0]`", "particle 9", "at most 3"],
    );
    let flat = corners.replace("[0, 0, 1]", "[1, 1, 0]");
    assert_says(
        &scene(&format!("[[solid]]\n{flat}\ntets = [[0, 1, 2, 3]]")),
        &["my.toml:5:", "`solid[0].tets[0]`", "flat"],
    );
}

/// Solids that cannot be.
#[test]
fn colliders_that_cannot_be() {
    let with = |lines: &str| refusal(&format!("{SHEET}[[collider]]\n{lines}\n"));
    assert_says(
        &with("capsule = { ends = [[0, 0, 0], [nan, 0, 1]], radius = 0.1 }"),
        &["my.toml:7:", "`collider[0].capsule.ends[1]`", "NaN", "finite"],
    );
    assert_says(
        &with("cylinder = { ends = [[0, 0, 0], [0, 0, 1]], radius = -0.1 }"),
        &["my.toml:7:", "`collider[0].cylinder.radius`", "-0.1", "greater than 0 m"],
    );
    assert_says(
        &with("cuboid = { center = [0, 0, 0], size = [1, 1, 0] }"),
        &["my.toml:7:", "`collider[0].cuboid.size[2]`", "is 0", "greater than 0 m"],
    );
    assert_says(
        &with("hull = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0]] }"),
        &["my.toml:7:", "`collider[0].hull.points`", "3 points", "at least 4"],
    );
    assert_says(
        &with("height-field = { corner = [0, 0, 0], size = [1, 1], heights = [[0, 1]] }"),
        &["my.toml:7:", "`collider[0].height-field.heights`", "2 × 2"],
    );
    assert_says(&with("boxx = {}"), &["my.toml:7:", "`boxx`", "cuboid"]);
    assert_says(&with("cubiod = {}"), &["my.toml:7:", "`cubiod`", "Did you mean `cuboid`"]);
    assert_says(&with(""), &["my.toml:6:", "`collider[0]`", "no shape"]);
    let ball = "sphere = { center = [0, 0, -9], radius = 1 }";
    assert_says(
        &with(&format!("{ball}\nthickness = -1")),
        &["my.toml:8:", "`collider[0].thickness`", "0 m or more"],
    );
    let keyframes = |keys: &str| with(&format!("{ball}\nmotion = {{ keyframes = {{ {keys} }} }}"));
    assert_says(
        &keyframes("times = [0, 2, 1], positions = [[0, 0, 0], [0, 0, 1], [0, 0, 2]]"),
        &["my.toml:8:", "`collider[0].motion.keyframes.times[2]`", "is 1", "after"],
    );
    assert_says(
        &keyframes("times = [0, 2], rotations = [[0, 0, 0]]"),
        &["my.toml:8:", "`collider[0].motion.keyframes.rotations`", "list of 1"],
    );
}

/// Places, turns and ways that are no numbers, and planes that tilt under contact of surfaces.
#[test]
fn colliders_that_cannot_be_placed() {
    let with =
        |lines: &str| refusal(&format!("contact = {{ surface = {{}} }}\n{SHEET}[[collider]]\n{lines}\n"));
    let cube = "center = [0, 0, -9], size = [1, 1, 1]";
    assert_says(
        &with(&format!("cuboid = {{ {cube}, rotation = [0, nan, 0] }}")),
        &["my.toml:8:", "`collider[0].cuboid.rotation`", "NaN", "finite"],
    );
    assert_says(
        &with("mesh = { file = \"m.obj\", translation = [0, inf, 0] }"),
        &["my.toml:8:", "`collider[0].mesh.translation`", "inf", "finite"],
    );
    assert_says(
        &with(&format!(
            "cuboid = {{ {cube} }}\nmotion = {{ translate = {{ velocity = [nan, 0, 0], from = 0, until = 1 }} }}"
        )),
        &["my.toml:9:", "`collider[0].motion.translate.velocity`", "NaN"],
    );
    assert_says(
        &with("plane = { point = [0, nan, 0], normal = [0, 0, 1] }"),
        &["my.toml:8:", "`collider[0].plane.point`", "NaN"],
    );
    let plane = "plane = { point = [0, 0, -9], normal = [0, 0, 1] }";
    let turn = "center = [0, 0, 0], axis = [0, 1, 0], turns_per_second = 1, from = 0, until = 1";
    assert_says(
        &with(&format!("{plane}\nmotion = {{ rotate = {{ {turn} }} }}")),
        &[
            "my.toml:9:",
            "`collider[0].motion.rotate.axis`",
            "tilts a plane",
            "about its normal only",
            "cuboid",
        ],
    );
}

/// Meshes that are no solid, and those that are one with a word.
#[test]
fn collider_meshes() {
    let folder = tempfile::tempdir().unwrap();
    let scene = format!("{SHEET}[[collider]]\nmesh = {{ file = \"m.obj\", translation = [0, 0, -5] }}\n");
    std::fs::write(folder.path().join("my.toml"), scene).unwrap();
    let mesh = |text: &str| std::fs::write(folder.path().join("m.obj"), text).unwrap();
    mesh("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    assert_says(
        &refusal_in(folder.path(), &["run", "my.toml"]),
        &["my.toml:7:", "`collider[0].mesh`", "no triangles"],
    );
    mesh("v 0 0 0\nv 1 0 0\nv nan 0 0\nf 1 2 3\n");
    assert_says(&refusal_in(folder.path(), &["run", "my.toml"]), &["my.toml:7:", "`collider[0].mesh"]);
    std::fs::remove_file(folder.path().join("m.obj")).unwrap();
    assert_says(
        &refusal_in(folder.path(), &["run", "my.toml"]),
        &["my.toml:7:", "`collider[0].mesh.file`", "m.obj"],
    );
    mesh("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 3 4\n");
    let warnings = ["m.obj: 4 edges have a face on one side only", "m.obj: 1 of 2 triangles turned against"];
    let output = muslin(folder.path()).args(["check", "my.toml"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    assert_says(&said, &warnings);
    assert_says(&said, &["1 (mesh)"]);
    let output = muslin(folder.path()).args(["run", "my.toml", "--picture", "png"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_says(&String::from_utf8(output.stderr).unwrap(), &warnings);
}

#[test]
fn pressure_in_an_open_mesh() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n").unwrap();
    let text = "duration = 0.1\ndt = 0.01\n[[surface]]\nfile = \"m.obj\"\npressure = { constant = 5.0 }\n";
    std::fs::write(folder.path().join("my.toml"), text).unwrap();
    let message = refusal_in(folder.path(), &["run", "my.toml"]);
    assert_says(&message, &["my.toml:5:", "`surface[0].pressure`", "closed surface", "edge 0-1"]);
}

#[test]
fn wrong_types_are_named_with_their_key() {
    assert_says(&refusal(&SHEET.replace("dt = 0.01", "dt = \"fast\"")), &["my.toml:2:", "`dt`", "fast"]);
    assert_says(&refusal(&SHEET.replace("[1.0, 1.0]", "[1.0]")), &["my.toml:4:", "`sheet[0].size`"]);
    assert_says(&refusal("duration = \n"), &["my.toml:1:"]);
}

#[test]
fn time_steps_that_cannot_be() {
    assert_says(
        &refusal(&SHEET.replace("dt = 0.01", "dt = 0.0")),
        &["my.toml:2:", "`dt`", "is 0", "greater than 0"],
    );
    assert_says(
        &refusal(&SHEET.replace("dt = 0.01", "dt = 0.2")),
        &["my.toml:2:", "`dt`", "0.2", "at most the duration, 0.1 s"],
    );
    assert_says(&refusal(&SHEET.replace("dt = 0.01", "dt = inf")), &["`dt`", "inf"]);
    let folder = tempfile::tempdir().unwrap();
    assert_says(&refusal_in(folder.path(), &["run", "drape", "--dt", "0"]), &["--dt 0", "greater than 0"]);
    assert_says(
        &refusal_in(folder.path(), &["run", "drape", "--dt", "5"]),
        &["--dt 5", "at most the duration"],
    );
    assert_says(
        &refusal_in(folder.path(), &["run", "drape", "--set", "sheet.0.size=7"]),
        &["--set sheet.0.size=7"],
    );
    assert_says(&refusal_in(folder.path(), &["run", "drape", "--set", "dt"]), &["KEY=VALUE"]);
}

#[test]
fn solvers_and_scenes_that_do_not_exist() {
    let folder = tempfile::tempdir().unwrap();
    let message = refusal_in(folder.path(), &["run", "drape", "--solver", "implicit-eular"]);
    assert_says(&message, &["--solver implicit-eular", "Did you mean \"implicit-euler\"", "rk4"]);
    assert_says(
        &refusal(&format!("{SHEET}[solver]\nname = \"rk5\"\n")),
        &["my.toml:7:", "`solver.name`", "rk5", "Did you mean"],
    );
    let message = refusal(&format!("{SHEET}[solver]\nname = \"rk4\"\nas_prinetd = true\n"));
    assert_says(&message, &["my.toml:8:", "`solver.as_prinetd`", "Did you mean `as_printed`"]);
    let message = refusal(&format!("{SHEET}[solver]\nname = \"projective\"\nkept_velocity = 1.5\n"));
    assert_says(&message, &["my.toml:8:", "`solver.kept_velocity`", "1.5", "above 0 and at most 1"]);
    let message = refusal(&format!("{SHEET}[solver]\nname = \"pncg\"\ntolerance = 2\n"));
    assert_says(&message, &["my.toml:8:", "`solver.tolerance`", "above 0 and at most 1"]);
    let message = refusal(&format!("{SHEET}[solver]\nname = \"pncg\"\nprecision = \"half\"\n"));
    assert_says(&message, &["my.toml:8:", "`solver.precision`", "half", "single"]);
    let message = refusal(&format!("{SHEET}[solver]\ntolerance = -1.0\n"));
    assert_says(&message, &["my.toml:7:", "`solver.tolerance`", "-1", "greater than 0"]);
    assert_says(&refusal_in(folder.path(), &["run", "drap"]), &["drap", "Did you mean \"drape\""]);
    assert_says(&refusal_in(folder.path(), &["run", "nowhere.toml"]), &["nowhere.toml", "cannot be read"]);
    assert_says(&refusal_in(folder.path(), &["lab", "integratros"]), &["Did you mean \"integrators\""]);
    assert_says(&refusal(""), &["my.toml", "no sheet, rope, surface or net"]);
}

#[test]
fn names_that_would_leave_the_folder_of_results() {
    for name in ["../escaped", "..", "a/b", "/absolute"] {
        assert_says(
            &refusal(&format!("name = \"{name}\"\n{SHEET}")),
            &["my.toml:1:", "`name`", "plain name"],
        );
    }
}

#[test]
fn more_particles_than_anyone_means() {
    let rope = "duration = 0.1\ndt = 0.01\n[[rope]]\nparticles = 4294967295\n";
    assert_says(&refusal(rope), &["my.toml:4:", "`rope[0].particles`", "at most 4000000"]);
    assert_says(&refusal(&SHEET.replace("[4, 4]", "[99999, 99999]")), &["my.toml:5:", "at most 4000000"]);
    let far = SHEET.replace("size", "origin = [1e17, 0, 0]\nsize");
    assert_says(&refusal(&far), &["my.toml:4:", "`sheet[0].origin`", "precision"]);
}

#[test]
fn pictures_and_expectations_that_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let set = |change: &str| refusal_in(folder.path(), &["run", "drape", "--set", change]);
    assert_says(&set("picture.color=[nan, 0, 0]"), &["picture.color", "NaN", "from 0 to 1"]);
    assert_says(&set("picture.ground=nan"), &["picture.ground", "NaN"]);
    assert_says(&set("picture.time=inf"), &["picture.time", "inf"]);
    assert_says(&set("strain_limit.sweeps=99999"), &["strain_limit.sweeps", "at most 10000"]);
    assert_says(&set("solver.name=5"), &["solver.name"]);
    assert_says(
        &refusal(&format!("{SHEET}[expect]\nmax_stretch = [nan, nan]\n")),
        &["my.toml:7:", "expect.max_stretch"],
    );
}

#[test]
fn changes_may_complete_one_another() {
    let folder = tempfile::tempdir().unwrap();
    let both =
        ["--set", "contact.reflection.restitution=0.5", "--set", "contact.reflection.as_printed=false"];
    let one = &both[..2];
    let rest = ["--set", "contact={}", "--duration", "0.01", "--picture", "none"];
    let output = muslin(folder.path()).args(["run", "sphere-drape"]).args(rest).args(both).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let output = muslin(folder.path()).args(["run", "sphere-drape"]).args(rest).args(one).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// Runs a scene with a surface from a file of these bytes.
fn mesh_refusal(name: &str, bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), bytes).unwrap();
    std::fs::write(
        folder.path().join("my.toml"),
        format!("duration = 0.1\ndt = 0.01\n[[surface]]\nfile = \"{name}\"\n"),
    )
    .unwrap();
    let message = refusal_in(folder.path(), &["run", "my.toml"]);
    assert_says(&message, &["my.toml:4:", name]);
    let check = refusal_in(folder.path(), &["check", name]);
    assert_says(&check, &[name]);
    message
}

#[test]
fn meshes_that_cannot_be_cloth() {
    let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    let with = |faces: &str| mesh_refusal("m.obj", format!("{square}{faces}").as_bytes());
    assert_says(&with(""), &["no faces"]);
    assert_says(&with("f 1 2 9\n"), &["9", "1 to 4"]);
    assert_says(&with("f 1 2 2\n"), &["degenerate"]);
    assert_says(&with("v 0 0 0\nf 1 2 3 5\n"), &["same place"]);
    assert_says(&with("f 1 2\n"), &["m.obj"]);
    assert_says(&with("v 1 x 2\nf 1 2 3\n"), &["x"]);
    assert_says(
        &mesh_refusal("m.stl", b"solid a\n facet normal 0 0 1\n outer loop\n vertex 0 0 0\n"),
        &["m.stl"],
    );
    assert_says(
        &mesh_refusal("m.ply", b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\n"),
        &["m.ply"],
    );
    let mut bytes = vec![0u8; 80];
    bytes.extend(20_000_000u32.to_le_bytes());
    bytes.extend([0u8; 50]);
    assert_says(&mesh_refusal("big.stl", &bytes), &["20000000", "1000000000"]);
    let folder = tempfile::tempdir().unwrap();
    assert_says(&refusal_in(folder.path(), &["check", "none.obj"]), &["none.obj"]);
}

#[test]
fn isolated_vertices_are_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 7 7 7\nf 1 2 3\n").unwrap();
    let output = muslin(folder.path()).args(["check", "m.obj"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stdout).unwrap().contains("warning: 1 vertices belong to no face (3)"));
    std::fs::write(
        folder.path().join("my.toml"),
        "duration = 0.1\ndt = 0.01\n[[surface]]\nfile = \"m.obj\"\n",
    )
    .unwrap();
    let output = muslin(folder.path()).args(["run", "my.toml", "--picture", "none"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stderr).unwrap().contains("warning: m.obj: 1 vertices"));
}

/// Numbers whose squares are infinite made vertices that are no numbers, and a repair that did not end.
#[test]
fn numbers_too_large_to_reckon_with_are_refused() {
    let solid = |shape: &str| format!("contact = {{ surface = {{}} }}\n{SHEET}[[collider]]\n{shape}\n");
    assert_says(
        &refusal(&solid("cuboid = { center = [0, 0, -2], size = [1, 1, 1], rotation = [1e200, 0, 0] }")),
        &["my.toml:8:", "`collider[0].cuboid.rotation`", "1e60"],
    );
    assert_says(
        &refusal(&SHEET.replace("[1.0, 1.0]", "[1e300, 1.0]")),
        &["my.toml:4:", "`sheet[0].size[0]`", "1e300", "at most 1e60"],
    );
}

#[test]
fn substeps_have_a_bound() {
    assert_says(
        &refusal(&format!("substeps = 1000000000\n{SHEET}")),
        &["my.toml:1:", "`substeps`", "1000000000", "from 1 to 1000000"],
    );
}

#[test]
fn a_law_of_contact_without_its_table_is_refused_with_an_example() {
    assert_says(
        &refusal(&format!("contact = \"surface\"\n{SHEET}")),
        &["my.toml:1:", "`contact`", "contact = { surface = {} }"],
    );
}
