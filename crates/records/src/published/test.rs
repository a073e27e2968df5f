//! How a claim is tested, as data: which figure of which cells, set against what, and within which bounds.
//!
//! No part of it knows an id: a paper is added without a line of Rust.

use repro_base::{Parameters, Scope};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// One comparison that a claim needs, made at every size and for every contender that it names. A claim has no verdict where even one of
/// these cells was not measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Test {
    /// What is read of a cell.
    pub figure: Figure,
    /// What the figure is compared with.
    pub relation: Relation,
    /// The contenders of a ratio: the figure of the second over that of the first, so that a ratio of seconds says how many times as
    /// fast the first is.
    pub pairs: Vec<(Contender, Contender)>,
    /// The contenders of any other relation, in the order in which it compares them.
    pub series: Vec<Contender>,
    /// The clock of seconds.
    pub clock: Scope,
    /// Of a ratio: the clock of the second contender. Of [`Relation::Clocks`]: the clock below.
    pub over_clock: Option<Scope>,
    /// Of growth: the power of n that is divided out.
    pub power: i32,
    /// All numbers of vertices. Empty for figures without one, such as the rate of a copy.
    pub sizes: Vec<Sizes>,
    /// A cell with fewer samples counts as missing: one sample alone does not show how certain it is.
    #[serde(default = "samples")]
    pub samples: usize,
    /// For wrong results: the number of orders of blocks and threads in which the emulated device must have solved a cell.
    pub orders: u64,
    /// The graphs, by their edges a vertex: a cell on each is needed. Empty where any graph will do.
    pub edges_per_vertex: Vec<u32>,
    /// Whether the weights of the graphs are negative, too.
    pub negative: bool,
    pub combine: Combine,
    /// The bounds. Where none of the four is given, the number that the claim publishes is the bound.
    pub at_least: Option<f64>,
    pub at_most: Option<f64>,
    pub exactly: Option<f64>,
    pub polynomial: Option<Polynomial>,
    /// Whether we chose the bounds, so that they are also moved, to see whether the verdict stays.
    pub ours: bool,
    /// Whether what is compared is divided by the same comparison of the paper's own numbers.
    pub over_own: bool,
    /// The arguments of `repro run` that measure it, where they are not those of the claim.
    pub run: Option<String>,
    /// Whether it has a meaning on the paper's own GPU alone. On any other, what was measured is shown and not judged.
    pub own_gpu: bool,
}

/// What is read of a cell, or of one kernel of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// The median by a clock; of several graphs the mean of their medians.
    #[default]
    Seconds,
    /// n³ over those seconds.
    TasksASecond,
    /// Tasks a second times the bytes that a task moves by the model of the implementation.
    GigabytesASecond,
    /// Those gigabytes a second over those of the copy that the run measured, percent.
    ShareOfCopy,
    /// Bytes between L2 cache and DRAM that the GPU's counters have of a solve, over what the copy that the run measured would move in
    /// its time, percent.
    DramShareOfCopy,
    /// Bytes between L2 cache and DRAM that the GPU's counters have of a solve.
    CountedDramBytes,
    /// Bytes between multiprocessors and L2 cache that the GPU's counters have of a solve.
    CountedL2Bytes,
    /// Rate of a copy within the memory of the GPU.
    CopyGigabytesASecond,
    /// Latency of a load that depends on the one before, with all multiprocessors loading over one multiprocessor alone.
    LoadLatencyOfAllOverOne,
    /// Time of all launches of one kernel in a solve.
    KernelSeconds,
    /// That time over the time of all kernels of the solve, percent.
    KernelShare,
    /// Bytes of global memory that a solve loads and stores, by the model of its launches.
    MovedBytes,
    /// Local memory a thread of each kernel, the most of them, bytes, as the driver has it.
    LocalBytes,
    /// The busiest unit of the multiprocessors under one kernel, by the GPU's own counters, percent of its peak.
    MultiprocessorThroughput,
    /// Samples that were compared with the reference and were wrong.
    WrongResults,
    /// Launches of a kernel in a solve. This and all figures below are counted on the emulated device.
    Launches,
    /// Kernels that a solve launches.
    Kernels,
    Blocks,
    /// Threads a block.
    Threads,
    /// Bytes that threads store, a solve.
    StoredBytes,
    /// Bytes that threads store, a task of the kernel.
    StoredBytesATask,
    /// Bytes that threads load and store, a task of the kernel.
    GlobalBytesATask,
    /// Shared memory a block, bytes.
    SharedBytes,
    /// Shared memory a block with what the paper's GPU adds, bytes.
    SharedBytesOfPaper,
    /// Blocks that a multiprocessor of the paper's GPU holds by shared memory alone.
    ResidentBlocksByShared,
    /// The share of a multiprocessor's threads that resident blocks fill on the paper's GPU, percent.
    Occupancy,
    /// The most steps that a half-warp's load takes over 16 banks: 1 without conflicts.
    WorstLoadSteps16,
    /// Bytes loaded over bytes of the sectors they lie in: 1 when coalesced.
    LoadSectorsUsed,
    /// Launches of a kernel after which the matrix is none that the plain algorithm has after any iteration.
    UnlikePlain,
}

impl Figure {
    /// Whether the emulated device counts it, so that it is the same on every machine.
    pub fn is_counted(self) -> bool {
        self >= Self::Launches
    }

    /// Whether it describes the machine alone, so that it needs no contender.
    pub fn is_of_machine(self) -> bool {
        matches!(self, Self::CopyGigabytesASecond | Self::LoadLatencyOfAllOverOne)
    }
}

/// What a figure is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// The figure of the pair's other contender: the second's over the first's.
    #[default]
    Ratio,
    /// Nothing: the figure itself is held against the bounds.
    Value,
    /// The time of the same solves by another clock.
    Clocks,
    /// The figure at twice the vertices: at 2n over at n.
    Doubled,
    /// The figure at the largest of the sizes: at n over at the largest.
    Largest,
    /// The figure on the other graphs: the most over the least.
    AcrossGraphs,
    /// The figure of the other contenders: the most over the least.
    AcrossSeries,
    /// Growth past n, a multiple of 32 times the multiprocessors, over that of n³ and over the growth at sizes whole warps away.
    Step,
}

/// How comparisons at several sizes are taken together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Combine {
    /// Each by itself.
    #[default]
    Each,
    /// Their mean.
    Mean,
    /// At each size the second largest of all pairs, so that at least two pairs reach it.
    SecondLargest,
}

/// Coefficients of 1, x, x², ... where x is n or the number of tiles of 32 a side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Polynomial {
    pub of: Variable,
    pub coefficients: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variable {
    N,
    Tiles,
}

impl Polynomial {
    pub fn at(&self, n: usize) -> f64 {
        const TILE: usize = 32;
        let x = match self.of {
            Variable::N => n,
            Variable::Tiles => n.div_ceil(TILE),
        } as f64;
        self.coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
    }
}

/// The most sizes of a range, and the most cells of an experiment. The largest table of the papers has 55 cells; this many, at 0.1 s each,
/// take a quarter of an hour. Plans are compared cell by cell, which stays within a second.
pub const MOST_CELLS: usize = 10_000;

/// A number of vertices, or evenly spaced ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number of vertices or { from, to, step }")]
pub enum Sizes {
    One(usize),
    Range { from: usize, to: usize, step: usize },
}

impl Sizes {
    /// The numbers, or what is wrong with them.
    ///
    /// # Errors
    /// When there is none, one is 0, or there are more than [`MOST_CELLS`].
    pub fn all(&self) -> Result<Vec<usize>, String> {
        let (from, to, step) = match *self {
            Self::One(n) => (n, n, 1),
            Self::Range { from, to, step } => (from, to, step),
        };
        if from == 0 {
            return Err("n = 0: a graph has at least 1 vertex".to_string());
        }
        let given = format!("from {from} to {to} in steps of {step}");
        if step == 0 || to < from {
            return Err(format!("{given}: expected from <= to and a step of at least 1"));
        }
        match (to - from) / step + 1 {
            ..=MOST_CELLS => Ok((from..=to).step_by(step).collect()),
            count => Err(format!("{given} are {count} sizes, more than {MOST_CELLS}: take larger steps")),
        }
    }
}

/// An implementation, all of its parameters that are not the defaults, and where they matter one kernel and how many of its blocks
/// are resident: `optimized-blocked:doubly_dependent padding-kib=215 resident=1`. Seconds may be of several kernels together:
/// `katz-kider:independent+singly_dependent`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Contender {
    pub implementation: String,
    pub kernel: Option<String>,
    pub parameters: Parameters,
    /// Resident blocks of its kernel `doubly_dependent` on a multiprocessor: with another number it is another contender.
    pub resident: Option<u32>,
}

/// The key of [`Contender::resident`], which is written like a parameter.
const RESIDENT: &str = "resident";

impl TryFrom<String> for Contender {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let name = words.next().ok_or("a contender has no name: write `name parameter=value`")?;
        let (implementation, kernel) = match name.split_once(':') {
            Some((name, kernel)) => (name, Some(kernel.to_string())),
            None => (name, None),
        };
        let set: Parameters = words.collect::<Vec<_>>().join(";").parse()?;
        let resident = set.get(RESIDENT);
        let parameters = set.iter().filter(|(name, _)| *name != RESIDENT).collect();
        Ok(Self { implementation: implementation.to_string(), kernel, parameters, resident })
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.implementation)?;
        if let Some(kernel) = &self.kernel {
            write!(f, ":{kernel}")?;
        }
        self.parameters.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))?;
        self.resident.iter().try_for_each(|blocks| write!(f, " {RESIDENT}={blocks}"))
    }
}

impl From<Contender> for String {
    fn from(of: Contender) -> Self {
        of.to_string()
    }
}

impl Contender {
    /// The kernels that are meant; none where the whole solve is.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.kernel.iter().flat_map(|kernels| kernels.split('+'))
    }

    /// An implementation with its default parameters.
    pub fn plain(implementation: &str) -> Self {
        let (implementation, parameters) = (implementation.to_string(), Parameters::default());
        Self { implementation, kernel: None, parameters, resident: None }
    }
}

/// Samples that a cell needs where its test gives no number.
pub const SAMPLES: usize = 3;

fn samples() -> usize {
    SAMPLES
}

impl Test {
    /// Every number of vertices, ascending, each once.
    pub fn all_sizes(&self) -> Vec<usize> {
        let mut all: Vec<usize> =
            self.sizes.iter().flat_map(|sizes| sizes.all().unwrap_or_default()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether the emulated device decides it, so that it is the same on every machine.
    pub fn is_counted(&self) -> bool {
        self.figure.is_counted() || self.orders > 0
    }

    /// This test with default parameters, since a paper has numbers of whole implementations; pairs of one implementation are left out.
    pub fn of_implementations(&self) -> Self {
        let plain = |of: &Contender| Contender::plain(&of.implementation);
        let pairs: BTreeSet<_> =
            self.pairs.iter().map(|(first, second)| (plain(first), plain(second))).collect();
        let series: BTreeSet<_> = self.series.iter().map(plain).collect();
        let pairs = pairs.into_iter().filter(|(first, second)| first != second).collect();
        Self { pairs, series: series.into_iter().collect(), ..self.clone() }
    }

    /// How many comparisons it makes.
    pub fn comparisons(&self) -> usize {
        let sizes = self.all_sizes().len().max(1) - usize::from(self.relation == Relation::Largest);
        let named = self.pairs.len() + self.series.len();
        let groups = if self.relation == Relation::AcrossSeries { 1 } else { named };
        match self.combine {
            Combine::Each => groups.max(1) * sizes,
            Combine::Mean => groups,
            Combine::SecondLargest => sizes,
        }
    }

    /// Every contender, in their order.
    pub fn contenders(&self) -> impl Iterator<Item = &Contender> {
        self.pairs.iter().flat_map(|(first, second)| [first, second]).chain(&self.series)
    }

    /// What the types cannot express.
    pub(super) fn check(&self, has_number: bool) -> Result<(), String> {
        let bounds =
            [self.at_least.or(self.at_most).is_some(), self.exactly.is_some(), self.polynomial.is_some()];
        let bounds = bounds.iter().filter(|given| **given).count();
        let adds_up = matches!(self.figure, Figure::KernelSeconds | Figure::KernelShare);
        let is_counted = self.figure.is_counted() && self.figure != Figure::Kernels;
        let of_kernel = adds_up || is_counted || self.figure == Figure::MultiprocessorThroughput;
        let (no_pairs, no_series) = (self.pairs.is_empty(), self.series.is_empty());
        let is = |relation| self.relation == relation;
        let is_ratio = is(Relation::Ratio);
        let has = |is: fn(&Contender) -> bool| self.contenders().any(is);
        let [no_kernel, several] = [has(|of| of.kernel.is_none()), has(|of| of.kernels().count() > 1)];
        let (of_machine, no_clock) = (self.figure.is_of_machine(), self.over_clock.is_none());
        let one_clock = is(Relation::Clocks) && no_clock;
        let few_graphs = is(Relation::AcrossGraphs) && self.edges_per_vertex.len() < 2;
        let rules = [
            (no_pairs == is_ratio, "must give `pairs` exactly if relation = \"ratio\""),
            (no_series != is_ratio && !of_machine, "has no series, or has one beside its pairs"),
            (
                bounds > 1 || (bounds == 0 && !has_number),
                "must give exactly one of at_least, at_most, exactly and polynomial, or none if the claim publishes a number",
            ),
            (one_clock, "compares clocks and names one: give over_clock"),
            (of_kernel && no_kernel, "reads a figure of a kernel and names none: write name:kernel"),
            (!adds_up && several, "reads a figure of several kernels that cannot be added: name one"),
            (few_graphs, "compares graphs and names fewer than two: give edges_per_vertex"),
            (
                self.orders > 0 && self.figure != Figure::WrongResults,
                "asks for orders of blocks and threads, which only wrong results are counted in",
            ),
            (self.samples == 0, "needs no sample: that is no test"),
        ];
        let broken = rules.iter().find(|(is_broken, _)| *is_broken);
        broken.map_or(Ok(()), |(_, reason)| Err(format!("has a test that {reason}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contender_is_read_as_it_is_written() {
        for text in ["a", "a:kernel", "a x=1 y=2", "a:kernel x=1 resident=3"] {
            assert_eq!(Contender::try_from(text.to_string()).unwrap().to_string(), text);
        }
        for wrong in ["", "a x", "a x=y"] {
            assert!(Contender::try_from(wrong.to_string()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_test_that_compares_nothing_or_allows_anything_is_refused() {
        let refused = |lines: &str, has_number: bool| {
            let test: Test = toml::from_str(lines).unwrap();
            test.check(has_number).err()
        };
        let pairs = "pairs = [['a', 'b']]";
        let series = "relation = 'value'\nseries = ['a']";
        let across = "relation = 'across-graphs'\nseries = ['a']";
        let polynomial = "polynomial = { of = 'n', coefficients = [1] }";
        for (lines, reason) in [
            (pairs.into(), "must give exactly one of"),
            (format!("{pairs}\nat_least = 1\nexactly = 1"), "must give exactly one of"),
            (format!("{pairs}\nexactly = 1\n{polynomial}"), "must give exactly one of"),
            ("at_least = 1".into(), "must give `pairs` exactly if"),
            (format!("{series}\n{pairs}\nat_least = 1"), "must give `pairs` exactly if"),
            (format!("{pairs}\nseries = ['a']\nat_least = 1"), "has one beside its pairs"),
            ("relation = 'value'\nat_least = 1".into(), "has no series"),
            ("relation = 'clocks'\nseries = ['a']\nat_least = 1".into(), "give over_clock"),
            (format!("figure = 'launches'\n{series}\nat_least = 1"), "names none"),
            (format!("figure = 'kernel-share'\n{series}\nat_least = 1"), "names none"),
            (
                format!("figure = 'blocks'\n{}\nat_least = 1", series.replace("'a'", "'a:b+c'")),
                "cannot be added",
            ),
            (format!("{across}\nedges_per_vertex = [6]\nat_most = 1"), "fewer than two"),
            (format!("{pairs}\norders = 4\nat_least = 1"), "which only wrong results are counted in"),
            (format!("{pairs}\nsamples = 0\nat_least = 1"), "needs no sample"),
        ] {
            let message = refused(&lines, false).unwrap_or_default();
            assert!(message.contains(reason), "{lines}: {message}");
        }
        for lines in [
            pairs,
            "figure = \"kernels\"\nrelation = \"value\"\nseries = [\"a\"]",
            "figure = \"launches\"\nrelation = \"value\"\nseries = [\"a:k\"]",
            "figure = \"copy-gigabytes-a-second\"\nrelation = \"value\"",
            &format!("{across}\nedges_per_vertex = [6, 60]"),
        ] {
            assert_eq!(refused(lines, true), None, "{lines}");
        }
    }

    #[test]
    fn a_test_makes_a_comparison_of_each_that_it_does_not_take_together() {
        let comparisons = |lines: &str| {
            let sizes = "sizes = [{ from = 10, to = 30, step = 10 }, 20, 5]\nat_least = 1\n";
            let test: Test = toml::from_str(&format!("{sizes}{lines}")).unwrap();
            assert_eq!(test.all_sizes(), [5, 10, 20, 30]);
            test.comparisons()
        };
        let pairs = "pairs = [[\"a\", \"b\"], [\"a\", \"c\"]]";
        let both: Test = toml::from_str(&format!("{pairs}\nseries = [\"d\"]")).unwrap();
        assert_eq!(
            both.contenders().map(Contender::to_string).collect::<Vec<_>>(),
            ["a", "b", "a", "c", "d"]
        );
        assert_eq!(comparisons(pairs), 8);
        assert_eq!(comparisons(&format!("{pairs}\ncombine = \"mean\"")), 2);
        assert_eq!(comparisons(&format!("{pairs}\ncombine = \"second-largest\"")), 4);
        let series = "series = [\"a\", \"b\", \"c\"]";
        assert_eq!(comparisons(&format!("relation = \"value\"\n{series}")), 12);
        assert_eq!(comparisons(&format!("relation = \"largest\"\n{series}")), 9);
        assert_eq!(comparisons(&format!("relation = \"across-series\"\n{series}")), 4);
    }

    #[test]
    fn tiles_of_a_round_are_a_polynomial() {
        let of = |coefficients: &[f64]| Polynomial { of: Variable::Tiles, coefficients: coefficients.into() };
        assert_eq!(of(&[0.0, 1.0]).at(100), 4.0);
        assert_eq!(of(&[0.0, -2.0, 2.0]).at(128), 2.0 * 4.0 * 3.0);
        assert_eq!(of(&[0.0, 1.0, -2.0, 1.0]).at(128), 4.0 * 9.0);
        assert_eq!(Polynomial { of: Variable::N, coefficients: vec![0.0, 1.0] }.at(100), 100.0);
    }
}
