//! From stored runs to everything that a report says.

use super::figures::{Which, summary};
use super::machines::{describe, hardware, tally};
use super::model::{Figure, Hardware, Report};
use super::{findings, method, sections};
use crate::judge::{ANY_MACHINE, ClaimRow, Evidence, evaluate};
use crate::plot::draw_all;
use crate::published::{PublishedPaper, is_beside};
use crate::regression::history::History;
use crate::results::{MachineRuns, StoredRun, SummaryRow, by_machine};
use crate::show::source;
use crate::store::{Environment, Status, cells};
use std::collections::BTreeSet;

/// The report of `runs` and `histories`. `unread` says of each folder or file that could not be read why, and becomes a notice.
///
/// A comparison never mixes runs, and a figure never mixes machines. No verdict follows from a history.
pub fn assemble(
    runs: &[StoredRun],
    histories: &[History],
    papers: Vec<PublishedPaper>,
    unread: &[String],
) -> Report {
    let machines = by_machine(runs);
    let counted = counted(runs);
    let evidence = evidence(&machines, &counted);
    // Counts are a machine of their own where nothing was timed.
    let alone = Evidence::new(sections::EMULATED, &[], &counted);
    let compared = judged(&evidence, &alone, &counted);
    let claims = evaluate(&papers, &compared);
    // Totals are of the papers that the project is about.
    let own: Vec<ClaimRow> =
        claims.iter().filter(|claim| !is_beside(&papers, &claim.paper)).cloned().collect();
    let mut described: Vec<_> = machines.iter().map(|machine| describe(machine, &own)).collect();
    if evidence.is_empty() && !counted.is_empty() {
        described.push(describe(
            &MachineRuns { label: sections::EMULATED.to_string(), runs: counted.clone() },
            &own,
        ));
    }
    let is_judged = |machine: &&MachineRuns| compared.iter().any(|one| one.machine == machine.label);
    let [stated, ratios] = ratios(&claims, &papers, &machines);
    let hardware: Vec<Hardware> = machines.iter().filter(is_judged).filter_map(hardware).collect();
    let mut notices = notices(runs, unread);
    notices.extend(histories.iter().filter_map(|history| history.notice.clone()));
    Report {
        findings: findings::findings(&evidence, &own),
        notices,
        sections: sections::sections(&machines, histories, &counted, &papers),
        method: method::method(runs, &machines),
        any: tally(ANY_MACHINE, &own),
        stated,
        ratios,
        hardware,
        machines: described,
        cells: runs.iter().flat_map(timed_cells).collect(),
        claims,
        papers,
    }
}

/// The claims of `papers` with a result for each machine of `runs` that measured what a paper is about.
pub fn claims(runs: &[StoredRun], papers: &[PublishedPaper]) -> Vec<ClaimRow> {
    let (machines, counted) = (by_machine(runs), counted(runs));
    let alone = Evidence::new(sections::EMULATED, &[], &counted);
    evaluate(papers, &judged(&evidence(&machines, &counted), &alone, &counted))
}

/// What `cells.csv` has of a cell and of what its time depends on.
pub(super) const CELL_HEADER: [&str; 13] = [
    "run",
    "experiment",
    "gpu",
    "cpu",
    "threads",
    "implementation",
    "n",
    "params",
    "graph",
    "median_s",
    "ci_low_s",
    "ci_high_s",
    "tasks_per_s",
];

/// The row of each cell of a run with a time of scope `kernel`.
fn timed_cells(run: &StoredRun) -> Vec<Vec<String>> {
    let Some(Environment { host, device, .. }) = run.environment() else { return Vec::new() };
    let gpu = device.as_ref().map_or("", |device| device.info.name.as_str());
    let (name, threads) = (run.name(), host.threads.to_string());
    let of = |row: &SummaryRow| {
        let n = row.n.to_string();
        let place = [name.as_str(), &run.manifest.experiment.name, gpu, &host.cpu, &threads];
        let cell = [&row.implementation, &n, &row.params, &row.graph];
        let texts = place.into_iter().chain(cell.map(String::as_str)).map(|text| Some(text.to_string()));
        let numbers = [row.median_s, row.ci_low_s, row.ci_high_s, row.tasks_per_s].into_iter();
        texts.chain(numbers.map(|number| Some(number?.to_string()))).collect::<Option<Vec<String>>>()
    };
    run.results.summary.iter().filter_map(of).collect()
}

/// The runs with counts, the earliest first.
fn counted(runs: &[StoredRun]) -> Vec<&StoredRun> {
    let mut counted: Vec<&StoredRun> = runs.iter().filter(|run| !run.results.counts.is_empty()).collect();
    counted.sort_by(|a, b| (&a.manifest.started, &a.folder).cmp(&(&b.manifest.started, &b.folder)));
    counted
}

fn evidence<'a>(machines: &[MachineRuns<'a>], counted: &[&'a StoredRun]) -> Vec<Evidence<'a>> {
    machines.iter().map(|machine| Evidence::new(&machine.label, &machine.runs, counted)).collect()
}

/// The machines that measured what a paper is about. Verdicts are of these, and where there are none of all; where nothing was timed
/// of the counts `alone`.
fn judged<'e, 'a>(
    machines: &'e [Evidence<'a>],
    alone: &'e Evidence<'a>,
    counted: &[&StoredRun],
) -> Vec<&'e Evidence<'a>> {
    let is_judged = |one: &&Evidence| one.runs().any(|run| run.manifest.experiment.paper.is_some());
    let judged: Vec<&Evidence> = machines.iter().filter(is_judged).collect();
    match (judged.is_empty(), machines.is_empty(), counted.is_empty()) {
        (false, ..) => judged,
        (true, true, false) => vec![alone],
        _ => machines.iter().collect(),
    }
}

/// The figures of the stated speed-ups and of all ratios, of all machines that have one of them.
fn ratios(claims: &[ClaimRow], papers: &[PublishedPaper], machines: &[MachineRuns]) -> [Option<Figure>; 2] {
    let labels: Vec<&str> = machines.iter().map(|machine| machine.label.as_str()).collect();
    let results = claims.iter().filter(|claim| !claim.results.is_empty()).flat_map(|claim| &claim.results);
    let deciding: BTreeSet<(&str, &str)> =
        results.flat_map(|one| one.runs.iter().map(|run| (one.machine.as_str(), run.as_str()))).collect();
    let mut runs: Vec<&StoredRun> = Vec::new();
    for machine in machines {
        let is_deciding =
            |run: &&&StoredRun| deciding.contains(&(machine.label.as_str(), run.name().as_str()));
        runs.extend(machine.runs.iter().filter(is_deciding));
    }
    [Which::Stated, Which::All].map(|which| {
        let plot = summary(which, claims, papers, &labels, source::of_runs(&runs));
        draw_all(plot.as_slice()).pop()
    })
}

/// What a reader must know first.
fn notices(runs: &[StoredRun], unread: &[String]) -> Vec<String> {
    let mut notices: Vec<String> = unread.iter().map(|why| format!("Left out: {why}.")).collect();
    if runs.is_empty() {
        notices.push("No run was given: no claim could be compared.".to_string());
    }
    let has_gpu = runs.iter().any(|run| run.environment().is_some_and(|of| of.gpu().is_some()));
    if !runs.is_empty() && !has_gpu {
        notices.push(
            "No run here was made on a GPU: nothing that a kernel takes could be timed. What stands is what the CPU took and what the emulated device counted."
                .to_string(),
        );
    }
    if !runs.is_empty() && runs.iter().all(|run| run.results.counts.is_empty()) {
        notices.push(
            "No run here has counts from the emulated device: what the papers say of memory could not be compared. `repro run table1 --device emulated` makes one."
                .to_string(),
        );
    }
    notices.extend(runs.iter().flat_map(of_run));
    notices
}

/// How far a run came that has not finished; None of one that has.
pub(super) fn unfinished(run: &StoredRun) -> Option<String> {
    if run.manifest.finished.is_some() {
        return None;
    }
    let name = run.name();
    let planned = cells(&run.manifest).len();
    let has_result = |row: &&SummaryRow| row.is_timed() || row.status == Status::Counted;
    let done = run.results.summary.iter().filter(has_result).count();
    Some(match run.environment() {
        Some(_) => format!("{name} has not finished: {done} of {planned} cells have a result."),
        None => format!("{name} has not finished: it was stopped before its first sample."),
    })
}

fn of_run(run: &StoredRun) -> Vec<String> {
    let name = run.name();
    let mut said = Vec::new();
    if run.torn_bytes > 0 {
        said.push(format!(
            "{name}: the last {} bytes of samples.csv are no whole sample, as when a run is killed; they are left out.",
            run.torn_bytes
        ));
    }
    let summary = &run.results.summary;
    // Of one beside the papers its own section says it.
    said.extend(unfinished(run).filter(|_| run.manifest.experiment.paper.is_some()));
    let failed: Vec<_> = summary
        .iter()
        .filter(|row| {
            matches!(row.status, Status::Failed | Status::Timeout | Status::Impossible | Status::Throttled)
        })
        .collect();
    if let Some(first) = failed.first() {
        let cell = first.cell();
        said.push(format!(
            "{name}: {} no valid time, the first being {cell}: {} {}",
            if failed.len() == 1 { "1 cell has".to_string() } else { format!("{} cells have", failed.len()) },
            first.status,
            first.message
        ));
    }
    if run.manifest.build.dirty {
        said.push(format!(
            "{name} was measured by a build with uncommitted changes: its commit does not say all."
        ));
    }
    said
}
