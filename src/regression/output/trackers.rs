//! What trackers of benchmarks read: the new times of a comparison, and what all cells of a kind did together.

use crate::regression::{CellComparison, Comparison, Figures, Group, Shift};
use crate::timing::Estimate;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A cell's name, the same in every run: experiment/implementation/n=N, then parameters and graph where it has them, and the scope of a
/// program's times.
fn name(of: &CellComparison) -> String {
    let cell = &of.cell;
    let mut name = format!("{}/{}/n={}", of.experiment, cell.implementation, cell.n);
    let scope = of.kind.program.map(|scope| scope.to_string()).unwrap_or_default();
    for part in [&cell.params, &cell.graph, &scope] {
        if !part.is_empty() {
            name += &format!("/{part}");
        }
    }
    name
}

fn measured(comparison: &Comparison) -> impl Iterator<Item = (&CellComparison, Figures)> {
    comparison.cells.iter().filter_map(|cell| Some((cell, cell.new?)))
}

/// What all cells of a kind did together, under a name that is the same in every comparison: experiment/all/gpu/large.
fn shifts(comparison: &Comparison) -> impl Iterator<Item = (String, &Group, &Shift)> {
    comparison.groups.iter().filter_map(|group| {
        let place = if group.kind.on_gpu { "gpu" } else { "cpu" };
        let size = if group.kind.small { "small" } else { "large" };
        let of = group.kind.program.map(|scope| format!("/{scope}")).unwrap_or_default();
        Some((format!("{}/all/{place}/{size}{of}", group.experiment), group, group.shift.as_ref()?))
    })
}

/// Bencher Metric Format: for each cell its `latency` in nanoseconds and its `throughput` in tasks a second, each with the ends of
/// the median's interval, and for all cells of a kind together their `ratio` to the baseline. <https://bencher.dev/docs/reference/bencher-metric-format>
pub fn bencher(comparison: &Comparison) -> Value {
    let metrics = |(cell, side): (&CellComparison, Figures)| {
        let tasks = (cell.cell.n as f64).powi(3);
        let mut measures = Map::from_iter([("latency".to_string(), metric(side.seconds.times(1e9)))]);
        // No rate follows from no time, and JSON has no infinity.
        if side.seconds.low > 0.0 {
            let rate = Estimate::exact(tasks).over(side.seconds);
            measures.insert("throughput".to_string(), metric(rate));
        }
        (name(cell), Value::Object(measures))
    };
    let together =
        shifts(comparison).map(|(name, _, shift)| (name, json!({ "ratio": metric(shift.seconds) })));
    Value::Object(measured(comparison).map(metrics).chain(together).collect())
}

fn metric(Estimate { value, low, high }: Estimate) -> Value {
    json!({ "value": value, "lower_value": low, "upper_value": high })
}

/// What github-action-benchmark reads with `tool: customSmallerIsBetter`.
/// <https://github.com/benchmark-action/github-action-benchmark>
pub fn github_action_benchmark(comparison: &Comparison) -> Value {
    #[derive(Serialize)]
    struct Entry {
        name: String,
        unit: &'static str,
        value: f64,
        range: String,
        extra: String,
    }
    let entries = measured(comparison).map(|(cell, side)| Entry {
        name: name(cell),
        unit: "ms",
        value: side.seconds.value * 1e3,
        range: format!("± {}", side.seconds.half_width() * 1e3),
        extra: match cell.seconds {
            Some(ratio) => {
                format!("{} ({:.4} times the baseline, {} samples)", cell.verdict, ratio.value, side.samples)
            }
            None => format!("{} ({} samples)", cell.verdict, side.samples),
        },
    });
    let together = shifts(comparison).map(|(name, group, shift)| Entry {
        name,
        unit: "times the baseline",
        value: shift.seconds.value,
        range: format!("± {}", shift.seconds.half_width()),
        extra: format!("{} ({} cells together)", shift.verdict, group.cells),
    });
    json!(entries.chain(together).collect::<Vec<_>>())
}
