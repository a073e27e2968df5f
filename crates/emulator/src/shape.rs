//! The shape of a launch.

use serde::{Deserialize, Serialize};

/// Blocks of a grid or threads of a block in x, y and z, or the place of one of them.
pub type Extent = (u32, u32, u32);

/// The shape of one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// Blocks.
    pub grid: Extent,
    /// Threads a block.
    pub block: Extent,
    /// Shared memory a block beyond what the kernel declares, bytes; up to the device's limit.
    pub dynamic_shared_bytes: u32,
    /// Blocks of a cluster in x, y and z; each divides that side of the grid. Compute capability 9.0 and newer.
    pub cluster: Extent,
    /// Whether it may start before the previous launch of its stream has ended (programmatic dependent launch): the kernel then
    /// waits by itself for what it reads. Compute capability 9.0 and newer.
    pub overlaps_previous: bool,
}

impl Launch {
    /// A grid of `rows` rows of `across` blocks, each of `threads` threads in x.
    pub fn rows_of(across: usize, rows: usize, threads: u32) -> Self {
        // A grid of this size would need more than 2^32 tiles a side, beyond any memory.
        let narrow = |blocks: usize| u32::try_from(blocks).unwrap_or(u32::MAX);
        Self::new((narrow(across), narrow(rows), 1), (threads, 1, 1))
    }

    /// `grid` blocks of `block` threads, without anything else.
    pub const fn new(grid: Extent, block: Extent) -> Self {
        Self { grid, block, dynamic_shared_bytes: 0, cluster: (1, 1, 1), overlaps_previous: false }
    }

    /// Threads a block.
    pub fn threads(&self) -> u32 {
        let (x, y, z) = self.block;
        x.saturating_mul(y).saturating_mul(z)
    }

    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        let (x, y, z) = self.grid;
        u64::from(x) * u64::from(y) * u64::from(z)
    }

    /// Whether it has clusters or may overlap the previous launch.
    pub fn has_attributes(&self) -> bool {
        self.cluster != (1, 1, 1) || self.overlaps_previous
    }
}

/// The place in an extent that has this number, x fastest.
pub fn place_of(number: u32, extent: Extent) -> Extent {
    let (x, y, _) = extent;
    (number % x, number / x % y, number / x / y)
}

/// The number of a place in an extent, x fastest.
pub fn number_of((x, y, z): Extent, extent: Extent) -> u32 {
    x + extent.0 * (y + extent.1 * z)
}
