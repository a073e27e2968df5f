//! Copies across the diagonal of a symmetric matrix.

use super::tile::Tile;
use rayon::prelude::*;

/// A side of the squares that are copied at once: both stay in the first-level cache, also where rows lie a power of two apart.
const SIDE: usize = 16;

/// Copies a rectangle to one that has columns for its rows.
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

/// Copies what lies right of a square's diagonal to the left of it.
pub(super) fn mirror<T: Copy>(square: &mut Tile<T>) {
    let side = square.rows();
    for from in (0..side).step_by(SIDE) {
        let to = side.min(from + SIDE);
        let (above, below) = square.whole().split_rows(to);
        let (_, mut band) = above.split_rows(from);
        copy(&band.part(0..to - from, to..side), &mut below.split_columns(to).0.split_columns(from).1);
        for r in 1..to - from {
            for c in 0..r {
                band.row_mut(r)[from + c] = band.row(c)[from + r];
            }
        }
    }
}

/// Copies what lies right of the diagonal to the left of it, on all threads, in squares of this side.
pub(super) fn fill_left_of_diagonal<T: Copy + Send>(d: Tile<T>, side: usize) {
    let mut pairs = Vec::new();
    // Of the squares right of the diagonal so far, those of each column from the top on.
    let mut above: Vec<Vec<Tile<T>>> = Vec::new();
    for (i, band) in d.bands(side).into_iter().enumerate() {
        let mut squares = band.blocks(side).into_iter();
        if let Some(column) = above.get_mut(i) {
            let left = squares.by_ref().take(i).map(Some);
            pairs.extend(column.drain(..).zip(left));
        }
        pairs.extend(squares.next().map(|diagonal| (diagonal, None)));
        above.resize_with(i + 1 + squares.len(), Vec::new);
        above[i + 1..].iter_mut().zip(squares).for_each(|(column, square)| column.push(square));
    }
    pairs.into_par_iter().with_max_len(1).for_each(|pair| match pair {
        (from, Some(mut to)) => copy(&from, &mut to),
        (mut diagonal, None) => mirror(&mut diagonal),
    });
}
