//! Disjoint rectangles of one matrix that several threads may write at once.
//!
//! The rows of a rectangle are not contiguous, so slices alone cannot divide a matrix into blocks. A [`Tile`]
//! can only be split, never copied, so two of them never share a number and the borrow checker does the rest.

use std::marker::PhantomData;
use std::ops::Range;
use std::slice;

/// A rectangle of a row-major matrix, held for writing.
pub(super) struct Tile<'a, T> {
    first: *mut T,
    rows: usize,
    columns: usize,
    /// Numbers from one row to the next; at least `columns` when there is more than one row.
    stride: usize,
    borrowed: PhantomData<&'a mut [T]>,
}

// SAFETY: a tile is an exclusive borrow of its numbers, as `&mut [T]` is.
unsafe impl<T: Send> Send for Tile<'_, T> {}

impl<'a, T> Tile<'a, T> {
    /// The whole of a row-major matrix with `columns` columns.
    pub fn new(d: &'a mut [T], rows: usize, columns: usize) -> Self {
        assert_eq!(Some(d.len()), rows.checked_mul(columns), "a matrix holds rows * columns numbers");
        Self { first: d.as_mut_ptr(), rows, columns, stride: columns, borrowed: PhantomData }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The address of (0, 0), for the micro-kernels.
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.first
    }

    pub fn row(&self, i: usize) -> &[T] {
        assert!(i < self.rows);
        // SAFETY: row i lies within the tile, which borrows its numbers for 'a, and `self` is shared meanwhile.
        unsafe { slice::from_raw_parts(self.first.add(i * self.stride), self.columns) }
    }

    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        assert!(i < self.rows);
        // SAFETY: as in `row`, and `self` is held exclusively meanwhile.
        unsafe { slice::from_raw_parts_mut(self.first.add(i * self.stride), self.columns) }
    }

    /// All of this one, for as long as it is lent.
    pub fn whole(&mut self) -> Tile<'_, T> {
        Tile { borrowed: PhantomData, ..*self }
    }

    /// A rectangle within this one, for as long as this one is lent.
    pub fn part(&mut self, rows: Range<usize>, columns: Range<usize>) -> Tile<'_, T> {
        let (whole, _) = self.whole().split_rows(rows.end);
        let (_, band) = whole.split_rows(rows.start);
        let (band, _) = band.split_columns(columns.end);
        let (_, part) = band.split_columns(columns.start);
        part
    }

    /// The rows before `at` and the rows from it on.
    pub fn split_rows(self, at: usize) -> (Self, Self) {
        assert!(at <= self.rows);
        let skip = if at == self.rows { 0 } else { at * self.stride };
        // SAFETY: row `at` is within the tile; an empty lower half keeps the address and may not be read at all.
        let below = unsafe { self.first.add(skip) };
        (Self { rows: at, ..self }, Self { first: below, rows: self.rows - at, ..self })
    }

    /// The columns before `at` and the columns from it on.
    pub fn split_columns(self, at: usize) -> (Self, Self) {
        assert!(at <= self.columns);
        let skip = if self.rows == 0 { 0 } else { at };
        // SAFETY: at most one past the end of row 0; halves keep the stride, so their rows never overlap.
        let right = unsafe { self.first.add(skip) };
        (Self { columns: at, ..self }, Self { first: right, columns: self.columns - at, ..self })
    }

    /// Bands of `height` rows, the last one shorter when `height` does not divide the rows.
    pub fn bands(self, height: usize) -> Vec<Self> {
        let mut rest = self;
        let mut bands = Vec::with_capacity(rest.rows.div_ceil(height));
        while rest.rows > 0 {
            let (band, below) = {
                let at = height.min(rest.rows);
                rest.split_rows(at)
            };
            bands.push(band);
            rest = below;
        }
        bands
    }

    /// Blocks of `width` columns, the last one narrower when `width` does not divide the columns.
    pub fn blocks(self, width: usize) -> Vec<Self> {
        let mut rest = self;
        let mut blocks = Vec::with_capacity(rest.columns.div_ceil(width));
        while rest.columns > 0 {
            let (block, right) = {
                let at = width.min(rest.columns);
                rest.split_columns(at)
            };
            blocks.push(block);
            rest = right;
        }
        blocks
    }
}
