//! The result of a rule's comparison, as values. The report makes English of them, last; nothing parses it.

use super::Verdict;
use crate::published::Figure;
use crate::timing::Scope;
use serde::Serialize;

/// An implementation with its parameters as records write them; empty for those that an experiment names first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contender {
    pub implementation: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub params: String,
}

impl Contender {
    pub fn of(implementation: &str) -> Self {
        Self::with(implementation, "")
    }

    pub fn with(implementation: &str, params: &str) -> Self {
        Self { implementation: implementation.to_string(), params: params.to_string() }
    }
}

/// Columns and rows of threads in a block.
pub type Shape = (u32, u32);

/// What a comparison is of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Place {
    /// None where n alone identifies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<Subject>,
    /// Vertices; None where the comparison is of no single n.
    pub n: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    Contender(Contender),
    Pair {
        faster: Contender,
        slower: Contender,
    },
    Kernel {
        implementation: String,
        kernel: String,
    },
    Counted {
        kernel: String,
        what: Counted,
    },
    Kappa(usize),
    /// Against as many blocks as fit on a multiprocessor.
    Resident {
        contender: Contender,
        most: u32,
    },
    Block(Shape),
    Clock(Scope),
    /// So many samples.
    Samples(usize),
    /// So many sizes as one figure.
    Mean {
        sizes: usize,
    },
    /// The unsynchronized clock's own reading.
    Reading,
    CopyBack,
    Copy,
    /// Distances of half the bytes.
    HalfBytes,
    /// How many kernels there are.
    Kernels,
    /// Entries a side.
    Tile(u32),
    /// A step in time where n passes so many waves of threads.
    Step {
        waves: u32,
    },
    /// So many sizes, one of which gives the direction.
    Sign {
        scope: Scope,
        sizes: usize,
    },
}

/// What is counted of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    Launches,
    Blocks,
    StoredBytes,
    Threads,
    SharedBytes,
    GlobalBytesATask,
}

impl Place {
    pub fn n(n: usize) -> Self {
        Self { subject: None, n: Some(n) }
    }

    pub fn at(subject: Subject, n: usize) -> Self {
        Self { subject: Some(subject), n: Some(n) }
    }

    pub fn of(subject: Subject) -> Self {
        Self { subject: Some(subject), n: None }
    }

    pub fn contender(name: &str, n: usize) -> Self {
        Self::at(Subject::Contender(Contender::of(name)), n)
    }
}

/// What the figures of a result are.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// Seconds of `slower` over those of `faster`.
    Seconds {
        slower: Contender,
        faster: Contender,
        scope: Scope,
    },
    /// The same, the mean over all sizes.
    MeanSeconds {
        slower: Contender,
        faster: Contender,
        scope: Scope,
    },
    /// The same, of the two that each place names.
    PairSeconds {
        scope: Scope,
    },
    /// The same, where each figure is the mean over all sizes.
    MeanPairSeconds {
        scope: Scope,
    },
    /// The same, the faster one under the clock `faster`, the slower under `slower`.
    SecondsUnder {
        slower: Contender,
        faster: Contender,
        clock: Scope,
    },
    /// How much its time grows from one size of a table to the next, over what the table's own does.
    GrowthOverPublished {
        contender: Contender,
    },
    /// Seconds on the slowest of several graphs over those on the fastest.
    SlowestGraph,
    /// Seconds with what the claim calls the best over those with the fastest other.
    BestOverOthers,
    /// The unsynchronized clock's reading over the true time; and the copy back that follows over a copy back.
    Unsynchronized,
    /// That clock's reading at 2n over its reading at n.
    ReadingGrowth,
    /// Largest over smallest reading of that clock, and of the copy back after it, at one n.
    ReadingSpread,
    /// One clock over another, of the same solves.
    Clocks {
        over: Scope,
        under: Scope,
    },
    /// The share of the sizes at which `slower` takes longer.
    ShareOfSizes {
        slower: Contender,
        faster: Contender,
    },
    /// Growth of time past a multiple of multiprocessors times warp, over the growth of n³ and of the steps around it.
    StepOverTrend {
        scope: Scope,
    },
    /// The clock that each place names over the events.
    OverEvents,
    /// The operating system's timer over the clock that each place names.
    SystemOverOthers,
    /// Time at 2n over twice the time at n.
    OverLinear {
        scope: Scope,
    },
    /// The copy that each place names: its seconds at 2n over those at n.
    CopyGrowth,
    CountedFigure {
        figure: Figure,
    },
    /// Counts as they are.
    Counts,
    /// Local memory a thread, bytes.
    LocalBytes,
    /// How many words of a half-warp share a bank, from the layout alone.
    BanksOfLayout,
    /// Seconds with a wait of the host after every launch over those without any.
    WaitsOverNone {
        scope: Scope,
    },
    /// Bytes moved according to a model, with κ over with κ = 1.
    MovedBytes,
    /// A count of one kernel over that of its counterpart in another implementation.
    CountsOver {
        implementation: String,
    },
    /// Shared memory, and traffic, of one implementation over another's.
    MemoryCut {
        before: Contender,
        after: Contender,
    },
    ThreadsABlock,
    /// Threads of resident blocks over those that a multiprocessor of this GPU holds.
    Occupancy {
        gpu: String,
        threads: u64,
    },
    RestLaunches,
    /// Bytes that CalcRestBlocks stores a task, κ = 1 over κ.
    StoredBytesATask,
    /// Seconds of the rest blocks with κ over those with κ = 1.
    RestSeconds,
    /// Seconds with the second best κ over those with κ = 1.
    SecondBestKappa,
    /// Seconds without over those with the lead block on all multiprocessors.
    SpreadLead,
    /// The published figure itself, on the paper's own GPU.
    PublishedFigure,
    /// Tasks a second as a share of what the measured copy allows at so many bytes a task.
    ShareOfCopyLimit {
        bytes: f64,
    },
    /// Cycles of one lane of a multiprocessor that pass a task.
    LaneCycles {
        published_ghz: Option<f64>,
    },
    /// Seconds a task at n over those at the largest n.
    SecondsATaskFlat,
    /// Seconds of what each place names over those of `faster`.
    BaselinesOver {
        faster: Contender,
        scope: Scope,
    },
    /// Seconds of a kernel with one block resident on a multiprocessor over those with as many as fit.
    OneResident,
    /// Seconds with whole tiles in shared memory over those with the best depth of stages.
    WholeTilesOverStages,
    /// The share of a solve that one kernel takes.
    KernelShare {
        kernel: String,
        of: Contender,
    },
    /// Seconds in distances of four bytes over those of two bytes.
    HalfTheBytes,
    /// Seconds of one over those of the fastest GPU implementation beside it.
    FastestBeside {
        base: Contender,
    },
    /// Samples whose result was other than the reference's.
    WrongResults,
}

/// The unit of measured figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FigureUnit {
    #[default]
    None,
    Times,
    Percent,
    PercentOfLimit,
    Bytes,
    Blocks,
    Ways,
    Threads,
    Launches,
    OfTheTime,
    OfTheSizes,
    CyclesATask,
    Samples,
    GigabytesASecond,
}

impl From<Figure> for FigureUnit {
    fn from(figure: Figure) -> Self {
        match figure {
            Figure::GlobalBytesATask | Figure::SharedBytes => Self::Bytes,
            Figure::GlobalBytesCut => Self::Times,
            Figure::ResidentBlocksByShared => Self::Blocks,
            Figure::WorstLoadSteps16 => Self::Ways,
            Figure::LoadSectorsUsed => Self::None,
        }
    }
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lack {
    /// Not one sample of these at these sizes.
    NotMeasured {
        contenders: Vec<Contender>,
        sizes: Sizes,
    },
    /// Each was measured, but no run has them beside each other.
    NotTogether {
        contenders: Vec<Contender>,
        sizes: Sizes,
    },
    /// No run has what this experiment measures.
    NoRunOf {
        experiment: String,
    },
    /// No run has counts of these from the emulated device.
    NotCounted {
        contenders: Vec<Contender>,
    },
    /// No run measured a copy.
    NoCopy,
    NoClocks {
        implementation: String,
    },
    NoKernelTimes {
        implementation: String,
    },
    /// Nothing that is implemented here could show it.
    NotImplemented {
        what: NotImplemented,
    },
    /// A figure of another GPU. What the paper concludes from it are these claims.
    OtherGpu {
        tested_by: Vec<String>,
    },
    /// The rule returned nothing for this claim: a defect of this build.
    NoRule,
    UnknownGpu {
        gpu: String,
    },
    /// Nothing was faster by more than was claimed, and what was not tried proves nothing.
    NothingTriedRefutes {
        fastest: Contender,
        n: usize,
        ratio: f64,
    },
}

/// What would have to be built to test a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotImplemented {
    GeneralizedOnCpu,
    /// The same comparison on several GPUs.
    OneArchitecture,
    /// A kernel that is stopped in the middle of a round.
    StoppedInRound,
    AccessesOfOneAddress,
}

impl Lack {
    /// Whether something could be measured that would decide the claim.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::OtherGpu { .. }
            | Self::NoRule
            | Self::UnknownGpu { .. }
            | Self::NothingTriedRefutes { .. } => Verdict::NotComparable,
            _ => Verdict::NotMeasured,
        }
    }
}

/// The sizes that a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sizes {
    Any,
    At(usize),
    From(usize),
    /// Those of the paper's table.
    OfTable,
}

/// What is shown in the place of the comparisons' least and most.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    TasksASecond(f64),
    Seconds(f64),
    GigabytesASecond {
        least: f64,
        most: f64,
    },
    /// Shares of the true time, and how many times a copy takes.
    Readings {
        least: f64,
        most: f64,
        copy_least: f64,
        copy_most: f64,
    },
}

/// What else a reader should know.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remark {
    /// In how many of the comparisons the order is the paper's.
    Order {
        held: usize,
        of: usize,
    },
    BySize {
        least: f64,
        most: f64,
    },
    /// The same with each of several sets of parameters of one of the two, in another run.
    ByVariant {
        contender: Contender,
        variants: usize,
        least: f64,
        most: f64,
        run: String,
    },
    /// From which n on the ratio stays at what is claimed, where the paper has another; None if it never does.
    StaysFrom {
        low: f64,
        n: Option<usize>,
        last: usize,
        published: usize,
    },
    /// A ratio of other parameters than those judged.
    Otherwise {
        faster: Contender,
        slower: Contender,
        least: f64,
        most: f64,
    },
    /// Beside a published table: times of another machine, so many times as long as here.
    FasterThanPublished {
        machine: String,
        least: f64,
        most: f64,
    },
    /// The graph or clock at which it is furthest from the truth.
    ReadsLeast {
        n: usize,
        share: f64,
    },
    /// Both before and after a change, so many blocks are resident on a multiprocessor.
    Resident {
        before: u32,
        after: u32,
    },
    NotSquareFaster {
        block: Shape,
        n: usize,
        ratio: f64,
    },
    OccupancyHere {
        percent: f64,
    },
    BestKappa {
        n: usize,
        kappa: usize,
        share: f64,
        faster: usize,
        tried: usize,
        first: usize,
        last: usize,
    },
    /// At κ that are not faster than κ = 1.
    SpreadElsewhere {
        least: f64,
        most: f64,
    },
    LosesEarlier {
        n: usize,
    },
    /// Up to this n the baseline is the faster one.
    CrossesAt {
        baseline: Contender,
        n: usize,
    },
    LimitHere {
        tasks_per_s: f64,
    },
    CopyShare {
        first: (usize, f64),
        last: (usize, f64),
    },
    /// The best of a sweep beside another implementation's time.
    BesideOther {
        best: Contender,
        other: Contender,
        ratio: f64,
        n: usize,
    },
    /// The time of one core at n is an estimate from so many of its iterations.
    Estimated {
        iterations: usize,
        n: usize,
    },
}

/// Why something comes out other than published.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cause {
    pub statement: String,
    /// The experiments whose committed runs show it; empty for a guess.
    pub shown_by: Vec<String>,
}
