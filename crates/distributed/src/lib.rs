//! Solves on several GPUs, of one host or many, behind the interface of every other implementation.
//!
//! - [`solver`]: `distributed-blocked`: a shard of the matrix on each device, panels broadcast while tiles are computed.
//! - [`cluster`]: the processes that solve together: how they find each other, what they send, how all end when one is lost.
//! - [`nccl`]: broadcasts between GPUs of several processes.
//! - [`sharded`]: how a run has a matrix that no memory holds whole: load, verification, one answer of all processes.
//!
//! A program that wants it calls [`register`] before anything else; nothing below knows this crate.

pub mod cluster;
pub mod nccl;
pub mod sharded;
pub mod solver;

use std::sync::Once;

/// Puts `distributed-blocked` into the catalogue of implementations, behind what is there. Further calls do nothing.
pub fn register() {
    static ONCE: Once = Once::new();
    // The name is refused only where a user's file has taken it before, whose implementation then stays.
    ONCE.call_once(|| drop(repro_solvers::register(solver::implementation())));
}
