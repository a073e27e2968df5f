//! How many threads shorten a solve, and pools of so many.

use super::blocking;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Products of blocks that each thread has in a round, at least. While the others do them, one thread has a chain: the product of the next
/// diagonal block, its closure, which takes as long as 1.4 to 3.4 products (blocks of 256 to 64, AVX-512), and a piece of the row panel. Threads
/// with less to do wait for the end of that chain, and slow it down: 64 threads took longer than 16 at n = 1,024, where a round has 64 products.
const LEAST_PRODUCTS: usize = 4;

/// How many of so many threads a solve of `n` vertices is shared among: as many as have [`LEAST_PRODUCTS`] each in a round, all or a power of two,
/// so that there are few pools.
pub fn threads(n: usize, symmetric: bool, most: usize) -> usize {
    let blocks = n.div_ceil(blocking(n, symmetric).block);
    let products = if symmetric { blocks * blocks.div_ceil(2) } else { blocks * blocks };
    match (products / LEAST_PRODUCTS).max(1) {
        useful if useful < most => 1 << useful.ilog2(),
        _ => most,
    }
}

/// The pool of so many threads, made when it is first asked for. None where the system refuses as many. Not for processes that fork: a child has
/// none of its threads.
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

#[cfg(test)]
mod tests {
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
