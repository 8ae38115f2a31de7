//! The three encodings, what is passed over, and every refusal.

use std::fmt::Write;

use muslin::mesh::Face;

use super::super::tests::refusal;
use super::*;

const POINTS: [[f64; 3]; 5] =
    [[0.0, 0.0, 0.1], [1.0, 0.0, 0.0], [1.0, 1.0, 1.0 / 3.0], [0.0, 1.0, -2e-9], [-1.0, 0.5, 0.0]];
const FACES: [&[u8]; 2] = [&[0, 1, 2, 3], &[0, 3, 4]];

/// A square and a triangle, among elements and properties that no mesh needs. `z` is double, `y` float.
fn header(encoding: &str) -> String {
    format!(
        "ply\r\nformat {encoding} 1.0\r\ncomment made by a test\nobj_info none\n\
         element camera 2\nproperty list ushort float rays\nproperty uchar on\n\
         element vertex 5\nproperty uchar red\nproperty float64 z\nproperty float x\nproperty float32 y\n\
         element nothing 4000000000\n\
         element face 2\nproperty short kind\nproperty list uint8 int16 vertex_indices\n\
         property list int uint more\nend_header\n"
    )
}

fn text_file() -> String {
    let mut file = header("ascii") + "2 0.5 nan 1\n0 0\n\n";
    for [x, y, z] in POINTS {
        writeln!(file, "255 {z:?} {x} {y}").unwrap();
    }
    file + "-1 4 0 1 2 3 0\n7 3 0 3 4 2 70000 5"
}

fn binary_file(big: bool) -> Vec<u8> {
    let mut file = header(if big { "binary_big_endian" } else { "binary_little_endian" }).into_bytes();
    let mut put = |bytes: &[u8]| {
        // Tests give values lowest byte first.
        if big { file.extend(bytes.iter().rev()) } else { file.extend(bytes) }
    };
    put(&2_u16.to_le_bytes());
    put(&0.5_f32.to_le_bytes());
    put(&f32::NAN.to_le_bytes());
    put(&[1]);
    put(&0_u16.to_le_bytes());
    put(&[0]);
    for [x, y, z] in POINTS {
        put(&[255]);
        put(&z.to_le_bytes());
        put(&(x as f32).to_le_bytes());
        put(&(y as f32).to_le_bytes());
    }
    for corners in FACES {
        put(&(-1_i16).to_le_bytes());
        put(&[corners.len() as u8]);
        for &corner in corners {
            put(&i16::from(corner).to_le_bytes());
        }
        put(&1_i32.to_le_bytes());
        put(&70_000_u32.to_le_bytes());
    }
    file
}

fn expected() -> Mesh {
    Mesh {
        positions: POINTS.map(Vec3::from_array).to_vec(),
        faces: vec![Face::quad(0, 1, 2, 3), Face::triangle(0, 3, 4)],
    }
}

#[test]
fn all_encodings_give_the_same_mesh() {
    assert_eq!(read(text_file().as_bytes()).unwrap(), expected());
    assert_eq!(read(&binary_file(false)).unwrap(), expected());
    assert_eq!(read(&binary_file(true)).unwrap(), expected());
}

#[test]
fn every_cut_is_noticed() {
    let text = text_file(); // ends in a number of one digit: cut one of two, and it is still a number
    for size in 1..text.len() {
        assert!(read(&text.as_bytes()[..size]).is_err(), "{size} bytes of text");
    }
    for file in [binary_file(false), binary_file(true)] {
        for size in 1..file.len() {
            assert!(read(&file[..size]).is_err(), "{size} bytes of binary");
        }
    }
}

/// Every integer type may hold corners, signed or not, large polygons become fans.
#[test]
fn every_integer_type_holds_corners() {
    for (name, size) in [("char", 1), ("uchar", 1), ("short", 2), ("ushort", 2), ("int", 4), ("uint32", 4)] {
        let head = format!(
            "ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list {name} {name} vertex_index\n\
             element vertex 5\nproperty char x\nproperty char y\nproperty char z\nend_header\n"
        );
        let mut file = head.into_bytes();
        for value in [5_u32, 0, 1, 2, 3, 4] {
            file.extend(&value.to_le_bytes()[..size]);
        }
        file.extend([0, 0, 0, 255, 0, 0, 3, 1, 0, 2, 2, 0, 0, 2, 0]);
        let mesh = read(&file).unwrap();
        assert_eq!(mesh.positions[1], Vec3::new(-1.0, 0.0, 0.0), "{name}");
        let fan = [Face::triangle(0, 1, 2), Face::triangle(0, 2, 3), Face::triangle(0, 3, 4)];
        assert_eq!(mesh.faces, fan, "{name}");
    }
}

#[test]
fn a_false_claim_is_refused_by_its_numbers() {
    for encoding in ["ascii", "binary_little_endian", "binary_big_endian"] {
        let file = header(encoding).replace("vertex 5", "vertex 4000000000") + "0 0 0";
        let message = refusal("a.ply", file.as_bytes());
        let needed = if encoding == "ascii" { 32_000_000_020_u64 } else { 68_000_000_020 };
        assert!(message.starts_with("a.ply:18: the header claims 2 × `camera`, 4000000000 × `vertex`"));
        let numbers = format!("take at least {needed} bytes, but 5 bytes follow it");
        assert!(message.contains(&numbers), "{message}");
    }
    let file = header("ascii").replace("vertex 5", &format!("vertex {}", u64::MAX));
    assert!(refusal("a.ply", file.as_bytes()).contains("18446744073709551615 × `vertex`"));
    let file = header("ascii").replace("vertex 5", "vertex 99999999999999999999");
    assert!(refusal("a.ply", file.as_bytes()).contains("found `99999999999999999999`, but expected a count"));
}

#[test]
fn faults_in_the_text_body_have_line_and_value() {
    let spoiled = |from, to| refusal("a.ply", text_file().replacen(from, to, 1).as_bytes());
    let cases = [
        (
            spoiled("255 0.1 0", "255 0.1 NaN"),
            "a.ply:22: the x coordinate is `NaN`, but must be a finite number",
        ),
        (
            spoiled("255 0.1 0", "255 o.1 0"),
            "a.ply:22: the z coordinate is `o.1`, but must be a finite number",
        ),
        (
            spoiled("4 0 1 2 3", "4 0 1 2 5"),
            "a.ply:27: face 0 names vertex 5, but the file has vertices 0 to 4",
        ),
        (
            spoiled("3 0 3 4", "3 0 3 -4"),
            "a.ply:28: face 1 names vertex -4, but the file has vertices 0 to 4",
        ),
        (spoiled("4 0 1 2 3 0", "2 0 1 0"), "a.ply:27: face 0 has 2 corners, but must have at least 3"),
        (spoiled("4 0 1 2 3 0", "4 0 1 b 3 0"), "a.ply:27: found `b`, but expected a whole number"),
        (
            spoiled("4 0 1 2 3 0", "-4 0"),
            "a.ply:27: found a list of length -4, but expected a length of 0 or more",
        ),
        (
            spoiled("255 0.1 0 0\n", "255 0.1 0\n"),
            "a.ply:22: found too few values in this line, but expected as many values as the header has properties",
        ),
        (
            spoiled("255 0.1 0 0\n", "255 0.1 0 0 8\n"),
            "a.ply:22: found `8`, but expected the end of the line: the header has no property for it",
        ),
        (
            spoiled("7 3 0 3 4 2 70000 5", "\n"),
            "a.ply:27: the file ends here, but another of 2 rows of `face` should follow; it may be cut off",
        ),
        (
            spoiled("2 70000 5", "2 70000"),
            "a.ply:28: found too few values in this line, but expected as many values as the header has \
             properties (the file ends within this line; it may be cut off)",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
}

#[test]
fn faults_in_the_binary_body_have_an_offset() {
    let start = header("binary_little_endian").len();
    let faces = start + 14 + 5 * 17;
    let spoiled = |at: usize, bytes: &[u8]| {
        let mut file = binary_file(false);
        file[at..at + bytes.len()].copy_from_slice(bytes);
        refusal("a.ply", &file)
    };
    assert_eq!(
        spoiled(start + 14 + 1, &f64::INFINITY.to_le_bytes()),
        format!("a.ply: byte {}: the z coordinate is inf, but must be a finite number", start + 15)
    );
    assert_eq!(
        spoiled(faces + 3, &5_i16.to_le_bytes()),
        format!("a.ply: byte {faces}: face 0 names vertex 5, but the file has vertices 0 to 4")
    );
    // The list that no mesh needs claims 2³¹ − 1 values.
    let length = faces + 3 + 8;
    assert_eq!(
        spoiled(length, &i32::MAX.to_le_bytes()),
        format!(
            "a.ply: byte {}: the file ends here, but 8589934588 bytes (there are 21) should follow; \
             it may be cut off",
            length + 4
        )
    );
    assert!(spoiled(length, &(-2_i32).to_le_bytes()).contains("found a list of length -2"));
}

#[test]
fn faults_in_the_header_have_a_line() {
    let spoiled = |from, to| refusal("a.ply", text_file().replacen(from, to, 1).as_bytes());
    let cases = [
        (spoiled("ply", "plly"), "a.ply:1: found `plly`, but expected `ply`"),
        (spoiled("format ascii 1.0", ""), "a.ply:18: found a header without format"),
        (spoiled("ascii", "utf8"), "a.ply:2: found the format `utf8`, but expected `ascii`"),
        (spoiled("element camera 2", ""), "a.ply:6: found a property, but expected `element"),
        (spoiled("element vertex", "element point"), "a.ply:18: found a header without vertices"),
        (spoiled("element nothing", "element vertex"), "a.ply:13: found a second element `vertex`"),
        (
            spoiled("float64 z", "float64 w"),
            "a.ply:8: found vertices without z, but expected `property float z`",
        ),
        (spoiled("float64 z", "real z"), "a.ply:10: found the type `real`, but expected char"),
        (spoiled("vertex_indices", "corners"), "a.ply:14: found faces without a list of corners"),
        (spoiled("uint8 int16", "uint8 float"), "a.ply:14: found faces without a list of corners"),
        (
            spoiled("uint8 int16", "float int16"),
            "a.ply:16: found `float`, but expected a type of whole numbers",
        ),
        (spoiled("property uchar on", "property uchar"), "a.ply:7: found `property uchar`, but expected"),
        (spoiled("obj_info none", "hello"), "a.ply:4: found `hello`, but expected `format`"),
    ];
    for (found, expected) in cases {
        assert!(found.starts_with(expected), "{found}\ninstead of\n{expected}");
    }
    assert_eq!(
        refusal("a.ply", b"ply\nformat ascii 1.0\nelement ver"),
        "a.ply:3: found `element ver`, but expected `format`, `element`, `property`, `comment` or `end_header` \
         (the file ends within this line; it may be cut off)"
    );
    assert_eq!(
        refusal("a.ply", b"ply\nformat ascii 1.0\n"),
        "a.ply:2: the file ends here, but the rest of the header up to `end_header` should follow; \
         it may be cut off"
    );
    assert!(refusal("a.ply", b"ply\ncomment \xff\n").starts_with("a.ply:2: found the byte 0xff"));
}

#[test]
fn points_without_faces_are_read_but_are_no_surface() {
    let file = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n\
                end_header\n1 2 3\n";
    assert_eq!(read(file.as_bytes()).unwrap().positions, [Vec3::new(1.0, 2.0, 3.0)]);
    assert!(refusal("a.ply", file.as_bytes()).starts_with("a.ply: the mesh has no faces"));
}
