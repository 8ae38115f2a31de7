//! Reading by the file's name, and the promise of every format: a mesh or an error, never a panic.

use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;

use muslin::mesh::MeshError;
use proptest::prelude::*;
use proptest::sample::Index;
use tempfile::TempDir;

use super::*;

/// A file of this name and content; it lives as long as its folder.
pub fn in_folder(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// The message with which a file of this name and content is refused, without its folder.
pub fn refusal(name: &str, bytes: &[u8]) -> String {
    let (folder, path) = in_folder(name, bytes);
    let message = read_mesh(&path).unwrap_err().to_string();
    message.replace(&format!("{}{}", folder.path().display(), std::path::MAIN_SEPARATOR), "")
}

/// A binary STL file.
pub fn binary_stl(comment: &str, triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut file = comment.as_bytes().to_vec();
    file.resize(80, b' ');
    file.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        file.extend([0; 12]);
        file.extend(triangle.as_flattened().iter().flat_map(|number| number.to_le_bytes()));
        file.extend([0; 2]);
    }
    file
}

/// A text STL file.
pub fn text_stl(triangles: &[[[f32; 3]; 3]]) -> String {
    let mut file = String::from("solid test\n");
    for triangle in triangles {
        file += "  facet normal 0 0 nan\n    outer loop\n";
        for [x, y, z] in triangle {
            writeln!(file, "      vertex {x} {y} {z}").unwrap();
        }
        file += "    endloop\n  endfacet\n";
    }
    file + "endsolid\n"
}

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

#[test]
fn the_extension_decides_whatever_its_case() {
    let (_folder, path) = in_folder("a.b.OBJ", TRIANGLE.as_bytes());
    assert_eq!(read_mesh(&path).unwrap().faces.len(), 1);
    for name in ["mesh.fbx", "mesh", ".obj"] {
        assert_eq!(
            refusal(name, TRIANGLE.as_bytes()),
            format!("cannot tell the format of {name}: the name of a mesh file ends in .obj, .stl or .ply")
        );
    }
}

#[test]
fn a_missing_file_and_a_folder_are_unreadable() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.obj");
    let message = read_mesh(&missing).unwrap_err().to_string();
    assert!(message.starts_with(&format!("cannot read {}: ", missing.display())), "{message}");
    let nested = folder.path().join("folder.stl");
    fs::create_dir(&nested).unwrap();
    assert!(matches!(read_mesh(&nested), Err(ReadError::Unreadable { .. })));
}

#[test]
fn an_empty_file_is_called_so() {
    for name in ["a.obj", "a.stl", "a.ply"] {
        for content in ["", " \r\n\n"] {
            assert_eq!(
                refusal(name, content.as_bytes()),
                format!("{name}: the file is empty, but a mesh file holds vertices and faces")
            );
        }
    }
}

#[test]
fn an_unfit_mesh_is_refused_unless_unchecked() {
    let (_folder, path) = in_folder("a.obj", format!("{TRIANGLE}f 1 2 2\n").as_bytes());
    assert_eq!(read_mesh_unchecked(&path).unwrap().faces.len(), 2);
    let error = read_mesh(&path).unwrap_err();
    assert!(matches!(error, ReadError::Mesh { source: MeshError::DegenerateFace { face: 1, .. }, .. }));
    assert!(error.source().is_none(), "the message holds the cause already");
    assert_eq!(
        refusal("a.obj", format!("{TRIANGLE}f 1 2 2\n").as_bytes()),
        "a.obj: face 1 with vertices [0, 1, 1] is degenerate: a vertex appears twice \
         (faces and vertices counted from 0)"
    );
    assert_eq!(
        refusal("a.obj", b"v 0 0 0\n"),
        "a.obj: the mesh has no faces (1 vertices); a surface needs at least one triangle or quad"
    );
}

#[test]
fn vertices_without_faces_are_allowed() {
    let (_folder, path) = in_folder("a.obj", format!("{TRIANGLE}v 5 5 5\n").as_bytes());
    assert_eq!(read_mesh(&path).unwrap().positions.len(), 4);
}

/// A sound file of each format and kind.
fn sound_files() -> Vec<(Format, Vec<u8>)> {
    let triangles = [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]];
    let text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
                property double z\nelement face 1\nproperty list uchar int vertex_index\nend_header\n";
    let mut binary = text.replace("ascii", "binary_little_endian").into_bytes();
    for [x, y, z] in triangles[0] {
        binary.extend([x, y].iter().flat_map(|number: &f32| number.to_le_bytes()));
        binary.extend(f64::from(z).to_le_bytes());
    }
    binary.push(3);
    binary.extend([0_i32, 1, 2].iter().flat_map(|index| index.to_le_bytes()));
    vec![
        (Format::Obj, format!("o name\n{TRIANGLE}f -3/1 -2//2 -1/1/1\n").into_bytes()),
        (Format::Stl, text_stl(&triangles).into_bytes()),
        (Format::Stl, binary_stl("solid", &triangles)),
        (Format::Ply, format!("{text}0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").into_bytes()),
        (Format::Ply, binary),
    ]
}

#[test]
fn the_sound_files_are_sound() {
    for (format, bytes) in sound_files() {
        let mesh = format.read(&bytes).unwrap();
        assert_eq!(mesh.positions.len(), 3, "{format:?}");
    }
}

#[test]
fn every_cut_of_a_sound_file_ends_in_a_mesh_or_an_error() {
    for (format, bytes) in sound_files() {
        for size in 0..bytes.len() {
            read_and_check(format, &bytes[..size]);
        }
    }
}

/// What is read must be safe to work with: finite coordinates, indices in range.
fn read_and_check(format: Format, bytes: &[u8]) {
    if let Ok(mesh) = format.read(bytes) {
        let error = mesh.check().err();
        let broken = matches!(error, Some(MeshError::NotFinite { .. } | MeshError::IndexOutOfRange { .. }));
        assert!(!broken, "{error:?}");
    }
}

/// Replaces, inserts and removes bytes of a sound file; digits often, for they make numbers false.
fn spoil(bytes: &mut Vec<u8>, edits: &[(Index, u8, u8)]) {
    for &(at, byte, kind) in edits {
        let byte = if kind & 4 == 0 { byte } else { b"0123456789-. \n#e"[usize::from(byte & 15)] };
        let at = at.index(bytes.len() + 1);
        match kind & 3 {
            0 => bytes.insert(at, byte),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            _ if at < bytes.len() => bytes[at] = byte,
            _ => bytes.push(byte),
        }
    }
}

/// Random bytes after a beginning that leads into the reader, and spoiled and cut sound files.
fn never_panics(format: Format, beginnings: &[&str]) {
    let sound: Vec<_> = sound_files().into_iter().filter(|(of, _)| *of == format).map(|(_, b)| b).collect();
    let config = ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() };
    let edits = prop::collection::vec((any::<Index>(), any::<u8>(), any::<u8>()), 0..6);
    let letters = prop::sample::select(&b"0123456789-. \n/#evf"[..]);
    let random =
        prop_oneof![prop::collection::vec(any::<u8>(), 0..300), prop::collection::vec(letters, 0..300)];
    proptest!(config, |(random in random, edits in edits, cut: Index, pick: Index)| {
        read_and_check(format, &[pick.get(beginnings).as_bytes(), &random].concat());
        let mut spoiled = pick.get(&sound).clone();
        spoil(&mut spoiled, &edits);
        read_and_check(format, &spoiled);
        spoiled.truncate(cut.index(spoiled.len() + 1));
        read_and_check(format, &spoiled);
    });
}

#[test]
fn obj_never_panics() {
    never_panics(Format::Obj, &["", "v ", "f ", "v 0 0 0\nf "]);
}

#[test]
fn stl_never_panics() {
    never_panics(Format::Stl, &["", "solid ", "solid\nfacet\nouter loop\nvertex "]);
}

#[test]
fn ply_never_panics() {
    const HEADER: &str = "element vertex 2\nproperty float x\nproperty char y\nproperty short z\n\
                          property list char double more\nelement other 3\nelement face 1\n\
                          property list char uchar vertex_indices\nend_header\n";
    let headers = ["ascii", "binary_little_endian", "binary_big_endian"]
        .map(|encoding| format!("ply\nformat {encoding} 1.0\n{HEADER}"));
    never_panics(Format::Ply, &["", "ply\n", &headers[0], &headers[1], &headers[2]]);
}
