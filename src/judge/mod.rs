//! What the papers claim, compared with what stored runs measured: one row a claim. Its verdict is a function of the claim and of the
//! evidence that it needs, and of nothing else.

mod column;
mod comparison;
mod count_claims;
mod evaluate;
mod evidence;
mod metric;
mod noise;
mod verdict;

pub use column::columns_as_claims;
pub use comparison::extremes;
pub use count_claims::{StructuralResult, structural_results};
pub use evaluate::{ANY_MACHINE, Evidence, OWN_NUMBERS, evaluate};
pub use evidence::{AcceptanceRange, ENOUGH_CARDS};
pub use metric::{Unit, unit_of};
pub use noise::{NoiseFloor, noise_floors};
pub use verdict::{Effect, HoldCount, Verdict, decide, judge};

use crate::published::{Claim, Contender, PublishedCause};
use crate::timing::Estimate;
use serde::Serialize;
use std::ops::Deref;

/// One claim of one paper, or a place where it contradicts itself, and what became of it on each machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ClaimRow {
    /// The paper's id.
    pub paper: String,
    #[serde(flatten)]
    pub claim: Claim,
    /// The implementation that the claim is about, where the statement alone does not name it.
    pub of: Option<String>,
    /// The GPU, or for a column of a CPU the CPU, that it was published for.
    pub published_on: String,
    /// The result by the paper's own numbers. None where it has none for what the tests compare.
    pub own: Option<ClaimResult>,
    /// One result a machine; for a claim by construction, one for any machine; none for an inconsistency.
    pub results: Vec<ClaimResult>,
}

impl ClaimRow {
    /// All results: the one by the paper's own numbers first, then those of machines.
    pub fn all_results(&self) -> impl Iterator<Item = &ClaimResult> {
        self.own.iter().chain(&self.results)
    }
}

impl Deref for ClaimRow {
    type Target = Claim;

    fn deref(&self) -> &Claim {
        &self.claim
    }
}

/// What became of a claim on one machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ClaimResult {
    /// The machine's label in this report.
    pub machine: String,
    pub verdict: Verdict,
    /// In how many of its comparisons the claim holds.
    pub share: HoldCount,
    /// How far it is from what was published. None where nothing was compared, or nothing that has a logarithm.
    pub effect: Option<Effect>,
    pub unit: Unit,
    /// A measured value that is shown but not judged, for example on another GPU than the paper's.
    pub shown: Option<Estimate>,
    /// Why there is no verdict, where there is none.
    pub lack: Option<NoVerdictReason>,
    /// Why the result differs from the claim, where it does.
    pub cause: Option<PublishedCause>,
    /// What would change the verdict.
    #[serde(rename = "turns")]
    pub sensitivity: Vec<VerdictFlip>,
    /// The comparisons from which the verdict follows.
    pub points: Vec<Comparison>,
    /// The names of the folders of the runs that the numbers come from: all of one build.
    pub runs: Vec<String>,
    /// On how many GPUs of the model each number was measured at least; 0 if on none.
    pub cards: usize,
    /// Runs of other builds that meet the needs of the claim, too.
    pub others: Vec<OtherBuildResult>,
}

impl ClaimResult {
    /// Whether it is REPRODUCED by bounds alone that are open on one side, such as "faster": weaker than a match on both sides.
    pub fn is_one_sided(&self) -> bool {
        let is_open = |point: &Comparison| point.published.low.is_none() || point.published.high.is_none();
        self.verdict == Verdict::Reproduced && self.points.iter().all(is_open)
    }
}

/// What runs of another build say of a claim.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtherBuildResult {
    pub runs: Vec<String>,
    pub verdict: Verdict,
    pub share: HoldCount,
    /// The least and the most of its comparisons.
    pub least: f64,
    pub most: f64,
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    pub at: ComparisonSubject,
    pub published: AcceptanceRange,
    /// The interval includes the noise of the machine.
    pub measured: Estimate,
    pub verdict: Verdict,
    /// By how much the cards lie apart, relative to `measured`, where the intervals of some do not overlap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub apart: Option<f64>,
}

impl Comparison {
    /// Compares `measured`, whose interval includes the noise, with what is accepted.
    pub fn new(at: ComparisonSubject, measured: Estimate, published: AcceptanceRange) -> Self {
        Self { at, published, measured, verdict: judge(measured, published), apart: None }
    }
}

/// What a comparison is of.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ComparisonSubject {
    /// The position of the test among the claim's tests.
    pub test: usize,
    /// The contender; None where the comparison is of all that the test names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<Contender>,
    /// In a ratio, the contender that `of` is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<Contender>,
    /// Vertices; None where the comparison is of no single n.
    pub n: Option<usize>,
}

impl ComparisonSubject {
    /// The record that this comparison is missing, and why.
    fn missing(&self, why: MissingReason) -> MissingComparison {
        MissingComparison { of: self.of.clone(), n: self.n, why }
    }
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoVerdictReason {
    /// No build has all `of` comparisons; the fullest runs have `met`. `gaps` are the first that they lack; `run` measures them.
    Needs { met: usize, of: usize, gaps: Vec<MissingComparison>, run: String },
    /// Nothing tests the claim: what would have to be built or measured.
    Untested(String),
    /// Nothing measurable compares with the claim, and why.
    Incomparable(String),
    /// A figure of another GPU. The claims `tested_by` test what the paper concludes from it.
    OtherGpu { tested_by: Vec<String> },
}

/// A comparison that a run cannot make.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MissingComparison {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<Contender>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n: Option<usize>,
    pub why: MissingReason,
}

/// Why a figure of a cell is no evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingReason {
    /// The run was not to measure it.
    NotPlanned,
    /// It was not run, failed, was stopped or impossibly fast, or has no time by this clock.
    NotMeasured,
    /// Fewer samples than the test needs.
    FewSamples { has: usize, needs: usize },
    /// Fewer graphs than the test names.
    FewGraphs { has: usize, needs: usize },
    /// Solved in fewer orders of blocks and threads than the test needs.
    FewOrders { has: usize, needs: usize },
    /// A result was wrong: then no time counts.
    WrongResult,
    /// The time is an estimate from some of the iterations.
    Estimate,
    /// Another number of blocks was resident on a multiprocessor.
    Resident { has: Option<u32>, needs: u32 },
    /// The times of single kernels, or the bytes that they move, are not recorded.
    NoKernelTimes,
    /// The GPU's counters were not read.
    NoCounters,
    /// The emulated device counted nothing for it.
    NotCounted,
    /// Each experiment that it needs was measured, but not by one build.
    OneBuild,
    /// n is no multiple of the device's multiprocessors times 32.
    NoMultiple,
}

/// What is changed to see whether a verdict stays.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Perturbation {
    /// Every interval is this many times as wide.
    Noise(f64),
    /// The bounds that are ours, not the paper's, are this many times as far from equality.
    Ours(f64),
    /// The slack for rounding is this many times as large.
    Rounding(f64),
}

/// A perturbation that changes the verdict, and the verdict that it gives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct VerdictFlip {
    pub change: Perturbation,
    pub verdict: Verdict,
}
