//! A world goes on from a checkpoint as if there had been none, to the bit: for every method, whatever it touches.

use muslin::builder::Attach;
use muslin::hash::state_hash;
use muslin::prelude::*;

/// What a world has to do with.
#[derive(Clone, Copy, Debug)]
enum Touches {
    Nothing,
    Surfaces,
    Bodies,
}

/// Two sheets in motion between pins that move, with solids that turn and bodies that hit each other.
fn busy(touches: Touches) -> (Model, State) {
    let mut builder = Builder::default();
    let motion = Motion::Oscillate { amplitude: Vec3::new(-0.3, 0.0, 0.1), frequency: 2.0 };
    let pins = vec![Pin::at(Place::Side(Side::IMin)), Pin { motion, ..Pin::at(Place::Side(Side::IMax)) }];
    let resolution = Resolution::Cells([6, 6]);
    let attach = vec![Attach { at: Place::Corners, stiffness: 5.0, damping: 0.1, motion: Motion::Still }];
    let sheet = Sheet { resolution, pins, attach, ..Sheet::default() };
    builder.add_sheet(&sheet).unwrap();
    let below = Sheet { origin: Vec3::new(0.1, 0.1, -0.08), pins: Vec::new(), ..sheet };
    builder.add_sheet(&below).unwrap();
    let ball = |z: Real, radius: Real| Shape::Sphere { center: Vec3::new(0.5, 0.5, z), radius };
    let turns = Motion::Rotate {
        center: Vec3::new(0.5, 0.5, -0.235),
        axis: Vec3::new(1.0, 0.2, 0.0),
        turns_per_second: 2.0,
        from: 0.0,
        until: 9.0,
    };
    let beam = Shape::Cuboid {
        center: Vec3::new(0.5, 0.5, -0.235),
        size: Vec3::new(0.3, 0.3, 0.3),
        rotation: Vec3::ZERO,
    };
    let thrown = |z: Real| BodyDescription {
        velocity: Vec3::new(0.1, 0.0, -2.0),
        ..BodyDescription::new(ball(z, 0.1), 0.05)
    };
    let bodies = match touches {
        Touches::Bodies => vec![thrown(0.12), thrown(0.325), thrown(0.53)],
        _ => Vec::new(),
    };
    let contact = match touches {
        Touches::Nothing => ContactLaw::default(),
        _ => ContactLaw::Surface(SurfaceContact { restitution: 0.3, ..SurfaceContact::default() }),
    };
    let surroundings = Surroundings {
        colliders: match touches {
            Touches::Nothing => Vec::new(),
            _ => vec![Collider { motion: turns, ..beam.into() }],
        },
        bodies,
        contact,
        ..Surroundings::default()
    };
    builder.finish(&surroundings).unwrap()
}

/// A step in which linear theory finds the method stable, and in which something happens.
fn step_of(name: &str) -> Real {
    let is_explicit = SolverConfig::named(name).unwrap().is_explicit();
    if is_explicit { 5e-4 } else { 1.0 / 120.0 }
}

#[test]
fn every_method_goes_on_from_a_checkpoint() {
    for name in SolverConfig::NAMES {
        for touches in [Touches::Nothing, Touches::Surfaces, Touches::Bodies] {
            let (model, state) = busy(touches);
            let config = SolverConfig::named(name).unwrap();
            let mut world = World::new(model, state, &config, step_of(name));
            world.heat_interval = Some(1e-3);
            let mut resumed = Vec::new();
            let mut touched = false;
            for step in 0..30 {
                if [0, 1, 7, 15].contains(&step) {
                    resumed.push(World::restore(&world.checkpoint()).unwrap());
                }
                world.step().unwrap();
                touched |= world.contact_report().is_some_and(|report| report.touching > 0);
                for world in &mut resumed {
                    assert!(world.step().is_ok());
                }
            }
            for (k, other) in resumed.iter().enumerate() {
                let case = format!("{name}, {touches:?}, checkpoint {k}");
                assert_eq!(state_hash(&world.state), state_hash(&other.state), "{case}");
                assert_eq!(world.state, other.state, "{case}");
                assert_eq!(world.collider_times(), other.collider_times(), "{case}");
            }
            assert_eq!(touched, !matches!(touches, Touches::Nothing), "{name}, {touches:?}");
        }
    }
}

/// Steps of changing length: what was factored for others than the last one counts, too.
#[test]
fn steps_of_any_length_go_on() {
    for name in ["pncg", "projective", "newton", "bdf2", "desbrun", "rk45", "time-corrected-verlet"] {
        let (model, state) = busy(Touches::Nothing);
        let mut world = World::new(model, state, &SolverConfig::named(name).unwrap(), 1e-3);
        let length = |step: u32| step_of(name) * [1.0, 0.7, 1.1, 0.3][step as usize * 7 / 5 % 4];
        let mut resumed = Vec::new();
        for step in 0..24 {
            if step % 5 == 2 {
                resumed.push(World::restore(&world.checkpoint()).unwrap());
            }
            world.step_by(length(step)).unwrap();
            for world in &mut resumed {
                assert!(world.step_by(length(step)).is_ok());
            }
        }
        for other in &resumed {
            assert_eq!(world.state, other.state, "{name}");
        }
    }
}
