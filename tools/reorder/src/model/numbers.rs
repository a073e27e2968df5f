//! What is assumed of a multiprocessor: one of an H200, compute capability 9.0. Each number has its source.

/// Each issues one instruction of a warp of 32 lanes a clock (CUDA C++ Programming Guide).
pub const SCHEDULERS: u64 = 4;

/// Of the register file: even and odd registers, one read a clock each. Measured: of 256 patterns of {FADD, FADD, VIMNMX3} each took
/// max(3, reads of one, reads of the other) clocks.
pub const BANKS: usize = 2;

/// By how many clocks the reads of a bank may be late before the next instruction that reads it has to wait. Not measured: 2 is the least
/// with which the model gives the measured clocks of all those patterns; more hardly changes anything.
pub const READS_BEHIND: u64 = 2;

/// Ways into the arithmetic that keep a register for the next instructions: three operands.
pub const SLOTS: usize = 3;

/// Clocks that a pipe of 16 lanes takes for a warp. Minima, comparisons, logic, shifts and integer additions share one (64 lanes a clock
/// a multiprocessor: throughput table of the CUDA C++ Programming Guide), float additions have two of them (128), integer products one of
/// those (64).
pub const PIPE_CLOCKS: u64 = 2;

/// From a load's turn in shared memory until its barrier is free. Assumed: published measurements of Hopper give about 30.
pub const SHARED_LATENCY: u64 = 30;

/// From a load's turn in global memory until its barrier is free. Assumed: of the order of what is published for what misses the L1 cache.
pub const GLOBAL_LATENCY: u64 = 500;

/// Latency of special registers, constants and conversions. Assumed.
pub const OTHER_LATENCY: u64 = 20;

/// From a turn until registers that were read may be written. Assumed.
pub const READ_LATENCY: u64 = 10;

/// How many clocks of work may wait before shared memory until the next access has to wait to be issued. Assumed.
pub const MEMORY_QUEUE: u64 = 64;

/// Tasks a second of a GPU where a scheduler takes so many clocks for two tasks of each lane of a warp.
pub fn tasks_per_s(clocks_of_two_tasks: f64, multiprocessors: u64, clock_hz: f64) -> f64 {
    let lanes = (32 * SCHEDULERS * multiprocessors) as f64;
    2.0 * lanes * clock_hz / clocks_of_two_tasks
}
