//! Between which numbers every right result lies, entry by entry; which rows are compared, and why it cannot be decided whether a result
//! is right.
//!
//! A right solver does nothing but add two path lengths, round the sum to the nearest `f32`, and keep the lesser of
//! two lengths. What it finds for (i, j) is therefore the rounded sum of some walk from i to j, added up in some
//! order: a binary tree whose leaves are the weights of the walk. A solver that adds in higher precision and
//! rounds once is right as well.
//!
//! # From above
//! Whatever the order, a right result is at most what it makes of a shortest path P, since a minimum is kept. A sum of
//! two numbers is wrong by at most half the spacing of `f32` at the sum, and errors add up along the tree. P with h
//! weights other than 0 takes h - 1 additions (to add 0 is exact), and none of its partial sums exceeds R, the largest
//! magnitude among the lengths of P's parts. So the result is at most |P| + (h - 1) ulp(R') / 2, where R' is R with
//! this error added. Where all weights are multiples of a power of two g, so are all sums, and those up to 2^24 g
//! are not rounded at all.
//!
//! # From below
//! A walk may round below the distance. With negative weights it may be much longer than P: -1e6 and +1e6 + 1 add
//! up to 1 or to 0. The least that any walk can round to, in any order, is the fixed point of
//! L(i, j) = min(w(i, j), min over k of fl(L(i, k) + L(k, j))), because rounding is monotonic: a solver that starts from w
//! and has only sums of its own entries to choose from never falls below L, and a solver that goes on until
//! nothing changes reaches it. L comes from Floyd-Warshall itself, repeated until a whole pass changes nothing; it ends
//! unless some cycle rounds below zero.
//!
//! Where only some rows are known and no weight is negative, the same follows from counting. Removing a cycle or a 0 from a walk never
//! raises its rounded sum, so only simple paths of m weights above 0 count. If one rounds below the distance d, no partial sum exceeds d,
//! so it rounds to at least d - (m - 1) ulp(d) / 2. A simple path enters no vertex twice, and each by at least the least weight above 0
//! that leads there. So the m smallest of these weights add up to hardly more than d, which limits m.

use super::Mismatch;
use super::oracle::Paths;
use crate::{BlockError, Element, ElementType, Graph, NegativeCycle, SearchError, WeightSummary, generate};
use rand_chacha::rand_core::Rng;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::ops::Range;
use thiserror::Error;

/// 2^24: `f32` holds all integers up to it.
pub(super) const INTEGERS: f64 = (1_u32 << f32::MANTISSA_DIGITS) as f64;
/// 2^53: `f64` holds all integers up to it.
pub(super) const INTEGERS_64: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;

/// What follows from the weights of a graph for rounding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounding {
    grain: f64,
    /// By how much a search may have missed a shorter path.
    resolution: f64,
}

/// Where the lower bounds of a row come from.
#[derive(Clone, Copy)]
pub(super) enum LowerBoundSource<'a> {
    /// The least that each entry can round to.
    Least(&'a [f32]),
    /// The weights by which vertices are entered, where no weight is negative.
    Counted(&'a InWeightSums),
}

/// Sums of the smallest weights by which vertices are entered.
#[derive(Default)]
pub(super) struct InWeightSums {
    /// Entry m is at most what a simple path of m + 1 edges with weights above 0 takes. Ascending.
    sums: Vec<f64>,
}

impl InWeightSums {
    pub fn of(graph: &impl Graph) -> Self {
        Self::by(least_into(graph))
    }

    /// From the least weight above 0 that leads to each vertex.
    pub fn by(mut least: Vec<f64>) -> Self {
        least.sort_by(f64::total_cmp);
        let sum = |total: &mut f64, weight: &f64| {
            *total += *weight;
            Some(*total)
        };
        Self { sums: least.iter().scan(0.0, sum).collect() }
    }

    /// How many edges with weights above 0 a simple path of at most `length` can have.
    fn most_edges(&self, length: f64) -> usize {
        self.sums.partition_point(|sum| *sum <= length)
    }
}

/// The least weight above 0 of an arc that leads to each vertex, +infinity where there is none. O(m).
fn least_into(graph: &impl Graph) -> Vec<f64> {
    let none = || vec![f64::INFINITY; graph.n()];
    let lower = |mut least: Vec<f64>, tail| {
        graph.for_each_arc(tail, |head, weight| {
            let weight = weight.to_f64();
            least[head] = if weight > 0.0 && weight < least[head] { weight } else { least[head] };
        });
        least
    };
    let both = |mut a: Vec<f64>, b: Vec<f64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a = a.min(b));
        a
    };
    (0..graph.n()).into_par_iter().with_min_len(256).fold(none, lower).reduce(none, both)
}

/// The bounds of one row.
pub(super) struct RowBounds {
    pub low: Vec<f32>,
    pub high: Vec<f32>,
    /// The first column whose sums may be more than `f32` holds.
    pub overflow: Option<usize>,
}

impl Rounding {
    pub fn new(weights: &WeightSummary, resolution: f64) -> Self {
        Self { grain: weights.range.grain, resolution }
    }

    /// Below this magnitude sums of the graph's weights are not rounded.
    pub fn exact_below(&self) -> f64 {
        INTEGERS * self.grain
    }

    /// Bounds of the entries that these paths lead to.
    pub fn bounds(&self, paths: &Paths, below: LowerBoundSource) -> RowBounds {
        let n = paths.lengths.len();
        let (mut low, mut high) = (vec![f32::INFINITY; n], vec![f32::INFINITY; n]);
        let mut overflow = None;
        for v in (0..n).filter(|&v| paths.lengths[v] < f64::INFINITY) {
            let (length, reach) = (paths.lengths[v], paths.reach[v]);
            let additions = f64::from(paths.edges[v].saturating_sub(1));
            let unsure = self.error_in_f64(additions, reach);
            let above = self.error(additions, reach);
            if reach + unsure + above > f64::from(f32::MAX) {
                overflow = overflow.or(Some(v));
            }
            // The `f32` nearest to the distance is right, as one rounding gives it. Any other lies within the real bounds.
            high[v] = not_above(length + unsure + above).max((length + unsure) as f32);
            let least = match below {
                LowerBoundSource::Least(least) => least[v],
                LowerBoundSource::Counted(entering) => {
                    let most = most_additions(entering, length + unsure);
                    not_below(length - unsure - self.error(most, length))
                }
            };
            low[v] = least.min((length - unsure - self.resolution) as f32);
        }
        RowBounds { low, high, overflow }
    }

    /// By how much this many additions of sums up to `reach` can be wrong together.
    fn error(&self, additions: f64, reach: f64) -> f64 {
        if additions <= 0.0 || reach <= self.exact_below() {
            return 0.0;
        }
        // The error is at most `additions` 2^-24 of the largest sum, itself included: half of that bound is left in reserve.
        let share = (additions / INTEGERS).min(0.5);
        additions * half_spacing(reach * (1.0 + 2.0 * share))
    }

    /// How far a path's length, which was added up in `f64`, may be off.
    fn error_in_f64(&self, additions: f64, reach: f64) -> f64 {
        if reach <= INTEGERS_64 * self.grain { 0.0 } else { 2.0 * additions * reach / INTEGERS_64 }
    }
}

/// The bounds that this file derives for right `f32` distances, from one path to each vertex of a graph without negative weights. If these
/// are shortest paths, no right distance lies outside.
pub struct PathBounds {
    rounding: Rounding,
    entering: InWeightSums,
}

impl PathBounds {
    /// Bounds in a graph whose weights are multiples of `grain` ([`WeightRange::grain`](crate::WeightRange::grain)). `least_into` has the
    /// least weight above 0 that leads to each vertex, +infinity where there is none. O(n log n).
    pub fn new(grain: f64, least_into: Vec<f64>) -> Self {
        Self { rounding: Rounding { grain, resolution: 0.0 }, entering: InWeightSums::by(least_into) }
    }

    /// The least and the greatest right number of each of `n` vertices, +infinity where no path leads; O(n) time. `order` holds the
    /// vertices with a path, the source first and each after its parent, and `parent` gives the vertex before one and the weight of the
    /// edge from there.
    ///
    /// # Errors
    /// Those of `parent`.
    pub fn of_tree<E>(
        &self,
        n: usize,
        order: &[usize],
        parent: impl Fn(usize) -> Result<(usize, f64), E>,
    ) -> Result<(Vec<f32>, Vec<f32>), E> {
        let paths = Paths::along(n, order, parent)?;
        let RowBounds { low, high, .. } =
            self.rounding.bounds(&paths, LowerBoundSource::Counted(&self.entering));
        Ok((low, high))
    }
}

/// How many additions a simple path without negative weights can take, if it rounds to less than `length`. Its real length exceeds that by
/// at most what they round off, half a spacing each.
fn most_additions(entering: &InWeightSums, length: f64) -> f64 {
    let mut edges = entering.most_edges(length);
    loop {
        let with_error = length + edges as f64 * half_spacing(length);
        let more = entering.most_edges(with_error);
        if more <= edges {
            return edges.saturating_sub(1) as f64;
        }
        edges = more;
    }
}

/// Half the distance between neighbouring `f32` of this magnitude: the most by which rounding moves such a number.
fn half_spacing(magnitude: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    // The sign and the fraction are cut off: what is left is the power of two at or below.
    f64::from_bits(magnitude.to_bits() & EXPONENT) / INTEGERS
}

/// The largest `f32` that is not above `x`.
fn not_above(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) > x { nearest.next_down() } else { nearest }
}

/// The smallest `f32` that is not below `x`.
fn not_below(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) < x { nearest.next_up() } else { nearest }
}

/// Why right results of a graph cannot be distinguished from wrong ones. Known before anything is run on it.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Unverifiable {
    #[error(transparent)]
    NegativeCycle(NegativeCycle),
    #[error(
        "results cannot be verified: distances may be as long as {longest}, and {element} holds them up to {most}; choose smaller \
         weights or another element type"
    )]
    OutOfRange { element: ElementType, longest: f64, most: f64 },
    #[error(
        "results cannot be verified: in f64 they are compared where no sum is rounded, and these weights are multiples of {grain:e} \
         alone; use integer weights, or f32"
    )]
    Rounds { grain: f64 },
    #[error(
        "results cannot be verified: rounded to f32, a cycle through vertex {vertex} (counted from 0) is negative, and every pass \
         around it would be shorter; use weights of fewer digits or similar size, or integers"
    )]
    CycleRoundsBelowZero { vertex: usize },
    #[error(
        "results cannot be verified: sums on the path from vertex {row} to vertex {column} (counted from 0) may exceed the largest f32, \
         3.4e38, and would look like no path; scale the weights down"
    )]
    Overflow { row: usize, column: usize },
    #[error(
        "results cannot be verified: paths of up to {longest:e} may exceed the largest f32, 3.4e38, in rows that are not compared; \
         scale the weights down"
    )]
    MayOverflow { longest: f64 },
    #[error(
        "results cannot be verified: {accepted} of the {improved} distances that a path of several edges shortens differ from the \
         edge by no more than rounding, so that a solver which does nothing would pass; use weights of fewer digits, or integers"
    )]
    Indistinct { accepted: usize, improved: usize },
    #[error(
        "results cannot be verified: negative weights make sums that f64 resolves to {resolution:e}, and the smallest weight is \
         {smallest:e}; use weights of similar size"
    )]
    Unresolved { resolution: f64, smallest: f64 },
    #[error(
        "results for n = {n} cannot be verified: with negative weights whose sums are rounded, rows alone do not tell right from wrong; \
         use integer weights, or raise limits.whole_reference_n to {n}"
    )]
    NeedsWhole { n: usize },
    #[error(
        "a solve that ends after {through} of {n} vertices cannot be verified: its sums may be rounded or out of range, and only exact \
         ones are compared there; use integer weights, or solve whole"
    )]
    CutShort { through: usize, n: usize },
    #[error(
        "results cannot be verified: the least that sums can round to did not settle in {passes} passes; use weights of fewer \
         digits, or integers"
    )]
    Unsettled { passes: usize },
    #[error(
        "sharded results cannot be verified: with negative weights whose sums are rounded, rows alone do not tell right from wrong; use \
         integer weights, or solve on one device"
    )]
    RoundedNegatives,
    #[error("results cannot be verified: {0}")]
    Search(String),
    #[error("results cannot be verified: {0}")]
    Unreadable(#[from] BlockError),
    /// A fault of the program, not of the graph.
    #[error("the reference is wrong: {0}")]
    WrongSolver(Mismatch),
}

impl From<SearchError> for Unverifiable {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::NegativeCycle(cycle) => Self::NegativeCycle(cycle),
            SearchError::OutOfRange { element, length, most, .. } => {
                Self::OutOfRange { element, longest: length.abs(), most }
            }
            other => Self::Search(other.to_string()),
        }
    }
}

/// Rows of a matrix that lie together: on one device, for example.
pub type RowGroup = Vec<Range<usize>>;

/// Vertices 0 and n - 1, and `rows` different rows of each group, or all of it, in ascending order. Equal arguments give equal rows.
pub(super) fn spread(n: usize, groups: &[RowGroup], rows: usize, seed: u64) -> Vec<usize> {
    let mut sources = BTreeSet::from([0, n - 1]);
    for (number, group) in groups.iter().enumerate() {
        let size = group.iter().map(ExactSizeIterator::len).sum();
        let mut chosen = BTreeSet::new();
        draw(&mut chosen, rows.min(size), size, seed, number as u64);
        sources.extend(chosen.into_iter().filter_map(|at| nth(group, at)));
    }
    sources.into_iter().inspect(|row| assert!(*row < n, "row {row} is not in a matrix of {n} rows")).collect()
}

/// `rows` different vertices in ascending order, 0 and n - 1 among them, or all n.
pub(super) fn sample(n: usize, rows: usize, seed: u64) -> Vec<usize> {
    let mut sources = BTreeSet::from([0, n - 1]);
    draw(&mut sources, rows.min(n), n, seed, 0);
    sources.into_iter().collect()
}

/// Adds numbers below `size` until there are `count`.
fn draw(chosen: &mut BTreeSet<usize>, count: usize, size: usize, seed: u64, stream: u64) {
    let mut random = generate::stream(seed, b"", stream);
    while chosen.len() < count {
        chosen.insert(((u128::from(random.next_u64()) * size as u128) >> 64) as usize);
    }
}

/// Row number `at` of a group.
fn nth(group: &[Range<usize>], mut at: usize) -> Option<usize> {
    for range in group {
        if at < range.len() {
            return Some(range.start + at);
        }
        at -= range.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_has_as_many_sources_as_asked_or_all_its_rows() {
        let group = |ranges: &[Range<usize>]| ranges.to_vec();
        let groups =
            [group(&[0..100, 400..500]), group(&[100..200, 200..400]), group(&[500..502, 502..503]), vec![]];
        let sources = spread(1000, &groups, 5, 1);
        let of = |group: &RowGroup| {
            sources.iter().filter(|&row| group.iter().any(|range| range.contains(row))).count()
        };
        assert_eq!(groups[1..].iter().map(of).collect::<Vec<_>>(), [5, 3, 0]);
        assert!((5..=6).contains(&of(&groups[0])), "vertex 0 may be one more");
        assert_eq!((sources[0], sources.last()), (0, Some(&999)));
        assert_eq!(sources, spread(1000, &groups, 5, 1));
        assert_ne!(sources, spread(1000, &groups, 5, 2));
        assert!(sources.is_sorted());
    }
}
