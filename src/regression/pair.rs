//! What two runs measured of the same cells, and what became of each.

use super::comparable::{Across, meant_differences, on_another_cpu};
use super::compare::{CellComparison, CompareError, Figures, KindLimits, Options};
use super::floor::MachineNoise;
use super::kind::CellKind;
use super::notes::Notes;
use super::output::percent;
use super::programs::scope_of_cells;
use super::rule::{LEAST_SAMPLES, LEAST_THRESHOLD, Limits, Verdict, Why};
use crate::results::{StoredRun, SummaryRow};
use crate::store::{Status, cells};
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
    /// By which each cell is compared.
    scopes: BTreeMap<CellId, Scope>,
    before: BTreeMap<CellId, Measured>,
    now: BTreeMap<CellId, Measured>,
}

/// The samples of a cell.
#[derive(Default)]
struct Measured {
    /// Which sample of the cell each is.
    numbers: Vec<usize>,
    seconds: Vec<f64>,
    /// One a sample; None where it was not read.
    sm_mhz: Vec<Option<f64>>,
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
        let (mut before, mut now) = (samples(base, &scopes), samples(new, &scopes));
        let pairing = pairing(base, new);
        if pairing == Pairing::Together {
            keep_partners(&mut before, &mut now);
        }
        for (run, of) in [(base, &before), (new, &now)] {
            if of.is_empty() {
                return Err(no_scope(run, scope));
            }
        }
        let shared: Vec<(CellId, Scope)> = scopes
            .iter()
            .filter(|(cell, _)| before.contains_key(cell) && now.contains_key(cell))
            .map(|(cell, scope)| (cell.clone(), *scope))
            .collect();
        let failed =
            || new.results.summary.iter().any(|row| has_failed(row) && before.contains_key(&row.cell()));
        if shared.is_empty() && !failed() {
            return Err(CompareError::NothingInCommon { base: base.name(), new: new.name(), scope });
        }
        for one in meant_differences(base, new, &shared, &options.across)? {
            notes.add(format!("Compared all the same: {}.", one.told));
        }
        let of_base = |row: &SummaryRow| base.row(&row.cell()).is_some_and(has_failed);
        let in_both = new.results.summary.iter().filter(|row| has_failed(row) && of_base(row));
        let in_both: Vec<String> = in_both.map(|row| row.cell().to_string()).collect();
        if !in_both.is_empty() {
            notes.add(format!("In no verdict, as they failed in both: {}.", in_both.join(", ")));
        }
        notes.about(base, new, pairing);
        notes.about_scopes((base, new), scope, &scopes);
        Ok(Self { at, base, new, pairing, scopes, before, now })
    }

    /// Cells that the rule may decide.
    pub(super) fn decidable(&self) -> usize {
        let enough = |of: Option<&Measured>| of.is_some_and(|of| of.seconds.len() >= LEAST_SAMPLES);
        self.before.keys().filter(|cell| enough(self.before.get(cell)) && enough(self.now.get(cell))).count()
    }

    fn scope(&self, cell: &CellId, options: &Options) -> Scope {
        self.scopes.get(cell).copied().unwrap_or(options.scope)
    }

    fn kind(&self, cell: &CellId, options: &Options) -> CellKind {
        CellKind::timed(self.new, cell, self.scope(cell, options))
    }

    /// What the cells of each kind that both runs measured are held against.
    pub(super) fn kinds(&self, noise: &MachineNoise, options: &Options) -> Vec<KindLimits> {
        let both = self.before.keys().filter(|cell| self.now.contains_key(cell));
        let mut kinds: BTreeMap<CellKind, usize> = BTreeMap::new();
        both.for_each(|cell| *kinds.entry(self.kind(cell, options)).or_default() += 1);
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
        let all: BTreeSet<&CellId> = self.before.keys().chain(self.now.keys()).collect();
        all.into_iter().map(|cell| self.cell(cell, kinds, options, confidence)).collect()
    }

    fn cell(
        &self,
        cell: &CellId,
        kinds: &[KindLimits],
        options: &Options,
        confidence: f64,
    ) -> CellComparison {
        let side = |of: Option<&Measured>| of.and_then(Measured::side);
        let kind = self.kind(cell, options);
        let mut compared = CellComparison {
            run_pair: self.at,
            experiment: self.new.manifest.experiment.name.clone(),
            cell: cell.clone(),
            kind,
            scope: self.scope(cell, options),
            verdict: Verdict::Noisy,
            why: None,
            reason: String::new(),
            base: side(self.before.get(cell)),
            new: side(self.now.get(cell)),
            seconds: None,
            cycles: None,
            threshold: None,
            paired: self.pairing == Pairing::Together,
        };
        match (self.before.get(cell), self.now.get(cell)) {
            (Some(before), Some(now)) => {
                let of_cell = |one: &&KindLimits| (one.run_pair, one.kind) == (self.at, kind);
                if let Some(of_kind) = kinds.iter().find(of_cell) {
                    self.judge(&mut compared, (before, now), of_kind, options, confidence);
                }
            }
            (None, _) => {
                compared.verdict = Verdict::New;
                compared.reason = why_not(self.base, cell, "BASE").1;
            }
            (_, None) => {
                (compared.verdict, compared.reason) = why_not(self.new, cell, "NEW");
                compared.why = (compared.verdict == Verdict::Noisy).then_some(Why::FewSamples(0));
            }
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
        (before, now): (&Measured, &Measured),
        of_kind: &KindLimits,
        options: &Options,
        confidence: f64,
    ) {
        let KindLimits { limits, kind, .. } = of_kind;
        compared.threshold = Some(limits.threshold);
        let ratio = |over: &[f64], under: &[f64]| {
            ratio_of_medians((over, under), self.pairing, confidence, seed(&compared.cell))
        };
        compared.seconds = ratio(&now.seconds, &before.seconds);
        compared.cycles =
            clocks_differ(before, now).then(|| ratio(&now.cycles(), &before.cycles())).flatten();
        let Some(seconds) = compared.seconds else {
            if before.seconds.is_empty() || now.seconds.is_empty() {
                compared.why = Some(Why::FewSamples(0));
                compared.reason = "no sample that both took in turn".to_string();
                return;
            }
            // No solve takes no time: the new run's is no measurement.
            let of_new = median(&now.seconds).is_none_or(|median| median <= 0.0);
            compared.verdict = if of_new { Verdict::Failed } else { Verdict::Noisy };
            compared.why = (!of_new).then_some(Why::Other);
            let side = if of_new { "NEW" } else { "BASE" };
            compared.reason = format!("a median of no time at all in {side}");
            return;
        };
        if let Some((before, now)) = self.on_another_cpu(*kind, options) {
            compared.why = Some(Why::Other);
            compared.reason = format!("on another CPU: {before} before, {now} now");
            return;
        }
        let samples = before.seconds.len().min(now.seconds.len());
        (compared.verdict, compared.why) = limits.decide(seconds, compared.cycles, samples);
        compared.reason = match compared.why {
            None | Some(Why::Other) => String::new(),
            Some(Why::FewSamples(1)) => format!("1 sample, {LEAST_SAMPLES} needed"),
            Some(Why::FewSamples(few)) => format!("{few} samples, {LEAST_SAMPLES} needed"),
            Some(Why::WideInterval { .. }) => "the interval is too wide".to_string(),
            Some(Why::HighFloor) => format!("less than {} is noise here", percent(limits.threshold)),
            Some(Why::Clocks) => "the clocks differ, and seconds and cycles do not agree".to_string(),
        };
    }
}

impl Measured {
    fn keep(&mut self, numbers: &BTreeSet<usize>) {
        let kept: Vec<bool> = self.numbers.iter().map(|number| numbers.contains(number)).collect();
        let mut kept_seconds = kept.iter();
        self.seconds.retain(|_| kept_seconds.next() == Some(&true));
        let mut kept_clocks = kept.iter();
        self.sm_mhz.retain(|_| kept_clocks.next() == Some(&true));
        self.numbers.retain(|number| numbers.contains(number));
    }

    fn side(&self) -> Option<Figures> {
        let seconds = Estimate::of_median(&self.seconds)?;
        Some(Figures { samples: self.seconds.len(), seconds, sm_mhz: self.clock() })
    }

    /// The median clock of the samples for which it was read, MHz.
    fn clock(&self) -> Option<f64> {
        median(&self.sm_mhz.iter().flatten().copied().collect::<Vec<_>>())
    }

    /// Cycles of a multiprocessor that each sample took, by its own clock or else by that of the others.
    fn cycles(&self) -> Vec<f64> {
        let usual = self.clock().unwrap_or(0.0);
        let samples = self.seconds.iter().zip(&self.sm_mhz);
        samples.map(|(seconds, mhz)| seconds * mhz.unwrap_or(usual) * 1e6).collect()
    }
}

fn clocks_differ(before: &Measured, now: &Measured) -> bool {
    matches!((before.clock(), now.clock()), (Some(before), Some(now)) if (now / before - 1.0).abs() > CLOCKS_DIFFER)
}

/// Of each cell what was read by its scope.
fn samples(run: &StoredRun, scopes: &BTreeMap<CellId, Scope>) -> BTreeMap<CellId, Measured> {
    let measured = |(cell, scope): (&CellId, &Scope)| {
        let mut of_cell = Measured::default();
        for row in run.cell(cell).timed(*scope)?.rows(&run.samples) {
            of_cell.numbers.push(row.sample);
            of_cell.seconds.extend(row.seconds);
            of_cell.sm_mhz.push(row.sm_mhz.map(f64::from));
        }
        Some((cell.clone(), of_cell))
    };
    scopes.iter().filter_map(measured).collect()
}

/// Leaves the samples of a pair that both sides have, so that those of one place were taken one after the other. What one side alone
/// measured of a cell stays.
fn keep_partners(before: &mut BTreeMap<CellId, Measured>, now: &mut BTreeMap<CellId, Measured>) {
    for (cell, before) in before {
        let Some(now) = now.get_mut(cell) else { continue };
        let both: BTreeSet<usize> =
            before.numbers.iter().filter(|number| now.numbers.contains(number)).copied().collect();
        before.keep(&both);
        now.keep(&both);
    }
}

/// Whether the runs were measured sample beside sample.
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

/// The same for a cell on every machine and in every version.
fn seed(cell: &CellId) -> u64 {
    let digest = blake3::hash(cell.to_string().as_bytes());
    digest.as_bytes().iter().take(8).fold(0, |seed, byte| (seed << 8) | u64::from(*byte))
}
