//! Published and recomputed numbers.

use crate::support::two_point_drop;
use muslin::math::{Real, Vec3};
use muslin::measure::Energy;
use muslin::solver::SolverConfig;
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
