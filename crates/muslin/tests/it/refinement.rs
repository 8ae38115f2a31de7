//! Faces that a solid bears on are divided: the contact of a thin spike with a coarse sheet becomes local.

use crate::remeshing::euler_characteristic;
use muslin::hash::state_hash;
use muslin::prelude::*;

/// A coarse sheet with held border, and a spike that goes down into it.
fn spike(least_length: Option<Real>, solver: &str) -> World {
    let mut builder = Builder::default();
    let sheet = Sheet {
        resolution: Resolution::Cells([8, 8]),
        axes: [Vec3::X, Vec3::Y],
        pins: vec![Pin::at(Place::Border)],
        fabric: Fabric { least_length, ..Fabric::default() },
        ..Sheet::default()
    };
    builder.add_sheet(&sheet).unwrap();
    let down = Motion::Translate { velocity: Vec3::NEG_Z * 0.4, from: 0.0, until: 0.35 };
    let tip = Vec3::new(0.53, 0.46, 0.03);
    let spike =
        Collider { motion: down, ..Shape::Capsule { ends: [tip, tip + Vec3::Z * 0.5], radius: 0.01 }.into() };
    let around = Surroundings {
        colliders: vec![spike],
        contact: ContactLaw::Surface(SurfaceContact::default()),
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
