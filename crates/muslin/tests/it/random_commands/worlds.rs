//! Small worlds with something of everything.

use super::random::Random;
use muslin::builder::{Attach, BodyMass, Tether, TetherWay, WindCoefficient, WindDescription};
use muslin::contact::BroadPhase;
use muslin::elements::PressureLaw;
use muslin::material::{Bending, BendingLaw, Link, MembraneLaw, MembraneMaterial};
use muslin::mesh::Face;
use muslin::prelude::*;
use muslin::profile::Profile;
use muslin::solvers::{Precision, ProjectiveConfig, Scheme};
use muslin::strain_limit::StrainLimit;
use std::sync::Arc;

/// A step in which a method does something without falling apart.
pub fn step_of(config: &SolverConfig, random: &mut Random) -> Real {
    if config.is_explicit() { 2e-4 } else { random.pick(&[1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0]) }
}

pub fn world(random: &mut Random) -> World {
    let mut builder = Builder::default();
    for k in 0..=random.below(2) {
        add_part(&mut builder, random, k);
    }
    let contact = contact(random);
    let is_surface = matches!(contact, ContactLaw::Surface(_));
    let mut surroundings = Surroundings { contact, ..Surroundings::default() };
    if contact != ContactLaw::EnergySharing {
        surroundings.colliders =
            (0..random.below(3)).map(|k| below(collider(random, is_surface), k)).collect();
    }
    if is_surface || contact == ContactLaw::EnergySharing {
        surroundings.bodies = (0..random.below(3)).map(|k| above(body(random), k)).collect();
    }
    if random.chance(0.3) {
        surroundings.wind = Some(WindDescription {
            velocity: random.in_cube(3.0),
            profile: random.pick(&[
                Profile::Constant,
                Profile::Gusts { period: 0.1, depth: 0.5, seed: 3 },
                Profile::Sine { frequency: 5.0, phase: 0.3 },
            ]),
            coefficient: WindCoefficient::Area(random.between(0.0, 0.5)),
        });
    }
    if random.chance(0.15) {
        surroundings.strain_limit = Some(StrainLimit::default());
    }
    let (model, state) = builder.finish(&surroundings).unwrap();
    let config = solver(random, &model);
    let dt = step_of(&config, random);
    let mut world = World::new(model, state, &config, dt);
    world.substeps = random.pick(&[1, 1, 1, 2]);
    world.heat_interval = random.pick(&[None, Some(1e-3)]);
    world
}

fn add_part(builder: &mut Builder, random: &mut Random, k: usize) {
    let origin = Vec3::new(0.03 * k as Real, 0.02 * k as Real, 0.07 * k as Real);
    let center = Vec3::new(0.5, 0.5, 0.35 + 0.4 * k as Real);
    let pins = pins(random);
    let held = !pins.is_empty();
    let along = random.pick(&[TetherWay::Threads, TetherWay::Straight]);
    let tether = (held && random.chance(0.25)).then_some(Tether { stiffness: 200.0, allowance: 0.05, along });
    let attach = if random.chance(0.2) {
        let motion = if random.chance(0.5) { motion(random) } else { Motion::Still };
        vec![Attach { at: Place::Particles(vec![0, 3]), stiffness: 5.0, damping: 0.1, motion }]
    } else {
        Vec::new()
    };
    let fabric = fabric(random);
    let flat = random.pick(&[0, 0, 0, 0, 1, 2, 3, 4]);
    let pressure = random.chance(0.7).then(|| pressure(random));
    let round = Fabric {
        bending: fabric.bending.map(|bending| Bending { law: BendingLaw::Angle, ..bending }),
        ..fabric.clone()
    };
    let some =
        |pins: Vec<Pin>| pins.into_iter().filter(|pin| matches!(pin.at, Place::Particles(_))).collect();
    match flat {
        1 => builder.add_ball(&Ball {
            center,
            radius: 0.15,
            subdivisions: 1,
            pressure,
            fabric: round,
            pins: some(pins),
            ..Ball::default()
        }),
        2 => builder.add_pillow(&Pillow {
            center,
            radius: 0.3,
            rings: 3,
            bulge: 0.2,
            pressure,
            fabric: round,
            pins: some(pins),
            ..Pillow::default()
        }),
        3 => builder.add_rope(&Rope {
            from: Vec3::new(0.1, 0.2, center.z),
            to: Vec3::new(0.9, 0.6, center.z + 0.1),
            particles: 9,
            pins: some(pins),
            ..Rope::default()
        }),
        4 => builder.add_block(&Block {
            center,
            size: [0.3, 0.2, 0.2],
            cells: [2, 1, 1],
            pins: some(pins),
            ..Block::default()
        }),
        _ => {
            let cells = [3 + random.below(4), 3 + random.below(4)];
            let resolution = Resolution::Cells(cells);
            builder.add_sheet(&Sheet { resolution, origin, pins, tether, attach, fabric, ..Sheet::default() })
        }
    }
    .unwrap();
}

fn fabric(random: &mut Random) -> Fabric {
    let mut fabric = random.pick(&FabricName::ALL).fabric();
    if random.chance(0.4) {
        let law =
            random.pick(&[MembraneLaw::StVenantKirchhoff, MembraneLaw::Wrinkling, MembraneLaw::Corotated]);
        let poisson = if law == MembraneLaw::Corotated { 0.0 } else { 0.3 };
        let warp = random.log(20.0, 1000.0);
        fabric.membrane = Some(MembraneMaterial { warp, poisson, damping: 1e-3, law, ..Default::default() });
    } else if random.chance(0.1) {
        fabric.structural = Link { stiffness: 800.0, rigid: true, ..Link::default() };
    }
    if random.chance(0.4) {
        let law = random.pick(&[BendingLaw::Angle, BendingLaw::Quadratic]);
        fabric.bending = Some(Bending { rigidity: random.log(1e-6, 1e-3), damping: 1e-3, law });
    }
    fabric
}

fn pins(random: &mut Random) -> Vec<Pin> {
    let places = [
        vec![],
        vec![Place::Corners],
        vec![Place::Side(Side::IMin)],
        vec![Place::Side(Side::IMin), Place::Side(Side::IMax)],
        vec![Place::Particles(vec![0, 5])],
        vec![Place::Particles(vec![1]), Place::Corners],
    ];
    let places = random.pick(&places);
    let pin = |at| Pin { at, motion: if random.chance(0.4) { motion(random) } else { Motion::Still } };
    places.into_iter().map(pin).collect()
}

pub fn motion(random: &mut Random) -> Motion {
    match random.below(4) {
        0 => Motion::Translate { velocity: random.in_cube(1.0), from: 0.0, until: 0.2 },
        1 => Motion::Rotate {
            center: Vec3::new(0.5, 0.5, 0.0) + random.in_cube(0.1),
            axis: Vec3::Z,
            turns_per_second: random.between(-1.0, 1.0),
            from: 0.01,
            until: 0.3,
        },
        2 => Motion::Oscillate { amplitude: random.in_cube(0.2), frequency: random.between(0.5, 4.0) },
        _ => Motion::Keyframes {
            times: vec![0.0, 0.05, 0.3],
            positions: vec![Vec3::ZERO, random.in_cube(0.1), random.in_cube(0.3)],
            rotations: vec![Vec3::ZERO, Vec3::Z * 0.2, Vec3::Z * -1.0],
            center: Vec3::new(0.5, 0.5, 0.0),
        },
    }
}

fn contact(random: &mut Random) -> ContactLaw {
    let (friction, restitution) = (random.pick(&[0.0, 0.3, 1.0]), random.pick(&[0.0, 0.5]));
    match random.below(8) {
        0 => ContactLaw::Projection { restitution, friction },
        1 => ContactLaw::Reflection { restitution, as_printed: random.chance(0.5) },
        2 => ContactLaw::EnergySharing,
        _ => ContactLaw::Surface(SurfaceContact {
            thickness: random.pick(&[None, None, Some(0.01), Some(0.03)]),
            friction,
            restitution,
            self_contact: random.chance(0.8),
            broad_phase: random.pick(&[
                BroadPhase::BruteForce,
                BroadPhase::SpatialHash,
                BroadPhase::Tree,
                BroadPhase::SortedBlocks,
            ]),
            time_budget: None,
        }),
    }
}

/// A method; not one that the tests in `found.rs` show to fail.
pub fn solver(random: &mut Random, model: &Model) -> SolverConfig {
    let config = any_solver(random);
    // Its pressures push as forces, which a few substeps may not stand.
    let fails = !model.elements.pressures.is_empty();
    if fails && config.name() == "xpbd" { SolverConfig::default() } else { config }
}

fn any_solver(random: &mut Random) -> SolverConfig {
    let precision = random.pick(&[Precision::Single, Precision::Double]);
    match random.below(8) {
        0 => PncgConfig { precision, scheme: Scheme::ImplicitEuler, ..Default::default() }.into(),
        1 => PncgConfig { precision, iterations: 5, ..Default::default() }.into(),
        2 => ProjectiveConfig { precision, ..Default::default() }.into(),
        3 => XpbdConfig { precision, substeps: random.pick(&[1, 3, 10]), ..Default::default() }.into(),
        _ => SolverConfig::named(random.pick(SolverConfig::NAMES)).unwrap(),
    }
}

pub fn pressure(random: &mut Random) -> PressureLaw {
    random.pick(&[
        PressureLaw::Constant(20.0),
        PressureLaw::Constant(-5.0),
        PressureLaw::Gas { over: 30.0, ambient: 1e3 },
        PressureLaw::Volume { factor: 1.2, stiffness: 200.0 },
    ])
}

/// A shape about the origin.
pub fn shape(random: &mut Random, has_volume: bool) -> Shape {
    let radius = random.between(0.05, 0.2);
    let ends = [Vec3::new(-0.2, 0.0, 0.0), Vec3::new(0.2, 0.05, 0.0)];
    let tetrahedron = vec![
        Vec3::new(0.2, 0.0, -0.1),
        Vec3::new(-0.1, 0.2, -0.1),
        Vec3::new(-0.1, -0.2, -0.1),
        Vec3::new(0.0, 0.0, 0.2),
    ];
    let sides =
        [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]].map(|[a, b, c]| Face::triangle(a, b, c)).to_vec();
    match random.below(if has_volume { 6 } else { 8 }) {
        0 => Shape::Sphere { center: Vec3::ZERO, radius },
        1 => Shape::Capsule { ends, radius },
        2 => Shape::Cylinder { ends, radius },
        3 => Shape::Cuboid {
            center: Vec3::ZERO,
            size: Vec3::new(0.3, 0.2, 0.2),
            rotation: random.in_cube(1.0),
        },
        4 => Shape::Hull { points: tetrahedron },
        5 => Shape::Mesh(Arc::new(Mesh { positions: tetrahedron, faces: sides })),
        6 => Shape::Plane { point: Vec3::ZERO, normal: Vec3::new(0.1, 0.0, 1.0) },
        _ => Shape::HeightField {
            corner: Vec3::new(-0.7, -0.7, -0.1),
            size: [1.4, 1.4],
            heights: vec![vec![0.0, 0.05, 0.0], vec![0.1, 0.0, 0.1], vec![0.0, 0.02, 0.05]],
        },
    }
}

/// A solid about the origin; a plane does not tilt, and fields of height stand.
pub fn collider(random: &mut Random, is_surface: bool) -> Collider {
    let shape = shape(random, false);
    let is_flat = matches!(shape, Shape::Plane { .. });
    let motion = match (random.below(2), is_flat && is_surface) {
        (0, _) => Motion::Still,
        (_, true) => Motion::Oscillate { amplitude: random.in_cube(0.2), frequency: 2.0 },
        _ => motion(random),
    };
    Collider { shape, motion, thickness: random.pick(&[0.0, 0.0, 0.01]), edge: None }
}

pub fn body(random: &mut Random) -> BodyDescription {
    BodyDescription {
        mass: random.pick(&[BodyMass::Total(0.05), BodyMass::Total(1.0), BodyMass::Density(300.0)]),
        velocity: random.in_cube(2.0),
        angular_velocity: random.in_cube(5.0),
        thickness: random.pick(&[0.0, 0.01]),
        ..BodyDescription::new(shape(random, true), 0.1)
    }
}

/// The same shape elsewhere.
pub fn shifted(shape: Shape, by: Vec3) -> Shape {
    match shape {
        Shape::Plane { point, normal } => Shape::Plane { point: point + by, normal },
        Shape::Sphere { center, radius } => Shape::Sphere { center: center + by, radius },
        Shape::Capsule { ends, radius } => Shape::Capsule { ends: ends.map(|end| end + by), radius },
        Shape::Cylinder { ends, radius } => Shape::Cylinder { ends: ends.map(|end| end + by), radius },
        Shape::Cuboid { center, size, rotation } => Shape::Cuboid { center: center + by, size, rotation },
        Shape::Hull { points } => Shape::Hull { points: points.into_iter().map(|x| x + by).collect() },
        Shape::Mesh(mesh) => {
            let positions = mesh.positions.iter().map(|x| *x + by).collect();
            Shape::Mesh(Arc::new(Mesh { positions, faces: mesh.faces.clone() }))
        }
        Shape::HeightField { corner, size, heights } => {
            Shape::HeightField { corner: corner + by, size, heights }
        }
    }
}

fn below(collider: Collider, k: usize) -> Collider {
    let by = Vec3::new(0.5, 0.5, -0.35 - 0.45 * k as Real);
    Collider { shape: shifted(collider.shape, by), ..collider }
}

fn above(body: BodyDescription, k: usize) -> BodyDescription {
    let by = Vec3::new(0.5, 0.4, 1.3 + 0.5 * k as Real);
    BodyDescription { shape: shifted(body.shape, by), ..body }
}
