//! What a report says of a machine and of its runs.

use crate::judge::{ClaimRow, Verdict};
use crate::lists::{count_of, extent};
use crate::published::EvidenceKind;
use crate::ranking::MachineRuns;
use crate::report::text::{digits, rate, span, whole_or_digits};
use crate::report::{Hardware, Machine, VerdictCounts};
use crate::results::SummaryRow;
use crate::store::{Environment, Status, short_commit};
use std::collections::BTreeSet;

/// The label of runs that were counted and not timed.
pub const EMULATED: &str = "emulated CUDA device";

/// Whether a row holds what its cell was run for: a time, or counts.
pub(super) fn has_result(row: &SummaryRow) -> bool {
    row.is_timed() || row.status == Status::Counted
}

/// What a report says of a machine.
pub fn describe(machine: &MachineRuns, claims: &[&ClaimRow]) -> Machine {
    Machine {
        label: machine.label.clone(),
        facts: facts(machine).into_iter().filter(|(_, value)| !value.is_empty()).collect(),
        dates: Some(dates(machine)).filter(|dates| !dates.is_empty()),
        verdicts: verdict_counts(&machine.label, claims),
    }
}

fn environments<'a>(machine: &'a MachineRuns) -> impl Iterator<Item = &'a Environment> {
    machine.runs.iter().filter_map(|run| run.environment())
}

/// The first and the last day of its runs.
fn dates(machine: &MachineRuns) -> String {
    let days = || machine.runs.iter().filter_map(|run| run.manifest.started.get(..10));
    match (days().min(), days().max()) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (first, _) => first.unwrap_or_default().to_string(),
    }
}

/// The different texts that `of` gives for the runs of a machine, in a list.
fn texts(machine: &MachineRuns, of: fn(&Environment) -> Option<String>) -> String {
    listed(environments(machine).filter_map(of))
}

/// Each text once, in the order of the alphabet.
fn listed(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
}

/// How several devices or processes shared the work. None if one worked alone.
pub(super) fn together(environment: &Environment) -> Option<String> {
    let facts = environment.together.as_ref()?.facts().into_iter();
    Some(facts.map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join("; "))
}

/// The facts that identify a machine and its runs. Values may be empty.
fn facts(machine: &MachineRuns) -> Vec<(&'static str, String)> {
    let texts = |of| texts(machine, of);
    let commits = machine.runs.iter().map(|run| {
        let dirty = if run.manifest.build.dirty { " with uncommitted changes" } else { "" };
        format!("{}{dirty}", short_commit(&run.manifest.build.commit))
    });
    let gpus = environments(machine).filter_map(|one| Some(&one.gpu()?.info.uuid)).collect::<BTreeSet<_>>();
    let specimens = match gpus.len() {
        0 | 1 => String::new(),
        count => format!("{count} GPUs of this model; no comparison mixes two"),
    };
    let gpu = |one: &Environment| {
        let info = &one.gpu()?.info;
        Some(format!("{}, {} multiprocessors", info.name, info.multiprocessors))
    };
    vec![
        ("GPU", texts(gpu)),
        ("driver", texts(|one| one.device.as_ref()?.driver.clone())),
        ("kernels compiled by", texts(|one| one.device.as_ref()?.compiler.clone())),
        ("host", texts(|one| Some(format!("{}, {}", one.host.cpu, count_of(one.host.threads, "thread"))))),
        ("several GPUs", texts(together)),
        ("measured", dates(machine)),
        ("commits", listed(commits)),
        ("runs", machine.runs.iter().map(|run| run.name()).collect::<Vec<_>>().join(", ")),
        ("specimens", specimens),
    ]
}

/// The facts that identify a machine and say how fast it may be. Values may be empty; every machine has the same names.
pub(super) fn all_facts(machine: &MachineRuns) -> Vec<(&'static str, String)> {
    let texts = |of| texts(machine, of);
    let numbers = |written: fn(f64) -> String, of: fn(&Environment) -> Option<f64>| {
        extent(environments(machine).filter_map(of))
            .map_or(String::new(), |(least, most)| span(least, most, written))
    };
    fn gib(bytes: u64) -> f64 {
        (bytes as f64 / f64::from(1 << 30)).round()
    }
    let further = [
        ("memory, GiB", numbers(whole_or_digits, |one| Some(gib(one.host.memory_bytes)))),
        ("operating system", texts(|one| Some(format!("{}, kernel {}", one.host.os, one.host.kernel)))),
        ("no device", texts(|one| one.device_problem.clone())),
        ("GPU memory, GiB", numbers(whole_or_digits, |one| Some(gib(one.gpu()?.info.memory_bytes)))),
        ("L2 cache, MiB", numbers(whole_or_digits, |one| Some((one.gpu()?.info.l2_bytes >> 20) as f64))),
        ("highest clock, MHz", numbers(whole_or_digits, |one| Some(f64::from(one.gpu()?.info.clock_mhz)))),
        ("CUDA of the driver", texts(|one| Some(one.gpu()?.info.driver_cuda.clone()))),
        ("copy, GB/s", numbers(digits, |one| Some(one.ceilings.device.as_ref()?.copy_gbs))),
        (
            "add + min, 10⁹ tasks/s",
            numbers(rate, |it| Some(it.ceilings.device.as_ref()?.add_min_tasks_per_s)),
        ),
        ("one core, 10⁹ tasks/s", numbers(rate, |one| one.ceilings.cpu_core_tasks_per_s)),
        ("all cores, 10⁹ tasks/s", numbers(rate, |one| one.ceilings.cpu_tasks_per_s)),
    ];
    facts(machine).into_iter().chain(further).collect()
}

/// The GPU of a machine; None where it has none, or no run measured a copy in its memory.
pub fn hardware(machine: &MachineRuns) -> Option<Hardware> {
    let copies = environments(machine).filter_map(|one| Some(one.ceilings.device.as_ref()?.copy_gbs));
    let info = environments(machine).find_map(Environment::gpu)?.info.clone();
    Some(Hardware { label: machine.label.clone(), info, copy_gbs: copies.reduce(f64::max)? })
}

/// How many claims got which verdict on a machine, by kind of evidence; kinds by which no claim was judged are left out.
pub fn verdict_counts(machine: &str, claims: &[&ClaimRow]) -> Vec<VerdictCounts> {
    let row = |kind| {
        let of_kind = claims.iter().filter(|claim| claim.evidence == Some(kind));
        let results = of_kind.flat_map(|claim| &claim.results).filter(|result| result.machine == machine);
        let of = |verdict| (verdict, results.clone().filter(|result| result.verdict == verdict).count());
        let one_sided = results.clone().filter(|result| result.is_one_sided()).count();
        VerdictCounts { kind, counts: Verdict::all().map(of).collect(), one_sided }
    };
    let is_judged = |of: &VerdictCounts| of.counts.iter().any(|(_, count)| *count > 0);
    EvidenceKind::ALL.into_iter().map(row).filter(is_judged).collect()
}
