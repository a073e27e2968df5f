//! A baseline against a run, cell by cell.

use super::comparable::Across;
use super::noise::{CellKind, Noise, NoiseFloor};
use super::notes::Notes;
use super::pair::Pair;
use super::rule::{self, Verdict};
use super::run_summary::RunSummary;
use crate::experiment::StoredRun;
use crate::record::CellId;
use crate::timing::{MedianRatio, Pairing, Scope};
use serde::Serialize;
use thiserror::Error;

/// How to compare.
#[derive(Clone, Debug)]
pub struct Options {
    pub scope: Scope,
    /// Differences that are meant.
    pub across: Vec<Across>,
    /// Relative; thresholds are never below it.
    pub least_threshold: f64,
}

/// Why two runs could not be compared.
#[derive(Debug, Error, PartialEq)]
pub enum CompareError {
    #[error("{base} and {new} are not to be compared: {differences}; if that is meant: --across {across}")]
    Differ { base: String, new: String, differences: String, across: String },
    #[error(
        "{base} and {new} have no cell in common with a time of scope {scope}: compare runs of one experiment"
    )]
    NothingInCommon { base: String, new: String, scope: Scope },
    #[error("{name} has no time of scope {scope}: {remedy}")]
    NoScope { name: String, scope: Scope, remedy: String },
}

/// What one side measured of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figures {
    pub samples: usize,
    /// Seconds.
    pub median_s: f64,
    /// The interval of the median, as in `summary.csv`.
    pub low_s: f64,
    pub high_s: f64,
    /// The median clock of the multiprocessors during the samples, where it was read.
    pub sm_mhz: Option<f64>,
}

/// One cell of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellComparison {
    pub experiment: String,
    #[serde(flatten)]
    pub cell: CellId,
    pub verdict: Verdict,
    /// Why it is not decided, or what else there is to say.
    pub reason: String,
    pub base: Option<Figures>,
    pub new: Option<Figures>,
    /// Seconds of new over base, with the interval at the comparison's confidence.
    pub seconds: Option<MedianRatio>,
    /// The same in cycles of the multiprocessors, where their clocks differ.
    pub cycles: Option<MedianRatio>,
    /// What the interval is held against: 1 + this and 1 / (1 + this).
    pub threshold: Option<f64>,
    /// Whether its samples were taken in pairs.
    pub paired: bool,
}

/// What intervals of one kind of cell are held against.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Threshold {
    #[serde(flatten)]
    pub kind: CellKind,
    /// 1 + this and 1 / (1 + this).
    pub threshold: f64,
    /// None where nothing is known of such cells.
    pub noise: Option<NoiseFloor>,
    /// The 95th percentile of the difference between two runs, or in pairs, that it is twice of. None where too little is known.
    pub known: Option<f64>,
    /// Whether samples were taken in pairs, for which less noise is to be expected.
    pub paired: bool,
}

/// All cells of one or more pairs of runs, worst first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Of this layout.
    pub schema_version: u32,
    pub scope: Scope,
    /// Of every single interval.
    pub confidence: f64,
    /// The threshold of each kind of cell that was compared, and the noise behind it.
    pub thresholds: Vec<Threshold>,
    pub runs: Vec<(RunSummary, RunSummary)>,
    /// What a reader should know, a sentence each.
    pub notes: Vec<String>,
    pub cells: Vec<CellComparison>,
}

impl Comparison {
    /// How many cells have which verdict, worst first, those with none left out.
    pub fn tally(&self) -> Vec<(Verdict, usize)> {
        let of = |verdict| self.cells.iter().filter(|cell| cell.verdict == verdict).count();
        Verdict::ALL
            .map(|verdict| (verdict, of(verdict)))
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .collect()
    }

    pub(super) fn sort(&mut self) {
        let key = |cell: &CellComparison| (cell.verdict, cell.experiment.clone(), cell.cell.clone());
        self.cells.sort_by_key(key);
    }

    /// Whether anything at all was decided.
    pub fn is_decided(&self) -> bool {
        let undecided = [Verdict::Uncertain, Verdict::Gone, Verdict::New];
        self.cells.iter().any(|cell| !undecided.contains(&cell.verdict))
    }

    /// Cells that a guard is there to stop.
    pub fn regressions(&self) -> impl Iterator<Item = &CellComparison> {
        self.cells.iter().filter(|cell| cell.verdict.is_regression())
    }
}

/// Compares each base with its new run. `noise` is that of the machine, from runs other than the new ones.
///
/// # Errors
/// When a pair may not be compared, or has nothing in common.
pub fn compare(
    pairs: &[(&StoredRun, &StoredRun)],
    noise: &Noise,
    options: &Options,
) -> Result<Comparison, CompareError> {
    let mut notes = Notes::default();
    let measured: Vec<Pair> =
        pairs.iter().map(|(base, new)| Pair::of(base, new, options, &mut notes)).collect::<Result<_, _>>()?;
    let decided: usize = measured.iter().map(Pair::decidable).sum();
    let confidence = rule::confidence(decided);
    let cells: Vec<CellComparison> =
        measured.iter().flat_map(|pair| pair.cells(noise, options, confidence)).collect();
    let mut thresholds: Vec<Threshold> = Vec::new();
    for cell in &cells {
        let kind = CellKind::of(&cell.cell.implementation, cell.cell.n);
        let is_of = |known: &Threshold| (known.kind, known.paired) == (kind, cell.paired);
        if let (Some(threshold), false) = (cell.threshold, thresholds.iter().any(is_of)) {
            let pairing = if cell.paired { Pairing::Together } else { Pairing::Apart };
            let known = rule::known_noise(noise, kind, pairing);
            let noise = noise.floor(kind);
            thresholds.push(Threshold { kind, threshold, noise, known, paired: cell.paired });
        }
    }
    thresholds.sort_by_key(|one| (one.kind, one.paired));
    let mut comparison = Comparison {
        schema_version: 1,
        thresholds,
        scope: options.scope,
        confidence,
        runs: pairs.iter().map(|(base, new)| (RunSummary::of(base), RunSummary::of(new))).collect(),
        notes: notes.into_texts(),
        cells,
    };
    comparison.sort();
    Ok(comparison)
}
