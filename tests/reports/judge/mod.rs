//! Verdicts: what holds for every claim whatever was measured, and what runs that were cut short say.

mod attacks;
mod by_hand;
mod generated;
mod invented;
mod known;
mod laws;
mod sound;

use crate::common::stored;
use repro::judge::{ClaimResult, ClaimRow, NoVerdictReason, Verdict, columns_as_claims, evaluate};
use repro::published::{Claim, PublishedPaper, published_papers};
use repro::results::StoredRun;
use repro::store::{SampleRow, Status, cells};
use repro::timing::Scope;
use repro_base::CellId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

/// A paper and a claim of it.
type ClaimId = (&'static str, &'static str);

const LUND: &str = "lund-smith-2010";
const GAIOSO: &str = "gaioso-2013";
const LIKHODED: &str = "likhoded-sipeyko-2019";

/// Every committed run but those of several GPUs, of which no claim is.
const ALL: [&str; 17] = [
    "emulated/structure",
    stored::ABLATION,
    stored::DENSE,
    stored::DEPTH,
    stored::KAPPA,
    stored::LIMITS,
    stored::OCCUPANCY,
    stored::PHASES,
    stored::RESIDENCY,
    stored::SHAPES,
    stored::TABLE1,
    stored::TIMERS,
    stored::WAITS,
    "h200/densities",
    "h200/frontier",
    "h100/negative",
    "h200/over-cpu",
];

/// Of a paper, what its tables and its claims say, in the order of rows.
fn claims_of(paper: &PublishedPaper) -> Vec<Claim> {
    columns_as_claims(paper).into_iter().chain(paper.claims.clone()).collect()
}

static CLAIMS: LazyLock<Vec<(String, Claim)>> = LazyLock::new(|| {
    let papers = published_papers().unwrap();
    papers
        .iter()
        .flat_map(|paper| claims_of(paper).into_iter().map(|claim| (paper.id.clone(), claim)))
        .collect()
});

/// A committed run, which is read once for all tests.
fn open(run: &str) -> StoredRun {
    type Opened = Mutex<BTreeMap<String, Arc<OnceLock<StoredRun>>>>;
    static OPENED: Opened = Mutex::new(BTreeMap::new());
    let one = OPENED.lock().unwrap().entry(run.to_string()).or_default().clone();
    one.get_or_init(|| StoredRun::open(&stored::reference(run)).unwrap()).clone()
}

/// All claims of these papers by these runs as those of one machine, without where papers contradict themselves.
fn judged_of(papers: &[PublishedPaper], runs: &[&StoredRun]) -> Vec<ClaimRow> {
    let rows = evaluate(papers, &[("GPU", runs)], runs);
    rows.into_iter().filter(|row| !row.results.is_empty()).collect()
}

/// All claims of all papers by these runs.
fn judged(runs: &[&StoredRun]) -> Vec<ClaimRow> {
    judged_of(published_papers().unwrap(), runs)
}

fn result(runs: &[&StoredRun], (paper, id): (&str, &str)) -> ClaimResult {
    let paper = published_papers().unwrap().iter().find(|one| one.id == paper).unwrap();
    let rows = evaluate(std::slice::from_ref(paper), &[("GPU", runs)], runs);
    let row = rows.into_iter().find(|row| row.id == id).unwrap_or_else(|| panic!("no claim {id}"));
    row.results.into_iter().next().unwrap()
}

fn verdict(run: &StoredRun, claim: (&str, &str)) -> Verdict {
    result(&[run], claim).verdict
}

/// What of a claim's result is compared byte by byte.
fn bytes(row: &ClaimRow) -> String {
    serde_json::to_string(row).unwrap()
}

fn all_bytes(runs: &[&StoredRun]) -> Vec<String> {
    judged(runs).iter().map(bytes).collect()
}

/// Whether some of what it needs is missing.
fn lacks(result: &ClaimResult) -> bool {
    matches!(result.lack, Some(NoVerdictReason::Needs { .. }))
}

/// A run, had these cells alone been planned and measured.
fn narrowed(run: &StoredRun, keep: impl Fn(&CellId) -> bool) -> StoredRun {
    let kept: Vec<CellId> = cells(&run.manifest).into_iter().filter(|cell| keep(cell)).collect();
    let mut run = run.clone();
    run.manifest.experiment = run.manifest.experiment.narrowed_to(&kept);
    let kept: BTreeSet<CellId> = kept.into_iter().collect();
    with_cells(run, |cell| kept.contains(cell))
}

/// A run, had it been stopped before it came to this cell.
fn without(run: &StoredRun, cell: &CellId) -> StoredRun {
    with_cells(run.clone(), |one| one != cell)
}

/// The rows of these cells alone; what was planned stays.
fn with_cells(mut run: StoredRun, keep: impl Fn(&CellId) -> bool) -> StoredRun {
    run.results.extra.counts.retain(|row| keep(&row.cell));
    run.results.extra.kernel_times.retain(|row| keep(&row.cell));
    let samples = std::mem::take(&mut run.samples);
    let mut last: Option<(CellId, bool)> = None;
    let kept = samples.into_iter().filter(|row| {
        // Rows of a cell stand together.
        if last.as_ref().is_none_or(|(cell, _)| !row.is_of(cell)) {
            let cell = row.cell();
            last = Some((cell.clone(), keep(&cell)));
        }
        last.as_ref().is_some_and(|(_, keep)| *keep)
    });
    let kept = kept.collect();
    run.with_samples(kept)
}

/// A run with its samples changed; those for which `edit` says no are left out.
fn edited(run: &StoredRun, mut edit: impl FnMut(&mut SampleRow) -> bool) -> StoredRun {
    let kept = run.samples.iter().cloned().filter_map(|mut row| edit(&mut row).then_some(row)).collect();
    run.clone().with_samples(kept)
}

/// Makes the first sample of a cell one whose result was wrong, or leaves it out where another row of the same sample says so.
fn wrong_result(row: &mut SampleRow) -> bool {
    ended(row, Status::Failed, "wrong result: 3 for 4")
}

/// Makes a row one of a sample without a time. Tells whether to keep it, since such a sample has one row.
fn ended(row: &mut SampleRow, status: Status, message: &str) -> bool {
    let is_first = row.scope == Scope::Kernel;
    *row = SampleRow::without_time(&row.cell(), row.sample, status, message);
    is_first
}
