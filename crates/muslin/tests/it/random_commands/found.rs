//! Faults that random commands have found, as small as they could be made.

use muslin::builder::EARTH_GRAVITY;
use muslin::elements::PressureLaw;
use muslin::prelude::*;

const FRAME: Real = 1.0 / 60.0;

fn surface() -> ContactLaw {
    ContactLaw::Surface(SurfaceContact::default())
}

/// A sheet of a metre pinned at its corners, of 6 × 6 cells.
fn world(name: &str, surroundings: &Surroundings) -> World {
    let mut builder = Builder::default();
    let resolution = Resolution::Cells([6, 6]);
    let pins = vec![Pin::at(Place::Corners)];
    builder.add_sheet(&Sheet { resolution, pins, ..Sheet::default() }).unwrap();
    let (model, state) = builder.finish(surroundings).unwrap();
    World::new(model, state, &SolverConfig::named(name).unwrap(), FRAME)
}

fn ball(x: Real, z: Real) -> Shape {
    Shape::Sphere { center: Vec3::new(x, 0.5, z), radius: 0.1 }
}

fn steps(world: &mut World, count: u32) {
    for _ in 0..count {
        world.step().unwrap();
    }
}

/// Whether a world and its checkpoint go on alike.
fn resumes(mut world: World) -> bool {
    let mut other = World::restore(&world.checkpoint()).unwrap();
    steps(&mut world, 3);
    steps(&mut other, 3);
    world.state == other.state
}

/// The constant matrix holds the coefficients of the wind: a world that kept the one without them went on otherwise than its checkpoint.
#[test]
fn a_new_wind_resumes() {
    let mut others = Vec::new();
    for name in SolverConfig::NAMES {
        let mut world = world(name, &Surroundings::default());
        world.dt = 1e-3;
        steps(&mut world, 1);
        world.apply(&Command::SetWind { velocity: Vec3::new(1.0, 2.0, 5.0), coefficient: 0.4 }).unwrap();
        steps(&mut world, 1);
        if !resumes(world) {
            others.push(name);
        }
    }
    assert!(others.is_empty(), "{others:?}");
}

/// Patches of a solid were made where its script has it at time 0, which a command changes.
#[test]
fn a_solid_that_was_posed_resumes() {
    let center = Vec3::new(0.5, 0.5, -0.35);
    let ends = [center - Vec3::X * 0.2, center + Vec3::new(0.2, 0.05, 0.0)];
    let colliders = vec![Shape::Cylinder { ends, radius: 0.06 }.into()];
    let surroundings = Surroundings { colliders, contact: surface(), ..Surroundings::default() };
    let mut world = world("pncg", &surroundings);
    steps(&mut world, 2);
    for k in 1..20 {
        let rotation = Rotation::from_scaled_axis(Vec3::new(0.01, 0.02, 0.03) * Real::from(k));
        let pose = Pose { center: center - rotation * center, rotation };
        world.apply(&Command::MoveCollider { collider: 0, pose }).unwrap();
        steps(&mut world, 1);
        assert!(resumes(world.clone()), "turn {k}");
    }
}

/// A restored world did not notice that the method has to start anew.
#[test]
fn commands_that_wait_for_a_step_resume() {
    let commands = [
        Command::Unpin(vec![0]),
        Command::Pin(vec![20]),
        Command::Grab { particle: 20, target: Vec3::new(0.4, 0.8, 0.1), stiffness: Some(20.0) },
        Command::ScaleStiffness { part: PartId(0), factor: 0.5 },
    ];
    let mut others = Vec::new();
    for name in ["bdf2", "beeman", "pncg"] {
        for command in &commands {
            let mut world = world(name, &Surroundings::default());
            world.dt = if name == "beeman" { 1e-4 } else { FRAME };
            steps(&mut world, 5);
            world.apply(command).unwrap();
            if !resumes(world) {
                others.push((name, command));
            }
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}

/// A world forgets contact forces when a solid is new; a restored one did not know that it is.
#[test]
fn a_solid_that_waits_for_a_step_resumes() {
    let floor = Shape::Plane { point: Vec3::new(0.0, 0.0, -0.05), normal: Vec3::Z };
    let colliders = vec![floor.into()];
    let surroundings = Surroundings { colliders, contact: surface(), ..Surroundings::default() };
    let commands = [
        Command::AddCollider(ball(3.0, 3.0).into()),
        Command::AddBody(BodyDescription::new(ball(3.0, 3.0), 0.1)),
        Command::SetFriction(0.0),
        Command::MoveCollider {
            collider: 0,
            pose: Pose { center: Vec3::new(0.1, 0.0, 0.01), rotation: Rotation::IDENTITY },
        },
    ];
    let mut others = Vec::new();
    for command in &commands {
        let mut world = world("pncg", &surroundings);
        steps(&mut world, 20);
        assert!(world.contact_report().unwrap().touching > 0);
        world.apply(command).unwrap();
        if !resumes(world) {
            others.push(command);
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}

#[test]
fn a_restored_state_is_the_same() {
    let colliders = vec![ball(0.5, -0.4).into()];
    let world = world("pncg", &Surroundings { colliders, contact: surface(), ..Surroundings::default() });
    assert_eq!(World::restore(&world.checkpoint()).unwrap().state, world.state);
}

/// A solid that waits below pinned cloth is not inside it.
#[test]
fn faults_are_where_solids_are() {
    let colliders = vec![ball(0.5, -0.2).into()];
    let mut world = world("xpbd", &Surroundings { colliders, contact: surface(), ..Surroundings::default() });
    world.apply(&Command::Pin((0..49).collect())).unwrap();
    let pose = Pose { center: Vec3::Z * 0.2, rotation: Rotation::IDENTITY };
    world.apply(&Command::MoveCollider { collider: 0, pose }).unwrap();
    steps(&mut world, 2);
    assert_eq!(world.intersections(), []);
    assert_eq!(world.max_penetration(), 0.0);
    assert_eq!(world.faults().inside, []);
}

/// What the builder refuses.
#[test]
fn commands_refuse_what_the_builder_refuses() {
    let mut wrong = Vec::new();
    let motion =
        Motion::Rotate { center: Vec3::ZERO, axis: Vec3::X, turns_per_second: 0.5, from: 0.0, until: 1.0 };
    let floor = Shape::Plane { point: Vec3::Z * -0.5, normal: Vec3::Z };
    let tilting = Command::AddCollider(Collider { motion, ..floor.into() });
    let with = |contact| world("xpbd", &Surroundings { contact, ..Surroundings::default() });
    let mut tell = |mut world: World, command: Command| {
        if world.apply(&command).is_ok() {
            wrong.push(command);
        }
    };
    tell(with(surface()), tilting);
    tell(with(ContactLaw::default()), Command::AddBody(BodyDescription::new(ball(0.5, 0.5), 0.1)));
    tell(with(ContactLaw::EnergySharing), Command::AddCollider(ball(0.5, -0.5).into()));
    tell(with(surface()), Command::SetGravity(Vec3::Z * 1e300));
    tell(with(surface()), Command::MovePins { particles: vec![0], targets: vec![Vec3::Z * 1e300] });
    for law in [
        PressureLaw::Constant(Real::NAN),
        PressureLaw::Gas { over: -3.0, ambient: 1.0 },
        PressureLaw::Volume { factor: -1.0, stiffness: Real::INFINITY },
    ] {
        let mut builder = Builder::default();
        let pressure = Some(PressureLaw::Constant(1.0));
        builder.add_ball(&Ball { subdivisions: 1, pressure, ..Ball::default() }).unwrap();
        let (model, state) = builder.finish(&Surroundings::default()).unwrap();
        let world = World::new(model, state, &SolverConfig::default(), FRAME);
        tell(world, Command::SetPressure { surface: 0, law });
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A plane that tilts goes through cloth.
#[test]
fn no_plane_tilts_into_cloth() {
    let mut world = world("xpbd", &Surroundings { contact: surface(), ..Surroundings::default() });
    let center = Vec3::new(0.5, 0.5, -0.1);
    let motion = Motion::Rotate { center, axis: Vec3::X, turns_per_second: 1.0, from: 0.0, until: 1.0 };
    let floor = Shape::Plane { point: center - Vec3::Z * 0.1, normal: Vec3::Z };
    drop(world.apply(&Command::AddCollider(Collider { motion, ..floor.into() })));
    for _ in 0..20 {
        steps(&mut world, 1);
        assert_eq!(world.intersections(), []);
    }
}

/// A box that slides on a slope without friction stops when there is friction.
#[test]
fn friction_is_that_of_all_contacts() {
    let at = Vec3::new(5.0, 0.0, -1.0);
    let floor = Shape::Plane { point: at, normal: Vec3::Z };
    let size = Vec3::splat(0.2);
    let block = Shape::Cuboid { center: at + Vec3::Z * 0.1, size, rotation: Vec3::ZERO };
    let way = |first: Real| {
        let contact = ContactLaw::Surface(SurfaceContact { friction: first, ..SurfaceContact::default() });
        let (colliders, bodies) =
            (vec![floor.clone().into()], vec![BodyDescription::new(block.clone(), 1.0)]);
        let gravity = EARTH_GRAVITY + Vec3::X * 2.0;
        let surroundings = Surroundings { contact, colliders, bodies, gravity, ..Surroundings::default() };
        let mut world = world("xpbd", &surroundings);
        steps(&mut world, 1);
        world.apply(&Command::SetFriction(1.0)).unwrap();
        steps(&mut world, 60);
        world.state.bodies[0].pose.center.x - at.x
    };
    assert!(way(1.0) < 0.05, "it sticks: {} m", way(1.0));
    assert!(way(0.0) < 0.05, "it slides on: {} m", way(0.0));
}

/// The last target counts, and nothing lags behind the other one.
#[test]
fn a_pin_named_twice_does_not_lag() {
    let mut world = world("xpbd", &Surroundings { contact: surface(), ..Surroundings::default() });
    let targets = vec![Vec3::new(-0.02, 0.0, 0.0), Vec3::new(0.0, -0.02, 0.0)];
    match world.apply(&Command::MovePins { particles: vec![0, 0], targets }) {
        Ok(()) => steps(&mut world, 10),
        Err(_) => return,
    }
    assert_eq!(world.contact_report().unwrap().lag, 0.0);
}

/// A body that falls on cloth.
#[test]
fn bodies_share_their_energy_under_every_method() {
    for name in SolverConfig::NAMES {
        let bodies = vec![BodyDescription::new(ball(0.5, 0.105), 0.1)];
        let contact = ContactLaw::EnergySharing;
        let mut world = world(name, &Surroundings { bodies, contact, ..Surroundings::default() });
        world.dt = 1e-3;
        for _ in 0..100 {
            let _ = world.step();
        }
    }
}
