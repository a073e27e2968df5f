//! Prints tasks a second of `cpu-parallel`, all tasks and half of them, beside the peak of as many threads:
//! `cargo run --release -p repro-cpu --example share_of_peak -- 1024 4096`.

use repro_cpu::parallel::{Simd, solve, solve_while};
use repro_cpu::peak::add_min_rate;
use repro_graph::{DistanceMatrix, ElementType, RandomGraph, generate, is_symmetric};
use std::time::{Duration, Instant};

/// Solves of each kind last so long together at least, and are so many.
const LEAST: (Duration, usize) = (Duration::from_millis(300), 5);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sizes: Vec<usize> = std::env::args().skip(1).map(|n| n.parse()).collect::<Result<_, _>>()?;
    let threads = rayon::current_num_threads();
    let graph = |undirected, n| generate(&RandomGraph { undirected, ..RandomGraph::complete(1) }, n);
    println!(
        "{:>6}{:>12}{:>8}{:>12}{:>8}{:>12}{:>12}",
        "n", "all, G/s", "share", "half, G/s", "share", "of time", "look, ms"
    );
    for n in sizes {
        let (directed, undirected) = (graph(false, n)?, graph(true, n)?);
        let all = median(&directed, |matrix| solve(matrix.as_mut_slice(), n));
        let half =
            median(&undirected, |matrix| assert!(solve_while(matrix.as_mut_slice(), n, true, &|_, _| true)));
        let look = median(&undirected, |matrix| assert!(is_symmetric(matrix)));
        let peak = add_min_rate(ElementType::F32, Simd::detect(), threads);
        let n = n as f64;
        let [of_all, of_half] = [n.powi(3) / all, n * n * (n + 1.0) / 2.0 / half];
        println!(
            "{n:>6}{:>12.1}{:>8.3}{:>12.1}{:>8.3}{:>12.3}{:>12.3}",
            of_all / 1e9,
            of_all / peak,
            of_half / 1e9,
            of_half / peak,
            half / all,
            look * 1e3
        );
    }
    Ok(())
}

/// Seconds of the median run, each on weights of its own.
fn median(graph: &DistanceMatrix, mut run: impl FnMut(&mut DistanceMatrix)) -> f64 {
    let started = Instant::now();
    let mut seconds = Vec::new();
    while started.elapsed() < LEAST.0 || seconds.len() < LEAST.1 {
        let mut matrix = graph.clone();
        let begun = Instant::now();
        run(&mut matrix);
        seconds.push(begun.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}
