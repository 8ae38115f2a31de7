//! Methods with a constant matrix factor it again for another step length, wherever the cloth is by then.
//!
//! The order of elimination was made anew from the deformed cloth, and no longer that of the vectors: `projective` fell apart.

use crate::support::{DOWN, build, max_distance};
use muslin::builder::{Pin, Place, Resolution, Sheet, Surroundings};
use muslin::math::Real;
use muslin::solver::SolverConfig;
use muslin::solvers::{PncgConfig, Precision, ProjectiveConfig};
use muslin::world::World;

#[test]
fn a_change_of_the_step_length_is_as_good_as_a_new_start() {
    let sheet = Sheet {
        resolution: Resolution::Particles([14, 14]),
        pins: vec![Pin::at(Place::Grid(vec![[0, 0], [0, 13]]))],
        ..Sheet::default()
    };
    let (model, state) = build(&sheet, &Surroundings { gravity: DOWN, ..Surroundings::default() });
    let precision = Precision::Double;
    let scheme = muslin::solvers::Scheme::ImplicitEuler;
    for config in [
        SolverConfig::Projective(ProjectiveConfig { precision, ..Default::default() }),
        SolverConfig::Pncg(PncgConfig { precision, scheme, ..Default::default() }),
    ] {
        let mut world = World::new(model.clone(), state.clone(), &config, 1.0 / 60.0);
        for _ in 0..30 {
            world.step().unwrap();
        }
        let short: Real = 1.0 / 240.0;
        let mut fresh = World::new(model.clone(), world.state.clone(), &config, short);
        world.dt = short;
        for _ in 0..5 {
            world.step().unwrap();
            fresh.step().unwrap();
        }
        let apart = max_distance(&world.state.positions, &fresh.state.positions);
        // The same iterations with factors that differ by the rounding of another order.
        assert!(apart < 1e-9, "{}: {apart:e} m apart", config.name());
    }
}
