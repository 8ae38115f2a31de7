//! Forces of a sheet of 100 × 100 particles on one thread: the library's pass, and a plain loop over plain arrays.

mod plain;

use divan::{Bencher, black_box};
use muslin::internals::parts::force_pass::ForcePass;
use muslin::material::FabricName;
use muslin::threads;
use plain::{PlainSprings, moving_sheet};

const FABRICS: [&str; 2] = ["cotton", "study"];

fn main() {
    threads::with_count(1, divan::main);
}

fn named(fabric: &str) -> FabricName {
    FabricName::ALL.into_iter().find(|known| known.name() == fabric).expect("a fabric that has a name")
}

#[divan::bench(args = FABRICS)]
fn force_pass(bencher: Bencher, fabric: &str) {
    let (model, state) = moving_sheet(named(fabric));
    if fabric == "cotton" {
        assert_eq!(model.elements.springs.len(), 59_002);
    }
    let (mut pass, mut forces) = (ForcePass::default(), Vec::new());
    bencher.bench_local(|| {
        pass.forces(&model, 0.0, &state.positions, &state.velocities, black_box(&mut forces));
    });
}

#[divan::bench(args = FABRICS)]
fn plain_loop(bencher: Bencher, fabric: &str) {
    let (model, state) = moving_sheet(named(fabric));
    let mut plain = PlainSprings::of(&model, &state);
    bencher.bench_local(|| black_box(&mut plain).add_up());
}
