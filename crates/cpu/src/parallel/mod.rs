//! Today's CPU answer to dense all-pairs shortest paths, and the reference for large n: blocked Floyd-Warshall on
//! all cores with vector micro-kernels.
//!
//! - `kernel`: the micro-kernels, one register tile of a min-plus product each, and what their instructions do at best.
//! - `tile`: disjoint rectangles of one matrix, and copies across the diagonal of a symmetric one.
//! - `panel`: packed operands, the product that reads them, and what comes before a round's products.
//! - `rounds`: the rounds and how they share the threads, and shortest paths within one block.
//!
//! Unsafe code is in `kernel`, `tile` and the one loop of `panel` that calls a kernel.
//!
//! This file chooses a solve's vector instructions and the number of its threads, and keeps pools of threads.

mod kernel;
mod panel;
mod rounds;
mod tile;

use kernel::{Kernels, Microkernel};
use rayon::{ThreadPool, ThreadPoolBuilder};
use repro_graph::{Element, ElementType, by_element};
use rounds::{BlockSizes, ProceedFn};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

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

/// As [`solve`], but `goes_on` may end it. Before each round it gets how many rounds are done, and of how many. Where it returns false, so
/// does this, and `d` is of no use. A round takes 64 to 256 of the n vertices.
///
/// A `symmetric` matrix without negative weights is solved in half of the tasks: by what lies on one side of its diagonal, which is copied
/// to the other in the end. Symmetry is not checked ([`repro_graph::is_symmetric`] does that); else the result is of no use.
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

/// Not generic, so that the loops are compiled here once for each type and not in every crate that calls them.
fn of_bytes(
    element: ElementType,
    bytes: &mut [u8],
    simd: Simd,
    blocking: BlockSizes,
    goes_on: ProceedFn<'_>,
) -> bool {
    by_element!(element, T => solve_divided::<T>(bytemuck::cast_slice_mut(bytes), simd, blocking, goes_on))
}

fn solve_divided<T: Kernels>(d: &mut [T], simd: Simd, blocking: BlockSizes, goes_on: ProceedFn<'_>) -> bool {
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

/// [`Microkernel::add_min`] with the given vector instructions, which this machine has.
pub(super) fn add_min<T: Kernels>(simd: Simd, steps: u64) -> u64 {
    match simd {
        Simd::Avx512 => T::Avx512::detected().add_min(steps),
        Simd::Avx2 => T::Avx2::detected().add_min(steps),
        Simd::Portable => T::Portable::detected().add_min(steps),
    }
}

/// How a matrix of this size is divided: products deep enough not to be bound by memory and caches, and enough pieces
/// a round that 16 threads end it together. A piece takes 15 to 250 µs at 30 G tasks/s.
fn blocking(n: usize, symmetric: bool) -> BlockSizes {
    let (block, grain) = match n {
        0..768 => (64, 64),
        768..3072 => (128, 64),
        _ => (256, 128),
    };
    BlockSizes { n, block, grain, symmetric }
}

/// Products of blocks that each thread has in a round, at least. While the others do them, one thread has a chain: the product of the next
/// diagonal block, its closure, which takes as long as 1.4 to 3.4 products (blocks of 256 to 64, AVX-512), and a piece of the row panel. Threads
/// with less to do wait for the end of that chain, and slow it down: 64 threads took longer than 16 at n = 1,024, where a round has 64 products.
const LEAST_PRODUCTS: usize = 4;

/// How many of `most` threads share a solve of `n` vertices: as many as have [`LEAST_PRODUCTS`] each in a round. Either all, or a power of
/// two, so that there are few pools.
pub fn threads(n: usize, symmetric: bool, most: usize) -> usize {
    let blocks = n.div_ceil(blocking(n, symmetric).block);
    let products = if symmetric { blocks * blocks.div_ceil(2) } else { blocks * blocks };
    match (products / LEAST_PRODUCTS).max(1) {
        useful if useful < most => 1 << useful.ilog2(),
        _ => most,
    }
}

/// The pool of this many threads, made when it is first asked for. `None` where the system refuses as many. Not for processes that fork: a
/// child has none of its threads.
pub fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    static POOLS: Mutex<BTreeMap<usize, Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = pools.get(&threads) {
        return Some(known.clone());
    }
    let made = Arc::new(ThreadPoolBuilder::new().num_threads(threads).build().ok()?);
    pools.insert(threads, made.clone());
    Some(made)
}

/// A set of vector instructions that the micro-kernels are written for, widest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simd {
    /// 16 tasks of 32 bits per add and min, embedded broadcasts: AVX-512F, and AVX-512BW for 16-bit numbers.
    Avx512,
    /// 8 tasks of 32 bits per add and min: AVX2.
    Avx2,
    /// What every processor of the architecture has: SSE2 on x86-64, and there and elsewhere what the compiler makes of plain loops.
    Portable,
}

impl Simd {
    /// All of them, widest first.
    pub const ALL: [Self; 3] = [Self::Avx512, Self::Avx2, Self::Portable];

    /// The widest set that this processor and operating system support.
    pub fn detect() -> Self {
        Self::ALL.into_iter().find(|simd| simd.is_supported()).unwrap_or(Self::Portable)
    }

    /// Whether this processor and operating system can execute these instructions.
    pub fn is_supported(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512bw")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx512 | Self::Avx2 => false,
            Self::Portable => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BlockSizes, Kernels, Simd, extra_bytes, solve_divided, solve_while, solve_with};
    use crate::naive;
    use proptest::prelude::*;
    use repro_graph::{Element, RandomGraph, generate};

    /// A graph in which shortest paths often have many edges.
    fn random(density: f64, seed: u64) -> RandomGraph {
        RandomGraph { density, max_weight: 1000, ..RandomGraph::complete(seed) }
    }

    fn weights<T: Element>(n: usize, graph: &RandomGraph) -> Vec<T> {
        generate(graph, n).unwrap().into_row_major()
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

    #[test]
    fn a_solve_ends_before_the_round_at_which_it_is_asked_to() {
        let n = 200;
        let (mut ended, mut whole) = (weights(n, &random(0.2, 12)), weights(n, &random(0.2, 12)));
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
        let input = weights(n, &random(0.2, 9));
        for threads in [1, 2, 3, 16] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| assert_eq!(difference(Simd::detect(), &input, n), None, "{threads} threads"));
        }
    }

    #[test]
    fn every_division_is_solved_like_cpu_naive() {
        for (block, grain) in [(64, 64), (128, 64), (192, 64), (128, 128), (256, 128)] {
            for n in [193, 257, 448, 513] {
                let input = weights(n, &RandomGraph { negative: true, ..random(0.04, 10) });
                let mut expected = input.clone();
                naive::solve(&mut expected, n);
                let mut found = input.clone();
                let blocking = BlockSizes { n, block, grain, symmetric: false };
                assert!(solve_divided(&mut found, Simd::detect(), blocking, &|_, _| true));
                assert!(bits(&found) == bits(&expected), "n = {n}, {block}, {grain}");
            }
        }
    }

    fn halves_every_division<T: Kernels>(blocks: &[(usize, usize)]) {
        for &(block, grain) in blocks {
            for n in [1, block, block + 1, 193, 513] {
                let input = weights::<T>(n, &RandomGraph { undirected: true, ..random(0.04, 15) });
                let mut expected = input.clone();
                naive::solve(&mut expected, n);
                let mut found = input.clone();
                // What lies left of the diagonal is not read.
                if n > block {
                    (0..n).for_each(|i| found[i * n..][..i].fill(T::ZERO));
                }
                let blocking = BlockSizes { n, block, grain, symmetric: true };
                assert!(solve_divided(&mut found, Simd::detect(), blocking, &|_, _| true));
                let wrong =
                    (0..n * n).find(|&at| !found[at].canonical().bitwise_eq(expected[at].canonical()));
                let wrong = wrong.map(|at| (at / n, at % n));
                assert_eq!(wrong, None, "{}, n = {n}, {block}, {grain}", T::TYPE);
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
            let mut d = weights::<f32>(n, &RandomGraph { undirected: true, ..random(0.2, 16) });
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
            n in prop_oneof![1_usize..280, prop::sample::select(vec![31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 300])],
            density in 0.0..=1.0_f64, seed: u64, kind in 0..4,
        ) {
            let mut d = weights(n, &RandomGraph { negative: kind == 1, ..random(density, seed) });
            match kind {
                0 | 1 => {}
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

#[cfg(test)]
mod threads_tests {
    use super::*;

    #[test]
    fn sixteen_threads_share_1024_vertices_and_no_more_than_there_are_share_many() {
        let of = |n, most| threads(n, false, most);
        assert_eq!([1, 64, 128, 256, 512, 1024, 2048].map(|n| of(n, 64)), [1, 1, 1, 4, 16, 16, 64]);
        assert_eq!([512, 1024, 2048, 46_340].map(|n| of(n, 12)), [12; 4]);
        assert_eq!([threads(1024, true, 64), threads(4096, true, 64)], [8, 32]);
        for n in 1..5000 {
            for most in [1, 2, 3, 16, 64, 192] {
                let some = of(n, most);
                assert!((1..=most).contains(&some) && (some == most || some.is_power_of_two()), "{n} {most}");
                assert!(threads(n, true, most) <= some, "{n} {most}");
            }
        }
    }
}
