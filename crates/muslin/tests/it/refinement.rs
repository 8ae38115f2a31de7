//! Faces that a solid bears on are divided: the contact of a thin spike with a coarse sheet becomes local.

use crate::remeshing::euler_characteristic;
use muslin::hash::state_hash;
use muslin::prelude::*;

/// A coarse sheet with held border, and a spike that goes down into it.
fn spike(least_length: Option<Real>, solver: &str) -> World {
    let down = Motion::Translate { velocity: Vec3::NEG_Z * 0.4, from: 0.0, until: 0.35 };
    moved_spike(least_length, solver, down, Vec3::NEG_Z * 9.81)
}

fn moved_spike(least_length: Option<Real>, solver: &str, motion: Motion, gravity: Vec3) -> World {
    let mut builder = Builder::default();
    let sheet = Sheet {
        resolution: Resolution::Cells([8, 8]),
        axes: [Vec3::X, Vec3::Y],
        pins: vec![Pin::at(Place::Border)],
        fabric: Fabric { least_length, ..Fabric::default() },
        drag: Drag::Area(if gravity == Vec3::ZERO { 2.0 } else { 0.0 }),
        ..Sheet::default()
    };
    builder.add_sheet(&sheet).unwrap();
    let tip = Vec3::new(0.53, 0.46, 0.03);
    let spike =
        Collider { motion, ..Shape::Capsule { ends: [tip, tip + Vec3::Z * 0.5], radius: 0.01 }.into() };
    let around = Surroundings {
        colliders: vec![spike],
        contact: ContactLaw::Surface(SurfaceContact::default()),
        gravity,
        ..Surroundings::default()
    };
    let (model, state) = builder.finish(&around).unwrap();
    World::new(model, state, &SolverConfig::named(solver).unwrap(), 1.0 / 120.0)
}

/// The least angle of all triangles at rest [rad].
fn least_angle(world: &World) -> Real {
    let mut least = Real::INFINITY;
    for face in &world.model.faces {
        for triangle in face.triangles() {
            let [p, q, r] = triangle.map(|corner| world.model.rest_positions[corner as usize]);
            for [a, b, c] in [[p, q, r], [q, r, p], [r, p, q]] {
                least = least.min((b - a).angle_between(c - a));
            }
        }
    }
    least
}

#[test]
fn a_spike_divides_what_it_bears_on() {
    for solver in ["xpbd", "pncg"] {
        let run = |least_length: Option<Real>| {
            let mut world = spike(least_length, solver);
            let mass: Real = world.model.masses.iter().sum();
            for step in 0..60 {
                world.step().unwrap();
                assert_eq!(world.intersections(), [], "{solver}, step {step}");
            }
            assert!((world.model.masses.iter().sum::<Real>() / mass - 1.0).abs() < 1e-12, "{solver}");
            world
        };
        let (coarse, fine) = (run(None), run(Some(0.015)));
        assert_eq!(coarse.model.len(), 81);
        let added = fine.model.len() - 81;
        assert!((5..200).contains(&added), "{solver}: {added} vertices, around the tip alone");
        assert_eq!(euler_characteristic(&fine), 2, "{solver}: a disc and its border");
        // Halves of right angles, halved once more at the first division of a quad: 18.4 degrees, and never below half of that.
        assert!(least_angle(&fine) > 0.16, "{solver}: {} rad", least_angle(&fine));
        // The coarse cloth bends over a whole cell; the fine one follows the tip: near it there is much more of it to see.
        let near = |world: &World| {
            let tip = Vec3::new(0.53, 0.46, 0.0);
            let flat = |x: &&Vec3| (Vec3::new(x.x, x.y, 0.0) - tip).length() < 0.06;
            world.state.positions.iter().filter(flat).count()
        };
        assert!(near(&fine) >= near(&coarse) + 5, "{solver}: {} and {}", near(&coarse), near(&fine));
    }
}

#[test]
fn divisions_are_the_same_on_every_run() {
    let run = |threads: usize, resume_at: usize| {
        muslin::threads::with_count(threads, || {
            let mut world = spike(Some(0.02), "pncg");
            for step in 0..40 {
                if step == resume_at {
                    world = World::restore(&world.checkpoint()).unwrap();
                }
                world.step().unwrap();
            }
            assert!(world.model.len() > 81);
            state_hash(&world.state)
        })
    };
    let whole = run(1, 99);
    assert_eq!(whole, run(3, 99));
    assert_eq!(whole, run(1, 20));
}

/// When the spike has gone and the cloth lies flat again, its mesh and all that belongs to it is what it was.
#[test]
fn divided_faces_become_whole_again() {
    let down_and_up = Motion::Keyframes {
        times: vec![0.0, 0.3, 0.6],
        positions: vec![Vec3::ZERO, Vec3::NEG_Z * 0.1, Vec3::Z * 0.1],
        rotations: Vec::new(),
        center: Vec3::ZERO,
    };
    for solver in ["xpbd", "pncg"] {
        let mut world = moved_spike(Some(0.015), solver, down_and_up.clone(), Vec3::ZERO);
        let before = world.model.clone();
        let (mut most, mut resumed) = (0, None);
        for step in 0..720 {
            if let Some(resumed) = &mut resumed {
                World::step(resumed).unwrap();
            }
            world.step().unwrap();
            assert_eq!(world.intersections(), [], "{solver}, step {step}");
            most = most.max(world.model.len());
            // In the middle: some are whole again, others are not.
            if resumed.is_none() && most > 86 && world.model.len() + 2 < most {
                resumed = Some(World::restore(&world.checkpoint()).unwrap());
            }
        }
        assert!(most > 86, "{solver}: {} vertices came", most - 81);
        assert_eq!(world.model.len(), 81, "{solver}: {most} vertices at the most");
        let sorted = |faces: &[muslin::mesh::Face]| {
            let corners = |face: &muslin::mesh::Face| {
                let mut corners = face.corners().to_vec();
                let first = (0..corners.len()).min_by_key(|&k| corners[k]).unwrap();
                corners.rotate_left(first);
                corners
            };
            let mut all: Vec<Vec<u32>> = faces.iter().map(corners).collect();
            all.sort();
            all
        };
        assert_eq!(sorted(&world.model.faces), sorted(&before.faces), "{solver}");
        // What was given away in parts comes back in parts: rounding of a few additions.
        let pairs = world.model.masses.iter().zip(&before.masses);
        assert!(pairs.map(|(now, was)| (now / was - 1.0).abs()).fold(0.0, Real::max) < 1e-13, "{solver}");
        assert_eq!(world.model.elements.springs.len(), before.elements.springs.len(), "{solver}");
        assert!(world.model.elements.fibre_triangles.is_empty(), "{solver}");
        let stiffness = |world: &muslin::model::ModelData| -> Real {
            world.elements.springs.iter().map(|spring| spring.stiffness).sum()
        };
        assert!((stiffness(&world.model) / stiffness(&before) - 1.0).abs() < 1e-12, "{solver}");
        assert_eq!(state_hash(&resumed.unwrap().state), state_hash(&world.state), "{solver}");
    }
}
