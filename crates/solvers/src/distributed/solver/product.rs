//! The struct that the kernel of `distributed_blocked.cu` takes, and its launches.

use bytemuck::{Pod, Zeroable};
use repro_device::{Argument, DeviceError, Kernel, Launch, Queue};
use std::ops::Range;

/// Rows or columns of tiles that are left out.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Gap {
    pub first: i32,
    pub count: i32,
}

impl From<Range<usize>> for Gap {
    fn from(tiles: Range<usize>) -> Self {
        Self { first: tiles.start as i32, count: tiles.len() as i32 }
    }
}

/// The tiles of a rectangle, those in its gaps left out.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct TileGrid {
    /// Tiles that are not left out.
    pub rows: i32,
    pub columns: i32,
    pub row_gaps: [Gap; 2],
    pub column_gap: Gap,
}

/// Operands of a product that are read, and those that its tiles are packed as.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct Operands {
    pub left: u64,
    pub right: u64,
    pub to_left: u64,
    pub to_right: u64,
}

/// What kernels for symmetric matrices are told beside.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct Mirroring {
    pub to_left_turned: u64,
    pub to_right_turned: u64,
    pub to_turned: u64,
    pub first_row: i32,
    pub block: i32,
    pub devices: i32,
    pub own: i32,
    pub first_column: i32,
    pub side: i32,
    pub from_all: i32,
    /// As the kernel's, which is a multiple of 8 bytes long.
    pub filling: i32,
}

/// `Product` in `distributed_blocked.cu`; addresses are those of a rectangle's first tile, row and column.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct Product {
    pub from: u64,
    pub to: u64,
    pub operands: Operands,
    pub from_pitch: i32,
    pub to_pitch: i32,
    pub tiles: TileGrid,
    pub steps: i32,
    pub depth: i32,
    pub clears: i32,
    pub run: i32,
    pub mirroring: Mirroring,
}

impl Product {
    /// This product without these rows. Of two gaps the earlier comes first.
    #[must_use]
    pub fn without_rows(mut self, gaps: [Range<usize>; 2]) -> Self {
        let mut gaps: Vec<_> = gaps.into_iter().filter(|gap| !gap.is_empty()).collect();
        gaps.sort_unstable_by_key(|gap| gap.start);
        for (at, gap) in gaps.into_iter().enumerate() {
            self.tiles.rows -= gap.len() as i32;
            self.tiles.row_gaps[at] = gap.into();
        }
        // A gap that is none lies behind all rows.
        self
    }

    /// This product without these columns.
    #[must_use]
    pub fn without_columns(mut self, gap: Range<usize>) -> Self {
        self.tiles.columns -= gap.len() as i32;
        self.tiles.column_gap = gap.into();
        self
    }

    /// What a kernel takes that knows nothing of symmetric matrices: as much as comes before `mirroring`.
    const DIRECTED: usize = std::mem::offset_of!(Self, mirroring);

    /// Queues it, on a kernel of so many threads a block and with so much shared memory for its stages, which may be one for symmetric matrices.
    ///
    /// # Safety
    /// The kernel is one of `distributed_blocked.cu` for tiles, compiled for symmetric matrices if `symmetric`; all its addresses are null or lead to memory with room for the rectangle.
    ///
    /// # Errors
    /// When the device refuses the launch.
    pub unsafe fn launch(
        &self,
        queue: &dyn Queue,
        kernel: &Kernel,
        threads: u32,
        dynamic_shared_bytes: u32,
        symmetric: bool,
    ) -> Result<(), DeviceError> {
        let tiles = self.tiles.rows.max(0) * self.tiles.columns.max(0);
        if tiles == 0 {
            return Ok(());
        }
        let blocks = tiles.cast_unsigned().div_ceil(self.run.cast_unsigned()) as usize;
        let launch = Launch { dynamic_shared_bytes, ..Launch::rows_of(blocks, 1, threads) };
        let all = bytemuck::bytes_of(self);
        let taken = if symmetric { all } else { &all[..Self::DIRECTED] };
        let arguments = [Argument::Struct(taken), Argument::Int(1)];
        // SAFETY: the kernel takes the struct and an integer; for the rest the caller answers.
        unsafe { queue.launch(kernel, launch, &arguments) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_in_order_and_those_of_no_rows_are_none() {
        let tiles = TileGrid { rows: 10, columns: 4, ..TileGrid::default() };
        let all = Product { tiles, ..Product::default() };
        let some = all.without_rows([6..8, 2..3]).tiles;
        assert_eq!((some.rows, some.row_gaps), (7, [Gap { first: 2, count: 1 }, Gap { first: 6, count: 2 }]));
        let none = all.without_rows([0..0, 3..5]).tiles;
        assert_eq!((none.rows, none.row_gaps), (8, [Gap { first: 3, count: 2 }, Gap::default()]));
    }
}
