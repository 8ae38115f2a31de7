//! A stiff sheet of 50 × 50 particles held at two corners, in real time and hardly stretched: XPBD in small steps with tethers.
#![allow(clippy::disallowed_methods, reason = "an example that measures time")]

use muslin::builder::{Builder, Mass, Pin, Place, Resolution, Sheet, Surroundings, Tether, TetherWay};
use muslin::material::{Fabric, Link};
use muslin::math::Vec3;
use muslin::measure::Stretch;
use muslin::solver::SolverConfig;
use muslin::solvers::XpbdConfig;
use muslin::threads;
use muslin::world::World;
use std::time::Instant;

fn main() {
    threads::with_count(1, || {
        let [with, without] =
            [Some(Tether { stiffness: 2e4, allowance: 0.0, along: TetherWay::Straight }), None].map(hang);
        assert!(with < 0.025, "stretched by {with}");
        assert!(without > 2.0 * with, "tethers make the difference: {without} without, {with} with");
    });
}

/// The largest stretch in the last second of three.
fn hang(tether: Option<Tether>) -> f64 {
    let link = |stiffness| Link { stiffness, ..Link::default() };
    let sheet = Sheet {
        size: [2.0, 2.0],
        resolution: Resolution::Particles([50, 50]),
        fabric: Fabric { structural: link(2e4), shear: link(1e3), flexion: link(200.0), ..Fabric::default() },
        mass: Mass::Total(0.8),
        pins: vec![Pin::at(Place::Grid(vec![[0, 0], [0, 49]]))],
        tether,
        ..Sheet::default()
    };
    let mut builder = Builder::default();
    builder.add_sheet(&sheet).unwrap();
    let gravity = Vec3::Z * -9.81;
    let (model, state) = builder.finish(&Surroundings { gravity, ..Surroundings::default() }).unwrap();
    let constraints = model.elements.springs.len();
    let config = SolverConfig::Xpbd(XpbdConfig { substeps: 24, ..XpbdConfig::default() });
    let mut world = World::new(model, state, &config, 1.0 / 60.0);
    let (mut worst, mut times) = (0.0, Vec::new());
    for frame in 0..180 {
        let start = Instant::now();
        world.step().unwrap();
        times.push(start.elapsed().as_secs_f64());
        if frame >= 120 {
            worst = Stretch::of(&world.model, &world.state.positions).max.max(worst);
        }
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{constraints} springs, {}: a frame of 1/60 s takes {:.2} ms, stretch up to {:.1} %",
        if tether.is_some() { "tethers among them" } else { "no tethers" },
        1e3 * times[times.len() / 2],
        100.0 * worst
    );
    worst
}
