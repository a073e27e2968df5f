//! What a right result is, in every element type.

use crate::{DistanceMatrix, Element, RandomGraph, Reference, Unverifiable, generate};

/// A graph whose longest distance is `n - 1` times `weight`.
fn chain<T: Element>(n: usize, weight: T) -> DistanceMatrix<T> {
    let mut graph = DistanceMatrix::without_edges(n).unwrap();
    (1..n).for_each(|v| graph.add_edge(v - 1, v, weight));
    graph
}

fn close<T: Element>(d: &mut [T], n: usize) {
    for (k, i, j) in (0..n * n * n).map(|at| (at / n / n, at / n % n, at % n)) {
        d[i * n + j] = d[i * n + k].plus(d[k * n + j]).lesser(d[i * n + j]);
    }
}

fn whole<T: Element>(graph: &DistanceMatrix<T>) -> Result<Reference<T>, Unverifiable> {
    Reference::whole(graph, 3, 1, &close)
}

#[test]
fn distances_in_range_are_exact_in_every_type_and_rows_agree_with_the_whole() {
    fn check<T: Element>(negative: bool) {
        let random = RandomGraph { density: 0.1, max_weight: 100, negative, ..RandomGraph::complete(3) };
        let graph = generate::<T>(&random, 40).unwrap();
        let whole = whole(&graph).unwrap();
        let rows = Reference::of_rows(&graph, 7, 1).unwrap();
        assert!(whole.exact() && rows.exact(), "{}", T::TYPE);
        let mut result = graph.as_slice().to_vec();
        close(&mut result, 40);
        result.iter_mut().for_each(|distance| *distance = distance.settled());
        assert_eq!((whole.check(&result), rows.check(&result)), (Ok(()), Ok(())));
        // One entry of the last row, which every sample has.
        result[40 * 40 - 2] = T::from_f64(99_999.0);
        assert_eq!(whole.check(&result).unwrap_err(), rows.check(&result).unwrap_err());
        result[40 * 40 - 2] = T::POISON;
        assert!(rows.check(&result).is_err());
    }
    for negative in [false, true] {
        check::<f32>(negative);
        check::<f64>(negative);
        check::<i32>(negative);
    }
    check::<u16>(false);
}

#[test]
fn integers_are_refused_where_a_distance_leaves_the_range_and_not_before() {
    assert!(whole(&chain(3, 10_000_u16)).unwrap().exact());
    let message = whole(&chain(4, 10_923_u16)).unwrap_err().to_string();
    assert!(
        message.contains("as long as 32769") && message.contains("u16 holds them up to 32766"),
        "{message}"
    );
    // The bound by the weights alone is beyond the range; what is found is not.
    let mut graph = chain(30, 1_u16);
    graph.add_edge(0, 1, 1);
    graph.add_edge(29, 0, 10_000);
    assert!(whole(&graph).unwrap().exact());
    assert!(matches!(Reference::of_rows(&graph, 2, 1), Err(Unverifiable::OutOfRange { .. })));
    assert!(whole(&chain(3, (1 << 27) - 1)).unwrap().exact());
    assert!(matches!(whole(&chain(3, 1 << 27)), Err(Unverifiable::OutOfRange { .. })));
    assert!(matches!(whole(&chain(3, -(1 << 27))), Err(Unverifiable::OutOfRange { .. })));
}

#[test]
fn sums_that_f64_rounds_are_refused() {
    assert!(whole(&chain(9, 0.25)).unwrap().exact());
    assert!(matches!(whole(&chain(9, 1.0 + f64::EPSILON)), Err(Unverifiable::Rounds { .. })));
}
