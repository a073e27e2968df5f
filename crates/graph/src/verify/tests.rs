use super::*;
use crate::oracle::{self, right_results};
use crate::{RandomGraph, generate};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The reference of a whole result, with the textbook loop for a trusted solver.
fn whole<T: Element>(graph: &DistanceMatrix<T>) -> Result<Reference<T>, Unverifiable> {
    Reference::whole(graph, 8, 0, &oracle::solve)
}

fn solved(graph: &DistanceMatrix) -> Vec<f32> {
    oracle::in_f32(graph)
}

/// Seeded numbers for graphs, from the generator of the rest of the program.
struct Numbers(ChaCha8Rng);

impl Numbers {
    fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self(ChaCha8Rng::from_seed(key))
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.0.next_u32() % limit
    }

    /// From 0 to below 1, in steps of 2^-24.
    fn unit(&mut self) -> f32 {
        (self.0.next_u32() >> 8) as f32 / 16_777_216.0
    }

    fn order(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        (1..n).for_each(|at| order.swap(at, self.below(at as u32 + 1) as usize));
        order
    }
}

#[test]
fn sources_are_different_repeatable_and_include_both_ends() {
    let sources = sample(1000, 32, 1);
    assert_eq!(sources.len(), 32);
    assert_eq!((sources[0], sources[31]), (0, 999));
    assert_eq!(sources, sample(1000, 32, 1));
    assert_ne!(sources, sample(1000, 32, 2));
    assert_eq!(sample(3, 32, 1), [0, 1, 2]);
    assert_eq!(sample(3, 0, 1), [0, 2]);
    assert_eq!(sample(1, 0, 1), [0]);
}

#[test]
fn one_wrong_bit_in_an_exact_result_is_found_wherever_it_is() {
    let graph = generate::<f32>(&RandomGraph::complete(1), 50).unwrap();
    let right = solved(&graph);
    for reference in [whole(&graph).unwrap(), Reference::of_rows(&graph, 50, 0).unwrap()] {
        assert!(reference.exact() && reference.is_whole());
        assert_eq!(reference.check(&right), Ok(()));
        for at in 0..right.len() {
            let mut wrong = right.clone();
            wrong[at] = f32::from_bits(wrong[at].to_bits() ^ 1);
            let [found, low] = [wrong[at], right[at]].map(f64::from);
            let mismatch = Mismatch { row: at / 50, column: at % 50, found, low, high: low, count: 1 };
            assert_eq!(reference.check(&wrong), Err(mismatch));
        }
    }
}

#[test]
fn all_mismatches_are_counted_and_the_first_is_shown() {
    let graph = generate::<f32>(&RandomGraph::complete(1), 20).unwrap();
    let reference = Reference::of_rows(&graph, 5, 0).unwrap();
    let mut wrong = solved(&graph);
    wrong[7] = 0.5;
    wrong[19 * 20 + 3] = f32::NAN;
    wrong[0] = -0.0;
    let mismatch = reference.check(&wrong).unwrap_err();
    assert_eq!((mismatch.row, mismatch.column, mismatch.count), (0, 0, 3));
    assert_eq!(
        mismatch.to_string(),
        "the distance from vertex 0 to vertex 0 (counted from 0) is -0 but should be 0; \
         3 of the entries compared are wrong: do not use this result"
    );
    assert_eq!(whole(&graph).unwrap().check(&wrong).unwrap_err().count, 3);
    let far = <i32 as Element>::ABSENT;
    let reference = Reference::of_rows(&chain(1, 2), 2, 0).unwrap();
    assert_eq!(reference.check(&[0, 1, far, 0]), Ok(()));
    let message = reference.check(&[0, 1, i32::MAX, 0]).unwrap_err().to_string();
    assert!(message.contains(" is 2147483647 but should be inf"), "{message}");
}

/// A graph with these edges.
fn graph_of<T: Element>(n: usize, edges: &[(usize, usize, T)]) -> DistanceMatrix<T> {
    let mut graph = DistanceMatrix::without_edges(n).unwrap();
    edges.iter().for_each(|&(u, v, weight)| graph.add_edge(u, v, weight));
    graph
}

/// A chain of equal edges.
fn chain<T: Element>(weight: T, n: usize) -> DistanceMatrix<T> {
    graph_of(n, &(1..n).map(|v| (v - 1, v, weight)).collect::<Vec<_>>())
}

#[test]
fn results_are_exact_where_no_sum_reaches_2_to_the_24_of_the_weights_common_power_of_two() {
    let exact = |graph: &DistanceMatrix| {
        let rows = Reference::of_rows(graph, 2, 0).unwrap().exact();
        assert!(!rows || whole(graph).unwrap().exact());
        rows
    };
    assert!(exact(&chain(16_777_215.0, 2)));
    assert!(exact(&chain(8_388_607.0, 3)));
    assert!(exact(&chain(0.5, 3)));
    assert!(exact(&chain(0.25, 100)));
    assert!(exact(&chain(2f32.powi(100), 100)));
    // One edge is exact whatever its weight, and so is the double of a number.
    assert!(exact(&chain(0.1, 2)));
    assert!(!exact(&chain(0.1, 4)) && !whole(&chain(0.1_f32, 6)).unwrap().exact());
    assert!(!exact(&chain(5_592_407.0, 5)));
    // With all edges present, n plays no part; and otherwise the distances that a solver finds decide.
    let heavy = RandomGraph { max_weight: 65535, negative: true, ..RandomGraph::complete(1) };
    assert!(Reference::of_rows(&generate::<f32>(&heavy, 260).unwrap(), 2, 0).unwrap().exact());
    let sparse = generate::<f32>(&RandomGraph { density: 0.5, ..heavy }, 260).unwrap();
    assert_eq!(Reference::of_rows(&sparse, 2, 0).unwrap_err(), Unverifiable::NeedsWhole { n: 260 });
    assert!(whole(&sparse).unwrap().exact());
}

#[test]
fn where_no_result_is_right_or_no_bounds_tell_it_a_graph_is_unverifiable() {
    let cycle = graph_of(2, &[(0, 1, 1.0), (1, 0, -2.0)]);
    let rows = Reference::of_rows(&cycle, 2, 0);
    for refused in [whole(&cycle), rows, Reference::after_iterations(&cycle, 2, 0, 1)] {
        let Err(Unverifiable::NegativeCycle(cycle)) = refused else { panic!("{refused:?}") };
        assert_eq!(cycle.cycle, [0, 1]);
    }
    // 16,777,216 + 1 is 16,777,216 in f32, so the cycle of weight 1 - 0.75 is one of -0.75.
    let big = 16_777_216.0_f32;
    let rounding = graph_of(4, &[(0, 1, big), (1, 2, 1.0), (2, 3, -big), (3, 0, -0.75)]);
    assert!(matches!(whole(&rounding), Err(Unverifiable::CycleRoundsBelowZero { .. })));
    // By way of 1 and 2 it takes 0.3 less 10⁻⁸, and the edge is the f32 next to that.
    let (middle, edge) = (0.1 + 2e-9, 0.1_f32 + 0.1 + 0.1);
    let edges = [(0, 1, 0.1), (1, 2, middle), (2, 3, 0.1), (0, 3, edge), (0, 2, 0.2), (1, 3, 0.2)];
    let reference = whole(&graph_of(4, &edges));
    assert!(matches!(reference, Err(Unverifiable::Indistinct { .. })), "{reference:?}");
    assert!(whole(&chain(0.25_f64, 9)).unwrap().exact());
    assert!(matches!(whole(&chain(1.0 + f64::EPSILON, 9)), Err(Unverifiable::Rounds { .. })));
}

#[test]
fn sums_beyond_f32_make_a_graph_unverifiable_and_are_no_missing_paths() {
    let refused = Unverifiable::Overflow { row: 0, column: 2 };
    assert!(refused.to_string().contains("scale the weights down"));
    // However coarse the weights are, so that their sums would not be rounded.
    for weight in [2e38_f32, 2f32.powi(127)] {
        let graph = chain(weight, 3);
        assert_eq!(whole(&graph).unwrap_err(), refused);
        assert!(matches!(Reference::of_rows(&graph, 3, 0), Err(Unverifiable::MayOverflow { .. })));
    }
}

#[test]
fn rows_that_are_exact_do_not_make_the_others_so() {
    let mut numbers = Numbers::new(5);
    let n = 60;
    // No edge leads to or from the two vertices whose rows are known.
    let mut graph = DistanceMatrix::<f32>::without_edges(n).unwrap();
    let order = numbers.order(n - 2);
    order.windows(2).for_each(|pair| graph.add_edge(1 + pair[0], 1 + pair[1], 0.1 + numbers.unit()));
    let reference = Reference::of_rows(&graph, 2, 0).unwrap();
    assert!(!reference.exact());
    for right in right_results(&graph, &[numbers.order(n)]) {
        assert_eq!(reference.check(&right), Ok(()));
    }
}

#[test]
fn one_small_weight_does_not_widen_the_bounds_of_a_few_rows() {
    let mut numbers = Numbers::new(3);
    let n = 150;
    let mut graph = DistanceMatrix::<f32>::without_edges(n).unwrap();
    for (u, v) in (0..n * n).map(|at| (at / n, at % n)).filter(|(u, v)| u != v) {
        graph.add_edge(u, v, 0.5 + 10.0 * numbers.unit());
    }
    graph.add_edge(1, 2, 1e-7);
    let (rows, all) = (Reference::of_rows(&graph, 20, 0).unwrap(), whole(&graph).unwrap());
    assert!(
        rows.max_bound_gap() <= 4.0 * all.max_bound_gap(),
        "{} {}",
        rows.max_bound_gap(),
        all.max_bound_gap()
    );
}

/// Graphs of every kind that is hard to verify: fractions, signs, sizes that differ by many orders of magnitude.
fn hard_graph(seed: u64) -> DistanceMatrix {
    let mut numbers = Numbers::new(seed);
    let n = 2 + numbers.below(14) as usize;
    let density = 20 + numbers.below(81);
    let (magnitudes, fractions) = (numbers.below(9) as i32, numbers.below(3));
    let heights: Vec<f32> =
        (0..n).map(|_| (numbers.unit() - 0.5) * 10f32.powi(numbers.below(4) as i32)).collect();
    let signed = numbers.below(2) == 1;
    let mut graph = DistanceMatrix::<f32>::without_edges(n).unwrap();
    for (u, v) in (0..n * n).map(|at| (at / n, at % n)).filter(|(u, v)| u != v) {
        let size = 10f32.powi(numbers.below(2 * magnitudes as u32 + 1) as i32 - magnitudes);
        let weight = match fractions {
            0 => (numbers.unit() * 100.0).ceil(),
            1 => numbers.unit() * 10.0 + 0.01,
            _ => (numbers.unit() + 0.01) * size,
        };
        if numbers.below(100) < density {
            let height = if signed { heights[u] - heights[v] } else { 0.0 };
            graph.add_edge(u, v, weight + height);
        }
    }
    graph
}

fn right_results_pass_and_every_entry_beyond_its_bound_is_found(graphs: u64) {
    let verified = (0..graphs).into_par_iter().filter(|&seed| {
        let graph = hard_graph(seed);
        let n = graph.n();
        let mut numbers = Numbers::new(!seed);
        let orders: Vec<_> = (0..4).map(|_| numbers.order(n)).collect();
        let reference = match whole(&graph) {
            Ok(reference) => reference,
            Err(Unverifiable::WrongSolver(wrong)) => panic!("seed {seed}: {wrong}"),
            Err(_) => return false,
        };
        let rows = Reference::of_rows(&graph, n, 0);
        for right in right_results(&graph, &orders) {
            assert_eq!(reference.check(&right), Ok(()), "seed {seed}");
            if let Ok(rows) = &rows {
                assert_eq!(rows.check(&right), Ok(()), "seed {seed}, by rows");
            }
        }
        // A result with every entry at its bound passes; one entry beyond it does not.
        let high = reference.high.as_ref().unwrap_or(&reference.low);
        for (bound, beyond) in [(&reference.low, f32::next_down as fn(f32) -> f32), (high, f32::next_up)] {
            assert_eq!(reference.check(bound), Ok(()), "seed {seed}");
            let mut lie = bound.clone();
            let at = numbers.below((n * n) as u32) as usize;
            lie[at] = if lie[at] == f32::INFINITY { f32::MAX } else { beyond(lie[at]) };
            assert_eq!(reference.check(&lie).unwrap_err().count, 1, "seed {seed}");
        }
        for at in [0, n * n / 2, n * n - 1] {
            let mut lie = solved(&graph);
            lie[at] = f32::NAN;
            assert!(reference.check(&lie).is_err(), "seed {seed}");
        }
        let improved = solved(&graph).iter().zip(graph.as_slice()).any(|(d, w)| d < w);
        assert!(!improved || reference.check(graph.as_slice()).is_err(), "seed {seed}: nothing done");
        true
    });
    let verified = verified.count() as u64;
    // The rest have a negative cycle, or one that rounds to less than zero.
    assert!(10 * verified > 7 * graphs, "{verified}");
}

#[test]
fn right_results_pass_and_every_entry_beyond_its_bound_is_found_on_a_thousand_graphs() {
    right_results_pass_and_every_entry_beyond_its_bound_is_found(1000);
}

#[test]
fn a_ten_thousandth_is_found_in_any_entry_between_near_vertices_however_far_others_are() {
    let mut ranges = 0;
    for seed in 0..50 {
        let mut numbers = Numbers::new(seed);
        let n = 10 + numbers.below(30) as usize;
        let far = 10f32.powi(4 + numbers.below(9) as i32);
        let mut graph = DistanceMatrix::<f32>::without_edges(n).unwrap();
        for (u, v) in (0..n * n).map(|at| (at / n, at % n)).filter(|(u, v)| u != v) {
            let offset = if u == 0 || v == 0 { far } else { 0.0 };
            graph.add_edge(u, v, offset + 0.5 + 10.0 * numbers.unit());
        }
        graph.add_edge(1, 2, -0.25);
        let reference = whole(&graph).unwrap();
        let right = solved(&graph);
        assert_eq!(reference.check(&right), Ok(()), "seed {seed}");
        for _ in 0..20 {
            let at =
                (1 + numbers.below(n as u32 - 1) as usize) * n + 1 + numbers.below(n as u32 - 1) as usize;
            for by in [1e-4, -1e-4] {
                let mut wrong = right.clone();
                wrong[at] += by;
                let mismatch = reference.check(&wrong).unwrap_err();
                assert_eq!(mismatch.count, 1, "seed {seed}, {at} by {by}");
                ranges += usize::from(mismatch.to_string().contains(" but should be from "));
            }
        }
        assert!(reference.check(graph.as_slice()).is_err(), "seed {seed}");
    }
    assert!(ranges > 0, "sums are rounded");
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn right_results_pass_and_every_entry_beyond_its_bound_is_found_on_ten_thousand_graphs() {
        right_results_pass_and_every_entry_beyond_its_bound_is_found(10_000);
    }
}

#[test]
fn a_solve_that_ends_early_is_right_after_as_many_vertices_and_no_others() {
    for negative in [false, true] {
        let random = RandomGraph { density: 0.2, negative, ..RandomGraph::complete(3) };
        let graph = generate::<f32>(&random, 60).unwrap();
        let mut result = graph.as_slice().to_vec();
        for through in 0..=60 {
            let reference = Reference::after_iterations(&graph, 60, 0, through).unwrap();
            assert!(reference.exact() && reference.is_whole());
            assert_eq!(reference.check(&result), Ok(()), "{through}");
            if through == 30 {
                assert!(Reference::after_iterations(&graph, 60, 0, 29).unwrap().check(&result).is_err());
                assert!(Reference::after_iterations(&graph, 60, 0, 31).unwrap().check(&result).is_err());
            }
            oracle::solve_in_order(&mut result, 60, through..60.min(through + 1));
        }
        let rows = Reference::after_iterations(&graph, 4, 1, 30).unwrap();
        assert_eq!(rows.sources(), sample(60, 4, 1));
    }
}

#[test]
fn a_solve_that_ends_early_is_compared_bit_for_bit_or_not_at_all() {
    // Nine edges of such a weight add up to what f32 holds, and 99 do not.
    let long = chain(1_600_001.0_f32, 100);
    assert!(Reference::of_rows(&long, 4, 0).is_ok_and(|rows| !rows.exact()));
    assert!(Reference::after_iterations(&long, 4, 0, 8).unwrap().exact());
    let refused = Unverifiable::CutShort { through: 50, n: 100 };
    assert_eq!(Reference::after_iterations(&long, 4, 0, 50).unwrap_err(), refused);
}

#[test]
fn integers_are_refused_where_a_distance_leaves_the_range_and_not_before() {
    assert!(whole(&chain(10_000_u16, 3)).unwrap().exact());
    let message = whole(&chain(10_923_u16, 4)).unwrap_err().to_string();
    assert!(
        message.contains("as long as 32769") && message.contains("u16 holds them up to 32766"),
        "{message}"
    );
    // The bound by the weights alone is beyond the range; what is found is not.
    let mut graph = chain(1_u16, 30);
    graph.add_edge(0, 1, 1);
    graph.add_edge(29, 0, 10_000);
    assert!(whole(&graph).unwrap().exact());
    assert!(matches!(Reference::of_rows(&graph, 2, 1), Err(Unverifiable::OutOfRange { .. })));
    assert!(whole(&chain((1 << 27) - 1, 3)).unwrap().exact());
    assert!(matches!(whole(&chain(1 << 27, 3)), Err(Unverifiable::OutOfRange { .. })));
    assert!(matches!(whole(&chain(-(1 << 27), 3)), Err(Unverifiable::OutOfRange { .. })));
}
