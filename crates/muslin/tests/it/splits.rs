//! Vertices that are split while a world runs: the cloth is the same, all that names particles follows, and contact neither holds the
//! twins nor throws them apart.

use crate::support::{DOWN, noise};
use muslin::builder::Attach;
use muslin::elements::{PressureLaw, Spring, SpringFamily};
use muslin::hash::state_hash;
use muslin::material::{Bending, BendingLaw, MembraneMaterial};
use muslin::model::EditError;
use muslin::prelude::*;

/// Fabrics of every kind of element, by name.
fn fabrics() -> Vec<(&'static str, Fabric)> {
    let membrane = Some(MembraneMaterial { warp: 300.0, poisson: 0.2, ..MembraneMaterial::default() });
    let bending = |law| Some(Bending { rigidity: 1e-3, law, ..Bending::default() });
    vec![
        ("springs", Fabric { flexion_diagonals: false, ..Fabric::default() }),
        ("hinges", Fabric { membrane, bending: bending(BendingLaw::Angle), ..Fabric::default() }),
        ("quadratic", Fabric { membrane, bending: bending(BendingLaw::Quadratic), ..Fabric::default() }),
    ]
}

/// A flat sheet of 6 by 4 cells, or of its half.
fn sheet(fabric: &Fabric, rows: [usize; 2]) -> Sheet {
    Sheet {
        size: [0.1 * (rows[1] - rows[0]) as Real, 0.4],
        resolution: Resolution::Cells([rows[1] - rows[0], 4]),
        origin: Vec3::X * (0.1 * rows[0] as Real),
        axes: [Vec3::X, Vec3::Y],
        fabric: fabric.clone(),
        ..Sheet::default()
    }
}

/// The faces at a vertex whose centres lie beyond a plane, as numbers.
fn faces_beyond(world: &World, vertex: u32, is_beyond: impl Fn(Vec3) -> bool) -> Vec<u32> {
    let rest = &world.model.rest_positions;
    let numbered = world.model.faces.iter().enumerate().filter(|(_, face)| face.corners().contains(&vertex));
    let center = |face: &muslin::mesh::Face| {
        face.corners().iter().map(|&p| rest[p as usize]).sum::<Vec3>() / face.corners().len() as Real
    };
    numbered.filter(|(_, face)| is_beyond(center(face))).map(|(k, _)| k as u32).collect()
}

/// Cuts the first sheet in two along i = 3, vertex by vertex.
fn cut_in_two(world: &mut World) {
    for j in 0..5 {
        let vertex = 3 * 5 + j;
        let faces = faces_beyond(world, vertex, |x| x.x > 0.3);
        world.split(vertex, &faces).unwrap();
    }
}

fn momenta(world: &World) -> [Vec3; 2] {
    let mut sums = [Vec3::ZERO; 2];
    for p in 0..world.model.len() {
        let momentum = world.state.velocities[p] * world.model.masses[p];
        sums[0] += momentum;
        sums[1] += world.state.positions[p].cross(momentum);
    }
    sums
}

/// A sheet that was cut in two has the forces of two sheets, whatever it is made of and however it is bent.
#[test]
fn a_sheet_cut_in_two_is_two_sheets() {
    for (name, fabric) in fabrics() {
        let mut builder = Builder::default();
        builder.add_sheet(&sheet(&fabric, [0, 6])).unwrap();
        let (model, state) = builder.finish(&Surroundings::default()).unwrap();
        let mut cut = World::new(model, state, &SolverConfig::default(), 1e-3);
        for p in 0..cut.model.len() {
            cut.state.positions[p] += noise(1, p) * 0.02;
            cut.state.velocities[p] = noise(2, p);
        }
        let (before, mass) = (momenta(&cut), cut.model.masses.iter().sum::<Real>());
        cut_in_two(&mut cut);
        assert!((cut.model.masses.iter().sum::<Real>() / mass - 1.0).abs() < 1e-14, "{name}");
        for (after, before) in momenta(&cut).iter().zip(before) {
            assert!(after.distance(before) < 1e-14 * (1.0 + before.length()), "{name}: {after} {before}");
        }

        let mut builder = Builder::default();
        builder.add_sheet(&sheet(&fabric, [0, 3])).unwrap();
        builder.add_sheet(&sheet(&fabric, [3, 6])).unwrap();
        let (mut two, _) = builder.finish(&Surroundings::default()).unwrap();
        assert_eq!(cut.model.len(), two.len(), "{name}");
        // Where the sheet was one, its threads along the cut are half of a thread on each side.
        two.change(|data| {
            let is_cut = |p: u32| (15..25).contains(&p);
            let structural = |spring: &&mut Spring| spring.family == SpringFamily::Structural;
            let springs = data.elements.springs.iter_mut().filter(structural);
            for spring in springs.filter(|spring| spring.ends.iter().all(|&p| is_cut(p))) {
                spring.stiffness *= 0.5;
                spring.damping *= 0.5;
            }
        });
        // Which particle of the two sheets is which of the cut one: rows 0 to 3, then the twins and rows 4 to 6.
        let in_cut = |p: usize| {
            if p < 20 {
                p
            } else if p < 25 {
                35 + (p - 20)
            } else {
                p - 5
            }
        };
        let crossed = name != "springs"; // the diagonals of the second sheet start anew; springs have both
        for seed in 0..3 {
            let x: Vec<Vec3> = (0..40).map(|p| two.rest_positions[p] + noise(10 + seed, p) * 0.03).collect();
            let mut there = vec![Vec3::ZERO; 40];
            (0..40).for_each(|p| there[in_cut(p)] = x[p]);
            let (mut f, mut g) = (vec![Vec3::ZERO; 40], vec![Vec3::ZERO; 40]);
            cut.model.elements.add_forces(&there, &vec![Vec3::ZERO; 40], &mut f);
            two.elements.add_forces(&x, &vec![Vec3::ZERO; 40], &mut g);
            let largest = g.iter().map(|f| f.length()).fold(0.0, Real::max);
            for p in 0..if crossed { 20 } else { 40 } {
                let error = f[in_cut(p)].distance(g[p]);
                assert!(error < 1e-12 * largest, "{name}, particle {p}: {error} of {largest} N");
            }
        }
        let masses = |p: usize| (cut.model.masses[in_cut(p)], two.masses[p]);
        assert!((0..40).map(masses).all(|(one, other)| (one / other - 1.0).abs() < 1e-13), "{name}");
        assert_eq!(cut.model.elements.membranes.len(), two.elements.membranes.len(), "{name}");
        assert_eq!(cut.model.elements.hinges.len(), two.elements.hinges.len(), "{name}");
        assert_eq!(cut.model.edges.len(), two.edges.len(), "{name}");
    }
}

/// Two sheets, the second with all that names particles: it goes on to the bit as if the first had not been split.
#[test]
fn what_is_elsewhere_goes_on() {
    for name in ["symplectic-euler", "velocity-verlet", "beeman", "position-verlet"] {
        let Some(config) = SolverConfig::named(name) else { continue };
        let mut builder = Builder::default();
        builder.add_sheet(&sheet(&fabrics()[0].1, [0, 6])).unwrap();
        let motion = Motion::Oscillate { amplitude: Vec3::Z * 0.1, frequency: 2.0 };
        let second = builder
            .add_sheet(&Sheet {
                origin: Vec3::Y * 2.0,
                pins: vec![Pin { motion, ..Pin::at(Place::Side(Side::IMin)) }],
                attach: vec![Attach {
                    at: Place::Side(Side::IMax),
                    stiffness: 3.0,
                    damping: 0.1,
                    motion: Motion::Still,
                }],
                ..sheet(&fabrics()[0].1, [0, 6])
            })
            .unwrap();
        let (model, state) = builder.finish(&Surroundings::default()).unwrap();
        let mut whole = World::new(model, state, &config, 5e-4);
        for _ in 0..20 {
            whole.step().unwrap();
        }
        let mut cut = whole.clone();
        cut_in_two(&mut cut);
        assert_eq!(cut.model.particles(second).len(), whole.model.particles(second).len());
        for _ in 0..50 {
            whole.step().unwrap();
            cut.step().unwrap();
        }
        let places = |world: &World| world.state.positions[world.model.particles(second)].to_vec();
        assert_eq!(places(&whole), places(&cut), "{name}");
        let mut resumed = World::restore(&cut.checkpoint()).unwrap();
        cut.step().unwrap();
        resumed.step().unwrap();
        assert_eq!(state_hash(&cut.state), state_hash(&resumed.state), "{name}");
    }
}

/// A method with pasts keeps them: it does not start anew everywhere where one vertex is split.
#[test]
fn pasts_follow() {
    let mut builder = Builder::default();
    builder.add_sheet(&sheet(&fabrics()[0].1, [0, 6])).unwrap();
    let (model, state) = builder.finish(&Surroundings::default()).unwrap();
    let mut world = World::new(model, state, &SolverConfig::named("bdf2").unwrap(), 1e-3);
    for _ in 0..5 {
        world.step().unwrap();
    }
    let faces = faces_beyond(&world, 15, |x| x.x > 0.3);
    let map = world.split(15, &faces).unwrap();
    let moved = (0..world.model.len()).filter(|&p| world.state.was_moved(p)).count();
    assert_eq!((moved, map.origin(35)), (0, 15));
    world.step().unwrap();
}

/// A stretched strip that is cut across while it touches nothing but itself: the lips part, and never intersect.
#[test]
fn lips_part_under_the_guarantee() {
    for (name, fabric) in fabrics() {
        for stretch in [1.0, 1.1] {
            let mut builder = Builder::default();
            let strip = Sheet {
                pins: vec![Pin::at(Place::Side(Side::IMin)), Pin::at(Place::Side(Side::IMax))],
                ..sheet(&fabric, [0, 6])
            };
            builder.add_sheet(&strip).unwrap();
            let contact = ContactLaw::Surface(SurfaceContact::default());
            let around = Surroundings { gravity: DOWN, contact, ..Surroundings::default() };
            let (model, mut state) = builder.finish(&around).unwrap();
            state.positions.iter_mut().for_each(|x| x.x *= stretch);
            let mut world = World::new(model, state, &SolverConfig::named("pncg").unwrap(), 1.0 / 240.0);
            for _ in 0..10 {
                world.step().unwrap();
            }
            for j in 0..5 {
                let vertex = 15 + j;
                let faces = faces_beyond(&world, vertex, |x| x.x > 0.3);
                world.split(vertex, &faces).unwrap();
                assert_eq!(world.intersections(), [], "{name} at birth");
                for _ in 0..4 {
                    world.step().unwrap();
                    assert_eq!(world.intersections(), [], "{name}");
                }
            }
            let lost =
                |world: &World| world.contact_report().unwrap().lost / world.contact_report().unwrap().wanted;
            for _ in 0..60 {
                world.step().unwrap();
                assert_eq!(world.intersections(), [], "{name}");
            }
            assert!(lost(&world) < 0.02, "{name}: contact holds {} of the motion", lost(&world));
            let apart = world.state.positions[17].distance(world.state.positions[37]);
            assert!(apart > 0.05, "{name}: the lips hang {apart} m apart");
            let fastest = world.state.velocities.iter().map(|v| v.length()).fold(0.0, Real::max);
            assert!(fastest < 10.0, "{name}: nothing is thrown, {fastest} m/s");
        }
    }
}

#[test]
fn a_refused_split_changes_nothing() {
    let mut builder = Builder::default();
    builder.add_sheet(&sheet(&fabrics()[0].1, [0, 6])).unwrap();
    builder.add_rope(&Rope { from: Vec3::Z, to: Vec3::Z * 2.0, ..Rope::default() }).unwrap();
    let (model, state) = builder.finish(&Surroundings::default()).unwrap();
    let mut world = World::new(model, state, &SolverConfig::default(), 1e-3);
    world.step().unwrap();
    let before = world.checkpoint();
    let all = faces_beyond(&world, 7, |_| true);
    assert_eq!(world.split(9999, &[0]).unwrap_err(), EditError::Missing(9999));
    assert_eq!(world.split(35, &[0]).unwrap_err(), EditError::NoCloth(35));
    assert_eq!(world.split(7, &all).unwrap_err(), EditError::OneSided(7));
    assert_eq!(world.split(7, &[]).unwrap_err(), EditError::OneSided(7));
    assert_eq!(
        world.split(7, &[all[0], all[0]]).unwrap_err(),
        EditError::OtherFace { face: all[0], particle: 7 }
    );
    assert_eq!(world.split(7, &[23]).unwrap_err(), EditError::OtherFace { face: 23, particle: 7 });
    assert_eq!(world.checkpoint(), before);
}

/// A balloon that is opened holds no pressure any more; another one does.
#[test]
fn an_opened_surface_holds_no_pressure() {
    let ball = |x: Real| Ball {
        center: Vec3::X * x,
        pressure: Some(PressureLaw::Constant(10.0)),
        ..Ball::default()
    };
    let mut builder = Builder::default();
    let first = builder.add_ball(&ball(0.0)).unwrap();
    builder.add_ball(&ball(5.0)).unwrap();
    let (model, state) = builder.finish(&Surroundings::default()).unwrap();
    let mut world = World::new(model, state, &SolverConfig::default(), 1e-3);
    let [a, b] = [world.model.faces[0].corners()[0], world.model.faces[0].corners()[1]];
    let beyond = |face: &&muslin::mesh::Face| face.corners().contains(&b) && !face.corners().contains(&a);
    let c =
        world.model.faces.iter().find(beyond).unwrap().corners().iter().copied().find(|&c| c != b).unwrap();
    world.cut(&[a, b, c]).unwrap();
    assert_eq!(world.model.elements.pressures.len(), 1);
    let is_of_first = |corner: &u32| world.model.particles(first).contains(&(*corner as usize));
    assert!(!world.model.elements.pressures[0].triangles().iter().flatten().any(is_of_first));
    world.step().unwrap();
}
