//! Forces that spread only through what moves.

use crate::support::{exact_propagation, max_distance, noise};
use muslin::builder::{Builder, Drag, Mass, Pin, Place, Resolution, Sheet, Surroundings};
use muslin::elements::SpringLaw;
use muslin::hash::state_hash;
use muslin::material::{Fabric, Link};
use muslin::math::{Real, Vec3};
use muslin::profile::{Profile, uniform};
use muslin::solver::SolverConfig;
use muslin::solvers::{PropagationConfig, PropagationForm};
use muslin::state::State;
use muslin::world::World;
use muslin::{forces::PointLoad, model::Model};

/// The net of Carvalho 2007, section 6.2: 4.5 m, its border pinned, drag on each particle, a force on the middle one [N].
fn net(side: usize, stiffness: Real, law: SpringLaw, force: Vec3) -> (Model, State) {
    let sheet = Sheet {
        size: [4.5, 4.5],
        resolution: Resolution::Particles([side, side]),
        fabric: Fabric {
            structural: Link { stiffness, law, ..Link::default() },
            shear: Link::default(),
            flexion: Link::default(),
            ..Fabric::default()
        },
        mass: Mass::Each(0.01),
        drag: Drag::Each(0.2 * stiffness),
        pins: vec![Pin::at(Place::Border)],
        ..Sheet::default()
    };
    let mut builder = Builder::default();
    builder.add_sheet(&sheet).unwrap();
    let (mut model, state) =
        builder.finish(&Surroundings { gravity: Vec3::ZERO, ..Surroundings::default() }).unwrap();
    let middle = (side * side / 2) as u32;
    let load = PointLoad { particles: vec![middle], force, profile: Profile::Constant };
    model.change_forces(|forces| forces.loads.push(load));
    (model, state)
}

/// The published steps, random between these [s].
fn step(k: u64) -> Real {
    1.0 / 110.0 + (1.0 / 60.0 - 1.0 / 110.0) * uniform(7, k)
}

fn propagation() -> SolverConfig {
    SolverConfig::named("propagation").unwrap()
}

#[test]
fn where_all_is_visited_it_is_velocity_verlet_with_a_dead_zone() {
    let force = Vec3::Z * 0.15;
    for (band, config) in [(1e-3, propagation()), (0.0, exact_propagation())] {
        let (plain, mut state) = net(11, 4.0, SpringLaw::TwoSided, force);
        let (dead, _) = net(11, 4.0, SpringLaw::DeadZone(band), force);
        // All in motion, with springs that are well strained: all is visited.
        for p in (0..plain.len()).filter(|&p| !plain.is_held(p)) {
            state.positions[p] += noise(1, p) * 0.05;
            state.velocities[p] = noise(2, p) * 0.3;
        }
        let verlet = SolverConfig::named("velocity-verlet").unwrap();
        let mut ours = World::new(plain.clone(), state.clone(), &config, 0.01);
        let mut theirs = World::new(dead, state, &verlet, 0.01);
        let free = (0..plain.len()).filter(|&p| !plain.is_held(p)).count();
        for k in 0..200 {
            let report = ours.step_by(step(k)).unwrap();
            theirs.step_by(step(k)).unwrap();
            assert_eq!(report.visited_particles as usize, free, "step {k}");
        }
        let apart = max_distance(&ours.state.positions, &theirs.state.positions);
        assert!(apart < 1e-12, "ε = {band}: {apart:e} m apart");
    }
}

#[test]
fn untouched_particles_do_not_move_by_a_bit() {
    let (model, start) = net(41, 4.0, SpringLaw::TwoSided, Vec3::Z * 0.15);
    let mut world = World::new(model, start.clone(), &propagation(), 0.01);
    world.step_by(step(0)).unwrap(); // looks at all
    let mut most = 0;
    for k in 1..60 {
        let before = world.state.clone();
        let report = world.step_by(step(k)).unwrap();
        let moved = (0..start.positions.len()).filter(|&p| before.positions[p] != world.state.positions[p]);
        let moved = moved.count() as u32;
        // What moves was visited in this step, or in the one before.
        assert!(moved <= report.visited_particles.max(most), "step {k}: {moved} of {report:?}");
        most = most.max(report.visited_particles);
    }
    assert!((5..1521 / 2).contains(&most), "{most} of 39² visited");
    let far = (0..41).map(|i| 41 + i);
    for p in far {
        assert_eq!(world.state.positions[p].to_array(), start.positions[p].to_array(), "particle {p}");
    }
}

#[test]
fn a_stiffer_net_visits_fewer_springs() {
    let visited = |stiffness: Real| {
        let (model, state) = net(21, stiffness, SpringLaw::TwoSided, Vec3::Z * 0.15);
        let mut world = World::new(model, state, &propagation(), 0.01);
        let reports = (0..1000).map(|k| world.step_by(step(k)).unwrap().visited_elements);
        reports.map(u64::from).sum::<u64>()
    };
    let [soft, stiff] = [4.0, 8.0].map(visited);
    assert!(stiff < soft, "{stiff} and {soft} springs in 1000 steps");
}

/// A single mass on a spring, no load: by |v| alone it would stop for ever where a step hits its turning point.
#[test]
fn what_turns_back_stays_awake() {
    let (model, mut state) = net(3, 40.0, SpringLaw::TwoSided, Vec3::ZERO);
    let mut model = model;
    model.change_forces(|forces| forces.drag.fill(0.0));
    state.positions[4] += Vec3::X * 0.2; // at a turning point, to begin with
    let mut world = World::new(model, state.clone(), &propagation(), 0.005);
    let mut least = Real::INFINITY;
    for _ in 0..400 {
        world.step().unwrap();
        least = least.min(world.state.positions[4].x - state.positions[4].x);
    }
    // It swings from 0.2 m to −0.2 m about the middle; steps of ωh = 0.45 miss the end by 1 − cos(ωh/2) of
    // 0.2 m, and the cross threads, which pull back with the cube of the way, by (ωh)² of their share of a percent.
    assert!((-0.402..-0.38).contains(&least), "{least}");
}

#[test]
fn it_comes_to_rest_and_wakes_when_touched() {
    let (model, state) = net(21, 4.0, SpringLaw::TwoSided, Vec3::ZERO);
    let mut world = World::new(model, state, &propagation(), 0.01);
    world.step().unwrap();
    world.step().unwrap();
    assert_eq!(world.step().unwrap().visited_particles, 0, "all sleeps");
    let before = world.state.positions.clone();
    world.state.positions[220] += Vec3::Z * 0.1;
    let report = world.step().unwrap();
    assert!((5..50).contains(&report.visited_particles), "{report:?}");
    world.step().unwrap();
    assert!(world.state.positions[219] != before[219], "its neighbour feels it");
}

#[test]
fn printed_walks_depend_on_the_order_and_repeat_to_the_bit() {
    let run = |form: PropagationForm| {
        let (model, start) = net(21, 4.0, SpringLaw::TwoSided, Vec3::Z * 0.15);
        let config = PropagationConfig { form, ..PropagationConfig::default() };
        let mut world = World::new(model, start.clone(), &config.into(), 0.01);
        for k in 0..500 {
            world.step_by(step(k)).unwrap();
        }
        let ways = world.state.positions.iter().zip(&start.positions).map(|(a, b)| (*a - *b).abs());
        (ways.fold(Vec3::ZERO, Vec3::max), state_hash(&world.state))
    };
    let (corrected, hash) = run(PropagationForm::Corrected);
    assert!((corrected.x - corrected.y).abs() < 1e-12, "a symmetric problem: {corrected}");
    assert_eq!(run(PropagationForm::Corrected).1, hash);
    let (printed, hash) = run(PropagationForm::AsPrinted);
    assert!((printed.x - printed.y).abs() > 1e-4, "{printed}");
    assert_eq!(run(PropagationForm::AsPrinted).1, hash);
    // Passing the incoming force on, a sideways drift of metres grows out of a force along z.
    let (literal, _) = run(PropagationForm::Literal);
    assert!((literal.x - literal.y).abs() > 0.1, "{literal}");
}
