use super::*;
use crate::{Arcs, ArcsBuilder, SearchError};
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;

/// Vertices one after the other, with this weight between.
fn line(n: usize, weight: i32) -> Arcs<i32> {
    let mut builder = ArcsBuilder::with_vertices(n).unwrap();
    (1..n).for_each(|v| builder.add(v - 1, v, weight).unwrap());
    builder.build().unwrap().0
}

#[test]
fn one_refusal_ends_the_searches_of_all_threads() {
    let (graph, control) = (line(6, 1), Control::default());
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
    let graph = line(40, (1 << 28) - 1);
    let searches = SearchContext::new(&graph, &Control::default()).unwrap();
    for (source, target, expected) in [(0, 3, 805_306_365.0), (37, 39, 536_870_910.0)] {
        let error = searches.row(source, &Control::default()).unwrap_err();
        let SolveError::Search(SearchError::OutOfRange { from, to, length, .. }) = error else {
            panic!("{error}")
        };
        assert_eq!((from, to, length), (source, target, expected));
    }
    assert_eq!(searches.row(38, &Control::default()).unwrap()[39], (1 << 28) - 1);
}

#[test]
fn a_flag_set_between_rows_ends_the_search_and_progress_counts_rows() {
    let graph = line(6, 1);
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
    // And one search of a large graph on the way.
    let large = line(100_000, 1);
    let searches = SearchContext::new(&large, &Control::default()).unwrap();
    let ended = searches.row(0, &Control::default().cancelled_by(&flag));
    assert!(matches!(ended, Err(SolveError::Search(SearchError::Cancelled))));
}

proptest! {
    /// Weights of few values give many paths of one length, of many values none.
    #[test]
    fn rows_end_at_their_targets_and_predecessors_are_those_of_the_tree(
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
        let within = |distance: i32| if f64::from(distance) > limit { i32::ABSENT } else { distance };
        let mut distances: Vec<i32> = all.iter().copied().map(within).collect();
        if let Some(targets) = &targets {
            distances = targets.iter().map(|&target| distances[target]).collect();
            crate::tree::keep_paths(&mut expected, targets, marks, &mut [0; 12]);
        }
        let (want, rows) = (RowRequest { targets: targets.as_deref(), predecessors: Some(marks) }, AtomicUsize::new(0));
        searches.limited(limit).unwrap().rows(&[0], want, &control, |row: Row<i32>| {
            assert_eq!((row.index, row.source, row.distances), (0, 0, &distances[..]));
            assert_eq!(row.predecessors.unwrap(), expected);
            rows.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }).unwrap();
        assert_eq!(rows.into_inner(), 1);
    }
}
