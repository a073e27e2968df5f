//! Devices that run kernels: memory, queues of launches and copies, and events behind two traits, so that the host schedule of
//! an implementation is the same on every device. It knows no solver, no clock of
//! a run and no record.
//!
//! A [`Device`] has memory, kernels and queues. Work on a [`Queue`] runs asynchronously, in the order in which it was queued;
//! events order queues, also those of different devices. [`Queue::synchronize`] waits for the work of one and reports what went
//! wrong in it.

pub mod cuda;
mod device;
pub mod emulated;
mod error;
#[cfg(test)]
mod features_on_gpu_tests;
pub mod gpus;
mod launch;
pub mod links;
mod memory;
#[cfg(test)]
mod queue_tests;
mod selection;
mod source;
pub mod telemetry;

pub use device::{Clock, Device, Event, LaunchGraph, NoClock, Priority, Queue};
pub use error::{DeviceError, FailureKind};
pub use launch::{Argument, Kernel};
pub use memory::{Buffer, BufferSlice, ForeignMemory, HostBuffer, PitchedRows};
pub use repro_emulator::{Extent, Launch};
pub use selection::{Selection, SelectionError};
pub use source::{HEADERS, KernelSource, code_hash, embedded, embedded_files, included, source_hash};

use serde::{Deserialize, Serialize};

/// What a device is, as far as results depend on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// The index CUDA gives it.
    pub ordinal: usize,
    pub name: String,
    /// Stable across restarts; differs between two devices of one model.
    pub uuid: String,
    /// Compute capability, for example (9, 0).
    pub compute_capability: (u32, u32),
    pub multiprocessors: u32,
    /// Device memory, bytes.
    pub memory_bytes: u64,
    pub l2_bytes: u64,
    pub shared_bytes_per_multiprocessor: u64,
    /// The most that one block may have, declared and dynamic together.
    pub shared_bytes_per_block: u64,
    pub registers_per_multiprocessor: u32,
    pub threads_per_multiprocessor: u32,
    /// The highest clock of the multiprocessors that the driver names, MHz.
    pub clock_mhz: u32,
    /// The newest CUDA that the driver supports, for example "13.0".
    pub driver_cuda: String,
    /// Whether it runs kernels on the CPU, to check and to count: its seconds mean nothing and are never measured.
    pub emulated: bool,
}

/// What a compiled kernel takes, according to the driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelResources {
    pub kernel: String,
    /// Registers a thread.
    pub registers: u32,
    /// Shared memory a block, static and dynamic, bytes.
    pub shared_bytes: u32,
    /// Local memory a thread, bytes: spills and arrays that did not fit into registers.
    pub local_bytes: u32,
    /// Threads a block in the launches of this kernel.
    pub threads: u32,
    /// Blocks of that many threads that fit on one multiprocessor at once.
    pub resident_blocks: u32,
}

/// Device memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryInfo {
    pub free: u64,
    pub total: u64,
}
