//! One sweep of XPBD over the springs of a sheet on one thread: the kernel, and plain loops over plain arrays.

mod constraints;

use constraints::{PlainDouble, PlainSingle, WideConstraints, by_colors, shaken_sheet};
use divan::{Bencher, black_box};
use muslin::internals::simd::constraints::Instructions;
use muslin::threads;

const SIDES: [usize; 3] = [50, 100, 200];

fn main() {
    threads::with_count(1, divan::main);
}

#[divan::bench(args = SIDES)]
fn kernel(bencher: Bencher, side: usize) {
    let (model, state) = shaken_sheet(side);
    let mut wide = WideConstraints::of(&model, &state);
    bencher.bench_local(|| {
        wide.restart();
        black_box(&mut wide).sweep(Instructions::detect());
    });
}

#[divan::bench(args = SIDES)]
fn plain_loop_in_double_precision(bencher: Bencher, side: usize) {
    let (model, state) = shaken_sheet(side);
    let mut plain = PlainDouble::of(&model, &state);
    bencher.bench_local(|| {
        plain.restart();
        black_box(&mut plain).sweep();
    });
}

#[divan::bench(args = SIDES)]
fn plain_loop_in_double_precision_by_colors(bencher: Bencher, side: usize) {
    let (model, state) = shaken_sheet(side);
    let mut plain = PlainDouble::of(&by_colors(&model), &state);
    bencher.bench_local(|| {
        plain.restart();
        black_box(&mut plain).sweep();
    });
}

#[divan::bench(args = SIDES)]
fn plain_loop_in_single_precision(bencher: Bencher, side: usize) {
    let (model, state) = shaken_sheet(side);
    let mut plain = PlainSingle::of(&model, &state);
    bencher.bench_local(|| {
        plain.restart();
        black_box(&mut plain).sweep();
    });
}
