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
                let wrong = reference.check(source, columns.start, bytemuck::cast_slice(&piece)).unwrap_err();
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
