//! What trackers of benchmarks and of tests read: the new times of a comparison, and its verdicts.

use super::text::outcome;
use crate::regression::{CellComparison, Comparison, Figures, Verdict};
use crate::report::text::{interval, ratio};
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

/// Bencher Metric Format: for each cell its `latency` in nanoseconds and its `throughput` in tasks a second, each with the ends of
/// the median's interval. <https://bencher.dev/docs/reference/bencher-metric-format>
pub fn bencher(comparison: &Comparison) -> Value {
    let metrics = |(cell, side): (&CellComparison, Figures)| {
        let mut measures = Map::from_iter([("latency".to_string(), metric(side.seconds.times(1e9)))]);
        // No rate follows from no time, and JSON has no infinity.
        if side.seconds.low > 0.0 {
            let rate = Estimate::exact(cell.tasks).over(side.seconds);
            measures.insert("throughput".to_string(), metric(rate));
        }
        (name(cell), Value::Object(measures))
    };
    Value::Object(measured(comparison).map(metrics).collect())
}

fn metric(Estimate { value, low, high }: Estimate) -> Value {
    json!({ "value": value, "lower_value": low, "upper_value": high })
}

/// What github-action-benchmark reads with `tool: customSmallerIsBetter`.
/// <https://github.com/benchmark-action/github-action-benchmark>
pub fn github_action_benchmark(comparison: &Comparison) -> Value {
    #[derive(Serialize)]
    struct TrackerEntry {
        name: String,
        unit: &'static str,
        value: f64,
        range: String,
        extra: String,
    }
    let entries = measured(comparison).map(|(cell, side)| TrackerEntry {
        name: name(cell),
        unit: "ms",
        value: side.seconds.value * 1e3,
        range: format!("± {}", side.seconds.half_width() * 1e3),
        extra: match cell.seconds {
            Some(of) => {
                let times = ratio(of.value);
                format!("{} ({times} times the baseline, {} samples)", cell.verdict, side.samples)
            }
            None => format!("{} ({} samples)", cell.verdict, side.samples),
        },
    });
    json!(entries.collect::<Vec<_>>())
}

/// JUnit XML, a test a cell: what became slower or failed has a failure, what is not decided is skipped, each with its reason.
pub fn junit(comparison: &Comparison) -> String {
    let escaped = |text: &str| {
        let pairs = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;")];
        let replaced = pairs.iter().fold(text.to_string(), |text, (from, to)| text.replace(*from, to));
        replaced.chars().filter(|one| !one.is_control()).collect::<String>()
    };
    let count = |is: fn(Verdict) -> bool| comparison.cells.iter().filter(|cell| is(cell.verdict)).count();
    let is_skipped = |verdict| matches!(verdict, Verdict::Noisy | Verdict::Gone | Verdict::New);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"repro\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
        comparison.cells.len(),
        count(Verdict::is_regression),
        count(is_skipped),
    );
    for cell in &comparison.cells {
        let seconds = cell.new.map_or(0.0, |side| side.seconds.value);
        text += &format!(
            "<testcase classname=\"{}\" name=\"{}\" time=\"{seconds}\">",
            escaped(&cell.experiment),
            escaped(&name(cell))
        );
        let message = escaped(&verdict_in_words(cell));
        if cell.verdict.is_regression() {
            text += &format!("<failure message=\"{message}\"/>");
        } else if is_skipped(cell.verdict) {
            text += &format!("<skipped message=\"{message}\"/>");
        }
        text += "</testcase>\n";
    }
    text + "</testsuite>\n"
}

/// Annotations of GitHub Actions: an error for each cell that became slower or failed, a warning for each advice, and the outcome.
/// <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>
pub fn annotations(comparison: &Comparison) -> String {
    // A command ends with its line, and these characters end its parts.
    let escaped = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let errors = comparison.regressions().map(|cell| {
        format!("::error title=repro::{}\n", escaped(&format!("{}: {}", name(cell), verdict_in_words(cell))))
    });
    let warnings = comparison.advice.iter().map(|line| format!("::warning title=repro::{}\n", escaped(line)));
    let outcome = format!("::notice title=repro::{}\n", escaped(&outcome(comparison)));
    errors.chain(warnings).chain([outcome]).collect()
}

/// `SLOWER, 1.052 times the baseline [1.04, 1.06]: why`.
fn verdict_in_words(cell: &CellComparison) -> String {
    let change = cell.seconds.map_or(String::new(), |Estimate { value, low, high }| {
        format!(", {} times the baseline {}", ratio(value), interval(low, high, ratio))
    });
    let reason = if cell.reason.is_empty() { String::new() } else { format!(": {}", cell.reason) };
    format!("{}{change}{reason}", cell.verdict)
}
