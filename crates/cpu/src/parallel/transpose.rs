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

/// The squares left of the diagonal and on it, the former with those that lie across.
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
