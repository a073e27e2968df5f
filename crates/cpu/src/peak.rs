//! The ceiling of every CPU implementation: how many tasks a second the arithmetic ports can issue when nothing
//! is loaded or stored.

use super::parallel::{Simd, add_min};
use repro_graph::{ElementType, by_element};
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// Runs of which the best counts: the first ones also raise the clock and the vector units' power.
const RUNS: usize = 5;
/// The length of one run: long compared with a thread's wake-up, and 5 runs stay below 50 ms in all.
const RUN: Duration = Duration::from_millis(7);
/// The length of a burst of one core: much shorter than the slices in which a system divides a core among those that want it.
const BURST: Duration = Duration::from_micros(250);
/// The least number of bursts, however long others keep the core.
const BURSTS: u32 = 20;
/// Steps between two looks at the clock, about ten microseconds of work.
const STEPS: u64 = 3000;

/// Tasks per second of `threads` threads that do nothing but tasks in registers, one add and one min of this type each.
///
/// The best of five runs of 7 ms. The clock of a run covers all threads, from the first that starts to the last
/// that ends, so that more threads than cores do not look like more cores.
///
/// # Panics
/// When `threads` is 0 or this machine lacks the instructions.
pub fn add_min_rate(element: ElementType, simd: Simd, threads: usize) -> f64 {
    assert!(threads > 0, "a rate needs at least one thread");
    assert!(simd.is_supported(), "this machine lacks {simd:?}");
    let barrier = Barrier::new(threads);
    let one_thread = || {
        [(); RUNS].map(|()| {
            barrier.wait();
            run(element, simd, RUN)
        })
    };
    let threads: Vec<[ThreadRun; RUNS]> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(one_thread)).collect();
        let own = one_thread();
        // A panic in a thread has been reported there; without its tasks there is no sum.
        others
            .into_iter()
            .map(|other| other.join().expect("a measuring thread panicked"))
            .chain([own])
            .collect()
    });
    (0..RUNS).map(|run| rate(threads.iter().map(|runs| &runs[run]))).fold(0.0, f64::max)
}

/// Tasks per second of one thread in its best burst of a quarter of a millisecond: what the core can do, also where others use it in
/// between.
///
/// # Panics
/// When this machine lacks the instructions.
pub fn core_rate(element: ElementType, simd: Simd) -> f64 {
    assert!(simd.is_supported(), "this machine lacks {simd:?}");
    let (start, mut bursts, mut best) = (Instant::now(), 0, 0.0_f64);
    while bursts < BURSTS || start.elapsed() < RUN * RUNS as u32 {
        best = best.max(rate([run(element, simd, BURST)].iter()));
        bursts += 1;
    }
    best
}

/// What one thread did in one run.
struct ThreadRun {
    tasks: u64,
    start: Instant,
    end: Instant,
}

/// Tasks per second of threads that ran at the same time.
fn rate<'a>(threads: impl Iterator<Item = &'a ThreadRun> + Clone) -> f64 {
    let start = threads.clone().map(|run| run.start).min();
    let end = threads.clone().map(|run| run.end).max();
    let tasks: u64 = threads.map(|run| run.tasks).sum();
    match (start, end) {
        (Some(start), Some(end)) if end > start => tasks as f64 / (end - start).as_secs_f64(),
        _ => 0.0,
    }
}

/// One thread's share of one run.
fn run(element: ElementType, simd: Simd, length: Duration) -> ThreadRun {
    let start = Instant::now();
    let mut tasks = 0;
    loop {
        tasks += chains(element, simd);
        let end = Instant::now();
        if end - start >= length {
            return ThreadRun { tasks, start, end };
        }
    }
}

/// Does [`STEPS`] steps of tasks in registers; returns the number of tasks.
fn chains(element: ElementType, simd: Simd) -> u64 {
    by_element!(element, T => add_min::<T>(simd, STEPS))
}

#[cfg(test)]
mod tests {
    use super::add_min_rate;
    use crate::parallel::Simd;
    use repro_graph::ElementType;

    #[test]
    fn every_supported_path_reports_a_possible_rate() {
        let supported = Simd::ALL.into_iter().filter(|simd| simd.is_supported());
        for (simd, element) in supported.flat_map(|simd| ElementType::ALL.map(|element| (simd, element))) {
            let rate = add_min_rate(element, simd, 1);
            // From a slow emulator to 64 bytes, two tasks a cycle, at 8 GHz.
            let most = 64.0 / element.bytes() as f64 * 16e9;
            assert!((1e7..most).contains(&rate), "{simd:?} {element}: {rate} tasks/s");
        }
    }

    #[test]
    #[should_panic(expected = "at least one thread")]
    fn no_threads_are_refused() {
        add_min_rate(ElementType::F32, Simd::Portable, 0);
    }
}
