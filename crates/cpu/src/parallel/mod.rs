//! Today's CPU answer to dense all-pairs shortest paths, and the reference for large n: blocked Floyd-Warshall on
//! all cores with vector micro-kernels.
//!
//! - `simd`: which vector instructions there are.
//! - `kernel`: the micro-kernels, one register tile of a min-plus product each, and what their instructions do at best.
//! - `tile`: disjoint rectangles of one matrix.
//! - `panel`: packed operands and the product that reads them.
//! - `close`: shortest paths within one block.
//! - `threads`: how many threads shorten a solve, for those who choose its pool.
//! - `rounds`: the rounds and how they share the threads.
//! - `row_panel`: what comes before a round's products.
//! - `transpose`: copies across the diagonal of a symmetric matrix.
//!
//! Unsafe code is in `kernel`, `tile` and the one loop of `panel` that calls a kernel.

mod close;
mod kernel;
mod panel;
mod rounds;
mod row_panel;
mod simd;
mod threads;
mod tile;
mod transpose;

use kernel::{Kernel, Kernels};
use repro_graph::{Element, ElementType, by_element};
use rounds::{Blocking, GoesOn};
pub use simd::Simd;
pub use threads::{pool, threads};

/// Floyd-Warshall on the row-major n x n matrix `d` in place, on the threads of the current rayon pool, with the widest vector
/// instructions here.
///
/// Absent edges are [`Element::ABSENT`](repro_graph::Element::ABSENT), weights may be negative. The result equals that of
/// [`naive::solve`](super::naive::solve) bit for bit where sums are exact, as with integer weights; elsewhere the
/// sums of a path are associated differently. A negative cycle is not looked for.
///
/// # Panics
/// When `d` does not hold n² numbers.
pub fn solve<T: Element>(d: &mut [T], n: usize) {
    solve_with(Simd::detect(), d, n);
}

/// As [`solve`], with the given vector instructions.
///
/// # Panics
/// When `d` does not hold n² numbers or this machine lacks the instructions.
pub fn solve_with<T: Element>(simd: Simd, d: &mut [T], n: usize) {
    of_bytes(T::TYPE, bytemuck::cast_slice_mut(d), simd, blocking(n, false), &|_, _| true);
}

/// As [`solve`], but that `goes_on` may end it: it gets how many rounds are done and how many there are, before each round. Where it returns false, so
/// does this, and `d` is of no use. A round takes 64 to 256 of the n vertices.
///
/// A `symmetric` matrix without negative weights is solved in half of the tasks: by what lies on one side of its diagonal, which is copied to the
/// other in the end. It is not looked at whether the matrix is symmetric ([`repro_graph::is_symmetric`] does), and a result of another is of no use.
///
/// # Panics
/// When `d` does not hold n² numbers.
pub fn solve_while<T: Element>(
    d: &mut [T],
    n: usize,
    symmetric: bool,
    goes_on: &(dyn Fn(usize, usize) -> bool + Sync),
) -> bool {
    of_bytes(T::TYPE, bytemuck::cast_slice_mut(d), Simd::detect(), blocking(n, symmetric), goes_on)
}

/// Not generic, as that of the plain loop.
fn of_bytes(
    element: ElementType,
    bytes: &mut [u8],
    simd: Simd,
    blocking: Blocking,
    goes_on: GoesOn<'_>,
) -> bool {
    by_element!(element, T => solve_divided::<T>(bytemuck::cast_slice_mut(bytes), simd, blocking, goes_on))
}

fn solve_divided<T: Kernels>(d: &mut [T], simd: Simd, blocking: Blocking, goes_on: GoesOn<'_>) -> bool {
    let n = blocking.n;
    assert!(simd.is_supported(), "this machine lacks {simd:?}");
    assert_eq!(Some(d.len()), n.checked_mul(n), "an n x n matrix holds n * n numbers");
    match simd {
        Simd::Avx512 => rounds::solve(T::Avx512::detected(), d, blocking, goes_on),
        Simd::Avx2 => rounds::solve(T::Avx2::detected(), d, blocking, goes_on),
        Simd::Portable => rounds::solve(T::Portable::detected(), d, blocking, goes_on),
    }
}

/// Bytes that a solve of `n` vertices allocates in addition to the matrix, at most.
pub fn extra_bytes(element: ElementType, n: usize) -> usize {
    let blocking = blocking(n, false);
    by_element!(element, T => blocking.extra_bytes::<<T as Kernels>::Avx512>())
}

/// [`Kernel::add_min`] with the given vector instructions, which this machine has.
pub(super) fn add_min<T: Kernels>(simd: Simd, steps: u64) -> u64 {
    match simd {
        Simd::Avx512 => T::Avx512::detected().add_min(steps),
        Simd::Avx2 => T::Avx2::detected().add_min(steps),
        Simd::Portable => T::Portable::detected().add_min(steps),
    }
}

/// How a matrix of this size is divided: deep enough products to leave memory and caches behind, and enough pieces
/// a round that 16 threads end it together. A piece takes 15 to 250 µs at 30 G tasks/s.
fn blocking(n: usize, symmetric: bool) -> Blocking {
    let (block, grain) = match n {
        0..768 => (64, 64),
        768..3072 => (128, 64),
        _ => (256, 128),
    };
    Blocking { n, block, grain, symmetric }
}

#[cfg(test)]
mod tests {
    use super::{Blocking, Kernels, Simd, extra_bytes, solve_divided, solve_while, solve_with};
    use crate::naive;
    use proptest::prelude::*;
    use repro_graph::Element;

    const SIZES: [usize; 20] =
        [1, 2, 3, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 200, 255, 256, 257, 300, 511, 513];

    /// Numbers that look random and are the same on every machine (Marsaglia 2003, xorshift).
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % limit
        }
    }

    /// A graph of integer weights where `percent` of the edges exist, shortest paths often having many edges.
    fn graph(n: usize, percent: u64, seed: u64) -> Vec<f32> {
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut d = vec![f32::INFINITY; n * n];
        for i in 0..n {
            for j in 0..n {
                if i == j {
                    d[i * n + j] = 0.0;
                } else if numbers.below(100) < percent {
                    d[i * n + j] = (1 + numbers.below(1000)) as f32;
                }
            }
        }
        d
    }

    /// A graph with negative weights: a potential added at one end and taken off at the other changes no cycle.
    fn with_negative_weights(mut d: Vec<f32>, n: usize, seed: u64) -> Vec<f32> {
        let mut numbers = Numbers(seed | 1);
        let potential: Vec<_> = (0..n).map(|_| numbers.below(2000) as f32).collect();
        for i in 0..n {
            for j in 0..n {
                d[i * n + j] += potential[i] - potential[j];
            }
        }
        d
    }

    fn supported() -> impl Iterator<Item = Simd> {
        Simd::ALL.into_iter().filter(|simd| simd.is_supported())
    }

    fn bits(d: &[f32]) -> Vec<u32> {
        d.iter().map(|x| x.to_bits()).collect()
    }

    /// The first difference from cpu-naive, in words.
    fn difference(simd: Simd, input: &[f32], n: usize) -> Option<String> {
        let (mut expected, mut found) = (input.to_vec(), input.to_vec());
        naive::solve(&mut expected, n);
        solve_with(simd, &mut found, n);
        let at = bits(&expected).iter().zip(bits(&found)).position(|(a, b)| *a != b)?;
        let (i, j) = (at / n, at % n);
        Some(format!("{simd:?}, n = {n}: ({i}, {j}) is {} instead of {}", found[at], expected[at]))
    }

    /// Integer weights in another type, the absent edges absent.
    fn converted<T: Element>(d: &[f32]) -> Vec<T> {
        d.iter().map(|distance| T::from_f64(f64::from(*distance))).collect()
    }

    #[test]
    fn a_solve_ends_before_the_round_at_which_it_is_asked_to() {
        let n = 200;
        let (mut ended, mut whole) = (graph(n, 20, 12), graph(n, 20, 12));
        assert!(!solve_while(&mut ended, n, false, &|done, rounds| {
            assert_eq!(rounds, 4);
            done < 2
        }));
        assert!(solve_while(&mut whole, n, false, &|_, _| true));
        assert!(bits(&ended) != bits(&whole));
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let n = 400;
        let input = graph(n, 20, 9);
        for threads in [1, 2, 3, 16] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| assert_eq!(difference(Simd::detect(), &input, n), None, "{threads} threads"));
        }
    }

    #[test]
    fn every_division_is_solved_like_cpu_naive() {
        for (block, grain) in [(64, 64), (128, 64), (192, 64), (128, 128), (256, 128)] {
            for n in [193, 256, 257, 300, 448, 511, 513] {
                let input = with_negative_weights(graph(n, 4, 10), n, 11);
                let mut expected = input.clone();
                naive::solve(&mut expected, n);
                for simd in supported() {
                    let mut found = input.clone();
                    let blocking = Blocking { n, block, grain, symmetric: false };
                    assert!(solve_divided(&mut found, simd, blocking, &|_, _| true));
                    assert!(bits(&found) == bits(&expected), "{simd:?}, n = {n}, {block}, {grain}");
                }
            }
        }
    }

    /// The lesser of both ways, so that the graph is undirected.
    fn undirected<T: Element>(mut d: Vec<T>, n: usize) -> Vec<T> {
        for i in 0..n {
            for j in 0..i {
                let both = d[i * n + j].shorter(d[j * n + i]);
                (d[i * n + j], d[j * n + i]) = (both, both);
            }
        }
        d
    }

    fn halves_every_division<T: Kernels>(blocks: &[(usize, usize)]) {
        for &(block, grain) in blocks {
            for n in [1, block, block + 1, 193, 300, 513] {
                let input = undirected(converted::<T>(&graph(n, 4, 15)), n);
                let mut expected = input.clone();
                naive::solve(&mut expected, n);
                for simd in supported() {
                    let mut found = input.clone();
                    // What lies left of the diagonal is not read.
                    if n > block {
                        (0..n).for_each(|i| found[i * n..][..i].fill(T::ZERO));
                    }
                    let blocking = Blocking { n, block, grain, symmetric: true };
                    assert!(solve_divided(&mut found, simd, blocking, &|_, _| true));
                    let wrong =
                        (0..n * n).find(|&at| !found[at].canonical().bitwise_eq(expected[at].canonical()));
                    let wrong = wrong.map(|at| (at / n, at % n));
                    assert_eq!(wrong, None, "{} {simd:?}, n = {n}, {block}, {grain}", T::TYPE);
                }
            }
        }
    }

    #[test]
    fn one_side_of_a_symmetric_matrix_gives_what_both_give() {
        halves_every_division::<f32>(&[(64, 64), (128, 64), (192, 64), (128, 128), (256, 128)]);
        halves_every_division::<u16>(&[(128, 64)]);
        halves_every_division::<i32>(&[(128, 128)]);
        halves_every_division::<f64>(&[(256, 128)]);
    }

    #[test]
    fn distances_of_a_symmetric_matrix_are_symmetric_where_sums_are_rounded() {
        for n in [130, 400] {
            let mut d = undirected(graph(n, 20, 16), n);
            d.iter_mut().for_each(|weight| *weight /= 3.0);
            assert!(solve_while(&mut d, n, true, &|_, _| true));
            assert!((0..n * n).all(|at| d[at].to_bits() == d[at % n * n + at / n].to_bits()), "n = {n}");
        }
    }

    #[test]
    fn extra_memory_is_at_most_1_2_matrices_from_1_mib_on() {
        for n in (512..40_000).step_by(7).chain([512, 1535, 1536, 46_340, 65_536]) {
            let matrix = n * n * size_of::<f32>();
            assert!(
                extra_bytes(repro_graph::ElementType::F32, n) as f64 <= 1.2 * matrix as f64,
                "n = {n}: {} of {matrix}",
                extra_bytes(repro_graph::ElementType::F32, n)
            );
        }
    }

    #[test]
    #[should_panic(expected = "n * n")]
    fn a_matrix_that_is_not_square_is_refused() {
        solve_with(Simd::Portable, &mut [0.0_f32; 5], 2);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn any_graph_is_solved_like_cpu_naive(
            n in prop_oneof![1_usize..280, prop::sample::select(SIZES.to_vec())], percent in 0_u64..=100, seed: u64, kind in 0..4,
        ) {
            let mut d = graph(n, percent, seed);
            match kind {
                0 => {}
                1 => d = with_negative_weights(d, n, seed),
                // The shortest cycles are found.
                2 => d.iter_mut().step_by(n + 1).for_each(|d_ii| *d_ii = f32::INFINITY),
                // A chain backwards, so that no path can be found in the order of the vertices.
                _ => (1..n).for_each(|i| d[i * n + i - 1] = 1.0),
            }
            for simd in supported() {
                prop_assert_eq!(difference(simd, &d, n), None);
            }
        }
    }
}
