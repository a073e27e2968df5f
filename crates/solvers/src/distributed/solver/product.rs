//! The struct that the kernel of `distributed_blocked.cu` takes, and its launches.

use bytemuck::{Pod, Zeroable};
use repro_device::{Argument, DeviceError, Kernel, Launch, Queue};

/// Rows or columns of tiles that are left out.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Gap {
    pub first: i32,
    pub count: i32,
}

impl From<(usize, usize)> for Gap {
    fn from((first, count): (usize, usize)) -> Self {
        Self { first: first as i32, count: count as i32 }
    }
}

/// `Product` in `distributed_blocked.cu`; addresses are those of a rectangle's first tile, row and column.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct Product {
    pub from: u64,
    pub to: u64,
    pub left: u64,
    pub right: u64,
    pub to_left: u64,
    pub to_right: u64,
    pub from_pitch: i32,
    pub to_pitch: i32,
    /// Tiles that are not left out.
    pub rows: i32,
    pub columns: i32,
    pub row_gaps: [Gap; 2],
    pub column_gap: Gap,
    pub steps: i32,
    pub depth: i32,
    pub clears: i32,
    pub run: i32,
    // From here on of symmetric matrices alone.
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

impl Product {
    /// This product without these rows. Of two gaps the earlier comes first.
    #[must_use]
    pub fn without_rows(mut self, gaps: [(usize, usize); 2]) -> Self {
        let mut gaps: Vec<_> = gaps.into_iter().filter(|(_, count)| *count > 0).collect();
        gaps.sort_unstable();
        for (at, gap) in gaps.into_iter().enumerate() {
            self.rows -= gap.1 as i32;
            self.row_gaps[at] = gap.into();
        }
        // A gap that is none lies behind all rows.
        self
    }

    /// This product without these columns.
    #[must_use]
    pub fn without_columns(mut self, gap: (usize, usize)) -> Self {
        self.columns -= gap.1 as i32;
        self.column_gap = gap.into();
        self
    }

    /// What a kernel takes that knows nothing of symmetric matrices: as much as comes before `to_left_turned`.
    const DIRECTED: usize = std::mem::offset_of!(Self, to_left_turned);

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
        (threads, dynamic_shared_bytes): (u32, u32),
        symmetric: bool,
    ) -> Result<(), DeviceError> {
        let tiles = self.rows.max(0) * self.columns.max(0);
        if tiles == 0 {
            return Ok(());
        }
        let blocks = tiles.cast_unsigned().div_ceil(self.run.cast_unsigned()) as usize;
        let launch = Launch { dynamic_shared_bytes, ..Launch::rows_of((blocks, 1), threads) };
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
        let all = Product { rows: 10, columns: 4, ..Product::default() };
        let some = all.without_rows([(6, 2), (2, 1)]);
        assert_eq!((some.rows, some.row_gaps), (7, [Gap { first: 2, count: 1 }, Gap { first: 6, count: 2 }]));
        let none = all.without_rows([(0, 0), (3, 2)]);
        assert_eq!((none.rows, none.row_gaps), (8, [Gap { first: 3, count: 2 }, Gap::default()]));
    }
}
