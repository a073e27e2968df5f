//! Whether a sharded result is the distances of a graph that is read block by block.

mod dense;
mod pieces;
mod sources;
mod sparse;

use rayon::prelude::*;
use std::borrow::Cow;

use self::pieces::Pieces;
use super::{SparseRows, by_element};
use crate::bounds::{Entering, Rounding};
use crate::search::Paths;
use crate::verify::{Facts, RowFacts};
use crate::weights::Weights;
use crate::{BlockError, Blocks, Element, Mismatch, Reference, Unverifiable, WeightRange};
pub use pieces::Piece;
pub use sources::RowGroup;

/// What a right result of a graph is in some rows, as [`Reference`] is for a graph in memory, with the same guarantee. Rows are found by Dijkstra's
/// algorithm on the graph's own edges: with a heap where they are a list, and on rows read one by one where they are not.
///
/// It is the same in every process that makes it of the same arguments. Each process compares the pieces of rows that it has, and one of them
/// collects which these were: a row that nobody looked at shows.
pub struct RowsReference {
    judge: Box<dyn Judge>,
    sources: Vec<usize>,
    n: usize,
    compared: Pieces,
}

impl RowsReference {
    /// Finds what is right in vertices 0 and n - 1 and in `rows` rows, chosen by `seed`, of each group of rows.
    ///
    /// # Errors
    /// When the graph cannot be read or has a negative cycle, or right results cannot be distinguished from wrong ones by rows alone.
    ///
    /// # Panics
    /// When a group has a row that the matrix has not.
    pub fn new(
        graph: &dyn Blocks,
        rows: usize,
        groups: &[RowGroup],
        seed: u64,
    ) -> Result<Self, Unverifiable> {
        Self::of_held(graph, rows, groups, seed, &|_| true)
    }

    /// The reference of a process that has something of the rows that are `held` alone: of the others nothing is searched, and they can only be compared
    /// elsewhere. [`RowsReference::sources`] are those of all processes. A search takes seconds where a graph has billions of edges.
    ///
    /// # Errors
    /// As [`RowsReference::new`], by the rows that are held.
    ///
    /// # Panics
    /// As [`RowsReference::new`].
    pub fn of_held(
        graph: &dyn Blocks,
        rows: usize,
        groups: &[RowGroup],
        seed: u64,
        held: &dyn Fn(usize) -> bool,
    ) -> Result<Self, Unverifiable> {
        let n = graph.n();
        Self::spread(graph, rows, groups, seed, held, n)
    }

    /// What is right once account was taken of the paths through the vertices below `through` alone, as [`Reference::cut_short`] for a graph in memory.
    /// Compared bit for bit or not at all.
    ///
    /// # Errors
    /// As [`RowsReference::of_held`], and when sums of paths through so few vertices may be rounded.
    ///
    /// # Panics
    /// As [`RowsReference::new`].
    pub fn cut_short(
        graph: &dyn Blocks,
        rows: usize,
        groups: &[RowGroup],
        seed: u64,
        held: &dyn Fn(usize) -> bool,
        through: usize,
    ) -> Result<Self, Unverifiable> {
        Self::spread(graph, rows, groups, seed, held, through)
    }

    fn spread(
        graph: &dyn Blocks,
        rows: usize,
        groups: &[RowGroup],
        seed: u64,
        held: &dyn Fn(usize) -> bool,
        through: usize,
    ) -> Result<Self, Unverifiable> {
        let n = graph.n();
        let sources = sources::spread(n, groups, rows, seed);
        let searched: Vec<usize> = sources.iter().copied().filter(|&row| held(row)).collect();
        let judge: Box<dyn Judge> =
            by_element!(graph.element(), T => Box::new(reference::<T>(graph, searched, through)?));
        Ok(Self { judge, sources, n, compared: Pieces::default() })
    }

    /// The vertices, ascending, whose rows are compared, here or elsewhere.
    pub fn sources(&self) -> &[usize] {
        &self.sources
    }

    /// Whether results are compared bit for bit, and not within bounds, in the rows that were searched.
    pub fn exact(&self) -> bool {
        self.judge.exact()
    }

    /// The largest distance between the bounds of an entry, in the unit of the weights; 0 where results are exact.
    pub fn widest(&self) -> f64 {
        self.judge.widest()
    }

    /// Compares what a result has of one row from `first_column` on: numbers of the graph's element type in the order of bytes of this machine, as
    /// solvers leave them. Remembers that this piece was compared.
    ///
    /// # Errors
    /// The first mismatch and how many there are in this piece.
    ///
    /// # Panics
    /// When `row` is none of [`RowsReference::sources`] or is not held, or the numbers are more than it has, or part of one.
    pub fn check(&mut self, row: usize, first_column: usize, numbers: &[u8]) -> Result<(), Mismatch> {
        let count = self.judge.check(row, first_column, numbers)?;
        self.compared.add(row, first_column..first_column + count);
        Ok(())
    }

    /// What was compared and right.
    pub fn compared(&self) -> Vec<Piece> {
        self.compared.all()
    }

    /// Adds what other processes compared.
    pub fn add_compared(&mut self, pieces: impl IntoIterator<Item = Piece>) {
        pieces.into_iter().for_each(|piece| self.compared.add(piece.row, piece.columns));
    }

    /// What was not compared, or was wrong.
    pub fn missing(&self) -> Vec<Piece> {
        self.compared.missing(&self.sources, self.n)
    }

    /// Forgets what was compared: the next result begins.
    pub fn start_over(&mut self) {
        self.compared = Pieces::default();
    }
}

/// What is declared of a graph's weights to those that solve it: what its source promises, or what all its weights show.
///
/// # Errors
/// When the graph cannot be read.
pub fn weight_range_of_blocks(graph: &dyn Blocks) -> Result<WeightRange, BlockError> {
    if let Some(promised) = graph.promised() {
        return Ok(promised.weights);
    }
    match graph.sparse() {
        Some(sparse) => Ok(sparse::weights(sparse).range()),
        None => by_element!(graph.element(), T => Ok(dense::weights::<T>(graph)?.0.range())),
    }
}

/// A reference of any element type.
trait Judge: Send + Sync {
    fn exact(&self) -> bool;
    fn widest(&self) -> f64;
    /// How many numbers there were.
    fn check(&self, row: usize, first: usize, numbers: &[u8]) -> Result<usize, Mismatch>;
}

impl<T: Element> Judge for Reference<T> {
    fn exact(&self) -> bool {
        Self::exact(self)
    }

    fn widest(&self) -> f64 {
        Self::widest(self)
    }

    fn check(&self, row: usize, first: usize, numbers: &[u8]) -> Result<usize, Mismatch> {
        assert!(
            numbers.len().is_multiple_of(size_of::<T>()),
            "{} bytes are no whole number of {}",
            numbers.len(),
            T::TYPE
        );
        // They may begin anywhere in memory.
        let mut aligned = vec![T::ZERO; numbers.len() / size_of::<T>()];
        bytemuck::cast_slice_mut(&mut aligned).copy_from_slice(numbers);
        let mut numbers = aligned;
        numbers.iter_mut().for_each(|number| *number = number.settled());
        self.check_piece(row, first, &numbers)?;
        Ok(numbers.len())
    }
}

/// How the graph is searched.
#[derive(Clone, Copy)]
enum Edges<'a> {
    Listed(&'a SparseRows),
    /// No edge weighs less than this, with potentials if there are any.
    Dense(&'a dyn Blocks, f64),
}

impl Edges<'_> {
    fn paths<T: Element>(
        self,
        potentials: Option<&[f64]>,
        source: usize,
        through: usize,
    ) -> Result<Paths, BlockError> {
        match self {
            Self::Listed(sparse) => Ok(sparse::paths_from(sparse, potentials, source, through)),
            Self::Dense(blocks, lightest) => {
                dense::paths_from::<T>(blocks, potentials, lightest, source, through)
            }
        }
    }

    fn entering<T: Element>(self) -> Result<Entering, BlockError> {
        Ok(Entering::by(match self {
            Self::Listed(sparse) => sparse::entering(sparse),
            Self::Dense(blocks, _) => dense::entering::<T>(blocks)?,
        }))
    }
}

/// What has to be known before the search, and how it goes.
fn facts<T: Element>(graph: &dyn Blocks) -> Result<(Facts, Edges<'_>), Unverifiable> {
    if let Some(sparse) = graph.sparse() {
        let weights = sparse::weights(sparse);
        let potentials = sparse::potentials(sparse, &weights)?;
        return Ok((Facts::known(T::TYPE, weights, potentials), Edges::Listed(sparse)));
    }
    let (weights, lightest) = match graph.promised() {
        Some(promised) => (Weights::promised(&promised.weights), promised.lightest),
        None => dense::weights::<T>(graph)?,
    };
    if !weights.negative() {
        return Ok((Facts::known(T::TYPE, weights, None), Edges::Dense(graph, lightest)));
    }
    let dense::Potentials { labels, lightest } = dense::potentials::<T>(graph, &weights)?;
    Ok((Facts::known(T::TYPE, weights, Some(labels)), Edges::Dense(graph, lightest)))
}

fn reference<T: Element>(
    graph: &dyn Blocks,
    sources: Vec<usize>,
    through: usize,
) -> Result<Reference<T>, Unverifiable> {
    let n = graph.n();
    let (facts, edges) = facts::<T>(graph)?;
    // A path through as many vertices has one edge more.
    let is_exact = facts.surely_exact(n.min(through.saturating_add(2)));
    if !is_exact && through < n {
        return Err(Unverifiable::CutShort { through, n });
    }
    if !is_exact {
        facts.check_rounds(T::TYPE, n)?;
        if facts.weights.negative() {
            return Err(Unverifiable::RoundsSharded);
        }
        let longest = facts.weights.largest * (n - 1) as f64;
        if longest > f64::from(f32::MAX) && !facts.weights.complete {
            return Err(Unverifiable::MayOverflow { longest });
        }
    }
    let potentials = facts.potentials.as_deref();
    let paths = sources.par_iter().map(|&source| edges.paths::<T>(potentials, source, through));
    let paths: Vec<Paths> = paths.collect::<Result<_, _>>()?;
    if is_exact {
        let lengths = paths.iter().flat_map(|paths| &paths.lengths);
        let rows = lengths.map(|length| T::from_f64(*length)).collect();
        return Ok(Reference::of_exact(n, sources, rows));
    }
    // Where no path is long enough to be rounded, nobody needs to know how many edges it could have.
    let exact_below = Rounding::of(&facts.weights, 0.0).exact_below();
    let rounds = |paths: &Paths| paths.lengths.iter().any(|d| *d > exact_below && *d < f64::INFINITY);
    let entering = if paths.iter().any(rounds) { edges.entering::<T>()? } else { Entering::default() };
    let mut weights = vec![T::ZERO; sources.len() * n];
    for (row, &source) in weights.chunks_mut(n).zip(&sources) {
        graph.read(source..source + 1, 0..n, n, bytemuck::cast_slice_mut(row))?;
    }
    let at = |source: usize| sources.binary_search(&source).unwrap_or(0);
    Reference::within(n, &facts, sources.clone(), &entering, |source| {
        Ok(RowFacts {
            paths: Cow::Borrowed(&paths[at(source)]),
            weights: Cow::Borrowed(&weights[at(source) * n..][..n]),
            least: None,
        })
    })
}

#[cfg(test)]
mod tests;
