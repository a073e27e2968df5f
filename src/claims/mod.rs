//! What the papers claim beside what stored runs measured: one row a claim, with a verdict, its numbers and its reason.

mod effect;
mod evaluate;
mod evidence;
mod outcome;
mod ranges;
mod rules;
mod said;
mod settings;
mod verdict;

pub use effect::Effect;
pub use evaluate::evaluate;
pub use evidence::{Evidence, Measurements, Variant};
pub use said::{
    Cause, Comparison, Contender, Counted, FigureUnit, Lack, NotImplemented, Place, Remark, Shape, Shown,
    Sizes, Subject,
};
pub use settings::{Change, Reading, Threshold, Turn};
pub use verdict::{Range, Share, Verdict, decide, judge, share};

use crate::published::{EvidenceKind, Figure, Unit};
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
    /// What its verdict rests on. None where a paper contradicts itself, which needs no verdict.
    pub evidence: Option<EvidenceKind>,
    pub statement: Statement,
    /// Section, figure or remark of the paper.
    pub place: String,
    pub published: Option<Published>,
    /// The GPU, or for a column of a CPU the CPU, that it was published for.
    pub published_on: String,
    /// Our remark on the claim itself.
    pub note: Option<String>,
    /// Which ends of the range are ours and not the paper's.
    pub reading: Option<String>,
    /// Whether the paper stands or falls with it.
    pub headline: bool,
    /// One a machine; none for an inconsistency, which needs no machine.
    pub results: Vec<ClaimResult>,
}

/// What a row states.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Statement {
    /// In our words, as the data has it; of this implementation, where the words alone do not name it.
    Words { text: String, of: Option<String> },
    /// Seconds of an implementation, at so many sizes.
    Column { implementation: String, sizes: usize, first: usize, last: usize },
    /// So many times as fast.
    Speedup { faster: String, slower: String },
}

/// A published figure: a value, or the ends of a range.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Published {
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub unit: PublishedUnit,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PublishedUnit {
    Of(Unit),
    /// What the emulated device counts.
    Counted(Figure),
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
    /// In how many of its comparisons it holds.
    pub share: Share,
    /// How far it is from what was published. None where nothing was compared, or nothing that has a logarithm.
    pub effect: Option<Effect>,
    /// What every figure is; None where nothing was compared.
    pub comparison: Option<Comparison>,
    pub unit: FigureUnit,
    /// Numbers of ours that the verdict rests on, beside those of the paper.
    pub readings: Vec<Reading>,
    /// What stands in the place of the least and most of its comparisons.
    pub shown: Option<Shown>,
    /// Why there is no verdict, where there is none.
    pub lack: Option<Lack>,
    pub remarks: Vec<Remark>,
    /// Why it comes out otherwise, where it does.
    pub cause: Option<Cause>,
    /// What would change the verdict.
    pub turns: Vec<Turn>,
    /// Every comparison that the verdict follows from.
    pub points: Vec<Point>,
    /// The runs that the numbers come from, by their folders' names.
    pub runs: Vec<String>,
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    pub at: Place,
    pub published: Range,
    /// The interval includes the noise of the machine.
    pub measured: Estimate,
    pub verdict: Verdict,
}
