//! Closed surfaces without room inside.

use muslin::builder::{Ball, Builder, Surroundings};
use muslin::elements::PressureLaw;
use muslin::math::{Real, Vec3};
use muslin::solver::SolverConfig;
use muslin::world::World;

/// Crumpled, a ball has almost no gradient of its volume, and the way to the volume that it seeks led to 1e16 m/s.
#[test]
fn a_crumpled_ball_by_pbd_is_not_thrown_apart() {
    let mut builder = Builder::default();
    let pressure = Some(PressureLaw::Volume { factor: 1.6, stiffness: 1.0 });
    builder.add_ball(&Ball { subdivisions: 2, pressure, ..Ball::default() }).unwrap();
    let (model, mut state) = builder.finish(&Surroundings::default()).unwrap();
    for (p, x) in state.positions.iter_mut().enumerate() {
        *x *= 1e-3 * (7.0 * p as Real).sin();
    }
    let (dt, iterations) = (0.1, 20.0);
    let mut world = World::new(model, state, &SolverConfig::named("pbd").unwrap(), dt);
    // Of a ball of 1.6 times the volume; every iteration may go so far.
    let radius = 0.5 * Real::cbrt(1.6);
    for _ in 0..50 {
        world.step().unwrap();
        let speed = world.state.velocities.iter().copied().map(Vec3::length).fold(0.0, Real::max);
        assert!(speed < 4.0 * iterations * radius / dt, "{speed} m/s");
    }
}
