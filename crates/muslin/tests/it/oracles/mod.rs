//! Published and recomputed numbers.

mod rods;

use crate::support::two_point_drop;
use muslin::math::{Real, Vec3};
use muslin::measure::Energy;
use muslin::solver::SolverConfig;
use muslin::stability::{largest_stable_step, stiffest_modes};
use muslin::world::World;

#[test]
fn scene_1_ends_where_an_independent_code_says() {
    let (model, state) = two_point_drop();
    let mut world = World::new(model, state, &SolverConfig::named("rk4").unwrap(), 1e-4);
    for _ in 0..40_000 {
        world.step().unwrap();
    }
    for line in include_str!("../../data/scene1_rk4_final.csv").lines().skip(1) {
        let n: Vec<Real> = line.split(',').map(|field| field.parse().unwrap()).collect();
        let particle = (n[0] * 10.0 + n[1]) as usize;
        let distance = world.state.positions[particle].distance(Vec3::new(n[2], n[3], n[4]));
        // Two codes in double precision, 40,000 steps, not chaotic: converged to 6e-10 m.
        assert!(distance < 1e-8, "particle {particle}: {distance:e} m off");
    }
    let kinetic = Energy::of(&world.model, &world.state).kinetic;
    crate::assert_close!(kinetic, 1.192_857_735e-4, 1e-10, "kinetic energy");
}

/// Largest eigenvalues of M⁻¹K and M⁻¹C of scene 1, and the step limits that follow from slack springs, by an independent code
/// (dense eigenvalues; the air included).
#[test]
fn linear_limits_of_scene_1_are_those_of_an_independent_code() {
    let (model, state) = two_point_drop();
    let [fastest, most_damped] = stiffest_modes(&model, &state.positions);
    // A power iteration stops at a relative change of 1e-7; neighbouring modes let it stop a little early.
    crate::assert_close!(fastest.omega, 1_265.755_697, 0.1, "omega");
    crate::assert_close!(most_damped.lambda, 1_867.838_886, 0.1, "lambda");
    for (name, expected) in
        [("explicit-euler", 1.070_756e-3), ("midpoint", 1.070_756e-3), ("rk4", 1.491_189e-3)]
    {
        let limit =
            largest_stable_step(&model, &state.positions, &SolverConfig::named(name).unwrap()).unwrap();
        crate::assert_close!(limit, expected, 1e-6, "{name}");
    }
}
