use super::*;
use crate::oracle;
use crate::parts::{EdgeSource, drawn_blocks, matrix_blocks, random_blocks};
use crate::search::paths_from;
use crate::{DistanceMatrix, ElementType, RandomEdges, RandomGraph, potentials, shortest_from};
use proptest::prelude::*;

struct Listed(Vec<(usize, usize, f32)>);

impl EdgeSource for Listed {
    fn count(&self) -> u64 {
        self.0.len() as u64
    }

    fn visit(&self, numbers: std::ops::Range<u64>, take: &mut dyn FnMut(usize, usize, f32)) {
        self.0[numbers.start as usize..numbers.end as usize].iter().for_each(|&(u, v, w)| take(u, v, w));
    }
}

/// A matrix in two forms: read by block, and as a list of edges.
fn both<T: Element>(matrix: &DistanceMatrix<T>) -> [Box<dyn Blocks>; 2] {
    let n = matrix.n();
    let mut edges = Vec::new();
    for (u, v) in (0..n).flat_map(|u| (0..n).map(move |v| (u, v))) {
        if u != v && !matrix.get(u, v).is_absent() {
            edges.push((u, v, matrix.get(u, v).to_f64() as f32));
        }
    }
    let edges = SparseRows::of(n, T::TYPE, &Listed(edges)).unwrap();
    [matrix_blocks(matrix.clone()), Box::new(edges)]
}

fn all_rows(n: usize) -> Vec<RowGroup> {
    vec![vec![0..n]]
}

/// Every row of both kinds is that of the search in memory.
fn check<T: Element>(matrix: &DistanceMatrix<T>) -> Result<(), TestCaseError> {
    let n = matrix.n();
    let expected = Reference::of_rows(matrix, n, 0);
    for blocks in both(matrix) {
        let found = RowsReference::new(&*blocks, n, &all_rows(n), 0);
        match (&expected, found) {
            (Ok(expected), Ok(mut found)) => {
                prop_assert_eq!(found.exact(), expected.exact());
                prop_assert_eq!(found.widest(), expected.widest());
                let potentials = potentials(matrix).unwrap();
                for source in 0..n {
                    let row = shortest_from(matrix, potentials.as_deref(), source);
                    prop_assert_eq!(found.check(source, 0, bytemuck::cast_slice(&row)), Ok(()));
                }
                prop_assert_eq!(found.missing(), vec![]);
            }
            (Err(Unverifiable::NegativeCycle(_)), Err(Unverifiable::NegativeCycle(found))) => {
                let edges = found.cycle.iter().zip(found.cycle.iter().cycle().skip(1));
                let weight: f64 = edges.map(|(&u, &v)| matrix.get(u, v).to_f64()).sum();
                prop_assert!(weight == found.weight && weight < 0.0);
            }
            (Err(Unverifiable::NeedsWhole { .. }), Err(Unverifiable::RoundsSharded)) => {}
            (Err(expected), Err(found)) => prop_assert_eq!(expected, &found),
            (expected, found) => {
                prop_assert!(false, "{:?} but {:?}", expected.as_ref().err(), found.err());
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn rows_of_blocks_and_of_lists_are_those_of_the_matrix(graph in oracle::graphs(0)) {
        check(&graph)?;
        check(&graph.convert::<u16>().unwrap())?;
        check(&graph.convert::<f64>().unwrap())?;
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
    fn promises_of_the_generator_give_what_its_matrix_gives(
        n in 1usize..60, seed: u64, density in 0.0..=1.0f64, negative: bool, max_weight in 1u32..2000,
    ) {
        let graph = RandomGraph { density, negative, max_weight, ..RandomGraph::complete(seed) };
        let blocks = random_blocks(&graph, n, ElementType::I32).unwrap();
        let matrix = crate::generate::<i32>(&graph, n).unwrap();
        let mut found = RowsReference::new(&*blocks, n, &all_rows(n), 0).unwrap();
        let potentials = potentials(&matrix).unwrap();
        for source in 0..n {
            let row = shortest_from(&matrix, potentials.as_deref(), source);
            prop_assert_eq!(found.check(source, 0, bytemuck::cast_slice(&row)), Ok(()));
        }
        let promised = weight_range_of_blocks(&*blocks).unwrap();
        let seen = weight_range_of_blocks(&*matrix_blocks(matrix)).unwrap();
        prop_assert!(promised.largest >= seen.largest && promised.negative >= seen.negative);
    }
}

#[test]
fn rows_of_a_solve_that_ended_early_are_those_of_paths_through_the_first_vertices() {
    let n = 40;
    for negative in [false, true] {
        let graph = RandomGraph { density: 0.3, negative, ..RandomGraph::complete(5) };
        let matrix = crate::generate::<f32>(&graph, n).unwrap();
        let potentials = potentials(&matrix).unwrap();
        for blocks in both(&matrix) {
            for through in [0, 1, 7, n - 1, n, n + 5] {
                let found = RowsReference::cut_short(&*blocks, n, &all_rows(n), 0, &|_| true, through);
                let mut found = found.unwrap();
                assert!(found.exact());
                for source in 0..n {
                    let row = crate::shortest_through(&matrix, potentials.as_deref(), source, through);
                    assert_eq!(found.check(source, 0, bytemuck::cast_slice(&row)), Ok(()), "{through}");
                }
            }
        }
    }
    let third = DistanceMatrix::from_row_major(2, vec![0.0, 1.0 / 3.0, 3e7, 0.0]).unwrap();
    let refused = RowsReference::cut_short(&third, 2, &all_rows(2), 0, &|_| true, 1).err();
    assert_eq!(refused, Some(Unverifiable::CutShort { through: 1, n: 2 }));
}

#[test]
fn the_search_reads_few_rows_of_a_complete_graph() {
    struct Counting(Box<dyn Blocks>, std::sync::atomic::AtomicUsize);
    impl Blocks for Counting {
        fn n(&self) -> usize {
            self.0.n()
        }
        fn element(&self) -> ElementType {
            self.0.element()
        }
        fn promised(&self) -> Option<crate::Promised> {
            self.0.promised()
        }
        fn read(
            &self,
            rows: std::ops::Range<usize>,
            columns: std::ops::Range<usize>,
            pitch: usize,
            into: &mut [u8],
        ) -> Result<(), BlockError> {
            if columns.len() == self.n() {
                self.1.fetch_add(rows.len(), std::sync::atomic::Ordering::Relaxed);
            }
            self.0.read(rows, columns, pitch, into)
        }
    }
    let n = 2000;
    let graph = RandomGraph { max_weight: 20, ..RandomGraph::complete(1) };
    let counting = Counting(random_blocks(&graph, n, ElementType::F32).unwrap(), 0.into());
    let found = dense::paths_from::<f32>(&counting, None, 1.0, 7, n).unwrap();
    let read = counting.1.into_inner();
    assert!(read < n / 4, "{read} rows of {n} were read");
    let expected = paths_from(&crate::generate::<f32>(&graph, n).unwrap(), None, 7);
    assert_eq!(found.lengths, expected.lengths);
}

#[test]
fn one_wrong_bit_is_found_in_any_piece_and_what_was_not_compared_is_missing() {
    let graph = RandomEdges { edges_per_vertex: 3, max_weight: 50, seed: 2 };
    let n = 50;
    let blocks = drawn_blocks(&graph, n, ElementType::U16).unwrap();
    let matrix = crate::generate_edges::<u16>(&graph, n).unwrap();
    let groups = [vec![0..10, 30..40], vec![10..30, 40..50]];
    let mut reference = RowsReference::new(&*blocks, 3, &groups, 9).unwrap();
    assert!(reference.exact() && (6..=8).contains(&reference.sources().len()));
    for source in reference.sources().to_vec() {
        let right = shortest_from(&matrix, None, source);
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
    let compared = reference.compared();
    reference.start_over();
    assert_eq!(reference.missing().len(), reference.sources().len());
    reference.add_compared(compared.into_iter().skip(1));
    assert_eq!(reference.missing(), [Piece { row: reference.sources()[0], columns: 0..n }]);
}

#[test]
fn an_edge_that_a_solver_left_slightly_below_absent_is_no_path() {
    let graph = DistanceMatrix::from_row_major(2, vec![0, i32::ABSENT, -5, 0]).unwrap();
    let mut reference = RowsReference::new(&*matrix_blocks(graph), 2, &all_rows(2), 0).unwrap();
    assert_eq!(reference.check(0, 0, bytemuck::cast_slice(&[0, i32::ABSENT - 5])), Ok(()));
    assert!(reference.check(0, 0, bytemuck::cast_slice(&[0, 7])).is_err());
}

#[test]
fn a_matrix_that_takes_sweeps_without_end_is_refused() {
    // Against the order of the sweeps, so that each finds one more edge of the path.
    let chain = |n: usize| {
        let mut graph = DistanceMatrix::<f32>::without_edges(n).unwrap();
        (1..n).for_each(|v| graph.add_edge(v, v - 1, -1.0));
        both(&graph)
    };
    for blocks in chain(200) {
        assert!(RowsReference::new(&*blocks, 4, &all_rows(200), 0).is_ok());
    }
    let [blocks, list] = chain(300);
    assert!(RowsReference::new(&*list, 4, &all_rows(300), 0).is_ok());
    let refused = RowsReference::new(&*blocks, 4, &all_rows(300), 0).err().unwrap();
    assert_eq!(refused, Unverifiable::ManySweeps { sweeps: 256 });
}

#[test]
fn processes_that_hold_some_rows_compare_those_and_together_all() {
    let graph = RandomGraph { density: 0.3, ..RandomGraph::complete(1) };
    let n = 64;
    let blocks = random_blocks(&graph, n, ElementType::F32).unwrap();
    let matrix = crate::generate::<f32>(&graph, n).unwrap();
    let groups = [vec![0..32, 32..33], vec![33..40, 40..64]];
    let all = RowsReference::new(&*blocks, 4, &groups, 3).unwrap();
    let mut first = None::<RowsReference>;
    for group in &groups {
        let held = |row: usize| group.iter().any(|range| range.contains(&row));
        let mut part = RowsReference::of_held(&*blocks, 4, &groups, 3, &held).unwrap();
        assert_eq!((part.sources(), part.exact()), (all.sources(), all.exact()));
        for source in all.sources().iter().copied().filter(|&row| held(row)) {
            let row = shortest_from(&matrix, None, source);
            assert_eq!(part.check(source, 0, bytemuck::cast_slice(&row)), Ok(()));
        }
        assert!(!part.missing().is_empty());
        match &mut first {
            Some(first) => first.add_compared(part.compared()),
            None => first = Some(part),
        }
    }
    assert_eq!(first.unwrap().missing(), []);
    let none = RowsReference::of_held(&*blocks, 4, &groups, 3, &|_| false).unwrap();
    assert_eq!(none.missing().len(), all.sources().len());
}
