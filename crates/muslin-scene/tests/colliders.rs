//! Solids of every shape in scene files.

use muslin::math::{Real, Vec3};
use muslin::script::Motion;
use muslin::shape::{Collider, Shape};
use muslin_scene::{Setup, Source};
use std::path::{Path, PathBuf};

const SHEET: &str = "duration = 0.1\ndt = 0.01\n[[sheet]]\n[[collider]]\n";

fn collider(text: &str) -> Collider {
    let setup = Source::text("my.toml", &format!("{SHEET}{text}\n")).load();
    setup.unwrap_or_else(|error| panic!("{error}")).model.colliders[0].clone()
}

fn fault(text: &str) -> String {
    Source::text("my.toml", &format!("{SHEET}{text}\n")).load().unwrap_err().to_string()
}

#[test]
fn every_shape_is_read_as_written() {
    let ends = [Vec3::ZERO, Vec3::X];
    let (center, size) = (Vec3::Z, Vec3::new(1.0, 2.0, 3.0));
    for (text, shape) in [
        (
            "plane = { point = [0, 0, 1], normal = [0, 0, 2] }",
            Shape::Plane { point: Vec3::Z, normal: Vec3::Z * 2.0 },
        ),
        ("sphere = { center = [0, 0, 1], radius = 0.5 }", Shape::Sphere { center, radius: 0.5 }),
        ("capsule = { ends = [[0, 0, 0], [1, 0, 0]], radius = 0.5 }", Shape::Capsule { ends, radius: 0.5 }),
        ("cylinder = { ends = [[0, 0, 0], [1, 0, 0]], radius = 0.5 }", Shape::Cylinder { ends, radius: 0.5 }),
        (
            "cuboid = { center = [0, 0, 1], size = [1, 2, 3] }",
            Shape::Cuboid { center, size, rotation: Vec3::ZERO },
        ),
        (
            "cuboid = { center = [0, 0, 1], size = [1, 2, 3], rotation = [0, 1, 0] }",
            Shape::Cuboid { center, size, rotation: Vec3::Y },
        ),
        (
            "hull = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] }",
            Shape::Hull { points: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z] },
        ),
        (
            "height-field = { corner = [0, 0, 1], size = [2, 3], heights = [[0, 0.5], [1, 0], [0, 0]] }",
            Shape::HeightField {
                corner: Vec3::Z,
                size: [2.0, 3.0],
                heights: vec![vec![0.0, 0.5], vec![1.0, 0.0], vec![0.0, 0.0]],
            },
        ),
    ] {
        assert_eq!(collider(text), shape.into(), "{text}");
    }
}

#[test]
fn solids_move_and_have_layers() {
    let ball = "sphere = { center = [0, 0, -9], radius = 0.5 }\n";
    let moving = |motion: &str| collider(&format!("{ball}thickness = 0.01\nmotion = {motion}"));
    let found = moving("{ translate = { velocity = [1, 0, 0], from = 0, until = 2 } }");
    assert_eq!(found.thickness, 0.01);
    assert_eq!(found.motion, Motion::Translate { velocity: Vec3::X, from: 0.0, until: 2.0 });
    assert_eq!(found.edge, None);
    let found = moving("{ keyframes = { times = [0, 1], positions = [[0, 0, 0], [0, 0, 1]] } }");
    let (times, positions) = (vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::Z]);
    assert_eq!(found.motion, Motion::Keyframes { times, positions, rotations: vec![], center: Vec3::ZERO });
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let ball = "sphere = { center = [0, 0, 0], radius = 1 }";
    for (text, words) in [
        ("spere = { center = [0, 0, 0], radius = 1 }", vec!["my.toml:5", "`spere`", "Did you mean `sphere`"]),
        ("sphere = { centre = [0, 0, 0], radius = 1 }", vec!["my.toml:5", "Did you mean `center`"]),
        ("sphere = { center = [0, 0, 0] }", vec!["my.toml:5", "`radius`"]),
        ("thickness = 0.1", vec!["my.toml:4", "`collider[0]`", "no shape", "height-field"]),
        ("cuboid = { center = [0, 0, 0], size = [1, 0, 1] }", vec!["my.toml:5", "cuboid.size[1]", "is 0"]),
        ("hull = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]] }", vec!["my.toml:5", "one plane"]),
        (
            "cuboid = { center = [0, 0, 0], size = [1, 1, 1] }\nedge = { degrees = 60 }",
            vec!["my.toml:6", "`reach`"],
        ),
        (
            "cuboid = { center = [0, 0, 0], size = [1, 1, 1] }\nedge = { degrees = 60, reach = 0.1 }",
            vec!["my.toml:6", "`collider[0].edge.degrees`", "is 60"],
        ),
        ("mesh = { file = \"nowhere.obj\" }", vec!["my.toml:5", "collider[0].mesh.file", "nowhere.obj"]),
        ("mesh = { file = \"\" }", vec!["my.toml:5", "collider[0].mesh.file", "OBJ"]),
        (
            "height-field = { corner = [0, 0, 0], size = [1, 1], heights = [[0, 0], [0]] }",
            vec!["my.toml:5", "height-field.heights[1]", "row of 1"],
        ),
    ] {
        let message = fault(text);
        assert!(words.iter().all(|word| message.contains(word)), "{text}: {message}");
    }
    let both = fault(&format!("{ball}\nplane = {{ point = [0, 0, 0], normal = [0, 0, 1] }}"));
    assert!(both.contains("`plane` and `sphere`") && both.contains("my.toml:4"), "{both}");
    let negative = fault(&format!("{ball}\nthickness = -1"));
    assert!(negative.contains("my.toml:6") && negative.contains("`collider[0].thickness`"), "{negative}");
    let times = fault(&format!(
        "{ball}\nmotion = {{ keyframes = {{ times = [1, 0], positions = [[0, 0, 0], [1, 0, 0]] }} }}"
    ));
    assert!(times.contains("my.toml:6") && times.contains("keyframes.times[1]"), "{times}");
}

/// A tetrahedron as OBJ, without its last faces if `faces` is less than four, its first turned if `flipped`.
fn load_mesh(name: &str, faces: usize, flipped: bool, rest: &str) -> Setup {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let first = if flipped { "f 1 2 3" } else { "f 1 3 2" };
    let all = [first, "f 1 2 4", "f 2 3 4", "f 3 1 4"];
    let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n{}\n", all[..faces].join("\n"));
    std::fs::write(folder.join("tet.obj"), text).unwrap();
    let scene: PathBuf = folder.join("my.toml");
    std::fs::write(&scene, format!("{SHEET}mesh = {{ file = \"tet.obj\"{rest} }}\n")).unwrap();
    Source::open(scene.to_str().unwrap()).unwrap().load().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn meshes_are_read_beside_the_scene_scaled_turned_and_moved() {
    let rest = ", scale = 2, rotation = [0, 0, 1.5707963267948966], translation = [5, 0, 0]";
    let setup = load_mesh("sound", 4, false, rest);
    assert!(setup.warnings.is_empty(), "{:?}", setup.warnings);
    let Shape::Mesh(mesh) = &setup.model.colliders[0].shape else { panic!("no mesh") };
    assert!(mesh.positions[1].distance(Vec3::new(5.0, 2.0, 0.0)) < 1e-15);
    assert!(mesh.positions[2].distance(Vec3::new(3.0, 0.0, 0.0)) < 1e-15);
    let deepest: Real = setup.model.obstacles()[0].at(0.0).depth(Vec3::new(4.6, 0.4, 0.1));
    assert!((deepest - 0.1).abs() < 1e-14, "{deepest}");
}

#[test]
fn holes_and_flipped_faces_are_used_and_told() {
    let warnings = load_mesh("holes", 3, false, "").warnings;
    assert!(warnings[0].contains("tet.obj: 3 edges") && warnings[0].contains("holes"), "{warnings:?}");
    let setup = load_mesh("flipped", 4, true, "");
    assert!(setup.warnings[0].contains("1 of 4 triangles turned against"), "{:?}", setup.warnings);
    assert!(
        setup.model.obstacles()[0].at(0.0).depth(Vec3::splat(0.1)) > 0.05,
        "it has an inside all the same"
    );
}

#[test]
fn a_thin_rod_can_pass_between_the_particles() {
    let rod = "capsule = { ends = [[0, 0, -9], [1, 0, -9]], radius = 0.001 }";
    let setup = Source::text("my.toml", &format!("{SHEET}{rod}\n")).load().unwrap();
    assert!(setup.warnings[0].contains("can pass between"), "{:?}", setup.warnings);
    let board = "cuboid = { center = [0, 0, -9], size = [2, 2, 0.001] }";
    let setup = Source::text("my.toml", &format!("{SHEET}{board}\n")).load().unwrap();
    assert!(setup.warnings.is_empty(), "{:?}", setup.warnings);
}

/// Pictures show solids where they are at the moment.
#[test]
fn solids_are_drawn_where_they_are() {
    let text = "cuboid = { center = [0.5, 0.5, -0.5], size = [0.3, 0.3, 0.3] }\n\
        motion = { translate = { velocity = [1, 0, 0], from = 0, until = 9 } }";
    let setup = Source::text("my.toml", &format!("{SHEET}{text}\n")).load().unwrap();
    let scenery = setup.scenery();
    let shot =
        |time: Real| muslin_io::picture::draw(&scenery.stage(&setup.model, &setup.state, &[time]), [80, 60]);
    assert_eq!(shot(0.0), shot(0.0));
    assert_ne!(shot(0.0), shot(0.5));
}
