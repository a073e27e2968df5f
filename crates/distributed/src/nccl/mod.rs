//! Broadcasts between GPUs through NCCL, NVIDIA's library for transfers between devices of one process or of many.
//!
//! cudarc's own binding is not used. It never looks for `libnccl.so.2`, which is the library's name on systems and in the PyPI wheel. It
//! panics where a symbol is missing, and it cannot ask for errors that came up in the background.
//!
//! All communicators are non-blocking: no call waits inside NCCL for other processes. What NCCL does in the background is waited for here,
//! no longer than [`PATIENCE`], and meanwhile the caller is asked whether to go on. So a lost process is no reason to hang.

mod broadcast;
mod communicator;
mod header;
mod join;
mod library;
#[cfg(test)]
mod tests;

pub use broadcast::{BroadcastCall, broadcast_all, broadcast_all_while};
pub use communicator::{Communicator, PATIENCE};
pub use join::{Joining, join_all, join_all_while};
pub use library::{NCCL_VARIABLE, Nccl, set_nccl_defaults};
