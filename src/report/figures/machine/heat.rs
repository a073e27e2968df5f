//! How many times as fast as one kernel all others are, by n.

use super::device_implementations;
use crate::lists::{extremes, geometric_mean};
use crate::plot::{Cell, Chart, Heat, HeatRow, Plot};
use crate::results::StoredRun;
use crate::show::Column;
use crate::show::source;
use crate::show::words::{of_these, times};
use crate::show::{Context, Time};
use crate::timing::Scope;
use std::collections::{BTreeMap, BTreeSet};

/// More columns than this are thinned out to sizes that are a power of two or three times one.
const MANY: usize = 10;
/// A size that fewer kernels share has no column.
const SHARED_BY: usize = 3;
/// What is nearer to equal than this is neither faster nor slower.
const EQUAL: f64 = 1.0 / 0.9;

/// None where fewer than three kernels were timed beside one in the same run, or fewer than two sizes are shared.
pub fn plot(contexts: &[Context]) -> Option<Plot> {
    let names = device_implementations(contexts);
    let timed_in = |context: &Context, name: &str| {
        let rows = context.summary.iter();
        rows.filter(|row| row.median_s.is_some()).any(|row| row.implementation == name)
    };
    let beside = |base: &str| {
        let with_base = || contexts.iter().filter(|context| timed_in(context, base));
        names.iter().filter(|name| *name != base && with_base().any(|one| timed_in(one, name))).count()
    };
    // Of several the last in the catalogue, which is the newest.
    let base = names.iter().max_by_key(|name| beside(name))?;
    let mut found: Vec<KernelSpeeds> = names
        .iter()
        .filter(|name| *name != base)
        .filter_map(|name| KernelSpeeds::of(contexts, base, name))
        .collect();
    let columns = columns(&found);
    found.iter_mut().for_each(|one| one.speeds.retain(|n, _| columns.contains(n)));
    found.retain(|one| one.speeds.len() > 1);
    found.sort_by(|a, b| a.mean().total_cmp(&b.mean()));
    if found.len() < SHARED_BY || columns.len() < 2 {
        return None;
    }
    let (element, _) = contexts.first()?.elements();
    let (title, overtaking) = finding(&found, base)?;
    let cell = |&Time { median: value, low, high, facts }: &Time| Cell { value, low, high, facts };
    let rows = found.iter().map(|one| HeatRow {
        label: one.column.implementation.clone(),
        note: one.run.name(),
        cells: columns.iter().map(|n| one.speeds.get(n).map(cell)).collect(),
    });
    Some(Plot {
        id: "speed-by-n".into(),
        shows: format!("How many times as fast as {base} each kernel is, by n"),
        caption: format!(
            "{overtaking}Each number is the time of {base} over that of the kernel at this n: medians of scope kernel, in {element}, on the \
             same graphs. Both times are of one run, whose name stands at the right. Above 1 the kernel is faster than {base}. \
             {}An empty cell was not measured.",
            settings(&found)
        ),
        alt: format!(
            "A table of {} kernels by {} values of n: how many times as fast as {base} each is. {title}.",
            found.len(),
            columns.len()
        ),
        title,
        source: source::of_runs(&found.iter().map(|one| one.run).collect::<Vec<_>>())
            .map(|source| source.of_sizes(columns.iter().copied())),
        chart: Chart::Heat(Heat {
            title: format!("Times as fast as {base}; above 1 is faster"),
            heading: "n, vertices".to_string(),
            columns: columns.iter().map(ToString::to_string).collect(),
            rows: rows.collect(),
        }),
    })
}

/// A kernel beside the base, in the run that has both at most sizes.
struct KernelSpeeds<'a> {
    /// Of the settings in a run that were measured at most n the fastest.
    column: Column,
    run: &'a StoredRun,
    /// The time of the base over its own, by n.
    speeds: BTreeMap<usize, Time>,
}

impl<'a> KernelSpeeds<'a> {
    fn of(contexts: &[Context<'a>], base: &str, name: &str) -> Option<Self> {
        let in_run = |context: &Context<'a>| {
            let slower = context.of(base)?;
            let of_column = |column: &Column| {
                let speed = |n: usize| Some((n, context.ratio(slower, column, n, Scope::Kernel)?));
                let speeds = context.sizes().into_iter().filter_map(speed).collect();
                Self { column: column.clone(), run: context.run, speeds }
            };
            let columns = context.columns.iter().filter(|column| column.implementation == name);
            let is_better =
                |a: &Self, b: &Self| a.speeds.len().cmp(&b.speeds.len()).then(a.mean().total_cmp(&b.mean()));
            columns.map(of_column).max_by(is_better)
        };
        // Of several the first.
        contexts.iter().rev().filter_map(in_run).max_by_key(|one| one.speeds.len())
    }

    /// The geometric mean over all sizes.
    fn mean(&self) -> f64 {
        geometric_mean(self.speeds.values().map(|time| time.median))
    }
}

/// Which settings kernels have that are not at their defaults.
fn settings(found: &[KernelSpeeds]) -> String {
    let set = found.iter().filter(|one| !one.column.params.is_empty());
    let set: Vec<String> = set.map(|one| one.column.name()).collect();
    of_these("Of the settings that were measured at most n the fastest: ", &set, "")
}

/// The sizes that at least some kernels share, thinned out where they are many.
fn columns(found: &[KernelSpeeds]) -> Vec<usize> {
    let all: BTreeSet<usize> = found.iter().flat_map(|one| one.speeds.keys().copied()).collect();
    let shared = |n: &usize| found.iter().filter(|one| one.speeds.contains_key(n)).count() >= SHARED_BY;
    let shared: Vec<usize> = all.into_iter().filter(shared).collect();
    if shared.len() <= MANY {
        return shared;
    }
    let is_round = |n: &usize| n.is_power_of_two() || (n.is_multiple_of(3) && (n / 3).is_power_of_two());
    let round: Vec<usize> = shared.iter().copied().filter(is_round).collect();
    // Sizes may all be of another kind.
    if round.len() > 1 { round } else { shared }
}

/// Who is fastest and slowest at its largest n; and who overtakes the base on the way there.
fn finding(found: &[KernelSpeeds], base: &str) -> Option<(String, String)> {
    let at_largest = |one: &KernelSpeeds| {
        Some((one.column.implementation.clone(), one.speeds.values().next_back()?.median))
    };
    let ends: Vec<(String, f64)> = found.iter().filter_map(at_largest).collect();
    let (slowest, fastest) = extremes(&ends)?;
    let title = format!(
        "At its largest n {} is {} as fast as {base}, {} {}",
        fastest.0,
        times(fastest.1),
        slowest.0,
        times(slowest.1)
    );
    let overtakes: Vec<String> = found
        .iter()
        .filter(|one| at_largest(one).is_some_and(|(_, speed)| speed > EQUAL))
        .filter_map(|one| {
            let slower = one.speeds.iter().rfind(|(_, time)| time.median < 1.0 / EQUAL)?;
            Some(format!("{} is slower up to n = {}", one.column.implementation, slower.0))
        })
        .collect();
    Some((title, of_these("Faster only at large n: ", &overtakes, "")))
}
