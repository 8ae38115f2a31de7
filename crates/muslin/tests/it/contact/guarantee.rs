//! A start free of intersections stays free of them.

use super::{FLOOR, sheet};
use crate::support::{DOWN, build, noise};
use muslin::builder::{Builder, Pin, Place, Resolution, Rope, Sheet, Surroundings};
use muslin::contact::{ContactLaw, Contacts, SurfaceContact};
use muslin::hash::state_hash;
use muslin::material::FabricName;
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::script::Motion;
use muslin::shape::{Collider, Shape};
use muslin::solver::{Budget, SolverConfig};
use muslin::solvers::{ImplicitEulerConfig, PncgConfig, XpbdConfig};
use muslin::state::State;
use muslin::threads;
use muslin::world::World;

/// Three small sheets, one above the other, a ball beside them and a box below.
fn crowd() -> (Model, State) {
    let mut builder = Builder::default();
    for layer in 0..3 {
        let origin = Vec3::new(0.013, 0.007, 0.02) * Real::from(layer);
        let resolution = Resolution::Particles([6, 6]);
        builder.add_sheet(&Sheet { size: [0.5, 0.5], resolution, origin, ..Sheet::default() }).unwrap();
    }
    let ball = Shape::Sphere { center: Vec3::new(0.7, 0.2, 0.0), radius: 0.15 };
    let cube = Shape::Cuboid {
        center: Vec3::new(0.2, 0.2, -0.4),
        size: Vec3::splat(0.4),
        rotation: Vec3::new(0.1, 0.2, 0.3),
    };
    let colliders = vec![ball.into(), cube.into()];
    let contact = ContactLaw::Surface(SurfaceContact::default());
    builder
        .finish(&Surroundings { gravity: Vec3::ZERO, colliders, contact, ..Surroundings::default() })
        .unwrap()
}

/// Targets far away, near by, and mixed: whatever they are, the paths there are safe.
#[test]
fn random_targets_never_lead_through_anything() {
    for kick in [0.01, 0.1, 0.5, 3.0] {
        let (model, mut state) = crowd();
        let law = SurfaceContact::default();
        let mut contacts = Contacts::default();
        contacts.prepare(&model, &law, &mut state);
        assert_eq!(contacts.intersections(&state), []);
        for pass in 0..60 {
            contacts.begin(&model, &law, &mut state, 0.01, 1);
            // In half of the passes every particle has its own displacement, in half a layer moves as one.
            for p in 0..model.len() {
                let own = noise(pass, p) * kick;
                let shared = noise(pass + 1000, p / 36) * kick;
                state.positions[p] += if pass % 2 == 0 { own } else { shared + own * 0.1 };
            }
            contacts.resolve(&model, &law, &mut state, 0.01, &Budget::default());
            assert_eq!(contacts.intersections(&state), [], "kick {kick}, pass {pass}");
            state.velocities.fill(Vec3::ZERO);
        }
    }
}

#[test]
fn free_targets_are_reached_exactly() {
    let (model, mut state) = crowd();
    let law = SurfaceContact::default();
    let mut contacts = Contacts::default();
    contacts.prepare(&model, &law, &mut state);
    // Nowhere.
    let start = state.clone();
    contacts.begin(&model, &law, &mut state, 0.01, 1);
    contacts.resolve(&model, &law, &mut state, 0.01, &Budget::default());
    assert_eq!((&state.positions, &state.velocities), (&start.positions, &start.velocities));
    // All together, away from the solids, over many edges; and then each a little by itself.
    for displacement in [|_| Vec3::new(-0.1, 0.1, 0.8), |p| noise(3, p) * 1e-4] {
        contacts.begin(&model, &law, &mut state, 0.01, 1);
        let targets: Vec<Vec3> =
            state.positions.iter().enumerate().map(|(p, x)| *x + displacement(p)).collect();
        state.positions.clone_from(&targets);
        contacts.resolve(&model, &law, &mut state, 0.01, &Budget::default());
        assert!(state.positions == targets);
    }
    assert_eq!(state.contact.report.lost, 0.0);
}

/// Every particle of a sheet has its own huge displacement: then there are too many pairs, and the sheet gets less far.
#[test]
fn an_explosion_is_slowed_down_and_does_not_tangle() {
    let (model, mut state) = sheet(40, Vec3::ZERO, [Vec3::X, Vec3::Y], Vec3::ZERO, Vec::new());
    let law = SurfaceContact::default();
    let mut contacts = Contacts::default();
    contacts.prepare(&model, &law, &mut state);
    for pass in 0..2 {
        contacts.begin(&model, &law, &mut state, 0.01, 1);
        for (p, x) in state.positions.iter_mut().enumerate() {
            *x += noise(pass, p) * 1e3;
        }
        contacts.resolve(&model, &law, &mut state, 0.01, &Budget::default());
        assert_eq!(contacts.intersections(&state), []);
        assert!(state.contact.report.candidates < 500 * model.len(), "{}", state.contact.report.candidates);
    }
    assert!(
        state.contact.report.slowed >= 2 && state.contact.report.too_fast == 2,
        "{:?}",
        state.contact.report
    );
    assert!(state.contact.report.lost > 0.9 * state.contact.report.wanted);
}

/// Felt that is four of its edges thick has many near neighbours, and is not slowed down for that.
#[test]
fn thick_cloth_moves_freely() {
    let (model, mut state) = sheet(30, Vec3::ZERO, [Vec3::X, Vec3::Y], Vec3::ZERO, Vec::new());
    let law = SurfaceContact { thickness: Some(4.0 / 29.0), ..SurfaceContact::default() };
    let mut contacts = Contacts::default();
    contacts.prepare(&model, &law, &mut state);
    for pass in 0..3 {
        contacts.begin(&model, &law, &mut state, 0.01, 1);
        let targets: Vec<Vec3> =
            state.positions.iter().map(|x| *x + Vec3::new(x.y, -x.x, 1.0) * 0.01).collect();
        state.positions.clone_from(&targets);
        contacts.resolve(&model, &law, &mut state, 0.01, &Budget::default());
        let report = state.contact.report;
        assert!(report.slowed == 0 && report.lost < 1e-12 * report.wanted, "pass {pass}: {report:?}");
    }
}

/// The solvers of each family, with steps [s] that suit them.
fn solvers() -> Vec<(SolverConfig, Real)> {
    vec![
        (SolverConfig::Xpbd(XpbdConfig { substeps: 12, ..XpbdConfig::default() }), 1.0 / 60.0),
        (SolverConfig::Pncg(PncgConfig { iterations: 8, ..PncgConfig::default() }), 1.0 / 240.0),
        (SolverConfig::ImplicitEuler(ImplicitEulerConfig::default()), 1.0 / 120.0),
        (SolverConfig::named("newton").unwrap(), 1.0 / 120.0),
    ]
}

/// Runs a scene by all of them; no frame may have an intersection.
fn stays_free(name: &str, seconds: Real, scene: &(Model, State)) {
    for (config, dt) in solvers() {
        let mut world = World::new(scene.0.clone(), scene.1.clone(), &config, dt);
        assert_eq!(world.intersections(), [], "{name} at the start");
        for step in 1..=(seconds / dt).round() as u32 {
            world.step().unwrap_or_else(|error| panic!("{name} by {}: {error}", config.name()));
            let found = world.intersections();
            assert_eq!(found, [], "{name} by {}, step {step}", config.name());
        }
    }
}

#[test]
fn a_sheet_dropped_on_its_edge_folds() {
    let mut scene = sheet(14, Vec3::new(-0.5, 0.0, 0.05), [Vec3::X, Vec3::Z], DOWN, vec![FLOOR.into()]);
    for (p, x) in scene.1.positions.iter_mut().enumerate() {
        x.y += noise(5, p).y * 1e-3;
    }
    stays_free("folded drop", 0.8, &scene);
}

#[test]
fn a_sheet_drapes_over_a_box_and_a_ball() {
    let table =
        Shape::Cuboid { center: Vec3::Z * 0.3, size: Vec3::new(0.4, 0.4, 0.04), rotation: Vec3::ZERO };
    let ball = Shape::Sphere { center: Vec3::new(0.1, 0.0, 0.45), radius: 0.1 };
    let solids = vec![table.into(), ball.into(), FLOOR.into()];
    let scene = sheet(14, Vec3::new(-0.5, -0.5, 0.6), [Vec3::X, Vec3::Y], DOWN, solids);
    stays_free("drape", 0.7, &scene);
}

/// 100 m/s: in a step of 1/120 s the ball crosses the sheet and is 0.8 m beyond it.
#[test]
fn a_fast_ball_does_not_tunnel() {
    let motion = Motion::Translate { velocity: Vec3::Y * 100.0, from: 0.0, until: 0.02 };
    let shape = Shape::Sphere { center: Vec3::new(0.5, -0.5, -0.5), radius: 0.1 };
    let ball = Collider { motion, ..shape.into() };
    let sheet = Sheet {
        size: [1.0, 1.0],
        resolution: Resolution::Particles([14, 14]),
        axes: [Vec3::X, Vec3::NEG_Z],
        fabric: FabricName::Cotton.fabric(),
        pins: vec![Pin::at(Place::Corners)],
        ..Sheet::default()
    };
    let contact = ContactLaw::Surface(SurfaceContact::default());
    let surroundings =
        Surroundings { gravity: DOWN, colliders: vec![ball], contact, ..Surroundings::default() };
    stays_free("fast ball", 0.2, &build(&sheet, &surroundings));
}

#[test]
fn contact_gives_the_same_bits_on_any_number_of_threads() {
    let ball = Shape::Sphere { center: Vec3::new(0.0, 0.1, 0.3), radius: 0.2 };
    let scene =
        sheet(40, Vec3::new(-0.5, -0.5, 0.55), [Vec3::X, Vec3::Y], DOWN, vec![ball.into(), FLOOR.into()]);
    let config = SolverConfig::Pncg(PncgConfig { iterations: 6, ..PncgConfig::default() });
    let hash = |threads| {
        threads::with_count(threads, || {
            let mut world = World::new(scene.0.clone(), scene.1.clone(), &config, 1.0 / 240.0);
            for _ in 0..60 {
                world.step().unwrap();
            }
            assert!(world.contact_report().unwrap().touching > 20);
            state_hash(&world.state)
        })
    };
    let one = hash(1);
    for threads in [2, 3, 8] {
        assert_eq!(hash(threads), one, "{threads} threads");
    }
}

/// A solid that nothing comes near changes nothing.
#[test]
fn a_distant_solid_changes_no_bit() {
    let ball = Shape::Sphere { center: Vec3::new(0.0, 0.0, 0.3), radius: 0.2 };
    let distant = Shape::Cuboid { center: Vec3::splat(9.0), size: Vec3::ONE, rotation: Vec3::ZERO };
    let hash = |solids: Vec<Collider>| {
        let scene = sheet(12, Vec3::new(-0.5, -0.5, 0.55), [Vec3::X, Vec3::Y], DOWN, solids);
        let mut world = World::new(scene.0, scene.1, &SolverConfig::named("pncg").unwrap(), 1.0 / 240.0);
        for _ in 0..100 {
            world.step().unwrap();
        }
        state_hash(&world.state)
    };
    assert_eq!(hash(vec![ball.clone().into()]), hash(vec![ball.into(), distant.into()]));
}

/// A rope without faces, of links as long as the ball is wide and shorter, falls across a ball and hangs there.
#[test]
fn a_rope_does_not_pass_through_a_ball() {
    let ball = Shape::Sphere { center: Vec3::new(0.013, 0.0, 0.0), radius: 0.1 };
    for particles in [8, 9, 41] {
        let rope = Rope {
            from: Vec3::new(-0.8, 0.0, 0.2),
            to: Vec3::new(0.8, 0.0, 0.2),
            particles,
            ..Rope::default()
        };
        let mut builder = Builder::default();
        builder.add_rope(&rope).unwrap();
        let (model, state) = builder
            .finish(&Surroundings {
                gravity: DOWN,
                colliders: vec![Collider::from(ball.clone())],
                contact: ContactLaw::Surface(SurfaceContact::default()),
                ..Surroundings::default()
            })
            .unwrap();
        let config = SolverConfig::Xpbd(XpbdConfig { substeps: 8, ..XpbdConfig::default() });
        let mut world = World::new(model, state, &config, 1.0 / 60.0);
        for frame in 0..60 {
            world.step().unwrap();
            assert_eq!(world.intersections(), [], "{particles} particles, frame {frame}");
        }
        let lowest = world.state.positions.iter().map(|x| x.z).fold(Real::INFINITY, Real::min);
        assert!((-1.0..-0.5).contains(&lowest), "{particles} particles hang over it, down to {lowest} m");
    }
}

thread_local! {
    static SECONDS: std::cell::Cell<Real> = const { std::cell::Cell::new(0.0) };
}

/// A second later each time it is asked.
fn clock() -> Real {
    SECONDS.replace(SECONDS.get() + 1.0)
}

/// Of eight parts of a step, those that the clock leaves time for; time passes for nobody in the others.
#[test]
fn a_world_over_its_time_budget_falls_behind_without_intersections() {
    let config = SolverConfig::Xpbd(XpbdConfig { substeps: 32, ..XpbdConfig::default() });
    let (mut model, state) =
        sheet(14, Vec3::new(0.0, 0.0, 0.02), [Vec3::X, Vec3::new(0.0, 0.1, 1.0)], DOWN, vec![FLOOR.into()]);
    let dt = 1.0 / 60.0;
    let mut patient = World::new(model.clone(), state.clone(), &config, dt);
    patient.use_clock(clock);
    patient.step().unwrap();
    assert!((patient.state.time - dt).abs() < 1e-15);
    model.set_contact(ContactLaw::Surface(SurfaceContact { time_budget: Some(2.5), ..super::law() }));
    let mut world = World::new(model.clone(), state.clone(), &config, dt);
    let report = world.step().unwrap();
    assert_eq!(
        (report.out_of_time, world.state.time > 0.9 * dt),
        (0, true),
        "without a clock there is no time"
    );
    let mut hurried = World::new(model, state, &config, dt);
    hurried.use_clock(clock);
    for step in 1..=90 {
        let report = hurried.step().unwrap();
        assert_eq!(report.out_of_time, 1, "step {step}");
        assert_eq!(hurried.intersections(), [], "step {step}");
    }
    // Three parts of eight or more.
    let part = hurried.state.time / (90.0 * dt);
    assert!((0.05..=3.0 / 8.0 + 1e-9).contains(&part), "{part}");
}
