//! A part of a matrix.

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
