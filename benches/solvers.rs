//! The CPU's solvers, in tasks a second: `cargo bench --bench solvers`.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use repro::graph::{DistanceMatrix, RandomGraph, generate};
use repro::implementation::{cpu_naive, cpu_parallel};

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

criterion_group!(benches, solvers);
criterion_main!(benches);
