//! Coulomb's law.

use super::{FLOOR, THICKNESS, law, sheet};
use crate::support::{DOWN, G};
use muslin::builder::{Builder, Load, Mass, Place, Surface, Surroundings};
use muslin::contact::ContactLaw;
use muslin::material::FabricName;
use muslin::math::{Real, Vec3};
use muslin::mesh::{Face, Mesh};
use muslin::profile::Profile;
use muslin::script::Motion;
use muslin::shape::{Collider, Shape};
use muslin::solver::SolverConfig;
use muslin::solvers::PncgConfig;
use muslin::state::State;
use muslin::world::World;

/// μ of the default law.
const FRICTION: Real = 0.3;

fn mean(vectors: &[Vec3]) -> Vec3 {
    vectors.iter().copied().sum::<Vec3>() / vectors.len() as Real
}

/// A patch that rests on the floor, under a gravity that leans by an angle, after some seconds.
fn on_slope(degrees: Real, velocity: Vec3, seconds: Real, config: &SolverConfig) -> World {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let gravity = Vec3::new(sin, 0.0, -cos) * G;
    let (model, mut state) = sheet(8, Vec3::ZERO, [Vec3::X, Vec3::Y], gravity, vec![FLOOR.into()]);
    state.positions.iter_mut().for_each(|x| x.z = 0.5 * THICKNESS + 5e-4);
    state.velocities.fill(velocity);
    let mut world = World::new(model, state, config, 1.0 / 240.0);
    for _ in 0..(seconds * 240.0).round() as u32 {
        world.step().unwrap();
    }
    world
}

fn methods() -> [SolverConfig; 4] {
    ["pncg", "xpbd", "implicit-euler", "newton"].map(|name| SolverConfig::named(name).unwrap())
}

/// tan 16.7° = 0.3.
#[test]
fn a_patch_sticks_below_the_angle_of_friction_and_slides_above_it() {
    for config in methods() {
        // The first milliseconds, until the patch has come down, do not count.
        let world = on_slope(16.0, Vec3::ZERO, 1.0, &config);
        let displacement = mean(&world.state.positions).x - 0.5;
        assert!(displacement.abs() < 1e-3, "{}: {displacement} m", config.name());
        let speed = mean(&world.state.velocities).x;
        assert!(speed.abs() < 1e-4, "{}: creeps with {speed} m/s", config.name());
        let degrees: Real = 25.0;
        let world = on_slope(degrees, Vec3::ZERO, 1.0, &config);
        let (sin, cos) = degrees.to_radians().sin_cos();
        let expected = G * (sin - FRICTION * cos);
        let measured = mean(&world.state.velocities).x;
        assert!((measured / expected - 1.0).abs() < 0.03, "{}: {measured}, not {expected}", config.name());
    }
}

/// v²/(2 μ g).
#[test]
fn a_patch_stops_after_the_coulomb_stopping_distance() {
    for config in methods() {
        let world = on_slope(0.0, Vec3::X * 1.5, 1.0, &config);
        let (distance, expected) = (mean(&world.state.positions).x - 0.5, 1.5 * 1.5 / (2.0 * FRICTION * G));
        assert!((distance / expected - 1.0).abs() < 0.03, "{}: {distance}, not {expected}", config.name());
        assert!(mean(&world.state.velocities).length() < 1e-4, "{}", config.name());
    }
}

/// A strip over a rod, pulled at both ends; how far it has slipped towards the second after a while [m].
fn capstan(angle: Real, tensions: [Real; 2], config: &SolverConfig) -> Real {
    let (radius, step, width) = (0.1, 0.012, 0.02);
    let at_surface = radius + 0.5 * THICKNESS;
    let (straight, arc) = (12, (angle * at_surface / step).round() as i32);
    let turn = angle / Real::from(arc);
    // Along the strip: straight down, around the rod, straight on.
    let place = |k: i32| {
        let on_arc = (k - straight).clamp(0, arc);
        let beyond = Real::from(k - straight - on_arc) * step;
        let (sin, cos) = (turn * Real::from(on_arc)).sin_cos();
        Vec3::new(cos, 0.0, sin) * at_surface + Vec3::new(-sin, 0.0, cos) * beyond
    };
    let count = 2 * straight + arc + 1;
    let positions: Vec<Vec3> =
        (0..count).flat_map(|k| [-1.0, 0.0, 1.0].map(|y| place(k) + Vec3::Y * (y * width))).collect();
    let quad = |k: u32, j: u32| Face::quad(3 * k + j, 3 * k + j + 1, 3 * k + j + 4, 3 * k + j + 3);
    let faces = (0..count as u32 - 1).flat_map(|k| [quad(k, 0), quad(k, 1)]).collect();
    let mut builder = Builder::default();
    let fabric = FabricName::Cotton.fabric();
    let mesh = Mesh { positions, faces };
    builder.add_surface(&Surface { mesh, fabric, mass: Mass::Total(0.05), ..Surface::default() }).unwrap();
    let last = 3 * (count as u32 - 1);
    let ends = [(0, place(0) - place(1)), (last, place(count - 1) - place(count - 2))];
    let loads = ends.iter().zip(tensions).map(|(&(first, direction), tension)| Load {
        body: 0,
        at: Place::Particles((first..first + 3).collect()),
        force: direction.normalize() * (tension / 3.0),
        profile: Profile::Constant,
    });
    let rod = Shape::Capsule { ends: [Vec3::Y * -0.2, Vec3::Y * 0.2], radius };
    let surroundings = Surroundings {
        gravity: Vec3::ZERO,
        loads: loads.collect(),
        colliders: vec![rod.into()],
        contact: ContactLaw::Surface(law()),
        ..Surroundings::default()
    };
    let (model, state) = builder.finish(&surroundings).unwrap();
    let middle = 3 * (count as usize / 2) + 1;
    let mut world = World::new(model, state, config, 1.0 / 240.0);
    let mut settled = Vec3::ZERO;
    for step in 0..400 {
        world.step().unwrap();
        if step == 200 {
            settled = world.state.positions[middle];
        }
    }
    world.state.positions[middle].distance(settled)
}

/// T₂/T₁ = e^{μφ}, to 5 %.
#[test]
fn a_strip_over_a_rod_obeys_the_capstan_equation() {
    let config = SolverConfig::Pncg(PncgConfig { iterations: 30, ..PncgConfig::default() });
    for angle in [std::f64::consts::FRAC_PI_2, std::f64::consts::PI] {
        let ratio = (FRICTION * angle).exp();
        // Near the limit it creeps by a millimetre or two, as contacts come and go; beyond it, it runs away.
        let held = capstan(angle, [0.1, 0.095 * ratio], &config);
        assert!(held < 4e-3, "{angle}: slips by {held} m below");
        let slips = capstan(angle, [0.1, 0.105 * ratio], &config);
        assert!(slips > 25.0 * held, "{angle}: {slips} m above, {held} m below");
    }
}

/// A patch in the middle of what turns, whether that is a plane, a disc or a ball: friction takes it along.
#[test]
fn turning_solids_drag_the_cloth_along() {
    let turns_per_second = 0.3;
    let motion =
        Motion::Rotate { center: Vec3::ZERO, axis: Vec3::Z, turns_per_second, from: 0.0, until: 9.0 };
    let disc = Shape::Cylinder { ends: [Vec3::Z * -0.1, Vec3::ZERO], radius: 0.8 };
    let ball = Shape::Sphere { center: Vec3::Z * -10.0, radius: 10.0 };
    for shape in [FLOOR, disc, ball] {
        for config in [SolverConfig::named("pncg").unwrap(), SolverConfig::named("xpbd").unwrap()] {
            let name = format!("{} by {}", shape.name(), config.name());
            let collider = Collider { motion: motion.clone(), ..shape.clone().into() };
            let (model, mut state) = sheet(8, Vec3::ZERO, [Vec3::X, Vec3::Y], DOWN, vec![collider]);
            for x in &mut state.positions {
                *x = (*x - Vec3::new(0.5, 0.5, 0.0)) * 0.8 + Vec3::Z * (0.5 * THICKNESS + 5e-4);
            }
            let mut world = World::new(model, state, &config, 1.0 / 240.0);
            for _ in 0..360 {
                world.step().unwrap();
            }
            let State { positions, velocities, .. } = &world.state;
            let momentum: Real = positions.iter().zip(velocities).map(|(x, v)| x.cross(*v).z).sum();
            let inertia: Real = positions.iter().map(|x| x.x * x.x + x.y * x.y).sum();
            let rate = momentum / inertia / std::f64::consts::TAU;
            assert!((rate / turns_per_second - 1.0).abs() < 0.02, "{name}: {rate} turns a second");
            assert!(world.contact_report().unwrap().lag < 1e-9, "{name}");
        }
    }
}
