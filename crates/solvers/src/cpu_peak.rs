//! The ceiling of every CPU implementation: how many tasks a second the arithmetic ports can issue when nothing
//! is loaded or stored.

use super::cpu_parallel::Simd;
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// Runs of which the best counts: the first ones also raise the clock and the vector units' power.
const RUNS: usize = 5;
/// The length of one run: long beside a thread's wake-up, and 5 runs stay below 50 ms in all.
const RUN: Duration = Duration::from_millis(7);
/// Steps between two looks at the clock, a few microseconds of work.
const STEPS: u64 = 500;

/// Tasks per second of `threads` threads that do nothing but tasks in registers, one f32 add and one f32 min each.
///
/// The best of five runs of 7 ms. The clock of a run covers all threads, from the first that starts to the last
/// that ends, so that more threads than cores do not look like more cores.
///
/// # Panics
/// When `threads` is 0 or this machine lacks the instructions.
pub fn add_min_rate(simd: Simd, threads: usize) -> f64 {
    assert!(threads > 0, "a rate needs at least one thread");
    assert!(simd.is_supported(), "this machine lacks {simd:?}");
    let barrier = Barrier::new(threads);
    let one_thread = || {
        [(); RUNS].map(|()| {
            barrier.wait();
            run(simd)
        })
    };
    let threads: Vec<[Run; RUNS]> = std::thread::scope(|scope| {
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

/// What one thread did in one run.
struct Run {
    tasks: u64,
    start: Instant,
    end: Instant,
}

/// Tasks per second of threads that ran at the same time.
fn rate<'a>(threads: impl Iterator<Item = &'a Run> + Clone) -> f64 {
    let start = threads.clone().map(|run| run.start).min();
    let end = threads.clone().map(|run| run.end).max();
    let tasks: u64 = threads.map(|run| run.tasks).sum();
    match (start, end) {
        (Some(start), Some(end)) if end > start => tasks as f64 / (end - start).as_secs_f64(),
        _ => 0.0,
    }
}

/// One thread's share of one run.
fn run(simd: Simd) -> Run {
    let start = Instant::now();
    let mut tasks = 0;
    loop {
        tasks += match simd {
            // SAFETY: `add_min_rate` asserted that the instructions are supported.
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 => unsafe { x86::avx512() },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => unsafe { x86::avx2() },
            // Intrinsics, because the compiler makes scalar code of plain loops over a few numbers.
            // SAFETY: every x86-64 processor has SSE2.
            #[cfg(target_arch = "x86_64")]
            Simd::Portable => unsafe { x86::sse2() },
            #[cfg(not(target_arch = "x86_64"))]
            _ => plain(),
        };
        let end = Instant::now();
        if end - start >= RUN {
            return Run { tasks, start, end };
        }
    }
}

/// `best = min(best + step, limit)` in every lane of every chain, as [`x86`] does it.
#[cfg(not(target_arch = "x86_64"))]
fn plain() -> u64 {
    use std::hint::black_box;
    const LANES: usize = 4;
    let step = black_box([1.0_f32; LANES]);
    let limit = black_box([1e6_f32; LANES]);
    let mut best = black_box([[0.0_f32; LANES]; 16]);
    for _ in 0..STEPS {
        for best in &mut best {
            for lane in 0..LANES {
                let sum = best[lane] + step[lane];
                best[lane] = if sum < limit[lane] { sum } else { limit[lane] };
            }
        }
    }
    black_box(best);
    STEPS * (16 * LANES) as u64
}

/// `best = min(best + step, limit)` in every lane of every chain: an add needs the min before it, so the compiler can
/// neither hoist nor merge one, and the operands come from `black_box`, so it cannot know where they lead.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::STEPS;
    use std::arch::x86_64::*;
    use std::hint::black_box;

    macro_rules! chains {
        ($name:ident, $feature:literal, $chains:expr, $lanes:literal, $broadcast:ident, $add:ident, $min:ident) => {
            /// Returns the number of tasks done.
            #[target_feature(enable = $feature)]
            pub fn $name() -> u64 {
                let step = $broadcast(black_box(1.0));
                let limit = $broadcast(black_box(1e6));
                let mut best = [$broadcast(black_box(0.0)); $chains];
                for _ in 0..STEPS {
                    for best in &mut best {
                        *best = $min($add(*best, step), limit);
                    }
                }
                black_box(best);
                STEPS * ($chains * $lanes) as u64
            }
        };
    }

    // An add and a min take up to 4 cycles each and depend on each other, so a chain starts one of the two every 4
    // cycles. 512-bit ones go to two ports: 8 chains would do, 16 leave room for a late one.
    chains!(avx512, "avx512f", 16, 16, _mm512_set1_ps, _mm512_add_ps, _mm512_min_ps);
    // Narrower ones go to three ports: 12 chains would do; 13, a step and a limit fit the 16 registers.
    chains!(avx2, "avx2", 13, 8, _mm256_set1_ps, _mm256_add_ps, _mm256_min_ps);
    chains!(sse2, "sse2", 13, 4, _mm_set1_ps, _mm_add_ps, _mm_min_ps);
}

#[cfg(test)]
mod tests {
    use super::add_min_rate;
    use crate::cpu_parallel::Simd;
    use std::time::{Duration, Instant};

    #[test]
    fn every_supported_path_reports_a_possible_rate_in_time() {
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_supported()) {
            let start = Instant::now();
            let rate = add_min_rate(simd, 1);
            // 50 ms is the promise where a core is free; tests share theirs.
            assert!(start.elapsed() < Duration::from_millis(500), "{simd:?} took {:?}", start.elapsed());
            // From a slow emulator to 16 lanes, two tasks a cycle, at 8 GHz.
            assert!((1e7..2.56e11).contains(&rate), "{simd:?}: {rate} tasks/s");
        }
    }

    #[test]
    #[should_panic(expected = "at least one thread")]
    fn no_threads_are_refused() {
        add_min_rate(Simd::Portable, 0);
    }
}
