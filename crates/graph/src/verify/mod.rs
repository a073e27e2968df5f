//! Whether a result is the distances of a graph.

mod bounds;
mod oracle;
mod rows;

pub use bounds::PathBounds;
pub use bounds::RowGroup;
pub use bounds::Unverifiable;
pub use rows::{Piece, RowsReference, weight_range_of_blocks};

use crate::{DistanceMatrix, Element, ElementType, Graph, WeightSummary, digest};
use bounds::sample;
use bounds::{INTEGERS, INTEGERS_64, LowerBoundSource, Rounding, RowBounds};
use oracle::{Oracle, Paths};
use rayon::prelude::*;
use std::borrow::Cow;
use thiserror::Error;

/// Passes of Floyd-Warshall after which the least that walks can round to must have settled. Each pass finds it for sums that are nested
/// deeper; random graphs take three or four.
const MOST_PASSES: usize = 64;

/// The first wrong entry of a result, in row-major order.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error(
    "the distance from vertex {row} to vertex {column} (counted from 0) is {} but should be {}; \
     {count} of the entries compared are wrong: do not use this result",
    digits(*found),
    range(*low, *high)
)]
pub struct Mismatch {
    pub row: usize,
    pub column: usize,
    /// +infinity where there is no path.
    pub found: f64,
    /// The least and the greatest right value.
    pub low: f64,
    pub high: f64,
    /// How many of the entries that were compared are wrong.
    pub count: usize,
}

fn range(low: f64, high: f64) -> String {
    if low == high { digits(low) } else { format!("from {} to {}", digits(low), digits(high)) }
}

/// As many digits as its own type needs: an `f32` has fewer than the `f64` of the same value.
fn digits(number: f64) -> String {
    let short = number as f32;
    if f64::from(short) == number || number.is_nan() { short.to_string() } else { number.to_string() }
}

/// A trusted solver of the n x n matrix in place. It relaxes every (i, k, j), in an order of its own.
pub type ClosureFn<'a, T> = &'a dyn Fn(&mut [T], usize);

/// What a right result of a graph is, found by a search that is not Floyd-Warshall.
///
/// # When results are compared bit for bit
/// When all weights are multiples of one power of two g, as integers are of 1, and no distance reaches 2^24 g in
/// magnitude. Then every distance is a number that `f32` holds, and no order of relaxations can miss it: a candidate a + b
/// is at least the distance, by induction and because rounding is monotonic and leaves a number that `f32` holds
/// unchanged; and the parts of a shortest path are shortest paths, so the candidate that reaches it is exact.
///
/// That no distance reaches 2^24 g is known before anything is solved when max|w| (n - 1) < 2^24 g, or, for a graph with all
/// edges, when neither a weight nor the difference S of two potentials reaches it. Otherwise it is known from a solver's result
/// whose largest finite entry is below 2^24 g - 2 S: with lengths reduced by potentials p, what a solver finds for (i, j) is
/// at least min(distance, 2^24 g - S), again by induction, for both sides of that are numbers that `f32` holds.
///
/// This holds for `f64` with 2^53 in place of 2^24, and for integers with the largest distance that their type may hold
/// ([`ElementType::most`]): nothing is ever rounded there, but sums may overflow. Without negative weights a solver's result does not
/// overflow, whatever the distances. All are in range when the longest plus the largest weight is: a path that leaves the range has a part
/// that ends within one edge of it.
///
/// A correct result holds no -0.0 where +0.0 is expected: the graph has none, a + b is -0.0 only when both are, and a
/// minimum returns one of its arguments. An implementation that shows one has done something else than add and
/// compare, and bit for bit it is wrong.
///
/// # The bounds otherwise
/// Integers out of range, and `f64` that rounds, are refused. In `f32` each entry lies between bounds of its own, which `bounds.rs`
/// derives: from above, what rounding can add to the sums of one shortest path; from below, the least that any walk can round to. Here -0.0
/// equals 0.0. NaN is always wrong, and so is +infinity in the place of a number or a number in its place.
#[derive(Clone, Debug)]
pub struct Reference<T = f32> {
    n: usize,
    sources: Vec<usize>,
    /// One row of n least right values for each source.
    low: Vec<T>,
    /// The greatest right values; none where they equal the least ones in every bit.
    high: Option<Vec<T>>,
    /// The largest difference between the two bounds of an entry.
    max_bound_gap: f64,
}

impl<T: Element> Reference<T> {
    /// What is right in `rows` rows, or in all when there are no more: vertices 0 and n - 1 always, the others drawn from
    /// `seed`. O(n²) a row.
    ///
    /// # Errors
    /// When the graph has a negative cycle, or its bounds are too wide to separate right from wrong.
    pub fn of_rows(graph: &DistanceMatrix<T>, rows: usize, seed: u64) -> Result<Self, Unverifiable> {
        let n = graph.n();
        Oracle::of_matrix(graph)?.rows(sample(n, rows, seed), Unverifiable::NeedsWhole { n })
    }

    /// What is right in every entry, found by `close`. The search checks it: in `rows` rows where results are exact, else in all.
    /// O(n³), several times over where results are not exact.
    ///
    /// # Errors
    /// As [`Self::of_rows`], and when `close` is wrong.
    pub fn whole(
        graph: &DistanceMatrix<T>,
        rows: usize,
        seed: u64,
        close: ClosureFn<T>,
    ) -> Result<Self, Unverifiable> {
        let n = graph.n();
        let oracle = Oracle::of_matrix(graph)?;
        let facts = &oracle.facts;
        let mut closed = graph.as_slice().to_vec();
        close(&mut closed, n);
        closed.par_iter_mut().for_each(|distance| *distance = distance.canonical());
        let sources: Vec<usize> = (0..n).collect();
        if facts.surely_exact(n) || facts.exact_by(&closed) {
            let known = oracle.exact_rows(sample(n, rows, seed), n)?;
            known.check(&closed).map_err(Unverifiable::WrongSolver)?;
            return Ok(Self { n, sources, low: closed, high: None, max_bound_gap: 0.0 });
        }
        facts.check_rounds(T::TYPE, n)?;
        facts.check_resolution(n)?;
        let least = settle(closed, n, close)?;
        let reference = Self::within(graph, facts, sources, |source, rounding| {
            let least = least[source * n..][..n].iter().map(|distance| distance.to_f64() as f32);
            let (paths, least) = (oracle.paths(source, n)?, least.collect::<Vec<f32>>());
            let bounds = rounding.bounds(&paths, LowerBoundSource::Least(&least));
            Ok((Cow::Owned(paths), bounds))
        })?;
        // What `close` has settled on is a right result itself.
        reference.check(&least).map_err(Unverifiable::WrongSolver)?;
        Ok(reference)
    }

    /// What is right in `rows` rows, chosen as in [`Self::of_rows`], once Floyd-Warshall has been through the vertices below `through`
    /// alone: the shortest of all paths whose intermediate vertices are among those. Results are compared bit for bit, or refused.
    ///
    /// # Errors
    /// When the graph has a negative cycle, or sums of paths through so few vertices may be rounded.
    pub fn after_iterations(
        graph: &DistanceMatrix<T>,
        rows: usize,
        seed: u64,
        through: usize,
    ) -> Result<Self, Unverifiable> {
        let n = graph.n();
        let oracle = Oracle::of_matrix(graph)?;
        // A path through so many intermediate vertices has two more: its ends.
        if !oracle.facts.surely_exact(n.min(through.saturating_add(2))) {
            return Err(Unverifiable::CutShort { through, n });
        }
        oracle.exact_rows(sample(n, rows, seed), through)
    }

    /// A reference of bounds: `bounds_of` gives the paths from a source, and the bounds that rounding leaves.
    fn within<'a>(
        graph: &impl Graph<Weight = T>,
        facts: &VerificationFacts,
        sources: Vec<usize>,
        bounds_of: impl Fn(usize, &Rounding) -> Result<(Cow<'a, Paths>, RowBounds), Unverifiable> + Sync,
    ) -> Result<Self, Unverifiable> {
        let n = graph.n();
        let rounding = Rounding::new(&facts.weights, facts.resolution(n));
        let (mut low, mut high) = (vec![T::ZERO; sources.len() * n], vec![T::ZERO; sources.len() * n]);
        let rows = sources.par_iter().zip(low.par_chunks_mut(n)).zip(high.par_chunks_mut(n));
        let statistics = rows.map(|((&source, low), high)| {
            let (paths, bounds) = bounds_of(source, &rounding)?;
            if let Some(column) = bounds.overflow {
                return Err(Unverifiable::Overflow { row: source, column });
            }
            for (to, from) in [(&mut *low, &bounds.low), (&mut *high, &bounds.high)] {
                to.iter_mut().zip(from).for_each(|(to, from)| *to = T::from_f64(f64::from(*from)));
            }
            let mut weights = vec![T::ZERO; n];
            graph.fill_row(source, &mut weights);
            Ok(BoundStatistics::new(&weights, &paths.lengths, low, high))
        });
        let statistics = statistics.try_reduce(BoundStatistics::default, |a, b| Ok(a.and(b)))?;
        if statistics.cannot_discriminate() {
            return Err(Unverifiable::Indistinct {
                accepted: statistics.accepted,
                improved: statistics.improved,
            });
        }
        // That some rows are exact implies nothing for the others.
        let is_whole = sources.len() == n;
        let differ = |high: &[T]| low.iter().zip(high).any(|(low, high)| !low.bitwise_eq(*high));
        let high = Some(high).filter(|high| !is_whole || differ(high));
        Ok(Self { n, sources, low, high, max_bound_gap: statistics.max_bound_gap })
    }

    /// The vertices, ascending, whose rows are compared.
    pub fn sources(&self) -> &[usize] {
        &self.sources
    }

    /// Whether every entry is compared.
    pub fn is_whole(&self) -> bool {
        self.sources.len() == self.n
    }

    /// Whether results are compared bit for bit, and not within bounds.
    pub fn exact(&self) -> bool {
        self.high.is_none()
    }

    /// The largest distance between the bounds of an entry, in the unit of the weights; 0 where results are exact.
    pub fn max_bound_gap(&self) -> f64 {
        self.max_bound_gap
    }

    /// Compares a piece of one row of a result, from column `first` on.
    ///
    /// # Errors
    /// The first mismatch and how many there are in this piece.
    ///
    /// # Panics
    /// When `row` is none of [`Reference::sources`], or the piece goes beyond its end.
    pub fn check_piece(&self, row: usize, first: usize, found: &[T]) -> Result<(), Mismatch> {
        let Ok(at) = self.sources.binary_search(&row) else { panic!("row {row} is not compared") };
        let piece = at * self.n + first..at * self.n + first + found.len();
        assert!(first + found.len() <= self.n, "a row has {} columns", self.n);
        let low = &self.low[piece.clone()];
        let high = self.high.as_ref().map(|high| &high[piece]);
        let Some((column, count)) = differences(found, low, high) else { return Ok(()) };
        let (low, high) = (low[column], high.unwrap_or(low)[column]);
        let (wrong, [low, high]) = (found[column], [low, high].map(T::to_f64));
        // An integer that stands for no path in some solvers only is shown as it is.
        let is_other = wrong.is_absent() && !wrong.bitwise_eq(T::ABSENT);
        let found = wrong.to_string().parse().ok().filter(|_| is_other).unwrap_or(wrong.to_f64());
        Err(Mismatch { row, column: first + column, found, low, high, count })
    }

    /// Compares a result, n x n in row-major order, in every row that is known.
    ///
    /// # Errors
    /// The first mismatch and how many there are in these rows.
    ///
    /// # Panics
    /// When `result` has not n² entries.
    pub fn check(&self, result: &[T]) -> Result<(), Mismatch> {
        let n = self.n;
        assert_eq!(result.len(), n * n, "a result for n = {n} has n² entries");
        let wrong = self.sources.par_iter().filter_map(|&row| {
            let found = &result[row * n..][..n];
            self.check_piece(row, 0, found).err()
        });
        let merged = wrong.reduce_with(|a, b| {
            let first = if a.row < b.row { a } else { b };
            Mismatch { count: a.count + b.count, ..first }
        });
        merged.map_or(Ok(()), Err)
    }
}

/// The first position at which a row is wrong and the number of such positions, or `None`.
fn differences<T: Element>(found: &[T], low: &[T], high: Option<&[T]>) -> Option<(usize, usize)> {
    // Nearly every row is right, and these passes over it do not branch. Comparisons with NaN are false.
    let right = match high {
        None => found.iter().zip(low).fold(true, |all, (f, l)| all & f.bitwise_eq(*l)),
        Some(high) => {
            found.iter().zip(low).zip(high).fold(true, |all, ((f, l), h)| all & (l <= f) & (f <= h))
        }
    };
    if right {
        return None;
    }
    let is_wrong = |&at: &usize| match high {
        None => !found[at].bitwise_eq(low[at]),
        Some(high) => !(low[at] <= found[at] && found[at] <= high[at]),
    };
    let mut wrong = (0..found.len()).filter(is_wrong);
    let first = wrong.next()?;
    Some((first, 1 + wrong.count()))
}

/// The distances from `source` to every vertex, [`Element::ABSENT`] where there is no path, as a [`Reference`] has them: sums in `f64`, rounded once.
///
/// # Errors
/// When the graph has a negative cycle.
///
/// # Panics
/// When `source` is not a vertex.
pub fn shortest_from<T: Element>(graph: &DistanceMatrix<T>, source: usize) -> Result<Vec<T>, Unverifiable> {
    let lengths = Oracle::of_matrix(graph)?.paths(source, graph.n())?.lengths;
    Ok(lengths.into_iter().map(T::from_f64).collect())
}

/// What has to be known of a graph to decide what is right.
struct VerificationFacts {
    pub weights: WeightSummary,
    pub potentials: Option<Vec<f64>>,
    /// The difference between the highest and the lowest potential: no distance is below minus this.
    spread: f64,
    /// Sums up to this magnitude are not rounded.
    exact_below: f64,
    /// The largest magnitude that the element type may hold.
    most: f64,
}

impl VerificationFacts {
    /// From what is known of the weights and their potentials.
    pub fn known(element: ElementType, weights: WeightSummary, potentials: Option<Vec<f64>>) -> Self {
        let spread = potentials.as_deref().map_or(0.0, |p| {
            let (least, most) = p.iter().fold((f64::MAX, f64::MIN), |(a, b), p| (a.min(*p), b.max(*p)));
            most - least
        });
        let exact_below = match element {
            ElementType::F32 => INTEGERS * weights.range.grain,
            ElementType::F64 => INTEGERS_64 * weights.range.grain,
            // In whole numbers, "below `most` + 1" is "up to `most`".
            ElementType::I32 | ElementType::U16 => element.most() + 1.0,
        };
        Self { weights, potentials, spread, exact_below, most: element.most() }
    }

    /// Whether results are exact by the size of the weights alone, where no path has more than `n` vertices.
    pub fn surely_exact(&self, n: usize) -> bool {
        // In floating point a sum that overflows looks like no path, however exact sums are.
        if self.exact_below > self.most {
            self.longest(n) <= self.most
        } else {
            self.longest(n) < self.exact_below
        }
    }

    /// No distance along at most `n` vertices has a larger magnitude.
    pub fn longest(&self, n: usize) -> f64 {
        let largest = self.weights.range.largest;
        let within_edges = if self.weights.range.complete { largest.max(self.spread) } else { f64::INFINITY };
        (largest * (n - 1) as f64).min(within_edges)
    }

    /// Whether results are exact, by the distances that a solver found.
    fn exact_by<T: Element>(&self, closed: &[T]) -> bool {
        let lengths = closed.par_iter().map(|distance| distance.to_f64());
        let longest = lengths.filter(|d| d.is_finite()).reduce(|| 0.0, f64::max);
        if T::TYPE.is_integer() {
            return self.spread < self.exact_below && longest + self.weights.range.largest < self.exact_below;
        }
        // Sums that overflow would look like missing paths.
        let no_overflow = 4.0 * self.exact_below <= self.most;
        no_overflow && longest < self.exact_below - 2.0 * self.spread
    }

    /// Whether results that are not exact can be compared at all.
    pub fn check_rounds(&self, element: ElementType, n: usize) -> Result<(), Unverifiable> {
        match element {
            ElementType::F32 => Ok(()),
            ElementType::F64 => Err(Unverifiable::Rounds { grain: self.weights.range.grain }),
            ElementType::I32 | ElementType::U16 => {
                Err(Unverifiable::OutOfRange { element, longest: self.longest(n), most: self.most })
            }
        }
    }

    /// By how much sums of reduced weights in `f64` may be wrong.
    fn resolution(&self, n: usize) -> f64 {
        f64::EPSILON * n as f64 * self.spread
    }

    /// Paths are chosen by sums in `f64` that are as large as potentials are. These must resolve the smallest weight.
    fn check_resolution(&self, n: usize) -> Result<(), Unverifiable> {
        let resolution = self.resolution(n);
        let smallest = self.weights.smallest;
        if resolution <= smallest { Ok(()) } else { Err(Unverifiable::Unresolved { resolution, smallest }) }
    }
}

/// Repeats passes after the first one until the least that walks can round to has settled.
fn settle<T: Element>(mut least: Vec<T>, n: usize, close: ClosureFn<T>) -> Result<Vec<T>, Unverifiable> {
    for _ in 0..MOST_PASSES {
        if let Some(vertex) = (0..n).find(|v| least[v * n + v] < T::ZERO) {
            return Err(Unverifiable::CycleRoundsBelowZero { vertex });
        }
        let before = digest(&least);
        close(&mut least, n);
        if digest(&least) == before {
            return Ok(least);
        }
    }
    Err(Unverifiable::Unsettled { passes: MOST_PASSES })
}

/// How bounds judge the entries that a path of several edges improves.
#[derive(Clone, Copy, Default)]
struct BoundStatistics {
    max_bound_gap: f64,
    improved: usize,
    /// How many of these would be accepted with the graph's own weight.
    accepted: usize,
}

impl BoundStatistics {
    fn new<T: Element>(weights: &[T], lengths: &[f64], low: &[T], high: &[T]) -> Self {
        let mut statistics = Self::default();
        for at in 0..weights.len() {
            let [weight, low, high] = [weights[at], low[at], high[at]].map(T::to_f64);
            if low < f64::INFINITY {
                statistics.max_bound_gap = statistics.max_bound_gap.max(high - low);
            }
            if lengths[at] < weight {
                statistics.improved += 1;
                statistics.accepted += usize::from(low <= weight && weight <= high);
            }
        }
        statistics
    }

    fn and(self, other: Self) -> Self {
        Self {
            max_bound_gap: self.max_bound_gap.max(other.max_bound_gap),
            improved: self.improved + other.improved,
            accepted: self.accepted + other.accepted,
        }
    }

    /// Whether a result that leaves out half of the work would pass.
    fn cannot_discriminate(&self) -> bool {
        2 * self.accepted > self.improved
    }
}

#[cfg(test)]
mod tests;
