//! Broadcasts between GPUs through NCCL, NVIDIA's library for transfers between devices of one process or of many.
//!
//! cudarc's own binding is not used. It never looks for `libnccl.so.2`, which is the library's name on systems and in the PyPI wheel. It
//! panics where a symbol is missing, and it cannot ask for errors that came up in the background.
//!
//! All communicators are non-blocking: no call waits inside NCCL for other processes. What NCCL does in the background is waited for here,
//! no longer than [`PATIENCE`]. So a lost process is no reason to hang.
//!
//! Emulated devices join only through a stand-in for the library, which tests compile from `stand_in.cc`.

mod communicator;
mod library;
#[cfg(test)]
pub(crate) mod tests;

pub use communicator::{BroadcastCall, Communicator, JoinRequest, PATIENCE, broadcast_all, join_all};
pub use library::{NCCL_VARIABLE, Nccl, set_nccl_defaults};
