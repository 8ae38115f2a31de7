//! `cargo run --release -p muslin-bench`: how many times faster than other engines, for the same quality.

use clap::Parser;
use muslin_bench::{compare, drape, engines, markdown};
use muslin_lab::quality::{Bound, Trial};
use std::time::Duration;

/// Runs the same sheet, hanging or draped on a ball, by every engine, on one thread, and prints the cheapest settings and their ratios.
#[derive(Parser)]
struct Arguments {
    /// Particles along a side [default: 50 and 100]
    #[arg(long, value_parser = clap::value_parser!(u16).range(2..=400))]
    size: Vec<u16>,
    /// Only engines whose name holds one of these words, beside the first
    #[arg(long)]
    engine: Vec<String>,
    /// A sheet of 20 × 20, and two qualities only
    #[arg(long)]
    quick: bool,
    /// Drape the sheet on a ball instead, with self-contact
    #[arg(long)]
    drape: bool,
    /// How long a run of 3 s may take [s]
    #[arg(long, default_value_t = 120.0)]
    patience: f64,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let sizes = match (arguments.size.is_empty(), arguments.quick) {
        (false, _) => arguments.size.clone(),
        (true, true) => vec![20],
        (true, false) => vec![50, 100],
    };
    anyhow::ensure!(
        arguments.patience > 0.0 && arguments.patience < 1e6,
        "--patience must be between 0 and 1e6 s"
    );
    let patience = Duration::from_secs_f64(arguments.patience);
    let all = &Bound::ALL;
    let bounds = if arguments.quick { &all[1..4] } else { &all[..] };
    let rounds = if arguments.quick { 1 } else { 2 };
    println!("# The yardstick: one thread, one run\n");
    if arguments.drape {
        for size in sizes {
            let particles = size.into();
            let tell = |row: &drape::DrapeRow| eprintln!("{row}");
            let rows = muslin::threads::with_count(1, || {
                drape::run(&drape::Drape::new(particles), &engines::drapes(), tell)
            });
            print!("{}", drape::markdown(particles, &rows));
        }
        return Ok(());
    }
    for size in sizes {
        let text = muslin::threads::with_count(1, || {
            let trial = Trial::hang(size.into());
            let mut engines = engines::all();
            let named = |name: &str| arguments.engine.iter().any(|word| name.contains(word.as_str()));
            let mut first = true;
            engines.retain(|engine| {
                std::mem::take(&mut first) || arguments.engine.is_empty() || named(&engine.name())
            });
            markdown(&compare(&engines, &trial, bounds, patience, rounds))
        });
        print!("{text}");
    }
    Ok(())
}
