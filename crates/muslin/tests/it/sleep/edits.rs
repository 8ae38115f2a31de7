//! Edits of cloth that sleeps, as a whole or in part: they wake it, and it goes on as if it had never slept.

use super::{
    DT, EDGE, SIDE, THICKNESS, around, carpet, lifted, projection, run_until, sleeping, surfaces, world,
};
use crate::support::max_distance;
use muslin::builder::{Cut, CutLine};
use muslin::hash::state_hash;
use muslin::model::{EditError, Remap};
use muslin::prelude::*;
use muslin::sleep::Sleep;
use muslin::tear::{Blade, Sweep};
use muslin::threads;

/// A vertical edge of a blade that goes through the carpet [m].
fn upright(x: Real, y: Real) -> [Vec3; 2] {
    [Vec3::new(x, y, 0.1), Vec3::new(x, y, -0.1)]
}

/// The particle in column i and row j of the carpet.
fn number(i: usize, j: usize) -> u32 {
    (i * SIDE + j) as u32
}

/// From the border into the carpet, along the column in the middle.
fn slit() -> Vec<u32> {
    (0..=8).map(|j| number(SIDE / 2, j)).collect()
}

type Edit = fn(&mut World) -> Result<(), EditError>;

/// Every edit that there is.
fn edits() -> Vec<(&'static str, Edit)> {
    let blade = |world: &mut World| {
        let sweep = Sweep { from: upright(0.31, -0.5), to: upright(0.27, 0.22) };
        world.slice(&[sweep]).map(drop)
    };
    vec![
        ("cut", |world| world.cut(&slit()).map(drop)),
        ("split", |world| {
            let corner = number(5, 0);
            let at = world.model.faces.iter().position(|face| face.corners().contains(&corner));
            world.split(corner, &[at.unwrap() as u32]).map(drop)
        }),
        ("slice", blade),
        ("divide_edge", |world| world.divide_edge([number(9, 9), number(9, 10)], 0.4).map(drop)),
        ("divide_face", |world| {
            let face = world.model.faces.len() / 2;
            let corners = world.model.faces[face].triangles().next().unwrap();
            world.divide_face(face as u32, corners, [0.5, 0.3, 0.2]).map(drop)
        }),
        ("cut and join", |world| {
            let before = world.model.len() as u32;
            let map = world.cut(&slit())?;
            let twins = (before..map.new_count() as u32).map(|twin| [map.place(map.origin(twin)), twin]);
            world.join(&twins.collect::<Vec<_>>()).map(drop)
        }),
        ("cut and sew", |world| {
            let map: Remap = world.cut(&slit())?;
            let first: Vec<u32> = slit()[..8].iter().map(|&p| map.place(p)).collect();
            let twin =
                |p: &u32| (map.old_count() as u32..map.new_count() as u32).find(|&q| map.origin(q) == *p);
            let second: Vec<u32> = slit()[..8].iter().filter_map(twin).collect();
            world.sew(&Seam { first, second, duration: 0.1, ..Seam::default() }).map(drop)
        }),
    ]
}

/// While all of it sleeps, and while one corner is lifted and the rest sleeps.
#[test]
fn every_edit_wakes_everything() {
    for contact in [projection(), surfaces()] {
        for solver in ["xpbd", "pncg"] {
            let whole = sleeping(&around(contact), Vec::new(), solver);
            let mut part = world(&carpet(lifted(0.7)), &around(contact), solver);
            run_until(&mut part, 0.9);
            let still = part.sleeping_particles();
            assert!(still > SIDE * SIDE / 5 && still < SIDE * SIDE, "{solver}: {still} asleep");
            for (name, edit) in edits() {
                for asleep in [&whole, &part] {
                    let case = format!("{name} by {solver} under {contact:?}");
                    let mut world = asleep.clone();
                    let before = world.clone();
                    edit(&mut world).unwrap_or_else(|error| panic!("{case}: {error}"));
                    assert_eq!(world.sleeping_particles(), 0, "{case}");
                    // A checkpoint right after it, and a world that never sleeps from then on.
                    let mut resumed = World::restore(&world.checkpoint()).unwrap();
                    let mut awake = world.clone();
                    awake.model.change(|data| data.sleep = None);
                    for step in 0..8 {
                        assert_eq!(world.step().unwrap().sleeping_particles, 0, "{case}");
                        resumed.step().unwrap();
                        awake.step().unwrap();
                        if matches!(contact, ContactLaw::Surface(_)) {
                            assert_eq!(world.intersections(), [], "{case}, step {step}");
                        }
                    }
                    assert_eq!(world.state, resumed.state, "{case}");
                    assert_eq!(
                        world.model.masses.iter().sum::<Real>() as f32,
                        before.model.masses.iter().sum::<Real>() as f32
                    );
                    let apart = max_distance(&world.state.positions, &awake.state.positions);
                    // The change of the model takes from pncg what it remembers, and it stops after 20 iterations.
                    let tolerance = if solver == "pncg" { 3e-3 } else { 1e-4 };
                    assert!(apart < tolerance, "{case}: {apart} m from cloth that never sleeps");
                    run_until(&mut world, asleep.state.time + 1.5);
                    assert!(contact != surfaces() || world.intersections().is_empty(), "{case}");
                    // By pncg the small faces beside a slice go on moving for longer than that.
                    let sleeps_again = world.sleeping_particles() > SIDE * SIDE / 2;
                    assert!(sleeps_again || solver == "pncg", "{case}: it sleeps again");
                }
            }
        }
    }
}

/// What is refused changes nothing, and wakes nothing.
#[test]
fn refused_edits_wake_nothing() {
    let mut world = sleeping(&around(surfaces()), Vec::new(), "xpbd");
    let before = world.state.clone();
    assert_eq!(
        world.cut(&[number(3, 3), number(3, 5)]),
        Err(EditError::NoEdge([number(3, 3), number(3, 5)]))
    );
    assert!(world.slice(&[Sweep { from: upright(9.0, 0.0), to: upright(9.0, 1.0) }]).is_err());
    assert!(world.join(&[[number(0, 0), number(9, 9)]]).is_err());
    assert!(world.divide_edge([0, 0], 0.5).is_err());
    assert_eq!(world.state, before);
    assert_eq!(world.step().unwrap().sleeping_particles as usize, SIDE * SIDE);
}

/// A cut of a scene and a blade, both due while all sleeps: it wakes for them, and sleeps again.
#[test]
fn cuts_and_blades_wake_what_they_open() {
    let blade = Blade { from: upright(0.2, -0.1), to: upright(0.33, 0.4), time: 1.2, duration: 0.1 };
    let cut = Cut { along: CutLine::Particles(slit()), time: 1.2 };
    let cases = [
        ("blade", carpet(Vec::new()), Surroundings { blades: vec![blade], ..around(surfaces()) }),
        ("cut", Sheet { cuts: vec![cut], ..carpet(Vec::new()) }, around(surfaces())),
    ];
    for (name, sheet, surroundings) in cases {
        let run = |count: usize, resume: bool| {
            threads::with_count(count, || {
                let mut world = world(&sheet, &surroundings, "xpbd");
                run_until(&mut world, 1.19);
                assert_eq!((world.sleeping_particles(), world.state.torn.edges), (SIDE * SIDE, 0), "{name}");
                if resume {
                    world = World::restore(&world.checkpoint()).unwrap();
                }
                run_until(&mut world, 1.25);
                assert!(world.state.torn.edges > 0, "{name}");
                while world.state.time < 2.5 {
                    world.step().unwrap();
                    assert_eq!(world.intersections(), [], "{name}, {} s", world.state.time);
                }
                assert!(world.state.torn.edges >= 8, "{name}: {:?}", world.state.torn);
                assert!(world.sleeping_particles() > SIDE * SIDE / 2, "{name}: it sleeps again");
                state_hash(&world.state)
            })
        };
        let hash = run(1, false);
        assert_eq!([run(2, false), run(3, false), run(1, true)], [hash; 3], "{name}");
    }
}

/// A strip on the floor with a notch in the middle. It sleeps; from 0.7 s on its ends are pulled apart, and it tears in two.
fn notched_strip(solver: &str, sleep: Option<Sleep>) -> World {
    let pull = |side: Side, speed: Real| Pin {
        motion: Motion::Translate { velocity: Vec3::X * speed, from: 0.7, until: 1.6 },
        ..Pin::at(Place::Side(side))
    };
    let cut = Cut { along: CutLine::Grid(vec![[20, 0], [20, 2]]), time: 0.0 };
    let strip = Sheet {
        size: [40.0 * EDGE, 8.0 * EDGE],
        resolution: Resolution::Cells([40, 8]),
        origin: Vec3::Z * (0.5 * THICKNESS),
        axes: [Vec3::X, Vec3::Y],
        pins: vec![pull(Side::IMin, -0.1), pull(Side::IMax, 0.1)],
        cuts: vec![cut],
        fabric: Fabric { break_at: Some(1.12), ..Fabric::default() },
        ..Sheet::default()
    };
    world(&strip, &Surroundings { sleep, ..around(surfaces()) }, solver)
}

#[test]
fn a_strip_that_slept_tears_at_its_notch() {
    let sleep = around(surfaces()).sleep;
    for solver in ["xpbd", "pncg"] {
        let run = |count: usize, sleep: Option<Sleep>, resume_at: &[Real]| {
            threads::with_count(count, || {
                let mut world = notched_strip(solver, sleep);
                let (mut most, mut fewest) = (0, usize::MAX);
                while world.state.time < 1.6 {
                    if resume_at.iter().any(|at| (at - world.state.time).abs() < 0.5 * DT) {
                        world = World::restore(&world.checkpoint()).unwrap();
                    }
                    world.step().unwrap();
                    let asleep = world.sleeping_particles();
                    (most, fewest) = (most.max(asleep), fewest.min(asleep));
                    assert_eq!(world.intersections(), [], "{solver}, {} s", world.state.time);
                }
                assert_eq!(most > 0, sleep.is_some());
                assert_eq!(fewest, 0);
                world
            })
        };
        let (slept, waked) = (run(1, sleep, &[]), run(1, None, &[]));
        let torn = [&slept, &waked].map(|world| world.state.torn.edges);
        println!("{solver}: {torn:?} edges torn");
        // With the ten substeps of xpbd cloth is soft, and tears elsewhere, too; as without sleep.
        assert!(torn[0] >= 8 && torn[0].abs_diff(torn[1]) <= torn[1] / 4, "{solver}: {torn:?}");
        let hash = state_hash(&slept.state);
        for (count, resume_at) in [(2, &[][..]), (3, &[]), (1, &[0.6, 0.8, 1.0, 1.2])] {
            assert_eq!(state_hash(&run(count, sleep, resume_at).state), hash, "{solver}");
        }
    }
}

/// A corner that is torn off while the rest of the carpet sleeps: explicit methods look for tears after each of their steps.
#[test]
fn a_corner_tears_off_while_the_rest_sleeps() {
    let up = Motion::Translate { velocity: Vec3::Z * 3.0, from: 0.7, until: 0.8 };
    let pins = vec![Pin { motion: up, ..Pin::at(Place::Particles(vec![0])) }];
    let fabric = Fabric { break_at: Some(1.1), least_piece: 1, ..Fabric::default() };
    for solver in ["xpbd", "velocity-verlet"] {
        let sheet = Sheet { fabric: fabric.clone(), ..carpet(pins.clone()) };
        let [slept, waked] = [around(surfaces()).sleep, None].map(|sleep| {
            let mut world = world(&sheet, &Surroundings { sleep, ..around(surfaces()) }, solver);
            let mut before = 0;
            while world.state.time < 0.95 {
                let asleep = world.sleeping_particles();
                let torn = world.state.torn.edges;
                world.step().unwrap();
                if torn == 0 && world.state.torn.edges > 0 {
                    before = asleep;
                    assert_eq!(world.sleeping_particles(), 0, "{solver}: a tear wakes everything");
                }
                assert_eq!(world.intersections(), [], "{solver}, {} s", world.state.time);
            }
            assert_eq!(before > 0, sleep.is_some(), "{solver}");
            world
        });
        let torn = [&slept, &waked].map(|world| world.state.torn.edges);
        println!("{solver}: {torn:?} edges torn");
        // A jerk of 3 m/s goes farther in one step than to the end of what is awake: by velocity Verlet that is enough for one edge.
        assert!(torn[0] >= 1 && torn[0].abs_diff(torn[1]) <= 1, "{solver}: {torn:?}");
    }
}

/// A sheet that hangs from its border and sleeps, and a spike that goes down into it: what it bears on is divided, as without sleep.
#[test]
fn a_spike_divides_cloth_that_slept() {
    let tip = Vec3::new(0.23, 0.26, 0.03);
    let down = Motion::Translate { velocity: Vec3::NEG_Z * 0.2, from: 2.5, until: 2.9 };
    let spike = Collider {
        motion: down,
        ..Shape::Capsule { ends: [tip, tip + Vec3::Z * 0.5], radius: 0.006 }.into()
    };
    let sheet = Sheet {
        size: [0.5, 0.5],
        resolution: Resolution::Particles([13, 13]),
        axes: [Vec3::X, Vec3::Y],
        origin: Vec3::ZERO,
        pins: vec![Pin::at(Place::Border)],
        drag: Drag::Area(1.0),
        fabric: Fabric { least_length: Some(0.008), ..Fabric::default() },
        ..Sheet::default()
    };
    let run = |count: usize, sleep: Option<Sleep>, resume_at: &[Real]| {
        threads::with_count(count, || {
            let surroundings = Surroundings { colliders: vec![spike.clone()], sleep, ..around(surfaces()) };
            let mut world = world(&sheet, &surroundings, "xpbd");
            run_until(&mut world, 2.45);
            assert_eq!(world.sleeping_particles(), if sleep.is_some() { 13 * 13 } else { 0 });
            while world.state.time < 3.5 {
                if resume_at.iter().any(|at| (at - world.state.time).abs() < 0.5 * DT) {
                    world = World::restore(&world.checkpoint()).unwrap();
                }
                world.step().unwrap();
                assert_eq!(world.intersections(), [], "{} s", world.state.time);
            }
            world
        })
    };
    let sleep = around(surfaces()).sleep;
    let (slept, waked) = (run(1, sleep, &[]), run(1, None, &[]));
    let added = [&slept, &waked].map(|world| world.model.len() - 13 * 13);
    println!("{added:?} vertices added");
    assert!(added[0] > 5 && added[0].abs_diff(added[1]) <= added[1] / 4, "{added:?}");
    let hash = state_hash(&slept.state);
    for (count, resume_at) in [(2, &[][..]), (3, &[]), (1, &[2.4, 2.8, 3.2])] {
        assert_eq!(state_hash(&run(count, sleep, resume_at).state), hash);
    }
}
