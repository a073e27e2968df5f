//! What the papers claim compared with what stored runs measured: one row a claim, with a verdict that is a function of the claim and of the
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
pub use evidence::{AcceptanceRange, NOISE};
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
    /// The implementation that it is of, where the words alone do not name it.
    pub of: Option<String>,
    /// The GPU, or for a column of a CPU the CPU, that it was published for.
    pub published_on: String,
    /// By what the paper itself has of what the tests compare. None where it has nothing.
    pub own: Option<ClaimResult>,
    /// One a machine, of a claim by construction one for any; none for an inconsistency, which needs no machine.
    pub results: Vec<ClaimResult>,
}

impl ClaimRow {
    /// Those of machines behind that of the paper's own numbers.
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
    /// In how many of its comparisons it holds.
    pub share: HoldCount,
    /// How far it is from what was published. None where nothing was compared, or nothing that has a logarithm.
    pub effect: Option<Effect>,
    pub unit: Unit,
    /// What was measured and is not judged, as on another GPU than the paper's.
    pub shown: Option<Estimate>,
    /// Why there is no verdict, where there is none.
    pub lack: Option<NoVerdictReason>,
    /// Why it comes out otherwise, where it does.
    pub cause: Option<PublishedCause>,
    /// What would change the verdict.
    #[serde(rename = "turns")]
    pub sensitivity: Vec<VerdictFlip>,
    /// Every comparison that the verdict follows from.
    pub points: Vec<Comparison>,
    /// The runs that the numbers come from, by their folders' names: of one build on one device.
    pub runs: Vec<String>,
    /// Runs of other builds or devices that meet the needs of the claim, too.
    pub others: Vec<OtherBuildResult>,
}

impl ClaimResult {
    /// Whether it is REPRODUCED by bounds alone that are open at one side, such as "faster": that says less than a match on both.
    pub fn is_one_sided(&self) -> bool {
        let is_open = |point: &Comparison| point.published.low.is_none() || point.published.high.is_none();
        self.verdict == Verdict::Reproduced && self.points.iter().all(is_open)
    }
}

/// What runs of another build, or on another device of the same model, say of a claim.
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
}

impl Comparison {
    /// Compares `measured`, whose interval includes the noise, with what is accepted.
    pub fn new(at: ComparisonSubject, measured: Estimate, published: AcceptanceRange) -> Self {
        Self { at, published, measured, verdict: judge(measured, published) }
    }
}

/// What a comparison is of.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ComparisonSubject {
    /// Which of the claim's tests.
    pub test: usize,
    /// None where it is of all that the test names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<Contender>,
    /// Of a ratio, what is set against it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<Contender>,
    /// Vertices; None where the comparison is of no single n.
    pub n: Option<usize>,
}

impl ComparisonSubject {
    /// That there is no such comparison.
    fn missing(&self, why: MissingReason) -> MissingComparison {
        MissingComparison { of: self.of.clone(), n: self.n, why }
    }
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoVerdictReason {
    /// Of `of` comparisons the run that has most has `met`; the first that it lacks. `run` measures them.
    Needs { met: usize, of: usize, gaps: Vec<MissingComparison>, run: String },
    /// What would have to be built or measured.
    Untested(String),
    /// Why nothing could be set against it.
    Incomparable(String),
    /// A figure of another GPU. What the paper concludes from it are these claims.
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
    /// It was not run, failed, was stopped, impossible, or not read by the clock.
    NotMeasured,
    /// Fewer samples than the test needs.
    FewSamples { has: usize, needs: usize },
    /// Fewer of the graphs that the test names.
    FewGraphs { has: usize, needs: usize },
    /// Fewer orders of blocks and threads.
    FewOrders { has: usize, needs: usize },
    /// A result was wrong: then no time counts.
    WrongResult,
    /// From some of its iterations.
    Estimate,
    /// Another number of blocks was resident on a multiprocessor.
    Resident { has: Option<u32>, needs: u32 },
    /// No times of each kernel, or of bytes that it moves.
    NoKernelTimes,
    /// Nothing of the GPU's counters.
    NoCounters,
    /// No counts of the emulated device.
    NotCounted,
    /// Each experiment that it needs was measured, but not by one build on one device.
    OneBuild,
    /// n is no multiple of the device's multiprocessors times 32.
    NoMultiple,
}

/// What is changed to see whether a verdict stays.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Perturbation {
    /// Every interval is so many times as wide.
    Noise(f64),
    /// The bounds that are ours are so many times as far from equality.
    Ours(f64),
    /// What rounding allows is so many times as much.
    Rounding(f64),
}

/// A change after which the verdict is another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct VerdictFlip {
    pub change: Perturbation,
    pub verdict: Verdict,
}
