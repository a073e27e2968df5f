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

mod banks;
mod block;
mod context;
mod counting;
mod counts;
mod device;
mod finding;
mod hooks;
mod launch;
mod memory;
mod module;
mod queue;
mod shadow;
mod toolchain;
mod trace;
mod watch;
mod wording;

pub use counts::SECTOR as SECTOR_BYTES;
pub use counts::{BankCounts, Counts, GlobalCounts, LaunchCounts, SharedCounts};
pub use device::EmulatedDevice;
pub use finding::{Finding, FindingKind, Place};
pub use toolchain::{COMPILER_VARIABLE, Toolchain};

use serde::{Deserialize, Serialize};

/// What the device watches while kernels run. Nothing costs nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruments {
    /// Look for accesses outside of allocations or at addresses where a GPU faults, races, reads of what nothing wrote, and
    /// barriers not all threads reach.
    pub check: bool,
    /// Count accesses, transactions, bank conflicts and barriers.
    pub count: bool,
}

impl Instruments {
    pub const NONE: Self = Self { check: false, count: false };
    pub const CHECK: Self = Self { check: true, count: false };
    pub const COUNT: Self = Self { check: false, count: true };
    pub const ALL: Self = Self { check: true, count: true };

    fn any(self) -> bool {
        self.check || self.count
    }
}
