//! Prints tasks a second of the dense solver on the CPU at several n, which tells how well the rate at 512, which is measured on up to 15 threads, stands for larger ones:
//! `cargo run --release -p repro-dense --example dense_rates`.

use repro_graph::DistanceMatrix;
use repro_solvers::{Vectorized, cpu_parallel};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:>4}{:>8}{:>12}{:>8}", "type", "n", "G tasks/s", "of 512");
    measure::<f32>()?;
    measure::<i32>()?;
    measure::<u16>()?;
    measure::<f64>()
}

fn measure<T: Vectorized>() -> Result<(), Box<dyn std::error::Error>> {
    let mut at_512 = 1.0;
    for n in [64, 128, 256, 512, 1024, 2048, 4096] {
        let mut graph = DistanceMatrix::<T>::without_edges(n)?;
        for tail in 0..n {
            graph.add_edge(tail, (tail * 7 + 1) % n, T::from_f64((tail % 50) as f64));
        }
        let mut best = f64::INFINITY;
        for _ in 0..if n > 2048 { 1 } else { 3 } {
            let mut matrix = graph.clone();
            let started = Instant::now();
            cpu_parallel::solve(matrix.as_mut_slice(), n);
            best = best.min(started.elapsed().as_secs_f64());
        }
        let rate = (n as f64).powi(3) / best;
        if n == 512 {
            at_512 = rate;
        }
        println!("{:>4}{n:>8}{:>12.1}{:>8.2}", T::TYPE.to_string(), rate / 1e9, rate / at_512);
    }
    Ok(())
}
