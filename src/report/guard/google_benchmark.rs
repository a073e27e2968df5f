//! The new times of a comparison as Google Benchmark writes its results in JSON, which trackers of benchmarks read.

use crate::regression::{CellComparison, CellTiming, Comparison};
use serde_json::{Value, json};

/// A benchmark a cell: its median in nanoseconds.
/// <https://github.com/google/benchmark/blob/main/docs/user_guide.md#output-formats>
pub fn google_benchmark(comparison: &Comparison) -> Value {
    let timed = comparison.cells.iter().filter_map(|cell| Some((cell, cell.new?)));
    let benchmarks: Vec<Value> = timed.map(|(cell, timing)| benchmark(comparison, cell, timing)).collect();
    // Bencher asks for caches, and github-action-benchmark for threads.
    let context = json!({ "date": comparison.new.started, "executable": "repro", "caches": [] });
    json!({ "context": context, "benchmarks": benchmarks })
}

fn benchmark(comparison: &Comparison, cell: &CellComparison, timing: CellTiming) -> Value {
    let name = name(comparison, cell);
    let nanoseconds = timing.seconds.value * 1e9;
    json!({
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "iterations": timing.samples,
        "threads": 1,
        "real_time": nanoseconds,
        "cpu_time": nanoseconds,
        "time_unit": "ns",
    })
}

/// The same in every run: experiment/implementation/n=N, then parameters and graph where it has them, and the scope of a program's times.
fn name(comparison: &Comparison, of: &CellComparison) -> String {
    let cell = &of.cell;
    let sizes = format!("n={}", cell.n);
    let scope = of.kind.program.map(|scope| scope.to_string()).unwrap_or_default();
    let parts = [&comparison.new.experiment, &cell.implementation, &sizes, &cell.params, &cell.graph, &scope];
    parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}
