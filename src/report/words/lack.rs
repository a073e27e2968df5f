//! Why there is no verdict.

use super::comparison::words;
use super::{list, sentence};
use crate::implementation::ImplementationRef;
use crate::judge::{ClaimRow, MissingComparison, MissingReason, NoVerdictReason};
use crate::lists::count_of;
use crate::published::Contender;

/// Why a claim has none.
pub fn lack(row: &ClaimRow, of: &NoVerdictReason) -> String {
    match of {
        NoVerdictReason::Needs { met: 0, of, gaps, run } if gaps.is_empty() => {
            let needed = count_of(*of, "comparison");
            format!("Needs {needed}, of which no run here has any: {}.", command(row, run))
        }
        NoVerdictReason::Needs { met, of, gaps, run } => {
            let of_counters = gaps.iter().any(|gap| gap.why == MissingReason::NoCounters);
            let gaps: Vec<String> = gaps.iter().map(gap).collect();
            let met = if *met == 0 { "none".to_string() } else { met.to_string() };
            let counters = match of_counters {
                true => ", once `scripts/nsight-limits` has read the GPU's counters for it",
                false => "",
            };
            format!(
                "Needs {}; stored runs have {met}. Missing: {}. {} measures these{counters}.",
                count_of(*of, "comparison"),
                gaps.join("; "),
                command(row, run)
            )
        }
        NoVerdictReason::Untested(why) | NoVerdictReason::Incomparable(why) => sentence(why),
        NoVerdictReason::OtherGpu { tested_by } => {
            let tests = format!(" What the paper concludes from it: {}.", list(tested_by));
            let tests = if tested_by.is_empty() { "" } else { &tests };
            format!("A figure of another GPU, shown beside ours.{tests}")
        }
    }
}

/// Whether what a claim needs can be measured on a GPU alone.
pub fn needs_gpu(row: &ClaimRow) -> bool {
    let is_on_gpu = |of: &Contender| ImplementationRef::find(&of.implementation).needs_device();
    let mut timed = row.tests.iter().filter(|test| !test.is_counted());
    timed.any(|test| test.figure.is_of_machine() || test.contenders().any(is_on_gpu))
}

/// The command that measures what a claim needs, and where.
fn command(row: &ClaimRow, run: &str) -> String {
    format!("`repro run {run}`{}", if needs_gpu(row) { " on a GPU" } else { "" })
}

/// A comparison that a run lacks: `two-phase at n = 8192 has 1 sample, of the 3 that it needs`.
fn gap(of: &MissingComparison) -> String {
    let what = of.of.as_ref().map_or("the copy".to_string(), words);
    let at = of.n.map_or(String::new(), |n| format!(" at n = {n}"));
    let why = match of.why {
        MissingReason::NotPlanned => "is not in it".to_string(),
        MissingReason::NotMeasured => "has no result".to_string(),
        MissingReason::FewSamples { has, needs } => {
            format!("has {}, of the {needs} that it needs", count_of(has, "sample"))
        }
        MissingReason::FewGraphs { has, needs } => format!("has {}, of {needs}", count_of(has, "graph")),
        MissingReason::FewOrders { has, needs } => {
            format!("was solved in {} of blocks and threads, of {needs}", count_of(has, "order"))
        }
        MissingReason::WrongResult => "has a wrong result, so that its times do not count".to_string(),
        MissingReason::Estimate => "is an estimate".to_string(),
        MissingReason::Resident { has: None, .. } => "has no record of its resident blocks".to_string(),
        MissingReason::Resident { has: Some(has), needs } => {
            format!("has {}, and not {needs}", count_of(has as usize, "resident block"))
        }
        MissingReason::NoKernelTimes => "has no times by kernel".to_string(),
        MissingReason::NoCounters => "has nothing of the GPU's counters".to_string(),
        MissingReason::NotCounted => "has no counts".to_string(),
        MissingReason::OneBuild => return "one build on one device that has all of them".to_string(),
        MissingReason::NoMultiple => "is no multiple of multiprocessors x 32 on this GPU".to_string(),
    };
    format!("{what}{at} {why}")
}
