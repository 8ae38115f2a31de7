//! Random commands: most of them as a game would give them, some absurd, some that must be refused.

use super::random::Random;
use super::worlds::{body, collider, pressure, shifted, solver, step_of};
use muslin::elements::PressureLaw;
use muslin::prelude::*;

/// What a command is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// As a game would give it.
    Plain,
    /// With numbers that are allowed, but nowhere found: the method may diverge.
    Absurd,
    /// To be refused.
    Wrong,
}

/// Commands that are given together.
pub fn commands(random: &mut Random, world: &World) -> Vec<(Kind, Command)> {
    match random.below(20) {
        0 | 1 => vec![(Kind::Wrong, wrong(random, world))],
        2 if random.chance(0.4) => vec![(Kind::Absurd, absurd(random, world))],
        _ => plain(random, world).into_iter().map(|command| (Kind::Plain, command)).collect(),
    }
}

fn held(world: &World) -> Vec<u32> {
    (0..world.model.len() as u32).filter(|&p| world.model.is_held(p as usize)).collect()
}

fn particle(random: &mut Random, world: &World) -> u32 {
    random.below(world.model.len()) as u32
}

fn some_particles(random: &mut Random, world: &World) -> Vec<u32> {
    match random.below(12) {
        0 => (0..world.model.len() as u32).collect(),
        1 => Vec::new(),
        2 => held(world),
        3 => vec![particle(random, world); 2],
        n => (0..n.min(6)).map(|_| particle(random, world)).collect(),
    }
}

/// How far things are moved in a step [m].
fn way(random: &mut Random) -> Real {
    random.pick(&[0.005, 0.03, 0.03, 0.1, 0.6])
}

fn plain(random: &mut Random, world: &World) -> Vec<Command> {
    let (model, x) = (&world.model, &world.state.positions);
    let one = match random.below(21) {
        0 | 1 | 17 => {
            let held = held(world);
            let particles: Vec<u32> = match random.below(3) {
                _ if held.is_empty() => Vec::new(),
                0 => held,
                1 => vec![random.pick(&held)],
                _ => held.into_iter().step_by(2).collect(),
            };
            let way = way(random);
            let together = random.in_cube(way);
            let apart = random.chance(0.5);
            let target = |&p: &u32| x[p as usize] + if apart { random.in_cube(way) } else { together };
            let targets = particles.iter().map(target).collect();
            Command::MovePins { particles, targets }
        }
        2 | 3 | 18 if !model.colliders.is_empty() => {
            let k = random.below(model.colliders.len());
            let frame = model.colliders[k].motion.frame(world.collider_times()[k]);
            let is_plane = matches!(model.colliders[k].shape, Shape::Plane { .. });
            let turn = if is_plane { Rotation::IDENTITY } else { random.rotation(0.2) };
            let way = way(random);
            let center = frame.place(Vec3::ZERO) + random.in_cube(way);
            let pose = Pose { center, rotation: (turn * frame.rotation).normalize() };
            Command::MoveCollider { collider: k, pose }
        }
        4 => Command::Pin(some_particles(random, world)),
        5 => Command::Unpin(some_particles(random, world)),
        6 | 7 | 19 => {
            let grabbed = grabbed(world);
            let particle = if !grabbed.is_empty() && random.chance(0.6) {
                random.pick(&grabbed)
            } else {
                particle(random, world)
            };
            let way = way(random);
            let target = x[particle as usize] + random.in_cube(way);
            Command::Grab { particle, target, stiffness: random.pick(&[None, None, Some(20.0), Some(300.0)]) }
        }
        8 if !grabbed(world).is_empty() => Command::Release(random.pick(&grabbed(world))),
        9 => Command::SetGravity(random.in_cube(20.0)),
        10 => Command::SetWind { velocity: random.in_cube(10.0), coefficient: random.between(0.0, 0.5) },
        11 if !matches!(model.contact, ContactLaw::Reflection { .. } | ContactLaw::EnergySharing) => {
            Command::SetFriction(random.pick(&[0.0, 0.2, 0.7, 3.0]))
        }
        12 => Command::ScaleStiffness {
            part: PartId(random.below(model.parts.len())),
            factor: random.pick(&[0.3, 0.8, 1.0, 1.5, 3.0]),
        },
        13 if !model.elements.pressures.is_empty() => {
            let surface = random.below(model.elements.pressures.len());
            Command::SetPressure { surface, law: pressure(random) }
        }
        14 | 20 => return added(random, world),
        15 if !model.colliders.is_empty() && random.chance(0.5) => {
            Command::RemoveCollider(random.below(model.colliders.len()))
        }
        15 if !model.bodies.is_empty() => Command::RemoveBody(random.below(model.bodies.len())),
        16 if random.chance(0.5) => {
            let config = solver(random, &world.model);
            let step = Command::SetStep { dt: step_of(&config, random), substeps: 1 };
            return vec![Command::SetSolver(config), step];
        }
        16 => {
            let dt = step_of(world.solver(), random) * random.pick(&[1.0, 0.7]);
            Command::SetStep { dt, substeps: random.pick(&[1, 2, 3]) }
        }
        _ => Command::SetGravity(Vec3::new(0.0, 0.0, -9.81)),
    };
    vec![one]
}

fn grabbed(world: &World) -> Vec<u32> {
    let attachments = &world.model.elements.attachments;
    attachments[attachments.len() - world.model.grabs..].iter().map(|grab| grab.particle).collect()
}

/// A new solid or body, anywhere: where there is cloth it is refused.
fn added(random: &mut Random, world: &World) -> Vec<Command> {
    let at = Vec3::new(0.5, 0.5, 0.0) + random.in_cube(1.0);
    let is_surface = matches!(world.model.contact, ContactLaw::Surface(_));
    let for_bodies = is_surface || world.model.contact == ContactLaw::EnergySharing;
    if world.model.colliders.len() + world.model.bodies.len() > 5 {
        return Vec::new();
    }
    if for_bodies && (random.chance(0.5) || !is_surface) {
        let body = body(random);
        return vec![Command::AddBody(BodyDescription { shape: shifted(body.shape, at), ..body })];
    }
    let solid = collider(random, is_surface);
    vec![Command::AddCollider(Collider { shape: shifted(solid.shape, at), ..solid })]
}

fn absurd(random: &mut Random, world: &World) -> Command {
    let particle = particle(random, world);
    let large = random.pick(&[1e4, 1e8, 1e20, 1e300]);
    match random.below(11) {
        0 => Command::SetGravity(Vec3::X * large),
        1 => Command::SetWind { velocity: Vec3::Z * large, coefficient: random.pick(&[1e-3, 1.0, large]) },
        2 => Command::Grab { particle, target: Vec3::Y * large, stiffness: None },
        3 => {
            let target = world.state.positions[particle as usize] + Vec3::Z * 0.1;
            Command::Grab { particle, target, stiffness: Some(random.pick(&[1e-300, large])) }
        }
        4 => {
            let particles = held(world);
            let targets = vec![Vec3::splat(large); particles.len()];
            Command::MovePins { particles, targets }
        }
        5 if !world.model.colliders.is_empty() => {
            let pose = Pose { center: Vec3::X * large, rotation: Rotation::IDENTITY };
            Command::MoveCollider { collider: 0, pose }
        }
        6 => {
            Command::ScaleStiffness { part: PartId(0), factor: random.pick(&[1e-30, 1e-6, 1e6, 1e30, large]) }
        }
        7 => {
            // Long ones under contact take minutes.
            let is_surface = matches!(world.model.contact, ContactLaw::Surface(_));
            let dt = if is_surface { [1e-12, 1e-7, 0.1] } else { [1e-12, 1.0, 1e6] };
            Command::SetStep { dt: random.pick(&dt), substeps: 1 }
        }
        8 => Command::SetFriction(large),
        9 if !world.model.elements.pressures.is_empty() => {
            let law = random.pick(&[
                PressureLaw::Constant(large),
                PressureLaw::Volume { factor: 100.0, stiffness: large },
                PressureLaw::Gas { over: large, ambient: 1.0 },
            ]);
            Command::SetPressure { surface: 0, law }
        }
        _ => {
            // In a step that is not of this method.
            Command::SetSolver(solver(random, &world.model))
        }
    }
}

fn wrong(random: &mut Random, world: &World) -> Command {
    let (count, model) = (world.model.len() as u32, &world.model);
    let bad = random.pick(&[Real::NAN, Real::INFINITY, Real::NEG_INFINITY]);
    let particle = particle(random, world);
    let free = (0..count).find(|&p| !model.is_held(p as usize));
    let held = held(world);
    match random.below(26) {
        0 => Command::MovePins { particles: vec![count], targets: vec![Vec3::ZERO] },
        1 => Command::MovePins { particles: held, targets: vec![Vec3::ZERO; count as usize + 1] },
        2 if !held.is_empty() => {
            let mut targets = vec![Vec3::ZERO; held.len()];
            targets[held.len() - 1].y = bad;
            Command::MovePins { particles: held, targets }
        }
        3 if free.is_some() => {
            let particles: Vec<u32> = held.into_iter().chain(free).collect();
            Command::MovePins { targets: vec![Vec3::ZERO; particles.len()], particles }
        }
        4 => {
            let pose = Pose { center: Vec3::ZERO, rotation: Rotation::IDENTITY };
            Command::MoveCollider { collider: model.colliders.len(), pose }
        }
        5 => {
            let pose = Pose { center: Vec3::X * bad, rotation: Rotation::IDENTITY };
            Command::MoveCollider { collider: 0, pose }
        }
        6 => {
            let rotation = random.pick(&[
                Rotation::from_xyzw(0.0, 0.0, 0.0, 0.0),
                Rotation::from_xyzw(0.0, 1.0, 0.0, 1.0),
                Rotation::from_xyzw(bad, 0.0, 0.0, 1.0),
            ]);
            Command::MoveCollider { collider: 0, pose: Pose { center: Vec3::ZERO, rotation } }
        }
        7 => Command::Pin(vec![particle, count]),
        8 => Command::Unpin(vec![particle, u32::MAX]),
        9 => Command::Grab { particle: count, target: Vec3::ZERO, stiffness: None },
        10 => Command::Grab { particle, target: Vec3::Y * bad, stiffness: None },
        11 => {
            let stiffness = Some(random.pick(&[0.0, -1.0, bad]));
            Command::Grab { particle, target: Vec3::Y, stiffness }
        }
        12 => Command::Release(count + 7),
        13 => Command::SetGravity(Vec3::Z * bad),
        14 => Command::SetWind { velocity: Vec3::Z * bad, coefficient: 0.1 },
        15 => Command::SetWind { velocity: Vec3::Z, coefficient: random.pick(&[-0.1, bad]) },
        16 => Command::SetFriction(random.pick(&[-0.1, bad])),
        17 => Command::ScaleStiffness { part: PartId(model.parts.len()), factor: 1.0 },
        18 => Command::ScaleStiffness { part: PartId(0), factor: random.pick(&[0.0, -1.0, bad]) },
        19 => {
            let surface = model.elements.pressures.len();
            Command::SetPressure { surface, law: PressureLaw::Constant(1.0) }
        }
        20 => Command::RemoveCollider(model.colliders.len()),
        21 => Command::RemoveBody(model.bodies.len()),
        22 => Command::SetStep { dt: random.pick(&[0.0, -1.0, bad]), substeps: 1 },
        23 => Command::SetStep { dt: 0.01, substeps: 0 },
        24 => {
            let shape = random.pick(&[
                Shape::Sphere { center: Vec3::ZERO, radius: -0.1 },
                Shape::Plane { point: Vec3::Z * bad, normal: Vec3::Z },
                Shape::Hull { points: vec![Vec3::ZERO, Vec3::X, Vec3::Y] },
                Shape::Capsule { ends: [Vec3::ZERO, Vec3::X * bad], radius: 0.1 },
            ]);
            if random.chance(0.5) {
                Command::AddCollider(shape.into())
            } else {
                Command::AddBody(BodyDescription::new(shape, 1.0))
            }
        }
        _ => {
            let ball = Shape::Sphere { center: Vec3::Z * -9.0, radius: 0.1 };
            Command::AddBody(BodyDescription::new(ball, random.pick(&[0.0, -1.0, bad])))
        }
    }
}
