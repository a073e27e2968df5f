//! What all cells did together, what the samples cannot decide, and the outcome, in sentences.

use super::text::{percent, ratio};
use crate::lists::distinct;
use crate::regression::{Between, CellKind, Comparison, Ending, Group, StandsOut, Untold, Verdict, Why};

/// More cells with a threshold of their own are counted.
const MOST_NAMED: usize = 5;

/// What the cells of each kind did together, a line a kind.
pub fn shifts(comparison: &Comparison) -> Vec<String> {
    let told = |group: &Group| {
        let shift = group.shift.as_ref()?;
        let cycles = match shift.cycles {
            Some(cycles) => format!(", in cycles {}", ratio(Some(cycles))),
            None => String::new(),
        };
        let reason = if shift.reason.is_empty() { String::new() } else { format!(" ({})", shift.reason) };
        Some(format!(
            "All {} {} together: {} {}{cycles}, threshold {}{reason}.",
            group.cells,
            cells(comparison, group.kind, &group.experiment),
            shift.verdict,
            ratio(Some(shift.seconds)),
            percent(shift.threshold),
        ))
    };
    comparison.groups.iter().filter_map(told).collect()
}

/// What the samples cannot decide, why, and what would help: one line for each kind of cell.
pub fn untold(comparison: &Comparison) -> Vec<String> {
    let told = |untold: &Untold| {
        let Untold { why, uncertain, cells: all, kind, experiment, paired, .. } = untold;
        let why = match why {
            Why::NoHistory if *paired => "it is not known how far two processes of one build differ side by side: keep some runs of repro track of a build against itself below --results".to_string(),
            Why::NoHistory => "it is not known how far two runs of one build differ: run the baseline five times into --results, or measure both builds in turn with repro track".to_string(),
            Why::Shift => "all cells moved together, as they do on a slow day as well as in a slow build: take more runs of one build, or measure both builds in turn with repro track".to_string(),
            Why::LooksSlower => "some cells look slower, but not for sure: take more samples".to_string(),
            Why::Cells => "take more samples, or more runs of one build".to_string(),
        };
        let of = cells(comparison, *kind, experiment);
        format!("Not decided for {of} ({uncertain} of {all} UNCERTAIN): {why}.")
    };
    comparison.untold.iter().map(told).collect()
}

/// The tally and what follows from it, in a line.
pub fn outcome(comparison: &Comparison) -> String {
    let tally: Vec<String> =
        comparison.tally().iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
    let tally = tally.join(", ");
    let uncertain = comparison.cells.iter().filter(|cell| cell.verdict == Verdict::Uncertain).count();
    let said = match (comparison.ending, comparison.regressions().count()) {
        (Ending::Slower, 0) => {
            "All cells of a kind together became slower, although no single one did for sure".into()
        }
        (Ending::Slower, 1) => "1 cell became slower or failed".to_string(),
        (Ending::Slower, count) => format!("{count} cells became slower or failed"),
        (Ending::NotSlower, _) if uncertain == 0 => "Nothing became slower".to_string(),
        (Ending::NotSlower, _) => {
            let cells = if uncertain == 1 { "cell is" } else { "cells are" };
            format!("Nothing became slower, and {uncertain} {cells} undecided")
        }
        (Ending::Untold, _) if comparison.groups.is_empty() => "Nothing could be decided".to_string(),
        (Ending::Untold, _) => "Whether something became slower is undecided".to_string(),
    };
    format!("{said}: {tally}.")
}

/// The threshold of each kind of cell, and the noise behind it.
pub fn thresholds(comparison: &Comparison) -> Vec<String> {
    let told = |group: &Group| {
        let within = group.noise.within_runs.map_or("not known".to_string(), percent);
        let of = cells(comparison, group.kind, &group.experiment);
        let between = match (group.paired, &group.noise.between) {
            (true, _) => match group.noise.in_pairs {
                Some(known) => format!("{} between processes side by side", percent(known)),
                None => format!(
                    "not known between processes side by side, for which {} are taken",
                    percent(group.bounds.own)
                ),
            },
            (false, Some(Between { runs, cells, own, shared, degrees, .. })) => format!(
                "{} between runs of one build beyond what they share ({runs} runs, {cells} cells), and a standard deviation of {} of what they share ({degrees} {} of freedom)",
                percent(*own),
                percent(*shared),
                if *degrees == 1 { "degree" } else { "degrees" },
            ),
            (false, None) => format!(
                "not known between runs of one build, for which {} are taken, and {} for what they share",
                percent(group.bounds.own),
                percent(group.bounds.shared)
            ),
        };
        let more = group
            .of_it(&comparison.cells)
            .filter(|cell| cell.threshold.is_some_and(|own| own > group.threshold));
        let more: Vec<String> = more
            .map(|cell| format!("{} {}", cell.cell, percent(cell.threshold.unwrap_or_default())))
            .collect();
        let more = match more.len() {
            0 => String::new(),
            count if count > MOST_NAMED => format!(", and more of {count} that moved by more before"),
            _ => format!(", and more of what moved by more before: {}", more.join(", ")),
        };
        format!(
            "Threshold of {of}: {}{more}. A/A noise, 95th percentile: {within} within runs, {between}.",
            percent(group.threshold)
        )
    };
    distinct(comparison.groups.iter().map(told))
}

/// Runs that differ from the others of their build, a line each.
pub fn stand_outs(comparison: &Comparison) -> Vec<String> {
    let mut lines = Vec::new();
    for group in &comparison.groups {
        let known = group.noise.between.iter().flat_map(|between| &between.stand_out);
        for StandsOut { run, shift, cells: some } in known.filter(|_| !group.paired) {
            let of = cells(comparison, group.kind, &group.experiment);
            let whole = shift.map(|by| format!("by {} as a whole, which is left out", percent(by)));
            let some = some.map(|by| format!("by {} in some cells, where the other runs agree", percent(by)));
            let by = whole.into_iter().chain(some).collect::<Vec<_>>().join(" and ");
            lines.push(format!(
                "{run} differs from the other runs that the noise of {of} is estimated from: {by}."
            ));
        }
    }
    distinct(lines)
}

fn cells(comparison: &Comparison, kind: CellKind, experiment: &str) -> String {
    let place = if kind.on_gpu { "GPU" } else { "CPU" };
    let size = if kind.small { "n < 1024" } else { "n >= 1024" };
    let of = if comparison.runs.len() > 1 { format!(" of {experiment}") } else { String::new() };
    format!("{place} cells{of}, {size}")
}
