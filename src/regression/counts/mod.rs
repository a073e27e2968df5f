//! Counts: figures that do not depend on the day, kernel by kernel, compared with a committed baseline; no GPU is needed.
//!
//! The emulated device counts launches, barriers, bytes, transactions and bank conflicts of a solve whose result is verified.
//! NVRTC reports registers, spills and shared memory for [`ARCHITECTURE`], and its disassembler what the innermost loop costs a
//! task (`crates/machine-code`, `docs/machine-code.md`). A check fails if a figure rises by however little: no figure is noisy, except that
//! NVRTC does not always give the same code, so kernels are compiled again.
//!
//! A comparison says what rose, what fell, what only one of both has, and what could not be compared.

mod baseline;
mod collect;
mod machine_code;
mod metric;
#[cfg(test)]
mod tests;

pub use baseline::{Baseline, BaselineError, DEFAULT_BASELINE};
pub use collect::{Collection, CountTarget, collect};
use metric::select;
pub use metric::{Amount, CountMetric, Figures, KernelFigures, KernelKey, Tool};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use strum::VariantArray;

/// Vertices of the graph that is solved: four tiles of 32 a side, so that every kernel runs and none takes long.
pub const N: usize = 128;

/// What machine code is compiled for: the GPU of the reference runs.
pub const ARCHITECTURE: &str = "sm_90";

/// How a figure differs from the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum ChangeKind {
    Rose,
    Fell,
    /// A different value of a figure for which neither more nor less is better.
    Changed,
    NotInBaseline,
    Gone,
}

impl ChangeKind {
    /// The kind of change from `baseline` to `here`; None if the values are equal. Of blocks and their threads neither less nor more is better:
    /// where they change, the launch is another one, and its other figures are not to be compared before somebody has looked.
    fn classify(metric: CountMetric, baseline: Amount, here: Amount) -> Option<Self> {
        match (here.as_f64().total_cmp(&baseline.as_f64()), metric) {
            (Ordering::Equal, _) => None,
            (_, CountMetric::Blocks | CountMetric::BlockThreads) => Some(Self::Changed),
            (Ordering::Greater, _) => Some(Self::Rose),
            (Ordering::Less, _) => Some(Self::Fell),
        }
    }
}

/// A figure that differs from the baseline, or a whole kernel that only one side has.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    #[serde(flatten)]
    pub key: KernelKey,
    /// None if it is a whole kernel.
    pub figure: Option<CountMetric>,
    pub change: ChangeKind,
    pub baseline: Option<Amount>,
    pub here: Option<Amount>,
}

impl Difference {
    /// Whether the check fails for it.
    pub fn fails(&self) -> bool {
        self.change != ChangeKind::Fell
    }
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CountComparison {
    /// How many figures both sides have.
    pub compared: usize,
    pub differences: Vec<Difference>,
    /// The tools whose figures could not be compared, and why.
    pub not_compared: BTreeMap<Tool, String>,
}

impl CountComparison {
    /// Whether any difference is more than a figure that fell.
    pub fn fails(&self) -> bool {
        self.differences.iter().any(Difference::fails)
    }
}

/// Compares what was collected with `baseline`.
pub fn compare(baseline: &Baseline, collection: &Collection) -> CountComparison {
    let reason = |tool: &Tool| Some((*tool, collection.check_comparable(baseline, *tool).err()?));
    let not_compared: BTreeMap<Tool, String> = Tool::VARIANTS.iter().filter_map(reason).collect();
    let is_compared = |key: &KernelKey, metric: CountMetric| {
        let has_failed = collection.failures.iter().any(|((implementation, _), params)| {
            *implementation == key.implementation && params.contains(&key.params)
        });
        !has_failed && !not_compared.contains_key(&metric.tool())
    };
    let [before, here] = [&baseline.figures, &collection.figures].map(|all| select(all, is_compared));
    let mut comparison = CountComparison { not_compared, ..CountComparison::default() };
    for key in before.keys().chain(here.keys()).collect::<BTreeSet<_>>() {
        let (before, here) = (before.get(key), here.get(key));
        let figures: BTreeSet<Option<CountMetric>> = match (before, here) {
            (Some(before), Some(here)) => before.keys().chain(here.keys()).copied().map(Some).collect(),
            _ => [None].into(),
        };
        for figure in figures {
            let value = |all: Option<&Figures>| all?.get(&figure?).copied();
            let (then, now) = (value(before), value(here));
            comparison.compared += usize::from(then.is_some() && now.is_some());
            let change = match (figure, then, now) {
                (Some(metric), Some(then), Some(now)) => ChangeKind::classify(metric, then, now),
                _ if then.is_some() || here.is_none() => Some(ChangeKind::Gone),
                _ => Some(ChangeKind::NotInBaseline),
            };
            let difference =
                |change| Difference { key: key.clone(), figure, change, baseline: then, here: now };
            comparison.differences.extend(change.map(difference));
        }
    }
    comparison
}
