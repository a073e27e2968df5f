//! Counts of kernels in words: tables of them, and a line for each difference from the baseline.

use crate::lists::grouped;
use crate::regression::counts::{
    ARCHITECTURE, ChangeKind, Collection, CountComparison, CountMetric, Difference, Figures, KernelFigures,
    N, Tool,
};
use crate::report::text::{Grid, whole_or_digits};
use std::collections::BTreeSet;
use std::iter::once;
use strum::VariantArray;

/// One table for each implementation with its parameters: a row for each figure and a column for each kernel.
pub fn count_tables(figures: &KernelFigures) -> Vec<Grid> {
    let kernels =
        figures.iter().map(|(of, one)| (variant(&of.implementation, &of.params), (&of.kernel, one)));
    let table = |(variant, kernels): (String, Vec<(&String, &Figures)>)| {
        let metrics: BTreeSet<_> = kernels.iter().flat_map(|(_, figures)| figures.keys()).collect();
        let row = |metric: &CountMetric| {
            let value = |figures: &Figures| figures.get(metric).map(|one| whole_or_digits(one.as_f64()));
            let values = kernels.iter().map(|(_, figures)| value(figures).unwrap_or_default());
            once(metric.to_string()).chain(values).collect()
        };
        let title = format!("{variant}: one solve of n = {N}, machine code for {ARCHITECTURE}");
        let kernels = kernels.iter().map(|(kernel, _)| kernel.to_string());
        Grid::new(title, once(String::new()).chain(kernels), metrics.into_iter().map(row))
    };
    grouped(kernels).into_iter().map(table).collect()
}

fn variant(implementation: &str, params: &str) -> String {
    if params.is_empty() { implementation.to_string() } else { format!("{implementation} ({params})") }
}

/// A line for each failure of an implementation; sets of parameters that fail alike share a line.
pub fn count_failures(of: &Collection) -> Vec<String> {
    let line = |((implementation, message), params): (&(String, String), &BTreeSet<String>)| {
        let params: Vec<&str> = params.iter().map(String::as_str).filter(|one| !one.is_empty()).collect();
        format!("{}: {message}", variant(implementation, &params.join(", ")))
    };
    of.failures.iter().map(line).collect()
}

/// A line for each tool that this machine lacks: what it would count, and why it cannot.
pub fn not_counted(of: &Collection) -> Vec<String> {
    let line = |(tool, why): (&Tool, &String)| {
        let metrics = CountMetric::VARIANTS.iter().filter(|metric| metric.tool() == *tool);
        let metrics: Vec<String> = metrics.map(ToString::to_string).collect();
        format!("not counted: {}: {why}", metrics.join(", "))
    };
    of.missing.iter().map(line).collect()
}

/// A line for each difference, those that fail first, then what was not compared; the last line sums up.
pub fn count_comparison(of: &CountComparison) -> String {
    let (failed, better): (Vec<_>, Vec<_>) = of.differences.iter().partition(|one| one.fails());
    let mut lines: Vec<String> = failed.iter().chain(&better).map(|one| difference(one)).collect();
    lines.extend(of.not_compared.iter().map(|(tool, why)| format!("not compared: figures of {tool}: {why}")));
    let sum = match (failed.len(), better.len()) {
        (0, 0) => "all as in the baseline".to_string(),
        (0, fell) => format!("{fell} fell and none rose: keep the gain with repro counts --update"),
        (failed, _) => format!("{failed} not as in the baseline: if that is meant, repro counts --update"),
    };
    lines.push(format!("{} figures compared, {sum}\n", of.compared));
    lines.join("\n")
}

/// The kernel, the figure, both values and by how much they differ.
fn difference(of: &Difference) -> String {
    let figure = of.figure.map(|figure| format!(" {figure}")).unwrap_or_default();
    let what = match (of.change, of.baseline, of.here) {
        (ChangeKind::NotInBaseline, ..) => "is not in the baseline".to_string(),
        (change, Some(before), Some(here)) => {
            let percent = 100.0 * (here.as_f64() / before.as_f64() - 1.0);
            // A small change is still a change.
            let decimals = if percent.abs() < 0.1 { 4 } else { 1 };
            format!("{change} from {before} to {here} ({percent:+.decimals$}%)")
        }
        _ => "is in the baseline and no longer here".to_string(),
    };
    format!("{} {}{figure} {what}", variant(&of.key.implementation, &of.key.params), of.key.kernel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regression::counts::{Amount, KernelKey};

    #[test]
    fn both_values_are_told_and_a_small_change_is_still_a_change() {
        for (change, before, here, told) in [
            (ChangeKind::Fell, 4, 3, "fell from 4 to 3 (-25.0%)"),
            (ChangeKind::Rose, 1_000_000, 1_000_004, "rose from 1000000 to 1000004 (+0.0004%)"),
            (ChangeKind::Rose, 0, 8, "rose from 0 to 8 (+inf%)"),
        ] {
            let key = KernelKey { implementation: "x".into(), params: "a=1".into(), kernel: "k".into() };
            let (baseline, here) = (Some(Amount::Whole(before)), Some(Amount::Whole(here)));
            let figure = Some(CountMetric::Launches);
            let text = difference(&Difference { key, figure, change, baseline, here });
            assert_eq!(text, format!("x (a=1) k launches {told}"));
        }
    }
}
