use super::*;
use crate::{Arcs, ArcsBuilder, graphs_of_tests::arcs_of};
use repro_graph::Element;

fn of<T: Element>(graph: &Arcs<T>, source: usize, distances: &[T]) -> Result<Vec<i32>, SolveError> {
    let searches = SearchContext::new(graph, &Control::default()).unwrap();
    searches.predecessors(&[source], distances, PathSentinels::PLAIN, &Control::default())
}

/// The rule, by its words: the least vertex before j on a shortest path of the fewest arcs, by paths of 0, 1, 2 and more arcs.
fn by_the_rule(graph: &Arcs<i32>, source: usize, distances: &[i32]) -> Vec<i32> {
    let n = graph.n();
    let mut lengths = vec![vec![i64::MAX; n]];
    lengths[0][source] = 0;
    for arcs in 1..n {
        let mut row = vec![i64::MAX; n];
        for u in (0..n).filter(|&u| lengths[arcs - 1][u] < i64::MAX) {
            graph.for_each_arc(u, |v, weight| row[v] = row[v].min(lengths[arcs - 1][u] + i64::from(weight)));
        }
        lengths.push(row);
    }
    let before = |v: usize| {
        if v == source || distances[v].is_absent() {
            return -1;
        }
        let length = i64::from(distances[v]);
        let fewest = (0..n).find(|&arcs| lengths[arcs][v] == length).unwrap();
        let is_before = |&u: &usize| {
            let weight = Graph::weight(graph, u, v).map(i64::from);
            lengths[fewest - 1][u] < i64::MAX && weight.is_some_and(|w| lengths[fewest - 1][u] + w == length)
        };
        (0..n).find(is_before).unwrap() as i32
    };
    (0..n).map(before).collect()
}

#[test]
fn paths_are_those_of_the_fewest_arcs_and_then_of_the_least_vertices() {
    let mut state = 1_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % below
    };
    for _ in 0..200 {
        let n = 1 + draw(9) as usize;
        let mut builder = ArcsBuilder::with_vertices(n).unwrap();
        // Heights make negative arcs and many cycles of weight 0, and none below.
        let heights: Vec<i32> = (0..n).map(|_| draw(4) as i32).collect();
        for _ in 0..draw(30) {
            let (u, v) = (draw(n as u64) as usize, draw(n as u64) as usize);
            if u != v {
                builder.add(u, v, draw(3) as i32 + heights[u] - heights[v]).unwrap();
            }
        }
        let graph = builder.build().unwrap().0;
        let searches = SearchContext::new(&graph, &Control::default()).unwrap();
        for source in 0..n {
            let row = searches.row(source, &Control::default()).unwrap();
            assert_eq!(of(&graph, source, &row).unwrap(), by_the_rule(&graph, source, &row));
        }
    }
}

#[test]
fn distances_of_another_graph_are_refused_with_the_vertex() {
    let arcs = arcs_of(3, &[(0, 1, 2), (1, 2, 3), (0, 2, 9)]);
    let far = i32::ABSENT;
    assert!(of(&arcs, 0, &[0, 2, 5]).is_ok());
    for (row, wrong) in [([0, 2, 9], 2), ([0, 2, 4], 2), ([0, 2, far], 2), ([0, 1, 4], 1), ([1, 3, 6], 0)] {
        let error = of(&arcs, 0, &row).unwrap_err();
        assert!(
            matches!(error, SolveError::NotDistances { from: 0, to, .. } if to == wrong),
            "{row:?}: {error}"
        );
    }
    assert!(of(&arcs, 0, &[0, 2]).is_err() && of(&arcs, 3, &[0, 2, 5]).is_err());
    let thirds = arcs_of(3, &[(0, 1, 1.0_f64 / 3.0), (2, 0, 1e300)]);
    assert!(matches!(
        of(&thirds, 0, &[0.0, f64::NAN, f64::INFINITY]),
        Err(SolveError::NotDistances { to: 1, .. })
    ));
    assert!(matches!(of(&thirds, 0, &[0.0, 1.0 / 3.0, 5.0]), Err(SolveError::NotDistances { to: 2, .. })));
}

#[test]
fn a_wrong_distance_by_next_vertices_is_named_the_right_way_round() {
    let arcs = arcs_of(3, &[(0, 1, 2), (1, 2, 3), (0, 2, 9)]);
    let far = i32::ABSENT;
    let searches = SearchContext::new(&arcs, &Control::default()).unwrap();
    let wrong = [0, 2, 5, far, 0, 4, far, far, 0];
    let error = searches.next_vertices(&wrong, PathSentinels::SCIPY, &Control::default()).unwrap_err();
    assert!(matches!(error, SolveError::NotDistances { from: 1, to: 2, .. }), "{error}");
}
