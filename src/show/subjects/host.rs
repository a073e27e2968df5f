//! What a run found out about its host, in words.

use crate::results::SummaryRow;
use crate::show::{digits, whole_percent};
use crate::store::{Environment, HostFinding, is_loaded};
use crate::timing::LOADED;
use repro_types::CellId;

/// Stands behind a time that was measured under load.
pub const UNDER_LOAD: &str = "†";

/// How many cells a sentence names.
const NAMED: usize = 4;

/// From this width on, as a share of the median, an interval of a time on the CPU is named.
const WIDE: f64 = 0.1;

/// Below this a time on the CPU varies on any host, and it is not worth a word.
const WORTH_NAMING_S: f64 = 0.01;

/// A sentence for each kind of load, and one for each n and graph at which all cores were slower than one.
pub fn findings(all: &[HostFinding]) -> Vec<String> {
    let (mut before, mut under, mut slower) = (Vec::new(), Vec::new(), Vec::new());
    for finding in all {
        match finding {
            HostFinding::BusyBefore { cell, others_load } => before.push((cell, *others_load)),
            HostFinding::UnderLoad { cell, others_load } => under.push((cell, *others_load)),
            HostFinding::AllCoresSlower { cell, all_cores_s, one_core_s } => slower.push(format!(
                "All cores of this host were slower than one: {cell} took {} s, on one core {} s. They are shared with others, or fewer than \
                 they seem.",
                digits(*all_cores_s),
                digits(*one_core_s)
            )),
        }
    }
    let limit = whole_percent(LOADED);
    let mut told = Vec::new();
    if !under.is_empty() {
        told.push(format!(
            "{UNDER_LOAD} was measured under load: others used the host's CPU for more than {limit} of the time of the cores that it was solved on: {}.",
            cells(under)
        ));
    }
    if !before.is_empty() {
        told.push(format!("Others used as much before these were begun: {}.", cells(before)));
    }
    told.extend(slower);
    told
}

/// A sentence for the cells on the CPU whose intervals are wide for a known reason, and one for those of which none is known. None of a run
/// that does not say what shares its core, as older ones do not: its tables stay as they were.
pub fn wide_intervals(environment: Option<&Environment>, summary: &[SummaryRow]) -> Vec<String> {
    let shares = environment.and_then(|known| known.pinning.as_ref()?.one.shares_with.as_ref());
    shares.map_or_else(Vec::new, |_| of_wide_intervals(summary))
}

fn of_wide_intervals(summary: &[SummaryRow]) -> Vec<String> {
    let width = |row: &SummaryRow| {
        let median = row.median_s.filter(|seconds| *seconds >= WORTH_NAMING_S)?;
        Some((row.ci_high_s? - row.ci_low_s?) / median)
    };
    let (mut loaded, mut quiet) = (Vec::new(), Vec::new());
    for row in summary {
        // Loads are of the CPU alone.
        let Some((others, width)) = row.others_load.zip(width(row)).filter(|(_, width)| *width > WIDE) else {
            continue;
        };
        let of = if is_loaded(others) { &mut loaded } else { &mut quiet };
        of.push((row.cell(), width));
    }
    let named = |all: Vec<(CellId, f64)>| cells(all.iter().map(|(cell, width)| (cell, *width)).collect());
    let limit = whole_percent(WIDE);
    let mut told = Vec::new();
    if !loaded.is_empty() {
        told.push(format!(
            "Intervals wider than {limit} of the time, while others used the host's CPU: {}.",
            named(loaded)
        ));
    }
    if !quiet.is_empty() {
        told.push(format!(
            "Intervals wider than {limit} of the time, though others hardly used the cores: {}. What other machines of a shared host do to its caches and \
             memory is not seen from here.",
            named(quiet)
        ));
    }
    told
}

/// The cells with the highest shares, and how many more there are.
fn cells(mut shares: Vec<(&CellId, f64)>) -> String {
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    let named = shares.iter().take(NAMED).map(|(cell, share)| format!("{cell} ({})", whole_percent(*share)));
    let mut told: Vec<String> = named.collect();
    if shares.len() > NAMED {
        told.push(format!("and {} more", shares.len() - NAMED));
    }
    told.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixtures::{cell, measured};

    #[test]
    fn the_highest_loads_are_named_and_the_others_counted() {
        let load =
            |n: usize| HostFinding::UnderLoad { cell: cell("cpu-naive", "", n), others_load: 0.1 * n as f64 };
        let told = findings(&(2..9).map(load).collect::<Vec<_>>());
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("more than 10% of the time"), "{told:?}");
        assert!(told[0].ends_with("cpu-naive n = 8 (80%), cpu-naive n = 7 (70%), cpu-naive n = 6 (60%), cpu-naive n = 5 (50%), and 3 more."), "{told:?}");
    }

    #[test]
    fn wide_intervals_on_the_cpu_are_named_with_their_reason_where_it_is_known() {
        let row = |n: usize, low: f64, high: f64, others_load: Option<f64>| SummaryRow {
            ci_low_s: Some(low),
            ci_high_s: Some(high),
            others_load,
            ..measured(cell("cpu-naive", "", n), &[1.0])
        };
        let all = [
            row(1, 0.9, 1.2, Some(0.5)),
            row(2, 0.9, 1.1, Some(0.02)),
            row(3, 0.99, 1.01, Some(0.5)),
            // On a GPU.
            row(4, 0.5, 2.0, None),
            SummaryRow { median_s: Some(1e-6), ..row(5, 1e-6, 2e-6, Some(0.5)) },
        ];
        let told = of_wide_intervals(&all);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].ends_with("while others used the host's CPU: cpu-naive n = 1 (30%)."), "{told:?}");
        assert!(told[1].contains("hardly used the cores: cpu-naive n = 2 (20%). What"), "{told:?}");
    }

    #[test]
    fn every_kind_of_finding_has_its_sentence() {
        let of = cell("cpu-parallel", "", 64);
        let all = [
            HostFinding::BusyBefore { cell: of.clone(), others_load: 0.5 },
            HostFinding::UnderLoad { cell: of.clone(), others_load: 0.25 },
            HostFinding::AllCoresSlower { cell: of, all_cores_s: 5.0, one_core_s: 3.0 },
        ];
        let told = findings(&all);
        assert_eq!(told.len(), 3);
        assert!(told[1].contains("before these were begun: cpu-parallel n = 64 (50%)"), "{told:?}");
        assert!(told[2].contains("cpu-parallel n = 64 took 5.000 s, on one core 3.000 s"), "{told:?}");
        assert!(findings(&[]).is_empty());
    }
}
