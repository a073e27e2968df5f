//! A baseline against a run, cell by cell.

use super::advice::advice;
use super::comparable::Across;
use super::floor::MachineNoise;
use super::kind::CellKind;
use super::notes::Notes;
use super::pair::Pair;
use super::rule::{self, Floor, Limits, NoisyReason, Verdict};
use super::run_summary::RunSummary;
use crate::results::StoredRun;
use crate::timing::{Estimate, Scope};
use repro_types::CellId;
use serde::Serialize;
use thiserror::Error;

/// How to compare.
#[derive(Clone, Debug)]
pub struct Options {
    /// Cells of programs are compared by a clock of theirs, unless this is one.
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Figures {
    pub samples: usize,
    /// Their median with its interval, as in `summary.csv`.
    #[serde(flatten, with = "NamedSeconds")]
    #[cfg_attr(test, schemars(with = "NamedSeconds"))]
    pub seconds: Estimate,
    /// The median clock of the multiprocessors during the samples, where it was read.
    pub sm_mhz: Option<f64>,
}

/// Seconds as [`Figures`] writes them.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Estimate")]
struct NamedSeconds {
    #[serde(rename = "median_s")]
    value: f64,
    #[serde(rename = "low_s")]
    low: f64,
    #[serde(rename = "high_s")]
    high: f64,
}

/// One cell of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CellComparison {
    /// Which of the comparison's pairs of runs it is of.
    pub run_pair: usize,
    pub experiment: String,
    #[serde(flatten)]
    #[cfg_attr(test, schemars(with = "schema::Cell"))]
    pub cell: CellId,
    #[serde(skip)]
    pub kind: CellKind,
    /// What its times are of: where a program solved it, another than that of the comparison.
    #[cfg_attr(test, schemars(with = "String"))]
    pub scope: Scope,
    pub verdict: Verdict,
    /// Why it is NOISY.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<NoisyReason>,
    /// Why it is NOISY in words, or what else there is to say.
    pub reason: String,
    /// Tasks of a solve in the new run.
    #[serde(skip)]
    pub tasks: f64,
    pub base: Option<Figures>,
    pub new: Option<Figures>,
    /// Seconds of new over base, with the interval at the comparison's confidence.
    #[serde(rename = "new_over_base")]
    #[cfg_attr(test, schemars(with = "Option<schema::Interval>"))]
    pub seconds: Option<Estimate>,
    /// Cycles of the multiprocessors of new over base, where their clocks differ.
    #[serde(rename = "new_over_base_cycles")]
    #[cfg_attr(test, schemars(with = "Option<schema::Interval>"))]
    pub cycles: Option<Estimate>,
    /// What the interval is held against: 1 + this and 1 / (1 + this).
    pub threshold: Option<f64>,
    /// Whether its samples were taken in pairs.
    pub paired: bool,
}

/// What the cells of one kind, of one pair of runs, are held against.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KindLimits {
    /// Which of the comparison's pairs of runs.
    pub run_pair: usize,
    pub experiment: String,
    #[serde(flatten)]
    pub kind: CellKind,
    /// Whether their samples were taken in pairs, for which less noise is to be expected.
    pub paired: bool,
    /// How many both runs measured.
    pub cells: usize,
    #[serde(rename = "noise_floor")]
    pub floor: Floor,
    #[serde(flatten)]
    pub limits: Limits,
}

/// A baseline and what is held against it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunPair {
    pub base: RunSummary,
    pub new: RunSummary,
}

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// A cell became slower or failed.
    Slower,
    /// Nothing was found, but some cells are NOISY.
    Noisy,
    /// Nothing became slower.
    NotSlower,
}

/// All cells of one or more pairs of runs, worst first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Comparison {
    /// Of this layout.
    pub schema_version: u32,
    /// Of all cells but those that programs solved, which have clocks of their own.
    #[cfg_attr(test, schemars(with = "String"))]
    pub scope: Scope,
    /// Of every single interval.
    pub confidence: f64,
    pub ending: Ending,
    /// What the cells of each kind are held against.
    pub kinds: Vec<KindLimits>,
    /// What would decide the cells that are NOISY, a sentence each.
    pub advice: Vec<String>,
    pub runs: Vec<RunPair>,
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

    /// Brings what follows from the verdicts in line with them.
    pub(super) fn settled(mut self) -> Self {
        let key = |cell: &CellComparison| (cell.verdict, cell.experiment.clone(), cell.cell.clone());
        self.cells.sort_by_key(key);
        let has = |is: fn(Verdict) -> bool| self.cells.iter().any(|cell| is(cell.verdict));
        self.ending = match () {
            () if has(Verdict::is_regression) => Ending::Slower,
            () if has(|verdict| verdict == Verdict::Noisy) => Ending::Noisy,
            () => Ending::NotSlower,
        };
        self.advice = advice(&self);
        self
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
    noise: &MachineNoise,
    options: &Options,
) -> Result<Comparison, CompareError> {
    let mut notes = Notes::default();
    let measured: Vec<Pair> = pairs
        .iter()
        .enumerate()
        .map(|(at, (base, new))| Pair::of(at, base, new, options, &mut notes))
        .collect::<Result<_, _>>()?;
    let decided: usize = measured.iter().map(Pair::decidable).sum();
    let confidence = rule::confidence(decided);
    let kinds: Vec<KindLimits> = measured.iter().flat_map(|pair| pair.kinds(noise, options)).collect();
    let comparison = Comparison {
        schema_version: 5,
        scope: options.scope,
        confidence,
        ending: Ending::Noisy,
        advice: Vec::new(),
        runs: pairs
            .iter()
            .map(|(base, new)| RunPair { base: RunSummary::of(base), new: RunSummary::of(new) })
            .collect(),
        notes: notes.into_texts(),
        cells: measured.iter().flat_map(|pair| pair.cells(&kinds, options, confidence)).collect(),
        kinds,
    };
    Ok(comparison.settled())
}

#[cfg(test)]
mod schema {
    use super::Comparison;
    use schemars::{JsonSchema, schema_for};
    use std::path::Path;

    /// An implementation with its parameters on a graph of n vertices.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "its schema is what is used")]
    pub struct Cell {
        implementation: String,
        /// Vertices.
        n: usize,
        /// `name=value` with `;` between. Empty where all are the defaults.
        params: String,
        /// Its name in the experiment. Empty where there is one graph.
        graph: String,
    }

    /// With the ends of its interval.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "its schema is what is used")]
    pub struct Interval {
        value: f64,
        low: f64,
        high: f64,
    }

    #[test]
    fn the_schema_of_comparisons_in_docs_is_that_of_what_is_written() {
        let schema = serde_json::to_string_pretty(&schema_for!(Comparison)).unwrap() + "\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/comparison.schema.json");
        if std::env::var_os("WRITE_TABLE").is_some() {
            std::fs::write(&path, &schema).unwrap();
        }
        let stored = std::fs::read_to_string(&path).unwrap();
        assert!(
            stored == schema,
            "{} is of another layout: run with WRITE_TABLE=1, and raise schema_version",
            path.display()
        );
    }
}
