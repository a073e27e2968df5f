//! A device that runs the kernel files themselves on the CPU, to check and to count, never to time.
//!
//! A kernel file is compiled by the host's C++ compiler behind `cuda.hpp`. The CUDA threads of a block are fibers of one
//! host thread, switched at barriers and at warp operations; the blocks of a launch spread over the cores. To be checked
//! or counted, the code is compiled so that it announces every load and store (the compiler's thread sanitizer
//! instrumentation, with functions of our own behind it); otherwise it runs as plain code.
//!
//! What it does not do: blocks that wait for other blocks of the same launch (each runs to its end before its core takes
//! the next; fences order nothing for the checker), texture and surface memory, `__device__` variables, and anything that
//! depends on time. A thread's own variables are not checked, and tables of constants are neither checked nor counted.

mod access;
mod answers;
mod arguments;
mod banks;
mod barriers;
mod block;
mod cache;
mod clock;
mod copies;
mod counting;
mod counts;
mod emulator;
mod error;
mod finding;
mod flags;
mod image;
mod launch;
mod mbarrier;
mod memory;
mod module;
mod order;
mod recorder;
mod reduce;
mod request;
mod shadow;
mod shape;
mod source;
mod stack;
mod stream;
mod stuck;
mod tensor;
mod toolchain;
mod trace;
mod translate;
mod visitors;
mod warps;
mod watch;
mod wording;
mod worker;

pub use arguments::{Argument, Arguments};
pub use counts::SECTOR as SECTOR_BYTES;
pub use counts::{
    BankCounts, BulkCounts, CopyCounts, Counts, GlobalCounts, LaunchCounts, RemoteCounts, SharedCounts,
};
pub use emulator::{CAPABILITIES, Emulator, Instruments, Kernel, Options};
pub use error::EmulatorError;
pub use finding::{Finding, FindingKind, Place};
pub use memory::DeviceMemory;
pub use shape::{Extent, Launch};
pub use source::Source;
pub use stream::{Event, Stream};
pub use tensor::{Swizzle, TensorMap};
pub use toolchain::{COMPILER_VARIABLE, Toolchain};
