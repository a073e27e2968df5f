//! What is computed from the samples of every cell, in samples a second: `cargo bench --bench statistics`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use repro::timing::{Estimate, median};
use std::hint::black_box;

/// The fewest with a 95% interval, the usual most, and more than anyone takes.
const SAMPLES: [usize; 3] = [6, 30, 1000];

/// Seconds around a millisecond, in no order.
fn samples(count: usize) -> Vec<f64> {
    (0..count).map(|at| 1e-3 + 1e-5 * ((at * 7919 % 1009) as f64 / 1009.0)).collect()
}

fn of<T>(criterion: &mut Criterion, name: &str, compute: impl Fn(&[f64]) -> T) {
    let mut group = criterion.benchmark_group(name);
    for count in SAMPLES {
        let values = samples(count);
        group.throughput(Throughput::Elements(count as u64));
        let id = BenchmarkId::from_parameter(count);
        group.bench_function(id, |bencher| bencher.iter(|| compute(black_box(&values))));
    }
}

fn statistics(criterion: &mut Criterion) {
    of(criterion, "median", median);
    of(criterion, "median-interval", Estimate::of_median);
}

criterion_group!(benches, statistics);
criterion_main!(benches);
