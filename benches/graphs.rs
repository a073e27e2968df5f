//! Generators of graphs, in entries of the matrix a second: `cargo bench --bench graphs`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use repro::graph::{RandomEdges, RandomGraph, generate, generate_edges};

const N: usize = 1024;

fn generators(criterion: &mut Criterion) {
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

criterion_group!(benches, generators);
criterion_main!(benches);
