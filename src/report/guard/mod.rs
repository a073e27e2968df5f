//! A comparison of two runs as text: for a terminal, a pull request, a workflow of GitHub, or a tracker of benchmarks.
//!
//! Records may come from anybody: each text is made one line before it is written, and escaped for its target.
//!
//! [`google_benchmark`] writes the new times as Google Benchmark does in JSON, which trackers of benchmarks read.

mod table;
mod words;

use crate::regression::{CellComparison, CellTiming, CellVerdict, Comparison};
use repro_base::text::foreign_text;
use serde_json::{Value, json};
pub use words::{disturbance, kind_of_cells, outcome};

/// Longer lines are cut, since nobody reads them.
const LONGEST_LINE: usize = 2000;
/// The most lines of reasons that are printed, unless all cells are asked for.
const MOST_REASONS: usize = 4;

/// For a terminal of `width` columns, or as wide as needed: the outcome, what was compared, what changed and why, and the rule. With `all`
/// every cell has a row; else similar changes of one implementation share a row, and only the largest are shown.
pub fn terminal(comparison: &Comparison, all: bool, width: Option<u16>) -> String {
    let grid = if all { table::every_cell(comparison, false) } else { table::changes(comparison, false) };
    let grid = grid.unless_empty().map(|grid| format!("\n{}", grid.terminal(width))).unwrap_or_default();
    let mut reasons = words::reasons(comparison, |_| true);
    if !all && reasons.len() > MOST_REASONS {
        let further = reasons.split_off(MOST_REASONS).len();
        reasons.push(format!("{further} more reasons: --all lists them"));
    }
    let head = [outcome(comparison)].into_iter().chain(words::head(comparison));
    let foot = reasons.into_iter().chain(words::rule(comparison));
    format!("{}{grid}{}", lines(head, str::to_string), lines(foot, str::to_string))
}

/// For a pull request: the outcome first, then what changed, and the rest folded away.
pub fn markdown(comparison: &Comparison) -> String {
    // The table escapes these two itself.
    let escaped = |text: &str| escaped_for_markdown(text).replace('<', "&lt;").replace('|', "\\|");
    let listed = |text: &str| format!("- {}", escaped(text));
    let changes = table::changes(comparison, true).unless_empty();
    format!(
        "**{}**\n\n{}{}\n<details><summary>All cells, and how they were decided</summary>\n\n{}\n{}\n</details>\n",
        outcome(comparison),
        changes.map(|grid| format!("{}\n", grid.markdown())).unwrap_or_default(),
        lines(words::reasons(comparison, |_| true), listed),
        table::every_cell(comparison, true).markdown(),
        lines(words::head(comparison).into_iter().chain(words::rule(comparison)), listed),
    )
}

/// The text with a backslash before each sign that Markdown would interpret.
fn escaped_for_markdown(text: &str) -> String {
    let is_obeyed = |one: char| matches!(one, '\\' | '`' | '*' | '_' | '[' | ']' | '!');
    text.chars().flat_map(|one| is_obeyed(one).then_some('\\').into_iter().chain([one])).collect()
}

/// Annotations of GitHub Actions: an error for what became slower or failed, a warning for what is NOISY, and the outcome.
/// <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>
pub fn annotations(comparison: &Comparison) -> String {
    // A command ends with its line, and these characters end its parts.
    let command = |level: &'static str| {
        move |text: &str| {
            let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
            format!("::{level} title=repro::{text}")
        }
    };
    let errors = lines(table::regressions(comparison), command("error"));
    let warnings =
        lines(words::reasons(comparison, |verdict| verdict == CellVerdict::Noisy), command("warning"));
    [errors, warnings, lines([outcome(comparison)], command("notice"))].concat()
}

/// Each text on a line of its own, whatever signs it has.
fn lines(all: impl IntoIterator<Item = String>, written: impl Fn(&str) -> String) -> String {
    all.into_iter().map(|line| written(&foreign_text(&line, LONGEST_LINE)) + "\n").collect()
}

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

/// A name that is the same in every run: experiment/implementation/n=N, then parameters, graph and the scope of a program, if any.
fn name(comparison: &Comparison, of: &CellComparison) -> String {
    let cell = &of.cell;
    let sizes = format!("n={}", cell.n);
    let scope = of.kind.program.map(|scope| scope.to_string()).unwrap_or_default();
    let parts = [&comparison.new.experiment, &cell.implementation, &sizes, &cell.params, &cell.graph, &scope];
    parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}
