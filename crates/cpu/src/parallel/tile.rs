//! Disjoint rectangles of one matrix that several threads may write at once.
//!
//! The rows of a rectangle are not contiguous, so slices alone cannot divide a matrix into blocks. A [`Tile`]
//! can only be split, never copied, so two of them never share a number and the borrow checker does the rest.
//!
//! Copies across the diagonal of a symmetric matrix are here too.

use rayon::prelude::*;
use std::marker::PhantomData;
use std::ops::Range;
use std::slice;

/// A rectangle of a row-major matrix, held for writing.
pub(super) struct Tile<'a, T> {
    first: *mut T,
    /// Where it begins in the matrix: a row and a column.
    origin: (usize, usize),
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
        let first = d.as_mut_ptr();
        Self { first, origin: (0, 0), rows, columns, stride: columns, borrowed: PhantomData }
    }

    pub fn origin(&self) -> (usize, usize) {
        self.origin
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

    /// A rectangle within this one.
    ///
    /// # Safety
    /// While the part is in use, neither this tile nor another that shares a number with the part may be.
    unsafe fn shared_part(&self, rows: Range<usize>, columns: Range<usize>) -> Self {
        assert!(rows.start <= rows.end && rows.end <= self.rows, "{rows:?} of {} rows", self.rows);
        assert!(
            columns.start <= columns.end && columns.end <= self.columns,
            "{columns:?} of {}",
            self.columns
        );
        let skip =
            if rows.is_empty() || columns.is_empty() { 0 } else { rows.start * self.stride + columns.start };
        Self {
            // SAFETY: within the tile; an empty part keeps the address and may not be read at all.
            first: unsafe { self.first.add(skip) },
            origin: (self.origin.0 + rows.start, self.origin.1 + columns.start),
            rows: rows.len(),
            columns: columns.len(),
            ..*self
        }
    }

    /// A rectangle within this one, for as long as this one is lent.
    pub fn part(&mut self, rows: Range<usize>, columns: Range<usize>) -> Tile<'_, T> {
        // SAFETY: the borrow of `self`.
        unsafe { self.shared_part(rows, columns) }
    }

    /// All of this one, for as long as it is lent.
    pub fn whole(&mut self) -> Tile<'_, T> {
        self.part(0..self.rows, 0..self.columns)
    }

    /// The rows before `at` and the rows from it on.
    pub fn split_rows(self, at: usize) -> (Self, Self) {
        let part = |rows| {
            // SAFETY: the halves share no row, and `self` is gone.
            unsafe { self.shared_part(rows, 0..self.columns) }
        };
        (part(0..at), part(at..self.rows))
    }

    /// The columns before `at` and the columns from it on.
    pub fn split_columns(self, at: usize) -> (Self, Self) {
        let part = |columns| {
            // SAFETY: the halves share no column, and `self` is gone.
            unsafe { self.shared_part(0..self.rows, columns) }
        };
        (part(0..at), part(at..self.columns))
    }

    /// Pieces of `height` x `width`, row by row, the last ones smaller where these do not divide the sides.
    pub fn pieces(self, height: usize, width: usize) -> impl Iterator<Item = Self> {
        let across = self.columns.div_ceil(width);
        (0..self.rows.div_ceil(height) * across).map(move |at| {
            let (row, column) = (at / across * height, at % across * width);
            let rows = row..self.rows.min(row + height);
            // SAFETY: no two pieces share a number, and `self` is gone.
            unsafe { self.shared_part(rows, column..self.columns.min(column + width)) }
        })
    }
}

/// A side of the squares that are copied at once: source and copy stay in the first-level cache, also where rows lie a power of two apart.
const SIDE: usize = 16;

/// Copies the transpose of a rectangle to another.
pub(super) fn copy<T: Copy>(from: &Tile<T>, to: &mut Tile<T>) {
    assert_eq!((from.rows(), from.columns()), (to.columns(), to.rows()));
    for rows in (0..from.rows()).step_by(SIDE) {
        for columns in (0..from.columns()).step_by(SIDE) {
            let height = SIDE.min(from.rows() - rows);
            let width = SIDE.min(from.columns() - columns);
            let mut square = [from.row(rows)[columns]; SIDE * SIDE];
            for r in 0..height {
                square[r * SIDE..][..width].copy_from_slice(&from.row(rows + r)[columns..][..width]);
            }
            for c in 0..width {
                let row = &mut to.row_mut(columns + c)[rows..][..height];
                for (r, number) in row.iter_mut().enumerate() {
                    *number = square[r * SIDE + c];
                }
            }
        }
    }
}

/// The squares left of the diagonal, each with the one across it, and those on the diagonal.
fn squares<T>(d: Tile<T>, side: usize) -> Vec<(Tile<T>, Option<Tile<T>>)> {
    let count = d.rows().div_ceil(side);
    let mut squares: Vec<_> = d.pieces(side, side).map(Some).collect();
    let mut pairs = Vec::new();
    for i in 0..count {
        for j in 0..=i {
            let square = squares[i * count + j].take();
            pairs.extend(square.map(|square| (square, squares[j * count + i].take())));
        }
    }
    pairs
}

/// Copies what lies right of a square's diagonal to the left of it.
pub(super) fn mirror<T: Copy>(square: Tile<T>) {
    for (mut to, across) in squares(square, SIDE) {
        match across {
            Some(from) => copy(&from, &mut to),
            None => (1..to.rows()).for_each(|r| (0..r).for_each(|c| to.row_mut(r)[c] = to.row(c)[r])),
        }
    }
}

/// Copies what lies right of the diagonal to the left of it, on all threads, in squares of this side.
pub(super) fn fill_left_of_diagonal<T: Copy + Send>(d: Tile<T>, side: usize) {
    squares(d, side).into_par_iter().with_max_len(1).for_each(|(mut to, across)| match across {
        Some(from) => copy(&from, &mut to),
        None => mirror(to),
    });
}
