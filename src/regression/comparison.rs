//! The result of a comparison of two runs, as values: `report` puts it into words.

use super::rule::{CellKind, CellVerdict, DecisionLimits};
use crate::results::StoredRun;
use crate::store::{BuildRole, Disturbance, Environment, Status};
use crate::timing::{Estimate, Scope};
use repro_base::CellId;
use serde::Serialize;
use std::fmt;
use strum::{Display, IntoEnumIterator};

/// What two runs may differ in and still be compared, if that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Display, clap::ValueEnum)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum AllowedDifference {
    /// Another model of GPU, or of CPU for cells that run on it.
    Device,
    /// Another driver.
    Driver,
    /// Other graphs: weights, densities or seeds.
    Graph,
    /// One side had the device for itself, and the other took turns with another build.
    Pairing,
}

/// What is not the same in two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Difference {
    /// What lets the runs be compared all the same. None where it hinders no comparison.
    pub across: Option<AllowedDifference>,
    /// For example `driver`.
    pub what: String,
    pub base: String,
    pub new: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { what, base, new, .. } = self;
        write!(f, "{what}: {base} before, {new} now")
    }
}

/// What one side measured of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CellTiming {
    pub samples: usize,
    /// Their median with its interval, as in `summary.csv`.
    #[cfg_attr(test, schemars(with = "schema::Interval"))]
    pub seconds: Estimate,
    /// The median clock of the multiprocessors during the samples, where it was read.
    pub sm_mhz: Option<f64>,
}

/// Why a cell is NOISY.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum InconclusiveReason {
    /// So many on the side that has fewer, and [`super::LEAST_SAMPLES`] are needed.
    FewSamples { samples: usize },
    /// So many samples would probably make the interval narrow enough.
    WideInterval { samples_needed: usize },
    /// Seconds and cycles say something else.
    ClocksDiffer,
    /// Others used the cores, or the GPU held its clocks down.
    Disturbed {
        #[cfg_attr(test, schemars(with = "Option<String>"))]
        base: Option<Disturbance>,
        #[cfg_attr(test, schemars(with = "Option<String>"))]
        new: Option<Disturbance>,
    },
    /// It ran on another CPU, and nobody asked for that.
    OtherCpu { base: String, new: String },
    /// The median of BASE is no time at all.
    NoTime,
    /// A second measurement of what was SLOWER or FASTER at first gave something else.
    NotConfirmed { first: CellVerdict, again: CellVerdict, ratio: Option<f64> },
}

/// Why one side has no time of a cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum MissingReason {
    /// It has yet to measure it.
    Unfinished,
    /// It was to measure it, and has no record of it.
    NoRecord,
    /// It has a time by another clock.
    OtherScope,
    /// Its median is no time at all.
    NoTime,
    /// What its last sample came to.
    Untimed {
        #[cfg_attr(test, schemars(with = "String"))]
        status: Status,
        message: String,
    },
}

/// What stands behind a verdict, where the ratio alone does not.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Reason {
    Inconclusive(InconclusiveReason),
    /// One side has no time.
    Missing {
        #[cfg_attr(test, schemars(with = "String"))]
        side: BuildRole,
        #[serde(flatten)]
        why: MissingReason,
    },
    /// A second measurement gave the same verdict, with this ratio.
    Confirmed {
        confirmed_by: Option<f64>,
    },
}

/// One cell of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CellComparison {
    #[serde(flatten)]
    #[cfg_attr(test, schemars(with = "schema::Cell"))]
    pub cell: CellId,
    #[serde(skip)]
    pub kind: CellKind,
    /// What its times are of: where a program solved it, another than that of the comparison.
    #[cfg_attr(test, schemars(with = "String"))]
    pub scope: Scope,
    pub verdict: CellVerdict,
    pub why: Option<Reason>,
    pub base: Option<CellTiming>,
    pub new: Option<CellTiming>,
    /// Seconds of new over base, with the interval at the comparison's confidence.
    #[serde(rename = "new_over_base")]
    #[cfg_attr(test, schemars(with = "Option<schema::Interval>"))]
    pub ratio: Option<Estimate>,
    /// Cycles of the multiprocessors of new over base, where their clocks differ.
    #[serde(rename = "new_over_base_cycles")]
    #[cfg_attr(test, schemars(with = "Option<schema::Interval>"))]
    pub cycles: Option<Estimate>,
}

/// How far runs of one build lie apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NoiseFloor {
    /// Relative.
    pub share: f64,
    /// From how many pairs of one build on this machine it comes. None of the default.
    pub calibrated_by: Option<usize>,
}

/// What the cells of one kind are held against.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KindLimits {
    #[serde(flatten)]
    pub kind: CellKind,
    /// How many both runs measured.
    pub cells: usize,
    #[serde(rename = "noise_floor")]
    pub floor: NoiseFloor,
    #[serde(flatten)]
    pub limits: DecisionLimits,
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunSummary {
    pub name: String,
    /// How it goes on, where it has not finished.
    #[serde(skip)]
    pub how_to_go_on: String,
    pub experiment: String,
    /// When it was started.
    pub started: String,
    pub commit: String,
    pub dirty: bool,
    /// Of the build: its cells on the CPU mean little unless it is `release`.
    pub profile: String,
    pub finished: bool,
    /// Bytes behind the last whole sample, which are left out.
    pub torn_bytes: u64,
    #[serde(flatten)]
    pub on: RunMachine,
}

/// Where a run was measured, as far as it is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunMachine {
    pub gpu: Option<String>,
    pub gpu_uuid: Option<String>,
    pub driver: Option<String>,
    pub compiler: Option<String>,
    pub host: Option<String>,
}

impl RunSummary {
    pub(super) fn of(run: &StoredRun) -> Self {
        let environment = run.environment();
        let device = environment.and_then(Environment::gpu);
        Self {
            name: run.name(),
            how_to_go_on: run.manifest.how_to_go_on(&run.folder),
            experiment: run.manifest.experiment.name.clone(),
            started: run.manifest.started.clone(),
            commit: run.manifest.build.commit.clone(),
            dirty: run.manifest.build.dirty,
            profile: run.manifest.build.profile.to_string(),
            finished: run.manifest.finished.is_some(),
            torn_bytes: run.torn_bytes,
            on: RunMachine {
                gpu: device.map(|device| device.info.name.clone()),
                gpu_uuid: device.map(|device| device.info.uuid.clone()),
                driver: device.and_then(|device| device.driver.clone()),
                compiler: device.and_then(|device| device.compiler.clone()),
                host: environment.map(|environment| environment.host.cpu.clone()),
            },
        }
    }
}

/// What decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ComparisonOutcome {
    /// A cell became slower or failed.
    Slower,
    /// Nothing was found, but some cells are NOISY.
    Noisy,
    /// Nothing became slower.
    NotSlower,
}

/// All cells of two runs, worst first.
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
    pub outcome: ComparisonOutcome,
    /// Whether samples of both runs were taken in turns.
    pub paired: bool,
    pub base: RunSummary,
    pub new: RunSummary,
    /// What is not the same and hinders no comparison, or is meant.
    pub differences: Vec<Difference>,
    /// What the cells of each kind are held against.
    pub kinds: Vec<KindLimits>,
    /// In no verdict, as they failed in both.
    #[cfg_attr(test, schemars(with = "Vec<schema::Cell>"))]
    pub failed_in_both: Vec<CellId>,
    /// How many cells both runs timed, and not by the clock of the comparison.
    pub without_scope: usize,
    pub cells: Vec<CellComparison>,
}

impl Comparison {
    /// How many cells have each verdict, worst first; verdicts of no cell are left out.
    pub fn tally(&self) -> Vec<(CellVerdict, usize)> {
        let of = |verdict| self.cells.iter().filter(|cell| cell.verdict == verdict).count();
        CellVerdict::iter().map(|verdict| (verdict, of(verdict))).filter(|(_, count)| *count > 0).collect()
    }

    /// Sorts the cells, and sets the outcome that follows from their verdicts.
    pub(super) fn conclude(mut self) -> Self {
        self.cells.sort_by(|a, b| (a.verdict, &a.cell).cmp(&(b.verdict, &b.cell)));
        let has = |is: fn(CellVerdict) -> bool| self.cells.iter().any(|cell| is(cell.verdict));
        self.outcome = match () {
            () if has(CellVerdict::is_regression) => ComparisonOutcome::Slower,
            () if has(|verdict| verdict == CellVerdict::Noisy) => ComparisonOutcome::Noisy,
            () => ComparisonOutcome::NotSlower,
        };
        self
    }

    /// The cells that look slower or faster, and so are worth another measurement. A cell that failed needs none: wrong once is wrong.
    pub fn to_confirm(&self) -> Vec<CellId> {
        self.cells.iter().filter(|cell| cell.verdict.is_change()).map(|cell| cell.cell.clone()).collect()
    }

    /// This comparison after another measurement of [`Self::to_confirm`]: a cell stays SLOWER or FASTER only if `again` says the same. If
    /// `again` lacks a cell, because it was stopped, the cell stays as it was.
    #[must_use]
    pub fn confirmed_by(mut self, again: &Comparison) -> Self {
        for cell in self.cells.iter_mut().filter(|cell| cell.verdict.is_change()) {
            let Some(second) = again.cells.iter().find(|other| other.cell == cell.cell) else { continue };
            let ratio = second.ratio.map(|ratio| ratio.value);
            match second.verdict {
                verdict if verdict == cell.verdict => {
                    cell.why = Some(Reason::Confirmed { confirmed_by: ratio });
                }
                // Fresh processes found it wrong or unchanged: their result, with its ratio, replaces the first.
                CellVerdict::Failed | CellVerdict::Same => *cell = second.clone(),
                again => {
                    let why = InconclusiveReason::NotConfirmed { first: cell.verdict, again, ratio };
                    (cell.verdict, cell.why) = (CellVerdict::Noisy, Some(Reason::Inconclusive(why)));
                }
            }
        }
        self.conclude()
    }
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
