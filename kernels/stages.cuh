// A ring of stages in shared memory: parts of two operands on their way from global memory while the threads work on others.
//
// A shape `S` has S::STAGES stages of S::STAGE_WORDS words: S::STAGE_LEFT_WORDS of the left operand, S::STAGE_RIGHT_WORDS of the right one,
// and a gap of S::GAP_WORDS. S::WORKERS threads a block read them.
//
// From 9.0 on a thread that does nothing else asks for each stage with two bulk copies, and barriers in shared memory say when it
// has arrived and when all workers have left it. On 8.x every worker copies its share with cp.async, before that through registers.
#pragma once

#include "register_tile.cuh"

#define HAS_ASYNC_COPIES (ARCHITECTURE >= 800)

/// A place in a ring, and how often the ring was gone round, modulo 2.
struct Cursor {
    int at, phase;
};

template <int PLACES>
static __device__ __forceinline__ void advance(Cursor &cursor) {
    if (++cursor.at == PLACES) {
        cursor.at = 0;
        cursor.phase ^= 1;
    }
}

#if IS_FED

/// A barrier in shared memory that so many threads arrive at.
static __device__ __forceinline__ void make_barrier(unsigned long long *barrier, int threads) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(threads) : "memory");
}

static __device__ __forceinline__ void arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/// Waits until the phase of this parity of a barrier has ended; the one before its first has parity 1.
static __device__ __forceinline__ void wait_for_phase(unsigned long long *barrier, int parity) {
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra end;\n"
                 "bra again;\n"
                 "end:\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

/// A bulk copy to shared memory, of which `arrived` is told.
static __device__ __forceinline__ void copy_words(word *to, const word *from, int words, unsigned long long *arrived) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
        "l"(__cvta_generic_to_global(from)), "r"(words * 4), "r"(shared_address(arrived))
        : "memory");
}

/// Begins a bulk copy from shared memory, one of those that the thread waits for next.
static __device__ __forceinline__ void store_words(word *to, const word *from, int words) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"(shared_address(from)), "r"(words * 4)
                 : "memory");
}

static __device__ __forceinline__ void wait_for_stores() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/// By a thread that has read a stage. Its reads may still be on their way when it arrives, and the copy engine does not wait for them
/// without this fence: where the compiler put the arrival right behind the last reads, a few solves in a hundred were wrong on an H200.
static __device__ __forceinline__ void leave_stage(unsigned long long *left) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    arrive(left);
}

template <class S>
struct StageBarriers {
    unsigned long long arrived[S::STAGES];
    unsigned long long left[S::STAGES];
};

/// By one thread, before all others use them.
template <class S>
static __device__ __forceinline__ void make_stage_barriers(StageBarriers<S> &barriers) {
    for (int stage = 0; stage < S::STAGES; ++stage) {
        make_barrier(&barriers.arrived[stage], 1);
        make_barrier(&barriers.left[stage], S::WORKERS);
    }
}

/// By all threads, before any reads a stage: what is loaded ahead behind its last vertices is of no use, but there.
template <class S>
static __device__ __forceinline__ void clear_gaps(word *stages) {
    for (int at = threadIdx.x; at < S::STAGES * S::GAP_WORDS; at += S::THREADS) {
        const int stage = at / (2 * S::TILE_WORDS);
        stages[(stage + 1) * S::STAGE_WORDS - S::GAP_WORDS + at % (2 * S::TILE_WORDS)] = ABSENT_WORD;
    }
}

/// By the feeding thread: fills the next stage with its words of each operand, once all workers have left it. The cursor begins in
/// phase 1: the stages are free at first. Where a block follows the diagonal, an operand that is null is left to its workers.
template <class S>
static __device__ __forceinline__ void fill_stage(word *stages, StageBarriers<S> &barriers, Cursor &cursor, const word *left,
                                                  const word *right) {
    word *stage = stages + cursor.at * S::STAGE_WORDS;
    unsigned long long *arrived = &barriers.arrived[cursor.at];
    wait_for_phase(&barriers.left[cursor.at], cursor.phase);
    const bool has_left = !S::CHAINS || left;
    const bool has_right = !S::CHAINS || right;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(arrived)),
                 "r"(((has_left ? S::STAGE_LEFT_WORDS : 0) + (has_right ? S::STAGE_RIGHT_WORDS : 0)) * 4)
                 : "memory");
    if (has_left) {
        copy_words(stage, left, S::STAGE_LEFT_WORDS, arrived);
    }
    if (has_right) {
        copy_words(stage + S::STAGE_LEFT_WORDS, right, S::STAGE_RIGHT_WORDS, arrived);
    }
    advance<S::STAGES>(cursor);
}

#else

/// By all threads: begins to fill a stage with its words of each operand. No thread reads it any more.
template <class S>
static __device__ __forceinline__ void fill_stage(word *stages, Cursor &cursor, const word *left, const word *right) {
    word *stage = stages + cursor.at * S::STAGE_WORDS;
    for (int at = threadIdx.x * 4; at < S::STAGE_WORDS; at += S::THREADS * 4) {
        const word *from = at < S::STAGE_LEFT_WORDS ? left + at : right + (at - S::STAGE_LEFT_WORDS);
#if HAS_ASYNC_COPIES
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(stage + at)),
                     "l"(__cvta_generic_to_global(from))
                     : "memory");
#else
        *(uint4 *)(stage + at) = *(const uint4 *)from;
#endif
    }
    advance<S::STAGES>(cursor);
}

/// By all threads, behind every place where a stage may have been filled: copies are counted by these.
static __device__ __forceinline__ void close_fill() {
#if HAS_ASYNC_COPIES
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// By all threads: waits for the oldest of S::STAGES - 1 stages that were begun. On return no thread reads the stage before it.
template <class S>
static __device__ __forceinline__ void await_stage() {
#if HAS_ASYNC_COPIES
    asm volatile("cp.async.wait_group %0;" ::"n"(S::STAGES - 2) : "memory");
#endif
    __syncthreads();
}

#endif
