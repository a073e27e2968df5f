//! A baseline against a run, cell by cell; and the stored runs that another may be compared with.

use super::comparison::{
    AllowedDifference, CellComparison, CellTiming, Comparison, ComparisonOutcome, Difference,
    InconclusiveReason, KindLimits, MissingReason, Reason, RunSummary,
};
use super::differences::{allowed_differences, other_cpu};
use super::floors::NoiseFloors;
use super::rule::{CellKind, CellVerdict, DecisionLimits, LEAST_SAMPLES, clocks, confidence};
use crate::lists::grouped;
use crate::results::{StoredRun, SummaryRow};
use crate::store::{BuildRole, SampleRow, Status, cells};
use crate::timing::{Estimate, Scope, independent_ratio, median, paired_ratio};
use repro_base::CellId;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// SM clocks count as different when their medians differ by more than this share.
const CLOCKS_DIFFER: f64 = 0.002;

/// How to compare.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Unless this is a scope of programs, cells of programs are compared by one of those.
    pub scope: Scope,
    /// Differences that are meant.
    pub across: Vec<AllowedDifference>,
    /// Relative; thresholds are never below it.
    pub least_threshold: f64,
}

/// Why two runs could not be compared.
#[derive(Debug, Error, PartialEq)]
pub enum CompareError {
    #[error(
        "{base} and {new} are not to be compared: {}; if that is meant: --across {}",
        differences.iter().map(Difference::to_string).collect::<Vec<_>>().join("; "),
        allowed_by(differences)
    )]
    Differ { base: String, new: String, differences: Vec<Difference> },
    #[error(
        "{base} and {new} have no cell in common with a time of scope {scope}: compare runs of one experiment"
    )]
    NothingInCommon { base: String, new: String, scope: Scope },
    #[error("{name} has no time of scope {scope}: {}", other_scopes(others))]
    NoScope { name: String, scope: Scope, others: Vec<Scope> },
}

fn allowed_by(differences: &[Difference]) -> String {
    let names: BTreeSet<AllowedDifference> = differences.iter().filter_map(|one| one.across).collect();
    names.iter().map(AllowedDifference::to_string).collect::<Vec<_>>().join(",")
}

fn other_scopes(others: &[Scope]) -> String {
    match others {
        [] => "nothing in it was timed".to_string(),
        _ => format!("it has {}", others.iter().map(Scope::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// A cell that either run timed.
struct Timings<'a> {
    cell: CellId,
    /// By which it is compared.
    scope: Scope,
    kind: CellKind,
    /// Samples with a time. Of paired runs, only those whose partner has a time as well.
    base: Vec<&'a SampleRow>,
    new: Vec<&'a SampleRow>,
    /// Whether both runs timed it, also where no sample of one has a partner of the other.
    is_in_both: bool,
}

/// What both runs timed, and the differences between them, which are allowed.
///
/// # Errors
/// When they may not be compared, or have nothing in common.
fn comparable_timings<'a>(
    base: &'a StoredRun,
    new: &'a StoredRun,
    scope: Scope,
    across: &[AllowedDifference],
) -> Result<(Vec<Timings<'a>>, Vec<Difference>), CompareError> {
    let timings: Vec<Timings> = clocks_of_cells(base, new, scope)
        .into_iter()
        .map(|(cell, scope)| timings(base, new, cell, scope))
        .collect();
    for (run, is_timed) in [
        (base, timings.iter().any(|one| one.is_in_both || !one.base.is_empty())),
        (new, timings.iter().any(|one| one.is_in_both || !one.new.is_empty())),
    ] {
        if !is_timed {
            let others = run.samples.iter().filter(|row| row.in_use().is_some()).map(|row| row.scope);
            let others = Vec::from_iter(others.collect::<BTreeSet<_>>());
            return Err(CompareError::NoScope { name: run.name(), scope, others });
        }
    }
    let shared = timings.iter().filter(|one| one.is_in_both);
    let shared: Vec<(CellId, Scope)> = shared.map(|one| (one.cell.clone(), one.scope)).collect();
    let broke = |one: &Timings| !one.base.is_empty() && has_failed_in(new, &one.cell);
    if shared.is_empty() && !timings.iter().any(broke) {
        return Err(CompareError::NothingInCommon { base: base.name(), new: new.name(), scope });
    }
    let differences = allowed_differences(base, new, &shared, across)?;
    Ok((timings, differences))
}

/// Compares a baseline with a run.
///
/// # Errors
/// When they may not be compared, or have nothing in common.
pub fn compare(
    base: &StoredRun,
    new: &StoredRun,
    floors: &NoiseFloors,
    options: &Settings,
) -> Result<Comparison, CompareError> {
    let (timings, differences) = comparable_timings(base, new, options.scope, &options.across)?;
    let shared = timings.iter().filter(|one| one.is_in_both);
    let kinds: BTreeMap<CellKind, KindLimits> = grouped(shared.map(|one| (one.kind, ())))
        .into_iter()
        .map(|(kind, cells)| {
            let floor = floors.floor(new.environment(), kind);
            let limits = DecisionLimits::new(floor.share, options.least_threshold);
            (kind, KindLimits { kind, cells: cells.len(), floor, limits })
        })
        .collect();
    let decided = timings.iter().filter(|one| one.base.len().min(one.new.len()) >= LEAST_SAMPLES).count();
    let is_cpu_meant = options.across.contains(&AllowedDifference::Device);
    let decision = Decision {
        base,
        new,
        confidence: confidence(decided),
        other_cpu: other_cpu(base, new).filter(|_| !is_cpu_meant),
    };
    let failed = new.results.summary.iter().filter(|row| has_failed(row)).map(SummaryRow::cell);
    let comparison = Comparison {
        schema_version: 6,
        scope: options.scope,
        confidence: decision.confidence,
        outcome: ComparisonOutcome::Noisy,
        paired: are_paired(base, new),
        base: RunSummary::of(base),
        new: RunSummary::of(new),
        differences,
        failed_in_both: failed.filter(|cell| has_failed_in(base, cell)).collect(),
        without_scope: without_scope(base, new, &timings),
        cells: timings.iter().map(|one| decision.compare(one, kinds.get(&one.kind))).collect(),
        kinds: kinds.into_values().collect(),
    };
    Ok(comparison.conclude())
}

/// By which clock each cell is compared where `asked` was asked for: by the first of its clocks that both runs have, else that one has.
fn clocks_of_cells(base: &StoredRun, new: &StoredRun, asked: Scope) -> Vec<(CellId, Scope)> {
    let timed = |scope| [base, new].into_iter().flat_map(move |run| run.results.times.by(scope));
    let cells: BTreeSet<&CellId> = clocks(asked).flat_map(timed).map(|(cell, _)| cell).collect();
    let clock = |cell: &CellId| {
        let has = |run: &StoredRun, scope: Scope| run.cell(cell).time(scope).is_some();
        let in_both = clocks(asked).find(|scope| has(base, *scope) && has(new, *scope));
        in_both.or_else(|| clocks(asked).find(|scope| has(base, *scope) || has(new, *scope)))
    };
    cells.into_iter().filter_map(|cell| Some((cell.clone(), clock(cell)?))).collect()
}

/// How many cells both runs timed that are not among those compared.
fn without_scope(base: &StoredRun, new: &StoredRun, compared: &[Timings]) -> usize {
    let is_timed = |run: &StoredRun, cell: &CellId| run.row(cell).is_some_and(SummaryRow::is_timed);
    let cells = base.results.summary.iter().map(SummaryRow::cell);
    let in_both = cells.filter(|cell| is_timed(base, cell) && is_timed(new, cell));
    in_both.filter(|cell| !compared.iter().any(|one| one.cell == *cell)).count()
}

fn timings<'a>(base: &'a StoredRun, new: &'a StoredRun, cell: CellId, scope: Scope) -> Timings<'a> {
    let rows = |run: &'a StoredRun| -> Vec<&'a SampleRow> {
        let timed = run.cell(&cell).timed(scope);
        let rows = timed.into_iter().flat_map(|timed| timed.rows(&run.samples));
        rows.filter(|row| row.seconds.is_some()).collect()
    };
    let (mut before, mut now) = (rows(base), rows(new));
    let is_in_both = !before.is_empty() && !now.is_empty();
    if is_in_both && are_paired(base, new) {
        // Samples of one number were taken one after the other.
        let numbers = |rows: &[&SampleRow]| rows.iter().map(|row| row.sample).collect::<BTreeSet<_>>();
        let in_both: BTreeSet<usize> = numbers(&before).intersection(&numbers(&now)).copied().collect();
        before.retain(|row| in_both.contains(&row.sample));
        now.retain(|row| in_both.contains(&row.sample));
    }
    Timings { kind: CellKind::timed(new, &cell, scope), cell, scope, base: before, new: now, is_in_both }
}

/// What all cells of a comparison are decided by.
struct Decision<'a> {
    base: &'a StoredRun,
    new: &'a StoredRun,
    confidence: f64,
    /// The CPUs of both, where they differ and that is not meant.
    other_cpu: Option<(String, String)>,
}

impl Decision<'_> {
    fn compare(&self, one: &Timings, kind: Option<&KindLimits>) -> CellComparison {
        let ratio = |over: &[f64], under: &[f64]| {
            let ratio = if are_paired(self.base, self.new) { paired_ratio } else { independent_ratio };
            ratio(over, under, self.confidence, seed(&one.cell))
        };
        let cycles = match (sm_clock(&one.base), sm_clock(&one.new)) {
            (Some(old), Some(new)) if (new / old - 1.0).abs() > CLOCKS_DIFFER => {
                ratio(&cycles(&one.new, new), &cycles(&one.base, old))
            }
            _ => None,
        };
        let mut compared = CellComparison {
            cell: one.cell.clone(),
            kind: one.kind,
            scope: one.scope,
            verdict: CellVerdict::Noisy,
            why: None,
            base: timing(&one.base),
            new: timing(&one.new),
            ratio: ratio(&seconds(&one.new), &seconds(&one.base)),
            cycles,
        };
        (compared.verdict, compared.why) = match kind {
            Some(kind) if one.is_in_both => match self.decide(one, kind.limits, &compared) {
                Ok(verdict) => (verdict, None),
                Err(why) => (CellVerdict::Noisy, Some(Reason::Inconclusive(why))),
            },
            _ if one.new.is_empty() => self.missing(BuildRole::New, &one.cell),
            _ => (CellVerdict::New, self.missing(BuildRole::Base, &one.cell).1),
        };
        // No solve takes zero seconds: such a time of the new run is no measurement.
        if compared.new.is_some_and(|new| new.seconds.value <= 0.0) {
            compared.verdict = CellVerdict::Failed;
            compared.why = Some(Reason::Missing { side: BuildRole::New, why: MissingReason::NoTime });
        }
        compared
    }

    fn decide(
        &self,
        one: &Timings,
        limits: DecisionLimits,
        compared: &CellComparison,
    ) -> Result<CellVerdict, InconclusiveReason> {
        let samples = one.base.len().min(one.new.len());
        let Some(ratio) = compared.ratio else {
            return Err(if samples == 0 {
                InconclusiveReason::FewSamples { samples }
            } else {
                InconclusiveReason::NoTime
            });
        };
        // A run compared with itself.
        if seconds(&one.base) == seconds(&one.new) {
            return Ok(CellVerdict::Same);
        }
        if let (Some((base, new)), false) = (self.other_cpu.clone(), one.kind.on_gpu) {
            return Err(InconclusiveReason::OtherCpu { base, new });
        }
        let [base, new] = [&one.base, &one.new].map(|rows| rows.iter().find_map(|row| row.disturbance()));
        if base.is_some() || new.is_some() {
            return Err(InconclusiveReason::Disturbed { base, new });
        }
        limits.decide(ratio, compared.cycles, samples)
    }

    /// What becomes of a cell that `side` has no time of, and why it has none.
    fn missing(&self, side: BuildRole, cell: &CellId) -> (CellVerdict, Option<Reason>) {
        let run = if side == BuildRole::New { self.new } else { self.base };
        let (verdict, why) = match run.row(cell) {
            None if !cells(&run.manifest).contains(cell) => return (CellVerdict::Gone, None),
            None if run.manifest.finished.is_none() => (CellVerdict::Noisy, MissingReason::Unfinished),
            None => (CellVerdict::Failed, MissingReason::NoRecord),
            Some(row) if row.is_timed() => (CellVerdict::Gone, MissingReason::OtherScope),
            Some(row) => {
                let verdict = match row.status {
                    Status::Throttled => CellVerdict::Noisy,
                    _ if has_failed(row) => CellVerdict::Failed,
                    _ => CellVerdict::Gone,
                };
                (verdict, MissingReason::Untimed { status: row.status, message: row.message.clone() })
            }
        };
        (verdict, Some(Reason::Missing { side, why }))
    }
}

fn seconds(rows: &[&SampleRow]) -> Vec<f64> {
    rows.iter().filter_map(|row| row.seconds).collect()
}

fn timing(rows: &[&SampleRow]) -> Option<CellTiming> {
    let seconds = Estimate::of_median(&seconds(rows))?;
    Some(CellTiming { samples: rows.len(), seconds, sm_mhz: sm_clock(rows) })
}

/// The median clock of the samples for which it was read, MHz.
fn sm_clock(rows: &[&SampleRow]) -> Option<f64> {
    median(&rows.iter().filter_map(|row| row.sm_mhz.map(f64::from)).collect::<Vec<_>>())
}

/// Cycles of a multiprocessor that each sample took, by its own clock or else by the `usual` one.
fn cycles(rows: &[&SampleRow], usual: f64) -> Vec<f64> {
    let cycles = |row: &&SampleRow| Some(row.seconds? * row.sm_mhz.map_or(usual, f64::from) * 1e6);
    rows.iter().filter_map(cycles).collect()
}

/// Whether the runs were measured in turn, sample by sample.
fn are_paired(base: &StoredRun, new: &StoredRun) -> bool {
    matches!((&base.manifest.pair, &new.manifest.pair), (Some(base), Some(new)) if base.id == new.id)
}

fn has_failed_in(run: &StoredRun, cell: &CellId) -> bool {
    run.row(cell).is_some_and(has_failed)
}

fn has_failed(row: &SummaryRow) -> bool {
    !row.is_timed() && matches!(row.status, Status::Failed | Status::Timeout | Status::Impossible)
}

/// The seed of a cell's resampling, equal on every machine and in every version.
fn seed(cell: &CellId) -> u64 {
    let digest = blake3::hash(cell.to_string().as_bytes());
    digest.as_bytes().iter().take(8).fold(0, |seed, byte| (seed << 8) | u64::from(*byte))
}
