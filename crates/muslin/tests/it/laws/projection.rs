//! What spring projection and Newton's method claim of their iterations [Wan, Zhu, Yao & Feng 2020].

use crate::support::{DOWN, build, max_distance, noise, run, small_sheet};
use muslin::builder::{Mass, Pin, Place, Resolution, Sheet, Surroundings};
use muslin::elements::{Element, Spring, SpringFamily};
use muslin::internals::parts::global_step::{FactorUse, GlobalStep};
use muslin::material::{Fabric, Link};
use muslin::math::{Real, Vec3};
use muslin::measure::Energy;
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::solvers::Precision;
use muslin::solvers::Scheme;
use muslin::solvers::{NewtonConfig, ProjectiveConfig};
use muslin::state::State;
use muslin::world::World;

/// A frame: long enough that springs are far stiffer than inertia.
const FRAME: Real = 1.0 / 60.0;

/// The small sheet, a hundred times as stiff, uneven and in motion.
fn moving_sheet() -> (Model, State) {
    let (mut model, mut state) = small_sheet(true, 0.0, DOWN);
    model.change(|data| {
        for spring in &mut data.elements.springs {
            spring.stiffness *= 100.0;
        }
    });
    for i in (0..model.len()).filter(|&i| !model.is_held(i)) {
        state.positions[i] += noise(1, i) * 0.01;
        state.velocities[i] = noise(2, i) * 0.5;
    }
    (model, state)
}

fn projective(iterations: u32) -> SolverConfig {
    let (tolerance, precision) = (1e-15, Precision::Double);
    SolverConfig::Projective(ProjectiveConfig { iterations, tolerance, precision, ..Default::default() })
}

fn newton(iterations: u32) -> SolverConfig {
    SolverConfig::Newton(NewtonConfig { iterations, tolerance: 1e-15, ..Default::default() })
}

/// A first step of implicit Euler, with the iterate at x + h v.
fn begin(model: &Model, state: &State) -> GlobalStep<f64, f64> {
    let mut step = GlobalStep::default();
    step.begin(model, &mut state.clone(), FRAME, Scheme::ImplicitEuler, FactorUse::Exact);
    step
}

/// Positions in the order of the model.
fn positions(step: &GlobalStep<f64, f64>) -> Vec<Vec3> {
    step.objective.place_of.iter().map(|&place| Vec3::from_slice(&step.x[place as usize])).collect()
}

#[test]
fn the_energy_of_the_step_falls_with_every_iteration_of_projection() {
    let (model, state) = moving_sheet();
    let mut step = begin(&model, &state);
    let mut direction = step.vector();
    let (free, mut last) = (step.len(), step.value(&model));
    let start = last;
    for iteration in 1..=60 {
        step.gradient(&model, &mut direction);
        step.apply_inverse(&mut direction[..free]);
        step.advance(-1.0, &direction);
        let value = step.value(&model);
        assert!(value < last, "iteration {iteration}: {value} J after {last} J");
        last = value;
        if iteration % 20 == 0 {
            // The solver does these iterations and nothing else.
            let solved = run(&model, &state, &projective(iteration), FRAME, FRAME).state;
            assert_eq!(solved.positions, positions(&step), "{iteration} iterations");
        }
    }
    assert!(last < 0.1 * start, "{start} J to {last} J");
}

/// x ← x − P⁻¹ ∇G shrinks the error by the largest eigenvalue of 1 − P⁻¹H, once the others have died out.
#[test]
fn projection_converges_at_a_linear_rate() {
    let (model, state) = moving_sheet();
    let mut step = begin(&model, &state);
    let mut direction = step.vector();
    let free = step.len();
    let moves: Vec<Real> = (0..1000)
        .map(|_| {
            step.gradient(&model, &mut direction);
            step.apply_inverse(&mut direction[..free]);
            step.advance(-1.0, &direction)
        })
        .collect();
    let rate = |from: usize| (moves[from + 50] / moves[from]).powf(0.02);
    // Slow modes die out one after the other, ever more slowly.
    let (early, late) = (1.0 - rate(700), 1.0 - rate(949));
    assert!((0.001..0.5).contains(&late), "the error falls by {late} an iteration");
    assert!((1.0..1.5).contains(&(early / late)), "by {early}, then {late}");
}

/// (10) and (18) as they stand, with every spring as it is: directions, then one linear system, dense and by elimination.
fn local_and_global_step(model: &Model, state: &State, h: Real) -> Vec<Vec3> {
    let free: Vec<usize> = (0..model.len()).filter(|&i| !model.is_held(i)).collect();
    let row_of = |particle: usize| free.iter().position(|&p| p == particle);
    let n = free.len();
    let mut x: Vec<Vec3> = (0..model.len()).map(|i| state.positions[i] + state.velocities[i] * h).collect();
    let mut matrix = vec![vec![0.0; n]; n];
    let mut right: Vec<Vec3> =
        free.iter().map(|&p| (x[p] + model.forces.gravity * (h * h)) * model.masses[p]).collect();
    for (row, &p) in free.iter().enumerate() {
        matrix[row][row] = model.masses[p];
    }
    for spring in &model.elements.springs {
        let weight = h * h * spring.stiffness;
        let [a, b] = spring.particles();
        let d = (x[b] - x[a]).normalize() * spring.rest_length;
        for (own, other, sign) in [(a, b, -1.0), (b, a, 1.0)] {
            let Some(row) = row_of(own) else { continue };
            matrix[row][row] += weight;
            right[row] += d * (sign * weight);
            match row_of(other) {
                Some(column) => matrix[row][column] -= weight,
                None => right[row] += x[other] * weight,
            }
        }
    }
    for (&p, solved) in free.iter().zip(solve(matrix, right)) {
        x[p] = solved;
    }
    x
}

/// The published cloth, small: 1 g a particle, springs of one stiffness to neighbours, across cells and two apart.
fn published_cloth(side: usize, stiffness: Real) -> (Model, State) {
    let link = Link { stiffness, ..Link::default() };
    let sheet = Sheet {
        resolution: Resolution::Particles([side, side]),
        fabric: Fabric { structural: link, shear: link, flexion: link, ..Fabric::default() },
        mass: Mass::Each(1e-3),
        pins: vec![Pin::at(Place::Grid(vec![[0, 0], [0, side - 1]]))],
        ..Sheet::default()
    };
    let (model, mut state) = build(&sheet, &Surroundings { gravity: DOWN, ..Surroundings::default() });
    for i in (0..model.len()).filter(|&i| !model.is_held(i)) {
        state.positions[i] += noise(3, i) * 0.01;
        state.velocities[i] = noise(4, i) * 0.5;
    }
    (model, state)
}

#[test]
fn an_iteration_is_the_local_and_the_global_step() {
    let cases = [
        ("small sheet", moving_sheet(), FRAME),
        ("1,000 N/m", published_cloth(12, 1e3), 2.0 * FRAME),
        ("10,000 N/m", published_cloth(12, 1e4), 2.0 * FRAME),
    ];
    for (label, (model, state), h) in cases {
        let bends = |spring: &&Spring| spring.family == SpringFamily::Flexion;
        assert!(model.elements.springs.iter().filter(bends).count() > 10, "{label}: it has flexion springs");
        let expected = local_and_global_step(&model, &state, h);
        let found = run(&model, &state, &projective(1), h, h).state.positions;
        // Rounding of numbers around 1, times the condition of the matrix: 12 h² k/m, some 1e3 to 1e5.
        let off = max_distance(&found, &expected);
        assert!(off < 1e-11, "{label}: {off:e} m");
    }
}

/// The factor of another step is made when the cloth has moved: it must take places in the order of the first.
#[test]
fn a_changed_step_is_still_the_local_and_the_global_step() {
    let (model, state) = published_cloth(12, 1e3);
    let mut world = run(&model, &state, &projective(50), FRAME, 30.0 * FRAME);
    let moved = world.state.clone();
    world.step_by(0.5 * FRAME).unwrap();
    let mut fresh = World::new(model, moved, &projective(50), FRAME);
    fresh.step_by(0.5 * FRAME).unwrap();
    // Sums have another order: rounding times the condition of the matrix, once an iteration.
    let off = max_distance(&world.state.positions, &fresh.state.positions);
    assert!(off < 1e-10, "{off:e} m");
}

/// Gauss's elimination without pivots, for a positive definite matrix.
fn solve(mut matrix: Vec<Vec<Real>>, mut right: Vec<Vec3>) -> Vec<Vec3> {
    let n = right.len();
    for k in 0..n {
        for row in k + 1..n {
            let factor = matrix[row][k] / matrix[k][k];
            for column in k..n {
                matrix[row][column] -= factor * matrix[k][column];
            }
            let above = right[k];
            right[row] -= above * factor;
        }
    }
    for k in (0..n).rev() {
        let known: Vec3 = (k + 1..n).map(|column| right[column] * matrix[k][column]).sum();
        right[k] = (right[k] - known) / matrix[k][k];
    }
    right
}

/// How hard it iterates changes the way there, not where it ends.
#[test]
fn the_equilibrium_does_not_depend_on_the_number_of_iterations() {
    let (mut model, state) = moving_sheet();
    model.change_forces(|forces| forces.drag.fill(0.2));
    let end = |iterations: u32, single: bool| {
        let precision = if single { Precision::Single } else { Precision::Double };
        let config = ProjectiveConfig { iterations, tolerance: 1e-12, precision, ..Default::default() };
        let state = run(&model, &state, &SolverConfig::Projective(config), FRAME, 120.0).state;
        let energy = Energy::of(&model, &state);
        assert!(energy.kinetic < 1e-6, "{iterations} iterations: still moving with {:e} J", energy.kinetic);
        energy.elastic + energy.gravity
    };
    let expected = end(100, false);
    for (iterations, single) in [(1, false), (10, false), (1, true), (10, true), (100, true)] {
        let found = end(iterations, single);
        // Five digits, as the claim is.
        crate::assert_close!(
            found,
            expected,
            1e-5 * expected.abs(),
            "{iterations} iterations, single: {single}"
        );
    }
}

/// Near the end each iteration squares the error, as long as nothing is damped: the damping's turning part is left out of H.
#[test]
fn newtons_method_is_quadratic_near_the_end() {
    let (model, state) = moving_sheet();
    let end = run(&model, &state, &newton(50), FRAME, FRAME).state.positions;
    let error = |iterations: u32| {
        let there = run(&model, &state, &newton(iterations), FRAME, FRAME).state.positions;
        max_distance(&there, &end)
    };
    let errors: Vec<Real> = (1..30).map(error).collect();
    // From a tenth of a millimetre on, down to the rounding of positions.
    let near: Vec<Real> = errors.iter().copied().filter(|&error| error < 1e-4 && error > 1e-15).collect();
    assert!(near.len() >= 2, "{errors:?}");
    for pair in near.windows(2).filter(|pair| pair[0] > 1e-7) {
        // e⁺ = C e² with C some curvature over stiffness, at most 100/m here.
        assert!(pair[1] <= 100.0 * pair[0] * pair[0] + 1e-15, "{errors:?}");
    }
}

#[test]
fn a_warm_start_and_either_hessian_end_at_the_same_minimum() {
    let (model, state) = moving_sheet();
    let end = run(&model, &state, &newton(50), FRAME, FRAME).state.positions;
    for (label, config) in [
        ("warm", NewtonConfig { warm_start: 5, tolerance: 1e-12, ..Default::default() }),
        (
            "clamped",
            NewtonConfig {
                hessian: muslin::solvers::Hessian::Clamped,
                iterations: 500,
                tolerance: 1e-12,
                ..Default::default()
            },
        ),
    ] {
        let there = run(&model, &state, &SolverConfig::Newton(config), FRAME, FRAME).state.positions;
        // 1e-12 of a first move of centimetres, and what a linear rate leaves behind it.
        let distance = max_distance(&there, &end);
        assert!(distance < 1e-10, "{label}: {distance:e} m off");
    }
}
