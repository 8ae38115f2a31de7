//! XPBD's kernel against plain loops over plain arrays, in one run: five times as many constraints per second and more where they fit
//! the nearer caches; beyond that it is memory that counts, and three times.
#![allow(clippy::disallowed_methods, reason = "an example that measures time")]

#[path = "../benches/constraints/mod.rs"]
mod constraints;

use constraints::{PlainDouble, PlainSingle, WideConstraints, by_colors, shaken_sheet};
use muslin::internals::simd::constraints::Instructions;
use muslin::threads;
use std::hint::black_box;
use std::time::Instant;

fn main() {
    threads::with_count(1, || {
        for (side, least) in [(50, 5.0), (100, 3.0), (200, 3.0)] {
            let (mut best, mut ratio) = ([f64::INFINITY; 4], 0.0);
            // Other work on the machine can only add to a time: what is too slow is given more tries.
            for _ in 0..6 {
                ratio = measure(side, &mut best);
                if ratio >= least {
                    break;
                }
            }
            let wide = Instructions::detect().is_wide();
            assert!(ratio >= least || !wide, "{side} × {side}: only {ratio:.2} times the plain loop");
        }
    });
}

/// Time of the plain loop in double precision, in the order of the springs, over time of the kernel: of the best of many sweeps each, and of
/// those before.
fn measure(side: usize, best: &mut [f64; 4]) -> f64 {
    let (model, state) = shaken_sheet(side);
    let mut wide = WideConstraints::of(&model, &state);
    let mut double = PlainDouble::of(&model, &state);
    let mut single = PlainSingle::of(&model, &state);
    let mut colored = PlainDouble::of(&by_colors(&model), &state);
    for _ in 0..4_000_000 / model.elements.springs.len() {
        wide.restart();
        double.restart();
        single.restart();
        colored.restart();
        let times = [
            time(|| black_box(&mut wide).sweep(Instructions::detect())),
            time(|| black_box(&mut double).sweep()),
            time(|| black_box(&mut single).sweep()),
            time(|| black_box(&mut colored).sweep()),
        ];
        *best = std::array::from_fn(|k| best[k].min(times[k]));
    }
    // The order of the sweep differs, and with it the result; both bring the sheet nearer to its rest, by about as much.
    let moved = |x: &[f64; 3], start: &[f64; 3]| (0..3).map(|k| (x[k] - start[k]).powi(2)).sum::<f64>();
    let of_kernel: f64 =
        wide.particles.iter().map(|p| moved(&[p.0[0].into(), p.0[1].into(), p.0[2].into()], &[0.0; 3])).sum();
    let of_loop: f64 =
        double.positions.iter().zip(&state.positions).map(|(x, start)| moved(x, &start.to_array())).sum();
    let alike = (of_kernel / of_loop).sqrt();
    assert!((0.9..1.1).contains(&alike), "the kernel moves particles {alike} times as far as the loop");

    let springs = model.elements.springs.len();
    let [kernel, double, single, colored] = best.map(|time| 1e9 * time / springs as f64);
    println!(
        "{side} × {side}: {springs} constraints; kernel {kernel:.2} ns each, plain loop {double:.2} ns in double \
         precision ({:.1} times as long), {single:.2} ns in single ({:.1} times), {colored:.2} ns in double precision in \
         the kernel's order ({:.1} times)",
        double / kernel,
        single / kernel,
        colored / kernel
    );
    double / kernel
}

fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}
