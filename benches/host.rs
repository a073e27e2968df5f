//! What runs on the host: `cargo bench --bench host`. Solvers in tasks a second, generators of graphs in entries of the matrix a second, and
//! what is computed from the samples of every cell in samples a second.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use repro::graph::{DistanceMatrix, RandomEdges, RandomGraph, generate, generate_edges};
use repro::implementation::{cpu_naive, cpu_parallel};
use repro::timing::{Estimate, median};
use std::hint::black_box;

fn complete(n: usize) -> DistanceMatrix {
    generate(&RandomGraph::complete(1), n).expect("a small graph fits into memory")
}

fn solver(criterion: &mut Criterion, name: &str, sizes: &[usize], solve: fn(&mut [f32], usize)) {
    let mut group = criterion.benchmark_group(name);
    // A solve takes up to a tenth of a second: a hundred of them say no more than ten.
    group.sample_size(10);
    for &n in sizes {
        let input = complete(n).as_slice().to_vec();
        group.throughput(Throughput::Elements((n as u64).pow(3)));
        group.bench_function(BenchmarkId::from_parameter(n), |bencher| {
            // A solved matrix is stored to less often: every solve starts from the input.
            let solve = |matrix: &mut Vec<f32>| solve(matrix, n);
            bencher.iter_batched_ref(|| input.clone(), solve, BatchSize::LargeInput);
        });
    }
}

fn solvers(criterion: &mut Criterion) {
    solver(criterion, "cpu-naive", &[64, 256, 512], cpu_naive::solve::<f32>);
    // One size for each division into blocks, one that is no multiple of a tile.
    solver(criterion, "cpu-parallel", &[256, 500, 1024, 3072], cpu_parallel::solve::<f32>);
}

fn generators(criterion: &mut Criterion) {
    const N: usize = 1024;
    let mut group = criterion.benchmark_group("generate");
    group.sample_size(10).throughput(Throughput::Elements((N * N) as u64));
    let complete = RandomGraph::complete(1);
    for (name, graph) in [
        ("sparse", RandomGraph { density: 0.1, ..complete.clone() }),
        ("negative", RandomGraph { negative: true, ..complete.clone() }),
        ("complete", complete),
    ] {
        group.bench_function(name, |bencher| bencher.iter(|| generate::<f32>(&graph, N)));
    }
    for edges_per_vertex in [6, 60] {
        let graph = RandomEdges { edges_per_vertex, max_weight: 1000, seed: 1 };
        let name = format!("edges-{edges_per_vertex}n");
        group.bench_function(name, |bencher| bencher.iter(|| generate_edges::<f32>(&graph, N)));
    }
}

fn statistic<T>(criterion: &mut Criterion, name: &str, compute: impl Fn(&[f64]) -> T) {
    let mut group = criterion.benchmark_group(name);
    // The fewest with a 95% interval, the usual most, and more than anyone takes.
    for count in [6, 30, 1000] {
        // Seconds around a millisecond, in no order.
        let second = |at: usize| 1e-3 + 1e-5 * ((at * 7919 % 1009) as f64 / 1009.0);
        let values: Vec<f64> = (0..count).map(second).collect();
        group.throughput(Throughput::Elements(count as u64));
        let id = BenchmarkId::from_parameter(count);
        group.bench_function(id, |bencher| bencher.iter(|| compute(black_box(&values))));
    }
}

fn statistics(criterion: &mut Criterion) {
    statistic(criterion, "median", median);
    statistic(criterion, "median-interval", Estimate::of_median);
}

criterion_group!(benches, solvers, generators, statistics);
criterion_main!(benches);
