//! The same bits on any number of threads, and again on the next run.

use crate::support::{G, build, every_solver, noise};
use muslin::builder::{Attach, Ball, Block, Builder, Pin, Place, Resolution, Sheet, Surroundings};
use muslin::elements::PressureLaw;
use muslin::hash::state_hash;
use muslin::internals::par;
use muslin::internals::parts::force_pass::ForcePass;
use muslin::material::{Bending, Fabric, MembraneMaterial};
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::script::Motion;
use muslin::solver::SolverConfig;
use muslin::state::State;
use muslin::threads;
use muslin::world::World;

/// A sheet large enough to be worth sharing between threads, shaken a little.
fn large_sheet(side: usize) -> (Model, State) {
    let resolution = Resolution::Particles([side, side]);
    let sheet = Sheet { resolution, pins: vec![Pin::at(Place::Corners)], ..Sheet::default() };
    let surroundings = Surroundings { gravity: Vec3::Z * -G, ..Surroundings::default() };
    let (model, mut state) = build(&sheet, &surroundings);
    for i in (0..model.len()).filter(|&i| !model.is_held(i)) {
        state.velocities[i] = noise(7, i) * 0.1;
    }
    (model, state)
}

/// Membranes, hinges, tetrahedra, attachments and pressure, shaken a little: enough to be worth sharing, too.
fn large_bodies() -> (Model, State) {
    let fabric = Fabric {
        membrane: Some(MembraneMaterial { warp: 200.0, poisson: 0.3, damping: 1e-3, ..Default::default() }),
        bending: Some(Bending { rigidity: 1e-4, damping: 1e-3, ..Default::default() }),
        ..Fabric::default()
    };
    let attach = vec![Attach { at: Place::Border, stiffness: 10.0, damping: 0.1, motion: Motion::Still }];
    let pressure = Some(PressureLaw::Gas { over: 50.0, ambient: 1000.0 });
    let mut builder = Builder::default();
    builder.add_ball(&Ball { subdivisions: 4, fabric, pressure, ..Ball::default() }).unwrap();
    builder.add_block(&Block { center: Vec3::X * 2.0, attach, ..Block::default() }).unwrap();
    let (model, mut state) =
        builder.finish(&Surroundings { gravity: Vec3::ZERO, ..Surroundings::default() }).unwrap();
    for i in 0..model.len() {
        state.positions[i] += noise(6, i) * 0.002;
        state.velocities[i] = noise(7, i) * 0.1;
    }
    (model, state)
}

fn hash_after(config: &SolverConfig, side: usize, dt: Real, steps: u32, threads: usize) -> u64 {
    threads::with_count(threads, || {
        let (model, state) = large_sheet(side);
        assert_eq!(par::worthwhile(model.incidence().slot_count()), threads > 1);
        let mut world = World::new(model, state, config, dt);
        for _ in 0..steps {
            world.step().unwrap();
        }
        state_hash(&world.state)
    })
}

#[test]
fn every_solver_gives_the_same_bits_on_1_2_3_and_8_threads_and_again() {
    for (label, config) in every_solver() {
        // Jacobi's 200 sweeps and SOR's many make these the slow ones: two steps tell as much as three.
        let steps = if label.starts_with("implicit-euler/") { 2 } else { 3 };
        let expected = hash_after(&config, 60, 1e-4, steps, 1);
        for threads in [1, 2, 3, 8] {
            let hash = hash_after(&config, 60, 1e-4, steps, threads);
            assert_eq!(hash, expected, "{label} on {threads} threads");
        }
    }
}

/// Factors of more than 6000 rows are cut into parts that threads share, with a buffer each for the rows above; and a step of
/// 10 ms takes every iteration.
#[test]
fn shared_factors_give_the_same_bits_on_1_2_3_and_8_threads() {
    for (label, config) in every_solver() {
        if !label.starts_with("projective") && !label.starts_with("pncg") {
            continue;
        }
        let config = few_iterations(config);
        let expected = hash_after(&config, 90, 1e-2, 3, 1);
        for threads in [2, 3, 8] {
            assert_eq!(hash_after(&config, 90, 1e-2, 3, threads), expected, "{label} on {threads} threads");
        }
    }
}

/// Six iterations tell as much as two hundred.
fn few_iterations(mut config: SolverConfig) -> SolverConfig {
    match &mut config {
        SolverConfig::Projective(projective) => projective.iterations = 6,
        SolverConfig::Pncg(pncg) => pncg.iterations = 6,
        _ => {}
    }
    config
}

#[test]
fn the_parallel_force_pass_is_the_plain_one_to_the_bit() {
    for (model, state) in [large_sheet(60), large_bodies()] {
        the_parallel_force_pass_is_the_plain_one(&model, &state);
    }
}

fn the_parallel_force_pass_is_the_plain_one(model: &Model, state: &State) {
    let mut plain = vec![Vec3::ZERO; model.len()];
    let State { positions, velocities, .. } = state;
    model.forces.add(0.0, &model.faces, positions, velocities, &mut Vec::new(), &mut plain);
    model.elements.add_forces(positions, velocities, &mut plain);
    for threads in [1, 2, 3, 8] {
        let forces = threads::with_count(threads, || {
            assert_eq!(par::worthwhile(model.incidence().slot_count()), threads > 1);
            let mut out = Vec::new();
            ForcePass::default().forces(model, 0.0, positions, velocities, &mut out);
            out
        });
        let differ =
            |i: &usize| forces[*i].to_array().map(Real::to_bits) != plain[*i].to_array().map(Real::to_bits);
        assert_eq!((0..model.len()).find(differ), None, "on {threads} threads");
    }
}
