//! Animated exports: what is written is what was simulated, at every frame.

mod readers;

use muslin::math::{Real, Vec3};
use muslin::mesh::{Face, Grid};
use muslin_io::animation::{AnimationFormat, AnimationWriter, Topology};
use readers::{Frame, Glb, read_obj, read_pc2};
use std::collections::BTreeMap;
use std::path::Path;
use tempfile::TempDir;

const FRAMES: usize = 7;

/// A grid of quads, a triangle beside it and a rope.
fn cloth() -> Topology {
    let grid = Grid { rows: 3, columns: 4 };
    let mut faces = grid.quads();
    faces.push(Face::triangle(12, 13, 14));
    Topology { particle_count: 17, faces, lines: vec![[14, 15], [15, 16]] }
}

/// Numbers with all their digits, some below zero, different in each frame.
fn positions(topology: &Topology, frame: usize) -> Vec<Vec3> {
    let coordinate = |particle: usize, axis: usize| {
        let phase = 0.7 * particle as Real + 2.1 * axis as Real;
        (phase + 0.05 * frame as Real).sin() * (1.0 + axis as Real)
    };
    (0..topology.particle_count)
        .map(|p| Vec3::new(coordinate(p, 0), coordinate(p, 1), coordinate(p, 2)))
        .collect()
}

fn time(frame: usize) -> Real {
    frame as Real / 24.0
}

fn add_frames(writer: &mut AnimationWriter, topology: &Topology, frames: std::ops::Range<usize>) {
    for frame in frames {
        writer.frame(time(frame), &positions(topology, frame)).unwrap();
    }
}

fn export(format: AnimationFormat, topology: &Topology, frames: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = AnimationWriter::create(folder.path(), format, topology).unwrap();
    add_frames(&mut writer, topology, 0..frames);
    assert_eq!(writer.frames(), frames);
    assert!(writer.finish().unwrap().exists());
    folder
}

fn singles(topology: &Topology, frame: usize) -> Frame {
    positions(topology, frame).iter().map(|p| p.to_array().map(|x| x as f32)).collect()
}

/// The largest difference of any coordinate in any frame [m].
fn largest_error(found: &[Frame], expected: &[Frame]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let pairs = found.iter().flatten().flatten().zip(expected.iter().flatten().flatten());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn all_singles(topology: &Topology) -> Vec<Frame> {
    (0..FRAMES).map(|frame| singles(topology, frame)).collect()
}

/// Every file below a folder with its bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else {
            found.insert(name, std::fs::read(path).unwrap());
        }
    }
    found
}

#[test]
fn obj_files_hold_every_frame_to_the_bit() {
    let topology = cloth();
    let folder = export(AnimationFormat::Obj, &topology, FRAMES);
    assert_eq!(files(folder.path()).len(), FRAMES);
    for frame in 0..FRAMES {
        let obj = read_obj(&folder.path().join(format!("frames/{frame:04}.obj")));
        let expected: Vec<[f64; 3]> = positions(&topology, frame).iter().map(Vec3::to_array).collect();
        assert_eq!(obj.vertices, expected);
        let corners: Vec<Vec<u32>> = topology.faces.iter().map(|face| face.corners().to_vec()).collect();
        assert_eq!(obj.faces, corners);
        assert_eq!(obj.lines, [[14, 15], [15, 16]]);
        assert!(obj.comments.iter().any(|line| line.contains("Forward Axis Y, Up Axis Z")));
    }
}

#[test]
fn pc2_holds_every_frame_in_single_precision() {
    let topology = cloth();
    let folder = export(AnimationFormat::Pc2, &topology, FRAMES);
    let frames = read_pc2(&folder.path().join("cloth.pc2"));
    let expected = all_singles(&topology);
    assert_eq!(frames, expected);
    assert!(largest_error(&frames[1..], &expected[..FRAMES - 1]) > 0.01, "one frame off must show");
    let mesh = read_obj(&folder.path().join("cloth.obj"));
    assert_eq!(mesh.vertices.len(), 17);
    assert_eq!(mesh.vertices[3], positions(&topology, 0)[3].to_array());
    assert_eq!((mesh.faces.len(), mesh.lines.len()), (7, 2));
}

#[test]
fn pc2_is_valid_after_each_frame() {
    let topology = cloth();
    let folder = tempfile::tempdir().unwrap();
    let mut writer = AnimationWriter::create(folder.path(), AnimationFormat::Pc2, &topology).unwrap();
    for frame in 0..FRAMES {
        assert_eq!(read_pc2(&folder.path().join("cloth.pc2")).len(), frame);
        add_frames(&mut writer, &topology, frame..frame + 1);
    }
}

#[test]
fn glb_holds_every_frame() {
    let topology = cloth();
    let folder = export(AnimationFormat::Glb, &topology, FRAMES);
    assert_eq!(files(folder.path()).keys().collect::<Vec<_>>(), ["cloth.glb"]);
    let glb = Glb::read(&folder.path().join("cloth.glb"));
    let (frames, expected) = (glb.frames(), all_singles(&topology));
    assert_eq!(frames[0], expected[0]);
    // Coordinates are below 4 m, where half a unit of single precision is 1.2e-7 m. The displacement, its sum with the first
    // frame and the expected position are rounded once each.
    let error = largest_error(&frames, &expected);
    assert!(error <= 3.6e-7, "{error}");
    assert!(largest_error(&frames[1..], &expected[..FRAMES - 1]) > 0.01, "one frame off must show");
    let times: Vec<f32> = (0..FRAMES).map(|frame| time(frame) as f32).collect();
    assert_eq!(glb.times(), times);
}

#[test]
fn glb_has_triangles_and_lines_of_the_same_vertices() {
    let topology = cloth();
    let folder = export(AnimationFormat::Glb, &topology, FRAMES);
    let glb = Glb::read(&folder.path().join("cloth.glb"));
    let primitives = glb.json["meshes"][0]["primitives"].as_array().unwrap();
    assert_eq!(primitives.len(), 2);
    assert_eq!((&primitives[0]["mode"], &primitives[1]["mode"]), (&4.into(), &1.into()));
    assert_eq!(primitives[0]["targets"], primitives[1]["targets"]);
    let triangles = glb.indices(0);
    assert_eq!(triangles.len(), 3 * (2 * 6 + 1));
    assert_eq!(triangles[triangles.len() - 3..], [12, 13, 14]);
    let [a, b, c, d] = *topology.faces[0].corners() else { panic!("a quad") };
    assert_eq!(triangles[..6], [a, b, c, a, c, d]);
    assert_eq!(glb.indices(1), [14, 15, 15, 16]);
    assert_eq!(glb.json["materials"][0]["doubleSided"], true);
    assert_eq!(glb.json["meshes"][0]["extras"]["targetNames"][FRAMES - 2], format!("frame {}", FRAMES - 1));
}

#[test]
fn ropes_and_points_have_files_too() {
    let rope = Topology { particle_count: 3, lines: vec![[0, 1], [1, 2]], ..Topology::default() };
    let points = Topology { particle_count: 2, ..Topology::default() };
    for (topology, mode) in [(&rope, 1), (&points, 0)] {
        let glb = Glb::read(&export(AnimationFormat::Glb, topology, 3).path().join("cloth.glb"));
        assert_eq!(glb.json["meshes"][0]["primitives"].as_array().unwrap().len(), 1);
        assert_eq!(glb.json["meshes"][0]["primitives"][0]["mode"], mode);
        assert_eq!(glb.frames().len(), 3);
        let obj = read_obj(&export(AnimationFormat::Obj, topology, 1).path().join("frames/0000.obj"));
        assert_eq!((obj.faces.len(), obj.lines.len()), (0, topology.lines.len()));
    }
}

#[test]
fn unused_particles_are_vertices_of_obj_alone() {
    let faces = vec![Face::quad(1, 2, 4, 5), Face::triangle(5, 4, 7)];
    let topology = Topology { particle_count: 9, faces, lines: vec![[7, 8]] };
    let used = |frame: usize| -> Frame {
        let all = singles(&topology, frame);
        [1, 2, 4, 5, 7, 8].map(|particle| all[particle]).to_vec()
    };
    let obj = read_obj(&export(AnimationFormat::Obj, &topology, 2).path().join("frames/0001.obj"));
    assert_eq!((obj.vertices.len(), &obj.faces[1]), (9, &vec![5, 4, 7]));

    let folder = export(AnimationFormat::Pc2, &topology, 2);
    let mesh = read_obj(&folder.path().join("cloth.obj"));
    assert_eq!(mesh.faces, [vec![0, 1, 2, 3], vec![3, 2, 4]]);
    assert_eq!((mesh.vertices.len(), mesh.lines), (6, vec![vec![4, 5]]));
    assert_eq!(read_pc2(&folder.path().join("cloth.pc2")), [used(0), used(1)]);

    let glb = Glb::read(&export(AnimationFormat::Glb, &topology, 2).path().join("cloth.glb"));
    assert_eq!(glb.indices(0), [0, 1, 2, 0, 2, 3, 3, 2, 4]);
    assert_eq!(glb.frames()[0], used(0));
}

#[test]
fn one_frame_is_a_mesh_at_rest() {
    let topology = cloth();
    let glb = Glb::read(&export(AnimationFormat::Glb, &topology, 1).path().join("cloth.glb"));
    assert!(glb.json.get("animations").is_none());
    assert_eq!(glb.frames(), [singles(&topology, 0)]);
}

#[test]
fn a_resumed_export_is_the_same_to_the_byte() {
    let topology = cloth();
    for format in AnimationFormat::ALL {
        let whole = files(export(format, &topology, FRAMES).path());
        // Resumed behind the last frame, before it, after the first one, and from the start.
        for (written, kept) in [(4, 4), (5, 3), (3, 1), (3, 0)] {
            for pause in [true, false] {
                let folder = tempfile::tempdir().unwrap();
                let mut writer = AnimationWriter::create(folder.path(), format, &topology).unwrap();
                add_frames(&mut writer, &topology, 0..written);
                if pause {
                    assert!(writer.pause().unwrap().exists());
                } else {
                    drop(writer);
                }
                let mut writer = AnimationWriter::resume(folder.path(), format, &topology, kept).unwrap();
                add_frames(&mut writer, &topology, kept..FRAMES);
                writer.finish().unwrap();
                assert!(files(folder.path()) == whole, "{format}: {written} frames, resumed after {kept}");
            }
        }
    }
}

#[test]
fn a_paused_export_can_be_opened() {
    let topology = cloth();
    let folder = tempfile::tempdir().unwrap();
    let mut writer = AnimationWriter::create(folder.path(), AnimationFormat::Glb, &topology).unwrap();
    add_frames(&mut writer, &topology, 0..3);
    let path = writer.pause().unwrap();
    let paused = std::fs::read(&path).unwrap();
    let expected = files(export(AnimationFormat::Glb, &topology, 3).path());
    assert!(paused == expected["cloth.glb"]);
}

#[test]
fn a_frame_that_was_cut_off_is_written_anew() {
    let topology = cloth();
    for (format, name) in [(AnimationFormat::Pc2, "cloth.pc2"), (AnimationFormat::Glb, "cloth.glb.part")] {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = AnimationWriter::create(folder.path(), format, &topology).unwrap();
        add_frames(&mut writer, &topology, 0..3);
        drop(writer);
        let path = folder.path().join(name);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend([77; 33]);
        std::fs::write(&path, bytes).unwrap();
        let mut writer = AnimationWriter::resume(folder.path(), format, &topology, 3).unwrap();
        add_frames(&mut writer, &topology, 3..FRAMES);
        writer.finish().unwrap();
        assert!(files(folder.path()) == files(export(format, &topology, FRAMES).path()), "{format}");
    }
}

#[test]
fn files_of_an_earlier_export_are_gone() {
    let (topology, small) = (cloth(), Topology { particle_count: 2, ..Topology::default() });
    for format in AnimationFormat::ALL {
        let folder = export(format, &topology, FRAMES);
        let mut writer = AnimationWriter::create(folder.path(), format, &small).unwrap();
        add_frames(&mut writer, &small, 0..2);
        writer.finish().unwrap();
        assert!(files(folder.path()) == files(export(format, &small, 2).path()), "{format}");
    }
}

#[test]
fn resuming_more_than_there_is_is_an_error() {
    let topology = cloth();
    for format in AnimationFormat::ALL {
        let folder = tempfile::tempdir().unwrap();
        let resume = |topology: &Topology, frames: usize| {
            AnimationWriter::resume(folder.path(), format, topology, frames).map(drop)
        };
        assert!(resume(&topology, 1).is_err(), "{format}: nothing there");
        let mut writer = AnimationWriter::create(folder.path(), format, &topology).unwrap();
        add_frames(&mut writer, &topology, 0..3);
        writer.pause().unwrap();
        let before = files(folder.path());
        let message = resume(&topology, 4).unwrap_err().to_string();
        assert!(message.contains("cannot be resumed"), "{format}: {message}");
        assert!(files(folder.path()) == before, "{format}: a refusal changes nothing");
        if format != AnimationFormat::Obj {
            let other = Topology { particle_count: 18, lines: vec![[14, 15], [16, 17]], ..topology.clone() };
            assert!(resume(&other, 1).unwrap_err().to_string().contains("18 vertices"), "{format}");
        }
        resume(&topology, 3).unwrap();
    }
}

#[test]
fn bad_frames_are_refused_and_leave_the_export_as_it_was() {
    let topology = cloth();
    let good = positions(&topology, 1);
    let with = |x: Real| [&[Vec3::new(x, 0.0, 0.0)], &good[1..]].concat();
    let cases = [
        (time(1), good[1..].to_vec(), "frame 1 has 16 positions, but the mesh has 17"),
        (time(1), with(Real::NAN), "particle 0 of frame 1 is at [NaN, 0, 0]"),
        (time(1), with(Real::INFINITY), "particle 0 of frame 1 is at [inf, 0, 0]"),
        (time(1), with(1e60), "finite in single precision"),
        (0.0, good.clone(), "must be greater than 0 s"),
        (Real::NAN, good.clone(), "must be finite"),
        (-1.0, good.clone(), "at least 0"),
        (1e60, good.clone(), "must be finite"),
    ];
    for format in AnimationFormat::ALL {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = AnimationWriter::create(folder.path(), format, &topology).unwrap();
        add_frames(&mut writer, &topology, 0..1);
        for (time, positions, expected) in &cases {
            let error = writer.frame(*time, positions).unwrap_err();
            assert!(error.to_string().contains(expected), "{format}: {error}");
        }
        add_frames(&mut writer, &topology, 1..FRAMES);
        writer.finish().unwrap();
        assert!(files(folder.path()) == files(export(format, &topology, FRAMES).path()), "{format}");
    }
}

#[test]
fn displacements_beyond_single_precision_are_refused() {
    let point = Topology { particle_count: 1, ..Topology::default() };
    let folder = tempfile::tempdir().unwrap();
    let mut writer = AnimationWriter::create(folder.path(), AnimationFormat::Glb, &point).unwrap();
    writer.frame(0.0, &[Vec3::splat(3e38)]).unwrap();
    assert!(writer.frame(1.0, &[Vec3::splat(-3e38)]).unwrap_err().to_string().contains("too far"));
}

#[test]
fn an_export_of_nothing_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let face = Topology { particle_count: 3, faces: vec![Face::triangle(0, 1, 3)], lines: vec![] };
    let line = Topology { particle_count: 3, faces: vec![], lines: vec![[0, 9]] };
    for format in AnimationFormat::ALL {
        let refusal = |topology: &Topology| {
            AnimationWriter::create(folder.path(), format, topology).unwrap_err().to_string()
        };
        assert_eq!(refusal(&Topology::default()), "there are no particles to export");
        assert!(refusal(&face).contains("names particle 3, but the particles are 0 to 2"));
        assert!(refusal(&line).contains("names particle 9"));
        let writer = AnimationWriter::create(folder.path(), format, &cloth()).unwrap();
        assert!(writer.finish().unwrap_err().to_string().contains("no frame"));
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    for format in AnimationFormat::ALL {
        assert!(AnimationWriter::create(&file.join("inner"), format, &cloth()).is_err());
    }
}
