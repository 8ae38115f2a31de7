//! Draws three small scenes without any simulation and writes them as PNG, the first also as a GIF.
//!
//! `cargo run --release -p muslin-io --example picture [folder]`

use muslin::math::{Real, Vec3};
use muslin::mesh::{Face, Grid, bounds};
use muslin_io::picture::{Body, Camera, Color, GifWriter, Picture, PictureError, Stage, draw, strip};
use std::f64::consts::TAU;
use std::path::PathBuf;
use std::time::Instant;

const SIZE: [u32; 2] = [960, 720];
const BALL: Vec3 = Vec3::new(0.0, 0.42, 0.0);
const RADIUS: Real = 0.42;

type Scene = fn([u32; 2]) -> Picture;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "out/picture".into()));
    std::fs::create_dir_all(&folder)?;

    let scenes: [(&str, Scene); 3] = [("drape", |size| drape(0.0, size)), ("saddle", saddle), ("rope", rope)];
    let mut pictures = Vec::new();
    for (name, scene) in scenes {
        let mut fastest = Real::INFINITY;
        for _ in 0..3 {
            let start = Instant::now();
            scene(SIZE);
            fastest = fastest.min(start.elapsed().as_secs_f64());
        }
        println!("{name}: {:.0} ms", 1e3 * fastest);
        let picture = scene(SIZE);
        picture.write_png(folder.join(format!("{name}.png")))?;
        assert!(picture.pixels.iter().any(|&pixel| pixel != picture.at(0, 0)), "{name} shows nothing");
        pictures.push(scene([320, 240]));
    }
    strip(&pictures).write_png(folder.join("strip.png"))?;
    film(&folder)?;
    Ok(())
}

/// A cloth over a ball whose hem waves once around.
fn film(folder: &std::path::Path) -> Result<(), PictureError> {
    const FRAMES: usize = 40;
    let size = [480, 360];
    let path = folder.join("drape.gif");
    let mut writer = GifWriter::create(&path, size, 25.0)?;
    let mut encoding = 0.0;
    for frame in 0..FRAMES {
        let picture = drape(frame as Real / FRAMES as Real, size);
        let start = Instant::now();
        writer.add(&picture)?;
        encoding += start.elapsed().as_secs_f64();
    }
    writer.finish()?;
    let bytes = std::fs::metadata(&path).map_or(0, |file| file.len());
    println!(
        "gif: {:.1} ms and {} kB a frame",
        1e3 * encoding / FRAMES as Real,
        bytes / 1000 / FRAMES as u64
    );
    Ok(())
}

/// A square cloth over a ball: smooth on top, waving folds below; `turn` moves the folds around, 0 to 1.
fn drape(turn: Real, size: [u32; 2]) -> Picture {
    let (positions, faces) = sheet(100, |x, z| {
        let (reach, angle) = (0.86 * x.hypot(z), z.atan2(x));
        let cloth = RADIUS + 0.008;
        let top = 0.29 * TAU / 2.0 * cloth; // length of the arc that lies on the ball
        let on_ball = reach.min(top);
        let (sin, cos) = (on_ball / cloth).sin_cos();
        let below = reach - on_ball;
        // Folds open slowly, first outward only, and swing freely near the hem.
        let growth = 1.0 - (-below / 0.22).exp();
        let fold = 0.5 + 0.5 * (7.0 * angle + TAU * turn + 0.6 * (2.0 * angle).sin()).sin();
        let away = below * (0.72 * (1.0 - growth) + 0.18) + 0.17 * growth * growth * fold;
        let radius = cloth * sin + away;
        let height = BALL.y + cloth * cos - below * (0.80 + 0.15 * growth);
        let floor = 0.008 + 0.012 * fold;
        // What is longer than the way down spreads over the floor.
        let spread = (floor - height).max(0.0);
        let radius = radius + 0.8 * spread;
        Vec3::new(radius * angle.cos(), height.max(floor), radius * angle.sin())
    });
    let [low, high] = bounds(&positions);
    let ball = Body::Ball { center: BALL, radius: RADIUS, color: Color::STONE };
    let small = Body::Ball { center: Vec3::new(0.70, 0.10, 0.70), radius: 0.10, color: Color::SAFFRON };
    let cloth = Body::Surface { positions: &positions, faces: &faces, color: Color::INDIGO };
    show(vec![ball, small, cloth], [low.with_y(0.0), high.with_z(0.86)], size)
}

/// A sheet that hangs by two opposite corners.
fn saddle(size: [u32; 2]) -> Picture {
    let (positions, faces) = sheet(100, |x, z| {
        let wrinkle = 0.012 * (26.0 * (x - z)).sin() * (1.0 - 0.8 * (x + z).abs());
        Vec3::new(0.8 * x, 1.0 + 0.55 * x * z + wrinkle - 0.12 * (x - z) * (x - z), 0.8 * z)
    });
    let cloth = Body::Surface { positions: &positions, faces: &faces, color: Color::MADDER };
    let [low, high] = bounds(&positions);
    show(vec![cloth], [low.with_y(0.0), high], size)
}

/// A rope that winds around a ball, and one that sags between two posts.
fn rope(size: [u32; 2]) -> Picture {
    let coil: Vec<Vec3> = (0..=240)
        .map(|k| {
            let t = k as Real / 240.0;
            let angle = 4.0 * TAU * t;
            let radius = 0.34 + 0.012 * (3.0 * angle).sin() + 0.35 * t * t * t;
            Vec3::new(radius * angle.cos(), 0.03 + 0.55 * (1.0 - t).powi(2), radius * angle.sin())
        })
        .collect();
    let links: Vec<[u32; 2]> = (1..coil.len() as u32).map(|k| [k - 1, k]).collect();
    let (flag, faces) = sheet(60, |x, z| {
        let wave = 0.05 * (x + 1.0) * (7.0 * x + 2.0 * z).sin();
        Vec3::new(0.28 * x, 0.86 + 0.28 * z + 0.3 * wave, -0.25 + wave)
    });
    let bodies = vec![
        Body::Rope { positions: &coil, links: &links, radius: 0.03, color: Color::HEMP },
        Body::Ball { center: Vec3::new(0.0, 0.26, 0.0), radius: 0.26, color: Color::TEAL },
        Body::Surface { positions: &flag, faces: &faces, color: Color::LINEN },
    ];
    let ([low, high], [left, right]) = (bounds(&coil), bounds(&flag));
    show(bodies, [low.min(left), high.max(right)], size)
}

fn show(bodies: Vec<Body>, bounds: [Vec3; 2], size: [u32; 2]) -> Picture {
    let camera = Camera::framing(bounds, Vec3::Y);
    draw(&Stage { camera, up: Vec3::Y, ground: Some(0.0), bodies }, size)
}

/// A square of −1 to 1 in two parameters, put into space.
fn sheet(cells: usize, place: impl Fn(Real, Real) -> Vec3) -> (Vec<Vec3>, Vec<Face>) {
    let grid = Grid { rows: cells + 1, columns: cells + 1 };
    let parameter = |k: usize| 2.0 * k as Real / cells as Real - 1.0;
    (grid.vertices().map(|(i, j)| place(parameter(j), parameter(i))).collect(), grid.quads())
}
