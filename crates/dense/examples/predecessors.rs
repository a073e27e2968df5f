//! Prints what predecessors cost in addition to distances, on the GPU if there is one:
//! `cargo run --release -p repro-dense --example predecessors -- [n] [arcs a vertex] [samples] [--emulated]`.

use repro_dense::DenseSolver;
use repro_device::Selection;
use shortest_paths::{Algorithm, Arcs, ArcsBuilder, Options, PathSentinels, Paths, solve};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |at: usize, default: usize| given.get(at).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (n, arcs, samples) = (number(0, 16_384), number(1, 16), number(2, 5));
    let emulated = given.iter().any(|text| text == "--emulated");
    let selection = if emulated { Selection::Emulated(None) } else { Selection::Auto };
    let solver = DenseSolver::open(selection)?;
    let graph = random(n, arcs)?;
    println!(
        "n = {n}, {arcs} arcs a vertex, weights 1 to 1000 in f32, {:?}",
        solver.place(repro_graph::ElementType::F32)
    );
    let once = |paths| -> Result<_, Box<dyn std::error::Error>> {
        let algorithm = Some(Algorithm::FloydWarshall);
        let options = Options { dense: Some(&solver), algorithm, paths, ..Options::default() };
        let started = Instant::now();
        let solution = solve(&graph, &options)?;
        Ok((started.elapsed().as_secs_f64(), solution))
    };
    let with = Paths::Predecessors(PathSentinels::PLAIN);
    // The first of each compiles.
    once(Paths::No)?;
    let first = once(with)?.1;
    let mut seconds = [Vec::new(), Vec::new()];
    for _ in 0..samples {
        for (paths, seconds) in [Paths::No, with].into_iter().zip(&mut seconds) {
            let (whole, solution) = once(paths)?;
            let same = solution.distances == first.distances;
            let same = same && (paths == Paths::No || solution.predecessors == first.predecessors);
            assert!(same, "two solves of one graph differ: this is a defect of repro");
            seconds.push((whole, solver.last_parts()));
        }
    }
    for (label, seconds) in ["distances", "with predecessors"].into_iter().zip(&mut seconds) {
        seconds.sort_by(|one, two| one.0.total_cmp(&two.0));
        let (least, median, most) = (seconds[0].0, seconds[samples / 2], seconds[samples - 1].0);
        println!("{label}: median of {samples} {:.4} s, {least:.4} to {most:.4}; {:?}", median.0, median.1);
    }
    Ok(())
}

/// So many arcs from each vertex to others by a multiplicative generator, so that nothing is drawn twice in different ways.
fn random(n: usize, arcs: usize) -> Result<Arcs<f32>, Box<dyn std::error::Error>> {
    let mut builder = ArcsBuilder::with_vertices(n)?;
    let mut state = 20_100_225_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for tail in 0..n {
        for _ in 0..arcs {
            let (head, weight) = (next(n), 1 + next(1000));
            if head != tail {
                builder.add(tail, head, weight as f32)?;
            }
        }
    }
    Ok(builder.build()?.0)
}
