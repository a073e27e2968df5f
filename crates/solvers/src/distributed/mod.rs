//! Solves on several GPUs, of one host or many, behind the interface of every other implementation.
//!
//! - [`solver`]: `distributed-blocked`: a shard of the matrix on each device, panels broadcast while tiles are computed.
//! - [`team`]: the processes that solve together, as a launcher started them.
//! - [`nccl`]: broadcasts between GPUs of several processes.
//!
//! A program that wants `distributed-blocked` calls [`register`] before anything else; nothing else of this crate knows it.

mod device_links;
pub mod nccl;
pub mod solver;
pub mod team;

pub use device_links::{DeviceLinks, HostLinks};

use std::sync::Once;

/// Puts `distributed-blocked` into the catalogue of implementations, after the others. Further calls do nothing.
pub fn register() {
    static ONCE: Once = Once::new();
    // The name is refused only where a user's file has taken it before, whose implementation then stays.
    ONCE.call_once(|| drop(crate::register(solver::implementation())));
}
