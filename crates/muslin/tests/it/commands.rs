//! Commands between steps: they do what they say, keep the guarantee, re-factor only what they must, and replay to the bit.

use muslin::hash::state_hash;
use muslin::prelude::*;
use muslin::solvers::ProjectiveConfig;

const FRAME: Real = 1.0 / 60.0;

/// A sheet of a metre in the horizontal plane, pinned at its corners.
fn sheet(cells: usize, contact: ContactLaw) -> (Model, State) {
    let mut builder = Builder::default();
    let pins = vec![Pin::at(Place::Corners)];
    let resolution = Resolution::Cells([cells, cells]);
    builder.add_sheet(&Sheet { resolution, pins, ..Sheet::default() }).unwrap();
    builder.finish(&Surroundings { contact, ..Surroundings::default() }).unwrap()
}

fn surface() -> ContactLaw {
    ContactLaw::Surface(SurfaceContact::default())
}

fn run(world: &mut World, steps: u32) -> u32 {
    (0..steps).map(|_| world.step().unwrap().factorizations).sum()
}

/// A point that is pulled at 2 m/s stays at the hand, and no matrix is factored on the way.
#[test]
fn a_grabbed_point_follows_without_factoring() {
    for config in [SolverConfig::default(), ProjectiveConfig::default().into(), XpbdConfig::default().into()]
    {
        let (model, state) = sheet(20, ContactLaw::default());
        let mut world = World::new(model, state, &config, FRAME);
        let (particle, stiffness) = (10 * 21 + 10, None);
        run(&mut world, 60);
        let from = world.state.positions[particle as usize];
        world.apply(&Command::Grab { particle, target: from, stiffness }).unwrap();
        let at_grab = run(&mut world, 2);
        let is_factored = config.name() != "xpbd";
        assert_eq!(at_grab > 0, is_factored, "{}", config.name());
        let mut factored = 0;
        let mut target = from;
        for frame in 1..=12 {
            target = from + Vec3::Z * (2.0 * FRAME * Real::from(frame)).min(0.4);
            world.apply(&Command::Grab { particle, target, stiffness }).unwrap();
            factored += run(&mut world, 1);
            let lag = world.state.positions[particle as usize].distance(target);
            assert!(lag < 2.0 * FRAME, "{}: {lag} m behind in frame {frame}", config.name());
        }
        factored += run(&mut world, 120);
        assert_eq!(factored, 0, "{}", config.name());
        let off = world.state.positions[particle as usize].distance(target);
        assert!(off < 5e-3, "{}: {off} m off at rest", config.name());
        world.apply(&Command::Release(particle)).unwrap();
        run(&mut world, 60);
        assert!(world.state.positions[particle as usize].z < target.z - 0.1, "{}", config.name());
        assert_eq!(world.apply(&Command::Release(particle)), Err(CommandError::NotGrabbed(particle)));
    }
}

/// A capsule that is given a pose in every frame goes up through where a cloth hangs, turning: it takes the cloth along, and nothing
/// passes through anything.
#[test]
fn a_capsule_given_pose_by_pose_passes_through_nothing() {
    for name in ["xpbd", "pncg", "symplectic-euler"] {
        let (model, state) = sheet(16, surface());
        let (config, dt) = match name {
            "symplectic-euler" => (SolverConfig::named(name).unwrap(), 1.0 / 1920.0),
            _ => (SolverConfig::named(name).unwrap(), FRAME / 4.0),
        };
        let mut world = World::new(model, state, &config, dt);
        let ends = [Vec3::X * -0.3, Vec3::X * 0.3];
        let pose = |time: Real| Pose {
            center: Vec3::new(0.5, 0.5 + 0.2 * (3.0 * time).sin(), -0.4 + 1.5 * time),
            rotation: Rotation::from_scaled_axis(Vec3::new(0.3, 0.5, 2.0) * time),
        };
        // Out of the way first: it is where its shape is until it is moved.
        let far = Motion::Translate { velocity: Vec3::ZERO, from: 0.0, until: 0.0 };
        let below = ends.map(|end| end + pose(0.0).center);
        let capsule = Collider { motion: far, ..Shape::Capsule { ends: below, radius: 0.1 }.into() };
        world.apply(&Command::AddCollider(capsule)).unwrap();
        let start = pose(0.0);
        let mut highest: Real = -1.0;
        while world.state.time < 0.6 {
            let next = pose(world.state.time + dt);
            // Its shape stands at the first pose already.
            let rotation = next.rotation;
            let moved = Pose { center: next.center - rotation * start.center, rotation };
            world.apply(&Command::MoveCollider { collider: 0, pose: moved }).unwrap();
            world.step().unwrap();
            assert_eq!(world.intersections(), [], "{name} at {} s", world.state.time);
            highest = world.state.positions.iter().map(|x| x.z).fold(highest, Real::max);
        }
        assert!(highest > 0.2, "{name}: it lifted the cloth to {highest} m only");
        assert_eq!(world.faults().inside, [], "{name}");
    }
}

/// Pins that are dragged across each other through a cloth: they get as far as the cloth lets them.
#[test]
fn pins_go_to_targets_and_no_farther_than_is_safe() {
    let (model, state) = sheet(10, surface());
    let mut world = World::new(model, state, &XpbdConfig::default().into(), FRAME);
    let corners = [0u32, 10, 110, 120];
    let start: Vec<Vec3> = corners.iter().map(|&p| world.state.positions[p as usize]).collect();
    for frame in 1..=40 {
        let part = Real::from(frame) / 40.0;
        let targets = start.iter().map(|x| x.lerp(Vec3::new(0.5, 0.5, 0.0), 0.4 * part)).collect();
        world.apply(&Command::MovePins { particles: corners.to_vec(), targets }).unwrap();
        world.step().unwrap();
        assert_eq!(world.intersections(), []);
    }
    let off = world.state.positions[0].distance(start[0].lerp(Vec3::new(0.5, 0.5, 0.0), 0.4));
    assert!(off < 1e-9, "{off}");
    let error = world.apply(&Command::MovePins { particles: vec![5], targets: vec![Vec3::ZERO] });
    assert_eq!(error, Err(CommandError::NotPinned(5)));
}

#[test]
fn pinning_and_unpinning_factor_anew_and_hold() {
    let (model, state) = sheet(10, ContactLaw::default());
    let mut world = World::new(model, state, &SolverConfig::default(), FRAME);
    run(&mut world, 30);
    let middle = 60;
    let held = world.state.positions[middle as usize];
    world.apply(&Command::Pin(vec![middle])).unwrap();
    world.apply(&Command::Unpin(vec![0, 10, 110, 120])).unwrap();
    assert!(run(&mut world, 30) > 0);
    assert_eq!(world.state.positions[middle as usize], held);
    assert!(world.state.positions[0].z < held.z - 0.05, "the corners hang");
    world.apply(&Command::Unpin(vec![middle])).unwrap();
    run(&mut world, 30);
    assert!(world.state.positions[middle as usize].z < held.z - 0.3, "all falls");
}

/// What does not enter a matrix is not factored.
#[test]
fn gravity_wind_friction_and_solids_factor_nothing() {
    let (model, state) = sheet(10, surface());
    let mut world = World::new(model, state, &SolverConfig::default(), FRAME);
    run(&mut world, 10);
    // How air resists is in the matrix, how fast it goes is not.
    world.apply(&Command::SetWind { velocity: Vec3::Z * 2.0, coefficient: 0.2 }).unwrap();
    assert!(run(&mut world, 1) > 0);
    let ball = |z: Real| Shape::Sphere { center: Vec3::new(0.5, 0.5, z), radius: 0.1 };
    let commands = [
        Command::SetGravity(Vec3::new(0.0, 1.0, -5.0)),
        Command::SetWind { velocity: Vec3::Z * 3.0, coefficient: 0.2 },
        Command::SetFriction(0.9),
        Command::AddCollider(ball(-0.7).into()),
        Command::AddBody(BodyDescription::new(ball(0.5), 0.05)),
        Command::RemoveCollider(0),
    ];
    for command in commands {
        world.apply(&command).unwrap();
        assert_eq!(run(&mut world, 5), 0, "{command:?}");
        assert_eq!(world.intersections(), [], "{command:?}");
    }
    run(&mut world, 60);
    assert!(world.state.bodies[0].pose.center.z > -0.5, "the body lies on the cloth");
    world.apply(&Command::RemoveBody(0)).unwrap();
    run(&mut world, 10);
    world.apply(&Command::ScaleStiffness { part: PartId(0), factor: 3.0 }).unwrap();
    assert!(run(&mut world, 1) > 0);
}

/// What would stand in the cloth is refused, and so are numbers that cannot be; the world goes on as if nothing had been said.
#[test]
fn what_cannot_be_is_refused_and_changes_nothing() {
    let (model, state) = sheet(10, surface());
    let mut world = World::new(model, state, &XpbdConfig::default().into(), FRAME);
    let mut other = world.clone();
    let in_the_way = Shape::Sphere { center: Vec3::new(0.5, 0.5, 0.0), radius: 0.2 };
    let refused = [
        Command::AddCollider(in_the_way.clone().into()),
        Command::AddBody(BodyDescription::new(in_the_way, 1.0)),
        Command::MoveCollider {
            collider: 0,
            pose: Pose { center: Vec3::ZERO, rotation: Rotation::IDENTITY },
        },
        Command::MovePins { particles: vec![0, 10], targets: vec![Vec3::ZERO] },
        Command::MovePins { particles: vec![0], targets: vec![Vec3::NAN] },
        Command::Pin(vec![121]),
        Command::Unpin(vec![4, 999_999]),
        Command::Grab { particle: 5, target: Vec3::splat(f64::INFINITY), stiffness: None },
        Command::Grab { particle: 5, target: Vec3::ZERO, stiffness: Some(-1.0) },
        Command::SetGravity(Vec3::NAN),
        Command::SetFriction(-0.1),
        Command::SetStep { dt: 0.0, substeps: 1 },
        Command::SetStep { dt: 0.1, substeps: 0 },
        Command::ScaleStiffness { part: PartId(1), factor: 2.0 },
        Command::ScaleStiffness { part: PartId(0), factor: 0.0 },
        Command::SetPressure { surface: 0, law: muslin::elements::PressureLaw::Constant(1.0) },
        Command::RemoveBody(0),
        Command::RemoveCollider(0),
    ];
    for command in refused {
        assert!(world.apply(&command).is_err(), "{command:?}");
    }
    run(&mut world, 10);
    run(&mut other, 10);
    assert_eq!(state_hash(&world.state), state_hash(&other.state));
}

/// The same commands at the same steps lead to the same bits, also from a checkpoint in between.
#[test]
fn a_recording_replays_to_the_bit() {
    for name in ["pncg", "xpbd", "bdf2"] {
        let (model, state) = sheet(10, surface());
        let mut world = World::new(model.clone(), state.clone(), &SolverConfig::named(name).unwrap(), FRAME);
        let mut recording = Recording::default();
        let ball = Shape::Sphere { center: Vec3::ZERO, radius: 0.15 };
        let away = Collider {
            motion: Motion::Translate { velocity: Vec3::Z * -2.0, from: -1.0, until: 0.0 },
            ..ball.into()
        };
        let mut tell = |world: &mut World, command| recording.apply(world, command).unwrap();
        for step in 0..60 {
            match step {
                5 => tell(&mut world, Command::AddCollider(away.clone())),
                10 => tell(&mut world, Command::SetGravity(Vec3::Z * -5.0)),
                20 => tell(&mut world, Command::Unpin(vec![0])),
                30 => tell(&mut world, Command::SetStep { dt: FRAME / 2.0, substeps: 2 }),
                40 => tell(&mut world, Command::SetSolver(XpbdConfig::default().into())),
                50 => tell(&mut world, Command::RemoveCollider(0)),
                _ => {}
            }
            if (6..50).contains(&step) {
                let center = Vec3::new(0.5, 0.4, -1.0 + 0.03 * f64::from(step));
                let pose = Pose { center, rotation: Rotation::IDENTITY };
                tell(&mut world, Command::MoveCollider { collider: 0, pose });
            }
            if step % 3 == 0 {
                let target = Vec3::new(0.3, 0.3, 0.01 * f64::from(step));
                tell(&mut world, Command::Grab { particle: 36, target, stiffness: Some(50.0) });
            }
            world.step().unwrap();
            assert_eq!(world.intersections(), [], "{name}, step {step}");
        }
        let mut again = World::new(model, state, &SolverConfig::named(name).unwrap(), FRAME);
        for step in 0..60 {
            if step % 17 == 3 {
                again = World::restore(&again.checkpoint()).unwrap();
            }
            recording.replay(&mut again).unwrap();
            again.step().unwrap();
        }
        assert_eq!(state_hash(&world.state), state_hash(&again.state), "{name}");
    }
}
