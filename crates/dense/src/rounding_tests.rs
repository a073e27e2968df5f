//! Cycles that are negative by rounding alone: Floyd-Warshall goes round them again with each vertex, and what is missing may double every time.

use crate::DenseSolver;
use repro_device::Selection;
use repro_graph::ElementType;
use shortest_paths::{
    Algorithm, DistanceMatrix, Element, Graph, Options, PathSentinels, Paths, SearchError, Solution,
    SolveError, solve, solve_in_place,
};

/// Weights whose cycles have weight 0, or nearly so, but for rounding.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Logarithms of rates between currencies without arbitrage: every cycle.
    Rates,
    /// A cycle through all vertices whose last weight is minus the sum of the others, and longer arcs.
    Ring,
    /// As rates, with one arc that is shorter by far more than rounding.
    Negative,
}

const KINDS: [Kind; 3] = [Kind::Rates, Kind::Ring, Kind::Negative];

/// Numbers below 1, by SplitMix64.
struct Random(u64);

impl Random {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.share()
    }
}

/// The nearest number in `f64`. In `f32` one that is not below: sums are exact in `f64` there, and a cycle may not be negative by its weights.
fn rounded<T: Element>(number: f64) -> T {
    let up = if T::TYPE == ElementType::F32 { number.abs() * 2f64.powi(-23) } else { 0.0 };
    T::from_f64(number + up)
}

fn matrix<T: Element>(kind: Kind, n: usize, seed: u64) -> DistanceMatrix<T> {
    let mut random = Random(seed);
    let scale = 10f64.powi(random.between(-3.0, 7.0) as i32);
    let heights: Vec<f64> = (0..n).map(|_| random.between(0.1, 10.0)).collect();
    let mut sum = 0.0;
    let next: Vec<f64> = (0..n)
        .map(|v| {
            let weight = if v + 1 < n { random.between(-scale, scale) } else { -sum };
            sum += rounded::<T>(weight).to_f64();
            weight
        })
        .collect();
    let spread = next.iter().map(|weight| weight.abs()).sum::<f64>();
    let mut drawn = DistanceMatrix::from_rows(n, |tail, row| {
        let mut random = Random(seed ^ (tail as u64) << 32);
        for (head, weight) in row.iter_mut().enumerate() {
            let number = match kind {
                Kind::Rates | Kind::Negative => -scale * (heights[tail] / heights[head]).ln(),
                Kind::Ring if head == (tail + 1) % n => next[tail],
                Kind::Ring => spread + random.between(0.0, scale),
            };
            *weight = if head == tail { T::ZERO } else { rounded(number) };
        }
    })
    .unwrap();
    if matches!(kind, Kind::Negative) {
        let weight = drawn.get(0, n - 1).to_f64() - scale / 8.0;
        drawn.as_mut_slice()[n - 1] = T::from_f64(weight);
    }
    drawn
}

/// Johnson's algorithm, and Floyd-Warshall of a copy and in place, find the same but for the rounding of sums.
fn agree<T: Element>(solver: &DenseSolver, kind: Kind, n: usize, seed: u64) {
    let matrix = matrix::<T>(kind, n, seed);
    let case = format!("{kind:?} in {}, n = {n}, seed {seed}", T::TYPE);
    let by = |algorithm, paths| {
        solve(
            &matrix,
            &Options { algorithm: Some(algorithm), dense: Some(solver), paths, ..Options::default() },
        )
    };
    let paths = Paths::Predecessors(PathSentinels::PLAIN);
    let johnson = by(Algorithm::Johnson, paths);
    let floyd = by(Algorithm::FloydWarshall, paths);
    let in_place =
        Options { algorithm: Some(Algorithm::FloydWarshall), dense: Some(solver), ..Options::default() };
    let in_place = solve_in_place(matrix.clone(), &in_place);
    let negative =
        matches!(&johnson, Err(SolveError::Search(SearchError::NegativeCycle(cycle))) if cycle.weight < 0.0);
    // Rates that are all near 1 are rounded by more than sums of their logarithms.
    assert!(negative == matches!(kind, Kind::Negative) || matches!(kind, Kind::Rates), "{case}");
    if negative {
        for found in [floyd, in_place] {
            assert!(
                matches!(found, Err(SolveError::Search(SearchError::NegativeCycle(cycle))) if cycle.weight < 0.0),
                "{case}"
            );
        }
        return;
    }
    let [johnson, floyd, in_place]: [Solution<T>; 3] =
        [johnson, floyd, in_place].map(|found| found.unwrap_or_else(|error| panic!("{case}: {error}")));
    let lengths = || johnson.distances.iter().map(|d| d.to_f64().abs()).filter(|d| *d < f64::INFINITY);
    let largest = lengths().fold(matrix.facts().range.largest, f64::max);
    let digits = if T::TYPE == ElementType::F32 { 24 } else { 53 };
    let slack = 16.0 * n as f64 * largest / 2f64.powi(digits);
    let floyds = [&floyd.distances[..], &in_place.distances];
    for found in floyds {
        for (at, (one, two)) in johnson.distances.iter().zip(found).enumerate() {
            let (one, two) = (one.to_f64(), two.to_f64());
            let same = one == two || (one - two).abs() <= slack;
            assert!(same, "{case}: {} to {} is {one} or {two}, and {slack} apart is allowed", at / n, at % n);
        }
        assert!((0..n).all(|v| found[v * n + v].bitwise_eq(T::ZERO)), "{case}");
    }
    assert_eq!(johnson.predecessors, floyd.predecessors, "{case}");
    if matches!(kind, Kind::Rates) {
        let given = matrix.as_slice().iter().zip(&floyd.distances);
        given.for_each(|(w, d)| assert!((w.to_f64() - d.to_f64()).abs() <= slack, "{case}: {w} and {d}"));
    }
}

#[test]
fn floyd_warshall_finds_what_johnson_finds_on_every_device() {
    let (cpu, emulated) = (DenseSolver::cpu(), DenseSolver::open(Selection::Emulated(None)).unwrap());
    for (seed, kind) in KINDS.into_iter().cycle().take(32).enumerate() {
        let (seed, n) = (seed as u64, 3 + seed % 47);
        agree::<f64>(&cpu, kind, n, seed);
        agree::<f32>(&cpu, kind, n, seed);
    }
    agree::<f64>(&cpu, Kind::Ring, 130, 1);
    agree::<f32>(&cpu, Kind::Rates, 130, 2);
    agree::<f32>(&emulated, Kind::Rates, 20, 3);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn four_thousand_matrices_and_the_largest() {
        let (cpu, emulated) = (DenseSolver::cpu(), DenseSolver::open(Selection::Emulated(None)).unwrap());
        for (seed, kind) in KINDS.into_iter().cycle().take(4_000).enumerate() {
            let (seed, n) = (seed as u64 + 1000, 3 + seed % 40);
            agree::<f64>(&cpu, kind, n, seed);
            agree::<f32>(&cpu, kind, n, seed);
        }
        for kind in KINDS {
            agree::<f64>(&cpu, kind, 300, 1);
            agree::<f32>(&cpu, kind, 300, 2);
            for (seed, n) in [3, 64, 65, 129].into_iter().enumerate() {
                agree::<f32>(&emulated, kind, n, seed as u64);
            }
        }
        agree::<f64>(&cpu, Kind::Rates, 600, 1);
        agree::<f32>(&emulated, Kind::Rates, 300, 9);
    }
}
