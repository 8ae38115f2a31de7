//! Blades that cut through faces: what is cut is the same cloth in more pieces.

use crate::remeshing::{euler_characteristic, fabrics, momenta, sheet_world};
use crate::support::noise;
use muslin::hash::state_hash;
use muslin::math::Mat3;
use muslin::model::EditError;
use muslin::prelude::*;
use muslin::profile::uniform;
use muslin::tear::{Blade, BladeError, Sweep};

fn upright(x: Real, y: Real) -> [Vec3; 2] {
    [Vec3::new(x, y, 1.0), Vec3::new(x, y, -1.0)]
}

/// How many faces each piece has that hangs together by edges.
pub fn pieces(world: &World) -> Vec<usize> {
    let faces = &world.model.faces;
    let mut piece_of: Vec<usize> = (0..faces.len()).collect();
    let edges = muslin::mesh::edges(faces);
    loop {
        let before = piece_of.clone();
        for edge in &edges {
            let least = edge.faces.iter().map(|&face| piece_of[face as usize]).min().unwrap_or(0);
            edge.faces.iter().for_each(|&face| piece_of[face as usize] = least);
        }
        if piece_of == before {
            break;
        }
    }
    let mut names = piece_of.clone();
    names.sort_unstable();
    names.dedup();
    names.iter().map(|name| piece_of.iter().filter(|piece| *piece == name).count()).collect()
}

/// A sheet that is sliced aslant has two pieces, and at a uniform deformation the energy of the whole.
#[test]
fn a_sliced_sheet_is_two_of_the_same_cloth() {
    for (name, fabric) in fabrics() {
        for angle in [0.0_f64, 0.3, 0.8, 1.4] {
            let whole = sheet_world(&fabric, [6, 5], ContactLaw::default());
            let mut world = whole.clone();
            let (way, middle) = (Vec3::new(angle.cos(), angle.sin(), 0.0), Vec3::new(0.317, 0.233, 0.0));
            let [from, to] = [middle - way, middle + way].map(|end| upright(end.x, end.y));
            let mass: Real = world.model.masses.iter().sum();
            world.slice(&[Sweep { from, to }]).unwrap();
            assert_eq!(pieces(&world).len(), 2, "{name} at {angle}");
            assert_eq!(euler_characteristic(&world), 4, "{name}: two discs, each with its border");
            assert!((world.model.masses.iter().sum::<Real>() / mass - 1.0).abs() < 1e-13);
            let m = Mat3::from_cols(Vec3::X * 1.1 + noise(3, 1) * 0.2, Vec3::Y + noise(3, 2) * 0.2, Vec3::Z);
            let [a, b] = [&whole, &world].map(|world| {
                let x: Vec<Vec3> = world.model.rest_positions.iter().map(|x| m * *x).collect();
                world.model.elements.energy(&x)
            });
            assert!((b / a - 1.0).abs() < 1e-12, "{name} at {angle}: {b} J, not {a}");
        }
    }
}

#[test]
fn a_blade_that_cuts_nothing_changes_nothing() {
    let mut world = sheet_world(&Fabric::default(), [6, 5], ContactLaw::default());
    let before = world.checkpoint();
    let beside = Sweep { from: upright(5.0, 0.0), to: upright(5.0, 1.0) };
    assert_eq!(world.slice(&[beside]).unwrap_err(), EditError::Blade(BladeError::Misses));
    assert_eq!(world.slice(&[]).unwrap_err(), EditError::Blade(BladeError::Misses));
    let nowhere = Sweep { from: [Vec3::NAN; 2], to: upright(0.0, 0.0) };
    assert_eq!(world.slice(&[nowhere]).unwrap_err(), EditError::Blade(BladeError::NotFinite));
    let inside_of_a_face = Sweep { from: upright(0.22, 0.22), to: upright(0.28, 0.26) };
    assert!(world.slice(&[inside_of_a_face]).is_err());
    assert_eq!(world.checkpoint(), before);
}

/// Random blades through cloth that crumples under contact: nothing intersects, momenta stay, the bits do not depend on threads.
#[test]
fn random_blades_under_contact() {
    for (name, fabric) in fabrics().into_iter().step_by(3) {
        let run = |threads: usize| {
            muslin::threads::with_count(threads, || {
                let mut world = sheet_world(&fabric, [7, 6], ContactLaw::Surface(SurfaceContact::default()));
                world.apply(&Command::SetSolver(SolverConfig::named("xpbd").unwrap())).unwrap();
                world.dt = 1.0 / 120.0;
                for p in 0..world.model.len() {
                    world.state.positions[p] += noise(1, p) * 0.02;
                    world.state.velocities[p] = noise(2, p) * 0.5;
                }
                let mut cuts = 0;
                for round in 0..10 {
                    let end = |salt: u64| 1.2 * uniform(round, salt) - 0.25;
                    let sweep = Sweep { from: upright(end(0), end(1)), to: upright(end(2), end(3)) };
                    let before = momenta(&world);
                    if world.slice(&[sweep]).is_ok() {
                        cuts += 1;
                        for (now, was) in momenta(&world).into_iter().zip(before) {
                            // Twins are born apart with equal velocities; vertices come with rounding.
                            assert!(
                                now.distance(was) < 1e-12 * (was.length() + 1e-3),
                                "{name}: {now} was {was}"
                            );
                        }
                    }
                    assert_eq!(world.intersections(), [], "{name}, round {round}");
                    euler_characteristic(&world);
                    for _ in 0..3 {
                        world.step().unwrap();
                        assert_eq!(world.intersections(), [], "{name}, round {round}");
                    }
                }
                assert!(cuts >= 4, "{name}: {cuts} cuts of 10");
                state_hash(&world.state)
            })
        };
        assert_eq!(run(1), run(3), "{name}");
    }
}

/// A blade falls through a curtain that hangs: two pieces in the end, the lower one falls, and nothing intersects.
#[test]
fn a_blade_goes_through_a_curtain() {
    for solver in ["xpbd", "pncg"] {
        let mut builder = Builder::default();
        let sheet = Sheet {
            resolution: Resolution::Cells([10, 10]),
            axes: [Vec3::X, Vec3::Z],
            pins: vec![Pin::at(Place::Side(Side::JMax))],
            ..Sheet::default()
        };
        builder.add_sheet(&sheet).unwrap();
        let blade = Blade {
            from: [Vec3::new(-0.2, -0.5, 0.63), Vec3::new(-0.2, 0.5, 0.63)],
            to: [Vec3::new(1.2, -0.5, 0.41), Vec3::new(1.2, 0.5, 0.41)],
            time: 0.1,
            duration: 0.3,
        };
        let around = Surroundings {
            contact: ContactLaw::Surface(SurfaceContact::default()),
            blades: vec![blade],
            ..Surroundings::default()
        };
        let (model, state) = builder.finish(&around).unwrap();
        let mut world = World::new(model, state, &SolverConfig::named(solver).unwrap(), 1.0 / 120.0);
        for step in 0..72 {
            world.step().unwrap();
            assert_eq!(world.intersections(), [], "{solver}, step {step}");
        }
        let sizes = pieces(&world);
        assert_eq!(sizes.len(), 2, "{solver}: {sizes:?}, {:?}", world.state.torn);
        let lowest = world.state.positions.iter().map(|x| x.z).fold(Real::INFINITY, Real::min);
        // It is free from 0.4 s on at the latest: 0.2 m below where it hung, less what it was held up.
        assert!(lowest < -0.1, "{solver}: the lower piece falls, lowest at {lowest} m");
    }
}
