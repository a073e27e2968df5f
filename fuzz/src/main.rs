//! Runs mutated inputs through every reader: `cargo run -- --inputs 1000000`.

mod harness;

use clap::Parser;
use harness::hunt::{hunt, keep, quiet_readers};
use harness::memory::Counting;
use harness::{corpus, targets::TARGETS};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(Parser)]
struct Arguments {
    /// Inputs for each reader
    #[arg(long, default_value_t = 100_000)]
    inputs: u64,
    /// Seed of the inputs; one seed always makes the same ones
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Readers, in place of all
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Readers to leave out
    #[arg(long, value_delimiter = ',')]
    without: Vec<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    quiet_readers();
    let mut broken = 0;
    let asked = |name: &&str| arguments.only.is_empty() || arguments.only.iter().any(|one| one == name);
    let left_out = |name: &&str| arguments.without.iter().any(|one| one == name);
    for target in TARGETS.iter().filter(|target| asked(&target.name) && !left_out(&target.name)) {
        let start = std::time::Instant::now();
        let report = hunt(target, &corpus(target.name), arguments.seed, arguments.inputs);
        println!("{}: {report}, {:.0} s", target.name, start.elapsed().as_secs_f64());
        broken += report.broken.len();
        for (input, problem) in report.broken.iter().take(20) {
            println!("  {problem}: {}", keep(target.name, input).display());
        }
    }
    if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
