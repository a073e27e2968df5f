//! Graphs that no single memory holds: read block by block, checked in some rows, and written part by part.

mod random;
mod random_edges;

pub use random::random_blocks;
pub use random_edges::drawn_blocks;

use std::ops::Range;

/// Rows and columns of a matrix whose numbers are stored row after row, without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub rows: Range<usize>,
    pub columns: Range<usize>,
}

impl Block {
    /// Numbers in it; `None` where they cannot be counted.
    pub fn entries(&self) -> Option<usize> {
        self.rows.len().checked_mul(self.columns.len())
    }
}

/// Runs an expression with `$T` as the number type of an [`ElementType`](crate::ElementType).
macro_rules! by_element {
    ($element:expr, $T:ident => $run:expr) => {
        match $element {
            $crate::ElementType::F32 => {
                type $T = f32;
                $run
            }
            $crate::ElementType::F64 => {
                type $T = f64;
                $run
            }
            $crate::ElementType::I32 => {
                type $T = i32;
                $run
            }
            $crate::ElementType::U16 => {
                type $T = u16;
                $run
            }
        }
    };
}
pub(crate) use by_element;

#[cfg(test)]
mod tests;
