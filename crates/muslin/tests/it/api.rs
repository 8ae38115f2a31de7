//! What a program that embeds the library relies on.

use crate::support::noise;
use muslin::hash::state_hash;
use muslin::prelude::*;

fn in_two_parts(contact: ContactLaw) -> (Model, State, [PartId; 2]) {
    let mut builder = Builder::default();
    let pins = vec![Pin::at(Place::Side(Side::IMin))];
    let sheet = Sheet { resolution: Resolution::Cells([6, 6]), pins, ..Sheet::default() };
    let first = builder.add_sheet(&sheet).unwrap();
    let second = builder.add_sheet(&Sheet { origin: Vec3::new(0.1, 0.1, -0.2), ..sheet }).unwrap();
    let ball = Shape::Sphere { center: Vec3::new(0.5, 0.5, -0.412), radius: 0.2 };
    let thrown = Shape::Sphere { center: Vec3::new(0.5, 0.5, 0.112), radius: 0.1 };
    let touches_bodies = matches!(contact, ContactLaw::Surface(_));
    let surroundings = Surroundings {
        colliders: vec![ball.into()],
        bodies: if touches_bodies {
            vec![BodyDescription { velocity: Vec3::Z * -2.0, ..BodyDescription::new(thrown, 0.1) }]
        } else {
            Vec::new()
        },
        contact,
        ..Surroundings::default()
    };
    let (model, state) = builder.finish(&surroundings).unwrap();
    (model, state, [first, second])
}

#[test]
fn worlds_go_anywhere() {
    fn is_good<T: Send + Sync + Clone + std::fmt::Debug>() {}
    is_good::<World>();
    is_good::<Model>();
    is_good::<State>();
    is_good::<SolverConfig>();
}

/// A copy made in the middle of a run goes on exactly as the original does, whatever the method remembers.
#[test]
fn copies_go_on_as_the_original() {
    for name in SolverConfig::NAMES {
        for contact in [ContactLaw::default(), ContactLaw::Surface(SurfaceContact::default())] {
            let (model, state, _) = in_two_parts(contact);
            let mut world = World::new(model, state, &SolverConfig::named(name).unwrap(), 5e-4);
            for _ in 0..20 {
                world.step().unwrap();
            }
            let touching = world.contact_report().map(|report| report.touching);
            assert!(touching != Some(0), "{name}: nothing touches");
            let mut copy = world.clone();
            for _ in 0..20 {
                world.step().unwrap();
                copy.step().unwrap();
            }
            assert_eq!(state_hash(&world.state), state_hash(&copy.state), "{name}, {contact:?}");
        }
    }
}

#[test]
fn queries_leave_no_trace() {
    let run = |asks: bool| {
        let (model, state, _) = in_two_parts(ContactLaw::Surface(SurfaceContact::default()));
        let mut world = World::new(model, state, &XpbdConfig::default().into(), 5e-3);
        for step in 0..60 {
            if step == 20 {
                let floor = Shape::Plane { point: Vec3::Z * -5.0, normal: Vec3::Z };
                world.model.change(|data| data.colliders.push(floor.into()));
            }
            if asks {
                assert_eq!(world.intersections(), []);
                assert!(world.faults().pairs.is_empty());
            }
            world.step().unwrap();
        }
        state_hash(&world.state)
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn parts_have_their_particles_and_outputs_their_precision() {
    let (model, mut state, [first, second]) = in_two_parts(ContactLaw::default());
    assert_eq!((model.particles(first), model.particles(second)), (0..49, 49..98));
    for (k, x) in state.positions.iter_mut().enumerate() {
        *x += noise(1, k) * 0.01;
    }
    let world = World::new(model, state, &SolverConfig::default(), 1.0 / 60.0);
    let (mut positions, mut normals) = ([[0.0; 3]; 98], [[0.0; 3]; 98]);
    world.write_positions(&mut positions);
    world.write_normals(&mut normals);
    for k in 0..98 {
        let x = world.state.positions[k];
        assert_eq!(positions[k], [x.x as f32, x.y as f32, x.z as f32]);
        let normal = Vec3::from(normals[k].map(f64::from));
        assert!((normal.length() - 1.0).abs() < 1e-6 && normal.z.abs() > 0.9, "{normal}");
    }
    // As many as there is room for.
    world.write_positions(&mut positions[..3]);
}

#[test]
fn methods_are_values() {
    let config: SolverConfig = XpbdConfig { substeps: 20, ..XpbdConfig::default() }.into();
    assert_eq!(config.name(), "xpbd");
    assert_eq!(SolverConfig::default().name(), "pncg");
}
