//! What is thrown at the guarantee.

use super::trial::{Start, scene};
use muslin::builder::{Builder, Drag, Pin, Place, Resolution, Sheet, Surface, Surroundings};
use muslin::contact::{ContactLaw, SurfaceContact};
use muslin::material::{Fabric, FabricName};
use muslin::math::{Real, Vec3};
use muslin::mesh::{Face, Mesh};
use muslin::script::Motion;
use muslin::shape::{Collider, Shape};

/// A scene and how much of it is simulated.
pub struct Case {
    pub name: String,
    /// [s]
    pub seconds: Real,
    pub start: Start,
}

impl Case {
    fn new(name: impl Into<String>, seconds: Real, start: Start) -> Self {
        Self { name: name.into(), seconds, start }
    }
}

/// All cases, with sheets of about 50 × 50 particles, or of 16 × 16 for a quick look. Built-in scenes are shortened to the moments
/// that matter: what they do first begins sooner, and they end with it.
pub fn cases(quick: bool) -> anyhow::Result<Vec<Case>> {
    let side = if quick { 16 } else { 50 };
    let cells = side - 1;
    let square = format!("[{cells}, {cells}]");
    let tall = format!("[{}, {}]", 7 * side / 10, 14 * side / 10);
    let wing = format!("[{side}, {}]", 6 * side / 10);
    let ball = "{ translate = { velocity = [0.0, -2.0, 0.0], from = 0.0, until = 1.0 } }";
    let spin = "{ rotate = { center = [0.0, 0.0, 0.68], axis = [0.0, 0.0, 1.0], turns_per_second = 0.8, from = 0.5, until = 1.2 } }";
    let mut cases = vec![
        Case::new("folded-drop", 1.2, scene("folded-drop", &[("sheet.0.resolution.cells", tall)])?),
        Case::new(
            "curtain-and-ball",
            1.0,
            scene(
                "curtain-and-ball",
                &[
                    ("sheet.0.resolution.cells", wing.clone()),
                    ("sheet.1.resolution.cells", wing),
                    ("collider.0.motion", ball.to_owned()),
                ],
            )?,
        ),
        Case::new(
            "rotating-sphere",
            1.2,
            scene(
                "rotating-sphere",
                &[("sheet.0.resolution.cells", square.clone()), ("collider.0.motion", spin.to_owned())],
            )?,
        ),
        Case::new("twisted-tube, 2.2 turns", 1.5, twisted_tube(side)?),
    ];
    for speed in [1.0, 2.0, 4.0] {
        let pull =
            format!("{{ translate = {{ velocity = [{speed:?}, 0.0, 0.0], from = 0.3, until = 0.9 }} }}");
        let changes = [("sheet.0.resolution.cells", square.clone()), ("sheet.0.pins.0.motion", pull)];
        let name = format!("table-cloth-pulled, {speed} m/s");
        cases.push(Case::new(name, 0.9, scene("table-cloth-pulled", &changes)?));
    }
    cases.push(Case::new("ball of 100 m/s", 0.2, fast_ball(side)?));
    for force in [100.0, 200.0] {
        cases.push(Case::new(format!("pressed, {force} N a particle"), 1.0, pressed(side, force)?));
    }
    Ok(cases)
}

/// The scene `pressed-on-surface` with one sheet of 4.25 m in the middle, and a force on each of its particles [N].
pub fn pressed(side: usize, force: Real) -> anyhow::Result<Start> {
    let sheet = format!(
        "[{{ size = [4.25, 4.25], resolution = {{ particles = [{side}, {side}] }}, origin = [-2.125, -2.125, 1.6], mass = {{ each = 10.0 }}, \
         fabric = {{ structural = {{ stiffness = 1000.0, damping = 200.0, law = {{ dead-zone = 0.001 }} }}, shear = {{}}, flexion = {{}} }} }}]"
    );
    let load = format!(
        "[{{ body = 0, at = {{ region = {{ min = [-3.0, -3.0, 1.0], max = [3.0, 3.0, 2.0] }} }}, force = [0.0, 0.0, {:?}] }}]",
        -force
    );
    scene("pressed-on-surface", &[("sheet", sheet), ("load", load)])
}

/// Like the scene `twisted-tube`, in half its time and with as many particles around as along: 1.2 m long, radius 0.15 m. Each end
/// makes 1.1 turns.
fn twisted_tube(side: usize) -> anyhow::Result<Start> {
    let turns = 1.1;
    let flexion =
        muslin::material::Link { stiffness: 0.1, damping: 0.001, ..FabricName::Cotton.fabric().flexion };
    let end = |x: Real| {
        let frames = 0..=8;
        let part = |k: i32| Real::from(k) / 8.0;
        let motion = Motion::Keyframes {
            times: frames.clone().map(|k| 0.05 + 1.4 * part(k)).collect(),
            positions: frames.clone().map(|k| Vec3::X * (-x.signum() * 0.15 * part(k))).collect(),
            rotations: frames
                .map(|k| Vec3::X * (x.signum() * turns * std::f64::consts::TAU * part(k)))
                .collect(),
            center: Vec3::new(x, 0.0, 0.0),
        };
        let [min, max] = [-1.0, 1.0].map(|way| Vec3::new(x + 0.001 * way, way, way));
        Pin { at: Place::Region { min, max }, motion }
    };
    let surface = Surface {
        mesh: tube(side),
        fabric: Fabric { flexion, ..FabricName::Cotton.fabric() },
        drag: Drag::Area(0.3),
        pins: vec![end(-0.6), end(0.6)],
        ..Surface::default()
    };
    let mut builder = Builder::default();
    builder.add_surface(&surface)?;
    let contact = SurfaceContact { thickness: Some(0.003), friction: 0.15, ..SurfaceContact::default() };
    let contact = ContactLaw::Surface(contact);
    Ok(builder.finish(&Surroundings { gravity: Vec3::ZERO, contact, ..Surroundings::default() })?)
}

/// An open tube along x of `side` rings with `side` vertices each.
fn tube(side: usize) -> Mesh {
    let [length, radius] = [1.2, 0.15];
    let mut mesh = Mesh::default();
    for ring in 0..side {
        let x = length * (ring as Real / (side - 1) as Real - 0.5);
        for place in 0..side {
            let (sin, cos) = (std::f64::consts::TAU * place as Real / side as Real).sin_cos();
            mesh.positions.push(Vec3::new(x, radius * cos, radius * sin));
            if ring > 0 {
                let at = |ring: usize, place: usize| (ring * side + place % side) as u32;
                let [a, b] = [at(ring - 1, place), at(ring - 1, place + 1)];
                mesh.faces.push(Face::quad(a, b, at(ring, place + 1), at(ring, place)));
            }
        }
    }
    mesh
}

/// A sheet of 1 m held at its corners, and a ball of 0.1 m that goes through its middle in 20 ms, as its script has it.
fn fast_ball(side: usize) -> anyhow::Result<Start> {
    let motion = Motion::Translate { velocity: Vec3::Y * 100.0, from: 0.0, until: 0.02 };
    let shape = Shape::Sphere { center: Vec3::new(0.5, -0.5, -0.5), radius: 0.1 };
    let sheet = Sheet {
        size: [1.0, 1.0],
        resolution: Resolution::Particles([side, side]),
        axes: [Vec3::X, Vec3::NEG_Z],
        fabric: FabricName::Cotton.fabric(),
        pins: vec![Pin::at(Place::Corners)],
        ..Sheet::default()
    };
    let mut builder = Builder::default();
    builder.add_sheet(&sheet)?;
    let colliders = vec![Collider { motion, ..shape.into() }];
    let contact = ContactLaw::Surface(SurfaceContact::default());
    let gravity = Vec3::Z * -9.81;
    Ok(builder.finish(&Surroundings { gravity, colliders, contact, ..Surroundings::default() })?)
}
