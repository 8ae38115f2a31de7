//! Solids with sharp edges: cloth that bears on them opens, and closes behind them.

use crate::slices::pieces;
use muslin::builder::BuildError;
use muslin::hash::state_hash;
use muslin::mesh::Face;
use muslin::prelude::*;
use muslin::shape::CuttingEdge;
use muslin::sleep::Sleep;
use std::sync::Arc;

/// A blade of four flanks with its point upwards, thin along y.
fn blade(tip: Vec3) -> Shape {
    let corners =
        [[0.0, 0.0, 0.0], [0.03, 0.0, -0.2], [-0.03, 0.0, -0.2], [0.0, 0.008, -0.2], [0.0, -0.008, -0.2]];
    Shape::Hull { points: corners.map(|corner| tip + Vec3::from(corner)).to_vec() }
}

const EDGE: CuttingEdge = CuttingEdge { degrees: 60.0, resistance: 0.5, reach: 0.015 };

/// A sheet with held border, and a blade that goes up through it, stops, and comes back.
fn stabbed(solver: &str, edge: CuttingEdge) -> World {
    stabbed_from(0.0, solver, edge, None)
}

/// The same from a time on [s].
fn stabbed_from(start: Real, solver: &str, edge: CuttingEdge, sleep: Option<Sleep>) -> World {
    let mut builder = Builder::default();
    let sheet = Sheet {
        size: [0.4, 0.4],
        resolution: Resolution::Cells([10, 10]),
        axes: [Vec3::X, Vec3::Y],
        pins: vec![Pin::at(Place::Border)],
        fabric: Fabric { least_length: Some(0.01), ..Fabric::default() },
        drag: Drag::Area(1.0),
        ..Sheet::default()
    };
    builder.add_sheet(&sheet).unwrap();
    let positions = [0.0, 0.14, 0.14, -0.02].map(|z| Vec3::Z * z).to_vec();
    let motion = Motion::Keyframes {
        times: [0.0, 0.3, 0.4, 0.6].map(|time| start + time).to_vec(),
        positions,
        rotations: Vec::new(),
        center: Vec3::ZERO,
    };
    let blade = blade(Vec3::new(0.213, 0.187, -0.02));
    let around = Surroundings {
        gravity: Vec3::ZERO,
        sleep,
        colliders: vec![Collider { motion, edge: Some(edge), ..blade.into() }],
        contact: ContactLaw::Surface(SurfaceContact { thickness: Some(0.002), ..SurfaceContact::default() }),
        ..Surroundings::default()
    };
    let (model, state) = builder.finish(&around).unwrap();
    World::new(model, state, &SolverConfig::named(solver).unwrap(), 1.0 / 120.0)
}

/// The farthest from the plane of the sheet [m].
fn height(world: &World) -> Real {
    world.state.positions.iter().map(|x| x.z.abs()).fold(0.0, Real::max)
}

#[test]
fn a_blade_goes_through_and_the_lips_close_behind_it() {
    for solver in ["xpbd", "pncg"] {
        let mut world = stabbed(solver, EDGE);
        let mass: Real = world.model.masses.iter().sum();
        for step in 0..96 {
            world.step().unwrap();
            assert_eq!(world.intersections(), [], "{solver}, step {step}");
            if step == 44 {
                let height = height(&world);
                assert!(height < 0.06, "{solver}: the tip is 0.12 m above the sheet, cloth at {height} m");
                assert!(world.collider_times()[0] > 0.3, "{solver}: the blade is not held up");
            }
        }
        let torn = world.state.torn;
        assert!((2..30).contains(&torn.edges), "{solver}: {torn:?}");
        assert_eq!(pieces(&world).len(), 1, "{solver}: nothing comes off");
        assert!((world.model.masses.iter().sum::<Real>() / mass - 1.0).abs() < 1e-12, "{solver}");
        assert!(height(&world) < 0.005, "{solver}: flat again, but for {} m", height(&world));
    }
}

#[test]
fn what_resists_or_is_missed_stays_whole() {
    let mut world = stabbed("pncg", CuttingEdge { resistance: 1e6, ..EDGE });
    for step in 0..30 {
        world.step().unwrap();
        assert_eq!(world.intersections(), [], "step {step}");
    }
    assert_eq!(world.state.torn.edges, 0);
    assert!(height(&world) > 0.05, "the blade dents it: {} m", height(&world));
    let mut beside = stabbed("pncg", CuttingEdge { resistance: 0.0, ..EDGE });
    beside.model.change(|data| data.colliders[0].shape = blade(Vec3::new(0.7, 0.2, -0.02)));
    let count = beside.model.len();
    for _ in 0..30 {
        beside.step().unwrap();
    }
    assert_eq!((beside.state.torn.edges, beside.model.len()), (0, count));
}

/// In the middle of the cut, too, nothing depends on threads, or on a checkpoint.
#[test]
fn cuts_are_the_same_on_every_run() {
    for solver in ["xpbd", "pncg"] {
        let run = |threads: usize, resume_at: usize| {
            muslin::threads::with_count(threads, || {
                let mut world = stabbed(solver, EDGE);
                let mut edges = Vec::new();
                for step in 0..40 {
                    if step == resume_at {
                        world = World::restore(&world.checkpoint()).unwrap();
                    }
                    world.step().unwrap();
                    edges.push(world.state.torn.edges);
                }
                let first = edges.iter().position(|&edges| edges > 0).unwrap();
                (first, edges[39], state_hash(&world.state))
            })
        };
        let whole = run(1, 99);
        for (threads, resume_at) in [(2, 99), (3, 99), (1, whole.0), (1, whole.0 + 1)] {
            assert_eq!(run(threads, resume_at), whole, "{solver}: {threads} threads, {resume_at}");
        }
    }
}

#[test]
fn edges_that_cannot_be() {
    let surface = ContactLaw::Surface(SurfaceContact::default());
    let fault = |shape: Shape, edge: CuttingEdge, contact: ContactLaw| -> Option<BuildError> {
        let mut builder = Builder::default();
        builder.add_sheet(&Sheet::default()).unwrap();
        let colliders = vec![Collider { edge: Some(edge), ..shape.into() }];
        builder.finish(&Surroundings { colliders, contact, ..Surroundings::default() }).err()
    };
    let point = || blade(Vec3::NEG_Z);
    assert_eq!(fault(point(), EDGE, surface), None);
    let flat = Mesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], faces: vec![Face::triangle(0, 1, 2)] };
    for (shape, edge, contact, words) in [
        (point(), CuttingEdge { degrees: 0.0, ..EDGE }, surface, ["edge.degrees", "greater than 0"]),
        (point(), CuttingEdge { degrees: 120.0, ..EDGE }, surface, ["edge.degrees", "at most 90"]),
        (point(), CuttingEdge { degrees: Real::NAN, ..EDGE }, surface, ["edge.degrees", "NaN"]),
        (
            point(),
            CuttingEdge { degrees: 10.0, ..EDGE },
            surface,
            ["edge.degrees", "angle between two faces"],
        ),
        (point(), CuttingEdge { resistance: -1.0, ..EDGE }, surface, ["edge.resistance", "0 N or more"]),
        (point(), CuttingEdge { reach: 0.0, ..EDGE }, surface, ["edge.reach", "greater than 0 m"]),
        (point(), CuttingEdge { reach: Real::INFINITY, ..EDGE }, surface, ["edge.reach", "inf"]),
        (Shape::Sphere { center: Vec3::NEG_Z, radius: 0.5 }, EDGE, surface, ["edge", "faces"]),
        (Shape::Mesh(Arc::new(flat)), EDGE, surface, ["edge", "faces"]),
        (point(), EDGE, ContactLaw::default(), ["collider[0].edge", "surface"]),
    ] {
        let message = fault(shape, edge, contact).unwrap().to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
}

/// Cloth that may sleep is cut like other cloth.
#[test]
fn a_blade_cuts_cloth_that_may_sleep() {
    for solver in ["xpbd", "pncg"] {
        let mut world = stabbed_from(1.0, solver, EDGE, Some(Sleep::default()));
        for step in 0..216 {
            world.step().unwrap();
            assert_eq!(world.intersections(), [], "{solver}, step {step}");
        }
        assert!(world.state.torn.edges >= 2, "{solver}: {:?}", world.state.torn);
    }
}
