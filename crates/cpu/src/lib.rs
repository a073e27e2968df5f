//! Floyd-Warshall on CPUs: as it is printed, in blocks on one core and on all, and how fast the latter could be at best.
//!
//! In a crate of its own because it is the code of a debug build that is too slow unless it is optimized.

pub mod generalized;
pub mod naive;
pub mod parallel;
pub mod peak;

use parallel::Simd;
use repro_graph::Element;

/// An element type that there are micro-kernels for. Solves are called by the functions of [`naive`] and [`parallel`]; behind them
/// each is a method of its type, so that it is compiled once, here, and not in every crate that calls it.
pub trait Vectorized: Element {
    #[doc(hidden)]
    fn solve_naively(d: &mut [Self], n: usize, iterations: usize, vectorized: bool);
    #[doc(hidden)]
    fn solve_generalized(d: &mut [Self], n: usize, shape: generalized::Shape);
    #[doc(hidden)]
    fn solve_blocked(
        simd: Simd,
        d: &mut [Self],
        n: usize,
        symmetric: bool,
        goes_on: &(dyn Fn(usize, usize) -> bool + Sync),
    ) -> bool;
}

macro_rules! vectorized {
    ($($element:ty)*) => {$(
        impl Vectorized for $element {
            fn solve_naively(d: &mut [Self], n: usize, iterations: usize, vectorized: bool) {
                if vectorized {
                    naive::each_k(d, n, iterations);
                } else {
                    naive::each_k_unvectorized(d, n, iterations);
                }
            }

            fn solve_generalized(d: &mut [Self], n: usize, shape: generalized::Shape) {
                generalized::by_groups(d, n, shape);
            }

            fn solve_blocked(
                simd: Simd,
                d: &mut [Self],
                n: usize,
                symmetric: bool,
                goes_on: &(dyn Fn(usize, usize) -> bool + Sync),
            ) -> bool {
                parallel::solve_by(simd, d, n, symmetric, goes_on)
            }
        }
    )*};
}

vectorized!(f32 i32 u16 f64);
