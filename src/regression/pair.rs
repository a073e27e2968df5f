//! What two runs measured of the same cells, and what became of each.

use super::comparable::{Across, meant_differences, on_another_cpu};
use super::compare::{CellComparison, CompareError, Figures, KindLimits, Options};
use super::floor::MachineNoise;
use super::kind::CellKind;
use super::notes::Notes;
use super::programs::scope_of_cells;
use super::rule::{LEAST_SAMPLES, LEAST_THRESHOLD, Limits, NoisyReason, Verdict};
use crate::report::text::percent;
use crate::results::{StoredRun, SummaryRow};
use crate::store::{SampleRow, Status, cells};
use crate::timing::{Estimate, Pairing, Scope, median, ratio_of_medians};
use repro_types::CellId;
use std::collections::{BTreeMap, BTreeSet};

/// Clocks whose medians differ by more than this differ.
const CLOCKS_DIFFER: f64 = 0.002;

/// What both runs of a pair measured.
pub(super) struct Pair<'a> {
    /// Its place among the pairs of the comparison.
    at: usize,
    base: &'a StoredRun,
    new: &'a StoredRun,
    pairing: Pairing,
    cells: Vec<Cell>,
}

/// A cell that either run timed.
struct Cell {
    cell: CellId,
    /// By which it is compared.
    scope: Scope,
    kind: CellKind,
    before: Vec<Reading>,
    now: Vec<Reading>,
    /// Whether both runs timed it, also where no sample of one has a partner of the other.
    in_both: bool,
}

/// A sample of a cell.
#[derive(Clone, Copy)]
struct Reading {
    /// Which sample of the cell it is.
    number: usize,
    seconds: f64,
    /// None where it was not read.
    sm_mhz: Option<f64>,
    disturbance: Option<&'static str>,
}

/// Whether `new` can be compared with `base` by the clock of `scope`, without differences that are meant.
///
/// # Errors
/// Why not.
pub fn comparable(base: &StoredRun, new: &StoredRun, scope: Scope) -> Result<(), CompareError> {
    let options = Options { scope, across: Vec::new(), least_threshold: LEAST_THRESHOLD };
    Pair::of(0, base, new, &options, &mut Notes::default()).map(drop)
}

impl<'a> Pair<'a> {
    pub(super) fn of(
        at: usize,
        base: &'a StoredRun,
        new: &'a StoredRun,
        options: &Options,
        notes: &mut Notes,
    ) -> Result<Self, CompareError> {
        let scope = options.scope;
        let scopes = scope_of_cells(base, new, scope);
        let pairing = pairing(base, new);
        let cells: Vec<Cell> =
            scopes.iter().map(|(cell, scope)| Cell::of((base, new), cell, *scope, pairing)).collect();
        for (run, is_timed) in
            [(base, cells.iter().any(Cell::is_before)), (new, cells.iter().any(Cell::is_now))]
        {
            if !is_timed {
                return Err(no_scope(run, scope));
            }
        }
        let shared: Vec<(CellId, Scope)> =
            cells.iter().filter(|one| one.in_both).map(|one| (one.cell.clone(), one.scope)).collect();
        let failed = |one: &Cell| one.is_before() && new.row(&one.cell).is_some_and(has_failed);
        if shared.is_empty() && !cells.iter().any(failed) {
            return Err(CompareError::NothingInCommon { base: base.name(), new: new.name(), scope });
        }
        for one in meant_differences(base, new, &shared, &options.across)? {
            notes.add(format!("Compared all the same: {}.", one.sentence));
        }
        let of_base = |row: &SummaryRow| base.row(&row.cell()).is_some_and(has_failed);
        let in_both = new.results.summary.iter().filter(|row| has_failed(row) && of_base(row));
        let in_both: Vec<String> = in_both.map(|row| row.cell().to_string()).collect();
        if !in_both.is_empty() {
            notes.add(format!("In no verdict, as they failed in both: {}.", in_both.join(", ")));
        }
        notes.about(base, new, pairing);
        notes.about_scopes((base, new), scope, &scopes);
        Ok(Self { at, base, new, pairing, cells })
    }

    /// Cells that the rule may decide.
    pub(super) fn decidable(&self) -> usize {
        self.cells.iter().filter(|one| one.before.len().min(one.now.len()) >= LEAST_SAMPLES).count()
    }

    /// What the cells of each kind that both runs measured are held against.
    pub(super) fn kinds(&self, noise: &MachineNoise, options: &Options) -> Vec<KindLimits> {
        let mut kinds: BTreeMap<CellKind, usize> = BTreeMap::new();
        let in_both = self.cells.iter().filter(|one| one.in_both);
        in_both.for_each(|one| *kinds.entry(one.kind).or_default() += 1);
        let limits = |(kind, cells): (CellKind, usize)| {
            let floor = noise.floor(kind, self.pairing, &self.base.manifest.build.commit);
            KindLimits {
                run_pair: self.at,
                experiment: self.new.manifest.experiment.name.clone(),
                kind,
                paired: self.pairing == Pairing::Together,
                cells,
                floor,
                limits: Limits::of(floor, options.least_threshold),
            }
        };
        kinds.into_iter().map(limits).collect()
    }

    pub(super) fn cells(
        &self,
        kinds: &[KindLimits],
        options: &Options,
        confidence: f64,
    ) -> Vec<CellComparison> {
        self.cells.iter().map(|one| self.cell(one, kinds, options, confidence)).collect()
    }

    fn cell(&self, one: &Cell, kinds: &[KindLimits], options: &Options, confidence: f64) -> CellComparison {
        let mut compared = CellComparison {
            run_pair: self.at,
            experiment: self.new.manifest.experiment.name.clone(),
            cell: one.cell.clone(),
            kind: one.kind,
            scope: one.scope,
            verdict: Verdict::Noisy,
            why: None,
            reason: String::new(),
            tasks: self.new.tasks(&one.cell),
            base: figures(&one.before),
            new: figures(&one.now),
            seconds: None,
            cycles: None,
            threshold: None,
            paired: self.pairing == Pairing::Together,
        };
        if !one.in_both && one.is_before() {
            (compared.verdict, compared.reason) = why_not(self.new, &one.cell, "NEW");
            let is_over = self.new.manifest.finished.is_some();
            let why = if is_over { NoisyReason::Other } else { NoisyReason::FewSamples(0) };
            compared.why = (compared.verdict == Verdict::Noisy).then_some(why);
        } else if !one.in_both {
            (compared.verdict, compared.reason) = (Verdict::New, why_not(self.base, &one.cell, "BASE").1);
        } else if let Some(KindLimits { limits, .. }) =
            kinds.iter().find(|kind| (kind.run_pair, kind.kind) == (self.at, one.kind))
        {
            self.judge(&mut compared, one, *limits, options, confidence);
        }
        compared
    }

    /// The CPUs that cells of this kind ran on, where they differ and that is not meant.
    fn on_another_cpu(&self, kind: CellKind, options: &Options) -> Option<(String, String)> {
        let is_meant = kind.on_gpu || options.across.contains(&Across::Device);
        on_another_cpu(self.base, self.new).filter(|_| !is_meant)
    }

    fn judge(
        &self,
        compared: &mut CellComparison,
        one: &Cell,
        limits: Limits,
        options: &Options,
        confidence: f64,
    ) {
        let (before, now) = (seconds(&one.before), seconds(&one.now));
        compared.threshold = Some(limits.threshold);
        let ratio = |over: &[f64], under: &[f64]| {
            ratio_of_medians((over, under), self.pairing, confidence, seed(&one.cell))
        };
        compared.seconds = ratio(&now, &before);
        if let (Some(old), Some(new)) = (clock(&one.before), clock(&one.now))
            && (new / old - 1.0).abs() > CLOCKS_DIFFER
        {
            compared.cycles = ratio(&cycles(&one.now, new), &cycles(&one.before, old));
        }
        let Some(seconds) = compared.seconds else {
            if before.is_empty() || now.is_empty() {
                compared.why = Some(NoisyReason::FewSamples(0));
                compared.reason = "no sample that both took in turn".to_string();
                return;
            }
            // No solve takes no time: the new run's is no measurement.
            let of_new = median(&now).is_none_or(|median| median <= 0.0);
            compared.verdict = if of_new { Verdict::Failed } else { Verdict::Noisy };
            compared.why = (!of_new).then_some(NoisyReason::Other);
            let side = if of_new { "NEW" } else { "BASE" };
            compared.reason = format!("a median of no time at all in {side}");
            return;
        };
        if let Some((before, now)) = self.on_another_cpu(one.kind, options) {
            compared.why = Some(NoisyReason::Other);
            compared.reason = format!("on another CPU: {before} before, {now} now");
            return;
        }
        let sides = [("BASE", &one.before), ("NEW", &one.now)].into_iter();
        let disturbed =
            sides.filter_map(|(side, of)| Some((side, of.iter().find_map(|one| one.disturbance)?)));
        let disturbed: Vec<String> = disturbed.map(|(side, what)| format!("{side} was {what}")).collect();
        if !disturbed.is_empty() {
            compared.why = Some(NoisyReason::Other);
            compared.reason = format!("{}, so measure again", disturbed.join(" and "));
            return;
        }
        let samples = before.len().min(now.len());
        (compared.verdict, compared.why) = limits.decide(seconds, compared.cycles, samples);
        compared.reason = match compared.why {
            None | Some(NoisyReason::Other) => String::new(),
            Some(NoisyReason::FewSamples(1)) => format!("1 sample, {LEAST_SAMPLES} needed"),
            Some(NoisyReason::FewSamples(few)) => format!("{few} samples, {LEAST_SAMPLES} needed"),
            Some(NoisyReason::WideInterval { .. }) => "the interval is too wide".to_string(),
            Some(NoisyReason::HighFloor) => format!("less than {} is noise here", percent(limits.threshold)),
            Some(NoisyReason::Clocks) => "the clocks differ, and seconds and cycles do not agree".to_string(),
        };
    }
}

impl Cell {
    fn of((base, new): (&StoredRun, &StoredRun), cell: &CellId, scope: Scope, pairing: Pairing) -> Self {
        let (mut before, mut now) = (readings(base, cell, scope), readings(new, cell, scope));
        let in_both = !before.is_empty() && !now.is_empty();
        // Of a pair samples of one place were taken one after the other. What one side alone measured stays.
        if in_both && pairing == Pairing::Together {
            before.retain(|one| now.iter().any(|other| other.number == one.number));
            now.retain(|one| before.iter().any(|other| other.number == one.number));
        }
        Self { cell: cell.clone(), scope, kind: CellKind::timed(new, cell, scope), before, now, in_both }
    }

    fn is_before(&self) -> bool {
        self.in_both || !self.before.is_empty()
    }

    fn is_now(&self) -> bool {
        self.in_both || !self.now.is_empty()
    }
}

fn readings(run: &StoredRun, cell: &CellId, scope: Scope) -> Vec<Reading> {
    let rows = run.cell(cell).timed(scope).into_iter().flat_map(|timed| timed.rows(&run.samples));
    let reading = |row: &SampleRow| {
        Some(Reading {
            number: row.sample,
            seconds: row.seconds?,
            sm_mhz: row.sm_mhz.map(f64::from),
            disturbance: row.disturbance(),
        })
    };
    rows.filter_map(reading).collect()
}

fn seconds(of: &[Reading]) -> Vec<f64> {
    of.iter().map(|one| one.seconds).collect()
}

fn figures(of: &[Reading]) -> Option<Figures> {
    let seconds = Estimate::of_median(&seconds(of))?;
    Some(Figures { samples: of.len(), seconds, sm_mhz: clock(of) })
}

/// The median clock of the samples for which it was read, MHz.
fn clock(of: &[Reading]) -> Option<f64> {
    median(&of.iter().filter_map(|one| one.sm_mhz).collect::<Vec<_>>())
}

/// Cycles of a multiprocessor that each sample took, by its own clock or else by the `usual` one.
fn cycles(of: &[Reading], usual: f64) -> Vec<f64> {
    of.iter().map(|one| one.seconds * one.sm_mhz.unwrap_or(usual) * 1e6).collect()
}

/// Whether the runs were measured in turn, sample by sample.
fn pairing(base: &StoredRun, new: &StoredRun) -> Pairing {
    match (&base.manifest.pair, &new.manifest.pair) {
        (Some(base), Some(new)) if base.id == new.id => Pairing::Together,
        _ => Pairing::Apart,
    }
}

fn has_failed(row: &SummaryRow) -> bool {
    !row.is_timed() && matches!(row.status, Status::Failed | Status::Timeout | Status::Impossible)
}

/// Why `run` has no time for `cell`, and what that makes of it where the other run has one.
fn why_not(run: &StoredRun, cell: &CellId, side: &str) -> (Verdict, String) {
    let verdict = |row| if has_failed(row) { Verdict::Failed } else { Verdict::Gone };
    match run.row(cell) {
        None if !cells(&run.manifest).contains(cell) => (Verdict::Gone, String::new()),
        None if run.manifest.finished.is_none() => (Verdict::Noisy, format!("{side} is not finished")),
        None => (Verdict::Failed, format!("{side} was to measure it, and has no record of it")),
        Some(row) if row.is_timed() => (Verdict::Gone, format!("{side} has no time of this scope")),
        Some(row) if row.status == Status::Throttled => (Verdict::Noisy, format!("{side} was throttled")),
        Some(row) if row.message.is_empty() => (verdict(row), format!("{} in {side}", row.status)),
        Some(row) => (verdict(row), format!("{} in {side}: {}", row.status, row.message)),
    }
}

fn no_scope(run: &StoredRun, scope: Scope) -> CompareError {
    let others: BTreeSet<String> =
        run.samples.iter().filter(|row| row.in_use().is_some()).map(|row| row.scope.to_string()).collect();
    let remedy = match others.is_empty() {
        true => "nothing in it was timed".to_string(),
        false => format!("it has {}", others.into_iter().collect::<Vec<_>>().join(", ")),
    };
    CompareError::NoScope { name: run.name(), scope, remedy }
}

/// The seed of a cell's resampling, equal on every machine and in every version.
fn seed(cell: &CellId) -> u64 {
    let digest = blake3::hash(cell.to_string().as_bytes());
    digest.as_bytes().iter().take(8).fold(0, |seed, byte| (seed << 8) | u64::from(*byte))
}
