use super::*;
use crate::{Arcs, ArcsBuilder, SearchError};
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;

/// A line of vertices with a way past it that is longer.
fn line() -> Arcs<i32> {
    let mut builder = ArcsBuilder::with_vertices(6).unwrap();
    for (u, v, weight) in [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 4, 1), (0, 4, 9), (0, 5, 0)] {
        builder.add(u, v, weight).unwrap();
    }
    builder.build().unwrap().0
}

#[test]
fn a_search_ends_at_its_targets_and_no_path_beyond_them_is_shown() {
    let (graph, control) = (line(), Control::default());
    let want = RowRequest {
        targets: Some(&[2, 5, 2]),
        predecessors: Some(PathSentinels { diagonal: -1, unreachable: -2 }),
    };
    let rows = AtomicUsize::new(0);
    let sink = |row: Row<i32>| {
        rows.fetch_add(1, Ordering::Relaxed);
        // The way of 9 to vertex 4 was seen, and is not the shortest.
        assert_eq!((row.index, row.source, row.distances), (0, 0, &[2, 0, 2][..]));
        assert_eq!(row.predecessors, Some(&[-1, 0, 1, -2, -2, 0][..]));
        Ok(())
    };
    SearchContext::new(&graph, &control).unwrap().rows(&[0], want, &control, sink).unwrap();
    assert_eq!(rows.into_inner(), 1);
}

#[test]
fn one_refusal_ends_the_searches_of_all_threads() {
    let (graph, control) = (line(), Control::default());
    let searches = SearchContext::new(&graph, &control).unwrap();
    let rows = AtomicUsize::new(0);
    // The first row is refused once another thread has one.
    let refuse_the_first = |_: Row<i32>| {
        if rows.fetch_add(1, Ordering::Relaxed) > 0 {
            return Ok(());
        }
        while rows.load(Ordering::Relaxed) < 2 {
            std::thread::yield_now();
        }
        Err("the disk is full".into())
    };
    let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let search = || searches.rows(&[0; 200_000], RowRequest::default(), &control, refuse_the_first);
    let error = threads.install(search).unwrap_err();
    assert_eq!(error.to_string(), "a row of the result could not be stored: the disk is full");
    assert!(rows.into_inner() < 150_000);
}

#[test]
fn paths_that_leave_the_range_of_integers_end_the_search_with_the_vertex() {
    let mut builder = ArcsBuilder::growing();
    (1..40).for_each(|v| builder.add(v - 1, v, (1 << 28) - 1).unwrap());
    let graph = builder.build().unwrap().0;
    let searches = SearchContext::new(&graph, &Control::default()).unwrap();
    let error = searches.row::<i32>(0, &Control::default()).unwrap_err();
    assert!(
        matches!(
            error,
            SolveError::Search(SearchError::OutOfRange { from: 0, to: 3, length: 805306365.0, .. })
        ),
        "{error}"
    );
    let error = searches.row::<i32>(37, &Control::default()).unwrap_err();
    assert!(
        matches!(
            error,
            SolveError::Search(SearchError::OutOfRange { from: 37, to: 39, length: 536870910.0, .. })
        ),
        "{error}"
    );
    assert_eq!(searches.row::<i32>(38, &Control::default()).unwrap()[39], (1 << 28) - 1);
}

#[test]
fn a_flag_set_between_rows_ends_the_search_and_progress_counts_rows() {
    let graph = line();
    let searches = SearchContext::new(&graph, &Control::default()).unwrap();
    let flag = AtomicBool::new(false);
    let rows = AtomicUsize::new(0);
    let progress = |p: crate::Progress| {
        assert_eq!((p.stage, p.total), (Stage::Distances, 6000));
        flag.store(p.done >= 10, Ordering::Relaxed);
    };
    let control = Control::default().cancelled_by(&flag).with_progress(&progress);
    let count = |_: Row<i32>| {
        rows.fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    let ended = searches.rows(&[0; 6000], RowRequest::default(), &control, count);
    assert!(matches!(ended, Err(SolveError::Search(SearchError::Cancelled))));
    assert!((10..3000).contains(&rows.into_inner()));
}

#[test]
fn one_search_of_a_large_graph_is_cancelled_on_the_way() {
    let n = 100_000;
    let mut builder = ArcsBuilder::with_vertices(n).unwrap();
    (1..n).for_each(|v| builder.add(v - 1, v, 1).unwrap());
    let graph = builder.build().unwrap().0;
    let searches = SearchContext::new(&graph, &Control::default()).unwrap();
    let flag = AtomicBool::new(true);
    let control = Control::default().cancelled_by(&flag);
    assert!(matches!(searches.row::<i32>(0, &control), Err(SolveError::Search(SearchError::Cancelled))));
}

proptest! {
    /// Weights of few values give many paths of one length, of many values none.
    #[test]
    fn predecessors_are_those_of_the_tree_whether_or_not_paths_are_equally_short(
        arcs in prop::collection::vec((0..12_usize, 0..12_usize, 0..1000_i32), 0..60),
        values in prop::sample::select(vec![1, 3, 1000]),
        targets in prop::option::of(prop::collection::vec(0..12_usize, 1..4)),
        limit in prop::option::of(0..2000_u16),
    ) {
        let mut builder = ArcsBuilder::with_vertices(12).unwrap();
        for (tail, head, weight) in arcs {
            builder.add(tail, head, weight % values).unwrap();
        }
        let (graph, _) = builder.build().unwrap();
        let control = Control::default();
        let searches = SearchContext::new(&graph, &control).unwrap();
        let marks = PathSentinels { diagonal: -1, unreachable: -2 };
        let all: Vec<i32> = searches.row(0, &control).unwrap();
        let mut expected = searches.predecessors(&[0], &all, marks, &control).unwrap();
        let limit = limit.map_or(f64::INFINITY, f64::from);
        for (vertex, distance) in all.iter().enumerate().filter(|(vertex, _)| *vertex != 0) {
            if f64::from(*distance) > limit {
                expected[vertex] = marks.unreachable;
            }
        }
        if let Some(targets) = &targets {
            crate::tree::keep_paths(&mut expected, targets, marks, &mut [0; 12]);
        }
        let want = RowRequest { targets: targets.as_deref(), predecessors: Some(marks) };
        searches.limited(limit).unwrap().rows(&[0], want, &control, |row: Row<i32>| {
            assert_eq!(row.predecessors.unwrap(), expected);
            Ok(())
        }).unwrap();
    }
}
