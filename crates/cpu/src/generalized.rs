//! likhoded-sipeyko-2019 on one core: up to κ rounds of the blocked algorithm as one, so that a tile is worked on κ times while it is in
//! the cache.

use super::{Vectorized, naive};
use repro_graph::Element;
use std::ops::Range;

/// Closes the row-major n x n matrix `d` in place, with tiles of `tile` x `tile` and up to `kappa` rounds as one. Plain loops on one
/// core, as those of [`naive`]; absent edges are [`Element::ABSENT`].
///
/// # Panics
/// When `d` does not hold n² numbers, or `tile` or `kappa` is 0.
pub fn solve<T: Vectorized>(d: &mut [T], n: usize, tile: usize, kappa: usize) {
    T::solve_generalized(d, n, tile, kappa);
}

pub(super) fn each_group<T: Element>(d: &mut [T], n: usize, tile: usize, kappa: usize) {
    assert_eq!(Some(d.len()), n.checked_mul(n), "an n x n matrix holds n * n numbers");
    let tiles = n.div_ceil(tile);
    let mut tiled = Tiled { d, n, tile, rounds_done: vec![0; tiles * tiles], row_k: vec![T::ZERO; tile] };
    for start in (0..tiles).step_by(kappa) {
        let group = start..(start + kappa).min(tiles);
        tiled.rounds_done.fill(start);
        // What later rounds of the group need, no more: the lead tile, then its row and its column.
        for lead in group.clone() {
            tiled.bring(lead, lead, lead + 1);
            for other in (0..tiles).filter(|other| *other != lead) {
                tiled.bring(lead, other, lead + 1);
                tiled.bring(other, lead, lead + 1);
            }
        }
        // Then what these rows and columns lack, from the last to the first, and all other tiles.
        for lead in group.clone().rev() {
            for other in 0..tiles {
                tiled.bring(lead, other, group.end);
                tiled.bring(other, lead, group.end);
            }
        }
        for row in (0..tiles).filter(|row| !group.contains(row)) {
            for column in (0..tiles).filter(|column| !group.contains(column)) {
                tiled.bring(row, column, group.end);
            }
        }
    }
}

/// A matrix in tiles, of which each has been through some rounds.
struct Tiled<'a, T> {
    d: &'a mut [T],
    n: usize,
    tile: usize,
    /// Rounds that each tile has been through.
    rounds_done: Vec<usize>,
    /// The part of row k that is read, since it may be written meanwhile.
    row_k: Vec<T>,
}

impl<T: Element> Tiled<'_, T> {
    /// Takes a tile through all rounds before `end` that it has not been through, one after the other.
    fn bring(&mut self, row: usize, column: usize, end: usize) {
        let at = row * self.n.div_ceil(self.tile) + column;
        for round in self.rounds_done[at]..end {
            self.relax(row, column, round);
        }
        self.rounds_done[at] = end.max(self.rounds_done[at]);
    }

    /// The tasks of a tile in a round, k by k.
    fn relax(&mut self, row: usize, column: usize, round: usize) {
        let (rows, columns) = (self.vertices(row), self.vertices(column));
        for k in self.vertices(round) {
            let row_k = &mut self.row_k[..columns.len()];
            row_k.copy_from_slice(&self.d[k * self.n..][columns.clone()]);
            for i in rows.clone() {
                let row_i = &mut self.d[i * self.n..][..self.n];
                let d_ik = row_i[k];
                naive::relax_row(&mut row_i[columns.clone()], row_k, d_ik);
            }
        }
    }

    /// The vertices of a row or a column of tiles; the last may have fewer.
    fn vertices(&self, tiles: usize) -> Range<usize> {
        tiles * self.tile..((tiles + 1) * self.tile).min(self.n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix of whole numbers that follow from their place, some of them absent.
    fn matrix(n: usize) -> Vec<i32> {
        let entry = |(i, j): (usize, usize)| match (i * 7919 + j * 104_729) % 97 {
            _ if i == j => 0,
            number if number < 40 => i32::ABSENT,
            number => number as i32,
        };
        (0..n * n).map(|at| entry((at / n, at % n))).collect()
    }

    #[test]
    fn every_tile_and_every_kappa_give_what_the_plain_loops_give() {
        for n in [1, 2, 7, 33, 40] {
            let mut expected = matrix(n);
            naive::solve(&mut expected, n);
            for (tile, kappa) in [(1, 1), (1, 3), (4, 1), (4, 2), (4, 3), (4, 100), (8, 2), (64, 5)] {
                let mut d = matrix(n);
                solve(&mut d, n, tile, kappa);
                assert_eq!(d, expected, "n = {n}, tile = {tile}, kappa = {kappa}");
            }
        }
    }
}
