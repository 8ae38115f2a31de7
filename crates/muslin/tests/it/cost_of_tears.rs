//! What edits of the topology cost a method with a factored matrix: few factorisations and hardly more iterations, at the same minimum, and
//! to the same bits on any number of threads and after a checkpoint.

use crate::support::noise;
use muslin::hash::state_hash;
use muslin::prelude::*;
use muslin::solvers::{Precision, Scheme};
use muslin::threads;

/// A sheet of so many particles by as many that hangs by two corners.
fn hung(side: usize, config: &SolverConfig) -> World {
    let mut builder = Builder::default();
    let pins = vec![Pin::at(Place::Grid(vec![[0, 0], [0, side - 1]]))];
    let resolution = Resolution::Particles([side; 2]);
    let sheet = Sheet { resolution, pins, drag: Drag::Area(0.5), ..Sheet::default() };
    builder.add_sheet(&sheet).unwrap();
    let (model, state) = builder.finish(&Surroundings::default()).unwrap();
    World::new(model, state, config, 1.0 / 60.0)
}

/// Cuts a random slit of two edges, which splits the vertex between them; whether there was none yet.
fn cut_somewhere(world: &mut World, side: usize, seed: u64) -> bool {
    let place = |x: Real| 2 + (x.abs() * 1e6) as usize % (side - 4);
    let random = noise(seed, 1);
    let vertex = place(random.x) * side + place(random.y);
    let step = if random.z > 0.0 { 1 } else { side };
    world.cut(&[vertex - step, vertex, vertex + step].map(|p| p as u32)).is_ok()
}

/// Some random slits.
fn cut_often(world: &mut World, side: usize, count: usize, seed: u64) {
    let cuts = (0..10 * count as u64).filter(|k| cut_somewhere(world, side, 1000 * seed + k)).take(count);
    assert_eq!(cuts.count(), count);
}

/// A step from the same state ends in the same place with the factor from before the cuts as with one of the matrix as it is.
#[test]
fn an_old_factor_leads_to_the_same_minimum() {
    const SIDE: usize = 24;
    let config = |precision| PncgConfig {
        iterations: 4000,
        tolerance: 1e-12,
        scheme: Scheme::ImplicitEuler,
        precision,
        ..PncgConfig::default()
    };
    let double: SolverConfig = config(Precision::Double).into();
    let mut world = hung(SIDE, &double);
    for _ in 0..20 {
        world.step().unwrap();
    }
    for (round, cuts) in [1, 2, 4, 5].into_iter().enumerate() {
        cut_often(&mut world, SIDE, cuts, round as u64);
        let mut anew = World::new(world.model.clone(), world.state.clone(), &double, world.dt);
        let (old, new) = (world.step().unwrap(), anew.step().unwrap());
        assert_eq!((old.factorizations, new.factorizations), (0, 1), "round {round}");
        // Both end where a move is below 1e-12 of the first one, some millimetres; the modes that converge slowest are then up to ten
        // thousand such moves away (2e-8 m were measured at 1e-9).
        let apart = world.state.positions.iter().zip(&anew.state.positions).map(|(a, b)| a.distance(*b));
        let farthest = apart.fold(0.0, Real::max);
        assert!(farthest < 1e-8, "round {round}: {farthest} m apart");
        assert!(
            old.iterations <= new.iterations * 3 / 2 + 5,
            "round {round}: {} iterations, {} with a new factor",
            old.iterations,
            new.iterations
        );
    }
}

/// Many tears: a factorisation serves for dozens of them, and steps take hardly more iterations than without.
#[test]
fn tears_are_cheap_for_a_factored_matrix() {
    const SIDE: usize = 40;
    const STEPS: usize = 100;
    const CUTS: usize = 3;
    let run = |cuts: usize| {
        let config = PncgConfig { iterations: 200, ..PncgConfig::default() };
        let mut world = hung(SIDE, &config.into());
        let (mut iterations, mut factorizations) = (0, 0);
        for step in 0..STEPS {
            cut_often(&mut world, SIDE, cuts, step as u64);
            let report = world.step().unwrap();
            iterations += report.iterations;
            factorizations += report.factorizations;
        }
        (iterations, factorizations)
    };
    let (whole, torn) = (run(0), run(CUTS));
    // A cut touches two particles, or three where it meets another one, and a factor serves until there are more than 32.
    let most = whole.1 as usize + STEPS * CUTS * 3 / 32 + 1;
    assert!(torn.1 as usize <= most && torn.1 > whole.1, "factored {} times, at most {most}", torn.1);
    assert!(torn.0 * 2 <= whole.0 * 3, "{} iterations, {} without tears", torn.0, whole.0);
}

/// A checkpoint while an old factor guides, and any number of threads: the same bits.
#[test]
fn an_old_factor_is_in_the_checkpoint() {
    const SIDE: usize = 90;
    let run = |count: usize| {
        let run = || {
            let mut world = hung(SIDE, &PncgConfig::default().into());
            let mut hashes = Vec::new();
            for step in 0..8 {
                cut_often(&mut world, SIDE, 4, step);
                // Before the first step with a factor, between cut and step, and between step and cut.
                let mut resumed = World::restore(&world.checkpoint()).unwrap();
                world.step().unwrap();
                resumed.step().unwrap();
                assert_eq!(state_hash(&resumed.state), state_hash(&world.state), "step {step}");
                world = World::restore(&resumed.checkpoint()).unwrap();
                for world in [&mut world, &mut resumed] {
                    cut_often(world, SIDE, 2, 100 + step);
                    world.step().unwrap();
                }
                assert_eq!(state_hash(&resumed.state), state_hash(&world.state), "step {step}");
                hashes.push(state_hash(&world.state));
            }
            hashes
        };
        threads::with_count(count, run)
    };
    assert_eq!(run(1), run(3));
}

/// A step of another length ends the guide, and so does a change of the model; none of that is lost in a checkpoint.
#[test]
fn other_steps_and_models_renew_the_factor() {
    const SIDE: usize = 16;
    let mut world = hung(SIDE, &PncgConfig::default().into());
    world.step().unwrap();
    cut_often(&mut world, SIDE, 2, 1);
    assert_eq!(world.step().unwrap().factorizations, 0);
    let mut resumed = World::restore(&world.checkpoint()).unwrap();
    for world in [&mut world, &mut resumed] {
        assert_eq!(world.step_by(0.5 * world.dt).unwrap().factorizations, 1);
        cut_often(world, SIDE, 2, 2);
        assert_eq!(world.step_by(0.5 * world.dt).unwrap().factorizations, 0);
        world.model.change(|data| data.elements.springs.iter_mut().for_each(|s| s.stiffness *= 1.1));
        cut_often(world, SIDE, 2, 3);
        assert_eq!(world.step_by(0.5 * world.dt).unwrap().factorizations, 1);
    }
    assert_eq!(state_hash(&resumed.state), state_hash(&world.state));
}
