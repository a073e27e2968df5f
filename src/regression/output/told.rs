//! What all cells did together, what the samples cannot decide, and the outcome, in sentences.

use super::text::{percent, ratio};
use crate::lists::{count_of, distinct};
use crate::regression::{
    Between, Comparison, Ending, FewRuns, Group, LEAST_THRESHOLD, RunSummary, Shift, StandsOut, Untold,
    Verdict, Why, decide,
};
use crate::results::CellKind;

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
        // What is told below for want of runs is not told twice.
        let (held_against, reason) = match &shift.few_runs {
            Some(_) => ("within the threshold of", String::new()),
            None if shift.reason.is_empty() => ("threshold", String::new()),
            None => ("threshold", format!(" ({})", shift.reason)),
        };
        Some(format!(
            "All {} {} together: {} {}{cycles}, {held_against} {}{reason}.",
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
            Why::NoHistory => format!(
                "it is not known how far two runs of one build differ: run the baseline five times into --results{}",
                or_track(comparison, untold)
            ),
            Why::Shift => shift_undecided(comparison, untold),
            Why::LooksSlower => "some cells look slower, but not for sure: take more samples".to_string(),
            Why::Cells => "take more samples, or more runs of one build".to_string(),
        };
        let of = cells(comparison, *kind, experiment);
        format!("Not decided for {of} ({uncertain} of {all} UNCERTAIN): {why}.")
    };
    comparison.untold.iter().map(told).collect()
}

/// Why it is not decided whether all cells of a kind moved together.
fn shift_undecided(comparison: &Comparison, untold: &Untold) -> String {
    let of_it = |group: &&Group| (group.run_pair, group.kind) == (untold.run_pair, untold.kind);
    let Some(shift) = comparison.groups.iter().find(of_it).and_then(|group| group.shift.as_ref()) else {
        return "whether all cells moved together is not known".to_string();
    };
    let Shift { seconds, cycles, few_runs, .. } = shift;
    let or_track = or_track(comparison, untold);
    let Some(FewRuns { known, needed }) = few_runs else {
        let seen = match cycles {
            Some(_) => "the clocks of both runs differ, and seconds and cycles do not agree".to_string(),
            None => "all cells together may have moved by more than the threshold".to_string(),
        };
        return format!("{seen}: take more runs of one build into --results{or_track}");
    };
    let seen = match decide(*seconds, LEAST_THRESHOLD) {
        Verdict::Same => format!("nothing moved ({:.4}), but", seconds.value),
        _ => format!("all cells together moved a little ({:.4}), and", seconds.value),
    };
    let remedy = match needed {
        Some(needed) => format!("{needed} are needed in --results{or_track}"),
        None => format!(
            "these runs differ so much that more of them would not help{}",
            or_track.replace(", or", ":")
        ),
    };
    format!(
        "{seen} with {} of one build known a slow-down shared by all cells cannot be excluded; {remedy}",
        count_of(*known, "run")
    )
}

/// The other remedy: both builds take turns. Not where the baseline was measured with what this machine may no longer have.
fn or_track(comparison: &Comparison, untold: &Untold) -> &'static str {
    let same_machine = |(base, new): &(RunSummary, RunSummary)| {
        (&base.driver, &base.gpu, &base.host) == (&new.driver, &new.gpu, &new.host)
    };
    match comparison.runs.get(untold.run_pair).is_some_and(same_machine) {
        true => ", or measure both builds in turn with repro track",
        false => "",
    }
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
                    "not known between processes side by side, so {} is assumed",
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
                "not known between runs of one build, so {} is assumed for each cell, and {} for a change that all cells share",
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
    match kind.program {
        Some(scope) => format!("cells of programs on the {place}{of}, {size}, scope {scope}"),
        None => format!("{place} cells{of}, {size}"),
    }
}
