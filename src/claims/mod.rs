//! What the papers claim beside what stored runs measured: one row a claim, with a verdict, its numbers and its reason.

mod evaluate;
mod evidence;
mod outcome;
mod ranges;
mod rules;
mod verdict;

pub use evaluate::evaluate;
pub use evidence::{Evidence, Measurements, Variant};
pub use outcome::rounded;
pub use ranges::power_of_ten;
pub use verdict::{Range, Verdict, decide, judge};

use crate::timing::Estimate;
use serde::Serialize;

/// One claim of one paper and what became of it on each machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimRow {
    /// The paper's id.
    pub paper: String,
    /// Unique within the paper.
    pub id: String,
    pub kind: RowKind,
    /// In our words.
    pub statement: String,
    /// Section, figure or remark of the paper.
    pub place: String,
    /// The published figure with its unit; empty where it has none.
    pub published: String,
    /// The GPU that it was published for.
    pub published_gpu: String,
    /// What we have to say about the claim itself.
    pub note: Option<String>,
    /// Whether the paper stands or falls with it.
    pub headline: bool,
    /// One a machine; none for an inconsistency, which needs no machine.
    pub results: Vec<ClaimResult>,
}

/// What sort of row it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowKind {
    /// A column of a published table of seconds.
    Table,
    Absolute,
    Ratio,
    Bandwidth,
    Derived,
    Structural,
    Trend,
    Judgement,
    /// Where a paper contradicts itself.
    Inconsistency,
}

/// What became of a claim on one machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimResult {
    /// The machine's label in this report.
    pub machine: String,
    pub verdict: Verdict,
    /// Whether it follows from counts and limits alone, and so is the same on every machine.
    pub counted: bool,
    /// What was compared with what, for example `ratio of medians, scope kernel`.
    pub compared_as: String,
    /// The measured figure in words, with its range over the comparisons; empty where there is none.
    pub measured: String,
    /// Why the verdict is what it is, in one or two sentences.
    pub reason: String,
    /// Every comparison that the verdict follows from.
    pub points: Vec<Point>,
    /// The runs that the numbers come from, by their folders' names.
    pub runs: Vec<String>,
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// What it is of, for example `n = 4096`.
    pub at: String,
    pub n: Option<usize>,
    pub published: Range,
    /// The interval includes the noise of the machine.
    pub measured: Estimate,
    pub verdict: Verdict,
}
