//! Whether a sharded result is the distances of a graph that is read block by block.

use super::oracle::Oracle;
use super::{Mismatch, Reference, RowGroup, Unverifiable, bounds};
use crate::blocks::by_element;
use crate::weights::Extremes;
use crate::{Arcs, BlockError, Blocks, DistanceMatrix, Element, Graph, WeightRange, WeightSummary};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::OnceLock;

/// Neighbouring entries of one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    pub row: usize,
    pub columns: Range<usize>,
}

/// What some rows of a right result hold: as [`Reference`], with its guarantee, but of a graph that need not be in memory. Rows are found
/// by Dijkstra's algorithm on the graph's own edges: with a heap where they are a list, and on rows read one by one where they are not.
///
/// It is the same in every process that makes it of the same arguments. Each process compares the pieces of rows that it has, and one of
/// them collects which these were, so that a row that no process compared is found.
pub struct RowsReference {
    check: Box<CheckPiece>,
    n: usize,
    /// Whether results are compared bit for bit, and not within bounds, in the rows that were searched.
    pub exact: bool,
    /// The largest difference between the two bounds of an entry, in the unit of the weights; 0 where results are exact.
    pub max_bound_gap: f64,
    /// The vertices, ascending, whose rows are compared, here or in other processes.
    pub sources: Vec<usize>,
    /// What was compared and right, here and in the processes whose pieces were added; the caller empties it before the next result.
    pub compared: Vec<Piece>,
}

impl RowsReference {
    /// Finds what a right result holds in rows 0 and n - 1 and in `rows` rows, chosen by `seed`, of each group of rows.
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
        let n = graph.n();
        let sources = bounds::spread(n, groups, rows, seed);
        by_element!(graph.element(), T => {
            let reference = reference::<T>(graph, sources.clone())?;
            let (exact, max_bound_gap) = (reference.exact(), reference.max_bound_gap());
            let check = Box::new(move |row, first, numbers: &[u8]| check_bytes(&reference, row, first, numbers));
            Ok(Self { check, exact, max_bound_gap, sources, n, compared: Vec::new() })
        })
    }

    /// Compares what a result has of one row from `first_column` on: numbers of the graph's element type in this machine's byte order, as
    /// solvers leave them. Remembers that this piece was compared.
    ///
    /// # Errors
    /// The first mismatch and how many there are in this piece.
    ///
    /// # Panics
    /// When `row` is none of [`RowsReference::sources`], the numbers go beyond its end, or the last one is incomplete.
    pub fn check(&mut self, row: usize, first_column: usize, numbers: &[u8]) -> Result<(), Mismatch> {
        let count = (self.check)(row, first_column, numbers)?;
        self.compared.push(Piece { row, columns: first_column..first_column + count });
        Ok(())
    }

    /// Pieces of these rows that were not compared, or were wrong.
    pub fn missing(&self) -> Vec<Piece> {
        let mut missing = Vec::new();
        for &row in &self.sources {
            let known = self.compared.iter().filter(|piece| piece.row == row);
            let mut known: Vec<&Range<usize>> = known.map(|piece| &piece.columns).collect();
            known.sort_by_key(|columns| columns.start);
            let mut next = 0;
            for columns in known.into_iter().chain([&(self.n..self.n)]) {
                if columns.start > next {
                    missing.push(Piece { row, columns: next..columns.start });
                }
                next = next.max(columns.end);
            }
        }
        missing
    }
}

/// The range of weights that a graph's solvers are told: what its source promises, or else what a look at all weights shows.
///
/// # Errors
/// When the graph cannot be read.
pub fn weight_range_of_blocks(graph: &dyn Blocks) -> Result<WeightRange, BlockError> {
    by_element!(graph.element(), T => Ok(weights::<T>(graph)?.range))
}

fn in_memory<G: 'static>(graph: &dyn Blocks) -> Option<&G> {
    graph.as_any()?.downcast_ref()
}

fn weights<T: Element>(graph: &dyn Blocks) -> Result<WeightSummary, BlockError> {
    if let Some(promised) = graph.declared_weights() {
        return Ok(WeightSummary::declared(promised.weights));
    }
    if let Some(arcs) = in_memory::<Arcs<T>>(graph) {
        return Ok(arcs.facts());
    }
    let rows = BlockRows::<T>::of(graph);
    let row = |tail| Ok(Extremes::of_row(&rows.read(tail)?));
    let all = (0..graph.n()).into_par_iter().map(row);
    Ok(all.try_reduce(Extremes::none, |a, b| Ok(a.or(b)))?.summary())
}

fn reference<T: Element>(graph: &dyn Blocks, sources: Vec<usize>) -> Result<Reference<T>, Unverifiable> {
    let unknown = Unverifiable::RoundedNegatives;
    if let Some(arcs) = in_memory::<Arcs<T>>(graph) {
        return Oracle::of_arcs(arcs)?.rows(sources, unknown);
    }
    if let Some(matrix) = in_memory::<DistanceMatrix<T>>(graph) {
        return Oracle::of_matrix(matrix)?.rows(sources, unknown);
    }
    let weights = weights::<T>(graph)?;
    let rows = BlockRows::of(graph);
    let declared = graph.declared_weights().and_then(|promised| promised.potentials);
    let found = Oracle::of_dense(&rows, weights, declared).and_then(|oracle| oracle.rows(sources, unknown));
    rows.failed.into_inner().map_or(found, |error| Err(error.into()))
}

/// A graph whose rows are read when they are looked at.
struct BlockRows<'b, T> {
    blocks: &'b dyn Blocks,
    /// Why a row could not be read, the first time. Nothing that is found counts then.
    failed: OnceLock<BlockError>,
    numbers: PhantomData<fn(T)>,
}

impl<'b, T: Element> BlockRows<'b, T> {
    fn of(blocks: &'b dyn Blocks) -> Self {
        Self { blocks, failed: OnceLock::new(), numbers: PhantomData }
    }

    fn read(&self, tail: usize) -> Result<Vec<T>, BlockError> {
        let n = self.blocks.n();
        let mut row = vec![T::ZERO; n];
        self.blocks.read(tail..tail + 1, 0..n, n, bytemuck::cast_slice_mut(&mut row))?;
        Ok(row)
    }

    /// What was read; `None` where that failed, and the error is kept.
    fn noted<R>(&self, read: Result<R, BlockError>) -> Option<R> {
        read.map_err(|error| self.failed.set(error)).ok()
    }
}

impl<T: Element> Graph for BlockRows<'_, T> {
    type Weight = T;

    fn n(&self) -> usize {
        self.blocks.n()
    }

    /// At most.
    fn m(&self) -> usize {
        self.n().saturating_mul(self.n())
    }

    fn for_each_arc(&self, tail: usize, mut visit: impl FnMut(usize, T)) {
        for (head, weight) in self.noted(self.read(tail)).into_iter().flatten().enumerate() {
            if !weight.is_absent() && head != tail {
                visit(head, weight);
            }
        }
    }

    fn weight(&self, tail: usize, head: usize) -> Option<T> {
        let mut number = [T::ZERO];
        let bytes = bytemuck::cast_slice_mut(&mut number);
        self.noted(self.blocks.read(tail..tail + 1, head..head + 1, 1, bytes))?;
        Some(number[0]).filter(|weight| !weight.is_absent())
    }

    fn facts(&self) -> WeightSummary {
        self.noted(weights::<T>(self.blocks)).unwrap_or_else(|| Extremes::none().summary())
    }
}

/// Compares a piece of a row from some column on, and returns how many numbers it has.
type CheckPiece = dyn Fn(usize, usize, &[u8]) -> Result<usize, Mismatch> + Send + Sync;

fn check_bytes<T: Element>(
    reference: &Reference<T>,
    row: usize,
    first: usize,
    numbers: &[u8],
) -> Result<usize, Mismatch> {
    let (count, rest) = (numbers.len() / size_of::<T>(), numbers.len() % size_of::<T>());
    assert_eq!(rest, 0, "{} bytes are no whole number of {}", numbers.len(), T::TYPE);
    // The bytes may be unaligned.
    let mut aligned = vec![T::ZERO; count];
    bytemuck::cast_slice_mut(&mut aligned).copy_from_slice(numbers);
    aligned.iter_mut().for_each(|number| *number = number.canonical());
    reference.check_piece(row, first, &aligned)?;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ArcsBuilder, ElementType, RandomEdges, RandomGraph, oracle, shortest_from};
    use crate::{drawn_blocks, random_blocks};
    use proptest::prelude::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Blocks that are read row by row, as others than this crate have them, and what happens first whenever columns of a row are.
    struct Rows(Box<dyn Blocks>, fn(&Range<usize>) -> Result<(), BlockError>);

    impl Blocks for Rows {
        fn n(&self) -> usize {
            self.0.n()
        }

        fn element(&self) -> ElementType {
            self.0.element()
        }

        fn declared_weights(&self) -> Option<crate::DeclaredWeights> {
            self.0.declared_weights()
        }

        fn read_row(&self, row: usize, columns: Range<usize>, into: &mut [u8]) -> Result<(), BlockError> {
            (self.1)(&columns)?;
            self.0.read_row(row, columns, into)
        }
    }

    fn by_row<T: Element>(matrix: &DistanceMatrix<T>) -> Rows {
        Rows(Box::new(matrix.clone()), |_| Ok(()))
    }

    /// A matrix in three forms: read by block, whole in memory, and as a list of edges.
    fn each_form<T: Element>(matrix: &DistanceMatrix<T>) -> [Box<dyn Blocks>; 3] {
        let n = matrix.n();
        let mut builder = ArcsBuilder::with_vertices(n).unwrap();
        for (u, v) in (0..n).flat_map(|u| (0..n).map(move |v| (u, v))).filter(|(u, v)| u != v) {
            builder.add(u, v, matrix.get(u, v)).unwrap();
        }
        [Box::new(by_row(matrix)), Box::new(matrix.clone()), Box::new(builder.build().unwrap().0)]
    }

    fn all_rows(n: usize) -> Vec<RowGroup> {
        vec![vec![0..n]]
    }

    /// Every row of both kinds is that of the search in memory.
    fn check<T: Element>(matrix: &DistanceMatrix<T>) -> Result<(), TestCaseError> {
        let n = matrix.n();
        let expected = Reference::of_rows(matrix, n, 0);
        for blocks in each_form(matrix) {
            let found = RowsReference::new(&*blocks, n, &all_rows(n), 0);
            match (&expected, found) {
                (Ok(expected), Ok(mut found)) => {
                    prop_assert_eq!(found.exact, expected.exact());
                    prop_assert_eq!(found.max_bound_gap, expected.max_bound_gap());
                    for source in 0..n {
                        let row = shortest_from(matrix, source).unwrap();
                        prop_assert_eq!(found.check(source, 0, bytemuck::cast_slice(&row)), Ok(()));
                    }
                    prop_assert_eq!(found.missing(), vec![]);
                }
                (Err(Unverifiable::NegativeCycle(_)), Err(Unverifiable::NegativeCycle(found))) => {
                    let edges = found.cycle.iter().zip(found.cycle.iter().cycle().skip(1));
                    let weight: f64 = edges.map(|(&u, &v)| matrix.get(u, v).to_f64()).sum();
                    prop_assert!(weight == found.weight && weight < 0.0);
                }
                (Err(Unverifiable::NeedsWhole { .. }), Err(Unverifiable::RoundedNegatives)) => {}
                (Err(expected), Err(found)) => prop_assert_eq!(expected, &found),
                (expected, found) => {
                    prop_assert!(false, "{:?} but {:?}", expected.as_ref().err(), found.err());
                }
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn rows_of_blocks_and_of_lists_are_those_of_the_matrix(graph in oracle::graphs(0)) {
            check(&graph)?;
            check(&graph.convert::<u16>().unwrap())?;
        }

        #[test]
        fn rows_with_negative_weights_are_those_of_the_matrix(graph in oracle::graphs(-4)) {
            check(&graph)?;
            check(&graph.convert::<i32>().unwrap())?;
        }

        #[test]
        fn rows_whose_sums_are_rounded_have_the_same_bounds(
            n in 2usize..30, seed: u64, density in 0.1..1.0f64, divisor in prop::sample::select(vec![1.0f32, 3.0, 10.0, 0.3]),
        ) {
            let whole = crate::generate::<f32>(&RandomGraph { density, ..RandomGraph::complete(seed) }, n).unwrap();
            let divided = whole.as_slice().iter().map(|weight| weight / divisor).collect();
            check(&DistanceMatrix::from_row_major(n, divided).unwrap())?;
        }

        #[test]
        fn the_generator_promises_no_smaller_weights_than_it_makes(
            n in 1usize..60, seed: u64, density in 0.0..=1.0f64, negative: bool, max_weight in 1u32..2000,
        ) {
            let graph = RandomGraph { density, negative, max_weight, ..RandomGraph::complete(seed) };
            let promised = weight_range_of_blocks(&*random_blocks(&graph, n, ElementType::I32).unwrap()).unwrap();
            let matrix = crate::generate::<i32>(&graph, n).unwrap();
            let seen = weight_range_of_blocks(&by_row(&matrix)).unwrap();
            prop_assert!(promised.largest >= seen.largest && promised.negative >= seen.negative);
        }
    }

    #[test]
    fn the_search_reads_few_rows_of_a_complete_graph() {
        const N: usize = 1000;
        static READ: AtomicUsize = AtomicUsize::new(0);
        let graph = RandomGraph { max_weight: 20, ..RandomGraph::complete(1) };
        let counting = Rows(random_blocks(&graph, N, ElementType::F32).unwrap(), |columns| {
            READ.fetch_add(usize::from(columns.len() == N), Ordering::Relaxed);
            Ok(())
        });
        let mut found = RowsReference::new(&counting, 1, &[std::iter::once(7..8).collect()], 0).unwrap();
        // One look at all weights, and a search from each of three sources.
        let read = READ.load(Ordering::Relaxed);
        assert!(read < N + 3 * N / 4, "{read} rows were read, of {N}");
        let row = shortest_from(&crate::generate::<f32>(&graph, N).unwrap(), 7).unwrap();
        assert_eq!(found.check(7, 0, bytemuck::cast_slice(&row)), Ok(()));
    }

    #[test]
    fn a_row_that_cannot_be_read_is_told_of() {
        fn bad_sector() -> BlockError {
            BlockError("a bad sector".to_string())
        }
        let blocks = random_blocks(&RandomGraph::complete(1), 3, ElementType::F32).unwrap();
        let broken = Rows(blocks, |_| Err(bad_sector()));
        let refused = RowsReference::new(&broken, 3, &all_rows(3), 0).err().unwrap();
        assert_eq!(refused, Unverifiable::Unreadable(bad_sector()));
    }

    #[test]
    fn one_wrong_bit_is_found_in_any_piece_and_what_was_not_compared_is_missing() {
        let graph = RandomEdges { edges_per_vertex: 3, max_weight: 50, seed: 2 };
        let n = 50;
        let blocks = drawn_blocks(&graph, n, ElementType::U16).unwrap();
        let matrix = crate::generate_edges::<u16>(&graph, n).unwrap();
        let groups = [vec![0..10, 30..40], vec![10..30, 40..50]];
        let mut reference = RowsReference::new(&*blocks, 3, &groups, 9).unwrap();
        assert!(reference.exact && (6..=8).contains(&reference.sources.len()));
        for source in reference.sources.clone() {
            let right = shortest_from(&matrix, source).unwrap();
            for columns in [0..20, 20..50] {
                let mut piece = right[columns.clone()].to_vec();
                assert_eq!(reference.check(source, columns.start, bytemuck::cast_slice(&piece)), Ok(()));
                for at in 0..piece.len() {
                    piece[at] ^= 1;
                    let wrong =
                        reference.check(source, columns.start, bytemuck::cast_slice(&piece)).unwrap_err();
                    assert_eq!((wrong.row, wrong.column, wrong.count), (source, columns.start + at, 1));
                    piece[at] ^= 1;
                }
            }
        }
        assert_eq!(reference.missing(), []);
        let compared = reference.compared.clone();
        reference.compared.clear();
        assert_eq!(reference.missing().len(), reference.sources.len());
        reference.compared.extend(compared.into_iter().skip(1));
        assert_eq!(reference.missing(), [Piece { row: reference.sources[0], columns: 0..20 }]);
    }

    #[test]
    fn an_edge_that_a_solver_left_slightly_below_absent_is_no_path() {
        let graph = DistanceMatrix::from_row_major(2, vec![0, i32::ABSENT, -5, 0]).unwrap();
        let mut reference = RowsReference::new(&graph, 2, &all_rows(2), 0).unwrap();
        assert_eq!(reference.check(0, 0, bytemuck::cast_slice(&[0, i32::ABSENT - 5])), Ok(()));
        assert!(reference.check(0, 0, bytemuck::cast_slice(&[0, 7])).is_err());
    }
}
