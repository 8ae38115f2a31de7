//! Sleep: what rests is not stepped, what is touched wakes, and nobody can tell from the result.

mod edits;

use crate::support::max_distance;
use muslin::builder::{Attach, WindCoefficient, WindDescription};
use muslin::hash::state_hash;
use muslin::prelude::*;
use muslin::profile::Profile;
use muslin::sleep::Sleep;
use muslin::stability::largest_stable_step;
use muslin::threads;

/// Particles along a side, and their distance [m].
const SIDE: usize = 30;
const EDGE: Real = 0.02;
const THICKNESS: Real = 2e-3;
const DT: Real = 1.0 / 60.0;

fn surfaces() -> ContactLaw {
    let law = SurfaceContact { thickness: Some(THICKNESS), friction: 0.4, ..SurfaceContact::default() };
    ContactLaw::Surface(law)
}

fn projection() -> ContactLaw {
    ContactLaw::Projection { restitution: 0.0, friction: 0.4 }
}

/// A carpet on the floor.
fn carpet(pins: Vec<Pin>) -> Sheet {
    let size = EDGE * (SIDE - 1) as Real;
    Sheet {
        size: [size, size],
        resolution: Resolution::Particles([SIDE, SIDE]),
        origin: Vec3::Z * (0.5 * THICKNESS),
        pins,
        ..Sheet::default()
    }
}

/// What surrounds it: its floor, and sleep.
fn around(contact: ContactLaw) -> Surroundings {
    let height = if matches!(contact, ContactLaw::Surface(_)) { 0.0 } else { 0.5 * THICKNESS };
    let floor = Shape::Plane { point: Vec3::Z * height, normal: Vec3::Z };
    let sleep = Some(Sleep { after: 0.2, ..Sleep::default() });
    Surroundings { colliders: vec![floor.into()], contact, sleep, ..Surroundings::default() }
}

fn world(sheet: &Sheet, surroundings: &Surroundings, solver: &str) -> World {
    let mut builder = Builder::default();
    builder.add_sheet(sheet).unwrap();
    let (model, state) = builder.finish(surroundings).unwrap();
    let config = SolverConfig::named(solver).unwrap();
    let stable = largest_stable_step(&model, &state.positions, &config);
    let mut world = World::new(model, state, &config, DT);
    // Explicit methods: half of what linear theory allows.
    world.substeps = stable.map_or(1, |h| (DT / (0.5 * h)).ceil().max(1.0) as u32);
    world
}

/// One corner of the carpet is lifted after a time [s], and laid down again.
fn lifted(from: Real) -> Vec<Pin> {
    let motion = Motion::Keyframes {
        times: [0.0, 0.3, 0.6].map(|time| from + time).to_vec(),
        positions: vec![Vec3::ZERO, Vec3::new(0.02, 0.02, 0.06), Vec3::ZERO],
        rotations: Vec::new(),
        center: Vec3::ZERO,
    };
    vec![Pin { motion, ..Pin::at(Place::Particles(vec![0])) }]
}

fn run_until(world: &mut World, time: Real) {
    while world.state.time < time - 0.5 * DT {
        world.step().unwrap();
    }
}

/// A carpet that has fallen asleep as a whole.
fn sleeping(surroundings: &Surroundings, pins: Vec<Pin>, solver: &str) -> World {
    let mut world = world(&carpet(pins), surroundings, solver);
    run_until(&mut world, 1.0);
    assert_eq!(world.sleeping_particles(), world.model.len(), "{solver}");
    world
}

/// Half a millimetre: `distance`, ten times over, for steps that are not solved to the end. `pncg` stops after 20 iterations, and goes
/// another way to the minimum of a smaller problem; where cloth slides to rest under friction, 1.7 mm of that stay (measured), of a
/// lift of 60 mm. By `implicit-euler` a step of 1/60 s carries the push of the pin through all of
/// the carpet, but no farther than to the end of what is awake: 2.3 mm (projection) and 6.5 mm (surfaces) beside the pin, with eight times
/// as many steps 0.45 and 0.23 mm.
#[test]
fn the_result_is_that_of_a_run_without_sleep() {
    for (solver, tolerance) in
        [("xpbd", 5e-4), ("pncg", 3e-3), ("velocity-verlet", 5e-4), ("implicit-euler", 1e-2)]
    {
        for contact in [projection(), surfaces()] {
            let surroundings = around(contact);
            let awake = Surroundings { sleep: None, ..surroundings.clone() };
            let mut worlds =
                [surroundings, awake].map(|surroundings| world(&carpet(lifted(0.7)), &surroundings, solver));
            let mut most_asleep = 0;
            let mut farthest: Real = 0.0;
            while worlds[0].state.time < 1.6 {
                for world in &mut worlds {
                    world.step().unwrap();
                }
                if worlds[0].state.time > 0.75 && worlds[0].state.time < 1.3 {
                    most_asleep = most_asleep.max(worlds[0].sleeping_particles());
                }
                farthest = farthest.max(max_distance(&worlds[0].state.positions, &worlds[1].state.positions));
            }
            println!("{solver} {contact:?}: {farthest:e} m, {most_asleep} asleep");
            assert!(farthest < tolerance, "{solver}: {farthest} m");
            assert!(most_asleep > SIDE * SIDE / 5, "{solver}: {most_asleep} asleep while a corner moves");
        }
    }
}

/// With nothing asleep a step is the same, to the bit.
#[test]
fn while_all_is_awake_the_bits_are_those_without_sleep() {
    for solver in SolverConfig::NAMES {
        let sheet =
            Sheet { resolution: Resolution::Particles([6, 6]), pins: lifted(0.0), ..carpet(Vec::new()) };
        let surroundings = Surroundings { sleep: Some(Sleep::default()), ..around(surfaces()) };
        let awake = Surroundings { sleep: None, ..surroundings.clone() };
        let [one, other] = [surroundings, awake].map(|surroundings| {
            let mut world = world(&sheet, &surroundings, solver);
            world.dt = 1e-4;
            world.substeps = 1;
            for _ in 0..50 {
                world.step().unwrap();
            }
            assert_eq!(world.sleeping_particles(), 0);
            state_hash(&world.state)
        });
        assert_eq!(one, other, "{solver}");
    }
}

#[test]
fn commands_wake_what_they_name() {
    let centre = (SIDE * SIDE / 2 + SIDE / 2) as u32;
    let target = Vec3::new(0.3, 0.3, 0.05);
    let other_wind = Command::SetWind { velocity: Vec3::Z * 3.0, coefficient: 1.0 };
    let ball = Shape::Sphere { center: Vec3::new(0.3, 0.3, 0.5), radius: 0.05 };
    let cases = [
        (Command::Grab { particle: centre, target, stiffness: None }, false),
        (Command::MovePins { particles: vec![0], targets: vec![Vec3::Z * 0.01] }, false),
        (Command::Pin(vec![centre]), false),
        (Command::Unpin(vec![0]), false),
        (Command::SetGravity(Vec3::new(0.0, 3.0, -9.0)), true),
        (other_wind, true),
        (Command::SetFriction(0.1), true),
        (Command::AddCollider(ball.into()), true),
        (Command::ScaleStiffness { part: PartId(0), factor: 2.0 }, true),
        (Command::SetSolver(SolverConfig::named("implicit-euler").unwrap()), true),
        (Command::Cut([1, 2, 3].map(|j| (SIDE + j - 1) as u32).to_vec()), true),
    ];
    let asleep = sleeping(&around(surfaces()), vec![Pin::at(Place::Particles(vec![0]))], "xpbd");
    for (command, wakes_all) in cases {
        let mut world = asleep.clone();
        world.apply(&command).unwrap();
        let report = world.step().unwrap();
        let still = report.sleeping_particles as usize;
        let named = match &command {
            Command::Grab { .. } | Command::Pin(_) => centre,
            _ => 0,
        };
        assert!(!world.is_asleep(named as usize), "{command:?}");
        // What is beside a particle that is pulled may wake at once, too.
        assert!(still == 0 || !wakes_all, "{command:?}: {still} asleep");
    }
}

#[test]
fn what_is_changed_by_hand_wakes() {
    let asleep = sleeping(&around(surfaces()), Vec::new(), "xpbd");
    let mut gravity = asleep.clone();
    gravity.model.set_gravity(Vec3::Z * -5.0);
    assert_eq!(gravity.step().unwrap().sleeping_particles, 0);
    let mut softer = asleep.clone();
    softer.model.change(|data| data.elements.springs.iter_mut().for_each(|spring| spring.stiffness *= 0.5));
    assert_eq!(softer.step().unwrap().sleeping_particles, 0);
    let mut pushed = asleep.clone();
    pushed.state.velocities[5] = Vec3::Z * 0.5;
    let still = pushed.step().unwrap().sleeping_particles as usize;
    assert!(
        still > 0 && !pushed.is_asleep(5) && pushed.state.positions[5].z > asleep.state.positions[5].z + 1e-5
    );
    let mut never = asleep;
    never.model.change(|data| data.sleep = None);
    assert_eq!(never.step().unwrap().sleeping_particles, 0);
}

/// A load and a wind that start, and a collider that begins to move, each at 1.2 s.
#[test]
fn what_begins_wakes() {
    let profile = Profile::Window { from: 1.2, until: 9.0 };
    let base = around(surfaces());
    let wind = WindDescription {
        velocity: Vec3::Z * 5.0,
        profile: profile.clone(),
        coefficient: WindCoefficient::Area(2.0),
    };
    let blown = Surroundings { wind: Some(wind), ..base.clone() };
    let motion = Motion::Translate { velocity: Vec3::Z * 0.2, from: 1.2, until: 9.0 };
    let below =
        Shape::Cuboid { center: Vec3::Z * -0.05, size: Vec3::new(4.0, 4.0, 0.1), rotation: Vec3::ZERO };
    let raised = Surroundings { colliders: vec![Collider { motion, ..below.into() }], ..base.clone() };
    for (what, surroundings) in [("wind", blown), ("collider", raised)] {
        let mut world = sleeping(&surroundings, Vec::new(), "xpbd");
        run_until(&mut world, 1.15);
        assert_eq!(world.sleeping_particles(), SIDE * SIDE, "{what}");
        run_until(&mut world, 1.3);
        assert_eq!(world.sleeping_particles(), 0, "{what}");
        let lowest = world.state.positions.iter().map(|x| x.z).fold(Real::INFINITY, Real::min);
        let highest = world.state.positions.iter().map(|x| x.z).fold(0.0, Real::max);
        assert!(highest > 0.01, "{what}: from {lowest} to {highest} m");
        assert_eq!(world.intersections(), []);
    }
}

/// A neighbour that is pulled wakes patch after patch, as far as it moves them.
#[test]
fn a_pull_spreads() {
    let mut world = sleeping(&around(projection()), vec![Pin::at(Place::Particles(vec![0]))], "pncg");
    let targets = vec![Vec3::new(-0.1, -0.1, 0.05)];
    world.apply(&Command::MovePins { particles: vec![0], targets }).unwrap();
    world.step().unwrap();
    let first = world.sleeping_particles();
    for _ in 0..30 {
        world.step().unwrap();
    }
    let later = world.sleeping_particles();
    assert!(first > SIDE * SIDE / 4 && later < first, "{first}, then {later} asleep");
    let far = world.state.positions[SIDE * SIDE - 1];
    run_until(&mut world, 2.5);
    assert!(far.distance(world.state.positions[SIDE * SIDE - 1]) > 0.01, "the far corner is pulled along");
}

/// A ball that falls on a sleeping carpet and rolls over it: nothing ever intersects, and what it leaves behind sleeps again.
#[test]
fn a_ball_rolls_over_sleeping_cloth() {
    let ball = BodyDescription {
        velocity: Vec3::new(0.6, 0.3, 0.0),
        ..BodyDescription::new(Shape::Sphere { center: Vec3::new(0.08, 0.15, 0.09), radius: 0.05 }, 0.05)
    };
    let base = Surroundings { bodies: vec![ball.clone()], ..around(surfaces()) };
    // It falls from far above while the carpet falls asleep.
    let late = BodyDescription {
        velocity: Vec3::new(0.3, 0.2, 0.0),
        ..BodyDescription::new(Shape::Sphere { center: Vec3::new(-0.17, 0.05, 4.0), radius: 0.05 }, 0.05)
    };
    for (name, surroundings) in
        [("rolls", base.clone()), ("falls", Surroundings { bodies: vec![late], ..base })]
    {
        let mut world = world(&carpet(Vec::new()), &surroundings, "xpbd");
        let mut most_asleep = 0;
        while world.state.time < 1.5 {
            world.step().unwrap();
            most_asleep = most_asleep.max(world.sleeping_particles());
            assert_eq!(world.intersections(), [], "{name}, {} s", world.state.time);
        }
        assert!(most_asleep > SIDE * SIDE / 3, "{name}: {most_asleep} asleep at the most");
        assert!(world.state.bodies[0].pose.center.z > 0.04, "{name}");
    }
}

/// Two sheets, one let go above the other that sleeps: a touch wakes.
#[test]
fn cloth_that_falls_on_cloth_wakes_it() {
    let mut builder = Builder::default();
    builder.add_sheet(&carpet(Vec::new())).unwrap();
    let small = Sheet {
        size: [0.1, 0.1],
        resolution: Resolution::Particles([6, 6]),
        origin: Vec3::new(0.02, 0.02, 0.1),
        drag: Drag::Area(1.0),
        pins: vec![Pin::at(Place::Corners)],
        ..Sheet::default()
    };
    let above = builder.add_sheet(&small).unwrap();
    let (model, state) = builder.finish(&around(surfaces())).unwrap();
    let upper = model.particles(above);
    let mut world = World::new(model, state, &SolverConfig::named("xpbd").unwrap(), DT);
    run_until(&mut world, 3.0);
    assert_eq!(world.sleeping_particles(), world.model.len());
    world.apply(&Command::Unpin([0, 5, 30, 35].map(|k| upper.start as u32 + k).to_vec())).unwrap();
    let mut fewest = world.model.len();
    while world.state.time < 4.0 {
        world.step().unwrap();
        assert_eq!(world.intersections(), [], "{} s", world.state.time);
        fewest = fewest.min((0..upper.start).filter(|&p| world.is_asleep(p)).count());
    }
    assert!(fewest < upper.start, "the lower sheet slept on");
    let lowest = world.state.positions[upper].iter().map(|x| x.z).fold(Real::INFINITY, Real::min);
    assert!(lowest > THICKNESS && lowest < 3.0 * THICKNESS, "at {lowest} m");
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let hashes = [1, 2, 3].map(|count| {
        threads::with_count(count, || {
            let mut world = world(&carpet(lifted(0.6)), &around(surfaces()), "pncg");
            let mut asleep = 0;
            while world.state.time < 1.2 {
                asleep = asleep.max(world.step().unwrap().sleeping_particles);
            }
            assert!(asleep > 0);
            state_hash(&world.state)
        })
    });
    assert_eq!(hashes, [hashes[0]; 3]);
}

/// Checkpoints while nothing, everything and a part sleeps, and while a command waits.
#[test]
fn a_checkpoint_goes_on_to_the_bit() {
    for solver in ["xpbd", "pncg", "velocity-verlet", "bdf2"] {
        for contact in [projection(), surfaces()] {
            let mut world = world(&carpet(lifted(0.6)), &around(contact), solver);
            let mut resumed = Vec::new();
            for step in 0..84 {
                if [8, 25, 40, 44, 60].contains(&step) {
                    resumed.push(World::restore(&world.checkpoint()).unwrap());
                }
                if step == 50 {
                    let target = Vec3::new(0.5, 0.5, 0.02);
                    let grab = Command::Grab { particle: 870, target, stiffness: Some(1.0) };
                    for world in resumed.iter_mut().chain([&mut world]) {
                        world.apply(&grab).unwrap();
                    }
                    resumed.push(World::restore(&world.checkpoint()).unwrap());
                }
                for world in resumed.iter_mut().chain([&mut world]) {
                    world.step().unwrap();
                }
            }
            for (k, other) in resumed.iter().enumerate() {
                assert_eq!(world.state, other.state, "{solver}, {contact:?}, checkpoint {k}");
            }
        }
    }
}

/// A sheet that hangs by two corners in thick air sags slowly for seconds: it does not fall asleep before it is where it would be.
#[test]
fn what_sags_slowly_does_not_sleep_too_early() {
    let sheet = Sheet {
        resolution: Resolution::Particles([20, 20]),
        size: [0.6, 0.6],
        drag: Drag::Area(20.0),
        pins: vec![Pin::at(Place::Corners)],
        ..Sheet::default()
    };
    for solver in ["xpbd", "pncg", "implicit-euler"] {
        let surroundings = Surroundings { sleep: Some(Sleep::default()), ..Surroundings::default() };
        let awake = Surroundings { sleep: None, ..surroundings.clone() };
        let [slept, waked] = [surroundings, awake].map(|surroundings| {
            let mut world = world(&sheet, &surroundings, solver);
            run_until(&mut world, 12.0);
            world
        });
        let away = max_distance(&slept.state.positions, &waked.state.positions);
        println!("{solver}: {away:e} m, {} asleep", slept.sleeping_particles());
        // It rests at a mean speed of distance/after, 0.1 mm/s, and decays within seconds.
        assert!(away < 5e-4, "{solver}: {away} m");
    }
}

/// A pillow with a pressure, and a piece that nothing holds without gravity, are of one patch: parts of them never sleep alone.
#[test]
fn what_is_whole_sleeps_as_a_whole() {
    let mut builder = Builder::default();
    builder.add_sheet(&carpet(Vec::new())).unwrap();
    let attach = vec![Attach { at: Place::Corners, stiffness: 5.0, damping: 0.5, motion: Motion::Still }];
    let held = Sheet { origin: Vec3::Z, attach, ..carpet(Vec::new()) };
    builder.add_sheet(&held).unwrap();
    let surroundings = Surroundings { gravity: Vec3::ZERO, colliders: Vec::new(), ..around(projection()) };
    let (model, state) = builder.finish(&surroundings).unwrap();
    let mut world = World::new(model, state, &SolverConfig::named("xpbd").unwrap(), DT);
    run_until(&mut world, 0.5);
    assert_eq!(world.sleeping_particles(), world.model.len());
    for p in [0, SIDE * SIDE] {
        world.state.velocities[p] = Vec3::Z * 0.1;
    }
    world.step().unwrap();
    let asleep = |range: std::ops::Range<usize>| range.filter(|&p| world.is_asleep(p)).count();
    assert_eq!(asleep(0..SIDE * SIDE), 0);
    assert!(asleep(SIDE * SIDE..2 * SIDE * SIDE) > 0);
}

#[test]
fn what_cannot_be_is_refused() {
    for (key, sleep) in [
        ("sleep.speed", Sleep { speed: 0.0, ..Sleep::default() }),
        ("sleep.distance", Sleep { distance: -1.0, ..Sleep::default() }),
        ("sleep.after", Sleep { after: Real::NAN, ..Sleep::default() }),
    ] {
        let mut builder = Builder::default();
        builder.add_sheet(&Sheet::default()).unwrap();
        let surroundings = Surroundings { sleep: Some(sleep), ..Surroundings::default() };
        let error = builder.finish(&surroundings).unwrap_err().to_string();
        assert!(error.contains(key) && error.contains("greater than 0"), "{error}");
    }
}
