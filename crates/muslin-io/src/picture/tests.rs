//! Whole pictures and files.

use super::*;
use image::AnimationDecoder;
use image::codecs::gif::GifDecoder;
use muslin::mesh::Grid;
use std::fs::File;
use std::io::BufReader;

fn wave(cells: usize, phase: Real) -> (Vec<Vec3>, Vec<Face>) {
    let grid = Grid { rows: cells + 1, columns: cells + 1 };
    let position = |(i, j): (usize, usize)| {
        let (x, z) = (i as Real / cells as Real - 0.5, j as Real / cells as Real - 0.5);
        Vec3::new(x, 0.4 + 0.05 * (9.0 * x + 4.0 * z + phase).sin(), z)
    };
    (grid.vertices().map(position).collect(), grid.quads())
}

fn stage<'a>(positions: &'a [Vec3], faces: &'a [Face]) -> Stage<'a> {
    Stage {
        camera: Camera::framing([Vec3::new(-0.5, 0.0, -0.5), Vec3::new(0.5, 0.45, 0.5)], Vec3::Y),
        up: Vec3::Y,
        ground: Some(0.0),
        bodies: vec![
            Body::Surface { positions, faces, color: Color::INDIGO },
            Body::Ball { center: Vec3::new(0.2, 0.15, 0.1), radius: 0.15, color: Color::SAFFRON },
        ],
    }
}

fn brightness(color: [u8; 3]) -> u32 {
    color.into_iter().map(u32::from).sum()
}

#[test]
fn the_same_stage_gives_the_same_bytes() {
    let (positions, faces) = wave(12, 0.0);
    let stage = stage(&positions, &faces);
    let first = draw(&stage, [120, 90]);
    assert_eq!(first, draw(&stage, [120, 90]));
    let pixels: std::collections::HashSet<_> = first.pixels.iter().collect();
    assert!(pixels.len() > 500, "{} colours are a debug view", pixels.len());
}

#[test]
fn the_floor_is_darker_under_a_body_and_the_backdrop_seamless() {
    let (positions, faces) = wave(12, 0.0);
    let mut stage = stage(&positions, &faces);
    let size = [160, 120];
    let view = View::new(&stage.camera, size);
    let lit = draw(&Stage { bodies: vec![], ..stage.clone() }, size);
    let without_floor = draw(&Stage { bodies: vec![], ground: None, ..stage.clone() }, size);
    assert_eq!(lit, without_floor);

    stage.bodies.truncate(1);
    let shadowed = draw(&stage, size);
    // In front of the sheet's shadow the floor is in full light, inside it is not.
    let pixel = |point: Vec3| view.project(view.seen_from_eye(point)).map(|value| value as u32);
    let [x, y] = pixel(Vec3::new(0.2, 0.0, 0.25));
    assert!(brightness(shadowed.at(x, y)) + 60 < brightness(lit.at(x, y)));
    assert_eq!(shadowed.at(0, 119), lit.at(0, 119));
}

#[test]
fn nothing_makes_it_panic() {
    let positions =
        [Vec3::NAN, Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X * 0.5, Vec3::INFINITY, Vec3::splat(1e300)];
    let faces = [
        Face::triangle(0, 1, 2),
        Face::triangle(1, 1, 1),
        Face::triangle(1, 2, 4),
        Face::triangle(1, 2, 99),
        Face::quad(1, 2, 3, 0),
        Face::quad(1, 2, 3, 5),
        Face::triangle(1, 2, 6),
        Face::triangle(1, 2, 3),
    ];
    let links = [[0, 1], [1, 2], [2, 2], [2, 99], [2, 5], [2, 3]];
    let color = Color::LINEN;
    let bodies = vec![
        Body::Surface { positions: &positions, faces: &faces, color },
        Body::Rope { positions: &positions, links: &links, radius: 0.1, color },
        Body::Rope { positions: &positions, links: &links, radius: Real::NAN, color },
        Body::Ball { center: Vec3::NAN, radius: 1.0, color },
        Body::Ball { center: Vec3::ZERO, radius: -1.0, color },
        Body::Ball { center: Vec3::ZERO, radius: 0.2, color },
        Body::Capsule { ends: [Vec3::ZERO, Vec3::NAN], radius: 0.2, color },
        Body::Capsule { ends: [Vec3::ZERO, Vec3::ZERO], radius: 0.2, color },
        Body::Capsule { ends: [Vec3::ZERO, Vec3::X], radius: Real::INFINITY, color },
        Body::Solid {
            positions: &positions,
            triangles: &[[0, 1, 2], [0, 0, 0], [7, 8, 999]],
            frame: Frame::REST,
            color,
        },
    ];
    let sound = Camera::framing([Vec3::ZERO, Vec3::ONE], Vec3::Y);
    let cameras = [
        sound,
        Camera { eye: Vec3::ZERO, ..sound },
        Camera { eye: Vec3::NAN, ..sound },
        Camera { eye: sound.target, ..sound },
        Camera { up: sound.target - sound.eye, ..sound },
        Camera { field_of_view: Real::NAN, ..sound },
        Camera { field_of_view: 0.0, up: Vec3::ZERO, ..sound },
    ];
    for camera in cameras {
        for (up, ground) in [(Vec3::Y, Some(0.0)), (Vec3::ZERO, None), (Vec3::NAN, Some(Real::NAN))] {
            for size in [[0, 0], [1, 1], [9, 3], [33, 40]] {
                let full = Stage { camera, up, ground, bodies: bodies.clone() };
                assert_eq!(draw(&full, size).size(), size.map(|side: u32| side.max(1)));
                draw(&Stage { bodies: vec![], ..full }, size);
            }
        }
    }
}

#[test]
fn a_nan_spoils_only_its_own_faces() {
    let (mut positions, faces) = wave(10, 0.0);
    let whole = draw(&stage(&positions, &faces), [160, 120]);
    positions[60] = Vec3::NAN;
    let torn = draw(&stage(&positions, &faces), [160, 120]);
    let changed = whole.pixels.iter().zip(&torn.pixels).filter(|(a, b)| a != b).count();
    assert!(changed > 0 && changed < whole.pixels.len() / 4, "{changed}");
}

#[test]
fn a_png_is_read_back_as_it_was() {
    let (positions, faces) = wave(6, 0.0);
    let picture = draw(&stage(&positions, &faces), [61, 47]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wave.png");
    picture.write_png(&path).unwrap();
    let read = image::open(&path).unwrap().into_rgb8();
    assert_eq!([read.width(), read.height()], picture.size());
    assert_eq!(read.as_raw(), picture.bytes());

    let error = picture.write_png(folder.path().join("no/such/folder.png")).unwrap_err();
    assert!(matches!(error, PictureError::File { .. }));
    assert!(error.to_string().contains("folder.png"));
}

#[test]
fn a_gif_has_its_frames_and_nearly_its_colours() {
    let size = [96, 72];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wave.gif");
    let mut writer = GifWriter::create(&path, size, 30.0).unwrap();
    let mut pictures = Vec::new();
    for frame in 0..6 {
        // Frames 2 and 3 are equal: a frame without changes still counts.
        let phase = [0.0, 0.2, 0.4, 0.4, 0.6, 0.8][frame];
        let (positions, faces) = wave(12, phase);
        pictures.push(draw(&stage(&positions, &faces), size));
        writer.add(&pictures[frame]).unwrap();
    }
    let other = Picture::filled([5, 5], Color::WHITE);
    assert!(matches!(writer.add(&other), Err(PictureError::FrameSize { .. })));
    writer.finish().unwrap();

    let decoder = GifDecoder::new(BufReader::new(File::open(&path).unwrap())).unwrap();
    let frames = decoder.into_frames().collect_frames().unwrap();
    assert_eq!(frames.len(), 6);
    let total: u32 = frames.iter().map(|frame| frame.delay().numer_denom_ms().0).sum();
    assert_eq!(total, 200, "six frames at 30 a second");
    for (frame, picture) in frames.iter().zip(&pictures) {
        assert_eq!([frame.buffer().width(), frame.buffer().height()], size);
        let worst = |(read, drawn): (&image::Rgba<u8>, &[u8; 3])| {
            (0..3).map(|k| u64::from(read[k].abs_diff(drawn[k]))).max().unwrap()
        };
        let sum: u64 = frame.buffer().pixels().zip(&picture.pixels).map(worst).sum();
        let mean = sum as Real / picture.pixels.len() as Real;
        assert!(mean < 4.0, "colours are off by {mean} levels");
    }
}

#[test]
fn a_gif_refuses_what_it_cannot_hold() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.gif");
    assert!(matches!(GifWriter::create(&path, [0, 9], 25.0), Err(PictureError::GifSize { .. })));
    assert!(matches!(GifWriter::create(&path, [70_000, 9], 25.0), Err(PictureError::GifSize { .. })));
    assert!(matches!(GifWriter::create(&path, [9, 9], 0.0), Err(PictureError::FrameRate { .. })));
    assert!(matches!(GifWriter::create(folder.path(), [9, 9], 25.0), Err(PictureError::File { .. })));
}
