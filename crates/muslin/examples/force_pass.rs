//! How much the force pass costs above a plain loop over plain arrays: at most half as much again.
#![allow(clippy::disallowed_methods, reason = "an example that measures time")]

#[path = "../benches/plain/mod.rs"]
mod plain;

use muslin::internals::parts::force_pass::ForcePass;
use muslin::material::FabricName;
use muslin::math::Vec3;
use muslin::threads;
use plain::{PlainSprings, moving_sheet};
use std::hint::black_box;
use std::time::Instant;

fn main() {
    threads::with_count(1, || {
        for fabric in [FabricName::Cotton, FabricName::Study] {
            let ratio = measure(fabric);
            assert!(ratio <= 1.5, "{}: the force pass takes {ratio:.2} times the plain loop", fabric.name());
        }
    });
}

/// Time of the force pass over time of the plain loop: the better of three medians, as other work on the
/// machine can only add to a time.
fn measure(fabric: FabricName) -> f64 {
    let (model, state) = moving_sheet(fabric);
    let mut plain = PlainSprings::of(&model, &state);
    let mut pass = ForcePass::default();
    let mut forces = Vec::new();
    let mut best = [f64::INFINITY; 2];
    for _ in 0..3 {
        let (mut of_pass, mut of_loop) = (Vec::new(), Vec::new());
        for _ in 0..101 {
            let start = Instant::now();
            pass.forces(&model, 0.0, &state.positions, &state.velocities, black_box(&mut forces));
            of_pass.push(start.elapsed().as_secs_f64());
            let start = Instant::now();
            black_box(&mut plain).add_up();
            of_loop.push(start.elapsed().as_secs_f64());
        }
        best = [best[0].min(median(of_pass)), best[1].min(median(of_loop))];
    }
    for (force, plain) in forces.iter().zip(&plain.forces) {
        let plain = Vec3::from_array(*plain);
        // The same formula in another order of operations: some roundings of forces of some newtons.
        assert!(force.distance(plain) <= 1e-11 * (1.0 + plain.length()), "{force} is not {plain}");
    }
    let [of_pass, of_loop] = best;
    println!(
        "{}: {} springs, force pass {:.3} ms, plain loop {:.3} ms, ratio {:.2}",
        fabric.name(),
        model.elements.springs.len(),
        1e3 * of_pass,
        1e3 * of_loop,
        of_pass / of_loop
    );
    of_pass / of_loop
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
