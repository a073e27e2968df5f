//! Assembles everything that a report says from stored runs.

use super::machines::{EMULATED, describe, hardware, has_result, verdict_counts};
use super::{figure, history_words, method};
use crate::judge::{ANY_MACHINE, ClaimRow, Evidence, evaluate};
use crate::lists::count_of;
use crate::published::{PublishedPaper, is_beside};
use crate::ranking::{MachineRuns, by_machine};
use crate::regression::history::History;
use crate::report::{ExperimentPage, Report};
use crate::results::{StoredRun, SummaryRow};
use crate::store::{Environment, Status, cells};

/// The report of `runs` and `histories`. `unread` says why each unreadable folder or file could not be read; each becomes a notice.
///
/// A comparison never mixes runs, and a panel of a figure never mixes machines. No verdict follows from a history.
pub fn assemble(
    runs: &[StoredRun],
    histories: &[History],
    papers: Vec<PublishedPaper>,
    unread: &[String],
) -> Report {
    let (machines, counted) = (by_machine(runs), counted(runs));
    let judged = judged(&machines, &counted);
    let claims = evaluate(&papers, &judged, &counted);
    // Totals are of the papers that the project is about.
    let own: Vec<&ClaimRow> = claims.iter().filter(|claim| !is_beside(&papers, &claim.paper)).collect();
    let alone = MachineRuns { label: EMULATED.to_string(), runs: counted.clone() };
    let shown = if machines.is_empty() && !counted.is_empty() { &[alone][..] } else { &machines };
    let is_judged = |machine: &&MachineRuns| judged.iter().any(|(label, _)| *label == machine.label);
    let labels: Vec<&str> = machines.iter().map(|machine| machine.label.as_str()).collect();
    let mut experiments = figure::experiment_pages(&machines, &counted, &papers);
    experiments.iter_mut().for_each(|page| page.notices.extend(notices_of(page, runs)));
    let torn = |history: &History| history_words::torn(&history.path, history.torn_bytes, "is left out");
    let of_histories = histories.iter().filter_map(torn);
    Report {
        stated: figure::speed_ups(&claims, &papers, &labels),
        experiments,
        history: figure::history(histories),
        notices: notices(runs, unread).into_iter().chain(of_histories).collect(),
        method: method::tables(runs, &machines, shown),
        commands: method::commands(runs),
        any: verdict_counts(ANY_MACHINE, &own),
        hardware: machines.iter().filter(is_judged).filter_map(hardware).collect(),
        machines: shown.iter().map(|machine| describe(machine, &own)).collect(),
        cells: runs.iter().flat_map(timed_cells).collect(),
        claims,
        papers,
    }
}

/// The notices of an experiment's page: which of its runs are unfinished or damaged.
fn notices_of(page: &ExperimentPage, runs: &[StoredRun]) -> Vec<String> {
    let is_shown = |run: &&StoredRun| page.runs.iter().any(|line| line.name == run.name());
    let of_run = |run: &StoredRun| [unfinished(run).into_iter().collect(), damage(run)].concat();
    runs.iter().filter(is_shown).flat_map(of_run).collect()
}

/// The claims of `papers` with a result for each machine of `runs` that measured what a paper is about.
pub fn claims(runs: &[StoredRun], papers: &[PublishedPaper]) -> Vec<ClaimRow> {
    let (machines, counted) = (by_machine(runs), counted(runs));
    evaluate(papers, &judged(&machines, &counted), &counted)
}

/// The columns of `cells.csv`: a cell, what its time depends on, and its time.
pub(super) const CELL_HEADER: &str =
    "run experiment gpu cpu threads implementation n params graph median_s ci_low_s ci_high_s tasks_per_s";

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
    let mut counted: Vec<&StoredRun> =
        runs.iter().filter(|run| !run.results.extra.counts.is_empty()).collect();
    counted.sort_by_key(|run| (&run.manifest.started, &run.folder));
    counted
}

/// The machines that claims are judged on: those with a run for a paper, or all where there are none. Where nothing was timed, the emulated
/// device with its counts stands for a machine.
fn judged<'a>(machines: &'a [MachineRuns<'a>], counted: &[&StoredRun]) -> Vec<Evidence<'a>> {
    if machines.is_empty() && !counted.is_empty() {
        return vec![(EMULATED, &[])];
    }
    let all = machines.iter().map(|machine| (machine.label.as_str(), machine.runs.as_slice()));
    let has_paper = |run: &&StoredRun| run.manifest.experiment.paper.is_some();
    let (of_papers, others): (Vec<_>, Vec<_>) = all.partition(|(_, runs)| runs.iter().any(has_paper));
    if of_papers.is_empty() { others } else { of_papers }
}

/// The notices of the whole report, which a reader must know first.
fn notices(runs: &[StoredRun], unread: &[String]) -> Vec<String> {
    let has_gpu = runs.iter().any(|run| run.environment().is_some_and(|of| of.gpu().is_some()));
    let has_counts = runs.iter().any(|run| !run.results.extra.counts.is_empty());
    let has_times = runs.iter().any(|run| run.results.summary.iter().any(SummaryRow::is_timed));
    let mut said: Vec<String> = unread.iter().map(|why| format!("Left out: {why}.")).collect();
    if runs.is_empty() {
        said.push("No run was given: no claim could be compared.".to_string());
    }
    if !runs.is_empty() && !has_gpu {
        let times = if has_times { " What the CPU took stands." } else { "" };
        let counts = if has_counts { " What the emulated device counted stands." } else { "" };
        said.push(format!(
            "No run here was made on a GPU: nothing that a kernel takes could be timed.{times}{counts}"
        ));
    }
    if !runs.is_empty() && !has_counts {
        let lacking = "No run here has counts from the emulated device: what the papers say of memory could not be compared. `repro run table1 --device emulated` makes one.";
        said.push(lacking.to_string());
    }
    for run in runs {
        // For an experiment of no paper, its own page says that a run has not finished.
        said.extend(unfinished(run).filter(|_| run.manifest.experiment.paper.is_some()));
        said.extend(damage(run));
    }
    said
}

/// How far an unfinished run came; None for a finished one.
fn unfinished(run: &StoredRun) -> Option<String> {
    if run.manifest.finished.is_some() {
        return None;
    }
    let name = run.name();
    let planned = cells(&run.manifest).len();
    let done = run.results.summary.iter().filter(|row| has_result(row)).count();
    Some(match run.environment() {
        Some(_) => format!("{name} has not finished: {done} of {planned} cells have a result."),
        None => format!("{name} has not finished: it was stopped before its first sample."),
    })
}

/// What is wrong with the records of a run.
fn damage(run: &StoredRun) -> Vec<String> {
    let name = run.name();
    let torn = (run.torn_bytes > 0).then(|| {
        format!(
            "{name}: the last {} bytes of samples.csv are no whole sample, as when a run is killed; they are left out.",
            run.torn_bytes
        )
    });
    let has_failed = |row: &&SummaryRow| row.status.invalidates_cell() || row.status == Status::Throttled;
    let failed: Vec<&SummaryRow> = run.results.summary.iter().filter(has_failed).collect();
    let lacking = failed.first().map(|first| {
        let (cells, have) = (count_of(failed.len(), "cell"), if failed.len() == 1 { "has" } else { "have" });
        let SummaryRow { status, message, .. } = first;
        format!("{name}: {cells} {have} no valid time, the first being {}: {status} {message}", first.cell())
    });
    let dirty = run.manifest.build.dirty.then(|| {
        format!("{name} was measured by a build with uncommitted changes: its commit does not say all.")
    });
    [torn, lacking, dirty].into_iter().flatten().collect()
}
